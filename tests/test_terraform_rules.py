"""The rules of plans and applies, each as a table of cases: what engines take, and what they refuse with which words."""

from __future__ import annotations

from typing import Any

import pytest

from mockprovider.terraform.rules import kept, planned
from mockprovider.terraform.rules.places import elements, equal, unknowns, unlike, written
from mockprovider.terraform.schema.published import tree_of
from mockprovider.terraform.values.types import BOOL, DYNAMIC, NUMBER, STRING, Type
from mockprovider.values import UNKNOWN, Unknown

INSIDE = {"port": {"type": "number", "optional": True}, "made": {"type": "string", "computed": True}}
MODES = {"main": "single", "always": "group", "rules": "list", "zones": "map", "disks": "set"}
THING = tree_of(
    {
        "block": {
            "attributes": {
                "name": {"type": "string", "optional": True},
                "made": {"type": "string", "computed": True},
                "note": {"type": "string", "optional": True, "computed": True},
                "pin": {"type": "string", "optional": True, "sensitive": True},
                "code": {"type": "string", "optional": True, "write_only": True},
                "any": {"type": "dynamic", "optional": True},
                "tags": {"type": ["map", "string"], "optional": True},
                "kinds": {"type": ["set", "string"], "optional": True},
                "ports": {"type": ["list", "number"], "optional": True},
                "groups": {"type": ["list", ["set", "string"]], "optional": True},
                "pair": {"type": ["tuple", ["string", ["set", "string"]]], "optional": True},
                **{
                    f"nested_{name}": {"optional": True, "nested_type": {"nesting_mode": mode, "attributes": INSIDE}}
                    for name, mode in MODES.items()
                    if mode != "group"
                },
            },
            "block_types": {name: {"nesting_mode": mode, "block": {"attributes": INSIDE}} for name, mode in MODES.items()},
        }
    }
)
"""A type with an attribute of each sort, and each nesting both as an attribute and as a block."""

NOT_CONFIGURED = "is planned for an attribute that is neither configured nor computed"
NO_BLOCK_UNKNOWN = "a block cannot be unknown itself; make the attributes in it unknown"
NO_BLOCKS_UNKNOWN = "blocks cannot be unknown themselves; make the attributes in them unknown"
ONE_FOR_TWO = "1 is planned, and 2 are configured: their number never changes"
TWO_FOR_ONE = "2 are planned, and 1 is configured: their number never changes"
ONE_FOR_ONE = "1 is planned, and 1 is configured: their number never changes"
OTHER_PORT = "2 is planned, which is not what is configured, 1"


