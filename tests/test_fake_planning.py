"""The neutral plan: what changes, what that forces, and what is known of the object afterwards."""

from __future__ import annotations

import pytest
from builders import BUCKET, type_of
from hypothesis import given
from hypothesis import strategies as st

from mockprovider.calls import Change, ChangeKind
from mockprovider.fake.planning import plan_create, plan_update
from mockprovider.schema import Kind, Property, Random, ResourceType, kind_of
from mockprovider.values import UNKNOWN, Asset, Output, Secret

ADD, DELETE, UPDATE = ChangeKind.ADD, ChangeKind.DELETE, ChangeKind.UPDATE


def changes(declared, before, after, **given):
    """What changes between two sets of inputs, as (path, kind) or (path, kind, True) for those that replace."""
    plan = plan_update(declared, {**before, **given.get("prior", {})}, before, after, "b-1")
    return [(each.path, each.kind, True) if each.replaces else (each.path, each.kind) for each in plan.changes]


# Create ----------------------------------------------------------------------------------------------------------------


def test_create():
    """A new object is all additions: inputs, defaults, and computed values that are unknown as far as they need the id."""
    plan = plan_create(BUCKET, {"name": "logs"})

    assert plan.planned == {"name": "logs", "acl": "private", "arn": UNKNOWN}
    assert plan.changes == (Change("acl", ADD), Change("arn", ADD), Change("name", ADD))
    assert not plan.replaces


def test_create_knows_what_needs_no_id():
    """A template over known inputs, and one over such a template, is told in the plan; over unknown inputs it is not."""
    declared = type_of(url=Property(computed="https://{host}"), host=Property(computed="{name}.test"), name=Property())

    assert plan_create(declared, {"name": "logs"}).planned["url"] == "https://logs.test"
    assert plan_create(declared, {"name": UNKNOWN}).planned == {"name": UNKNOWN, "host": UNKNOWN, "url": UNKNOWN}


def test_create_keeps_what_the_program_sets():
    """An optional computed property that is set is planned as set, and nulls are left out."""
    declared = type_of(zone=Property(computed=True, optional=True), name=Property())

    assert plan_create(declared, {"zone": "a", "name": None}).planned == {"zone": "a"}


def test_create_keeps_secrets():
    """Secrets stay wrapped in the plan, declared or sent."""
    declared = type_of(key=Property(secret=True), token=Property(computed=True, secret=True), name=Property())

    assert plan_create(declared, {"key": "k", "name": Secret("n")}).planned == {
        "key": Secret("k"),
        "token": Secret(UNKNOWN),
        "name": Secret("n"),
    }


# What changes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("declared", "before", "after", "expected"),
    [
        (str, "a", "a", []),
        (str, "a", "b", [("p", UPDATE)]),
        (str, None, "b", [("p", ADD)]),
        (str, "a", None, [("p", DELETE)]),
        (str, None, None, []),
        (float, 1, 1.0, []),
        ("any", True, 1, [("p", UPDATE)]),
        ("any", "a", ["a"], [("p", UPDATE)]),
        ("any", ["a"], "a", [("p", UPDATE)]),
        ("any", {"x": 1}, "a", [("p", UPDATE)]),
        ("any", {"x": 1}, ["x"], [("p", UPDATE)]),
        (str, "a", Secret("a"), []),
        (str, Output("a"), Secret("b"), [("p", UPDATE)]),
        (str, "a", UNKNOWN, [("p", UPDATE)]),
        (list[str], ["a", "b"], ["a", "c"], [("p[1]", UPDATE)]),
        (list[str], ["a"], ["a", "c"], [("p[1]", ADD)]),
        (list[str], ["a", "c"], ["a"], [("p[1]", DELETE)]),
        (list[str], [], None, [("p", DELETE)]),
        (list[str], None, [], [("p", ADD)]),
        (list[str], ["a", "b"], ["b", "a"], [("p[0]", UPDATE), ("p[1]", UPDATE)]),
        (set[str], ["a", "b"], ["b", "a"], []),
        (set[str], ["a", "b"], ["b", "c"], [("p", UPDATE)]),
        (set[str], ["a", "a"], ["a", "b"], [("p", UPDATE)]),
        (set[str], ["a"], ["a", "a"], [("p", UPDATE)]),
        (set[str], ["a"], [UNKNOWN], [("p", UPDATE)]),
        (set[str], [UNKNOWN], [UNKNOWN], [("p", UPDATE)]),
        (set[str], [Secret("a")], ["a"], []),
        (dict[str, str], {"a": "1", "b": "2"}, {"b": "3", "c.d": "4"}, [("p.a", DELETE), ("p.b", UPDATE), ('p["c.d"]', ADD)]),
        (dict[str, set[str]], {"a": ["1", "2"]}, {"a": ["2", "1"]}, []),
        ({"in": {"x": int}}, {"in": {"x": 1}}, {"in": {"x": 2}}, [("p.in.x", UPDATE)]),
        ("any", {"x": [1]}, {"x": [2]}, [("p.x[0]", UPDATE)]),
        ("asset", Asset(path="a", hash="1"), Asset(path="b", hash="1"), []),
        ("asset", Asset(path="a", hash="1"), Asset(path="a", hash="2"), [("p", UPDATE)]),
    ],
)
def test_changes(declared, before, after, expected):
    """Each difference is one change with its path: into lists by index, into maps by key, and sets as a whole."""
    assert changes(type_of(p=Property(declared)), {"p": before}, {"p": after}) == expected


