"""Messages that are nested too deeply are refused before they are parsed, wherever they come from."""

from __future__ import annotations

import base64
from collections.abc import Callable

import grpc
import pytest
from builders import URN, call
from pulumi.runtime.proto import provider_pb2
from wire_toolbox import Wire

from mockprovider.calls import Native, Op, Reply
from mockprovider.errors import MalformedError
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.wire.client import Client
from mockprovider.wire.depth import DEEPEST, SMALLEST, check_depth
from mockprovider.wire.trees import RAW, build


def varint(number: int) -> bytes:
    """A number on the wire."""
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def field(number: int, data: bytes, kind: int = 2) -> bytes:
    """A field of a message."""
    return varint(number << 3 | kind) + varint(len(data)) + data


def lists(value: bytes) -> bytes:
    """A Value that is a list of this one."""
    return field(6, field(1, value))


def objects(value: bytes) -> bytes:
    """A Value that is an object with this one."""
    return field(5, field(1, field(1, b"k") + field(2, value)))


def padded(value: bytes) -> bytes:
    """A list whose tags and lengths are longer than they need to be, and whose first item is large and flat."""
    item = field(3, b"x" * 700)
    content = field(1, item) + b"\x8a\x00" + varint(len(value)) + value
    return b"\xb2\x00" + varint(len(content)) + content


def request(wrap: Callable[[bytes], bytes], depth: int) -> bytes:
    """A Create with one property of so many levels."""
    value = field(3, b"x")
    for _ in range(depth):
        value = wrap(value)
    return field(1, URN.encode()) + field(2, field(1, field(1, b"any") + field(2, value)))


def checked(data: bytes) -> None:
    check_depth(data, provider_pb2.CreateRequest.DESCRIPTOR, "Create")


@pytest.mark.parametrize(("wrap", "levels"), [(lists, 2), (objects, 3), (padded, 2)])
def test_the_limit(wrap: Callable[[bytes], bytes], levels: int) -> None:
    """As many levels as are allowed are parsed, and one more is refused, whatever they are made of."""
    most = (DEEPEST - 3) // levels
    checked(request(wrap, most))
    assert provider_pb2.CreateRequest.FromString(request(wrap, most)).urn == URN
    for depth in (most + 1, 10 * most):
        with pytest.raises(MalformedError, match=f"Create: this message is nested more than {DEEPEST} levels deep"):
            checked(request(wrap, depth))


def test_what_is_broken_is_left_to_the_parser() -> None:
    """Bytes that are no message are not refused here, and hide nothing that comes before them."""
    for data in (b"\xff" * 1000, b"\x0f" * 1000, b"\x0a\xff\xff\xff\x7f" + b"\x00" * 1000, field(2, b"\xff" * 1000)):
        checked(data)
    with pytest.raises(MalformedError):
        checked(request(lists, 5000) + b"\xff" * 20)


def test_groups() -> None:
    """Groups, which no protocol has and through which parsers recurse, are refused where there is room for many."""
    checked(b"\x9b\x06" * 10)
    with pytest.raises(MalformedError):
        checked(b"\x9b\x06" * 20_000)


def test_a_large_flat_message() -> None:
    """A large message that is flat is none of these."""
    message = provider_pb2.CreateRequest()
    for number in range(2000):
        message.properties.fields[f"{number}"].string_value = "x" * DEEPEST * SMALLEST * 2
    checked(message.SerializeToString())


def test_a_schema_of_blocks() -> None:
    """Terraform's schemas are nested, too."""
    block = b""
    for _ in range(DEEPEST):
        block = field(3, field(1, b"b") + field(2, block))
    with pytest.raises(MalformedError):
        check_depth(field(1, field(2, block)), SERVICES[6].messages["GetProviderSchema"][1].DESCRIPTOR, "GetProviderSchema")


def test_a_server_lives_on(wire: Wire) -> None:
    """A served provider answers INVALID_ARGUMENT, asks nobody, and is there for the next call."""
    heard: list[Op] = []
    served = wire.serve(lambda asked: heard.append(asked.op) or Reply(id="b-1", value={}))  # type: ignore[func-returns-value]
    connection = wire.connect(served)
    error = connection.failure("Create", request(lists, 10_000))

    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT  # type: ignore[attr-defined]
    assert connection.ask("Create", urn=URN).id == "b-1"
    assert heard == [Op.CREATE]


def test_a_providers_answer(wire: Wire) -> None:
    """A provider whose answer is nested too deeply is refused, too, and the connection to it stays."""
    deep = Native(field(1, b"b-1") + request(lists, 10_000)[len(field(1, URN.encode())) :])
    answers = [Reply(native=deep), Reply(id="b-2", value={})]
    client = Client(wire.serve(lambda _: answers.pop(0)).address, PROVIDER)
    wire.later(client.close)
    with pytest.raises(MalformedError, match="nested"):
        client(call(Op.CREATE, urn=URN, inputs={}))

    assert client(call(Op.CREATE, urn=URN, inputs={})).id == "b-2"


def test_a_recording() -> None:
    """So is a message that a cassette keeps as bytes."""
    with pytest.raises(MalformedError, match="nested"):
        build(provider_pb2.CreateRequest, {RAW: base64.b64encode(request(lists, 10_000)).decode()})