@pytest.mark.parametrize(
    ("prior", "config", "plan", "refused"),
    [
        # The object as a whole.
        (None, None, None, {}),
        (None, UNKNOWN, {"name": "a"}, {}),
        (None, UNKNOWN, None, {}),
        (None, None, {}, {"": "nothing is configured, and an object is planned"}),
        (None, {}, None, {"": "it is configured, and planned for absence"}),
        (None, {}, UNKNOWN, {"": "it is configured, and planned as unknown; only what is in it may be unknown"}),
        # Attributes: what is configured, or what was there and means the same, or the provider's own.
        (None, {"name": "a"}, {"name": "a"}, {}),
        (None, {"name": UNKNOWN}, {"name": Unknown(refinement=b"12")}, {}),
        (None, {"name": "a"}, {"name": "b"}, {"name": "'b' is planned, which is not what is configured, 'a'"}),
        (None, {"name": "a"}, {"name": None}, {"name": "null is planned, which is not what is configured, 'a'"}),
        (None, {"name": "a"}, {"name": UNKNOWN}, {"name": "an unknown value is planned, which is not what is configured, 'a'"}),
        ({"name": "A"}, {"name": "a"}, {"name": "A"}, {}),
        (
            {"name": "A"},
            {"name": "a"},
            {"name": "b"},
            {"name": "'b' is planned, which is not what is configured, 'a', nor what was there before, 'A'"},
        ),
        ({"name": "A"}, {}, {"name": "A"}, {"name": f"'A' {NOT_CONFIGURED}"}),
        ({}, {"name": "a"}, {}, {"name": "null is planned, which is not what is configured, 'a'"}),
        (None, {}, {"name": UNKNOWN}, {"name": f"an unknown value {NOT_CONFIGURED}"}),
        (None, {}, {"made": "x"}, {}),
        (None, {}, {"made": UNKNOWN}, {}),
        (None, {"made": "a"}, {"made": "b"}, {}),
        (None, {}, {"note": "x"}, {}),
        (None, {"note": "a"}, {"note": "b"}, {"note": "'b' is planned, which is not what is configured, 'a'"}),
        ({"pin": "0"}, {}, {"pin": "b"}, {"pin": f"a sensitive value {NOT_CONFIGURED}"}),
        (
            {"pin": "0"},
            {"pin": "1"},
            {"pin": "2"},
            {
                "pin": "a sensitive value is planned, which is not what is configured, a sensitive value, nor what was there "
                "before, a sensitive value"
            },
        ),
        (None, {"code": "1234"}, {}, {}),
        (None, {"kinds": ["a", "b"]}, {"kinds": ["b", "a"]}, {}),
        (
            None,
            {"ports": [1, 2]},
            {"ports": [2, 1]},
            {"ports": "[2, 1] is planned, which is not what is configured, [1, 2]"},
        ),
        # Nested attributes.
        (None, {"nested_main": {"port": 1}}, {"nested_main": {"port": 1, "made": "x"}}, {}),
        (None, {"nested_main": {"port": 1}}, {"nested_main": {"port": 2}}, {"nested_main.port": OTHER_PORT}),
        ({"nested_main": {"port": 2}}, {"nested_main": {"port": 1}}, {"nested_main": {"port": 2, "made": "x"}}, {}),
        (None, {"nested_main": {}}, {}, {"nested_main": "null is planned, and nested objects are configured"}),
        (None, {"nested_rules": []}, {}, {"nested_rules": "null is planned, and nested objects are configured"}),
        (
            None,
            {"nested_main": {}},
            {"nested_main": UNKNOWN},
            {"nested_main": "an unknown value is planned, and nested objects are configured"},
        ),
        (
            None,
            {"nested_rules": UNKNOWN},
            {"nested_rules": []},
            {"nested_rules": "[] is planned, and nested objects are configured"},
        ),
        (None, {}, {"nested_rules": [{}]}, {"nested_rules": f"[{{}}] {NOT_CONFIGURED}"}),
        (None, {"nested_rules": [{"port": 1}]}, {"nested_rules": [{"port": 1, "made": UNKNOWN}]}, {}),
        (None, {"nested_rules": [{"port": 1}]}, {"nested_rules": [{"port": 2}]}, {"nested_rules[0].port": OTHER_PORT}),
        (None, {"nested_rules": [{}, {}]}, {"nested_rules": [{}]}, {"nested_rules": ONE_FOR_TWO}),
        (None, {"nested_zones": {"a": {}}}, {"nested_zones": {"b": {}}}, {"nested_zones": ONE_FOR_ONE}),
        (
            None,
            {"nested_zones": {"a": {"port": 1}}},
            {"nested_zones": {"a": {"port": 2}}},
            {'nested_zones["a"].port': OTHER_PORT},
        ),
        # Which element of a set became which nobody can say: they are counted.
        (None, {"nested_disks": [{"port": 1}]}, {"nested_disks": [{"port": 2}]}, {}),
        (None, {"nested_disks": [{}, {"port": 1}]}, {"nested_disks": [{}]}, {}),
        (
            None,
            {"nested_disks": [{}]},
            {"nested_disks": [{}, {"port": 1}]},
            {"nested_disks": "2 elements are planned, and 1 are configured"},
        ),
        # Blocks.
        (None, {"main": {"port": 1}}, {"main": {"port": 1, "made": "x"}}, {}),
        (None, {"main": {"port": 1}}, {"main": {"port": 2}}, {"main.port": OTHER_PORT}),
        ({"main": {"port": 2}}, {"main": {"port": 1}}, {"main": {"port": 2, "made": "x"}}, {}),
        (None, {"main": {}}, {}, {"main": "it is configured, and planned for absence"}),
        (None, {}, {"main": {}}, {"main": "nothing is configured, and an object is planned"}),
        (None, {"always": {"port": 1}}, {"always": {"port": 2}}, {"always.port": OTHER_PORT}),
        (None, {"main": {}}, {"main": UNKNOWN}, {"main": NO_BLOCKS_UNKNOWN}),
        (None, {"main": UNKNOWN}, {"main": {}}, {"main": "blocks are planned, and how many there are is not known yet"}),
        (None, {"rules": UNKNOWN}, {"rules": UNKNOWN}, {}),
        (None, {"rules": UNKNOWN}, {"rules": []}, {"rules": "blocks are planned, and how many there are is not known yet"}),
        (None, {"rules": [{}]}, {"rules": UNKNOWN}, {"rules": NO_BLOCKS_UNKNOWN}),
        (None, {"rules": []}, {}, {"rules": "where there are no blocks, a list of them is empty, and never null"}),
        (None, {"zones": {}}, {}, {"zones": "where there are no blocks, a map of them is empty, and never null"}),
        (None, {"rules": [{"port": 1}, {}]}, {"rules": [{"port": 1}, {"made": UNKNOWN}]}, {}),
        (None, {"rules": [{}, {"port": 1}]}, {"rules": [{}, {"port": 2}]}, {"rules[1].port": OTHER_PORT}),
        (None, {"rules": [{}]}, {"rules": [{}, {}]}, {"rules": TWO_FOR_ONE}),
        (
            None,
            {"rules": [{}, {"port": 1}]},
            {"rules": [UNKNOWN, {"port": 2}]},
            {"rules[0]": NO_BLOCK_UNKNOWN, "rules[1].port": OTHER_PORT},
        ),
        # What was there before is looked for at the same place.
        ({"rules": [{"port": 2}]}, {"rules": [{"port": 1}]}, {"rules": [{"port": 2, "made": "x"}]}, {}),
        ({"rules": [{"port": 2}]}, {"rules": [{}, {"port": 1}]}, {"rules": [{}, {"port": 2}]}, {"rules[1].port": OTHER_PORT}),
        ({"zones": {"a": {"port": 2}}}, {"zones": {"a": {"port": 1}}}, {"zones": {"a": {"port": 2, "made": "x"}}}, {}),
        (None, {"zones": {"a": {}}}, {"zones": {"b": {}}}, {"zones": ONE_FOR_ONE}),
        (None, {"zones": {"a": {"port": 1}}}, {"zones": {"a": {"port": 2}}}, {'zones["a"].port': OTHER_PORT}),
        (None, {"disks": [{"port": 1}]}, {"disks": [{"port": 2}, {}]}, {}),
        (None, {"disks": [{}]}, {"disks": [{"port": 1}, UNKNOWN]}, {"disks[1]": NO_BLOCK_UNKNOWN}),
    ],
)
def test_what_may_be_planned(prior: Any, config: Any, plan: Any, refused: dict[str, str]) -> None:
    """A plan keeps what is configured, or what was there and means the same; blocks are exactly those that were written."""
    problems = list(planned.problems(THING, prior, config, plan))
    assert {problem.path: problem.rule for problem in problems} == refused
    assert len(problems) == len(refused)


