"""The calls of a kept journal as they travelled, without their secrets: enough to judge the run again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import Call, Reply, Status
from mockprovider.cassette import RecordedStatus, Transcriber
from mockprovider.cassette.model import code_name
from mockprovider.double.masking import RunSecrets
from mockprovider.errors import MockProviderError
from mockprovider.journal import Entry
from mockprovider.redaction import Policy, Redactor, Tree


class KeptCall(Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One call and its answer, as trees of the messages in which they travel; ``docs/cassettes.md`` says what is in these.

    ``began`` and ``ended`` are moments in the order of all. ``there`` says that the object of the call's id was there without
    an answer's telling of it. Without ``answered``, no answer came.
    """

    protocol: str
    method: str
    began: int
    ended: int
    instance: str = ""
    preview: bool | None = None
    there: bool = False
    answered: bool = False
    request: Any = None
    response: Any = None
    status: RecordedStatus | None = None


def kept_calls(entries: Iterable[Entry], secrets: RunSecrets, is_there: Callable[[str], bool]) -> dict[int, Any]:
    """What is kept of each call, by its number. What cannot be written down was refused, and is left out."""
    transcribed = []
    for entry in entries:
        with suppress(MockProviderError):
            transcribed.append(_Transcribed(entry, *secrets.edge(entry.call.session.protocol)))
    # Whatever is learnt from any call is hidden in all of them.
    return {call.entry.n: msgspec.to_builtins(call.kept(is_there)) for call in transcribed}


class _Transcribed:
    def __init__(self, entry: Entry, transcriber: Transcriber, redactor: Redactor) -> None:
        self.entry = entry
        self._transcriber, self._redactor = transcriber, redactor
        # A call that is gone has no way back to ask.
        self._call = transcriber.named(replace(entry.call, monitor=None))
        self._names = self._policy(self._call)
        self._request = transcriber.request(self._call)
        self._answer = None if entry.reply is None else self._answered(entry.reply)
        redactor.learn([self._request, *([self._answer] if isinstance(self._answer, dict) else [])], self._names)

    def _policy(self, call: Call) -> Policy:
        with suppress(MockProviderError):
            return self._redactor.names(call.type, self._transcriber.secrets(call), self._transcriber.type(call))
        return self._redactor.names(call.type)

    def _answered(self, reply: Reply) -> Tree | Status:
        return self._transcriber.reply(reply, self._call) if reply.status is None else reply.status

    def _hidden(self, tree: Tree) -> Any:
        return self._redactor.hide(tree, self._names).tree

    def kept(self, is_there: Callable[[str], bool]) -> KeptCall:
        """The call without its secrets."""
        entry, call, session = self.entry, self._call, self._call.session
        kept = KeptCall(
            protocol=session.protocol.name,
            method=call.method,
            began=entry.began,
            ended=entry.ended,
            instance=session.instance,
            preview=session.preview,
            there=bool(call.id) and is_there(call.id),
            answered=self._answer is not None,
            request=self._hidden(self._request),
        )
        if isinstance(self._answer, Status):
            kept.status = self._status(self._answer)
        elif self._answer is not None:
            kept.response = self._hidden(self._answer)
        return kept

    def _status(self, status: Status) -> RecordedStatus:
        details = self._transcriber.details(status.details) if status.details else None
        hidden = self._hidden({"message": status.message, "details": details})
        return RecordedStatus(code=code_name(status.code), message=hidden["message"], details=hidden["details"])
