"""Messages as trees for cassettes: equal messages come back, whatever is in them."""

from __future__ import annotations

import base64
import json
from typing import Any

import msgpack
import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from strategies_terraform import messages, packed

from mockprovider.errors import MalformedError
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.recorded.trees import build, tree

NAMES = (
    "ApplyResourceChange.Response",
    "CloseEphemeralResource.Request",
    "GetProviderSchema.Response",
    "ImportResourceState.Response",
    "OpenEphemeralResource.Response",
    "PlanResourceChange.Request",
    "PlanResourceChange.Response",
)


def kept(message: Message) -> Any:
    """The tree as a cassette gives it back: through JSON, with sorted keys."""
    return json.loads(json.dumps(tree(message), sort_keys=True, allow_nan=False))


def new(name: str, **fields: Any) -> Any:
    return protocol(6).message(name)(**fields)


@given(st.sampled_from(NAMES).flatmap(messages))
def test_messages_come_back(message: Message) -> None:
    """Any message, with unset, empty and unknown fields, is equal to what its tree builds, down to the bytes."""
    again = build(kept(message), type(message))
    assert again == message
    assert again.SerializeToString(deterministic=True) == message.SerializeToString(deterministic=True)


@given(packed)
def test_dynamic_values_come_back(value: Any) -> None:
    """The msgpack of any value, however it was packed, comes back byte for byte."""
    for options in ({}, {"use_single_float": True}, {"use_bin_type": False}):
        data = _packed(value, options)
        if data is not None:
            message = new("DynamicValue", msgpack=data)
            assert build(kept(message), type(message)) == message


def _packed(value: Any, options: dict[str, bool]) -> bytes | None:
    try:
        return bytes(msgpack.packb(value, **options))
    except OverflowError:  # no single float holds it
        return None


def test_dynamic_values_are_readable() -> None:
    """A value is shown decoded, unknowns and bytes as marked objects."""
    value = {"b": [1, 2.5, None, True], "a": msgpack.ExtType(0, b"\0"), "c": msgpack.ExtType(12, b"\x81\x01\xc2")}
    message = new("DynamicValue", msgpack=msgpack.packb(dict(sorted({**value, "d": [b'"string"', "x"]}.items()))))
    assert tree(message) == {
        "msgpack": {
            "a": {"$unknown": ""},
            "b": [1, 2.5, None, True],
            "c": {"$unknown": "gQHC"},
            "d": [{"$bytes": "InN0cmluZyI="}, "x"],
        }
    }


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (msgpack.packb({"b": 1, "a": 2}), {"a": 2, "b": 1}),
        (b"\xd9\x01a", "a"),
        (b"\xca\x3f\x80\x00\x00", 1.0),
    ],
)
def test_what_would_change_keeps_its_bytes(data: bytes, shown: Any) -> None:
    """Where the shown value would be packed otherwise (unsorted keys, a longer form), the bytes are kept beside it."""
    message = new("DynamicValue", msgpack=data)
    assert tree(message)["msgpack"]["shown"] == shown
    assert build(kept(message), type(message)) == message


@pytest.mark.parametrize("data", [b"\xc1", b"\x81\x01\x02", msgpack.packb({"$unknown": ""}), msgpack.packb(float("inf"))])
def test_what_json_cannot_say_is_kept_as_bytes(data: bytes) -> None:
    """What is no msgpack, or would be mistaken for one of our markers, is bytes alone."""
    message = new("DynamicValue", msgpack=data)
    assert set(tree(message)["msgpack"]) == {"$msgpack"}
    assert build(kept(message), type(message)) == message


def test_unset_and_empty_differ() -> None:
    """An absent DynamicValue, an empty one and one that holds a null are three different trees."""
    absent, empty = new("ReadResource.Response"), new("ReadResource.Response")
    null: Any = new("ReadResource.Response")
    empty.new_state.SetInParent()
    null.new_state.msgpack = b"\xc0"
    assert [tree(each) for each in (absent, empty, null)] == [{}, {"new_state": {}}, {"new_state": {"msgpack": None}}]


def test_private_bytes_are_text_where_they_are_text() -> None:
    """Providers keep JSON in their private bytes; what is no text is base64."""
    assert tree(new("ReadResource.Response", private=b'{"a":1}')) == {"private": '{"a":1}'}
    assert tree(new("ReadResource.Response", private=b"\x00\xff")) == {"private": {"$bytes": "AP8="}}


def test_states_are_shown_as_json() -> None:
    """A raw state comes back equal as JSON; its indentation and the order of its keys do not matter."""
    message: Any = new("UpgradeResourceState.Request")
    message.raw_state.json = b'{\n  "b": 1,\n  "a": 0.1\n}'
    assert tree(message) == {"raw_state": {"json": {"a": 0.1, "b": 1}}}
    again: Any = build(kept(message), type(message))
    assert json.loads(again.raw_state.json) == json.loads(message.raw_state.json)


@pytest.mark.parametrize(
    "text",
    [
        b"{",
        b"\xff",
        b"12345678901234567890123",
        b"0.10000000000000000000001",
        b'{"a":1,"a":2}',
        b"NaN",
        b'{"$bytes":1}',
        b"1e999",
    ],
)
def test_states_that_json_would_change_are_kept_as_bytes(text: bytes) -> None:
    """Numbers that no float holds, doubled keys and what is no JSON come back as they were."""
    message: Any = new("RawState", json=text)
    assert set(tree(message)["json"]) == {"$bytes"}
    assert build(kept(message), type(message)) == message


