"""Scenarios of section 13 of Pulumi's reference in which something fails, by their numbers there, under both engines.

Those of changes are here, those of reads and imports in ``test_pulumi_catalogue_reads.py``. Others are shown elsewhere, under
the real engine at least:

    s16  test_same_as_pulumi.py     test_failures                                    a create that is half made, and its update
    s18  test_same_as_pulumi.py     test_failures                                    an update that is half done
    s19  test_same_as_pulumi.py     test_failures                                    an update that fails
    s20  test_same_as_pulumi.py     test_failures                                    the old object of a replacement that stays
    s22  test_same_options.py       test_going_on_after_errors                       going on after errors
    s24  test_checklist_faults.py   test_an_answer_that_loses_the_object             a create that answers no id
    s26  test_timeouts.py           test_custom_timeouts                             ``customTimeouts``
    s31  test_same_as_pulumi.py     test_delete_before_replace                       the same program goes on
    s38  test_same_as_pulumi.py     test_a_stack_s_life                              a refresh in which an object is gone
    s43  test_shutdown.py           test_a_cancelled_refresh_keeps_what_it_read      a refresh that is interrupted
    s51  test_checklist_faults.py   test_a_crash_before_the_port                     a plugin that cannot be started
    s52  test_shutdown.py           test_a_create_outlives_a_cancel                  Ctrl-C while a create hangs
    s61  test_components.py         test_a_construct_that_fails_aborts               a construct that fails, and a child
    s63  test_checklist_faults.py   test_an_engine_that_is_killed_in_a_create        an engine that was killed

``tests/test_pulumi_catalogue.py`` sees that none is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pulumi
import pytest
from both_engines import Both, resources
from engine_toolbox import BUCKET, NET, TYPES, Bucket, Thing
from pulumi import ResourceOptions
from pulumi.runtime.proto import resource_pb2

from mockprovider.double import Double
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.engine import Stack

pytestmark = pytest.mark.pulumi_cli

SERVED = TYPES


# Check -----------------------------------------------------------------------------------------------------------------


def bucket(**properties: Any) -> Callable[[], None]:
    """A program of one bucket, called logs."""

    def program() -> None:
        Bucket("logs", **properties)

    return program


def test_s1_a_check_that_refuses_a_property(both: Both) -> None:
    """What Check refuses is told with type, resource, property and value, and nothing is made."""
    both.breaks(lambda on: on.check(BUCKET).error("no such list", path="acl"))
    assert both.run("up", bucket(acl="open"), fails=True)["logs"] == ["Check"]
    for said in both.said():
        assert "cloud:index:Bucket resource 'logs'" in said
        assert "property acl value" in said
        assert "open" in said
        assert "has a problem: no such list" in said
    assert both.objects() == [[], []]


def test_s2_a_check_that_refuses_a_property_that_is_not_there(both: Both) -> None:
    """What Check says about a property that nobody gave is told all the same."""
    both.breaks(lambda on: on.check(BUCKET).error("which one?", path="tags.owner"))
    assert both.run("up", bucket(acl="open"), fails=True)["logs"] == ["Check"]
    for said in both.said():
        assert "which one?" in said
        assert "tags.owner" in said


# Create, update, delete ------------------------------------------------------------------------------------------------


def test_s15_a_create_that_fails(both: Both) -> None:
    """Nothing is remembered of a create that fails, and what depends on it is not begun."""

    def program() -> None:
        Bucket("after", source=Bucket("logs").arn)

    both.breaks(lambda on: on.create(name="logs").error("over quota", status="resource_exhausted"))
    ran = both.run("up", program, fails=True)
    assert (ran["logs"], ran.get("after")) == (["Check", "Create"], None)
    assert all("over quota" in said for said in both.said())
    assert both.objects() == [[], []]
    assert both.run("up", program)["after"] == ["Check", "Create"]


def test_s17_a_half_made_object_all_of_whose_changes_are_ignored(both: Both) -> None:
    """A half-made object is updated by the next run, though each change of it is ignored; then there is nothing to do."""

    def program(acl: str) -> Callable[[], None]:
        return lambda: Bucket("logs", ResourceOptions(ignore_changes=["*"]), acl=acl) and None

    both.breaks(lambda on: on.create(name="logs").partial(reasons=["still starting"]))
    both.run("up", program("1"), fails=True)
    assert both.run("up", program("2"))["logs"] == ["Check", "Diff", "Update"]
    assert [[found["acl"] for found in objects] for objects in both.objects()] == [["1"], ["1"]]
    assert both.run("up", program("3"))["logs"] == ["Check", "Diff"]


def test_s21_several_pending_deletes_of_one_resource(both: Both) -> None:
    """Old objects of two replacements that could not be deleted are deleted later, first those that depend on others."""
    wanted = {"name": "1"}

    def program() -> None:
        Bucket("second", name=Bucket("first", **wanted).arn)

    both.stack.up(program)
    both.doubles[0].faults.on.delete(BUCKET).error("held").times(2)
    for name in ("2", "3"):
        wanted["name"] = name
        both.stack.up(program, expect_failure=True)
    assert len(both.doubles[0].cloud.objects()) == 6
    both.hand_over()
    results = (both.stack.up(program), both.cli.up(program))
    for double, result in zip(both.doubles, results, strict=True):
        assert [entry.call.name for entry in double.journal.entries(op="delete")] == ["second", "second", "first", "first"]
        assert [op for op, _ in result.steps].count("delete-replaced") == 4
        assert len(double.cloud.objects()) == 2
    assert resources(both.stack.export()) == resources(both.cli.export())


class OldRequest:
    """The registration of a resource, as an SDK makes it that takes no results."""

    def __init__(self) -> None:
        self._message = resource_pb2.RegisterResourceRequest

    def __call__(self, **fields: Any) -> Any:
        return self._message(**{**fields, "supportsResultReporting": False})

    def __getattr__(self, name: str) -> Any:
        return getattr(self._message, name)


def test_s23_a_program_that_cannot_be_told_of_failures(both: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of an old SDK, which no result can be told to, is stopped by a failure, though the run goes on after errors."""

    def program() -> None:
        logs = Bucket("logs")
        logs.urn.apply(lambda _: Bucket("never"))

    monkeypatch.setattr(resource_pb2, "RegisterResourceRequest", OldRequest())
    both.breaks(lambda on: on.create(name="logs").error("over quota"))
    ran = both.run("up", program, fails=True, continue_on_error=True)
    assert (ran["logs"], ran.get("never")) == (["Check", "Create"], None)


