"""Messages that calls and replies have as structs with the same fields, and List's stream of them (reference 2.16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.message import Message
from msgspec import Struct
from msgspec.structs import asdict

from mockprovider.calls import Call, Op, Reply
from mockprovider.payloads import (
    ListComputed,
    ListContinues,
    Listed,
    ListedObject,
    NamingOptions,
    ParameterArgs,
    ParameterValue,
)
from mockprovider.pulumi.errors import raise_failures
from mockprovider.pulumi.sdk import provider_pb2

STRUCTS: Mapping[str, type[Struct]] = {
    "CheckRequest.AutonamingOptions": NamingOptions,
    "ParameterizeRequest.ParametersArgs": ParameterArgs,
    "ParameterizeRequest.ParametersValue": ParameterValue,
}
"""The structs by the message's name in the package ``pulumirpc``."""

ANSWERS: Mapping[str, type[Listed]] = {"result": ListedObject, "computed": ListComputed, "continuation": ListContinues}
"""The variants of a ``ListResponse``."""


def struct_of(descriptor: Any) -> type[Struct] | None:
    """The struct of a message type; ``None`` for types that have none."""
    return STRUCTS.get(descriptor.full_name.removeprefix("pulumirpc.")) if descriptor is not None else None


def read(message: Message, kind: type[Struct]) -> Any:
    """The struct of a message. Fields of newer engines are left out."""
    fields = {field.name: tuple(value) if field.is_repeated else value for field, value in message.ListFields()}
    return kind(**{name: value for name, value in fields.items() if name in kind.__struct_fields__})


def write(message: Message, struct: Struct) -> None:
    """Fill ``message`` from ``struct``."""
    message.SetInParent()
    for name, value in asdict(struct).items():
        getattr(message, name).extend(value) if isinstance(value, tuple) else setattr(message, name, value)


def list_replies(messages: Sequence[Any], call: Call) -> Reply:  # noqa: ARG001 - a row's signature
    """The reply of List, from the messages of its stream."""
    said = [(message, message.WhichOneof("response")) for message in messages]
    return Reply(listed=tuple(read(getattr(message, name), ANSWERS[name]) for message, name in said if name))


def list_responses(reply: Reply, call: Call) -> list[Message]:
    """The messages of List's stream. Raises ``StatusError`` for a failure."""
    raise_failures(reply, call, provider_pb2.ListResponse())
    return [_listed(answer) for answer in reply.listed]


def _listed(answer: Listed) -> Message:
    message = provider_pb2.ListResponse()
    name = next(name for name, kind in ANSWERS.items() if isinstance(answer, kind))
    write(getattr(message, name), answer)
    return message


STREAMS: Mapping[Op, Mapping[str, Any]] = {Op.LIST: {"replies": list_replies, "responses": list_responses}}
"""The functions of a row whose RPC answers with a stream."""
