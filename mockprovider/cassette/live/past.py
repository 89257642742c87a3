"""Past the end of a cassette: what it holds is replayed, and a fake answers the rest."""

from __future__ import annotations

from typing import Any, Protocol

from msgspec.structs import replace

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.cassette.library import Library, Sought, TakenAnswer
from mockprovider.cassette.modes import LookResult
from mockprovider.errors import MissError


class ObjectKeeper(Protocol):
    """The fake behind a cassette, as far as it has to keep up with what the cassette gives out."""

    def refusal(self, call: Call) -> str:
        """Why the fake cannot answer a call; empty if it can."""

    def is_newer(self, call: Call) -> bool:
        """Whether a call only looks at an object that has changed since the cassette gave it out."""

    def note(self, call: Call, reply: Reply) -> None:
        """Keep the object that a replayed answer is about."""


class PastEnd:
    """What becomes of calls where a fake goes on after the recording: a ``LiveSide``.

    Args:
        library: the replay.
        keeper: the fake behind it. The way onward leads to it.
    """

    def __init__(self, library: Library, keeper: ObjectKeeper) -> None:
        self._library = library
        self._keeper = keeper
        self.answers: list[str] = []
        """What the fake answered, a line each."""

    def as_recorded(self, tree: Any) -> Any:
        """The request as it is: what is replayed has the recorded values."""
        return tree

    def held(self, call: Call, provider: str, proceed: Handler, sought: Sought, taken: TakenAnswer) -> Reply:  # noqa: ARG002
        """The recorded answer; the fake's to a look at an object that is no longer as the recording has it."""
        if self._keeper.is_newer(sought.call):
            return self._invented(sought.call, proceed)
        reply = taken()
        self._keeper.note(sought.call, reply)
        return reply

    def missing(self, call: Call, provider: str, proceed: Handler, sought: Sought) -> Reply:  # noqa: ARG002
        """The fake's answer to a call that the cassette does not hold.

        Raises ``AmbiguousError`` where the cassette holds several answers, ``MissError`` where the fake cannot know one.
        """
        if sought.outcome is LookResult.AMBIGUOUS or sought.lookup.early is not None:
            raise self._library.why(sought)
        if reason := self._refusal(sought.call):
            raise MissError(f"{self._library.why(sought)}\nThe fake beyond the cassette does not answer it either: {reason}.")
        return self._invented(sought.call, proceed)

    def _refusal(self, call: Call) -> str:
        if call.op is Op.CONFIGURE and call.session.instance in self._library.shelf.instances.values():
            # Its later calls would find answers that were given under the recorded configuration.
            return "it configures a recorded provider in another way, and what was recorded need not hold then"
        return self._keeper.refusal(call)

    def _invented(self, call: Call, proceed: Handler) -> Reply:
        reply = replace(proceed(call), made_up=True)
        self.answers.append(_line(call))
        return reply


def _line(call: Call) -> str:
    which = call.name or call.address or call.id
    return " ".join(filter(None, (call.op.value, call.type, which, "(preview)" if call.preview else "")))
