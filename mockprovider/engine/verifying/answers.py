"""A provider that answers the embedded engine from a log, and notes which of its calls is which of the log's."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from google.protobuf import struct_pb2
from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.message import Message
from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import Call, EnginePort, Failure, Op, Reply, Session
from mockprovider.engine.verifying.hindsight import PartialObject
from mockprovider.engine.verifying.operations import LoggedOperation
from mockprovider.protocols import ProviderProtocol
from mockprovider.pulumi.errors import read_status
from mockprovider.pulumi.grpclog.pairing import FinishedCall
from mockprovider.pulumi.grpclog.reading import status_of
from mockprovider.pulumi.grpclog.writing import as_json
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.pulumi.protocol import PULUMI
from mockprovider.pulumi.values import decode
from mockprovider.urn import reference
from mockprovider.values import Value
from mockprovider.wire.status import failed, status

UNORDERED = frozenset({"Delete", "Diff"})
"""Calls about one resource that follow each other in any order."""


class AskedCall(Struct, frozen=True):
    """A call of the embedded engine: its request as a log has it, and the log's call that answered it."""

    rpc: str
    package: str
    request: Mapping[str, Any]
    logged: FinishedCall | None

    @property
    def urn(self) -> str:
        """Whom it is about; empty where it names nobody."""
        return str(self.request.get("urn", ""))


class LoggedProvider:
    """The providers of one operation of a log, as a source of instances for the embedded engine. Thread-safe.

    What a log calls differently, as references to providers, it notes in ``renamed``.
    """

    def __init__(
        self,
        operation: LoggedOperation,
        partial: Mapping[int, PartialObject] | None = None,
        renamed: dict[str, str] | None = None,
    ) -> None:
        self._partial = partial or {}
        self._renamed = {} if renamed is None else renamed
        self.cut_off = operation.cut_off
        self.asked: list[AskedCall] = []
        self._waiting = list(zip(operation.packages, operation.provider, strict=True))
        self._places = {id(call): place for place, call in enumerate(operation.provider)}
        self._latest: dict[str, int] = {}
        """By URN, the place of the last of its calls that was taken."""
        self._sessions: dict[int, str] = {}
        self._lock = threading.Lock()

    def open(self, protocol: ProviderProtocol = PULUMI, *, package: str = "", engine: EnginePort | None = None) -> Session:
        """A session of the provider of ``package``."""
        with self._lock:
            session = Session(protocol, len(self._sessions) + 1, engine=engine)
            self._sessions[session.number] = package
        return session

    def __call__(self, call: Call) -> Reply:
        """What the log answers to the call that is most like this one; "unimplemented" where it has none."""
        row = PROVIDER.methods[call.method]
        request = as_json(row.request(call))
        package = self._sessions[call.session.number]
        with self._lock:
            logged = self._taken(call.method, package, request)
            self.asked.append(AskedCall(call.method, package, request, logged))
            if logged is not None and call.op is Op.CONFIGURE and "urn" in logged.request:
                # Nobody registers default providers, but what a transform was told has their ids.
                self._renamed[_reference(logged.request)] = _reference(request)
        if logged is None:
            return Reply() if call.op is Op.CANCEL else failed(status("unimplemented", f"The log has no {call}."))
        reply = _answer(logged, call)
        partial = self._partial.get(id(logged))
        return replace(reply, **_left(partial, reply)) if partial else reply

    @property
    def unasked(self) -> list[FinishedCall]:
        """The log's calls that the embedded engine has not made."""
        return [call for _, call in self._waiting]

    def place(self, call: FinishedCall) -> int:
        """Where one of the log's calls stands in it."""
        return self._places[id(call)]

    def _taken(self, rpc: str, package: str, request: Mapping[str, Any]) -> FinishedCall | None:
        """Takes the first of the log's calls that it may be; of those whose order says nothing, the one most alike."""
        fitting = list(self._fitting(rpc, package, request))
        if not fitting:
            return None
        latest = self._latest.get(urn := str(request.get("urn", "")), -1)

        def apart(waiting: tuple[str, FinishedCall]) -> tuple[int, bool]:
            # Older engines configure several providers alike, and do not say which: each after what it was asked before.
            return _distance(waiting[1].request, request), self._places[id(waiting[1])] < latest

        chosen = min(fitting, key=apart) if rpc in UNORDERED or _is_nameless(fitting) else fitting[0]
        self._waiting.remove(chosen)
        self._latest[urn] = self._places[id(chosen[1])]
        return chosen[1]

    def _fitting(self, rpc: str, package: str, request: Mapping[str, Any]) -> Iterator[tuple[str, FinishedCall]]:
        for waiting in self._waiting:
            owner, call = waiting
            if call.rpc != rpc or (owner and owner != package):
                continue
            names = [(name, request.get(name)) for name in ("urn", "tok") if name in call.request]
            if all(call.request[name] == wanted for name, wanted in names):
                yield waiting


def _reference(configure: Mapping[str, Any]) -> str:
    return reference(str(configure.get("urn")), str(configure.get("id")))


def _is_nameless(fitting: Sequence[tuple[str, FinishedCall]]) -> bool:
    return not any("urn" in call.request for _, call in fitting)


def _distance(one: Mapping[str, Any], other: Mapping[str, Any]) -> int:
    """In how many fields two requests differ, also within their bags."""
    return sum(_plain(one.get(name)) != _plain(other.get(name)) for name in one.keys() | other.keys()) + sum(
        _distance(part, other[name])
        for name, part in one.items()
        if isinstance(part, Mapping) and isinstance(other.get(name), Mapping)
    )


def _plain(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _left(partial: PartialObject, reply: Reply) -> dict[str, Any]:
    return {
        "id": partial.id,
        "value": _decoded(partial.outputs),
        "inputs": None if partial.inputs is None else _decoded(partial.inputs),
        "failures": (Failure(reply.status.message if reply.status else "it failed"),),
    }


def _decoded(bag: Mapping[str, Any]) -> dict[str, Value]:
    return decode(ParseDict(dict(bag), struct_pb2.Struct()))


def _answer(logged: FinishedCall, call: Call) -> Reply:
    row = PROVIDER.methods[logged.rpc]
    if logged.error or not logged.responses:
        # Published logs lack the errors of handshakes that old providers did not know.
        return read_status(status_of(logged.error), call) if logged.error else failed(status("unimplemented", "unknown"))
    answered = PROVIDER.messages[logged.rpc][1]
    try:
        responses = [parsed(answered, response) for response in logged.responses]
    except ParseError as error:
        return failed(status("internal", f"The log's answer to {call} cannot be read: {error}"))
    return row.replies(responses, call) if row.replies is not None else row.reply(responses[0], call)


def parsed(cls: type[Message], plain: Mapping[str, Any]) -> Message:
    """A log's JSON as a message, without fields that this version does not know. Raises ``ParseError``."""
    return ParseDict(dict(plain), cls(), ignore_unknown_fields=True)


def normal(rpc: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """A logged request as this version writes it, with what it does not know."""
    try:
        return _merged(request, as_json(parsed(PROVIDER.messages[rpc][0], request)))
    except (ParseError, KeyError):
        return dict(request)


def _merged(logged: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """``known``, and what else is in ``logged``, also inside of objects, and in their place."""
    both = {
        name: _merged(value, known[name]) if isinstance(value, Mapping) else value
        for name, value in logged.items()
        if isinstance(known.get(name), Mapping)
    }
    return {**logged, **known, **both}
