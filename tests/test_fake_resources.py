"""Rules of a resource type: what a read cannot tell, what is computed inside of objects, and what changes mean."""

from __future__ import annotations

import re

import pytest
from builders import TOKEN, URN, Played, bucket, told
from hypothesis import given
from hypothesis import strategies as st

from mockprovider import terraform
from mockprovider.calls import Op
from mockprovider.payloads import StoredState
from mockprovider.pulumi import ResourceTraits
from mockprovider.schema import Kind, Property, ResourceType
from mockprovider.values import UNKNOWN, has_unknown


def test_what_no_read_can_tell():
    """An unreadable property is what the engine remembers, at every depth; after an import nobody knows it."""
    secret = Property(str, unreadable=True)
    played = Played(ResourceType(TOKEN, {"key": secret, "rule": Property({"key": secret, "port": int})}))
    inputs = {"key": "k", "rule": {"key": "r", "port": 1}}
    made = played.create(**inputs)
    played.cloud.drift(TOKEN, made.id, key="other", rule={"key": "other", "port": 2})

    read = played.ask(Op.READ, id=made.id, prior=made.value, prior_inputs=inputs)
    assert read.value == read.inputs == {"key": "k", "rule": {"key": "r", "port": 2}}
    imported = played.ask(Op.READ, id=made.id)
    assert imported.value == imported.inputs == {"rule": {"port": 2}}


PART = {"size": int, "serial": Property(str, computed=True), "path": Property(str, computed="/{id}/{size}")}
DISKS = ResourceType(
    TOKEN,
    {
        "acl": str,
        "disk": Property(PART),
        "more": Property(Kind("array", items=Kind("object", properties=Property(PART).kind.properties))),
        "named": Property(Kind("map", items=Kind("object", properties=Property(PART).kind.properties))),
        "any": Property(Kind("set", items=Kind("object", properties=Property(PART).kind.properties))),
    },
)


@pytest.mark.parametrize("protocol", ["pulumi", "tfplugin6"])
def test_computed_inside_of_objects(protocol):
    """What is computed inside of an object or a collection is made, stays, is no difference, and is planned where it can be."""
    played = Played(DISKS)
    inputs = {"disk": {"size": 1}, "more": [{"size": 2}], "named": {"a": {"size": 3}}, "any": [{"size": 4}]}
    planned = played.ask(Op.CREATE, inputs=inputs, preview=True, urn=URN).value
    made = played.ask(Op.CREATE, inputs=inputs, urn=URN)
    parts = [made.value["disk"], made.value["more"][0], made.value["named"]["a"], made.value["any"][0]]

    assert planned["disk"] == {"size": 1, "serial": UNKNOWN, "path": UNKNOWN}
    assert [each["path"] for each in parts] == [f"/{made.id}/{size}" for size in (1, 2, 3, 4)]
    assert len({each["serial"] for each in parts}) == 4
    ask = {"id": made.id, "prior": made.value, **({"prior_inputs": inputs} if protocol == "pulumi" else {})}
    same = played.ask(Op.PLAN, inputs=inputs, **ask).plan
    assert (same.changes, same.planned) == ((), made.value)
    changed = {**inputs, "disk": {"size": 9}, "acl": "x"}
    plan = played.ask(Op.PLAN, inputs=changed, **ask).plan
    assert [each.path for each in plan.changes] == ["acl", "disk.size"]
    updated = played.ask(Op.UPDATE, inputs=changed, **ask)
    assert updated.value == plan.planned
    assert updated.value["disk"]["serial"] == made.value["disk"]["serial"]
    assert played.ask(Op.READ, id=made.id, prior=updated.value).inputs == changed


def test_a_generated_id_that_is_taken_is_passed_over():
    """Where an object made by hand has the id that would be next, the new one gets the id after it."""
    elsewhere, played = Played(bucket()), Played(bucket())
    first, second = (elsewhere.ask(Op.CREATE, urn=URN, inputs={}).id for _ in range(2))
    played.cloud.create(TOKEN, first, {"acl": "by hand"})

    assert played.ask(Op.CREATE, urn=URN, inputs={}).id == second
    assert played.cloud.read(TOKEN, first) == {"acl": "by hand"}


def test_a_name_where_the_engine_tells_none():
    """Under an engine that tells no logical name an automatic name begins with the type's."""
    declared = ResourceType("cloud:index:LogBucket", {"name": Property(str, auto_name="{name}-{random:4}")})

    assert re.fullmatch("log_bucket-[0-9a-f]{4}", Played(declared).create(declared.token).value["name"])


def test_what_is_computed_inside_cannot_be_set():
    """A program that sets it is told the path; one that may, may."""
    may = ResourceType(TOKEN, {"disk": Property({"serial": Property(str, computed=True, optional=True)})})

    [wrong] = Played(DISKS).ask(Op.CHECK, inputs={"disk": {"serial": "x"}}).failures
    assert (wrong.path, wrong.reason) == ("disk.serial", "'serial' is computed by the provider and cannot be set")
    made = Played(may).create(disk={"serial": "mine"})
    assert made.value["disk"] == {"serial": "mine"}


