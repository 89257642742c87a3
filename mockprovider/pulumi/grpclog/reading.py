"""A log as a conversation: its calls and replies, each in the session that it probably came in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.message import Message
from msgspec.structs import replace

from mockprovider.calls import Call, Native, Op, Reply, Status
from mockprovider.errors import DefinitionError, MalformedError
from mockprovider.pulumi.errors import GO_NAMES, read_status
from mockprovider.pulumi.grpclog.marked import ProgramSide
from mockprovider.pulumi.grpclog.owning import owners
from mockprovider.pulumi.grpclog.pairing import FinishedCall, finished_calls
from mockprovider.pulumi.grpclog.processes import Processes
from mockprovider.pulumi.grpclog.words import (
    MONITOR_SERVICE,
    NEWER,
    NOBODYS,
    NOT_CHOSEN,
    PROVIDER_SERVICE,
    UNKNOWN_RPCS,
    UNREADABLE,
    WITH_WAY_BACK,
)
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.pulumi.package.reading import from_schema
from mockprovider.wire.logs import EngineLog, LoggedCall
from mockprovider.wire.methods import RpcMethod
from mockprovider.wire.trees import encode

SPOKEN = re.compile(r"rpc error: code = (?:(\w+)|Code\((\d+)\)) desc = (.*)", re.DOTALL)
CODES = {name: number for number, name in enumerate(GO_NAMES)}
UNKNOWN = 2


def read_log(data: bytes, chosen: Collection[str] = ()) -> EngineLog | None:
    """The providers' calls in a log, of the ``chosen`` packages or of all; ``None`` for what is no such log.

    Raises ``MalformedError`` for a JSON array that breaks off.
    """
    left_out: Counter[str] = Counter()
    finished = finished_calls(data, left_out)
    if not finished:
        return None
    calls = finished[PROVIDER_SERVICE]
    packages = owners(calls)
    registered = ProgramSide(finished.get(MONITOR_SERVICE, ()), finished.get("pulumirpc.LanguageRuntime", ()))
    reader = _Conversation(registered, left_out)
    logged = [
        reader.read(package, call) for package, call in zip(packages, calls, strict=True) if _is_ours(package, chosen, left_out)
    ]
    return EngineLog(
        calls=[call for call in logged if call is not None],
        versions=_versions(zip(packages, calls, strict=True)),
        secrets=_declared(calls),
        seen=sorted(set(filter(None, packages))),
        left_out=+left_out,
        notes=list(reader.notes()),
    )


def _is_ours(package: str, chosen: Collection[str], left_out: Counter[str]) -> bool:
    if package and (not chosen or package in chosen):
        return True
    left_out[NOT_CHOSEN if package else NOBODYS] += 1
    return False


def _versions(calls: Any) -> Mapping[str, str]:
    said = (
        (package, answer.get("version")) for package, call in calls if call.rpc == "GetPluginInfo" for answer in call.responses
    )
    return {package: version for package, version in said if package and isinstance(version, str)}


def _declared(calls: Sequence[FinishedCall]) -> Mapping[str, Collection[str]]:
    """What the schemas in the log declare secret. One that cannot be read declares nothing."""
    secrets: dict[str, Collection[str]] = {}
    for answer in (answer for call in calls if call.rpc == "GetSchema" for answer in call.responses):
        try:
            secrets |= from_schema(answer.get("schema", ""), "the schema in the log").secrets
        except (DefinitionError, MalformedError):
            continue
    return secrets


class _Conversation:
    """Makes calls and replies of a log's messages."""

    def __init__(self, registered: ProgramSide, left_out: Counter[str]) -> None:
        self._registered = registered
        self._left_out = left_out
        self._processes: dict[str, Processes] = {}
        self._numbers = count(1)

    def read(self, package: str, finished: FinishedCall) -> LoggedCall | None:
        """One call; ``None`` for what cannot be replayed, which is counted."""
        row = PROVIDER.methods.get(finished.rpc)
        if row is None or row.op in (Op.CONSTRUCT, Op.CALL):
            self._left_out[UNKNOWN_RPCS if row is None else WITH_WAY_BACK] += 1
            return None
        asked, answered = PROVIDER.messages[finished.rpc][:2]
        try:
            request = self._message(asked, finished.request)
            responses = [self._message(answered, response) for response in finished.responses]
        except ParseError:
            self._left_out[UNREADABLE] += 1
            return None
        call = self._call(package, row, finished, request)
        return LoggedCall(package, call, _reply(row, call, finished.error, responses), call.session.instance)

    def notes(self) -> Iterator[str]:
        """What to say about replays of it."""
        for package, processes in self._processes.items():
            if processes.unconfigured:
                yield (
                    f"{processes.unconfigured} calls of {package} come before any Configure: a replay answers them only where "
                    "nobody configures the provider, so in tests that call it, and not under an engine."
                )
            if processes.guessed:
                yield (
                    f"{processes.guessed} calls of {package} do not say which provider instance they are for. They are taken "
                    "for the one that was configured last."
                )

    def _call(self, package: str, row: RpcMethod, finished: FinishedCall, request: Message) -> Call:
        if package not in self._processes:
            self._processes[package] = Processes(package, self._registered, self._numbers)
        processes = self._processes[package]
        session = processes.session(finished.rpc, row.op, finished.request)
        call = row.call(request, session)
        if row.op is Op.CONFIGURE:
            processes.configured(call)
        secrets = self._registered.secret(call.urn or (session.instance if row.op is Op.CONFIGURE else ""), package)
        return replace(call, native=Native(encode(request), request), secrets=secrets)

    def _message(self, cls: type[Message], plain: dict[str, Any]) -> Message:
        try:
            return ParseDict(plain, cls())
        except ParseError:
            message = ParseDict(plain, cls(), ignore_unknown_fields=True)
            self._left_out[NEWER] += 1
            return message


def _reply(row: RpcMethod, call: Call, error: str, responses: Sequence[Message]) -> Reply:
    if error:
        return read_status(status_of(error), call)
    if row.replies is not None:
        reply = row.replies(responses, call)
        return replace(reply, stream=tuple(Native(encode(message), message) for message in responses))
    reply = row.reply(responses[0], call)
    return replace(reply, native=Native(encode(responses[0]), responses[0]))


def status_of(error: str) -> Status:
    """The status that the text of an error stands for. Its details are not in the log."""
    spoken = SPOKEN.fullmatch(error)
    if spoken is None:
        return Status(UNKNOWN, error)
    name, number, message = spoken.groups()
    return Status(int(number) if number else CODES.get(name, UNKNOWN), message)
