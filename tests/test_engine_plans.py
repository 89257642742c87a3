"""Update plans of the embedded engine: what they hold, what they allow, and what is said of files that are none."""

from __future__ import annotations

import json

import pulumi
import pytest
from engine_toolbox import NET, Bucket, Thing, make

from mockprovider.engine.plans.constraints import difference, goal_violation, number, show, violation
from mockprovider.errors import MalformedError, UnsupportedError
from mockprovider.pulumi.stacks.plans import GoalPlan, PlanDiff, read, written
from mockprovider.values import UNKNOWN, Archive, Asset, Output, Secret

URN = "urn:pulumi:dev::project::cloud:index:Bucket::"


def buckets(**acls):
    """A program of buckets with these access lists."""
    return lambda: [Bucket(name, acl=acl) for name, acl in acls.items()]


def test_a_plan_as_data():
    """A preview that is asked for a plan has it, another has none, and the plan can be kept."""
    stack, _, _ = make()
    assert stack.preview(buckets(a="1")).plan is None
    plan = stack.preview(buckets(a="1"), save_plan=True).plan
    assert plan["resourcePlans"][URN + "a"]["steps"] == ["create"]
    assert plan["resourcePlans"][URN + "a"]["goal"]["inputDiff"] == {"adds": {"acl": "1"}}
    assert stack.up(buckets(a="1"), plan=plan, preview=True).summary == {"create": 1}


def test_a_plan_in_a_file(tmp_path):
    """A plan is saved as ``pulumi`` reads it, and read again as it was."""
    stack, _, _ = make(config={"cloud:tag": "t", "cloud:key": Secret("k")})
    file = tmp_path / "plan.json"
    plan = stack.preview(buckets(a="1"), save_plan=file).plan
    assert json.loads(file.read_text()) == plan
    assert written(read(file)) == plan
    assert plan["config"] == {"cloud:tag": "t"}


def test_softer_steps_are_allowed():
    """What was to be created may be there already, and what was to go may be gone."""
    stack, _, _ = make()
    plan = stack.preview(buckets(a="1"), save_plan=True).plan
    stack.up(buckets(a="1"))
    assert stack.up(buckets(a="1"), plan=plan).summary == {}
    plan = stack.preview(buckets(), save_plan=True).plan
    assert plan["resourcePlans"][URN + "a"] == {"steps": ["delete"], "state": None}
    stack.up(buckets())
    assert stack.up(buckets(), plan=plan).summary == {}


def test_a_resource_that_the_plan_does_not_have_stays():
    """Resources that came after the plan are fine as long as they do not change."""
    stack, _, _ = make()
    plan = stack.preview(buckets(a="1"), save_plan=True).plan
    stack.up(buckets(b="1"))
    assert stack.up(buckets(a="1", b="1"), plan=plan).summary == {"create": 1}
    assert "violates plan: properties changed: =~acl[{2}]" in str(
        stack.up(buckets(a="1", b="2"), plan=plan, expect_failure=True)
    )


def test_a_plan_is_not_changed_by_keeping_to_it():
    """A plan serves for several runs, and for a preview."""
    stack, _, _ = make()
    stack.up(buckets(a="1"))
    plan = stack.preview(buckets(a="2"), save_plan=True).plan
    assert stack.preview(buckets(a="2"), plan=plan).summary == {"update": 1}
    assert stack.up(buckets(a="2"), plan=plan).summary == {"update": 1}
    assert stack.up(buckets(a="2"), plan=plan).summary == {}


def test_the_state_moved_on():
    """A change that is not in the plan, because the stack was another, is refused."""
    stack, _, _ = make()
    stack.up(lambda: Bucket("a", acl="1", source="24"))
    plan = stack.preview(lambda: Bucket("a", acl="2", source="24"), save_plan=True).plan
    stack.up(lambda: Bucket("a", acl="1", source="26"))
    told = str(stack.up(lambda: Bucket("a", acl="2", source="24"), plan=plan, expect_failure=True))
    assert "properties changed: =~source[{24}]" in told


