"""What rules look at: one call at one side of a run, and what that side has seen before."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

from mockprovider.calls import Call, Reply


class Seen(Protocol):
    """One call at one side: an entry of the journal."""

    @property
    def n(self) -> int:
        """Its number."""

    @property
    def side(self) -> str:
        """``engine`` or ``provider``."""

    @property
    def call(self) -> Call:
        """What was asked."""

    @property
    def reply(self) -> Reply | None:
        """What was answered."""

    @property
    def began(self) -> int:
        """When it began, in the order of all beginnings and ends."""

    @property
    def ended(self) -> int:
        """When it ended; 0 while it is under way."""


class Moment(Struct):
    """What a rule's predicate looks at: a call, and its reply. A protocol adds what it knows of the call without a search.

    There is no reply as long as the call is under way, where engines are judged, and after one that never had an answer.
    """

    call: Call
    reply: Reply | None


class History(Protocol):
    """What one side has seen so far, as the rules of one party need it."""

    def at(self, call: Call, reply: Reply | None) -> Any:
        """The ``Moment`` of a call, seen from here."""

    def begin(self, now: Any) -> None:
        """A call starts; the engine's rules have been applied to it. A provider's history begins nothing."""

    def end(self, now: Any) -> None:
        """A call has ended; the provider's rules have been applied to it."""


@runtime_checkable
class Doubting(Protocol):
    """A history whose rules compare what engines remember, over many runs, with what they were told."""

    def doubt(self) -> None:
        """What engines remember may be another thing from here on."""
