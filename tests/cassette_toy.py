"""A toy protocol for the tests of cassettes: messages are dicts, and the native bytes of a message are its JSON."""

from __future__ import annotations

import base64
import json
from typing import Any

from mockprovider.calls import Call, Failure, Native, Op, Reply, Session, Status
from mockprovider.cassette import FORMAT, VERSION, Cassette, CassetteLayer, Header, Library, Mode, Reader, Recorder
from mockprovider.cassette.gist import Gist
from mockprovider.cassette.report import CassetteReport, lines, report
from mockprovider.cassette.shelf import Shelf
from mockprovider.matching import encode
from mockprovider.protocols import ProviderProtocol
from mockprovider.pulumi.gist import gist
from mockprovider.pulumi.signatures import MARKS, SECRET, SIGNATURE
from mockprovider.redaction import Redactor

METHODS = {
    Op.HANDSHAKE: "Handshake",
    Op.GET_SCHEMA: "GetSchema",
    Op.CONFIGURE: "Configure",
    Op.CHECK: "Check",
    Op.DIFF: "Diff",
    Op.CREATE: "Create",
    Op.READ: "Read",
    Op.IMPORT: "Import",
    Op.UPDATE: "Update",
    Op.DELETE: "Delete",
    Op.INVOKE: "Invoke",
    Op.CONSTRUCT: "Construct",
    Op.CANCEL: "Cancel",
}
TYPE = "cloud:index:Bucket"
TOY = ProviderProtocol(name="toy", family="toy", adapter="")


class Toy:
    """The toy's transcriber. ``address`` and ``seed`` are no part of a key, and ``tags`` is a set."""

    marks = MARKS
    openly = False

    def __init__(self, secrets: tuple[str, ...] = ()) -> None:
        self._secrets = secrets

    def named(self, call: Call) -> Call:
        return call

    def refuses(self, call: Call) -> str:
        return "the way back is not built" if call.op is Op.CONSTRUCT else ""

    def mutates(self, method: str) -> bool:
        return method in ("Create", "Update", "Delete")

    def type(self, call: Call) -> str:
        return call.type

    def is_for(self, instance: str, package: str) -> bool:
        return False

    def request(self, call: Call) -> dict[str, Any]:
        return dict(call.inputs or {})

    def key(self, call: Call, request: dict[str, Any]) -> dict[str, Any]:
        key = {name: value for name, value in request.items() if name not in ("address", "seed")}
        if "tags" in key:
            key["tags"] = sorted(key["tags"], key=encode)
        return key

    def secrets(self, call: Call) -> tuple[str, ...]:
        return self._secrets

    def encoded(self, reply: Reply, call: Call) -> Reply:
        return reply

    def reply(self, reply: Reply, call: Call) -> dict[str, Any] | Status:
        if reply.failures:
            return Status(2, reply.failures[0].reason, encode(dict(reply.value or {})))
        return dict(reply.value or {})

    def restore(self, method: str, response: dict[str, Any], call: Call) -> Reply:
        return Reply(value=dict(response), native=Native(encode(response)))

    def timeless(self, method: str) -> bool:
        return False

    def gist(self, op: str, request: dict[str, Any], response: dict[str, Any]) -> Gist:
        return gist(op, request, response)

    def details(self, data: bytes) -> Any:
        return base64.b64encode(data).decode()

    def pack(self, details: Any) -> bytes:
        return base64.b64decode(details)

    def failed(self, status: Status, call: Call) -> Reply:
        return Reply(status=status, failures=(Failure(status.message),))


class Opened(Toy):
    """A toy that can look into a status's details."""

    def details(self, data: bytes) -> Any:
        return json.loads(data)

    def pack(self, details: Any) -> bytes:
        return encode(details)


def session(number: int = 1, instance: str = "east", *, preview: bool | None = None) -> Session:
    made = Session(TOY, number)
    made.instance = instance
    made.preview = preview
    return made


def call(op: Op, where: Session, urn: str = "", type_: str = TYPE, *, preview: bool = False, **inputs: Any) -> Call:
    return Call(op=op, session=where, method=METHODS[op], type=type_, urn=urn, inputs=inputs, preview=preview)


def secret(value: Any) -> dict[str, Any]:
    return {SIGNATURE: SECRET, "value": value}


def header() -> Header:
    return Header(format=FORMAT, version=VERSION, protocol="toy")


def answer(**value: Any) -> Reply:
    return Reply(value=value)


def recorded(*conversation: tuple[Call, Reply], transcriber: Toy | None = None, redactor: Redactor | None = None) -> Cassette:
    """The cassette of a conversation: what was asked and answered, in this order."""
    recorder = Recorder(transcriber or Toy(), header(), redactor=redactor)
    for asked, reply in conversation:
        recorder(asked, lambda _, reply=reply: reply)
    return recorder.close()


def replayer(cassette: Cassette, transcriber: Toy | None = None, redactor: Redactor | None = None) -> CassetteLayer:
    return CassetteLayer(Mode.NONE, Library(cassette, {"": Reader(transcriber or Toy())}, redactor), None)


def reported(cassette: Cassette, transcriber: Toy | None = None, **known: Any) -> CassetteReport:
    """The report on a cassette."""
    return report(Shelf(cassette, {"": Reader(transcriber or Toy())}), **known)


def said(cassette: Cassette, **known: Any) -> list[str]:
    """What it says to people."""
    return lines(reported(cassette, **known))