VANISHED, APPEARED = "it was planned, and has vanished", "it was not planned, and has appeared"
NOT_THERE, NOT_PLANNED = "an element that was planned is not there", "an element is there that was not planned"
ABSENT, THERE = "it was planned, and is now absent", "it was planned to be absent, and is there"


@pytest.mark.parametrize(
    ("plan", "made", "refused"),
    [
        # The object as a whole.
        (None, None, {}),
        (UNKNOWN, {"name": "a"}, {}),
        ({"name": "a"}, UNKNOWN, {}),
        ({}, None, {"": ABSENT}),
        (None, {}, {"": THERE}),
        # Attributes.
        ({"name": "a"}, {"name": "a"}, {}),
        ({"name": UNKNOWN}, {"name": "a"}, {}),
        ({"name": UNKNOWN}, {"name": None}, {}),
        ({"name": UNKNOWN}, {"name": UNKNOWN}, {}),
        ({"name": "a"}, {"name": "b"}, {"name": "'a' was planned, and now it is 'b'"}),
        ({"name": "a"}, {}, {"name": "'a' was planned, and now it is null"}),
        ({}, {"name": "b"}, {"name": "null was planned, and now it is 'b'"}),
        ({"name": "a"}, {"name": UNKNOWN}, {"name": "it was planned as a known value, and is now unknown"}),
        (
            {"name": "a", "note": "b"},
            {"name": "b", "note": "a"},
            {"name": "'a' was planned, and now it is 'b'", "note": "'b' was planned, and now it is 'a'"},
        ),
        ({"pin": "1"}, {"pin": "2"}, {"pin": "another sensitive value than was planned"}),
        ({"pin": "1"}, {"pin": "1"}, {}),
        ({"tags": {"a": "b"}}, {"tags": {"a": "b"}}, {}),
        ({"tags": {"a": "b"}}, {"tags": {}}, {"tags.a": VANISHED}),
        ({"tags": {}}, {"tags": {"a": "b"}}, {"tags.a": APPEARED}),
        ({"tags": {"a": "b"}}, {"tags": {"a": "c"}}, {"tags.a": "'b' was planned, and now it is 'c'"}),
        ({"tags": {"a": UNKNOWN}}, {"tags": {"a": "c"}}, {}),
        ({"ports": [1, UNKNOWN]}, {"ports": [1, 2]}, {}),
        ({"ports": [1, 2]}, {"ports": [1, 3]}, {"ports[1]": "2 was planned, and now it is 3"}),
        ({"ports": [1]}, {"ports": [1, 2]}, {"ports": "1 elements were planned, and now there are 2"}),
        ({"kinds": ["a", "b"]}, {"kinds": ["b", "a"]}, {}),
        ({"kinds": ["a", UNKNOWN]}, {"kinds": ["b", "a"]}, {}),
        ({"kinds": ["a"]}, {"kinds": ["b"]}, {"kinds": NOT_THERE}),
        ({"kinds": ["a"]}, {"kinds": ["b", "a"]}, {"kinds": NOT_PLANNED}),
        ({"kinds": [UNKNOWN]}, {"kinds": ["a", "b"]}, {"kinds": "1 elements were planned, and now there are 2"}),
        ({"kinds": [UNKNOWN, "a"]}, {"kinds": ["a"]}, {}),
        ({"groups": [["a", "b"], []]}, {"groups": [["b", "a"], []]}, {}),
        ({"pair": ["a", ["b", "c"]]}, {"pair": ["a", ["c", "b"]]}, {}),
        (
            {"pair": ["a", ["b"]]},
            {"pair": ["b", ["a"]]},
            {"pair[0]": "'a' was planned, and now it is 'b'", "pair[1]": NOT_THERE},
        ),
        ({"any": {"a": [1]}}, {"any": {"a": [1]}}, {}),
        ({"any": {"a": [1]}}, {"any": {"a": [2]}}, {"any.a[0]": "1 was planned, and now it is 2"}),
        ({"any": {}}, {"any": []}, {"any": "{} was planned, and now it is []"}),
        ({"any": []}, {"any": {}}, {"any": "[] was planned, and now it is {}"}),
        # Nested attributes.
        ({"nested_main": {"port": 1, "made": UNKNOWN}}, {"nested_main": {"port": 1, "made": "x"}}, {}),
        ({"nested_main": {"port": 1}}, {"nested_main": {"port": 2}}, {"nested_main.port": "1 was planned, and now it is 2"}),
        (
            {"nested_rules": [{"port": 1}]},
            {"nested_rules": [{"port": 2}]},
            {"nested_rules[0].port": "1 was planned, and now it is 2"},
        ),
        ({"nested_zones": {"a": {}}}, {"nested_zones": {}}, {"nested_zones.a": VANISHED}),
        ({"nested_disks": [{"port": 1}, {"port": 2}]}, {"nested_disks": [{"port": 2}, {"port": 1}]}, {}),
        ({"nested_disks": [{"port": 1}]}, {"nested_disks": [{"port": 2}]}, {"nested_disks": NOT_THERE}),
        # Blocks.
        ({"main": {"made": UNKNOWN}}, {"main": {"made": "x"}}, {}),
        ({"main": {"port": 1}}, {"main": {"port": 2}}, {"main.port": "1 was planned, and now it is 2"}),
        ({"main": {}}, {}, {"main": ABSENT}),
        ({}, {"main": {}}, {"main": THERE}),
        ({"rules": UNKNOWN}, {"rules": [{}, {}]}, {}),
        ({"rules": []}, {}, {}),
        ({}, {"rules": []}, {}),
        ({"rules": [{"made": UNKNOWN}]}, {"rules": [{"made": "x"}]}, {}),
        ({"rules": [{}, {"port": 1}]}, {"rules": [{}, {"port": 2}]}, {"rules[1].port": "1 was planned, and now it is 2"}),
        ({"rules": [{}, {}]}, {"rules": [{}]}, {"rules": "2 blocks were planned, and now there are 1"}),
        ({"zones": {"a": {"port": 1}}}, {"zones": {"a": {"port": 2}}}, {'zones["a"].port': "1 was planned, and now it is 2"}),
        ({"zones": {"a": {}}}, {"zones": {"b": {}}}, {"zones": "1 blocks were planned, and now there are 1"}),
        ({"zones": {"a": {}}}, {"zones": {"a": {}, "b": {}}}, {"zones": "1 blocks were planned, and now there are 2"}),
        ({"disks": [{"port": 1, "made": UNKNOWN}, {}]}, {"disks": [{}, {"port": 1, "made": "x"}]}, {}),
        ({"disks": [{"port": 1}]}, {"disks": [{"port": 2}]}, {"disks": NOT_THERE}),
        ({"disks": [{"port": 1}]}, {"disks": [{"port": 2}, {"port": 1}]}, {"disks": NOT_PLANNED}),
    ],
)
def test_what_may_be_made_of_a_plan(plan: Any, made: Any, refused: dict[str, str]) -> None:
    """An apply keeps each known value, fills unknown ones in, and makes no block more or less."""
    problems = list(kept.broken(THING, plan, made))
    assert {problem.path: problem.rule for problem in problems} == refused
    assert len(problems) == len(refused)


