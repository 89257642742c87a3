"""The rules that plans are made by, each by itself: what counts of what was, which sets are equal, what must go first."""

from __future__ import annotations

import pytest
from builders import TOKEN, type_of

from mockprovider.calls import Change, ChangeKind
from mockprovider.fake.computing import generated
from mockprovider.fake.planning import auto_named, plain_inputs, plan_create, plan_update, without_computed
from mockprovider.schema import Kind, Property, Random, ResourceType, kind_of
from mockprovider.values import UNKNOWN, Output, Secret

ADD, DELETE, UPDATE = ChangeKind.ADD, ChangeKind.DELETE, ChangeKind.UPDATE
PART = kind_of({"size": int, "serial": Property(computed=True, optional=True), "in": Property({"id": Property(computed=True)})})
LIST, MAP, SET = (Kind(name, items=PART) for name in ("array", "map", "set"))
FULL = {"size": 1, "serial": "s", "more": 2}
BARE = {"size": 1, "more": 2}


@pytest.mark.parametrize(
    ("kind", "value", "wanted", "left"),
    [
        (PART, FULL, None, BARE),
        (PART, FULL, {}, BARE),
        (PART, FULL, {"serial": None}, BARE),
        (PART, FULL, {"serial": "mine"}, FULL),
        (PART, FULL, {"serial": UNKNOWN}, FULL),
        (PART, FULL, [], BARE),
        (PART, Secret(FULL), Secret({"serial": "mine"}), FULL),
        (PART, Output(FULL), None, BARE),
        (PART, {"in": {"id": "i"}}, None, {"in": {}}),
        (PART, {"in": {"id": "i"}}, {"in": {"id": "mine"}}, {"in": {"id": "i"}}),
        (PART, "no object", None, "no object"),
        (PART, None, None, None),
        (Kind("object"), FULL, None, FULL),
        (LIST, [FULL, FULL], None, [BARE, BARE]),
        (LIST, [FULL, FULL], [{"serial": "mine"}], [FULL, BARE]),
        (LIST, [FULL], [{}, {"serial": "mine"}], [BARE]),
        (LIST, [FULL, FULL], ({}, {"serial": "mine"}), [BARE, FULL]),
        (LIST, (FULL,), {"0": {"serial": "mine"}}, [BARE]),
        (LIST, [], [{"serial": "mine"}], []),
        (LIST, "no list", None, "no list"),
        (MAP, {"a": FULL, "b": FULL}, {"b": {"serial": "mine"}}, {"a": BARE, "b": FULL}),
        (MAP, {"a": FULL}, [{"serial": "mine"}], {"a": BARE}),
        (MAP, {"a": FULL}, None, {"a": BARE}),
        (SET, [FULL, FULL], [{}, {"serial": "mine"}], [FULL, FULL]),
        (SET, [FULL], [{"serial": None}], [BARE]),
        (SET, [FULL], ["no object"], [BARE]),
        (SET, [FULL], None, [BARE]),
        (Kind("array", items=LIST), [[FULL]], None, [[BARE]]),
        (Kind("array", items=Kind("any")), [FULL], None, [FULL]),
        (Kind("any"), FULL, None, FULL),
    ],
)
def test_what_is_no_input_inside(kind, value, wanted, left):
    """What is computed inside of a value is no input, but where the program sets it: by name, index, key; in sets anywhere."""
    assert without_computed(kind, value, wanted) == left


@pytest.mark.parametrize(
    ("inputs", "plain", "named"),
    [
        ({}, {}, set()),
        ({"a": 1}, {"a": 1}, set()),
        ({"a": 1, "__defaults": ["a", "b"]}, {"a": 1}, {"a", "b"}),
        ({"__defaults": Secret(["a"])}, {}, {"a"}),
        ({"__defaults": ("a", 7)}, {}, {"a", "7"}),
        ({"__defaults": "ab"}, {}, set()),
        ({"__defaults": None}, {}, set()),
    ],
)
def test_the_book_of_defaults(inputs, plain, named):
    """The book says which properties check named, and is no property itself."""
    assert plain_inputs(inputs) == plain
    assert auto_named(inputs) == named


