"""Dynamic values keep the type that they came with: where types are found in a request, and where they go."""

from __future__ import annotations

from typing import Any

import pytest

from mockprovider.terraform.values.dynamics import hints, typed
from mockprovider.terraform.values.packing import Dynamic
from mockprovider.terraform.values.types import DYNAMIC, STRING, Type
from mockprovider.values import UNKNOWN, Unknown

STRINGS = Type("list", items=STRING)
OBJECT = Type("object", attributes={"any": DYNAMIC, "pair": Type("tuple", elements=(DYNAMIC,)), "name": STRING})
SENT, KEPT = [b'["list","string"]', ["a"]], {"type": ["list", "string"], "value": ["a"]}
FOUND = Dynamic(STRINGS, ["a"])


@pytest.mark.parametrize(
    ("sources", "declared", "expected"),
    [
        ([(SENT, False)], DYNAMIC, {"": [FOUND]}),
        ([(KEPT, True)], DYNAMIC, {"": [FOUND]}),
        ([(SENT, False), (KEPT, True), (None, False), (UNKNOWN, False)], DYNAMIC, {"": [FOUND, FOUND]}),
        ([({"any": SENT, "name": "x", "pair": [SENT]}, False)], OBJECT, {".any": [FOUND]}),
        ([({"any": KEPT, "colour": KEPT}, True)], OBJECT, {".any": [FOUND]}),
        ([([{"any": SENT}, None, {"any": SENT}], False)], Type("set", items=OBJECT), {"[0].any": [FOUND], "[2].any": [FOUND]}),
        ([({"k": {"any": SENT}}, False)], Type("map", items=OBJECT), {".k.any": [FOUND]}),
        ([({"any": UNKNOWN}, False)], OBJECT, {}),
        ([("text", False)], STRING, {}),
    ],
)
def test_where_types_are_found(sources: Any, declared: Type, expected: Any) -> None:
    """In attributes and elements of every depth, in either form; not in tuples, nor where something is null or unknown."""
    assert hints(sources, declared) == expected


TYPED = Dynamic(STRING, UNKNOWN), Dynamic(STRING, None)
KNOWN = {".any": [Dynamic(STRINGS, ["b"]), FOUND, *TYPED], "[0].any": [FOUND], ".k.any": [FOUND]}


def whole(**attributes: Any) -> dict[str, Any]:
    """An object with all its attributes."""
    return {"any": None, "pair": None, "name": None, **attributes}


@pytest.mark.parametrize(
    ("value", "declared", "expected"),
    [
        ({"any": ["a"], "name": ["a"]}, OBJECT, whole(any=FOUND, name=["a"])),
        ({"any": ["c"]}, OBJECT, whole(any=["c"])),
        # What is unknown or null has a type as well.
        ({"any": UNKNOWN}, OBJECT, whole(any=TYPED[0])),
        ({"any": Unknown("number")}, OBJECT, whole(any=Unknown("number"))),
        ({"any": None}, OBJECT, whole(any=TYPED[1])),
        ({}, OBJECT, whole(any=TYPED[1])),
        ([{"any": ["a"]}, {"any": ["a"]}], Type("list", items=OBJECT), [whole(any=FOUND), whole(any=["a"])]),
        (({"any": ["a"]},), Type("set", items=OBJECT), [whole(any=FOUND)]),
        ({"k": {"any": ["a"]}, "l": {"any": ["a"]}}, Type("map", items=OBJECT), {"k": whole(any=FOUND), "l": whole(any=["a"])}),
        ({"any": ["a"], "pair": [["a"]], "colour": 1}, OBJECT, whole(any=FOUND, pair=[["a"]], colour=1)),
        (None, OBJECT, None),
        ("text", STRING, "text"),
    ],
)
def test_where_types_go(value: Any, declared: Type, expected: Any) -> None:
    """The same value at the same place gets its type back, also one that is unknown or null; all others stay as they are."""
    assert typed(value, declared, KNOWN) == expected
