"""Replies and messages that are read when somebody asks: like any other to whoever looks at them."""

from __future__ import annotations

import copy
import pickle

from google.protobuf import struct_pb2
from msgspec.structs import replace

from mockprovider.calls import Native, Reply, Status
from mockprovider.layers import unchecked
from mockprovider.wire.late import SAYING, LateNative, late_reply

WHOLE = Reply(id="i-1", value={"acl": "private"}, warnings=("soon",), extra={"more": 1})
NATIVE = Native(b"bytes", "message")


def late(times: list[str] | None = None) -> Reply:
    """A late reply; ``times`` is told of each reading."""

    def reading() -> Reply:
        if times is not None:
            times.append("read")
        return copy.deepcopy(WHOLE)

    return late_reply(NATIVE, reading)


def test_it_is_read_once_and_only_if_somebody_asks() -> None:
    """What it travels as costs no reading; the first of its other fields costs one, and gives all."""
    times: list[str] = []
    reply = late(times)
    assert (reply.native, reply.message, reply.status, reply.stream, reply.delivery) == (NATIVE, NATIVE, None, None, None)
    assert (reply.unchecked, reply.made_up, times) == (False, False, [])
    assert [getattr(reply, name) for name in SAYING] == [getattr(WHOLE, name) for name in SAYING]
    assert (reply.ok, reply.partial, reply.parts, times) == (True, False, WHOLE.parts, ["read"])


def test_what_is_set_stays() -> None:
    """A field that is set before the reading keeps its value, and the others are read."""
    reply = late()
    reply.id = "mine"
    assert (reply.id, reply.value) == ("mine", WHOLE.value)
    changed = replace(late(), value=None, native=None)
    assert (changed.value, changed.id, changed.native) == (None, "i-1", None)
    assert replace(late(), status=Status(5)).status == Status(5)


def test_a_layer_that_marks_it_reads_nothing() -> None:
    """A changed copy is as late as it was, and reads for itself."""
    times: list[str] = []
    marked = unchecked(late(times))
    assert (marked.unchecked, times) == (True, [])
    assert (marked.id, times) == ("i-1", ["read"])


def test_it_equals_a_reply() -> None:
    """It equals a reply of the same fields, from either side, shows itself as one, and is one when it is copied or kept."""
    whole = replace(WHOLE, native=NATIVE)
    assert late() == whole
    assert whole == late()
    assert late() == late()
    assert late() != replace(whole, id="other")
    assert late() != "reply"
    assert repr(late()) == repr(whole)
    assert pickle.loads(pickle.dumps(late())) == whole
    assert copy.copy(late()) == copy.deepcopy(late()) == whole


def test_a_message_is_decoded_when_it_is_asked_for() -> None:
    """Each late message is one of its own, equal to what its bytes say, and equal to one that is there at once."""
    message = struct_pb2.Value(string_value="a")
    data = message.SerializeToString()
    native, other = LateNative(data, struct_pb2.Value), LateNative(data, struct_pb2.Value)
    assert (native.data, native.message, native.parts) == (data, message, ())
    assert native.message is native.message
    assert native.message is not other.message
    assert native == other == Native(data, message)
    assert Native(data, message) == native
    assert native != Native(b"", message)
    assert repr(native) == repr(Native(data, message))
    assert copy.deepcopy(LateNative(data, struct_pb2.Value)) == native
