"""The layer that decides what becomes of a call: it looks, asks the mode's rule, and replays, records, compares or refuses."""

from __future__ import annotations

from typing import Any, Protocol

from mockprovider.calls import Call, Handler, Reply
from mockprovider.cassette.library import Library, Sought, TakenAnswer
from mockprovider.cassette.modes import RULES, CassetteAction, LookResult, Mode
from mockprovider.cassette.recorder import Recorder
from mockprovider.errors import DefinitionError, MissError

TAKING = frozenset({CassetteAction.REPLAY, CassetteAction.COMPARE})


class LiveSide(Protocol):
    """What answers beside a cassette: a live provider, the provider's own code, or a fake.

    It may be shared by the layers of one cassette, since what one provider made, another one is given.
    """

    def as_recorded(self, tree: Any) -> Any:
        """A request of today as the recorded provider would have got it."""

    def held(self, call: Call, provider: str, proceed: Handler, sought: Sought, taken: TakenAnswer) -> Reply:
        """The reply to a call that the cassette holds."""

    def missing(self, call: Call, provider: str, proceed: Handler, sought: Sought) -> Reply:
        """The reply to a call that the cassette does not hold. Raises ``MissError`` where nobody may be asked."""


class CassetteLayer:
    """A cassette between an engine and a provider.

    Args:
        mode: what the cassette is used for.
        library: the cassette, if it existed and the mode looks into it.
        recorder: where the mode records to.
        provider: whose calls these are, where the cassette holds several providers.
        live: what becomes of calls where something answers beside the cassette.
    """

    def __init__(
        self,
        mode: Mode,
        library: Library | None,
        recorder: Recorder | None,
        provider: str = "",
        live: LiveSide | None = None,
    ) -> None:
        self.mode = mode
        self.library = library
        self.recorder = recorder
        self.provider = provider
        self._rule = RULES[mode]
        self._actions = {outcome: self._rule.action(outcome, existed=True) for outcome in LookResult}
        self._live = live

    def __call__(self, call: Call, proceed: Handler | None = None) -> Reply:
        """The reply: recorded or the provider's.

        Raises ``MissError`` for a refused call that the cassette does not hold (any more), ``AmbiguousError`` where recorded
        answers cannot be told apart, and what the library and the recorder raise.
        """
        if self.library is None:
            return self._provided(self._rule.if_new, call, proceed)
        unrecorded = self.library.shelf.readers[self.provider].unrecorded(call)
        if unrecorded is not None:
            return unrecorded
        live = self._live
        with self.library.turn:
            sought = self.library.look(call, self.provider, live.as_recorded if live else None)
            action = self._actions[sought.lookup.outcome]
            if action is CassetteAction.REFUSE and live is None:
                raise self.library.why(sought)
            taken = self.library.take(sought) if action in TAKING else None
        if taken is not None:
            return live.held(call, self.provider, _there(proceed), sought, taken) if live else taken()
        if live:
            return live.missing(call, self.provider, _there(proceed), sought)
        return self._provided(action, call, proceed)

    def _provided(self, action: CassetteAction, call: Call, proceed: Handler | None) -> Reply:
        if action is CassetteAction.REFUSE:
            raise MissError(f"There is no cassette yet, so nothing holds an answer to {call}. Record it first.")
        if self.recorder is None:
            raise DefinitionError(f"The mode {self.mode.value!r} would {action.value} {call}, and this layer has nowhere to.")
        return self.recorder(call, _there(proceed), self.provider)


def _there(proceed: Handler | None) -> Handler:
    if proceed is None:
        raise DefinitionError("This mode asks a provider, and the cassette stands in front of none.")
    return proceed
