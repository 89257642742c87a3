"""The embedded engine against the real CLI: objects that ask to be read before they are changed (reference 2.19)."""

from __future__ import annotations

import pytest
from engine_toolbox import BUCKET, Bucket, Thing
from msgspec.structs import replace
from pulumi import ResourceOptions

from mockprovider.calls import Failure, Op
from mockprovider.pulumi import ResourceTraits
from mockprovider.schema import Property, ResourceType

EAGER = "cloud:index:Eager"

pytestmark = pytest.mark.pulumi_cli


@pytest.fixture
def both(both):
    """Both engines, side by side, with a type whose objects ask to be read first."""
    for double in both.doubles:
        properties = {
            "size": Property(str),
            "zone": Property(str, forces_new=True),
            "token": Property(str, secret=True),
            "arn": Property(str, computed="arn:{id}"),
        }
        double.define(ResourceType(EAGER, properties, traits=[ResourceTraits(refresh_before_update=True)]))
    return both


def drift(both, **changes):
    """Change the object behind both engines' backs."""
    for double in both.doubles:
        double.cloud.drift(EAGER, **changes)


def test_life(both):
    """Up, nothing to do, drift, change, replacement and destroy: each looks first, and looking asks Diff, too."""
    wanted = {"size": "s", "zone": "a", "token": "t"}

    def program():
        Thing(EAGER, "web", **wanted)
        Bucket("plain", acl="x")

    assert both.run("up", program)["web"] == ["Check", "Create"]
    assert both.run("up", program)["web"] == ["Read", "Diff", "Check", "Diff"]
    drift(both, size="drifted")
    both.run("preview", program)
    assert both.run("up", program)["web"] == ["Read", "Diff", "Check", "Diff", "Update"]
    wanted["size"] = "m"
    both.run("up", program, preview=True)
    drift(both, size="drifted")
    wanted["zone"] = "b"
    both.run("up", program)
    drift(both, size="drifted")
    both.run("refresh")
    assert both.run("destroy")["web"] == ["Read", "Diff", "Delete"]


def test_gone(both):
    """What is no longer there is made again by up, and not deleted by destroy."""

    def program():
        Bucket("after", ResourceOptions(depends_on=[Thing(EAGER, "web", size="s")]))

    both.run("up", program)
    for double in both.doubles:
        double.cloud.vanish(EAGER)
    both.run("preview", program)
    assert both.run("up", program)["web"] == ["Read", "Check", "Create"]
    for double in both.doubles:
        double.cloud.vanish(EAGER)
    both.run("destroy", preview=True)
    assert both.run("destroy")["web"] == ["Read"]


def test_the_program_lets_go(both):
    """What the program no longer has is read before it is deleted."""
    names = ["one", "two"]

    def program():
        for name in names:
            Thing(EAGER, name, size=name)

    both.run("up", program)
    names.remove("one")
    assert both.run("up", program)["one"] == ["Read", "Diff", "Delete"]
    both.run("destroy")


def test_limited(both):
    """An operation with targets reads those among them alone."""

    def program():
        for name in ("one", "two"):
            Thing(EAGER, name, size=name)

    both.run("up", program)
    both.run("up", program, target=["one"])
    both.run("destroy", target=["two"])
    both.run("destroy")


@pytest.mark.parametrize("op", [Op.READ, Op.UPDATE, Op.DELETE])
def test_failures(both, op):
    """A call that fails stops the operation, and the next one mends it."""
    wanted = {"size": "s"}

    def program():
        Bucket("after", ResourceOptions(depends_on=[Thing(EAGER, "web", **wanted)]))

    both.run("up", program)
    wanted["size"] = "m"
    both.fail(op, "web")
    if op is not Op.DELETE:
        both.run("up", program, fails=True)
        both.run("up", program)
    else:
        both.run("destroy", fails=True)
    both.run("destroy")


def test_refreshing_as_a_whole(both):
    """With ``--refresh`` everything is read once, what asks for it no more often than the others."""

    def program():
        Thing(EAGER, "web", size="s")
        Bucket("plain", acl="x")

    both.run("up", program)
    drift(both, size="drifted")
    for double in both.doubles:
        double.cloud.drift(BUCKET, acl="drifted")
    both.run("up", program, refresh=True)
    both.run("destroy", refresh=True)


def test_a_half_made_object(both):
    """An object that exists although making it failed is read before the next operation mends it."""

    def program():
        Thing(EAGER, "web", size="s")

    for each in both.breaking:
        each.replace(Op.CREATE, "web", _half_made)
    both.run("up", program, fails=True)
    assert both.run("up", program)["web"] == ["Read", "Diff", "Check", "Diff"]
    both.run("destroy")


def _half_made(call, proceed):
    reply = proceed(call)
    return replace(reply, failures=(Failure("not ready"),))
