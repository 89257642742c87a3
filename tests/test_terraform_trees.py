"""Messages as trees for cassettes: equal messages come back, whatever is in them."""

from __future__ import annotations

import base64
import json
from functools import partial
from random import Random
from typing import Any

import msgpack
import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from strategies_terraform import known_values, messages, packed, typed_values

from mockprovider.errors import MalformedError
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.recorded.trees import build, respelled, tree
from mockprovider.terraform.values import packing
from mockprovider.terraform.values.types import Type

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
    """The msgpack of any value, however it was packed, comes back as what an engine takes for the same."""
    for options in ({}, {"use_single_float": True}, {"use_bin_type": False}):
        data = _packed(value, options)
        if data is not None:
            message = new("DynamicValue", msgpack=data)
            again: Any = build(kept(message), type(message))
            assert again == message or packing.unpack_any(again.msgpack) == packing.unpack_any(data)
            assert tree(again) == tree(message)


def _packed(value: Any, options: dict[str, bool]) -> bytes | None:
    try:
        return bytes(msgpack.packb(value, **options))
    except OverflowError:  # no single float holds it
        return None


def carelessly(value: Any, random: Random) -> bytes:
    """The msgpack of a packable value as some provider might write it: keys in any order, numbers of any width and kind."""
    pack = partial(carelessly, random=random)
    if isinstance(value, dict):
        pairs = [pack(key) + pack(item) for key, item in value.items()]
        return b"\xdf" + len(pairs).to_bytes(4, "big") + b"".join(random.sample(pairs, len(pairs)))
    if isinstance(value, list):
        return b"\xdc" + len(value).to_bytes(2, "big") + b"".join(map(pack, value))
    if isinstance(value, str):
        return b"\xdb" + len(value.encode()).to_bytes(4, "big") + value.encode()
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53 and random.random() < 0.5:
        return bytes(msgpack.packb(float(value)))
    return bytes(msgpack.packb(value)) if type(value) is not int else wide(value)


def wide(value: int) -> bytes:
    """A whole number in nine bytes."""
    return b"\xd3" + value.to_bytes(8, "big", signed=True)


@given(known_values | typed_values, st.randoms(use_true_random=False))
def test_equal_values_have_equal_trees(typed: tuple[Type, Any], random: Random) -> None:
    """However a provider packs a value, its tree is the same data, and what is restored is the same value to an engine."""
    declared, value = typed
    plain = packing.encode(value, declared)
    careful, careless = packing.packed(plain), carelessly(plain, random)
    shown = tree(new("DynamicValue", msgpack=careful))
    assert tree(new("DynamicValue", msgpack=careless)) == shown
    assert "$msgpack" not in json.dumps(shown)
    again: Any = build(kept(new("DynamicValue", msgpack=careless)), type(new("DynamicValue")))
    assert packing.unpack(again.msgpack, declared) == packing.unpack(careful, declared)


def test_dynamic_values_are_readable() -> None:
    """A value is shown decoded, unknowns and bytes as marked objects."""
    value = {"b": [1, 2.5, None, True], "a": msgpack.ExtType(0, b"\0"), "c": msgpack.ExtType(12, b"\x81\x01\xc2")}
    message = new("DynamicValue", msgpack=msgpack.packb(dict(sorted({**value, "d": [b'"string"', "x"]}.items()))))
    assert tree(message) == {
        "msgpack": {
            "a": {"$unknown": ""},
            "b": [1, 2.5, None, True],
            "c": {"$unknown": {"null": False}},
            "d": [{"$bytes": "InN0cmluZyI="}, "x"],
        }
    }


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (msgpack.packb({"b": {"z": 1, "y": 2}, "a": 2}), {"a": 2, "b": {"y": 2, "z": 1}}),
        (b"\xd9\x01a", "a"),
        (b"\xca\x3f\x80\x00\x00", 1),
        (b"\xcb\xbf\xf0\0\0\0\0\0\0", -1),
        (msgpack.packb(-0.0), -0.0),
        (msgpack.packb(1e300), 1e300),
        (b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff", 2**64 - 1),
        (b"\xd1\0\x05", 5),
        (msgpack.packb({b"key": 1}), {"key": 1}),
        (b"\xc7\x00\x05", {"$unknown": ""}),
        (b"\xd4\x07\x01", {"$unknown": ""}),
    ],
)
def test_what_has_no_meaning_is_not_kept(data: bytes, shown: Any) -> None:
    """The order of keys, the width of a number and the form of a key are the packer's: they are data all the same."""
    message = new("DynamicValue", msgpack=data)
    assert json.dumps(tree(message)["msgpack"]) == json.dumps(shown)
    again: Any = build(kept(message), type(message))
    assert tree(again) == tree(message)