def test_a_diff_that_needs_to_know():
    """Where a type says so, Diff fails while an input is unknown, and names it."""
    declared = ResourceType(TOKEN, {"acl": str}, traits=[ResourceTraits(diff_needs_known=True)])
    ask = {"id": "b", "prior": {}, "prior_inputs": {}}

    assert told(Played(declared).ask(Op.DIFF, inputs={"acl": UNKNOWN}, **ask)) == (
        f"{TOKEN} 'b': what changes cannot be told while acl is unknown.",
        "failed_precondition",
    )
    assert Played(declared).ask(Op.DIFF, inputs={"acl": "x"}, **ask).ok
    assert Played(bucket()).ask(Op.DIFF, inputs={"acl": UNKNOWN}, **ask).ok


def test_traits_come_before_behaviours():
    """What an ecosystem's traits answer asks no behaviour, nor does an upgrade, which is about no object of the cloud."""
    asked = []
    declared = ResourceType(
        TOKEN,
        {"acl": str},
        behaviours=(lambda call, proceed, _: asked.append(call.op) or proceed(call),),
        traits=[ResourceTraits(diff_needs_known=True), terraform.ResourceTraits(version=1, upgrades={0: dict})],
    )
    played = Played(declared)

    assert not played.ask(Op.DIFF, id="b", prior={}, inputs={"acl": UNKNOWN}).ok
    assert played.ask(Op.UPGRADE, id="b", stored=StoredState({"acl": "x"})).stored == {"acl": "x"}
    assert asked == []
    assert played.ask(Op.DIFF, id="b", prior={}, inputs={"acl": "x"}).ok
    assert asked == [Op.DIFF]


def test_ignored_changes():
    """Paths that are to be treated as unchanged are no changes, with all that is below them."""
    declared = ResourceType(TOKEN, {"acl": str, "tags": dict[str, str]})
    ask = {"id": "b", "prior": {}, "prior_inputs": {"acl": "a", "tags": {"x": "1"}}, "inputs": {"acl": "b", "tags": {"x": "2"}}}

    assert [each.path for each in Played(declared).ask(Op.DIFF, **ask, ignore_changes=("tags",)).plan.changes] == ["acl"]
    assert Played(declared).ask(Op.DIFF, **ask, ignore_changes=("acl", "tags.x")).plan.changes == ()


@pytest.mark.parametrize("path", ["zone", "rule.zone"])
def test_a_property_whose_change_deletes_first(path):
    """One property may need the old object gone, while others let the new one come first."""
    zone = Property(str, forces_new=True, delete_before_replace=True)
    declared = ResourceType(TOKEN, {"zone": zone, "rule": Property({"zone": zone}), "name": Property(str, forces_new=True)})
    values = {"zone": {"zone": "a"}, "rule.zone": {"rule": {"zone": "a"}}}
    ask = {"id": "b", "prior": {}, "prior_inputs": {"rule": {"zone": "b"}}}

    assert Played(declared).ask(Op.DIFF, inputs=values[path], **ask).plan.delete_before_replace
    assert not Played(declared).ask(Op.DIFF, inputs={"rule": {"zone": "b"}, "name": "x"}, **ask).plan.delete_before_replace


SIZES = st.fixed_dictionaries({}, optional={"size": st.integers(0, 3)})
INPUTS = st.fixed_dictionaries(
    {},
    optional={
        "acl": st.sampled_from(["a", "b"]),
        "disk": SIZES,
        "more": st.lists(SIZES, max_size=2),
        "named": st.dictionaries(st.sampled_from(["x", "y"]), SIZES),
        "any": st.lists(SIZES, max_size=2, unique_by=lambda each: each.get("size")),
    },
)
SERIAL = Property({"size": int, "serial": Property(str, computed=True)}).kind
TOLERANT = ResourceType(
    TOKEN,
    {
        "acl": str,
        "disk": Property({**PART, "size": Property(int, default=1)}),
        "more": Property(Kind("array", items=SERIAL)),
        "named": Property(Kind("map", items=SERIAL)),
        "any": Property(Kind("set", items=SERIAL)),
    },
)


@given(INPUTS, INPUTS, st.booleans())
def test_what_is_planned_is_what_becomes(first, second, pulumi):
    """Whatever the inputs, an update becomes what was planned where that was known, and then plans to nothing."""
    played = Played(TOLERANT)
    first, second = (played.ask(Op.CHECK, inputs=each).inputs for each in (first, second))
    made = played.create(**first)
    ask = {"id": made.id, "prior": made.value, **({"prior_inputs": first} if pulumi else {})}
    plan = played.ask(Op.PLAN, inputs=second, **ask).plan
    updated = played.ask(Op.UPDATE, inputs=second, **ask).value
    again = {"id": made.id, "prior": updated, **({"prior_inputs": second} if pulumi else {})}

    assert played.ask(Op.PLAN, inputs=second, **again).plan.changes == ()
    if not has_unknown(plan.planned):
        assert updated == plan.planned
