"""Terraform's calls and replies as the views that cassettes keep, and back."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterator
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from mockprovider.calls import Call, Native, Op, Reply, Status
from mockprovider.terraform.recorded.views import build, view
from mockprovider.terraform.rpcs.ephemerals import dated, undated
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.wire.methods import Method
from mockprovider.wire.status import StatusError, failed

CAPABILITIES = "client_capabilities"
"""What an engine says of itself: a recording serves engines of any age, so nothing is matched by it."""

CREDENTIALS = frozenset({
    *("access_key", "access_token", "api_key", "api_token", "auth_token", "client_secret", "credentials", "password"),
    *("private_key", "refresh_token", "secret", "secret_access_key", "secret_key", "session_token", "token"),
})  # fmt: skip
"""Attributes of a provider's own configuration that hold credentials by their name: few providers call them sensitive."""

RAW = "$raw"
"""Where the bytes of an RPC that we do not know are kept."""

MESSAGES = "messages"
"""Where the view of a stream, of an RPC that has no row, has the views of its messages."""


class Transcript:
    """How Terraform conversations of one major are written down: a ``cassette.Transcriber``.

    It learns from the schemas that pass by which attributes are sensitive.
    """

    def __init__(self, major: int) -> None:
        self._service = SERVICES[major]
        self._sensitive: dict[str, frozenset[str]] = {}

    def named(self, call: Call) -> Call:
        """The call with its RPC's name, which one that was made in process may lack."""
        row = None if call.method else self._row(call)
        return replace(call, method=row.name) if row else call

    def refuses(self, call: Call) -> str:
        """Why this call cannot be recorded; empty if it can."""
        row = self._row(call)
        return row.reason if row else ""

    def mutates(self, method: str) -> bool:
        """Whether the RPC changes the cloud. Of one that we do not know, nothing may be assumed."""
        row = self._service.methods.get(method)
        return row is None or row.mutates

    def type(self, call: Call) -> str:
        """The type by its Terraform name: a token is known only where the types are declared, which on replay they are not."""
        return str(getattr(self._message(call), "type_name", ""))

    def request(self, call: Call) -> dict[str, Any]:
        """The view of the call's request message."""
        message = self._message(call)
        return _raw(call.native) if message is None else view(message)

    def key(self, call: Call, request: dict[str, Any]) -> dict[str, Any]:
        """What two runs of one configuration share: nothing volatile, and nothing that the engine says of itself."""
        row = self._row(call)
        left_out = {CAPABILITIES, *(row.volatile if row else ())}
        return {name: item for name, item in request.items() if name not in left_out}

    def secrets(self, call: Call) -> Collection[str]:
        """The attributes that the provider's schema calls sensitive, in the call's type or in the provider's own block.

        In the latter also those that hold credentials by their name.
        """
        declared = self._sensitive.get(getattr(self._message(call), "type_name", ""), frozenset())
        return declared | CREDENTIALS if call.op in (Op.CHECK_CONFIG, Op.CONFIGURE) else declared

    def reply(self, reply: Reply, call: Call) -> dict[str, Any] | Status:
        """The view of the reply's answer message, or the status that it travels as."""
        row = self._row(call)
        if reply.stream is not None:
            return {MESSAGES: [_raw(each) for each in reply.stream]}
        if row is None:
            return _raw(reply.native)
        try:
            message = reply.native.message if reply.native else row.response(reply, call)
        except StatusError as error:
            return error.status
        self._learn(row, message)
        return undated(message, view(message))

    def restore(self, method: str, response: dict[str, Any], call: Call) -> Reply:
        """The reply of a view: the equal message, its bytes, and the decoded fields. Raises ``MalformedError`` otherwise."""
        row = self._service.methods.get(method)
        if MESSAGES in response:
            return Reply(stream=tuple(Native(base64.b64decode(each[RAW])) for each in response[MESSAGES]))
        if row is None:
            return Reply(native=Native(base64.b64decode(response[RAW])))
        message = build(dated(response), self._service.messages[method][1])
        self._learn(row, message)
        reply = row.reply(message, call)
        reply.native = Native(bytes(message.SerializeToString(deterministic=True)), message)
        return reply

    def details(self, data: bytes) -> str:
        """The bytes of a status's details: Terraform's providers put nothing there that anybody reads."""
        return base64.b64encode(data).decode()

    def pack(self, details: str) -> bytes:
        """The bytes again."""
        return base64.b64decode(details)

    def failed(self, status: Status, call: Call) -> Reply:  # noqa: ARG002 - the protocol's signature
        """The reply of an RPC that ended in ``status``."""
        return failed(status)

    def _row(self, call: Call) -> Method | None:
        return self._service.methods.get(call.method) or (None if call.op is Op.RAW else self._service.by_op(call.op))

    def _message(self, call: Call) -> Message | None:
        if call.native is not None:
            message: Message | None = call.native.message
            return message
        row = self._row(call)
        return row.request(call) if row else None

    def _learn(self, row: Method, message: Any) -> None:
        if row.op is not Op.GET_SCHEMA or "resource_schemas" not in message.DESCRIPTOR.fields_by_name:
            return
        schemas = [("", message.provider), *message.data_source_schemas.items(), *message.resource_schemas.items()]
        found: dict[str, frozenset[str]] = {}
        for name, schema in schemas:
            # A resource and a data source may share a name; what either calls sensitive counts for both.
            found[name] = found.get(name, frozenset()) | frozenset(_sensitive(schema.block))
        self._sensitive = found


def _sensitive(block: Any) -> Iterator[str]:
    """The names of a block's sensitive attributes, at every depth."""
    yield from _sensitive_attributes(block.attributes)
    for nested in block.block_types:
        yield from _sensitive(nested.block)


def _sensitive_attributes(attributes: Any) -> Iterator[str]:
    for each in attributes:
        if each.sensitive:
            yield each.name
        # Major 5 has no nested attributes.
        nested = getattr(each, "nested_type", None)
        yield from _sensitive_attributes(nested.attributes) if nested is not None else ()


def _raw(native: Native | None) -> dict[str, Any]:
    return {RAW: base64.b64encode(native.data if native else b"").decode()}
