"""Renaming by aliases: when a new name counts, and for what."""

from __future__ import annotations

import pulumi
import pytest
from engine_toolbox import BUCKET, Bucket, Component, make
from pulumi import Alias, ResourceOptions

from mockprovider.engine.state.renaming import renamed
from mockprovider.errors import ProgramError
from mockprovider.pulumi.stacks.state import ResourceState

NEW = "urn:pulumi:dev::project::my:index:New::c"
OLD = "urn:pulumi:dev::project::my:index:Old::c"


def child_of(component: str) -> str:
    """The URN of the bucket below a component."""
    head, _, name = component.rpartition("::")
    return f"{head}${BUCKET}::{name}-kid"


def test_remembered_children_follow():
    """What is remembered below a renamed parent has the new URN, and so has what refers to it."""
    parent = ResourceState(urn=NEW, type="my:index:New", aliases=(OLD,))
    child = ResourceState(urn=child_of(OLD), type=BUCKET, parent=OLD)
    other = ResourceState(urn="urn:pulumi:dev::project::a:b:C::o", type="a:b:C", dependencies=(child.urn,))

    states = renamed([parent, child, other])

    assert [(state.urn, state.parent, state.aliases) for state in states[:2]] == [(NEW, "", ()), (child_of(NEW), NEW, ())]
    assert states[2].dependencies == (child_of(NEW),)
    assert parent.aliases == (OLD,)


def test_a_target_is_renamed_where_its_dependents_are_none():
    """The state stays valid, where ``pulumi`` 3.259 writes a second copy of the renamed resource and crashes."""
    stack, double, _ = make()
    options = ResourceOptions()

    def program():
        first = Bucket("new" if options.aliases else "old", options)
        Bucket("after", ResourceOptions(depends_on=[first]))

    stack.up(program)
    options = ResourceOptions(aliases=[Alias(name="old")])
    up = stack.up(program, target=["new"])
    assert (up.summary, up.state.names()) == ({}, {"new", "after"})
    assert up.state["after"].dependencies == (up.state["new"].urn,)
    stack.import_(stack.export())
    assert len(double.cloud.objects(BUCKET)) == 2


@pytest.mark.parametrize("order", ["first", "last"])
def test_two_claims_to_one_object(order):
    """Whoever comes second is refused, whether it claims by its name or by an alias (TestDuplicatesDueToAliases)."""
    stack, double, _ = make()
    stack.up(lambda: Bucket("a"))

    def program():
        options = ResourceOptions(aliases=[Alias(name="a")])
        if order == "first":
            options.depends_on = [Bucket("a")]
        claimant = Bucket("b", options)
        if order == "last":
            Bucket("a", ResourceOptions(depends_on=[claimant]))

    with pytest.raises(ProgramError, match="Duplicate resource"):
        stack.up(program)
    assert len(double.cloud.objects(BUCKET)) == 1


def test_an_alias_of_a_component_that_lost_its_parent():
    """Children are found after a run that failed between them and their component (TestSplitUpdateComponentAliases)."""
    stack, double, _ = make()
    stack.up(lambda: Bucket("child", ResourceOptions(parent=Component("component", ResourceOptions(parent=Bucket("top"))))))

    def moved(*, fails: bool):
        component = Component("component", ResourceOptions(aliases=[Alias(parent=pulumi.create_urn("top", BUCKET))]))
        if fails:
            raise ValueError("something went bang")
        Bucket("child", ResourceOptions(parent=component))

    stack.up(lambda: moved(fails=True), expect_failure=True)
    assert stack.up(lambda: moved(fails=False)).summary == {"delete": 1}
    assert len(double.cloud.objects(BUCKET)) == 1
