"""Values on the wire: round trips, the engine's choices, and errors with paths."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgpack
import pytest
from hypothesis import given
from strategies_terraform import literals, numbers, packed, typed_values

from mockprovider.errors import MalformedError
from mockprovider.terraform.values.mismatch import show
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
        (float("-inf"), float("-inf")),
        (-(2**63), -(2**63)),
        (-(2**63) - 1, "-9223372036854775809"),
        (1e300, str(int(Decimal("1e300")))),
        (Decimal("0.5"), 0.5),
        (Decimal("1e-400"), f"0.{'0' * 399}1"),
        (Decimal(f"1{'0' * 400}.5"), f"1{'0' * 400}.5"),
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
    assert number(f"1{'0' * 400}.5") == Decimal(f"1{'0' * 400}.5")
    assert [type(number(text)) for text in ("7", "2.0", "1e2", "0.1", "-inf")] == [int, int, int, float, float]


@pytest.mark.parametrize(
    ("text", "fits"), [("1e3999", True), ("1e4000", False), ("1e-3999", True), ("1e-4000", False), ("0", True)]
)
def test_the_longest_number(text: str, fits: bool) -> None:
    """Four thousand digits before or behind the point are more than Terraform calculates with."""
    if fits:
        assert number(text) == Decimal(text)
    else:
        with pytest.raises(MalformedError, match=f"size: '{text}' has more digits"):
            number(text, "size")


def test_unknowns_keep_their_refinement() -> None:
    """A plain unknown is three fixed bytes; a refined one is echoed with its promise, and typed by its place."""
    assert pack(UNKNOWN, STRING) == b"\xd4\x00\x00"
    refined = msgpack.packb(msgpack.ExtType(12, b"\x81\x01\xc2"))
    assert unpack(refined, STRINGS) == Unknown("array", b"\x81\x01\xc2")
    assert pack(unpack(refined, STRINGS), STRINGS) == refined
    assert unpack(msgpack.packb(msgpack.ExtType(12, b"\x01")), STRING) == UNKNOWN
    assert unpack(msgpack.packb(msgpack.Timestamp(1)), STRING) == UNKNOWN


def test_each_type_travels() -> None:
    """Each type has one form on the wire, and is read from it again."""
    pair = Type("tuple", elements=(STRING, NUMBER))
    travelling = [
        ("a", STRING, "a"),
        (True, BOOL, True),
        (1.5, NUMBER, 1.5),
        (["a", None], STRINGS, ["a", None]),
        (["b", "a"], Type("set", items=STRING), ["b", "a"]),
        (["a", 1], pair, ["a", 1]),
        ({"b": [1], "a": []}, Type("map", items=Type("list", items=NUMBER)), {"a": [], "b": [1]}),
        ({"name": "a", "size": None}, OBJECT, {"name": "a", "size": None}),
        (["a"], DYNAMIC, [b'["tuple",["string"]]', ["a"]]),
    ]
    for value, declared, sent in travelling:
        assert msgpack.unpackb(pack(value, declared)) == sent
        assert unpack(msgpack.packb(sent), declared) == value


@pytest.mark.parametrize(
    ("declared", "kind"),
    [
        (STRING, "string"),
        (BOOL, "bool"),
        (NUMBER, "number"),
        (DYNAMIC, "string"),
        (STRINGS, "array"),
        (Type("set", items=STRING), "array"),
        (Type("tuple", elements=(STRING,)), "array"),
        (Type("map", items=STRING), "object"),
        (OBJECT, "object"),
    ],
)
def test_unknowns_have_the_kind_of_their_place(declared: Type, kind: str) -> None:
    """An unknown value says which of Pulumi's kinds is missing."""
    assert unpack(pack(UNKNOWN, declared), declared) == Unknown(kind)


def test_only_one_extension_promises_something() -> None:
    """Extensions of other codes, and those of a byte at most, are plain unknown values."""
    for code, payload in ((0, b"\x81\x01"), (5, b"\x81\x01"), (12, b""), (12, b"\x81")):
        assert unpack_any(msgpack.packb(msgpack.ExtType(code, payload))) == UNKNOWN
    assert unpack_any(msgpack.packb(msgpack.ExtType(12, b"\x81\x01"))) == Unknown(refinement=b"\x81\x01")


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ({"b": 1, "a": [True, None, 2.5, b"x"]}, {"a": [True, None, 2.5, b"x"], "b": 1}),
        ((1, 2), [1, 2]),
        (2**63 - 1, 2**63 - 1),
        (2**64 - 1, 2**64 - 1),
        (-(2**63), -(2**63)),
        (-(2**63) - 1, "-9223372036854775809"),
        (Decimal("0.1"), "0.1"),
        ({"a": [2**64]}, {"a": ["18446744073709551616"]}),
    ],
)
def test_values_without_a_type(value: Any, sent: Any) -> None:
    """Keys are sorted, numbers that msgpack lacks are decimal text, all else is as it is."""
    again = msgpack.unpackb(pack_any(value))
    assert again == sent
    assert not isinstance(again, dict) or list(again) == list(sent)
    assert msgpack.unpackb(pack_any([UNKNOWN]), ext_hook=lambda code, data: (code, data)) == [(0, b"\0")]


def test_strings_are_normalised() -> None:
    """Text is in Unicode's normal form C in both directions, in values and in keys."""
    assert unpack(msgpack.packb("e\u0301"), STRING) == "\u00e9"
    assert unpack(msgpack.packb(b"text"), STRING) == "text"
    assert unpack(msgpack.packb("e\u0301".encode()), STRING) == "\u00e9"
    labels = Type("map", items=STRING)
    assert unpack(msgpack.packb({"e\u0301": "e\u0301"}), labels) == {"\u00e9": "\u00e9"}
    assert pack("e\u0301", STRING) == msgpack.packb("\u00e9")
    assert pack({"e\u0301": "e\u0301"}, labels) == msgpack.packb({"\u00e9": "\u00e9"})
    assert pack(Asset(text="e\u0301"), STRING) == msgpack.packb("\u00e9")


