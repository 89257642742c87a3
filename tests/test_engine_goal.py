"""Registrations: durations, and the names under which a resource may have been known."""

import pytest

from mockprovider.durations import seconds
from mockprovider.engine.registrations.goal import Alias, Goal, alias_urns, new_state
from mockprovider.errors import MalformedError

BUCKET = "cloud:index:Bucket"
STACK = "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev"


def urn(qualified_type, name, stack="dev", project="shop"):
    """A URN."""
    return f"urn:pulumi:{stack}::{project}::{qualified_type}::{name}"


@pytest.mark.parametrize(("text", "expected"), [("", 0), ("90s", 90), ("1h30m", 5400), ("1.5m", 90), ("250ms", 0.25)])
def test_durations(text, expected):
    """Go's durations become seconds."""
    assert seconds(text) == pytest.approx(expected)


@pytest.mark.parametrize("text", ["soon", "5", "5m later", "m"])
def test_what_is_no_duration_is_told(text):
    """Anything else is an error that shows how to write it."""
    with pytest.raises(MalformedError, match="1h30m"):
        seconds(text)


@pytest.mark.parametrize(
    ("alias", "expected"),
    [
        (Alias(urn=urn(BUCKET, "old")), urn(BUCKET, "old")),
        (Alias(name="old"), urn(BUCKET, "old")),
        (Alias(type="cloud:index:Old"), urn("cloud:index:Old", "new")),
        (Alias(project="former"), urn(BUCKET, "new", project="former")),
        (Alias(stack="prod"), urn(BUCKET, "new", stack="prod")),
        (Alias(parent=urn("my:index:C", "c")), urn(f"my:index:C${BUCKET}", "new")),
    ],
)
def test_aliases(alias, expected):
    """An alias is a URN, or what differs from the present one; the stack as a parent contributes nothing."""
    goal = Goal(type=BUCKET, name="new", parent=STACK, aliases=(alias,))
    assert alias_urns(goal, "dev", "shop", {}) == (expected,)


def test_an_alias_without_parent():
    """``noParent`` takes the present parent's type out of the URN."""
    goal = Goal(type=BUCKET, name="b", parent=urn("my:index:C", "c"), aliases=(Alias(no_parent=True),))
    assert alias_urns(goal, "dev", "shop", {}) == (urn(BUCKET, "b"),)


def test_children_follow_their_renamed_parent():
    """A parent found under an alias gives its children aliases, and renames those that are named after it."""
    parent = urn("my:index:C", "app")
    goal = Goal(type=BUCKET, name="app-logs", parent=parent, aliases=(Alias(name="app-files"),))
    adopted = {parent: urn("my:index:C", "site")}
    assert alias_urns(goal, "dev", "shop", adopted) == (
        urn(f"my:index:C${BUCKET}", "app-files"),
        urn(f"my:index:C${BUCKET}", "site-logs"),
        urn(f"my:index:C${BUCKET}", "site-files"),
    )


def test_a_new_state_is_what_the_program_said():
    """A registration starts as its raw inputs, without id and outputs; a read one has the id that it is read by."""
    state = new_state(Goal(type=BUCKET, name="b", inputs={"acl": "x"}, protect=True), urn(BUCKET, "b"))
    assert (state.id, state.inputs, state.outputs, state.protect, state.external) == ("", {"acl": "x"}, {}, True, False)
    read = new_state(Goal(type=BUCKET, name="b", reads=True, read_id="b-1"), urn(BUCKET, "b"))
    assert (read.id, read.external) == ("b-1", True)