def test_dependents_are_deleted_as_planned():
    """A replacement by deleting first plans the deletion of its dependents with their creation."""
    stack, _, _ = make()

    def program(cidr):
        net = Thing(NET, "n", cidr=cidr)
        Thing(NET, "m", pulumi.ResourceOptions(depends_on=[net]), cidr=net.id)

    stack.up(lambda: program("10"))
    plan = stack.preview(lambda: program("11"), save_plan=True).plan
    steps = {urn.rpartition("::")[2]: planned["steps"] for urn, planned in plan["resourcePlans"].items()}
    assert steps["n"] == steps["m"] == ["delete-replaced", "replace", "create-replacement"]
    assert stack.up(lambda: program("11"), plan=plan).summary == {"replace": 2}


def test_check_gets_the_plan_s_seed():
    """The up asks Check with the random bytes of the preview, so that it makes up the same."""
    stack, double, _ = make()
    plan = stack.preview(buckets(a="1"), save_plan=True).plan
    stack.up(buckets(a="1"), plan=plan)
    seeds = [
        (entry.call.session.preview, entry.call.seed) for entry in double.journal if entry.call.name == "a" and entry.call.seed
    ]
    assert set(seeds) == {(True, seeds[0][1]), (False, seeds[0][1])}


@pytest.mark.parametrize("text", ["[]", "{}", "no JSON", '{"manifest": {}, "resourcePlans": {"urn": {"goal": {"name": "a"}}}}'])
def test_what_is_no_plan(tmp_path, text):
    """A file that is no plan is refused with how to save one."""
    stack, _, _ = make()
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(MalformedError, match="save_plan"):
        stack.up(buckets(a="1"), plan=tmp_path / "plan.json")


def test_encrypted_secrets_are_refused():
    """A secret that only the stack's key opens cannot be compared."""
    stack, _, _ = make()
    plan = stack.preview(lambda: Bucket("a", token="t"), save_plan=True).plan
    secret = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "v1:x"}
    plan["resourcePlans"][URN + "a"]["goal"]["inputDiff"]["adds"]["token"] = secret
    with pytest.raises(UnsupportedError, match="show-secrets"):
        stack.up(lambda: Bucket("a", token="t"), plan=plan)


@pytest.mark.parametrize(
    ("old", "new", "plan", "told"),
    [
        ({}, {"a": 1}, PlanDiff(adds={"a": UNKNOWN}), ""),
        ({}, {}, PlanDiff(adds={"a": UNKNOWN}), ""),
        ({"a": 1}, {"a": 2}, PlanDiff(adds={"a": 2}), ""),
        ({"a": 1}, {}, PlanDiff(updates={"a": UNKNOWN}), ""),
        ({"a": 1}, {}, PlanDiff(updates={"a": 2}), "~-a[{2}], ~-a[{2}]"),
        ({}, {"a": 1}, PlanDiff(updates={"a": 1}), "~+a[{1}!={1}], ~+a[{1}!={1}]"),
        ({"a": 1}, {"a": 1}, PlanDiff(deletes=("a",)), "-=a[{1}]"),
        ({"a": 1}, {"a": 2}, PlanDiff(deletes=("a",)), "-~a[{2}], -~a[{2}]"),
        ({}, {"a": 1}, PlanDiff(deletes=("a",)), "-+a[{1}], -+a[{1}]"),
        ({"a": 1}, {"a": 1}, PlanDiff(adds={"a": 2}), "+=a[{2}!={1}]"),
        ({"a": 1}, {"a": 1}, PlanDiff(updates={"a": 2}), "~=a[{2}!={1}]"),
        ({"a": 1}, {"a": None}, PlanDiff(deletes=("a",)), ""),
        ({"a": {"b": 1}}, {"a": {"b": 1}}, PlanDiff(), ""),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, PlanDiff(), "=~a[{map[b:{1} c:{2}]}]"),
        ({"a": 1}, {"a": UNKNOWN}, PlanDiff(), ""),
    ],
)
def test_properties_against_a_plan(old, new, plan, told):
    """Each way in which a property can deviate is told with the planned and the actual sign and value."""
    assert violation(old, new, plan).removeprefix("properties changed: ") == told


