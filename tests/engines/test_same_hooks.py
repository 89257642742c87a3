"""The embedded engine against the real CLI: the hooks of a program."""

from __future__ import annotations

import pulumi
import pytest
from engine_toolbox import NET, Bucket, Component, Thing
from hook_toolbox import Noted
from pulumi import ResourceHookBinding, ResourceOptions

pytestmark = pytest.mark.pulumi_cli
ROOT = "::pulumi:pulumi:Stack::"


def words(both, severity: str) -> list[str]:
    """What both engines said of resources, which is the same."""
    ours, theirs = (
        # What is said of no resource sums up, in words of each engine's own.
        sorted(said.message for said in result.diagnostics if said.severity == severity and said.urn and ROOT not in said.urn)
        for result in both.results
    )
    assert ours == theirs
    return ours


def test_hooks_around_every_step(both):
    """Hooks are called before and after creates, updates and deletes, with what the resource was and is."""
    noted = Noted()
    wanted = {"acl": "1", "name": "x"}
    names = ["a", "b"]

    def program():
        options = ResourceOptions(hooks=noted.everywhere(), custom_timeouts=pulumi.CustomTimeouts(create="5m"))
        for name in names:
            Bucket(name, options, token=pulumi.Output.secret("s"), **wanted)
        Thing(NET, "net", options, cidr=wanted["name"])

    both.run("preview", program)
    assert noted.taken(2) == []
    both.run("up", program)
    assert noted.names(2) == [f"{when}_create {name}" for name in ("a", "b", "net") for when in ("before", "after")]
    both.run("up", program)
    assert noted.taken(2) == []
    wanted["acl"] = "2"
    both.run("up", program)
    before, after = (call for call in noted.taken(2) if call["of"] == "a")
    assert "new_outputs" not in before
    assert [after[bag]["acl"] for bag in ("new_inputs", "old_inputs", "new_outputs", "old_outputs")] == ["2", "1", "2", "1"]
    assert after["new_outputs"]["token"] == "secret"
    wanted["name"] = "y"
    both.run("up", program)
    created = ["before_create a", "after_create a", "before_delete a", "after_delete a"]
    # The net is deleted first.
    net = ["before_delete net", "after_delete net", "before_create net", "after_create net"]
    assert noted.names(2) == [*created, *(call.replace(" a", " b") for call in created), *net]
    del names[1]
    both.run("up", program)
    assert noted.names(2) == ["before_delete b", "after_delete b"]


def test_hooks_see_outputs_before_they_are_made_secret(both):
    """What `additional_secret_outputs` names is plain to the hook after its step, and secret to the hooks that follow."""
    noted = Noted()
    wanted = {"acl": "1"}

    def program():
        Bucket("a", ResourceOptions(hooks=noted.everywhere(), additional_secret_outputs=["arn"]), **wanted)

    both.run("up", program)
    _, after = noted.taken(2)
    assert after["new_outputs"]["arn"].startswith("arn:")
    wanted["acl"] = "2"
    both.run("up", program)
    _, after = noted.taken(2)
    assert (after["new_outputs"]["arn"].partition(":")[0], after["old_outputs"]["arn"]) == ("arn", "secret")


def test_deletions_without_the_program(both):
    """Without the program there are no hooks to call, which is an error in a preview, too."""
    noted = Noted()

    def program():
        Bucket("a", ResourceOptions(hooks=ResourceHookBinding(after_delete=[noted.hook("after")])))

    both.run("up", program)
    for options in ({"preview": True}, {}):
        both.run("destroy", fails=True, **options)
        said = "Resource has delete hooks registered, but the program is not running. Hooks: after"
        assert words(both, "error") == [said]
    both.run("up", program)
    both.run("up", lambda: noted.hook("after"))
    assert noted.names(2) == ["after a"]


