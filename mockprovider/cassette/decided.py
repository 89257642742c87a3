"""What a cassette's header keeps of the decisions about places, so that a replay needs none of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mockprovider.cassette.model import Cassette, Header
from mockprovider.hints import did_you_mean
from mockprovider.redaction import Redactor


def note_decisions(header: Header, redactor: Redactor, types: Iterable[str]) -> None:
    """Write into the header what is decided about the places of these types, and what is not."""
    known = sorted(set(types))
    header.secrets, header.public = redactor.secret.kept(known), redactor.public.kept(known)
    header.masks, header.undecided = redactor.masks.kept(known), redactor.still_open()


def take_decisions(redactor: Redactor, cassette: Cassette) -> None:
    """Decide as the recording did: its declared places are secret, and what it left readable in a request is not."""
    header = cassette.header
    redactor.declare(header.secrets)
    redactor.decide(redactor.public, by_type=header.public)
    redactor.decide(redactor.masks, by_type=header.masks)
    redactor.origins.replay(cassette.request(interaction) for interaction in cassette.interactions)


WORDS: Mapping[str, str] = {"secret": "secrets", "public": "public", "masks": "masks"}
"""Where a redactor keeps what users name, and what they call it."""


OPENLY = (
    "The provider does not accept secrets, so the engine sent them like any other value, and they are readable here. Name "
    "their properties with secrets=[...] (--secret), and record again."
)


def notices(redactor: Redactor, types: Iterable[str], *, openly: bool = False) -> list[str]:
    """What whoever records should know of these decisions, and the cassette does not say, in plain sentences.

    ``openly``: secrets may have come without a mark, which is no news to whoever has named some.
    """
    known = sorted(set(types) - {""})
    return [
        *([OPENLY] if openly and not redactor.secret.known else []),
        *(
            f"{word}: {name!r} is nowhere in this recording. {did_you_mean(name.rpartition('.')[0], known)}".rstrip()
            for kind, word in WORDS.items()
            for name in getattr(redactor, kind).unused()
        ),
    ]