@pytest.mark.parametrize(
    ("properties", "before", "after", "expected"),
    [
        ({"p": Property(str, forces_new=True)}, "a", "b", [("p", UPDATE, True)]),
        ({"p": Property(str, forces_new=True)}, "a", "a", []),
        ({"p": Property(str, forces_new=True)}, None, "b", [("p", ADD, True)]),
        ({"p": Property(str, forces_new=True)}, "a", None, [("p", DELETE, True)]),
        ({"p": Property(dict[str, str], forces_new=True)}, {"a": "1"}, {"a": "2"}, [("p.a", UPDATE, True)]),
        ({"p": Property(list[str], forces_new=True)}, ["a"], ["b"], [("p[0]", UPDATE, True)]),
        (
            {"p": Property({"size": Property(int), "disk": Property(str, forces_new=True)})},
            {"size": 1, "disk": "a"},
            {"size": 2, "disk": "b"},
            [("p.disk", UPDATE, True), ("p.size", UPDATE)],
        ),
        (
            {"p": Property({"y": Property(str, forces_new=True)})},
            {"y": "1"},
            {},
            [("p.y", DELETE, True)],
        ),
    ],
)
def test_what_forces_a_new_object(properties, before, after, expected):
    """A change of, or inside, a property that forces a new object says so; its neighbours do not."""
    assert changes(type_of(**properties), {"p": before}, {"p": after}) == expected


def test_forced_inside_lists_of_objects():
    """A property that forces a new object does so in each element of a list."""
    disks = Property(Kind("array", items=kind_of({"type": Property(str, forces_new=True), "size": int})))
    before, after = [{"type": "ssd", "size": 1}], [{"type": "hdd", "size": 2}]

    assert changes(type_of(disks=disks), {"disks": before}, {"disks": after}) == [
        ("disks[0].size", UPDATE),
        ("disks[0].type", UPDATE, True),
    ]


def test_undeclared_properties_count():
    """A property that nobody declared is compared as well: a change is never lost."""
    assert changes(type_of(), {"x": 1}, {"x": {"y": 2}}) == [("x", UPDATE)]


def test_defaults_are_no_change():
    """A default stands on both sides: what the provider filled in last time is not deleted this time."""
    assert changes(BUCKET, {"acl": "private"}, {}) == []
    assert changes(BUCKET, {"acl": "public"}, {}) == [("acl", UPDATE)]


# Update ----------------------------------------------------------------------------------------------------------------


def test_nothing_to_do_is_the_prior_object():
    """With nothing changed the plan is the object as it is, computed values and all."""
    prior = {"name": "logs", "acl": "private", "arn": "arn:cloud:::b-1"}
    plan = plan_update(BUCKET, prior, {"name": "logs", "acl": "private"}, {"name": "logs"}, "b-1")

    assert plan.planned == prior
    assert plan.changes == ()
    assert plan.stable == ("arn",)


def test_nothing_to_do_keeps_secrets():
    """An input that became a secret with the same value is no change, and the plan does not show it."""
    plan = plan_update(type_of(key=Property()), {"key": "k"}, {"key": "k"}, {"key": Secret("k")}, "b-1")

    assert (plan.changes, plan.planned) == ((), {"key": Secret("k")})


def test_what_is_still_to_be_made_up():
    """A random default that no object has yet is no change by itself, and unknown in the plan of another change."""
    declared = type_of(pin=Property(default=Random(4)), name=Property())
    known = {"name": "a"}

    assert plan_update(declared, known, known, known, "b-1").changes == ()
    changed = plan_update(declared, known, known, {"name": "b"}, "b-1")
    assert (changed.changes, changed.planned) == ((Change("name", UPDATE),), {"name": "b", "pin": UNKNOWN})


