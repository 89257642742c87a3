"""Logs that engines wrote, into cassettes, and cassettes into such logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path

from msgspec import Struct

from mockprovider import tape
from mockprovider.calls import Call, Reply
from mockprovider.cassette import FORMAT, Recorder
from mockprovider.errors import CassetteError, DefinitionError, MalformedError, UnsupportedError
from mockprovider.hints import did_you_mean
from mockprovider.protocols import ProviderProtocol, by_name, families, of_family
from mockprovider.redaction import Redactor, numbers
from mockprovider.wire.adapter import adapter
from mockprovider.wire.logs import EngineLog

BEGINNING = 4096
"""So many bytes of a file are looked at to tell whether it is a cassette: its header comes first."""
UNKEPT = "that a recording cannot keep"


class ImportedLog(Struct, frozen=True):
    """What became of a log: the calls that it held and that the cassette has not, and what the recording says of itself."""

    calls: int
    left_out: Mapping[str, int]
    notes: list[str]


class ExportedLog(Struct, frozen=True):
    """What became of a cassette: the calls in the log, those that it cannot hold, and how many secrets are placeholders."""

    calls: int
    left_out: Mapping[str, int]
    secrets: int


def import_log(
    log: Path,
    into: Path,
    *,
    chosen: Collection[str] = (),
    redactor: Redactor | None = None,
    created_by: str = "",
    replace: bool = False,
) -> ImportedLog:
    """Make a cassette of the providers' calls in a log that an engine wrote (``PULUMI_DEBUG_GRPC``).

    Args:
        log: the log.
        into: the cassette, which is whole or not there at all.
        chosen: the packages whose calls are kept; all of them unless given.
        redactor: what is secret, besides what the log marks and the schemas in it declare.
        created_by: the command that does this again.
        replace: an existing cassette is replaced.

    Raises ``MalformedError`` for what is no log or has no call of a provider, ``DefinitionError`` for a package that has none,
    ``CassetteError`` for a file that is a cassette already and where one is in the way, ``OSError`` for an unreadable file.
    """
    _check_free(into, "cassette", replace=replace)
    data = log.read_bytes()
    if FORMAT.encode() in data[:BEGINNING] and data.lstrip().startswith(b"["):
        raise CassetteError(f"{log} is a cassette already. Replay it: mockprovider replay {log.name}")
    protocol, conversation = _read(log, data, chosen)
    left_out = Counter(conversation.left_out)
    draft = tape.Draft(into, whole=True)
    try:
        recorder = _recorder(draft, protocol, conversation, redactor or Redactor(), created_by)
        left_out[UNKEPT] += _record(recorder, conversation)
        recorder.close()
    except BaseException:
        # The log is still there, so nothing is lost.
        draft.drop()
        raise
    draft.keep()
    return ImportedLog(recorder.recorded, +left_out, [*conversation.notes, *recorder.notices])


def _record(recorder: Recorder, conversation: EngineLog) -> int:
    """Record the calls of a log. Returns how many a recording cannot keep."""
    refused = 0
    for logged in conversation.calls:
        logged.call.session.instance = ""
    for logged in conversation.calls:
        session = logged.call.session
        session.instance = logged.instance or session.instance
        part = logged.provider if len(conversation.providers) > 1 else ""
        try:
            recorder(logged.call, partial(_answer, logged.reply), part)
        except UnsupportedError:
            refused += 1
    return refused


def _answer(reply: Reply, _: Call) -> Reply:
    return reply


def _read(log: Path, data: bytes, chosen: Collection[str]) -> tuple[ProviderProtocol, EngineLog]:
    """The calls in a log, with the protocol of the engine that wrote it."""
    if not data.strip():
        raise MalformedError(f"{log} is empty. {_known()}")
    for protocol in map(of_family, families()):
        try:
            conversation = adapter(protocol).read_log(data, chosen)
        except MalformedError as error:
            raise MalformedError(f"{log}: {error}") from error
        if conversation is not None:
            _check_calls(log, conversation, chosen)
            return protocol, conversation
    raise MalformedError(f"{log} is no log of an engine's calls: no line of it is about a call. {_known()}")


def _known() -> str:
    """What could be imported."""
    written = [adapter(of_family(family)).log_file for family in families()]
    return f"Such a log is {' or '.join(filter(None, written))}."


def _check_calls(log: Path, conversation: EngineLog, chosen: Collection[str]) -> None:
    for name in chosen:
        if name not in conversation.seen:
            raise DefinitionError(
                f"{log} has no call of the provider {name!r}. {did_you_mean(name, conversation.seen, 'It has')}"
            )
    if not conversation.calls:
        raise MalformedError(f"{log} has no answered call of a provider. {said_left_out(conversation.left_out)}".rstrip())


def _recorder(
    draft: tape.Draft, protocol: ProviderProtocol, conversation: EngineLog, redactor: Redactor, created_by: str
) -> Recorder:
    names = conversation.providers
    parts = names if len(names) > 1 else [""]
    recorder = tape.record(
        draft,
        {name: adapter(protocol).transcriber() for name in parts},
        protocol=protocol.name,
        provider="" if len(names) > 1 else names[0],
        providers={name: protocol.name for name in parts if name},
        provider_version="" if len(names) > 1 else conversation.versions.get(names[0], ""),
        created_by=created_by,
        redactor=redactor,
    )
    recorder.declare(conversation.secrets)
    return recorder


def export_log(cassette: Path, into: Path, *, replace: bool = False) -> ExportedLog:
    """Write a cassette's calls as the log that an engine would have written of them.

    The log is as secret as the cassette: what the cassette hides is a placeholder. Raises ``UnsupportedError`` for a protocol
    whose engines write no such log, ``CassetteError`` where a file is in the way, and as ``tape.load`` does.
    """
    recorded = tape.load(cassette)
    export = adapter(by_name(recorded.header.protocol)).exported_log(recorded)
    _check_free(into, "file", replace=replace)
    beside = into.with_name(f".{into.name}.new")
    beside.write_text("".join(f"{line}\n" for line in export.lines), encoding="utf-8")
    beside.replace(into)
    hidden = {number for one in recorded.interactions for tree in (one.request, one.response) for number in numbers(tree)}
    return ExportedLog(export.calls, export.left_out, len(hidden))


def _check_free(path: Path, kind: str, *, replace: bool) -> None:
    if path.exists() and not replace:
        raise CassetteError(f"{path} is there already. To replace that {kind}, add --force; or write to another one.")


def said_left_out(left_out: Mapping[str, int]) -> str:
    """What was left out, in a sentence; empty if nothing was."""
    parts = [f"{count} {'call' if count == 1 else 'calls'} {what}" for what, count in left_out.items() if count]
    return f"Left out: {', '.join(parts)}." if parts else ""
