"""Values on the wire: round trips, the engine's choices, and errors with paths."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgpack
import pytest
from hypothesis import given
from strategies_terraform import literals, numbers, packed, typed_values

from mockprovider.errors import MalformedError
from mockprovider.terraform.values.packing import Dynamic, number, pack, pack_any, unpack, unpack_any
from mockprovider.terraform.values.types import BOOL, DYNAMIC, NUMBER, STRING, Type
from mockprovider.values import UNKNOWN, Archive, Asset, Output, Secret, Unknown

STRINGS = Type("list", items=STRING)
OBJECT = Type("object", attributes={"name": STRING, "size": NUMBER})


@given(typed_values)
def test_typed_values_come_back(pair: tuple[Type, Any]) -> None:
    """A value of a type, unknowns and nulls included, is the same after packing and unpacking."""
    declared, value = pair
    assert unpack(pack(value, declared), declared) == value


@given(literals)
def test_literals_come_back_from_places_of_any_type(value: Any) -> None:
    """What travels with its type beside it comes back without being told the type."""
    assert unpack(pack(value, DYNAMIC), DYNAMIC) == value


@given(packed)
def test_untyped_values_come_back(value: Any) -> None:
    """A proxy that knows no schema repeats what it has read."""
    data = pack_any(value)
    assert pack_any(unpack_any(data)) == data


@given(numbers)
def test_numbers_keep_every_digit(value: Any) -> None:
    """A number of any size and precision is exactly itself after a round trip."""
    again = unpack(pack(value, NUMBER), NUMBER)
    assert Decimal(repr(again) if isinstance(again, float) else again) == Decimal(
        repr(value) if isinstance(value, float) else value
    )


@pytest.mark.parametrize(
    ("value", "travels"),
    [
        (1, 1),
        (2**63 - 1, 2**63 - 1),
        (2**63, "9223372036854775808"),
        (2.5, 2.5),
        (0.1, "0.1"),
        (2.0, 2),
        (Decimal("12345678901234567890"), "12345678901234567890"),
        (Decimal("1e3"), 1000),
        (float("inf"), float("inf")),
    ],
)
def test_numbers_travel_as_the_engine_sends_them(value: Any, travels: Any) -> None:
    """Integers of 64 bits, floats that are exactly what they print as, and decimal text for all others."""
    sent = msgpack.unpackb(pack(value, NUMBER))
    assert (sent, type(sent)) == (travels, type(travels))


def test_numbers_are_read_in_each_form() -> None:
    """Integers, floats and decimal text are numbers; text that a float prints alike is that float."""
    assert [number(text) for text in ("7", "0.1", "2.50", "1e2", "inf")] == [7, 0.1, 2.5, 100, float("inf")]
    assert number("0.1000000000000000055511151231257827") == Decimal("0.1000000000000000055511151231257827")


def test_unknowns_keep_their_refinement() -> None:
    """A plain unknown is three fixed bytes; a refined one is echoed with its promise, and typed by its place."""
    assert pack(UNKNOWN, STRING) == b"\xd4\x00\x00"
    refined = msgpack.packb(msgpack.ExtType(12, b"\x81\x01\xc2"))
    assert unpack(refined, STRINGS) == Unknown("array", b"\x81\x01\xc2")
    assert pack(unpack(refined, STRINGS), STRINGS) == refined
    assert unpack(msgpack.packb(msgpack.ExtType(12, b"\x01")), STRING) == UNKNOWN
    assert unpack(msgpack.packb(msgpack.Timestamp(1)), STRING) == UNKNOWN


def test_strings_are_normalised() -> None:
    """Text is in Unicode's normal form C in both directions, in values and in keys."""
    assert unpack(msgpack.packb("e\u0301"), STRING) == "\u00e9"
    assert unpack(msgpack.packb(b"text"), STRING) == "text"
    assert unpack(pack({"e\u0301": "e\u0301"}, Type("map", items=STRING)), Type("map", items=STRING)) == {"\u00e9": "\u00e9"}


