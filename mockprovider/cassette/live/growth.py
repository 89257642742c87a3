"""One run of a cassette that grows: its recorded answers and its new ones become one recording."""

from __future__ import annotations

import threading
from collections import defaultdict
from typing import Any

from mockprovider.calls import Call, Handler, Reply
from mockprovider.cassette.library import Library, Sought, TakenAnswer
from mockprovider.cassette.live.belonging import Belonging
from mockprovider.cassette.modes import LookResult
from mockprovider.cassette.recorder import Recorder
from mockprovider.cassette.verifying.answers import answer_tree
from mockprovider.cassette.verifying.starts import STARTS
from mockprovider.errors import CassetteError, MissError


class Growth:
    """What the providers of one cassette share while some of their calls are replayed and others reach a live one."""

    def __init__(self, library: Library, recorder: Recorder) -> None:
        self._library = library
        self._recorder = recorder
        self._belonging = Belonging()
        self._starts: dict[tuple[str, int], list[Call]] = defaultdict(list)
        """By session, the calls that started it and were replayed, of which the live provider does not know yet."""
        self._starting = threading.Lock()

    def as_recorded(self, tree: Any) -> Any:
        """The request as it is: what is replayed has the recorded values."""
        return tree

    def held(self, call: Call, provider: str, proceed: Handler, sought: Sought, taken: TakenAnswer) -> Reply:  # noqa: ARG002
        """A recorded answer, which is part of what this run records."""
        if call.op.value in STARTS:
            self._starts[provider, call.session.number].append(call)
        self._belonging.replayed(call, self._library.request(call, provider), taken.tree)
        return self._recorder(call, taken, provider, taken.recorded.interaction.n)

    def missing(self, call: Call, provider: str, proceed: Handler, sought: Sought) -> Reply:
        """The live provider's answer to a call that the cassette does not hold.

        Raises ``MissError`` where it may not be asked, ``CassetteError`` where it cannot be started, ``AmbiguousError`` where
        the cassette holds several answers.
        """
        if sought.outcome is LookResult.AMBIGUOUS or sought.lookup.early is not None:
            raise self._library.why(sought)
        request = self._library.request(call, provider)
        if reason := self._belonging.refusal(call, request):
            raise MissError(f"{self._library.why(sought)}\nThe live provider is not asked for it either, since {reason}.")
        self._start(call, provider, proceed)
        reply = self._recorder(call, proceed, provider)
        self._belonging.answered(call, request, reply, answer_tree(self._library.transcriber(provider), reply, call))
        return reply

    def _start(self, call: Call, provider: str, proceed: Handler) -> None:
        """Start the live provider's session as this one was: the cassette has answered its first calls."""
        # Of two first calls at once, neither may start it again, and neither may come before it is started.
        with self._starting:
            for start in self._starts.pop((provider, call.session.number), ()):
                reply = proceed(start)
                if not reply.ok:
                    said = reply.status.message if reply.status else "; ".join(one.reason for one in reply.failures)
                    raise CassetteError(
                        f"{self._library.cassette.name} holds no answer to {call}, so the live provider was to be asked, and "
                        f"it refuses {start.method or start.op.value}: {said}. Give it what it needs, such as credentials, or "
                        "ask only what was recorded."
                    )
