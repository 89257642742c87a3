"""How old a cassette is, and whether that is too old."""

from __future__ import annotations

from mockprovider.cassette.misses import AGAIN, again
from mockprovider.cassette.model import Cassette
from mockprovider.durations import DAY, age, shown_age

UNDATED = "it does not say when it was recorded, so nobody knows whether it is older than {}"
AHEAD = "it says that it was recorded in the future, so nobody knows how old it is"


def expired(cassette: Cassette, max_age: str, now: float, command: str = "") -> str:
    """What to say of a cassette that is older than ``max_age`` (``90d``), with the way out; empty if it is not, or has no date.

    ``now`` is in seconds since the Unix epoch. ``command`` records it again, if that is not what the cassette says. Raises
    ``MalformedError`` for what is no age.
    """
    recorded_at = cassette.header.recorded_at
    if recorded_at is None or now - recorded_at <= age(max_age):
        return ""
    way_out = AGAIN.format(command) if command else again(cassette)
    return f"it is {shown_age(now - recorded_at)} old, and may be {max_age}. {way_out}"


def undatable(cassette: Cassette, max_age: str, now: float) -> str:
    """Why nobody knows whether a cassette is too old; empty if somebody does."""
    recorded_at = cassette.header.recorded_at
    if recorded_at is None:
        return UNDATED.format(max_age)
    # Clocks differ, and the day of a recording is a day somewhere.
    return AHEAD if recorded_at > now + DAY else ""
