"""The embedded engine against the real CLI: what operations are limited to, and whether they go on after errors."""

from __future__ import annotations

import pulumi
import pytest
from component_toolbox import SITE, package
from engine_toolbox import BUCKET, NET, Bucket, Component, Remote, Thing
from pulumi import ResourceOptions

from mockprovider.calls import Op

pytestmark = pytest.mark.pulumi_cli


def test_targets_are_all_that_an_update_touches(both):
    """Others are neither created, updated nor deleted, whatever the program says."""
    wanted = {"acl": "1"}
    names = ["a", "b", "c"]

    def program():
        made = {name: Bucket(name, **wanted) for name in names}
        Bucket("after", source=made["a"].arn, acl=wanted["acl"])

    both.run("up", program)
    wanted["acl"] = "2"
    names[1:] = ["d"]
    assert both.run("preview", program, target=["a"])["a"] == ["Check", "Diff", "Update"]
    assert both.run("up", program, target=["a"]).keys() & {"a", "b", "c", "d", "after"} == {"a"}
    both.run("up", program, target=["b", "d"])
    both.run("up", program)
    both.run("destroy")


def test_target_dependents(both):
    """What depends on a target is touched, too, where that is asked for."""
    wanted = {"acl": "1"}

    def program():
        first = Bucket("first", **wanted)
        second = Bucket("second", source=first.arn, **wanted)
        Bucket("third", ResourceOptions(depends_on=[second]), **wanted)
        Bucket("other", **wanted)

    both.run("up", program)
    wanted["acl"] = "2"
    both.run("up", program, target=["first"], target_dependents=True)
    for double in both.doubles:
        for each in double.cloud.objects(BUCKET):
            double.cloud.drift(BUCKET, each.id, acl="drifted")
    both.run("refresh", target=["second"])
    both.run("refresh", target=["first"], target_dependents=True)
    both.run("up", program)


def test_a_target_needs_what_would_be_created(both):
    """A target that depends on a resource that would be created, and is no target, is refused."""

    def program():
        first = Bucket("first")
        Bucket("second", source=first.arn)

    both.run("preview", program, target=["second"], fails=True)
    both.run("up", program, target=["second"], fails=True)
    both.run("up", program, target=["**second", "first"])


def test_a_limited_destroy(both):
    """What depends on a target goes only where dependents are asked for."""

    def program():
        first = Bucket("first")
        Bucket("second", source=first.arn)
        Bucket("kid", ResourceOptions(parent=Component("component")))
        Thing(NET, "other", cidr="x")

    both.run("up", program)
    both.run("destroy", target=["second"])
    both.run("up", program)
    both.run("destroy", target=["first"], fails=True)
    both.run("destroy", target=["first"], preview=True, fails=True)
    both.run("destroy", target=["first", "component"], target_dependents=True)
    both.run("destroy")


def test_excluding_from_updates(both):
    """What is excluded is left as it is, and not deleted; all else is touched, but, on request, for what depends on it."""
    wanted = {"acl": "1"}
    names = ["first", "gone"]

    def program():
        for name in names:
            Bucket(name, **wanted)
        second = Bucket("second", **wanted)
        third = Bucket("third", source=second.arn, **wanted)
        Bucket("fourth", ResourceOptions(depends_on=[third]), **wanted)

    both.run("up", program)
    wanted["acl"] = "2"
    assert both.run("preview", program, exclude=["second"]).keys() & {"first", "second", "third"} == {"first", "third"}
    assert "second" not in both.run("up", program, exclude=["second"])
    wanted["acl"] = "3"
    names.remove("gone")
    both.run("up", program, exclude=["gone", "**::s*"], exclude_dependents=True)
    for double in both.doubles:
        for each in double.cloud.objects(BUCKET):
            double.cloud.drift(BUCKET, each.id, acl="drifted")
    both.run("refresh", exclude=["third"])
    both.run("refresh", exclude=["second"], exclude_dependents=True)
    names.append("new")
    both.run("up", program, exclude=["new"])
    both.run("up", program)


def test_excluding_what_would_be_created(both):
    """What is excluded and not there yet is not made, nor, on request, is what depends on it."""

    def program():
        first = Bucket("first")
        second = Bucket("second", source=first.arn)
        Bucket("third", ResourceOptions(depends_on=[second]))
        Bucket("other")

    for operation in ("preview", "up"):
        assert both.run(operation, program, exclude=["first"], exclude_dependents=True).keys() & {"first", "second"} == set()
    both.run("up", program)


def test_excluding_from_a_destroy(both):
    """What is excluded stays, and so does what it depends on."""

    def program():
        first = Bucket("first")
        second = Bucket("second", source=first.arn)
        Bucket("third", source=second.arn)
        component = Component("component")
        Bucket("kid", ResourceOptions(parent=component))
        Bucket("sibling", ResourceOptions(parent=component))
        Thing(NET, "other", cidr="x")

    both.run("up", program)
    both.run("destroy", exclude=["second", "kid"], preview=True)
    both.run("destroy", exclude=["second", "kid"])
    both.run("up", program)
    both.run("destroy", exclude=["component"])
    both.run("destroy")


def test_excluding_what_needs_a_component(make_both):
    """What depends on a component needs all that is inside of it, and a limited destroy leaves that."""
    both = make_both(package=package)

    def program():
        site = Remote(SITE, "site", domain="a.org")
        Bucket("after", ResourceOptions(depends_on=[site]))
        Remote(SITE, "other", domain="b.org")

    both.run("up", program)
    both.run("destroy", exclude=["after"])
    assert {each["name"] for each in both.doubles[0].cloud.objects() if "name" in each} == {"a.org-logs"}
    both.run("destroy")


def test_replacing_on_demand(both):
    """What is named is replaced, though nothing in it has changed, and what depends on it follows."""

    def program():
        first = Bucket("first", name="x")
        Bucket("second", source=first.arn)
        Thing(NET, "net", cidr=first.arn)

    both.run("up", program)
    both.run("preview", program, replace=["first"])
    assert both.run("up", program, replace=["first"])["first"] == ["Check", "Create", "Delete"]
    both.run("up", program, replace=["net"])


def test_going_on_after_errors(both):
    """A resource that fails stops what depends on it, and nothing else; the next run mends it."""
    wanted = {"acl": "1"}
    names = ["gone"]

    def program():
        first = Bucket("first", **wanted)
        Bucket("second", ResourceOptions(depends_on=[first]), **wanted)
        third = Bucket("third", **wanted)
        for name in names:
            Bucket(name, source=third.arn)
        pulumi.export("third", third.arn)

    both.fail(Op.CREATE, "first")
    both.run("up", program, continue_on_error=True, fails=True)
    both.run("up", program, continue_on_error=True, preview=True)
    wanted["acl"] = "2"
    names.clear()
    both.fail(Op.UPDATE, "first")
    both.run("up", program, continue_on_error=True, fails=True)
    both.run("up", program)
    both.fail(Op.DELETE, "second")
    both.run("destroy", continue_on_error=True, fails=True)
    both.run("destroy")


def test_previews_of_refreshes_and_destroys(both):
    """A preview of a refresh reads and remembers nothing, one of a destroy asks nothing."""

    def program():
        Bucket("first", acl="x")

    both.run("up", program)
    for double in both.doubles:
        double.cloud.drift(BUCKET, acl="drifted")
    assert both.run("refresh", preview=True)["first"] == ["Read", "Diff"]
    both.run("destroy", preview=True)
    both.run("up", program, refresh=True)
    both.run("destroy", refresh=True)
