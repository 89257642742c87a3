"""The embedded engine against the real CLI: resources that were renamed, and what of a renaming a failed run has done."""

from __future__ import annotations

import pulumi
import pytest
from engine_toolbox import BUCKET, Bucket, Component, Thing
from pulumi import Alias, ResourceOptions

from mockprovider.calls import Op
from mockprovider.schema import Property, ResourceType

pytestmark = pytest.mark.pulumi_cli


def renamed(*names: str) -> ResourceOptions:
    """The option that says by which ``names`` a resource was known."""
    return ResourceOptions(aliases=[Alias(name=name) for name in names])


def test_one_object_is_no_two_resources(both):
    """What a resource took over by an alias cannot be registered under its own name, before or after."""

    def in_order():
        first = Bucket("a")
        Bucket("b", ResourceOptions.merge(renamed("a"), ResourceOptions(depends_on=[first])))

    def taken_over():
        second = Bucket("b", renamed("a"))
        Bucket("a", ResourceOptions(depends_on=[second]))

    both.run("up", lambda: Bucket("a"))
    both.run("up", in_order, fails=True)
    assert both.run("up", taken_over, fails=True)["a"] == ["Check"]
    both.run("up", lambda: Bucket("b", renamed("a")))


def test_children_follow_a_renamed_component_over_a_failed_run(both):
    """Where a run fails between a component and its children, the next one finds the children under the new parent."""
    parents: list[str] = ["top"]

    def program():
        top = [Bucket(name) for name in parents]
        alias = Alias(parent=pulumi.create_urn("top", BUCKET)) if not top else Alias()
        options = ResourceOptions(parent=top[0] if top else None, aliases=[alias] if not top else None)
        component = Component("component", options)
        if failing:
            raise ValueError("something went bang")
        Bucket("child", ResourceOptions(parent=component))

    failing = False
    both.run("up", program)
    parents.clear()
    failing = True
    both.run("up", program, fails=True)
    failing = False
    assert both.run("up", program)["child"] == ["Check", "Diff"]


def test_a_failed_renaming_is_none(both):
    """A resource has its new name once its step is done; until then the state has the old one."""
    wanted = {"acl": "x"}
    options = ResourceOptions()

    def program():
        first = Bucket("new" if options.aliases else "old", options, **wanted)
        Bucket("after", source=first.arn)

    both.run("up", program)
    options, wanted["acl"] = renamed("old"), "y"
    both.fail(Op.UPDATE, "new")
    both.run("up", program, fails=True)
    both.run("up", program)
    both.run("destroy")


def test_what_is_no_target_keeps_its_name(both):
    """Only a target is renamed; what depends on it follows."""
    options = ResourceOptions()

    def program():
        first = Bucket("new" if options.aliases else "old", options)
        Bucket("after", ResourceOptions(depends_on=[first]))
        Bucket("other", acl="x")

    both.run("up", program)
    options = renamed("old")
    both.run("up", program, target=["other"])
    both.run("up", program, target=["after"])
    both.run("up", program, target=["new", "after"])
    both.run("up", program)


def test_a_refresh_does_not_know_new_names(both):
    """A target that only the program has is refreshed when there is something, and created by the update that follows."""
    names = ["a"]

    def program():
        for name in names:
            Bucket(name)

    both.run("up", program)
    names.append("b")
    both.run("up", program, refresh=True, target=["b"])
    names.append("c")
    urn = f"urn:pulumi:dev::project::{BUCKET}::c"
    both.run("up", program, refresh=True, target=[urn], fails=True)
    both.run("up", program, replace=[urn], fails=True)
    both.run("preview", program, refresh=True, exclude=["c"])
    both.run("up", program, refresh=True)


def test_a_renamed_resource_is_excluded(both):
    """What is excluded by its new name keeps the old one; a preview has found out that the program has the new one."""
    options = ResourceOptions()

    def program():
        Bucket("new" if options.aliases else "old", options, acl="y" if options.aliases else "x")
        Bucket("other", acl="y" if options.aliases else "x")

    both.run("up", program)
    options = renamed("old")
    assert both.run("up", program, exclude=["new"])["other"] == ["Check", "Diff", "Update"] * 2
    both.run("up", program)


def test_a_type_is_renamed(both):
    """What a program takes over from another type is the same object, if the new type is declared to be the old one's heir."""
    bucket = ResourceType("cloud:storage:Bucket", {"acl": Property(str)}, moved_from=(BUCKET,))
    for double in both.doubles:
        double.define(bucket)
    wanted = {"acl": "x"}

    def program():
        Thing(bucket.token, "b", ResourceOptions(aliases=[Alias(type_=BUCKET)]), **wanted)

    both.run("up", lambda: Bucket("b", **wanted))
    both.run("up", program)
    wanted["acl"] = "y"
    assert both.run("up", program)["b"] == ["Check", "Diff", "Update"]
    both.run("refresh")
    both.run("destroy")
    assert both.objects() == [[], []]