def test_objects_carry_every_attribute() -> None:
    """An attribute that a bag does not have travels as a null; keys are sorted."""
    assert msgpack.unpackb(pack({"size": 1}, OBJECT)) == {"name": None, "size": 1}
    assert list(msgpack.unpackb(pack({"size": 1, "name": "x"}, OBJECT))) == ["name", "size"]
    assert unpack(b"\x80", OBJECT) == {}
    assert unpack(msgpack.packb({"name": None, "size": 1}), OBJECT) == {"name": None, "size": 1}
    assert list(msgpack.unpackb(pack({"b": "1", "a": "2"}, Type("map", items=STRING)))) == ["a", "b"]
    assert unpack(b"\x90", Type("tuple", elements=(STRING,))) == []


def test_dynamic_values_can_be_given_a_type() -> None:
    """Where any type may stand, a list is a tuple unless it is said to be something else."""
    assert msgpack.unpackb(pack(["a"], DYNAMIC)) == [b'["tuple",["string"]]', ["a"]]
    assert msgpack.unpackb(pack(Dynamic(STRINGS, ["a"]), DYNAMIC)) == [b'["list","string"]', ["a"]]
    assert unpack(b"\xc0", DYNAMIC) is None
    assert unpack(msgpack.packb(['["list","string"]', ["a"]]), DYNAMIC) == ["a"]


def test_wrappers_are_left_behind() -> None:
    """Secrets and outputs travel as their values, assets as their paths: Terraform has none of them."""
    assert unpack(pack([Secret("a"), Output("b")], STRINGS), STRINGS) == ["a", "b"]
    assert unpack(pack([Asset(path="x"), Archive(uri="y"), Asset(text="z")], STRINGS), STRINGS) == ["x", "y", "z"]
    every = [Asset(text="z", path="x", uri="y"), Archive(path="x", uri="y"), Asset(text="z", uri="y")]
    assert unpack(pack(every, STRINGS), STRINGS) == ["x", "x", "y"]


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
        (Archive(assets={}), STRING, "^value: expected string, got null"),
        ("1", NUMBER, "^value: expected number, got str"),
        ([[1]], Type("tuple", elements=(STRINGS,)), r"^\[0\]\[0\]: expected string, got int"),
        ({"a": 1}, Type("map", items=STRING), r'^\["a"\]: expected string, got int'),
        ([], OBJECT, "^value: expected object, got list"),
        ([], Type("map", items=STRING), "^value: expected map, got list"),
        ([Dynamic(STRING, 1)], Type("tuple", elements=(DYNAMIC,)), r"^\[0\]: expected string, got int"),
        ({"a": [object()]}, DYNAMIC, "no literal for a object"),
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
        (msgpack.packb([b'"string"', 1, 2]), DYNAMIC, "^value: expected dynamic, got list"),
        (msgpack.packb([1, 2]), DYNAMIC, "^value: expected dynamic, got list"),
        (msgpack.packb({"a": [b'"string"', 1]}), Type("map", items=DYNAMIC), r'^\["a"\]: expected string, got int'),
        (msgpack.packb(["a", 1]), STRINGS, r"^\[1\]: expected string, got int"),
        (msgpack.packb([["a"]]), Type("tuple", elements=(STRING,)), r"^\[0\]: expected string, got list"),
        (msgpack.packb({"a": 1}), Type("map", items=STRING), r'^\["a"\]: expected string, got int'),
        (msgpack.packb({"name": 1, "size": 1}), OBJECT, "^name: expected string, got int"),
        (msgpack.packb([]), OBJECT, "^value: expected object, got list"),
        (msgpack.packb({}), STRINGS, "^value: expected list, got dict"),
        (msgpack.packb([]), NUMBER, "^value: expected number, got list"),
        (msgpack.packb(True), NUMBER, "^value: expected number, got bool"),
        (msgpack.packb(1), BOOL, "^value: expected bool, got int"),
        (b"", NUMBER, "These 0 bytes are not msgpack: "),
    ],
)
def test_undecodable_bytes_are_refused(data: bytes, declared: Type, message: str) -> None:
    """Bytes that are no value of the type are an error that says why, and nothing else happens."""
    with pytest.raises(MalformedError, match=message):
        unpack(data, declared)


def test_errors_begin_with_their_owner() -> None:
    """Whoever packs or unpacks says what the value is called, and the path goes on from there."""
    with pytest.raises(MalformedError, match=r"^rules\[0\]: expected string, got int"):
        pack([1], STRINGS, "rules")
    with pytest.raises(MalformedError, match=r"^box.name: expected string, got int"):
        unpack(msgpack.packb({"name": 1, "size": 1}), OBJECT, "box")
    with pytest.raises(MalformedError, match=r"^box: without name, size\. Every attribute"):
        unpack(msgpack.packb({"colour": None}), Type("object", attributes={"colour": STRING, **OBJECT.attributes}), "box")


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        ("", ""),
        ("box", "box"),
        (("", "name"), "name"),
        (("box", "name"), "box.name"),
        (("box", 0), "box[0]"),
        (("", 0), "[0]"),
        (("box", ("a",)), 'box["a"]'),
        (((("box", "rules"), 1), ("a",)), 'box.rules[1]["a"]'),
    ],
)
def test_how_places_are_written(where: Any, shown: str) -> None:
    """Attributes follow a point, indices and keys stand in brackets."""
    assert show(where) == shown
