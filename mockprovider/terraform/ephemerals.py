"""Ephemeral resources: opened, renewed and closed, known in between by the private bytes of their opening alone."""

from __future__ import annotations

import time
from typing import Any

from google.protobuf.message import Message

from mockprovider.calls import Call, Reply
from mockprovider.terraform import replies
from mockprovider.terraform.requests import Shape, codec

RENEW_AFTER = "renew_after"
"""The key of ``Reply.extra`` that holds the seconds after which an ephemeral resource wants to be renewed."""


def open_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:
    """What was opened: the arguments with what the provider answered, and when to renew it."""
    coder = codec(call.session, shape.of, call.type)
    message = replies.answer(cls, reply, coder)
    if reply.value is not None:
        message.result.msgpack = coder.encode(replies.answered(call, reply.value, coder), like=replies.request_of(call))
    return _lasting(message, reply)


def renew_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:
    """That it lasts, and until when."""
    return _lasting(replies.answer(cls, reply, codec(call.session, shape.of, call.type)), reply)


def _lasting(message: Any, reply: Reply) -> Any:
    if reply.private:
        message.private = reply.private
    after = reply.extra.get(RENEW_AFTER)
    if after is not None:
        # The engine compares this with the clock on the wall, and waits by it.
        message.renew_at.FromNanoseconds(time.time_ns() + int(after * 1e9))
    return message


def lasting_reply(shape: Shape, message: Any, call: Call) -> Reply:
    """The reply to an opening or a renewal. When it is due is told as the seconds that are left."""
    reply = replies.to_reply(shape, message, call)
    reply.private = message.private
    if message.HasField("renew_at"):
        reply.extra = {RENEW_AFTER: (message.renew_at.ToNanoseconds() - time.time_ns()) / 1e9}
    return reply
