"""The embedded engine against the real CLI: refreshes and destroys that run the program."""

from __future__ import annotations

import pytest
from engine_toolbox import BUCKET, NET, Bucket, Cloud, Component, Thing
from hook_toolbox import Noted
from pulumi import Alias, ResourceHookBinding, ResourceOptions

pytestmark = pytest.mark.pulumi_cli


def two_and_another():
    """A program of a resource with a dependent, and one that needs neither."""
    first = Bucket("first")
    Bucket("second", ResourceOptions(depends_on=[first]))
    Bucket("third")


def test_destroys_that_run_the_program(both):
    """What the program registers is deleted with its providers, which have the program's configuration."""
    config = {"tag": "1"}

    def program():
        provider = Cloud("p", **config)
        component = Component("c", ResourceOptions(provider=provider))
        first = Bucket("first", ResourceOptions(parent=component))
        Bucket("second", ResourceOptions(depends_on=[first]))
        component.register_outputs({"arn": first.arn})

    both.run("up", program)
    config["tag"] = "2"
    both.run("destroy", program, run_program=True, preview=True)
    called = both.run("destroy", program, run_program=True)
    assert called["first"] == called["second"] == ["Delete"]
    assert both.objects() == [[], []]


def test_a_destroy_creates_nothing(both):
    """What the state does not have is not created for the program that a destroy runs, nor what depends on that."""
    names = ["a"]

    def program():
        made = [Bucket(name) for name in names]
        Bucket("last", ResourceOptions(depends_on=made))
        new = Component("new", ResourceOptions(depends_on=made))
        Bucket("inside", ResourceOptions(parent=new))

    both.run("up", program)
    names[:] = ["b", "a"]
    both.run("destroy", program, run_program=True)
    assert both.objects() == [[], []]


def test_hooks_of_a_destroy(both):
    """The hooks of deletions are called where the program runs, and those of what it has no more cannot be."""
    noted = Noted()
    names = ["a", "b"]

    def program():
        hooks = ResourceHookBinding(before_delete=[noted.hook("before")], after_delete=[noted.hook("after")])
        for name in names:
            Bucket(name, ResourceOptions(hooks=hooks))

    both.run("up", program)
    names.pop()
    both.run("destroy", program, run_program=True)
    assert noted.names(2) == ["before a", "after a", "before b", "after b"]


def test_refreshes_that_run_the_program(both):
    """What the program registers is read with its options and provider. Only providers are updated."""
    config = {"tag": "1"}
    names = ["a", "b", "c"]
    wanted = {"acl": "1"}

    def program():
        provider = Cloud("p", **config)
        for name in names:
            Bucket(name, ResourceOptions(provider=provider), **wanted)

    both.run("up", program)
    both.drift(BUCKET, acl="drifted")
    config["tag"] = "2"
    names[1:2] = ["d"]
    wanted["acl"] = "3"
    both.run("refresh", program, run_program=True, preview=True)
    both.run("refresh", program, run_program=True)
    both.run("up", program)


def test_refreshes_of_what_is_gone(both):
    """What is gone is forgotten, and what depends on it no longer does."""

    def program():
        first = Bucket("first")
        second = Bucket("second", source=first.arn)
        Bucket("third", ResourceOptions(depends_on=[second], deleted_with=first))

    both.run("up", program)
    for double in both.doubles:
        gone = next(each for each in double.cloud.objects(BUCKET) if not each.get("source"))
        double.cloud.delete(BUCKET, gone.id)
    both.run("refresh", program, run_program=True)
    both.run("up", program, refresh=True, run_program=True)
    both.run("up", program, preview=True)


def test_components_in_refreshes(both):
    """Components are registered as always: new ones are created, and have their outputs and children; others are left."""
    wanted = {"names": ["c"], "more": False}

    def program():
        for name in wanted["names"]:
            component = Component(name)
            child = Bucket(f"{name}-child", ResourceOptions(parent=component))
            component.register_outputs({"arn": child.arn})
            if wanted["more"]:
                Bucket("more", ResourceOptions(parent=component))

    both.run("up", program)
    wanted["more"] = True
    both.run("refresh", program, run_program=True)
    wanted["names"] = ["c", "d"]
    wanted["more"] = False
    both.run("refresh", program, run_program=True)
    wanted["names"] = ["d"]
    both.run("refresh", program, run_program=True)
    both.run("up", program, refresh=True, run_program=True)
    both.run("destroy", program, run_program=True)


def test_names_in_refreshes(both):
    """A refresh that runs the program knows resources by the program's names."""
    names = ["old"]

    def program():
        for name in names:
            Bucket(name, ResourceOptions(aliases=[Alias(name="old")]))

    both.run("up", program)
    names[:] = ["new"]
    both.run("refresh", program, run_program=True)
    both.run("up", program)
    names[:] = []
    both.run("refresh", program, run_program=True)
    both.run("destroy", program, run_program=True)


def test_targets_of_refreshes_and_destroys(both):
    """Targets and exclusions limit what is read and deleted where the program runs, too."""
    both.run("up", two_and_another)
    both.drift(BUCKET, acl="drifted")
    both.run("refresh", two_and_another, run_program=True, target=["first"])
    both.run("refresh", two_and_another, run_program=True, exclude=["third"])
    both.run("destroy", two_and_another, run_program=True, target=["second"])
    both.run("destroy", two_and_another, run_program=True, target=["first"], target_dependents=True)
    both.run("destroy", two_and_another, run_program=True, exclude=["third"])
    both.run("destroy", two_and_another, run_program=True)


def test_protection_in_destroys(both):
    """What is protected is so by the program that runs."""
    protected = {"yes": True}

    def program():
        Bucket("kept", ResourceOptions(protect=protected["yes"]))

    both.run("up", program)
    both.run("destroy", program, run_program=True, fails=True)
    protected["yes"] = False
    both.run("destroy", fails=True)
    both.run("destroy", program, run_program=True)


def test_ups_that_refresh_with_the_program(both):
    """An up that refreshes as the program registers finds drift and loss, and updates, replaces, creates and deletes."""
    wanted = {"acl": "1", "name": "x"}
    names = ["a", "b", "c", "d"]

    def program():
        for name in names:
            bucket = Bucket(name, **wanted)
            Thing(NET, f"net-{name}", ResourceOptions(depends_on=[bucket]), cidr=wanted["name"])

    both.run("up", program)
    both.drift(BUCKET, acl="drifted")
    both.run("preview", program, refresh=True, run_program=True)
    both.run("up", program, refresh=True, run_program=True)
    for double in both.doubles:
        double.cloud.delete(BUCKET, both.stack.state["a"].id)
    wanted["name"] = "y"
    names.pop()
    both.run("up", program, refresh=True, run_program=True)
    wanted["acl"] = "2"
    both.run("up", program, run_program=True)
    both.run("up", program)
    both.run("destroy", program, refresh=True, run_program=True)


def test_a_refresh_that_runs_the_program_and_excludes_dependents(both):
    """What depends on what is excluded is passed over while the program runs, and read once it has ended."""
    both.run("up", two_and_another)
    both.drift(BUCKET, acl="drifted")
    both.run("refresh", two_and_another, run_program=True, exclude=["first"], exclude_dependents=True)
