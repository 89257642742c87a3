"""A call that is looked up in a recording, and what the recording holds for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from mockprovider.cassette.choice import Candidate, Choice
from mockprovider.cassette.matching import Repeat
from mockprovider.cassette.modes import LookResult
from mockprovider.cassette.objects import Mark
from mockprovider.cassette.recorded import RecordedCall, Where
from mockprovider.cassette.shelf import Alike


class LiveCall(Struct, frozen=True):
    """A call of the replay, as it is looked up.

    ``tree`` is its key, redacted. ``session`` names the live session; ``once`` says that one recorded answer answers once,
    and ``forgotten`` that nobody remembers the answer: engines open ephemeral resources as often as they like.
    ``fits`` is asked of recorded calls whose answers differ. ``repeat`` is what somebody decided about how often one answer
    answers. ``encoded`` is the JSON of its tree, if that is at hand and has no placeholders.
    """

    where: Where
    tree: Any
    session: Any
    once: bool
    forgotten: bool = False
    address: str = ""
    phase: str = ""
    preview: bool | None = None
    fits: Callable[[RecordedCall], bool] = lambda _: False
    repeat: str = ""
    encoded: bytes = b""

    @property
    def urn(self) -> str:
        """The resource that it names, if any."""
        return self.where[4]

    @property
    def single(self) -> bool:
        """Whether one recorded answer answers once, as far as the call tells."""
        return self.repeat == Repeat.RECORDED if self.repeat else self.once


class Lookup(Struct, frozen=True):
    """What a recording holds for a call.

    ``choice`` is ``None`` where nothing recorded fits; ``candidates`` are all that fit. ``about`` are the recorded calls that
    are equal but for generated values, and ``alike`` says that these do not tell objects apart. ``reason`` is the refused
    call of the rehearsal, where a family cannot be told apart. ``early`` is the call that has to come first, in strict order.
    """

    call: LiveCall
    outcome: LookResult = LookResult.MISSING
    choice: Choice | None = None
    candidates: Sequence[Candidate] = ()
    about: Alike | None = None
    marks: Sequence[Mark] = ()
    alike: bool = False
    once: bool = False
    reason: Lookup | None = None
    early: RecordedCall | None = None

    @property
    def decision(self) -> Choice:
        """What was chosen, and why. Raises ``LookupError`` where nothing recorded fits."""
        if self.choice is None:
            raise LookupError("nothing recorded fits this call")
        return self.choice

    @property
    def chosen(self) -> Candidate:
        """What the call is answered with. Raises ``LookupError`` where nothing is."""
        return self.decision.candidates[0]