# Hooks: the embedded engine refuses them -------------------------------------------------------------------------------


def hooked(answers: list[bool]) -> Callable[[], None]:
    """A program of a bucket whose failures a hook answers: whether to try again. At last it answers as it did before."""

    def program() -> None:
        hook = pulumi.ErrorHook("again", lambda _: answers.pop(0) if len(answers) > 1 else answers[0])
        Bucket("logs", ResourceOptions(hooks=pulumi.ResourceHookBinding(on_error=[hook])))

    return program


def test_s25_a_create_that_a_hook_tries_again(cli: PulumiCli, double: Double) -> None:
    """A failed create is made again as often as the program's error hook says so, and no more."""
    double.faults.on.create(BUCKET).error("busy").times(2)
    assert cli.up(hooked([True])).summary == {"create": 1}
    assert double.journal.ops(name="logs") == ["check", "create", "create", "create"]
    cli.destroy()
    double.journal.clear()
    double.faults.on.create(BUCKET).error("busy").times(2)
    cli.up(hooked([True, False]), expect_failure=True)
    assert double.journal.ops(name="logs") == ["check", "create", "create"]


def test_s25_a_create_that_a_hook_would_try_for_ever(cli: PulumiCli, double: Double) -> None:
    """After a hundred times it is enough, and the user is told."""
    double.faults.on.create(BUCKET).error("busy").always()
    failed = cli.up(hooked([True]), expect_failure=True)
    assert double.journal.ops(name="logs") == ["check"] + ["create"] * 100
    assert "100" in failed.output
    assert double.cloud.objects() == []


def test_programs_after_one_with_hooks(cli: PulumiCli, double: Double) -> None:
    """What served the hooks of a program that failed is gone: both engines run other programs in the same process."""
    double.faults.on.create(BUCKET).error("busy")
    cli.up(hooked([False]), expect_failure=True)
    assert Stack(double).up(bucket(acl="x")).summary == {"create": 1}
    assert cli.up(bucket(acl="x")).summary == {"create": 1}


# Replacements ----------------------------------------------------------------------------------------------------------


def net(cidr: str) -> Callable[[], None]:
    """A program of a net, which is deleted before it is replaced."""
    return lambda: Thing(NET, "net", cidr=cidr) and None


def test_s31_a_replacement_that_was_cut_in_two(both: Both) -> None:
    """What was deleted and not created is created by a program that has changed, and forgotten by one that has it no more."""
    both.run("up", net("a"))
    both.breaks(lambda on: on.create(NET).error("no capacity"))
    assert both.run("up", net("b"), fails=True)["net"] == ["Check", "Diff", "Check", "Delete", "Create"]
    assert both.run("up", net("c"))["net"][-1] == "Create"
    both.breaks(lambda on: on.create(NET).error("no capacity"))
    both.run("up", net("d"), fails=True)
    assert "net" not in both.run("up", lambda: None)
    assert both.objects() == [[], []]


def test_s31_a_replacement_in_which_the_engine_was_killed(both: Both) -> None:
    """An engine that was killed between the two goes on with the create, and says that one is pending."""
    both.run("up", net("a"))
    both.breaks(lambda on: on.create(NET).kill_engine().at("before"))
    for engine in (both.stack, both.cli):
        engine.up(net("b"), expect_failure=True)
    both.cli.command("cancel", "--yes")
    assert resources(both.stack.export()) == resources(both.cli.export())
    assert both.run("up", net("b"))["net"] == ["Check", "Diff", "Check", "Create"]
    assert [[pending.kind for pending in result.pending_operations] for result in both.results] == [["creating"], ["creating"]]
    both.run("destroy")
