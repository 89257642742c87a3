"""The embedded engine against the real CLI: options where they meet each other, and states that are not whole."""

from __future__ import annotations

from typing import Any

import pulumi
import pytest
from engine_toolbox import BUCKET, NET, Bucket, Cloud, Component, Thing, one_by_one
from pulumi import Alias, Output, ResourceOptions

pytestmark = pytest.mark.pulumi_cli


class Keeping(pulumi.ComponentResource):
    """A component that has inputs."""

    def __init__(self, name: str, inputs: dict[str, Any]) -> None:
        super().__init__("my:index:Keeping", name, inputs)


def test_ignoring_below_what_was_not_there(both):
    """An ignored key is not set, though the map that holds it is new; the map itself is, and an old secret stays one."""
    wanted = {}

    def program():
        Bucket("b", ResourceOptions(ignore_changes=["tags.team"]), **wanted)

    both.run("up", program)
    wanted["tags"] = {"team": "core", "tier": "1"}
    assert both.run("up", program)["b"] == ["Check", "Diff", "Update"]
    wanted["tags"] = {"team": "web", "tier": "1"}
    assert both.run("up", program)["b"] == ["Check", "Diff"]


def test_ignoring_below_a_secret(both):
    """What comes back out of a secret map is a secret."""
    hidden = True

    def program():
        tags = Output.secret({"team": "core"}) if hidden else {"team": "web", "tier": "1"}
        Bucket("b", ResourceOptions(ignore_changes=["tags.team"]), tags=tags)

    both.run("up", program)
    hidden = False
    both.run("up", program)
    assert both.objects()[0][0]["tags"] == {"team": "core", "tier": "1"}


def test_ignoring_what_is_imported(both):
    """What the imported object lacks is not added where it is to be ignored."""
    both.create(BUCKET, "b-1", acl="public")

    def program():
        options = ResourceOptions(import_="b-1", ignore_changes=["tags.team", "acl"])
        Bucket("b", options, acl="private", tags={"team": "core", "tier": "1"})

    both.run("preview", program)
    both.run("up", program)
    both.run("up", program)


def test_target_dependents_of_a_provider(both):
    """What an explicit provider serves depends on it."""
    wanted = {"acl": "1"}

    def program():
        provider = Cloud("p")
        Bucket("served", ResourceOptions(provider=provider), **wanted)
        Bucket("other", **wanted)

    both.run("up", program)
    wanted["acl"] = "2"
    assert both.run("up", program, target=["p"], target_dependents=True)["served"] == ["Check", "Diff", "Update"]
    wanted["acl"] = "3"
    both.run("up", program, exclude=["p"], exclude_dependents=True)
    both.drift(BUCKET, acl="drifted")
    both.run("refresh", target=["p"], target_dependents=True)
    both.run("refresh", exclude=["p"], exclude_dependents=True)
    both.run("destroy", target=["p"], target_dependents=True)


def test_a_child_has_its_parent_s_provider(both):
    """A child of a resource is managed by the same provider, its parent's default one too, whatever its own version."""

    def program():
        parent = Bucket("parent", ResourceOptions(version="1.2.3"))
        Bucket("child", ResourceOptions(parent=parent))
        grandchild = Bucket("other", ResourceOptions(parent=parent, version="3.2.1"))
        component = Component("component", ResourceOptions(parent=parent))
        Bucket("inside", ResourceOptions(parent=component))
        Thing(NET, "net", ResourceOptions(parent=grandchild))

    both.run("up", program)
    both.run("up", program)


def test_deleted_once(both):
    """What goes before a replacement, and is known by another name now, is deleted once and made again."""
    wanted = {"cidr": "a"}
    options = ResourceOptions()

    def program():
        net = Thing(NET, "net", **wanted)
        name = "new" if options.aliases else "old"
        Thing(NET, name, ResourceOptions(aliases=options.aliases, replace_with=[net]), cidr="x", peer=net.id)

    both.run("up", program)
    options, wanted["cidr"] = ResourceOptions(aliases=[Alias(name="old")]), "b"
    both.run("up", program)
    both.run("up", program)


def test_deleted_once_with_what_it_is_replaced_with(both):
    """The same where only ``replace_with`` ties the two together, and where a bucket may be created before it is deleted."""
    wanted = {"cidr": "a"}
    options = ResourceOptions()

    def program():
        net = Thing(NET, "net", **wanted)
        name = "new" if options.aliases else "old"
        Bucket(name, ResourceOptions(aliases=options.aliases, replace_with=[net]))
        Bucket(f"{name}-2", ResourceOptions(aliases=[Alias(name="old-2")], depends_on=[net]), name=net.id)

    both.run("up", program)
    options, wanted["cidr"] = ResourceOptions(aliases=[Alias(name="old")]), "b"
    both.run("preview", program)
    both.run("up", program)
    both.run("up", program)


def test_a_value_that_becomes_a_secret(make_both):
    """Where the provider does not tell, a value that is a secret now has changed; inside of a component, too."""
    both = make_both("no-detailed-diff")
    hidden = False

    def program():
        value = Output.secret("x") if hidden else "x"
        Bucket("b", acl=value, tags={"team": value})
        Keeping("component", {"value": value})

    both.run("up", program)
    hidden = True
    both.run("up", program)
    both.run("up", program)
    hidden = False
    both.run("up", program)


def test_secret_triggers(both):
    """A secret trigger is not remembered, and so triggers nothing, until it is none any more."""
    hidden = True
    trigger: Any = "1"

    def program():
        Bucket("b", ResourceOptions(replacement_trigger=Output.secret(trigger) if hidden else trigger))
        Bucket("listed", ResourceOptions(replacement_trigger=["x", Output.secret(trigger)] if hidden else ["x", trigger]))

    both.run("up", program)
    trigger = "2"
    both.run("up", program)
    hidden = False
    both.run("up", program)
    trigger = "3"
    both.run("up", program)


def test_unknown_triggers(both):
    """In a preview, a trigger that is not known yet counts as changed, also where there was none."""
    triggered = False

    def program():
        first = Bucket("first", name="x" if triggered else "y")
        Bucket("b", ResourceOptions(replacement_trigger=first.arn if triggered else None))

    both.run("up", program)
    triggered = True
    both.run("preview", program)
    both.run("up", program)


def test_the_trigger_of_an_import(both):
    """Where an update follows an import at once, its trigger is forgotten."""
    both.create(BUCKET, "b-1", acl="public")
    both.create(BUCKET, "b-2", acl="private")

    # Which of the two is refused depends on which comes first.
    @one_by_one
    def program():
        yield Bucket("b", ResourceOptions(import_="b-1", replacement_trigger=trigger), acl="private")
        yield Bucket("same", ResourceOptions(import_="b-2", replacement_trigger="1"), acl="private")

    trigger = "1"
    both.run("up", program)
    both.run("up", program)
    trigger = "2"
    both.run("up", program, fails=True)


def test_deleted_with_what_is_replaced(both):
    """What goes with an owner that is replaced stays as it is, unless its inputs change; it is deleted as ever."""
    wanted = {"name": "a"}

    def program():
        owner = Bucket("owner", **wanted)
        Bucket("belonging", ResourceOptions(deleted_with=owner), name=owner.arn)
        Bucket("idle", ResourceOptions(deleted_with=owner))

    both.run("up", program)
    wanted["name"] = "b"
    both.run("up", program)
    both.run("destroy")