def test_objects_carry_every_attribute() -> None:
    """An attribute that a bag does not have travels as a null; keys are sorted."""
    assert msgpack.unpackb(pack({"size": 1}, OBJECT)) == {"name": None, "size": 1}
    assert list(msgpack.unpackb(pack({"size": 1, "name": "x"}, OBJECT))) == ["name", "size"]
    assert unpack(b"\x80", OBJECT) == {}


def test_dynamic_values_can_be_given_a_type() -> None:
    """Where any type may stand, a list is a tuple unless it is said to be something else."""
    assert msgpack.unpackb(pack(["a"], DYNAMIC)) == [b'["tuple",["string"]]', ["a"]]
    assert msgpack.unpackb(pack(Dynamic(STRINGS, ["a"]), DYNAMIC)) == [b'["list","string"]', ["a"]]
    assert unpack(b"\xc0", DYNAMIC) is None


def test_wrappers_are_left_behind() -> None:
    """Secrets and outputs travel as their values, assets as their paths: Terraform has none of them."""
    assert unpack(pack([Secret("a"), Output("b")], STRINGS), STRINGS) == ["a", "b"]
    assert unpack(pack([Asset(path="x"), Archive(uri="y"), Asset(text="z")], STRINGS), STRINGS) == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("value", "declared", "message"),
    [
        ({"name": 1}, OBJECT, "name: expected string, got int"),
        ({"nmae": "x"}, OBJECT, "there is no attribute 'nmae'. Did you mean 'name'"),
        ({"zzz": "x"}, OBJECT, "It has: name, size"),
        (["a", True], STRINGS, r"\[1\]: expected string, got bool"),
        ({"k": {"name": []}}, Type("map", items=OBJECT), r'\["k"\].name: expected string'),
        ("true", BOOL, "expected bool"),
        (True, NUMBER, "expected number, got bool"),
        (float("nan"), NUMBER, "no number nan"),
        (["a"], Type("tuple", elements=(STRING, STRING)), "a tuple of 2 is needed, these are 1"),
        ("x", STRINGS, "expected list"),
        (object(), DYNAMIC, "no literal"),
    ],
)
def test_values_of_another_type_are_refused_by_path(value: Any, declared: Type, message: str) -> None:
    """A value that does not fit its type is an error with its path, what is needed, and what is nearest."""
    with pytest.raises(MalformedError, match=message):
        pack(value, declared)


@pytest.mark.parametrize(
    ("data", "declared", "message"),
    [
        (b"\xc1", STRING, "are not msgpack"),
        (b"", STRING, "are not msgpack"),
        (b"\x01\x01", NUMBER, "are not msgpack"),
        (b"\x91" * 5000, NUMBER, "are not msgpack"),
        (b"\xa1\xff", STRING, "are not msgpack"),
        (msgpack.packb({"name": "x"}), OBJECT, "without size. Every attribute"),
        (msgpack.packb({"name": "x", "size": 1, "color": 1}), OBJECT, "there is no attribute 'color'"),
        (msgpack.packb("x"), NUMBER, "'x' is no number"),
        (msgpack.packb("1e999999999"), NUMBER, "more digits"),
        (msgpack.packb([1, 2]), Type("tuple", elements=(NUMBER,)), "a tuple of 1 is needed, these are 2"),
        (msgpack.packb({1: "x"}), Type("map", items=STRING), "expected map, got int"),
        (msgpack.packb("x"), DYNAMIC, "expected dynamic"),
        (msgpack.packb([b"?", 1]), DYNAMIC, "is no type"),
    ],
)
def test_undecodable_bytes_are_refused(data: bytes, declared: Type, message: str) -> None:
    """Bytes that are no value of the type are an error that says why, and nothing else happens."""
    with pytest.raises(MalformedError, match=message):
        unpack(data, declared)
