"""The decision about a registration: a pure function, tested without an SDK or a provider."""

import pytest

from mockprovider.engine.registrations.decision import (
    STEPS,
    Decision,
    StepOp,
    calls_delete,
    decide,
    deletion,
    forced,
    imports,
    objections,
    prepare,
    triggers,
)
from mockprovider.engine.registrations.goal import Goal
from mockprovider.engine.steps.kinds import KINDS, EngineStep, reported
from mockprovider.pulumi.diff import Changes, Diff
from mockprovider.pulumi.stacks.state import ResourceState
from mockprovider.values import UNKNOWN, Secret

URN = "urn:pulumi:dev::project::cloud:index:Bucket::logs"
GOAL = Goal(type="cloud:index:Bucket", name="logs", inputs={"acl": "public"})
NONE = Diff(Changes.NONE)
SOME = Diff(Changes.SOME, diffs=("acl",))
REPLACE = Diff(Changes.SOME, replaces=("name",))
DELETE_FIRST = Diff(Changes.SOME, replaces=("name",), delete_before_replace=True)


def old(**fields):
    """A remembered bucket."""
    return ResourceState(urn=URN, type="cloud:index:Bucket", custom=True, id="b-1", inputs={"acl": "private"}, **fields)


def goal(**fields):
    """The bucket as a program wants it."""
    return Goal(type="cloud:index:Bucket", name="logs", inputs={"acl": "public"}, **fields)


@pytest.mark.parametrize(
    ("remembered", "wanted", "diff", "decision"),
    [
        (None, GOAL, None, Decision.CREATE),
        (old(), GOAL, NONE, Decision.SAME),
        (old(), GOAL, None, Decision.SAME),
        (old(), GOAL, SOME, Decision.UPDATE),
        (old(), GOAL, REPLACE, Decision.REPLACE),
        (old(), GOAL, DELETE_FIRST, Decision.DELETE_AND_REPLACE),
        (old(), goal(delete_before_replace=True), REPLACE, Decision.DELETE_AND_REPLACE),
        (old(), goal(delete_before_replace=False), DELETE_FIRST, Decision.REPLACE),
        (old(init_errors=["slow"]), GOAL, NONE, Decision.UPDATE),
        (old(external=True), GOAL, None, Decision.TAKE_OVER),
        (old(pending_replacement=True), goal(delete_before_replace=True), NONE, Decision.RESUME),
        (old(pending_replacement=True), GOAL, NONE, Decision.REPLACE),
        (old(), GOAL, Diff(Changes.NONE, replaces=("name",)), Decision.SAME),
        (old(), GOAL, Diff(Changes.SOME, detailed={"name": (5, True)}, has_detailed=True), Decision.REPLACE),
        (old(), GOAL, Diff(Changes.SOME, detailed={"name": (5, True)}), Decision.UPDATE),
    ],
)
def test_decide(remembered, wanted, diff, decision):
    """What is remembered, what is wanted and what Diff said settle what happens."""
    assert decide(remembered, wanted, diff) is decision


def test_what_this_run_deleted_is_recreated():
    """A resource that was deleted because of another's replacement is created anew without asking Diff."""
    assert decide(old(), GOAL, recreating=True) is Decision.RECREATE


def test_every_decision_and_every_op_is_in_the_tables():
    """No decision lacks its steps, and no step lacks its kind."""
    assert set(STEPS) == set(Decision)
    assert {op for ops in STEPS.values() for op in ops} < set(StepOp)
    replacing = {decision for decision, ops in STEPS.items() if StepOp.REPLACE in ops}
    assert replacing == {decision for decision, ops in STEPS.items() if StepOp.CREATE_REPLACEMENT in ops}
    assert set(KINDS) == set(StepOp)


def test_check_sees_old_inputs_with_ignored_changes():
    """``ignoreChanges`` copies old inputs over new ones before Check, and the old inputs go along."""
    prepared = prepare(old(), goal(ignore_changes=("acl",)))
    assert (prepared.old_inputs, prepared.inputs) == ({"acl": "private"}, {"acl": "private"})


@pytest.mark.parametrize(("remembered", "recreating"), [(None, False), (old(external=True), False), (old(), True)])
def test_check_sees_nothing_old_of_what_is_not_ours(remembered, recreating):
    """What is new, only read or being created anew is checked without old inputs, and without ignoring changes."""
    prepared = prepare(remembered, goal(ignore_changes=("acl",)), recreating=recreating)
    assert (prepared.old_inputs, prepared.inputs) == (None, {"acl": "public"})