def test_problems_inside_of_something_sensitive_show_nothing() -> None:
    """A nested attribute that is sensitive as a whole breaks promises without telling of what is in it."""
    inside = {"nesting_mode": "single", "attributes": {"word": {"type": "string", "optional": True}}}
    tree = tree_of({"block": {"attributes": {"login": {"optional": True, "sensitive": True, "nested_type": inside}}}})
    [problem] = kept.broken(tree, {"login": {"word": "s3cret"}}, {"login": {"word": "other"}})
    assert problem == planned.Problem("login", "another sensitive value than was planned", planned.Promise.APPLIED)


TUPLE = Type("tuple", elements=(STRING, Type("set", items=STRING)))
OBJECT = Type("object", attributes={"a": Type("set", items=STRING), "b": STRING})


@pytest.mark.parametrize(
    ("one", "other", "declared", "expected"),
    [
        (UNKNOWN, Unknown(refinement=b"12"), STRING, True),
        (UNKNOWN, "a", STRING, False),
        (UNKNOWN, None, STRING, False),
        (None, None, STRING, True),
        (None, "a", STRING, False),
        ("a", "a", STRING, True),
        ("a", "b", STRING, False),
        (1, 1.0, NUMBER, True),
        (True, 1, BOOL, False),
        ({}, [], DYNAMIC, False),
        ([], {}, DYNAMIC, False),
        ({"a": "x"}, {"a": "x"}, Type("map", items=STRING), True),
        ({"a": "x"}, {"a": "y"}, Type("map", items=STRING), False),
        ({"a": "x"}, {"b": "x"}, Type("map", items=STRING), False),
        ({"a": ["x", "y"]}, {"a": ["y", "x"]}, Type("map", items=Type("set", items=STRING)), True),
        ({"a": ["x", "y"], "b": "z"}, {"a": ["y", "x"], "b": "z"}, OBJECT, True),
        ({"a": [], "b": "z"}, {"a": [], "b": "y"}, OBJECT, False),
        ([1, 2], [1, 2], Type("list", items=NUMBER), True),
        ([1, 2], [2, 1], Type("list", items=NUMBER), False),
        ([1], [1, 2], Type("list", items=NUMBER), False),
        ([1, 2], [1], Type("list", items=NUMBER), False),
        (["a", ["x", "y"]], ["a", ["y", "x"]], TUPLE, True),
        (["a", ["x"]], ["b", ["x"]], TUPLE, False),
        (["a", "b"], ["b", "a"], Type("set", items=STRING), True),
        (["a", "a"], ["a"], Type("set", items=STRING), True),
        (["a", "b"], ["a"], Type("set", items=STRING), False),
        (["a"], ["a", "b"], Type("set", items=STRING), False),
        ([["x", "y"]], [["y", "x"]], Type("set", items=Type("set", items=STRING)), True),
    ],
)
def test_when_two_values_are_one(one: Any, other: Any, declared: Type, expected: bool) -> None:
    """Sets have no order and count nothing twice, null is null alone, and one unknown value is any other."""
    assert equal(one, other, declared) is expected


