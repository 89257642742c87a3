"""Private bytes of objects that have no attribute for their id: the fake's id travels in them, before the real provider's."""

from __future__ import annotations

from msgspec.structs import replace

from mockprovider.calls import Call, Native, Op, Reply
from mockprovider.terraform.schema.objects import ObjectSchema

MARK = b"mockprovider\0"
PRIVATE = ("prior_private", "planned_private", "private")
"""The fields of requests, and of answers, that hold private bytes."""


class Keeping:
    """One call about such an object: ``call`` is what is meant by it, and ``kept`` makes its answer hold the id.

    Any other call stays as it is.
    """

    def __init__(self, coder: ObjectSchema | None, call: Call) -> None:
        self._keeps = coder is not None and not coder.keeps_id
        self.call = call
        if self._keeps and call.op is not Op.IMPORT:
            id_, private = opened(call.private)
            self.call = replace(call, id=id_, private=private, native=_with(call.native, private))

    def kept(self, reply: Reply) -> Reply:
        """``reply`` with private bytes that hold the object's id."""
        if not self._keeps or self.call.op is Op.DELETE:
            return reply
        private = sealed(reply.id or self.call.id, reply.private)
        return replace(reply, private=private, native=_with(reply.native, private))


def sealed(id_: str, private: bytes) -> bytes:
    """The bytes that an engine keeps."""
    return b"".join((MARK, id_.encode(), b"\0", private))


def opened(private: bytes) -> tuple[str, bytes]:
    """The id and the real provider's bytes in them. Bytes of a fake without a real provider are an id."""
    if not private.startswith(MARK):
        return private.decode(errors="replace"), b""
    id_, _, rest = private.removeprefix(MARK).partition(b"\0")
    return id_.decode(errors="replace"), rest


def _with(native: Native | None, private: bytes) -> Native | None:
    """The message with other private bytes."""
    if native is None:
        return None
    fields = native.message.DESCRIPTOR.fields_by_name
    named = next((name for name in PRIVATE if name in fields), None)
    if named is None:
        return native
    message = type(native.message).FromString(native.data)
    setattr(message, named, private)
    return Native(message.SerializeToString(deterministic=True), message)