@pytest.mark.parametrize(
    ("remembered", "id_", "expected"),
    [
        (None, "b-1", True),
        (old(), "b-1", False),
        (old(), "b-2", True),
        (old(import_id="canonical/b-2"), "canonical/b-2", False),
        (old(external=True), "b-1", True),
        (old(), "", False),
    ],
)
def test_imports(remembered, id_, expected):
    """The option ``import`` means an import where nothing managed of that id is remembered."""
    assert imports(remembered, goal(import_id=id_)) is expected


@pytest.mark.parametrize(
    ("new", "before", "expected"),
    [
        (1, 1, False),
        (2, 1, True),
        (Secret(1), 1, False),
        (None, 1, False),
        (1, None, False),
        (UNKNOWN, 1, True),
        (UNKNOWN, None, True),
        (["x", UNKNOWN], ["x", 1], True),
    ],
)
def test_replacement_triggers(new, before, expected):
    """A trigger goes off when it changes from a value to another, or is unknown; secrets do not count, and null is none."""
    assert triggers(new, before) is expected


def test_forced_replacements_come_in_order():
    """The trigger comes before ``replaceWith``, and that before the provider, which is asked last; each has its key."""
    remembered = old(replacement_trigger=1)
    wanted = goal(replacement_trigger=2, replace_with=("urn:other",))
    assert forced(remembered, wanted, {"urn:other"}, provider_replaced=lambda: 1 / 0).replaces == ("replacementTrigger",)
    assert forced(old(), wanted, {"urn:other"}, provider_replaced=lambda: 1 / 0).replaces == ("replaceWith",)
    assert forced(old(), wanted, set(), provider_replaced=lambda: True).replaces == ("provider",)
    assert forced(old(), wanted, set(), provider_replaced=lambda: False) is None


def test_protection_speaks_against_a_replacement_only_before_and_after():
    """Unprotecting and replacing in one run is allowed."""
    assert [each.severity for each in objections(old(protect=True), old(), goal(protect=True), REPLACE)] == ["error"]
    assert objections(old(protect=True), old(), goal(protect=False), REPLACE) == []


def test_an_import_speaks_against_a_replacement():
    """A resource that still names the id that it was imported by is not replaced, and the key to blame is told."""
    new = ResourceState(urn=URN, type="cloud:index:Bucket", inputs={"name": "n"})
    (found,) = objections(old(), new, goal(import_id="b-1"), REPLACE)
    assert found.severity == "warning"
    assert found.message.endswith("\nname: {<nil>} => {n}")


@pytest.mark.parametrize(
    ("state", "op"),
    [
        (old(), StepOp.DELETE),
        (old(delete=True), StepOp.DELETE_REPLACED),
        (old(external=True), StepOp.DISCARD),
        (old(external=True, delete=True), StepOp.DISCARD_REPLACED),
        (old(pending_replacement=True), StepOp.REMOVE_PENDING_REPLACE),
    ],
)
def test_how_leftovers_leave(state, op):
    """What the program no longer has leaves the state by the step that fits it."""
    assert deletion(state) is op


def test_who_is_asked_to_delete():
    """No Delete reaches the provider for what is external, retained, a component, or deleted with its owner."""
    assert calls_delete(old(), set())
    assert not calls_delete(old(external=True), set())
    assert not calls_delete(old(retain_on_delete=True), set())
    assert not calls_delete(old(deleted_with="urn:owner"), {"urn:owner"})
    assert calls_delete(old(deleted_with="urn:owner"), set())
    assert not calls_delete(ResourceState(urn=URN, type="my:index:Component"), set())


@pytest.mark.parametrize(
    ("step", "op", "counts"),
    [
        ({"op": StepOp.CREATE}, "create", True),
        ({"op": StepOp.SAME}, "same", False),
        ({"op": StepOp.REPLACE}, "replace", True),
        ({"op": StepOp.CREATE_REPLACEMENT}, "create-replacement", False),
        ({"op": StepOp.READ, "news": False}, "read", False),
        ({"op": StepOp.REFRESH, "result": StepOp.UPDATE}, "update", True),
        ({"op": StepOp.REFRESH, "result": StepOp.SAME}, "same", False),
        ({"op": StepOp.CREATE, "type": "pulumi:providers:cloud"}, "create", False),
        ({"op": StepOp.CREATE, "type": "pulumi:pulumi:Stack"}, "create", False),
    ],
)
def test_what_a_summary_counts(step, op, counts):
    """It counts what changes a resource, a replacement once, and neither providers nor the stack."""
    type_ = step.pop("type", "cloud:index:Bucket")
    new = ResourceState(urn=f"urn:pulumi:dev::project::{type_}::x", type=type_, custom=True)
    assert reported(EngineStep(new=new, **step), only_refresh=True) == (op, counts)
    if step["op"] is StepOp.REFRESH:
        assert reported(EngineStep(new=new, **step), only_refresh=False) == ("refresh", False)