def test_elements_that_others_lack() -> None:
    """Those of a set that equal none of another are told, in their order."""
    pairs = Type("set", items=STRING)
    assert unlike([["a", "b"], ["c"], ["d"]], [["b", "a"], ["e"]], pairs) == [["c"], ["d"]]


def test_where_something_is_unknown() -> None:
    """Every unknown value is told by its path, at any depth, and known ones are not."""
    value = {"id": UNKNOWN, "name": "a", "tags": {"a": "b", "c": UNKNOWN}, "rules": [{"port": 1}, {"port": UNKNOWN}], "n": None}
    assert list(unknowns(value)) == ["id", "tags.c", "rules[1].port"]
    assert list(unknowns(UNKNOWN)) == [""]
    assert list(unknowns([UNKNOWN], "kinds")) == ["kinds[0]"]
    assert list(unknowns("known")) == []


@pytest.mark.parametrize(
    ("place", "value", "expected"),
    [
        ("main", {"port": 1}, [("at", {"port": 1})]),
        ("main", None, [("at", None)]),
        ("rules", [{}, None], [("at[0]", {}), ("at[1]", None)]),
        ("zones", {"a": {}}, [('at["a"]', {})]),
        ("disks", [{}], [("at[0]", {})]),
        ("rules", UNKNOWN, []),
        ("rules", None, []),
    ],
)
def test_the_objects_of_a_block(place: str, value: Any, expected: list[tuple[str, Any]]) -> None:
    """A single block holds one object, a collection of blocks one an element, each with its path; what is no value has none."""
    assert list(elements(value, THING.members[place], "at")) == expected


def test_where_something_is_only_written() -> None:
    """Write-only attributes that have a value are told by their paths, at every depth, and null ones are not."""
    inside = {"attributes": {"code": {"type": "string", "optional": True, "write_only": True}, "port": {"type": "number"}}}
    blocks = {name: {"nesting_mode": mode, "block": inside} for name, mode in MODES.items()}
    login = {"optional": True, "nested_type": {"nesting_mode": "list", **inside}}
    tree = tree_of({"block": {"attributes": {**inside["attributes"], "login": login}, "block_types": blocks}})
    value = {
        "code": "0",
        "port": 1,
        "login": [{"code": "1", "port": 2}],
        "main": {"code": None, "port": 3},
        "rules": [None, {"code": "2"}],
        "zones": {"a": {"code": UNKNOWN}},
        "disks": UNKNOWN,
    }
    assert list(written(value, tree)) == ["code", "login[0].code", "rules[1].code", 'zones["a"].code']
    assert list(written({"code": "0"}, tree, "at")) == ["at.code"]
    assert list(written(None, tree)) == []
    assert list(written({"name": "a"}, tree_of({"block": {}}))) == []
