"""Pulumi's diff as data."""

import pytest

from mockprovider.calls import Change, ChangeKind, Plan, Reply
from mockprovider.errors import MalformedError
from mockprovider.pulumi.diff import (
    Changes,
    Diff,
    DiffKind,
    as_diff,
    compare,
    from_plan,
    invert,
    resolved,
    with_replace_on_changes,
)
from mockprovider.values import Secret

PLAN = Plan(
    {"name": "b"},
    (Change("name", ChangeKind.UPDATE, replaces=True), Change("tags.a", ChangeKind.ADD), Change("tags.b", ChangeKind.DELETE)),
    delete_before_replace=True,
    stable=("arn",),
)


def test_a_plan_is_projected():
    """Every change has its path and kind, with replacement in the kind; top-level keys are listed once."""
    assert from_plan(PLAN) == Diff(
        Changes.SOME,
        replaces=("name",),
        stables=("arn",),
        delete_before_replace=True,
        diffs=("name", "tags"),
        detailed={"name": (5, True), "tags.a": (0, True), "tags.b": (2, True)},
        has_detailed=True,
    )


def test_a_plan_without_changes_is_none():
    """Nothing to be done is DIFF_NONE, and what is stable stays told."""
    assert from_plan(Plan({}, stable=("arn",))) == Diff(Changes.NONE, stables=("arn",))


def test_any_reply_has_a_diff():
    """A decoded diff comes first, then the plan's projection; a reply with neither is "unknown"."""
    decoded = Diff(Changes.NONE)
    assert as_diff(Reply(plan=PLAN, extra={"diff": decoded})) is decoded
    assert as_diff(Reply(plan=PLAN)) == from_plan(PLAN)
    assert as_diff(Reply()).changes == Changes.UNKNOWN


def test_the_engine_s_own_comparison():
    """Additions, deletions and changes are found by path; what is a secret on one side alone has changed."""
    old = {"a": 1, "b": {"c": [1, 2]}, "s": Secret("x"), "t": Secret({"u": 1}), "v": Secret({"w": 1}), "gone": 1}
    new = {"a": 1, "b": {"c": [1, 3, 4]}, "s": "x", "t": Secret({"u": 1}), "v": Secret({"w": 2}), "new": 1}
    assert compare(old, new).detailed == {
        "b.c[1]": (DiffKind.UPDATE, True),
        "b.c[2]": (DiffKind.ADD, True),
        "gone": (DiffKind.DELETE, True),
        "s": (DiffKind.UPDATE, True),
        "v": (DiffKind.UPDATE, True),
        "new": (DiffKind.ADD, True),
    }
    assert compare(old, old).changes == Changes.NONE


def test_unknown_is_settled_by_comparing_and_keeps_its_replaces():
    """A provider that does not know still decides about replacement."""
    found = resolved(Diff(replaces=("a",)), {"a": 1}, {"a": 2})
    assert (found.changes, found.replaces, found.diffs) == (Changes.SOME, ("a",), ("a",))
    assert resolved(Diff(replaces=("a",)), {"a": 1}, {"a": 1}).changes == Changes.NONE


def test_inversion_turns_additions_and_deletions_round():
    """The inverse of the inverse is the diff itself."""
    diff = Diff(Changes.SOME, detailed={str(kind): (int(kind), False) for kind in DiffKind}, has_detailed=True)
    turned = {path: kind for path, (kind, _) in invert(diff).detailed.items()}
    assert turned == {"0": 2, "1": 3, "2": 0, "3": 1, "4": 4, "5": 5}
    assert invert(invert(diff)) == diff


@pytest.mark.parametrize(
    ("patterns", "replaces", "kind"),
    [(["tags"], ("tags",), 5), (["tags.*"], (), 5), (["*"], ("tags",), 5), (["other"], (), 4)],
)
def test_replace_on_changes(patterns, replaces, kind):
    """A changed path that a pattern covers wants replacement, in the detailed diff and among the keys."""
    diff = Diff(Changes.SOME, diffs=("tags",), detailed={"tags.a": (4, True)}, has_detailed=True)
    found = with_replace_on_changes(diff, patterns, init_errors=False)
    assert (found.replaces, found.detailed["tags.a"][0]) == (replaces, kind)


@pytest.mark.parametrize(("patterns", "replaced"), [(["#initerror"], True), (["*"], True), (["name"], False)])
def test_initialization_errors_can_want_replacement(patterns, replaced):
    """Old initialization errors replace the resource where the option says so, even if nothing changed."""
    found = with_replace_on_changes(Diff(Changes.NONE), patterns, init_errors=True)
    assert (found.changes == Changes.SOME and found.wants_replacement) is replaced


def test_a_pattern_that_is_no_path_is_told():
    """An option that cannot mean anything is an error, not a pattern that never fits."""
    with pytest.raises(MalformedError):
        with_replace_on_changes(Diff(Changes.SOME), ["a["], init_errors=False)


def test_changed_keys_that_are_no_paths_are_passed_over():
    """A provider may list keys that no path can spell; they fit no pattern."""
    found = with_replace_on_changes(Diff(Changes.SOME, diffs=("a[",)), ["a"], init_errors=False)
    assert found.replaces == ()
