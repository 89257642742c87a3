"""Ephemeral resources: open, renew and close. Between these calls the private bytes of the open answer identify one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.message import Message

from mockprovider.calls import Call, Reply
from mockprovider.errors import MalformedError
from mockprovider.terraform.rpcs import replies
from mockprovider.terraform.rpcs.requests import Shape, codec
from mockprovider.wire.machine import wall_ns

DUE, AFTER = "renew_at", "after_seconds"
"""The answer's field for the renewal time, and what it holds in a cassette: seconds after the answer, to the millisecond."""

NANOSECONDS = 10**9


def open_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:
    """The opened object (arguments and the provider's values), and when to renew it."""
    coder = codec(call.session, shape.of, call.type)
    message = replies.answer(cls, reply, coder)
    if reply.value is not None:
        message.result.msgpack = coder.encode(replies.answered(call, reply.value, coder), like=replies.request_of(call))
    return _lasting(message, reply)


def renew_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:
    """The time of the next renewal."""
    return _lasting(replies.answer(cls, reply, codec(call.session, shape.of, call.type)), reply)


def _lasting(message: Any, reply: Reply) -> Any:
    if reply.private:
        message.private = reply.private
    if reply.renew_after is not None:
        # Engines schedule the renewal by the wall clock of their own processes, whatever a test has frozen.
        message.renew_at.FromNanoseconds(_from_now(reply.renew_after))
    return message


def _from_now(seconds: float) -> int:
    return wall_ns() + int(seconds * NANOSECONDS)


def _left(message: Any) -> float:
    return float(message.renew_at.ToNanoseconds() - wall_ns()) / NANOSECONDS


def lasting_reply(shape: Shape, message: Any, call: Call) -> Reply:
    """The reply to an open or a renew; ``renew_after`` is the number of seconds left."""
    reply = replies.to_reply(shape, message, call)
    reply.private = message.private
    if message.HasField("renew_at"):
        reply.renew_after = _left(message)
    return reply


def undated(message: Any, shown: dict[str, Any]) -> dict[str, Any]:
    """An answer's tree with a relative renewal time, so that an engine waits as long on replay as it did while recording."""
    if DUE not in message.DESCRIPTOR.fields_by_name or not message.HasField(DUE):
        return shown
    return {**shown, DUE: {AFTER: round(_left(message), 3)}}


def dated(kept: Mapping[str, Any]) -> Mapping[str, Any]:
    """A recorded tree with the renewal time counted from now. Raises ``MalformedError`` if its seconds are no number."""
    due = kept.get(DUE)
    if not isinstance(due, Mapping) or AFTER not in due:
        return kept
    if not isinstance(due[AFTER], (int, float)):
        raise MalformedError(f"{DUE}.{AFTER}: a number of seconds is needed, this is {due[AFTER]!r}.")
    seconds, nanos = divmod(_from_now(due[AFTER]), NANOSECONDS)
    return {**kept, DUE: {"seconds": seconds, "nanos": nanos}}
