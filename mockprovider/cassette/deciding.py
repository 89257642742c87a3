"""The layer that decides what becomes of a call: it looks, asks the mode's rule, and then replays, records or refuses."""

from __future__ import annotations

from mockprovider.calls import Call, Handler, Reply
from mockprovider.cassette.library import Library
from mockprovider.cassette.modes import RULES, CassetteAction, Mode
from mockprovider.cassette.recorder import Recorder
from mockprovider.errors import MissError, UnsupportedError


class CassetteLayer:
    """A cassette between an engine and a provider.

    Args:
        mode: what the cassette is used for.
        library: the cassette, if it existed and the mode looks into it.
        recorder: where the mode records to.
        provider: whose calls these are, where the cassette holds several providers.
    """

    def __init__(self, mode: Mode, library: Library | None, recorder: Recorder | None, provider: str = "") -> None:
        self.mode = mode
        self.library = library
        self.recorder = recorder
        self.provider = provider
        self._if_new = RULES[mode].if_new
        self._reader = None if library is None else library.shelf.readers[provider]

    def __call__(self, call: Call, proceed: Handler | None = None) -> Reply:
        """The reply: recorded or the provider's.

        Raises ``MissError`` for a refused call that the cassette does not hold (any more), ``AmbiguousError`` where recorded
        answers cannot be told apart, and what the library and the recorder raise.
        """
        if self.library is None or self._reader is None:
            return self._provided(self._if_new, call, proceed)
        unrecorded = Reply() if self._reader.unasked(call) else self._reader.absent(call)
        if unrecorded is not None:
            return unrecorded
        with self.library.turn:
            sought = self.library.look(call, self.provider)
            action = RULES[self.mode].action(sought.outcome, existed=True)
            if action is CassetteAction.REFUSE:
                raise self.library.why(sought)
            reply = self.library.take(sought) if action is CassetteAction.REPLAY else None
        return self._provided(action, call, proceed) if reply is None else reply()

    def _provided(self, action: CassetteAction, call: Call, proceed: Handler | None) -> Reply:
        if action is CassetteAction.REFUSE:
            raise MissError(f"There is no cassette yet, so nothing holds an answer to {call}. Record it first.")
        if action is not CassetteAction.RECORD or self.recorder is None or proceed is None:
            raise UnsupportedError(f"Cassette mode {self.mode.value!r} would {action.value} {call}, which is not built yet.")
        return self.recorder(call, proceed, self.provider)
