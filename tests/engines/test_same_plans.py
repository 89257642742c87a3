"""The embedded engine against the real CLI: update plans, and plans of one engine under the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pulumi
import pytest
from both_engines import comparable_plan
from engine_toolbox import BUCKET, NET, Bucket, Component, Thing, cli_of
from policy_toolbox import private
from pulumi import ResourceOptions

from mockprovider import Double, ResourceType, Stack
from mockprovider.pulumi.policies import PolicyPack, ResourcePolicy
from mockprovider.pulumi.policies.serving import as_plugins

pytestmark = pytest.mark.pulumi_cli


class Wanted:
    """A program of many options, and what of it changes."""

    def __init__(self) -> None:
        self.acl = "1"
        self.cidr = "10"
        self.more = False
        self.options: dict[str, Any] = {}

    def __call__(self) -> None:
        """Run the program."""
        first = Bucket("a", acl=self.acl, tags={"k": self.acl})
        Bucket("b", ResourceOptions(depends_on=[first], **self.options), source=first.arn)
        net = Thing(NET, "n", cidr=self.cidr)
        Thing(NET, "m", ResourceOptions(depends_on=[net]), cidr=net.id)
        component = Component("c")
        inner = Bucket("x", ResourceOptions(parent=component), acl=self.acl)
        component.register_outputs({"arn": inner.arn, "acl": self.acl})
        if self.more:
            Bucket("more", ResourceOptions(import_="there"), acl="public")
        else:
            Bucket("less")
        pulumi.export("acl", self.acl)


def plans(both, program, **options: Any) -> list[Any]:
    """The plans of both engines, which are equal."""
    both.run("preview", program, save_plan=True, **options)
    embedded, real = (result.plan for result in both.results)
    assert comparable_plan(embedded) == comparable_plan(real)
    return [embedded, real]


def refused(both, program, made: list[Any]) -> None:
    """An up under each engine, held to its own plan, fails in the same way, and in the same words."""
    both.run("up", program, fails=True, plan=made)
    assert both.said()[0] in both.results[1].output


def test_plans_of_a_stack_s_life(both):
    """Creates, updates, both replacements with dependents, deletions and imports are planned alike, and plans can be kept."""
    wanted = Wanted()
    both.create(BUCKET, "there", acl="public", arn="arn:cloud:::there")
    both.run("up", wanted, plan=plans(both, wanted))
    wanted.acl, wanted.cidr, wanted.more = "2", "11", True
    both.run("up", wanted, plan=plans(both, wanted))
    both.run("up", wanted, plan=plans(both, wanted))


@pytest.mark.parametrize(
    "options",
    [
        {"protect": True},
        {"ignore_changes": ["acl"]},
        {"delete_before_replace": True},
        {"custom_timeouts": pulumi.CustomTimeouts(update="5m")},
        {"aliases": [pulumi.Alias(name="other")]},
    ],
    ids=lambda options: next(iter(options)),
)
def test_options_are_part_of_a_plan(both, options):
    """An option that the plan does not have is refused, in the same words."""
    given: dict[str, Any] = {}

    def program() -> None:
        Bucket("b", ResourceOptions(**given))

    made = plans(both, program)
    given.update(options)
    refused(both, program, made)


def test_what_no_plan_allows(both):
    """Other values, additions, changes, omissions and steps than planned, as both engines say it."""
    wanted: dict[str, Any] = {"acl": "1", "source": "s", "tags": {"k": "1"}}

    def program() -> None:
        Bucket("a", **wanted)

    both.run("up", program, plan=plans(both, program))
    for planned, actual in (
        ({"acl": "2"}, {"acl": "3"}),
        ({"acl": "2"}, {}),
        ({"source": None}, {"source": "other"}),
        ({}, {"file": pulumi.StringAsset("text")}),
        ({"tags": {"k": "1", "l": "2"}}, {"tags": {"k": "1", "l": "3"}}),
        ({"acl": "2"}, {"acl": "2", "name": "n"}),
    ):
        before = dict(wanted)
        wanted = before | planned
        made = plans(both, program)
        wanted = before | actual
        refused(both, program, made)
        wanted = before


def test_what_is_expected_and_missing(both):
    """A resource that was to be created and is not asked for, or that goes and was to stay, fails the run."""

    def program(*names):
        def run():
            made: list[Bucket] = []
            for name in names:
                made = [Bucket(name, ResourceOptions(depends_on=made))]

        return run

    both.run("up", program("a"))
    made = plans(both, program("a", "b"))
    refused(both, program("a"), made)
    made = plans(both, program("a"))
    refused(both, lambda: None, made)
    refused(both, program("a", "b"), made)


def test_a_component_that_registers_no_outputs_has_none_planned(both):
    """One that is new or changed has none until it registers them; one that is kept has those that it had."""
    given: dict[str, Any] = {}

    def program():
        Component("kept")
        pulumi.ComponentResource("my:index:Component", "changed", given)

    plans(both, program)
    both.run("up", program)
    given["size"] = "2"
    plans(both, program)


def test_outputs_are_part_of_a_plan(both):
    """Outputs of the stack and of a component that change otherwise than planned fail the run."""
    value = {"stack": "1", "component": "1"}

    def program():
        component = Component("c")
        component.register_outputs({"value": value["component"]})
        pulumi.export("value", value["stack"])

    made = plans(both, program)
    value["component"] = "2"
    refused(both, program, made)
    both.run("up", program)
    made = plans(both, program)
    value["stack"] = "2"
    both.run("up", program, fails=True, plan=made)
    # The real engine says nothing of the stack's outputs, and fails.
    assert both.said()[0] == "resource violates plan: properties changed: =~value[{2}]"


def test_plans_with_targets(both):
    """A limited plan is kept by an equally limited run."""
    wanted = Wanted()
    both.run("up", wanted)
    wanted.acl = "2"
    both.run("up", wanted, plan=plans(both, wanted, target=["a"]), target=["a"])


def test_a_plan_of_the_other_engine(both, tmp_path):
    """A plan that one engine has saved holds the other one."""
    wanted = Wanted()
    both.stack.preview(wanted, save_plan=tmp_path / "ours.json")
    both.cli.preview(wanted, save_plan=tmp_path / "theirs.json")
    assert comparable_plan(json.loads((tmp_path / "ours.json").read_text())) == comparable_plan(
        json.loads((tmp_path / "theirs.json").read_text())
    )
    wanted.acl = "2"
    told = "properties changed: ++acl[{1}!={2}], ++tags[{map[k:{1}]}!={map[k:{2}]}]"
    assert told in str(both.stack.up(wanted, plan=tmp_path / "theirs.json", expect_failure=True))
    assert told in both.cli.up(wanted, plan=tmp_path / "ours.json", expect_failure=True).output
    wanted.acl = "1"
    both.stack.up(wanted, plan=tmp_path / "theirs.json")
    both.cli.up(wanted, plan=tmp_path / "ours.json")


@pytest.mark.parametrize("kind", [str, Path])
def test_relative_paths_are_the_test_s(kind, tmp_path, monkeypatch):
    """Plans, exported stacks, policy packs and the driver's own folder stand where the test is run, under both engines."""
    monkeypatch.chdir(tmp_path)

    def program():
        Bucket("a", acl="1", tags={"owner": "me"})

    rules = PolicyPack("rules", [ResourcePolicy("private", private)], version="1.2.3")
    with Double(ResourceType(BUCKET)) as ours, Double(ResourceType(BUCKET)) as theirs, as_plugins([rules], Path("packs")):
        for engine in (Stack(ours), cli_of(theirs, Path("cli"))):
            assert engine.preview(program, save_plan=kind("plan.json")).plan == json.loads(Path("plan.json").read_text())
            assert engine.up(program, plan=kind("plan.json")).summary == {"create": 1}
            Path("plan.json").unlink()
            Path("stack.json").write_text(json.dumps(engine.export()))
            engine.import_(kind("stack.json"))
            engine.policies = [kind("packs/pack-0")]
            assert engine.up(program).policy_packs == [("rules", "1.2.3")]