@pytest.mark.parametrize(
    ("before", "after", "equal"),
    [
        ([], [], True),
        (["a", "b", "b"], ["b", "a", "b"], True),
        (["a", "b", "b"], ["a", "a", "b"], False),
        (["a"], ["a", "b"], False),
        (["a", "b"], ["a"], False),
        (["a"], ["b"], False),
        ([1, 2], [2.0, 1.0], True),
        ([{"x": 1}, {"x": 2}], [{"x": 2}, {"x": 1}], True),
        (["a"], [UNKNOWN], False),
        ([UNKNOWN], [UNKNOWN], False),
        (["a", "b"], ("b", "a"), True),
    ],
)
def test_equal_sets(before, after, equal):
    """Sets are equal that have the same elements equally often, in any order; one with an unknown is equal to none."""
    declared = type_of(p=Property(Kind("set", items=Kind("any"))))
    plan = plan_update(declared, {"p": before}, {"p": before}, {"p": after}, "b-1")

    assert plan.changes == (() if equal else (Change("p", UPDATE),))


FORCING = {
    "zone": Property(forces_new=True),
    "rule": Property({"zone": Property(forces_new=True, delete_before_replace=True), "size": int}),
    "first": Property({"zone": Property(forces_new=True), "size": int}, delete_before_replace=True),
    "list": Property(Kind("array", items=kind_of({"zone": Property(forces_new=True, delete_before_replace=True)}))),
    "map": Property(Kind("map", items=kind_of({"zone": Property(forces_new=True, delete_before_replace=True)}))),
    "lazy": Property(delete_before_replace=True),
    "name": Property(auto_name=True),
}


@pytest.mark.parametrize(
    ("before", "after", "first"),
    [
        ({"zone": "a"}, {"zone": "b"}, False),
        ({"rule": {"zone": "a"}}, {"rule": {"zone": "b"}}, True),
        ({"rule": {"size": 1}, "zone": "a"}, {"rule": {"size": 2}, "zone": "b"}, False),
        ({"first": {"zone": "a"}}, {"first": {"zone": "b"}}, True),
        ({"first": {"size": 1}, "zone": "a"}, {"first": {"size": 2}, "zone": "b"}, False),
        ({"list": [{"zone": "a"}]}, {"list": [{"zone": "b"}]}, True),
        ({"map": {"k": {"zone": "a"}}}, {"map": {"k": {"zone": "b"}}}, True),
        ({"lazy": 1, "zone": "a"}, {"lazy": 2, "zone": "b"}, False),
        # Both would have the name that the program gave.
        ({"name": "n", "zone": "a"}, {"name": "n", "zone": "b"}, True),
        ({"name": "n", "zone": "a"}, {"name": "m", "zone": "b"}, False),
        ({"name": "n", "zone": "a"}, {"name": "n", "zone": "b", "__defaults": ["name"]}, False),
        ({"name": "n", "zone": "a"}, {"name": "n", "zone": "b", "__defaults": ["zone"]}, True),
        ({"zone": "a"}, {"zone": "b", "name": "n"}, False),
        ({"name": "n", "zone": "a"}, {"zone": "b"}, False),
    ],
)
def test_what_must_go_first(before, after, first):
    """The old object goes first where a changed property, or one around it, says so, or both would have one name."""
    plan = plan_update(type_of(**FORCING), before, before, after, "b-1")

    assert (plan.replaces, plan.delete_before_replace) == (True, first)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # A forced property forces within, however deep; its neighbours do not.
        ({"p": {"in": [{"a": 1, "b": 1}]}}, {"p": {"in": [{"a": 2, "b": 2}]}}, [("p.in[0].a", True), ("p.in[0].b", False)]),
        ({"q": {"x": {"y": 1}}}, {"q": {"x": {"y": 2}}}, [("q.x.y", True)]),
        ({"m": {"k": {"a": 1}}}, {"m": {"k": {"a": 2}}}, [("m.k.a", True)]),
        ({"p": {"other": {"a": 1}}}, {"p": {"other": {"a": 2}}}, [("p.other.a", False)]),
        ({"undeclared": [1]}, {"undeclared": [2, 3]}, [("undeclared[0]", False), ("undeclared[1]", False)]),
        ({"s": [{"a": 1}]}, {"s": [{"a": 2}]}, [("s", False)]),
    ],
)
def test_how_deep_a_change_forces(before, after, expected):
    """A change forces a new object where its property, or one that it stands in, is declared to."""
    inner = {"a": Property(int, forces_new=True), "b": int}
    declared = type_of(
        p=Property({"in": Property(Kind("array", items=kind_of(inner)))}),
        q=Property(Kind("any"), forces_new=True),
        m=Property(Kind("map", items=kind_of(inner))),
        s=Property(Kind("set", items=kind_of(inner))),
    )
    plan = plan_update(declared, before, before, after, "b-1")

    assert [(each.path, each.replaces) for each in plan.changes] == expected