@pytest.mark.parametrize(
    ("text", "opened"),
    [
        (b"18446744073709551615", True),
        (b"18446744073709551616", False),
        (b"-9223372036854775808", True),
        (b"-9223372036854775809", False),
        (b"0.1", True),
        (b"1.50", True),
        (b"null", True),
        (b"Infinity", False),
        (b'[{"$bytes":1}]', True),
        (b'{"$byte":1}', True),
        (b"", False),
    ],
)
def test_which_states_are_opened(text: bytes, opened: bool) -> None:
    """Numbers of 64 bits and floats that say the same are opened, and so is what is a marker at the top alone."""
    shown = tree(new("RawState", json=text)).get("json", {"$bytes": ""})
    assert shown == (json.loads(text) if opened else {"$bytes": base64.b64encode(text).decode()})


@pytest.mark.parametrize(
    ("text", "opened"),
    [(b'{"a":[1,"\xc3\xa9"]}', True), (b'{"a": 1}', False), (b'{"b":1,"a":2}', False), (b'"\\u00e9"', False)],
)
def test_json_beside_msgpack_keeps_its_bytes(text: bytes, opened: bool) -> None:
    """In a DynamicValue JSON is opened only where writing it again gives the same bytes."""
    message: Any = new("DynamicValue", json=text)
    assert tree(message) == {"json": json.loads(text) if opened else {"$bytes": base64.b64encode(text).decode()}}
    assert build(kept(message), type(message)) == message


@pytest.mark.parametrize(
    "value",
    [
        {"a": {"$b": 1}},
        [{"": 1, "$": 2}],
        {"a": [float("-inf")]},
        {"a": float("nan")},
    ],
)
def test_what_would_be_a_marker_inside_is_kept_as_bytes(value: Any) -> None:
    """Keys with a dollar sign in front and numbers that JSON lacks are no tree, however deep they are."""
    message = new("DynamicValue", msgpack=msgpack.packb(value))
    assert tree(message) == {"msgpack": {"$msgpack": base64.b64encode(msgpack.packb(value)).decode()}}
    assert build(kept(message), type(message)) == message


def test_the_other_places_of_a_dollar_sign_say_nothing() -> None:
    """A key with a dollar sign further on, and an empty key, are keys."""
    assert tree(new("DynamicValue", msgpack=msgpack.packb({"": 1, "a$": 2}))) == {"msgpack": {"": 1, "a$": 2}}


@pytest.mark.parametrize(("data", "shown"), [(b"caf\xc3\xa9", "caf\u00e9"), (b"a\n", {"$bytes": "YQo="}), (b"", "")])
def test_what_counts_as_text(data: bytes, shown: Any) -> None:
    """Bytes that can be printed on one line are text."""
    message: Any = new("CloseEphemeralResource.Request", private=data)
    assert tree(message) == {"private": shown}
    assert build(kept(message), type(message)) == message


def test_enumerations_are_named() -> None:
    """A number that has a name is shown by it; one that has none stays a number."""
    message: Any = new("ReadResource.Response")
    message.diagnostics.add(severity=1, summary="x")
    message.diagnostics.add(severity=7)
    assert tree(message) == {"diagnostics": [{"severity": "ERROR", "summary": "x"}, {"severity": 7}]}
    assert build(kept(message), type(message)) == message


def test_unknown_fields_are_kept() -> None:
    """Fields of a newer protocol travel along, of every wire type and inside nested messages."""
    every_wire_type = (
        b"\xb8\x3e\x96\x01" + b"\xb9\x3e12345678" + b"\xba\x3e\x02ab" + b"\xbb\x3e\xb8\x3e\x01\xbc\x3e" + b"\xbd\x3e1234"
    )
    message: Any = new("ReadResource.Response")
    message.deferred.MergeFromString(every_wire_type)
    again = build(kept(message), type(message))
    assert again.SerializeToString() == message.SerializeToString()


@pytest.mark.parametrize("size", [0, 1, 127, 128, 300, 20000])
def test_unknown_fields_of_any_size(size: int) -> None:
    """Lengths and numbers are written as protobuf does, seven bits a byte; what is shown is the wire itself."""
    length = (
        bytes([size])
        if size < 128
        else bytes([size & 0x7F | 0x80, *([size >> 7] if size < 2**14 else [size >> 7 & 0x7F | 0x80, size >> 14])])
    )
    wire = b"\xba\x3e" + length + b"x" * size + b"\xb8\x3e" + length
    message: Any = new("Deferred", reason=1)
    message.MergeFromString(wire)
    assert tree(message) == {"reason": "RESOURCE_CONFIG_UNKNOWN", "$unknown_fields": base64.b64encode(wire).decode()}
    assert build(kept(message), type(message)).SerializeToString() == message.SerializeToString()


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ({"stat": {}}, "tfplugin6.ReadResource.Response has no field 'stat'"),
        ([], "an object is needed"),
        ({"new_state": 3}, "an object is needed"),
        ({"diagnostics": [{"severity": "BAD"}]}, r"severity: 'BAD' cannot be read"),
        ({"diagnostics": 3}, r"diagnostics: 3 cannot be read"),
        ({"private": {"text": "x"}}, r"private: \{'text': 'x'\} cannot be read"),
        ({"new_state": {"msgpack": {"$msgpack": 3}}}, "msgpack: .* cannot be read"),
    ],
)
def test_other_trees_are_refused(tree: Any, message: str) -> None:
    """A tree that no message gives, a hand's mistake perhaps, is an error that names the field."""
    with pytest.raises(MalformedError, match=message):
        build(tree, protocol(6).message("ReadResource.Response"))