def test_an_update_tells_what_it_can():
    """In an update the id is known: generated values stay, templates follow, functions are unknown."""
    declared = type_of(
        acl=Property(),
        arn=Property(computed="arn:{id}"),
        url=Property(computed="{arn}/{acl}"),
        etag=Property(computed=True),
        size=Property(int, computed=lambda _: 1),
    )
    prior = {"acl": "a", "arn": "arn:b-1", "url": "arn:b-1/a", "etag": "e", "size": 1}
    plan = plan_update(declared, prior, {"acl": "a"}, {"acl": "b"}, "b-1")

    assert plan.planned == {"acl": "b", "arn": "arn:b-1", "url": "arn:b-1/b", "etag": "e", "size": UNKNOWN}
    assert plan.stable == ("arn", "etag")


def test_a_replacement_is_planned_as_new():
    """When a new object is needed, nothing of the old one's computed values is promised."""
    prior = {"name": "a", "acl": "private", "arn": "arn:cloud:::b-1"}
    plan = plan_update(BUCKET, prior, None, {"name": "b"}, "b-1")

    assert plan.replaces
    assert plan.planned == {"name": "b", "acl": "private", "arn": UNKNOWN}
    assert plan.stable == ()


def test_delete_before_replace_is_handed_on():
    """The declaration's wish reaches the plan of an update and of a replacement."""
    declared = ResourceType("a:b:C", {"p": Property(forces_new=True)}, delete_before_replace=True)

    assert plan_update(declared, {"p": 1}, None, {"p": 2}, "id").delete_before_replace
    assert not plan_update(BUCKET, {"name": 1}, None, {"name": 2}, "id").delete_before_replace


def test_without_prior_inputs_the_prior_object_is_compared():
    """Terraform sends no prior inputs: then the prior object stands in for them, but for what the provider computed."""
    prior = {"name": "logs", "acl": "private", "arn": "arn:cloud:::b-1"}

    assert plan_update(BUCKET, prior, None, {"name": "logs"}, "b-1").changes == ()
    assert plan_update(BUCKET, prior, None, {"name": "logs", "acl": "x"}, "b-1").changes == (Change("acl", UPDATE),)
    assert plan_update(BUCKET, {**prior, "name": None}, None, {}, "b-1").changes == ()


@pytest.mark.parametrize("prior_inputs", [None, {"zone": "a"}])
def test_an_optional_computed_property_is_kept(prior_inputs):
    """A program that no longer sets an optional computed property leaves it as it is; setting another value changes it."""
    declared = type_of(zone=Property(computed=True, optional=True, forces_new=True), name=Property())
    prior = {"zone": "a"}

    left = plan_update(declared, prior, prior_inputs, {}, "b-1")
    assert (left.planned, left.changes) == ({"zone": "a"}, ())
    changed = plan_update(declared, prior, prior_inputs, {"zone": "b"}, "b-1")
    assert changed.changes == (Change("zone", UPDATE, True),)


def test_drift_is_a_change_without_prior_inputs():
    """What a refresh found different from the program's wish is changed back."""
    drifted = {"acl": "public", "arn": "arn:cloud:::b-1"}

    assert plan_update(BUCKET, drifted, None, {"acl": "private"}, "b-1").changes == (Change("acl", UPDATE),)


def test_unknown_inputs_change_and_stay_unknown():
    """An input that is not known yet counts as changed, is planned unknown, and so is what depends on it."""
    declared = type_of(name=Property(), url=Property(computed="x-{name}"))
    plan = plan_update(declared, {"name": "a", "url": "x-a"}, {"name": "a"}, {"name": UNKNOWN}, "b-1")

    assert plan.planned == {"name": UNKNOWN, "url": UNKNOWN}
    assert plan.changes == (Change("name", UPDATE),)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["x", "y", "z.z"]), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_a_value_never_differs_from_itself(value):
    """Whatever the value, nothing is to be done when nothing was changed."""
    assert changes(type_of(p=Property("any")), {"p": value}, {"p": value}) == []


@given(VALUES, VALUES)
def test_changes_have_a_mirror(before, after):
    """There and back touch the same paths, with additions and deletions exchanged."""
    declared = type_of(p=Property("any"))
    mirror = {ADD: DELETE, DELETE: ADD, UPDATE: UPDATE}
    there, back = changes(declared, {"p": before}, {"p": after}), changes(declared, {"p": after}, {"p": before})

    assert [(path, mirror[kind]) for path, kind in there] == back
