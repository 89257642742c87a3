"""Messages that say one of several things, in neutral words: Parameterize's request and List's answers (2.2, 2.16)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from google.protobuf.message import Message
from pulumi.runtime.proto import provider_pb2

from mockprovider.calls import Call, Op, Reply
from mockprovider.pulumi.errors import raise_failures
from mockprovider.wire.trees import build, tree

LISTED = "listed"
"""Where a reply has List's messages: ``{"result": {"id", "name"}}``, ``{"computed": {}}`` or ``{"continuation": {...}}``."""


def plain(extra: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a request, each message among them as a dict of its own fields, lists as tuples."""
    return {name: _fields(value) if isinstance(value, Message) else value for name, value in extra.items()}


def _fields(message: Message) -> dict[str, Any]:
    return {field.name: tuple(value) if field.is_repeated else value for field, value in message.ListFields()}


def list_replies(messages: Sequence[Any], call: Call) -> Reply:  # noqa: ARG001 - a row's signature
    """The reply of List, from the messages of its stream."""
    return Reply(extra={LISTED: tuple(tree(each) for each in messages)})


def list_responses(reply: Reply, call: Call) -> list[Message]:
    """The messages of List's stream. Raises ``StatusError`` where it is to fail."""
    raise_failures(reply, call, provider_pb2.ListResponse())
    return [build(provider_pb2.ListResponse, each) for each in reply.extra.get(LISTED, ())]


PLAIN: Mapping[Op, Callable[[Mapping[str, Any]], dict[str, Any]]] = {Op.PARAMETERIZE: plain, Op.CHECK: plain}
"""How the fields of a request that are no words of a call are read."""

STREAMS: Mapping[Op, Mapping[str, Any]] = {Op.LIST: {"replies": list_replies, "responses": list_responses}}
"""What a row has for an RPC that answers with a stream."""
