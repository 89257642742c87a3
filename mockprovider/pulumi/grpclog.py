"""A journal in the format of the engine's ``PULUMI_DEBUG_GRPC`` log, for tools that read it (reference 10.1).

It has secrets in plain text, as the engine's log does. Commit a cassette instead.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from google.protobuf.json_format import Error, MessageToDict
from google.protobuf.message import Message

from mockprovider.calls import STATUS_NAMES, Op
from mockprovider.errors import MalformedError
from mockprovider.journal import Entry
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.pulumi.protocol import PULUMI
from mockprovider.urn import PROVIDERS
from mockprovider.wire.status import StatusError, status

SPELLED = {"ok": "OK", "cancelled": "Canceled"}
"""The status names that are not simply in CamelCase."""


def lines(entries: Iterable[Entry], package: str = "") -> Iterator[str]:
    """The log's lines, each a JSON object: one for the start and one for the end of each call, in the order of time.

    Args:
        entries: of a journal, as one side saw them (``journal.entries(side="engine")``).
        package: the provider's name in the log; by default the first part of a call's type.

    Times and unknown RPCs are left out. Raises ``MalformedError`` for a message that has no JSON form (NaN, infinity).
    """
    known = [entry for entry in entries if entry.call.op is not Op.RAW and entry.call.session.protocol == PULUMI]
    moments = [(entry.began, entry, False) for entry in known] + [(entry.ended, entry, True) for entry in known if entry.ended]
    for _, entry, ended in sorted(moments, key=lambda moment: moment[0]):
        for line in _ended(entry, package) if ended else [_started(entry, package)]:
            yield json.dumps(line)


def _line(entry: Entry, package: str) -> dict[str, Any]:
    row = PROVIDER.methods.get(entry.call.method) or PROVIDER.by_op(entry.call.op)
    native = entry.call.native
    name = package or entry.call.type.removeprefix(PROVIDERS).split(":", 1)[0]
    return {
        "method": f"/{PROVIDER.name}/{row.name}",
        "request": _plain(native.message if native else row.request(entry.call), entry),
        "metadata": {"mode": "client", "kind": "resource", **({"name": name} if name else {})},
    }


def _started(entry: Entry, package: str) -> Mapping[str, Any]:
    line = _line(entry, package)
    return {**line, **_progress(line, "request_started")}


def _progress(line: Mapping[str, Any], said: str) -> Mapping[str, str]:
    # A stream has a line for each message, without progress.
    return {} if PROVIDER.streams(line["method"].rpartition("/")[2]) else {"progress": said}


def _ended(entry: Entry, package: str) -> list[Mapping[str, Any]]:
    line = _line(entry, package)
    try:
        answers = [_plain(message, entry) for message in _answers(entry)]
    except StatusError as error:
        code = STATUS_NAMES[error.status.code] if error.status.code < len(STATUS_NAMES) else str(error.status.code)
        spelled = SPELLED.get(code) or "".join(part.capitalize() for part in code.split("_"))
        error_text = f"rpc error: code = {spelled} desc = {error.status.message}"
        return [{**line, "errors": [error_text], **_progress(line, "response_completed")}]
    return [{**line, "response": answer, **_progress(line, "response_completed")} for answer in answers]


def _answers(entry: Entry) -> list[Message]:
    """The messages of a call's answer. Raises ``StatusError`` where it ended in one."""
    call, reply = entry.call, entry.reply
    if reply is None:
        raise StatusError(status("failed_precondition", entry.error))
    if reply.status is not None:
        raise StatusError(reply.status)
    row = PROVIDER.methods.get(call.method) or PROVIDER.by_op(call.op)
    if reply.stream is not None:
        return [part.message for part in reply.stream]
    if row.responses:
        return list(row.responses(reply, call))
    return [reply.native.message if reply.native else row.response(reply, call)]


def _plain(message: Message, entry: Entry) -> dict[str, Any]:
    try:
        plain: dict[str, Any] = MessageToDict(message)
    except Error as error:
        raise MalformedError(f"{entry.call}: a message of this call has no JSON form: {error}.") from error
    return plain