@pytest.mark.parametrize(
    "data",
    [
        b"\xc1",
        b"\x81\x01\x02",
        b"\x81\x91\x01\x02",
        b"\x82\xa1a\x01\xa1a\x01",
        b"\x82\xa1a\x01\xc4\x01a\x01",
        b"\x81\xc4\x01\xff\x01",
        b"\xc0\xc0",
        b"\xd5\x07ab",
        b"\xd6\xff\0\0\0\x01",
        b"\xa1\xff",
        msgpack.packb({"$unknown": ""}),
        msgpack.packb(float("inf")),
    ],
)
def test_what_json_cannot_say_is_kept_as_bytes(data: bytes) -> None:
    """What engines refuse, what is no msgpack, and what would be mistaken for one of our markers is bytes alone."""
    message = new("DynamicValue", msgpack=data)
    assert tree(message) == {"msgpack": {"$msgpack": base64.b64encode(data).decode()}}
    assert build(kept(message), type(message)) == message


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ({1: False, 2: "TEP"}, {"null": False, "prefix": "TEP"}),
        ({2: "TEP", 1: True}, {"null": True, "prefix": "TEP"}),
        ({3: [1, True], 4: [2.5, False]}, {"min": 1, "below": 2.5}),
        ({3: ["123456789012345678901234567890", False], 4: [7.0, True]}, {"above": "123456789012345678901234567890", "max": 7}),
        ({5: 1, 6: 3}, {"min_length": 1, "max_length": 3}),
    ],
)
def test_what_is_known_of_an_unknown_is_shown(said: Any, shown: Any) -> None:
    """Refinements are data, whatever their order on the wire, and come back for the engine."""
    message: Any = new("DynamicValue", msgpack=msgpack.packb([msgpack.ExtType(12, msgpack.packb(said))]))
    assert tree(message) == {"msgpack": [{"$unknown": shown}]}
    again: Any = build(kept(message), type(message))
    (restored,) = msgpack.unpackb(again.msgpack)
    assert restored.code == 12
    assert msgpack.unpackb(restored.data, strict_map_key=False) == said


@pytest.mark.parametrize(
    "payload",
    [
        b"\x81\x01",
        b"\x81\x01\xc2\xc0",
        b"\x82\x01\xc2\x01\xc2",
        b"\x81\x09\xc2",
        b"\x81\xc3\xc2",
        b"\x81\x01\x01",
        b"\x81\x03\x91\x01",
        b"\x81\x03\x92\xa1x\x01",
        b"\x81\x03\x92\xc3\xc3",
        b"\x81\x03\x92\xcb\x7f\xf0\0\0\0\0\0\0\xc3",
        b"\x82\x03\x92\x01\xc3\x03\x92\x01\xc2",
        b"\x92\x01\x02",
        b"\x92\x92\x01\xc2\x92\x01\xc2",
        b"\xc0\xc0",
        b"\x80\x00",
    ],
)
def test_refinements_that_nobody_knows_keep_their_bytes(payload: bytes) -> None:
    """What a later version may say of an unknown, and what is broken, comes back as it was."""
    message: Any = new("DynamicValue", msgpack=msgpack.packb(msgpack.ExtType(12, payload)))
    assert tree(message) == {"msgpack": {"$unknown": base64.b64encode(payload).decode()}}
    assert build(kept(message), type(message)) == message


@pytest.mark.parametrize("said", [{}, {"prefix": 3}, {"min": 1, "above": 1}, {"later": True}, {"min": None}, {"null": 1}])
def test_refinements_that_say_nothing_are_refused(said: Any) -> None:
    """Words of refinements that only a hand could have written are an error that names the field."""
    with pytest.raises(MalformedError, match="msgpack: "):
        build({"msgpack": {"$unknown": said}}, type(new("DynamicValue")))


def test_older_trees_are_read_in_todays_words() -> None:
    """What an older version kept as bytes, a map in Go's order or a refinement, is data; what has no better form stays."""
    older = {
        "a": [{"$msgpack": base64.b64encode(msgpack.packb({"b": 1, "a": 2})).decode(), "shown": {"a": 2, "b": 1}}],
        "b": {"$unknown": "ggHCAqZ7InRlYSI="},
        "c": [{"$unknown": ""}, {"$unknown": {"null": False}}, {"$msgpack": "wQ=="}, {"$msgpack": {"$secret": 1}}, "x", 1],
        "d": {"$msgpack": "x"},
        "e": {"$unknown": "x"},
    }
    assert respelled(older) == {
        **older,
        "a": [{"a": 2, "b": 1}],
        "b": {"$unknown": {"null": False, "prefix": '{"tea"'}},
    }


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
    [(b'{"a":[1,"\xc3\xa9"]}', True), (b'{"b": 1, "a":2}', True), (b'{"a":1,"a":1}', False), (b'"\\u00e9"', True)],
)
def test_json_beside_msgpack_is_opened(text: bytes, opened: bool) -> None:
    """In a DynamicValue JSON is data, too, unless that would lose something."""
    message: Any = new("DynamicValue", json=text)
    assert tree(message) == {"json": json.loads(text) if opened else {"$bytes": base64.b64encode(text).decode()}}
    assert json.loads(build(kept(message), type(message)).json) == json.loads(text)


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