def test_hooks_in_previews(both):
    """A preview calls the hooks that are meant for it, and knows there what is not known yet."""
    noted = Noted()
    wanted = {"acl": "1"}

    def program():
        first = Bucket("first", ResourceOptions(hooks=noted.everywhere(on_dry_run=True)), **wanted)
        Bucket("second", ResourceOptions(hooks=ResourceHookBinding(before_create=[noted.hook("once")])), source=first.arn)

    both.run("preview", program)
    assert noted.names(2) == ["before_create first", "after_create first"]
    both.run("up", program)
    assert noted.names(2) == ["before_create first", "after_create first", "once second"]
    wanted["acl"] = "2"
    both.run("preview", program)
    assert noted.names(2) == ["before_update first", "after_update first"]
    # A hook before a step fails the step, which is said to be a preview's; one after it does not.
    for when, opening in ("before", "Preview failed: "), ("after", ""):
        noted.broken = {f"{when}_update first": "no"}
        both.run("preview", program, fails=True)
        assert words(both, "error") == [f'{opening}{when} hook "{when}_update" failed: no']


@pytest.mark.parametrize("ignored", [False, True])
@pytest.mark.parametrize("when", ["before_create", "after_create", "before_update", "after_update", "after_delete"])
def test_a_hook_that_fails(both, when, ignored):
    """A failed hook before a step is the step's failure; after it, what was done stays, and nothing new begins."""
    noted = Noted()
    wanted = {"acl": "1"}
    names = ["a"]

    def program():
        hooks = noted.everywhere(ignore_errors=ignored)
        for name in names:
            first = Bucket(name, ResourceOptions(hooks=hooks), **wanted)
            Bucket(f"{name}-after", ResourceOptions(depends_on=[first]), **wanted)

    if not when.endswith("create"):
        both.run("up", program)
    wanted["acl"] = "2"
    if when.endswith("delete"):
        names.clear()
    noted.broken[f"{when} a"] = "no luck"
    noted.calls.clear()
    both.run("up", program, fails=not ignored)
    noted.taken(2)
    kind = "".join(map(str.capitalize, when.split("_"))) if ignored else when.partition("_")[0]
    assert words(both, "warning" if ignored else "error") == [f'{kind} hook "{when}" failed: no luck']
    noted.broken.clear()
    both.run("up", program)


def test_failed_hooks_and_going_on_after_errors(both):
    """With ``continue_on_error``, what does not depend on the failed step goes on, also after a failed hook."""
    noted = Noted()

    def program():
        hooks = noted.everywhere()
        first = Bucket("first", ResourceOptions(hooks=hooks))
        Bucket("second", ResourceOptions(depends_on=[first]))
        third = Bucket("third", ResourceOptions(hooks=hooks))
        Bucket("fourth", ResourceOptions(depends_on=[third]))

    noted.broken = {"before_create first": "no", "after_create third": "no"}
    both.run("up", program, fails=True, continue_on_error=True)
    noted.broken.clear()
    both.run("up", program, continue_on_error=True)
    noted.calls.clear()
    noted.broken = {"before_delete first": "no", "after_delete third": "no"}
    both.run("up", noted.everywhere, fails=True, continue_on_error=True)
    noted.taken(2)


def test_hooks_of_components(both):
    """The hooks of a component are called around its registration and the registration of its outputs."""
    noted = Noted()
    wanted = {"acl": "1"}

    def program(there: bool = True):
        hooks = noted.everywhere()
        if there:
            component = Component("c", ResourceOptions(hooks=hooks))
            child = Bucket("child", ResourceOptions(parent=component, hooks=hooks), **wanted)
            component.register_outputs({"arn": child.arn, "acl": wanted["acl"]})

    both.run("up", program)
    calls = noted.taken(2)
    assert [f"{call['hook']} {call['of']}" for call in calls] == [
        *("before_create c", "after_create c"),
        *("before_create child", "after_create child"),
    ]
    assert calls[1]["new_outputs"]["acl"] == "1"
    wanted["acl"] = "2"
    both.run("up", program)
    assert noted.names(2) == ["before_update child", "after_update child"]
    both.run("up", lambda: program(there=False))
    assert noted.names(2) == [f"{when}_delete {name}" for name in ("c", "child") for when in ("before", "after")]