@pytest.mark.parametrize(
    ("planned", "actual", "told"),
    [
        ({}, {"custom": False}, "resource kind changed (expected custom)"),
        ({"custom": False}, {}, "resource kind changed (expected component)"),
        ({"property_dependencies": {"a": ("x",)}}, {"property_dependencies": {"a": ("x",)}}, ""),
        ({"property_dependencies": {"a": ("x",)}}, {}, ""),
        (
            {"property_dependencies": {"a": ("x",)}},
            {"property_dependencies": {"a": ("y",)}},
            "dependencies for a changed: added y; deleted x",
        ),
        ({"ignore_changes": ("a", "b")}, {"ignore_changes": ("b",)}, "ignoreChanges changed: deleted a"),
        ({}, {"dependencies": ("b", "a")}, "dependencies changed: added a, b"),
    ],
)
def test_a_goal_against_a_plan(planned, actual, told):
    """The first option that deviates is told, with what was planned; a property that is gone may have had any dependencies."""
    goals = (GoalPlan(type="cloud:index:Bucket", name="a", **fields) for fields in (planned, actual))
    assert goal_violation(*goals, {}, {}) == told


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("bar", "{bar}"),
        (None, "{<nil>}"),
        (True, "{true}"),
        (42.0, "{42}"),
        (1.5, "{1.5}"),
        ([1, "a"], "{[{1} {a}]}"),
        ({"b": UNKNOWN, "a": 42}, "{map[a:{42} b:output<string>{}]}"),
        (Secret("x"), "{[secret]}"),
        (Output("x", secret=True), "{[secret]}"),
        (Output("x"), "{x}"),
        (Asset(text="t", hash="h"), "{&{c44067f5952c0a294b673a41bacd8c17 h t  }}"),
        (Archive(path="p", hash="h"), "{&{0def7320c3a5731c473e5ecbe6d01bc7 h map[] p }}"),
    ],
)
def test_values_in_messages(value, shown):
    """Values are written as the real engine writes them, but for secrets."""
    assert show(value) == shown


def test_secrets_are_compared():
    """A secret is not like the plain value, and two are alike if their values are; nulls count as absent."""
    changes = difference({"a": Secret(1), "b": Secret(1), "c": None}, {"a": 1, "b": Secret(1), "d": None})
    assert (changes.updates, changes.sames, changes.adds, changes.deletes) == ({"a": 1}, {"b": Secret(1)}, {}, ())
    assert number(1e300) == "1e+300"


def test_unknown_values_may_become_any():
    """What the plan does not know may turn out as anything, and what it knows may not."""
    stack, _, _ = make()

    def program(**given):
        first = Bucket("first")
        return Bucket("second", **{"source": first.arn, "acl": "1", **given})

    plan = stack.preview(program, save_plan=True).plan
    told = str(stack.up(lambda: program(acl="2"), plan=plan, expect_failure=True))
    assert f"resource {URN}second violates plan: properties changed: ++acl[{{1}}!={{2}}]" in told
    assert stack.up(program, plan=plan).summary == {"create": 1}


def test_what_was_to_go_and_stays():
    """A resource that the plan deletes, and that the program asks for after all, is refused."""
    stack, _, _ = make()
    stack.up(buckets(a="1", b="1"))
    plan = stack.preview(buckets(a="1"), save_plan=True).plan
    told = str(stack.up(buckets(a="1", b="1"), plan=plan, expect_failure=True))
    assert f"resource {URN}b violates plan: resource unexpectedly not deleted" in told


def test_a_renamed_resource():
    """A resource that is found under an alias is planned under its new name."""
    stack, _, _ = make()
    stack.up(buckets(a="1"))

    def renamed():
        Bucket("b", pulumi.ResourceOptions(aliases=[pulumi.Alias(name="a")]), acl="2")

    plan = stack.preview(renamed, save_plan=True).plan
    assert plan["resourcePlans"][URN + "b"]["steps"] == ["update"]
    assert stack.up(renamed, plan=plan).summary == {"update": 1}


def test_a_failed_preview_has_no_plan(tmp_path):
    """A preview that fails makes no plan, and writes no file."""
    stack, _, _ = make()
    file = tmp_path / "plan.json"
    failed = stack.preview(lambda: Bucket("a", tags="none"), save_plan=file, expect_failure=True)
    assert failed.plan is None
    assert not file.exists()
