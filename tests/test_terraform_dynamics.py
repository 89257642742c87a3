"""Dynamic values keep the type that they came with: where types are found in a request, and where they go."""

from __future__ import annotations

from typing import Any

import pytest

from mockprovider.terraform.values.dynamics import hints, typed
from mockprovider.terraform.values.packing import Dynamic
from mockprovider.terraform.values.types import DYNAMIC, STRING, Type
from mockprovider.values import UNKNOWN

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


KNOWN = {".any": [Dynamic(STRINGS, ["b"]), FOUND], "[0].any": [FOUND], ".k.any": [FOUND]}


@pytest.mark.parametrize(
    ("value", "declared", "expected"),
    [
        ({"any": ["a"], "name": ["a"]}, OBJECT, {"any": FOUND, "name": ["a"]}),
        ({"any": ["c"]}, OBJECT, {"any": ["c"]}),
        ({"any": None}, OBJECT, {"any": None}),
        ({"any": UNKNOWN}, OBJECT, {"any": UNKNOWN}),
        ([{"any": ["a"]}, {"any": ["a"]}], Type("list", items=OBJECT), [{"any": FOUND}, {"any": ["a"]}]),
        (({"any": ["a"]},), Type("set", items=OBJECT), [{"any": FOUND}]),
        ({"k": {"any": ["a"]}, "l": {"any": ["a"]}}, Type("map", items=OBJECT), {"k": {"any": FOUND}, "l": {"any": ["a"]}}),
        ({"pair": [["a"]]}, OBJECT, {"pair": [["a"]]}),
        ("text", STRING, "text"),
    ],
)
def test_where_types_go(value: Any, declared: Type, expected: Any) -> None:
    """The same value at the same place gets its type back; all others stay as they are."""
    assert typed(value, declared, KNOWN) == expected