def test_error_hooks(both):
    """Where a provider fails, error hooks say whether to try again, and are told what went wrong so far."""
    noted = Noted()
    wanted = {"acl": "1"}
    names = ["a"]

    def program():
        patient = noted.error_hook("patient", lambda args: len(args.errors) < 3)
        never = noted.error_hook("never", False)
        for name in names:
            Bucket(name, ResourceOptions(hooks=ResourceHookBinding(on_error=[never, patient])), **wanted)

    for op, change in (
        ("create", lambda: None),
        ("update", lambda: wanted.update(acl="2")),
        ("delete", names.clear),
    ):
        change()
        both.breaks(lambda on, op=op: getattr(on, op)(name="a").error("try later").times(2))
        both.run("up", program)
        calls = noted.taken(2)
        assert [call["hook"] for call in calls] == ["never", "patient"] * 2
        assert [call["op"] for call in calls] == [op] * 4
        assert [len(call["errors"]) for call in calls] == [1, 1, 2, 2]
        both.mend()


def test_error_hooks_that_give_up(both):
    """An operation that its error hooks do not want tried again fails, as does one whose hook fails."""
    noted = Noted()
    wanted = {"acl": "1"}
    names = ["a"]

    def program():
        hook = noted.error_hook("hook", lambda args: len(args.errors) < 2)
        for name in names:
            Bucket(name, ResourceOptions(hooks=ResourceHookBinding(on_error=[hook])), **wanted)

    for op, change in (("create", lambda: None), ("update", lambda: wanted.update(acl="2")), ("delete", names.clear)):
        change()
        for broken in ({}, {"hook a": "no luck"}):
            noted.broken = broken
            both.breaks(lambda on, op=op: getattr(on, op)(name="a").error("try later").times(2 - len(noted.broken)))
            both.run("up", program, fails=True)
            noted.taken(2)
            assert words(both, "error")
            both.mend()
        both.run("up", program)


@pytest.mark.parametrize("op", ["create", "update"])
def test_error_hooks_and_objects_that_are_half_done(both, op):
    """An object that exists although its create or update failed is tried again, too, and its state keeps why it had failed."""
    noted = Noted()
    wanted = {"acl": "1"}
    again = {"limit": 2}

    def program():
        hook = noted.error_hook("hook", lambda args: len(args.errors) < again["limit"])
        Bucket("a", ResourceOptions(hooks=ResourceHookBinding(on_error=[hook])), **wanted)

    if op == "update":
        both.run("up", program)
        wanted["acl"] = "2"
    both.breaks(lambda on: getattr(on, op)(name="a").partial(reasons=["slow", "very slow"]))
    both.run("up", program)
    assert noted.taken(2)[0]["errors"] == ["2 errors occurred:\n\t* slow\n\t* very slow\n\n"]
    both.mend()
    both.run("up", program)
    both.run("up", program)
    again["limit"] = 1
    wanted["acl"] = "3"
    both.breaks(lambda on: on.update(name="a").partial(reasons=["slow"]))
    both.run("up", program, fails=True)
    both.mend()
    both.run("up", program)


@pytest.mark.parametrize("op", ["create", "update", "delete"])
def test_error_hooks_have_their_limit(both, op):
    """What its error hooks never give up is tried a hundred times in all."""
    noted = Noted()
    wanted = {"acl": "1"}
    names = ["a"]

    def program():
        hook = noted.error_hook("hook")
        for name in names:
            Bucket(name, ResourceOptions(hooks=ResourceHookBinding(on_error=[hook])), **wanted)

    if op != "create":
        both.run("up", program)
    wanted["acl"] = "2"
    if op == "delete":
        names.clear()
    both.breaks(lambda on: getattr(on, op)(name="a").error("no").times(100))
    both.run("up", program, fails=True)
    assert "maximum number of error hook retries (100) reached" in words(both, "warning")
    assert len(noted.taken(2)) == 99
    assert all(len(double.journal.entries(op=op)) == 100 for double in both.doubles)
    both.mend()
    both.run("up", program)


def test_half_done_updates_at_the_limit(both):
    """What was only half updated a hundred times has no outputs in the state."""
    noted = Noted()
    wanted = {"acl": "1"}

    def program():
        Bucket("a", ResourceOptions(hooks=ResourceHookBinding(on_error=[noted.error_hook("hook")])), **wanted)

    both.run("up", program)
    wanted["acl"] = "2"
    both.breaks(lambda on: on.update(name="a").partial(reasons=["no"]).times(100))
    # The embedded engine says what was wrong in the end, and not only how often.
    both.compares_words = False
    both.run("up", program, fails=True)
    both.mend()
    both.run("up", program)
