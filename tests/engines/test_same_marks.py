"""The embedded engine against the real CLI: tainted and protected resources, and the times in a state."""

from __future__ import annotations

import pulumi
import pytest
from engine_toolbox import BUCKET, NET, Bucket, Component, Existing, Thing
from pulumi import ResourceOptions

from mockprovider.calls import Op

pytestmark = pytest.mark.pulumi_cli


def mark(both, command: str, *names: str) -> None:
    """Mark resources in the states of both engines."""
    both.log.begin(command, {"names": names})
    for engine in (both.stack, both.cli):
        getattr(engine, command)(*names)


def times(exported) -> dict[str, tuple[bool, bool]]:
    """Of each resource by name and deletion: whether it has a time of creation, and whether it was modified since."""
    return {
        f"{each['urn'].rpartition('::')[2]} {each.get('delete', False)}": (
            bool(each.get("created")),
            bool(each.get("modified")) and each.get("modified") != each.get("created"),
        )
        for each in exported["deployment"]["resources"]
    }


def same_times(both) -> None:
    """The states of both engines have times at the same resources."""
    assert times(both.stack.export()) == times(both.cli.export())


def test_what_is_tainted_is_replaced(both):
    """A tainted resource, component or target is replaced by the next up, and is tainted no more; a preview shows it."""

    def program():
        component = Component("c")
        first = Bucket("a", acl="1", opts=ResourceOptions(parent=component))
        net = Thing(NET, "n", cidr="10")
        Thing(NET, "m", cidr=net.id)
        Bucket("b", source=first.arn)

    both.run("up", program)
    mark(both, "taint", "a", "n", "c")
    assert both.run("preview", program)["a"] == ["Check", "Create"]
    both.run("refresh")
    both.run("up", program)
    assert both.results[0].summary["replace"] >= 3
    both.run("up", program)
    assert both.results[0].summary == {}
    mark(both, "taint", "b")
    mark(both, "untaint", "b")
    both.run("up", program)
    assert both.results[0].summary == {}


def test_a_tainted_resource_whose_replacement_fails(both):
    """It is tainted still, and replaced in the next run."""
    both.run("up", lambda: Bucket("a"))
    mark(both, "taint", "a")
    both.fail(Op.CREATE, "a")
    both.run("up", lambda: Bucket("a"), fails=True)
    both.run("up", lambda: Bucket("a"))
    assert both.results[0].summary == {"replace": 1}


def test_a_tainted_resource_that_is_no_target(both):
    """It stays, and stays tainted."""
    both.run("up", lambda: [Bucket("a"), Bucket("b")])
    mark(both, "taint", "a")
    both.run("up", lambda: [Bucket("a"), Bucket("b", acl="1")], target=["b"])
    both.run("up", lambda: [Bucket("a"), Bucket("b", acl="1")])
    assert both.results[0].summary == {"replace": 1}


def test_protection_can_be_ignored(both):
    """With ``ignore_protect``, protected resources are deleted and replaced, also along with others."""

    def program(name, *, deleting=()):
        protected = ResourceOptions(protect=True)
        net = Thing(NET, "n", protected, cidr=name)
        if "m" not in deleting:
            Thing(NET, "m", protected, cidr=net.id)
        if "a" not in deleting:
            Bucket("a", protected, name=name)

    both.run("up", lambda: program("1"))
    both.run("up", lambda: program("1", deleting=["a"]), fails=True)
    both.run("up", lambda: program("1", deleting=["a"]), ignore_protect=True)
    both.run("up", lambda: program("2", deleting=["a"]), fails=True)
    both.run("preview", lambda: program("2", deleting=["a"]), ignore_protect=True)
    both.run("up", lambda: program("2", deleting=["a"]), ignore_protect=True)
    both.run("destroy", fails=True)
    both.run("destroy", ignore_protect=True)


def test_protection_by_hand(both):
    """What is protected in the state alone is not deleted, until it is unprotected."""
    both.run("up", lambda: Bucket("a"))
    mark(both, "protect", "a")
    both.run("destroy", fails=True)
    mark(both, "unprotect", "a")
    both.run("destroy")


def test_times(both):
    """Resources have the times of their creation and of their last change: of updates, reads, refreshes and imports."""
    wanted = {"acl": "1", "name": "n"}
    both.create(BUCKET, "there", acl="public", arn="arn:cloud:::there")

    def program():
        component = Component("c")
        component.register_outputs({"acl": wanted["acl"]})
        first = Bucket("a", acl=wanted["acl"])
        Bucket("same", source=first.arn)
        Bucket("replaced", name=wanted["name"])
        Existing("read", "there")
        Bucket("imported", ResourceOptions(import_="there"), acl="public")
        pulumi.export("acl", wanted["acl"])

    both.run("up", program)
    same_times(both)
    both.run("up", program)
    same_times(both)
    wanted.update(acl="2", name="m")
    both.run("up", program)
    same_times(both)
    both.drift(BUCKET, acl="drifted")
    both.run("refresh")
    same_times(both)


def test_times_of_failures(both):
    """What could not be updated has the time of its last change, and what was updated beside it the new one."""
    wanted = {"acl": "1"}

    def program():
        Bucket("a", acl=wanted["acl"])
        Bucket("b", acl=wanted["acl"])

    both.run("up", program)
    wanted.update(acl="2")
    both.fail(Op.UPDATE, "a")
    both.run("up", program, fails=True, continue_on_error=True)
    same_times(both)
