"""A journal, or a cassette, in the format of the engine's log, for tools that read it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from google.protobuf.json_format import Error, MessageToDict
from google.protobuf.message import Message

from mockprovider.calls import Op
from mockprovider.cassette import Cassette
from mockprovider.cassette.model import Interaction, RecordedStatus, code_number
from mockprovider.errors import MalformedError
from mockprovider.journal import Entry
from mockprovider.pulumi.errors import rpc_error
from mockprovider.pulumi.grpclog.words import DETAILS, RAW_CALLS, WAY_BACK, WITHHELD_CALLS
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.pulumi.protocol import PULUMI
from mockprovider.pulumi.transcript import PulumiTranscript
from mockprovider.redaction import fill, stand_in
from mockprovider.urn import PROVIDERS
from mockprovider.wire.logs import LogExport
from mockprovider.wire.status import StatusError, status
from mockprovider.wire.transcript import MESSAGES
from mockprovider.wire.trees import RAW

EXACT = 2**53
"""Whole numbers below this are what they seem."""


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
        text = rpc_error(error.status.code, error.status.message)
        return [{**line, "errors": [text], **_progress(line, "response_completed")}]
    return [{**line, "response": answer, **_progress(line, "response_completed")} for answer in answers]


def as_json(message: Message) -> dict[str, Any]:
    """A message as Go writes it, whose whole numbers have no fraction. Raises ``json_format.Error`` for NaN and infinity."""
    plain: dict[str, Any] = _whole(MessageToDict(message))
    return plain


def _whole(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < EXACT else value


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
        plain = as_json(message)
    except Error as error:
        raise MalformedError(f"{entry.call}: a message of this call has no JSON form: {error}.") from error
    return plain


def cassette_lines(cassette: Cassette, transcript: PulumiTranscript) -> LogExport:
    """A cassette's calls as lines, in its order. What such a log cannot hold is counted.

    Secrets are what a replay gives out for them. Raises ``MalformedError`` for a damaged cassette.
    """
    export = _CassetteExport(cassette, transcript)
    written = [call for interaction in cassette.interactions if (call := export.lines(interaction))]
    encoded = [json.dumps(line) for call in written for line in call]
    return LogExport(lines=encoded, calls=len(written), left_out=+export.left_out)


class _CassetteExport:
    """Writes interactions as lines, and counts what it leaves out."""

    def __init__(self, cassette: Cassette, transcript: PulumiTranscript) -> None:
        self.left_out: Counter[str] = Counter()
        self._cassette = cassette
        self._transcript = transcript

    def lines(self, interaction: Interaction) -> list[Mapping[str, Any]]:
        """The lines of one call: of its start, and of its end or of each message."""
        row = PROVIDER.methods.get(interaction.method)
        without = _unwritten(interaction, is_known=row is not None)
        if row is None or without:
            self.left_out[without] += 1
            return []
        asked, answered = PROVIDER.messages[row.name][:2]
        request = self._plain(asked, self._cassette.request(interaction))
        name = interaction.provider or self._cassette.header.provider
        metadata = {"mode": "client", "kind": "resource", **({"name": name} if name else {})}
        line = {"method": f"/{PROVIDER.name}/{row.name}", "request": request, "metadata": metadata}
        started, ended = {**line, **_progress(line, "request_started")}, _progress(line, "response_completed")
        if interaction.status is not None:
            return [started, {**line, "errors": [self._error(interaction.status)], **ended}]
        tree = self._cassette.response(interaction)
        answers = tree[MESSAGES] if row.responses else [tree]
        return [started, *({**line, "response": self._plain(answered, answer), **ended} for answer in answers)]

    def _error(self, status: RecordedStatus) -> str:
        self.left_out[DETAILS] += status.details is not None
        return rpc_error(code_number(status.code), fill(status.message, stand_in))

    def _plain(self, cls: type[Message], tree: Any) -> dict[str, Any]:
        # Some trees have more than the message: a method's secret keys, which the engine was asked for.
        fields = {name: item for name, item in tree.items() if name in cls.DESCRIPTOR.fields_by_name or name == RAW}
        return as_json(self._transcript.build(cls, fill(fields, stand_in)))


def _unwritten(interaction: Interaction, *, is_known: bool) -> str:
    """What an interaction is that a log cannot hold; empty for all others."""
    if interaction.direction != "provider":
        return WAY_BACK
    return WITHHELD_CALLS if interaction.withheld else "" if is_known else RAW_CALLS