MADE = ResourceType(
    TOKEN,
    {
        "acl": Property(default="private"),
        "arn": Property(computed="arn:{id}/{acl}"),
        "etag": Property(computed=True),
        "pin": Property(default=Random(4)),
        "zone": Property(computed="z", optional=True),
        "disk": Property({"size": int, "serial": Property(computed=True)}),
        "size": Property(int, computed=lambda _: 1),
    },
)
PRIOR = {
    "acl": "private",
    "arn": "arn:b-1/private",
    "etag": "e",
    "pin": "1234",
    "zone": "y",
    "disk": {"size": 1, "serial": "s"},
    "size": 7,
}


@pytest.mark.parametrize(
    ("inputs", "changes", "planned", "stable"),
    [
        ({"disk": {"size": 1}}, [], {}, ("arn", "etag", "size", "zone")),
        ({"disk": {"size": 1}, "pin": "1234", "zone": "y"}, [], {}, ("arn", "etag", "size")),
        (
            {"disk": {"size": 1}, "acl": "x"},
            [("acl", UPDATE)],
            {"acl": "x", "arn": "arn:b-1/x", "zone": "z", "size": UNKNOWN},
            ("etag",),
        ),
        (
            {"disk": {"size": 2}},
            [("disk.size", UPDATE)],
            {"disk": {"size": 2, "serial": "s"}, "zone": "z", "size": UNKNOWN},
            ("arn", "etag"),
        ),
        (
            {"disk": {"size": 1}, "more": None, "acl": UNKNOWN},
            [("acl", UPDATE)],
            {"acl": UNKNOWN, "arn": UNKNOWN, "zone": "z", "size": UNKNOWN},
            ("etag",),
        ),
    ],
)
@pytest.mark.parametrize("told", [True, False])
def test_what_an_update_makes(inputs, changes, planned, stable, told):
    """A plan without changes is the object as it is; with some it has what templates make, what stays, and what is unknown."""
    before = {"acl": "private", "pin": "1234", "disk": {"size": 1}, **{key: PRIOR[key] for key in inputs if key == "zone"}}
    plan = plan_update(MADE, PRIOR, before if told else None, inputs, "b-1")

    assert [(each.path, each.kind) for each in plan.changes] == changes
    assert plan.planned == PRIOR | planned
    assert plan.stable == stable


def test_what_the_object_lacks_is_made():
    """Where nothing changes but the object lacks what its inputs say, it is planned with what can be said of it."""
    declared, inputs = type_of(disk=MADE.properties["disk"]), {"disk": {"size": 1}}
    plan = plan_update(declared, {}, inputs, inputs, "b-1")

    assert plan.changes == ()
    assert plan.planned["disk"] == {"size": 1, "serial": generated(Kind("string"), "disk.serial", "b-1")}


def test_what_is_to_be_made_up_is_no_change():
    """What a plan leaves to be made up is unknown in a plan with changes, absent in one without, and a change in neither."""
    declared = type_of(pin=Property(default=Random(4)), acl=Property())

    assert plan_create(declared, {}).planned == {"pin": UNKNOWN}
    assert plan_update(declared, {"acl": "a"}, {"acl": "a"}, {"acl": "a"}, "b-1").planned == {"acl": "a"}
    assert plan_update(declared, {"acl": "a"}, {"acl": "a"}, {"acl": "b"}, "b-1").planned == {"acl": "b", "pin": UNKNOWN}
    asked = plan_update(declared, {"acl": "a"}, {"acl": "a"}, {"acl": "a", "pin": UNKNOWN}, "b-1")
    assert [(each.path, each.kind) for each in asked.changes] == [("pin", ADD)]


@pytest.mark.parametrize(
    ("known", "inputs", "changes"),
    [
        ({"arn": "x"}, {}, []),
        ({"zone": "y"}, {}, []),
        ({"zone": "y"}, {"zone": "z"}, [("zone", UPDATE)]),
        ({"more": 1}, {}, []),
        ({"more": 1}, {"more": 2}, [("more", UPDATE)]),
        ({"more": None}, {"more": None}, []),
        ({"acl": "x"}, {}, [("acl", UPDATE)]),
        ({"disk": {"serial": "s"}}, {"disk": {}}, []),
        ({"disk": {"serial": "s", "size": 1}}, {"disk": {"serial": "t"}}, [("disk.serial", UPDATE), ("disk.size", DELETE)]),
        ({"disk": {"size": 1}}, {}, [("disk", DELETE)]),
    ],
)
def test_what_of_an_object_counts_as_inputs(known, inputs, changes):
    """Where no inputs are remembered the object stands in for them, but for what the provider computed or nobody declared."""
    plan = plan_update(MADE, {"pin": "1234", "acl": "private"} | known, None, inputs, "b-1")

    assert [(each.path, each.kind) for each in plan.changes] == changes
