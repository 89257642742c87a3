"""Pulumi's calls and replies as the views that cassettes keep, and back."""

from __future__ import annotations

import base64
from collections.abc import Collection, Mapping
from typing import Any

from google.protobuf import any_pb2
from msgspec.structs import replace
from pulumi.runtime.proto import errors_pb2, provider_pb2, status_pb2

from mockprovider.calls import Call, Native, Op, Reply, Status
from mockprovider.pulumi.errors import TYPE_URL, read_status
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.wire.methods import Method
from mockprovider.wire.status import StatusError
from mockprovider.wire.views import RAW, build, encode, view

CAPABILITIES: Mapping[Op, frozenset[str]] = {
    # The variables are the arguments once more, in plain text even where the arguments mark them secret.
    Op.CONFIGURE: frozenset(
        {"acceptSecrets", "acceptResources", "sends_old_inputs", "sends_old_inputs_to_delete", "variables"}
    ),
}
"""What an engine says of itself, or says twice: a recording serves engines of any age, so nothing is matched by it."""

DETAILS = {
    each.DESCRIPTOR.full_name: each
    for each in (provider_pb2.ErrorResourceInitFailed, provider_pb2.ConfigureErrorMissingKeys, errors_pb2.ErrorCause)
}
"""The details of statuses that are shown and redacted field by field; any other is kept as bytes."""


class Transcript:
    """How Pulumi conversations are written down: a ``cassette.Transcriber``."""

    def named(self, call: Call) -> Call:
        """The call with its RPC's name, which one that was made in process may lack."""
        row = None if call.method else _row(call)
        return replace(call, method=row.name) if row else call

    def refuses(self, call: Call) -> str:
        """Why this call cannot be recorded; empty if it can."""
        row = _row(call)
        return row.reason if row else ""

    def mutates(self, method: str) -> bool:
        """Whether the RPC changes the cloud. Of one that we do not know, nothing may be assumed."""
        row = PROVIDER.methods.get(method)
        return row is None or row.mutates

    def type(self, call: Call) -> str:
        """The type's token."""
        return call.type

    def request(self, call: Call) -> dict[str, Any]:
        """The view of the call's request message."""
        row = _row(call)
        if row is None:
            return _raw(call.native)
        return view(call.native.message if call.native else row.request(call))

    def key(self, call: Call, request: dict[str, Any]) -> dict[str, Any]:
        """What two runs of one program share: no addresses, nothing volatile, nothing that the engine says of itself."""
        row = _row(call)
        if row is None or row.op is Op.HANDSHAKE:
            return request if row is None else {}
        left_out = {*row.addresses, *row.volatile, *CAPABILITIES.get(row.op, ())}
        if "args" not in request:
            left_out.discard("variables")
        return {name: item for name, item in request.items() if name not in left_out}

    def secrets(self, call: Call) -> Collection[str]:  # noqa: ARG002 - the protocol's signature
        """Nothing beyond what the values say themselves: Pulumi's secrets travel marked."""
        return ()

    def reply(self, reply: Reply, call: Call) -> dict[str, Any] | Status:
        """The view of the reply's answer message, or the status that it travels as."""
        row = _row(call)
        if row is None:
            return _raw(reply.native)
        try:
            return view(reply.native.message if reply.native else row.response(reply, call))
        except StatusError as error:
            return error.status

    def restore(self, method: str, response: dict[str, Any], call: Call) -> Reply:
        """The reply of a view: the equal message, its bytes, and the decoded fields."""
        row = PROVIDER.methods.get(method)
        if row is None:
            return Reply(native=Native(base64.b64decode(response[RAW])))
        message = build(PROVIDER.messages[method][1], response)
        reply = row.reply(message, call)
        reply.native = Native(encode(message), message)
        return reply

    def details(self, data: bytes) -> Any:
        """A ``google.rpc.Status`` as a view, the details that we know taken apart."""
        status = status_pb2.Status.FromString(data)
        details = [_detail(each) for each in status.details]
        seen = {"code": status.code, "message": status.message, "details": details}
        return seen if self.pack(seen) == encode(status) else {RAW: base64.b64encode(data).decode()}

    def pack(self, details: Any) -> bytes:
        """The bytes of a view of details."""
        if RAW in details:
            return base64.b64decode(details[RAW])
        packed = [_pack(each) for each in details["details"]]
        return encode(status_pb2.Status(code=details["code"], message=details["message"], details=packed))

    def failed(self, status: Status, call: Call) -> Reply:
        """The reply of an RPC that ended in ``status``, with the partial state in its details."""
        return read_status(status, call)


def _row(call: Call) -> Method | None:
    return PROVIDER.methods.get(call.method) or (None if call.op is Op.RAW else PROVIDER.by_op(call.op))


def _raw(native: Native | None) -> dict[str, Any]:
    return {RAW: base64.b64encode(native.data if native else b"").decode()}


def _detail(packed: any_pb2.Any) -> dict[str, Any]:
    cls = DETAILS.get(packed.TypeName())
    if cls is None:
        return {"type": packed.type_url, RAW: base64.b64encode(packed.value).decode()}
    return {"type": packed.type_url, "value": view(cls.FromString(packed.value))}


def _pack(detail: Mapping[str, Any]) -> any_pb2.Any:
    if RAW in detail:
        return any_pb2.Any(type_url=detail["type"], value=base64.b64decode(detail[RAW]))
    cls = DETAILS[detail["type"].removeprefix(TYPE_URL)]
    return any_pb2.Any(type_url=detail["type"], value=encode(build(cls, detail["value"])))
