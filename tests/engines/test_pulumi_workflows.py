"""Ways of working with the real pulumi alone: update plans, the import command, several packages, refused options."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pulumi
import pytest
from engine_toolbox import BUCKET, TYPES, Bucket, Thing
from msgspec.structs import replace
from pulumi import ResourceOptions

from mockprovider.calls import Op
from mockprovider.double import Double
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.errors import DefinitionError, ProgramError
from mockprovider.schema import Property, ResourceType

pytestmark = pytest.mark.pulumi_cli

RECORD = ResourceType("dns:index:Record", {"name": Property(str, forces_new=True), "target": Property(str)})
SERVED = (*TYPES, RECORD)


def buckets(**acls: str) -> Any:
    """A program of buckets with these access lists."""

    def program() -> None:
        for name, acl in acls.items():
            Bucket(name, acl=acl)

    return program


def test_an_update_plan_is_kept(cli: PulumiCli, double: Double, tmp_path: Path) -> None:
    """A saved plan holds the steps; an up with it does these; the seed of Check is the plan's own."""
    plan = tmp_path / "plan.json"
    cli.up(buckets(a="1", b="1"))
    cli.preview(buckets(a="2", c="1"), save_plan=plan)
    planned = {urn.rpartition("::")[2]: each["steps"] for urn, each in json.loads(plan.read_text())["resourcePlans"].items()}
    assert (planned["a"], planned["b"], planned["c"]) == (["update"], ["delete"], ["create"])
    double.journal.clear()
    assert cli.up(buckets(a="2", c="1"), plan=plan).summary == {"update": 1, "create": 1, "delete": 1}
    assert sorted(each["acl"] for each in double.cloud.objects(BUCKET)) == ["1", "2"]


@pytest.mark.parametrize(
    "other",
    [buckets(a="3"), buckets(a="2", c="1"), buckets()],
    ids=["another value", "one more resource", "one resource less"],
)
def test_a_program_that_deviates_from_its_plan_is_refused(cli: PulumiCli, double: Double, tmp_path: Path, other: Any) -> None:
    """An up that would do something else than its plan fails, and does not do that; what was planned may be done before."""
    plan = tmp_path / "plan.json"
    cli.up(buckets(a="1"))
    cli.preview(buckets(a="2"), save_plan=plan)
    assert "plan" in cli.up(other, plan=plan, expect_failure=True).output
    (only,) = double.cloud.objects(BUCKET)
    assert only["acl"] in ("1", "2")


def test_the_import_command(cli: PulumiCli, double: Double) -> None:
    """``pulumi import`` reads by id, checks, and remembers; a program that says the same changes nothing then."""
    double.cloud.create(BUCKET, "there", {"acl": "public", "arn": "arn:there"})
    assert cli.import_resource(BUCKET, "b", "there", protect=False).summary == {"import": 1}
    assert double.journal.ops(name="b") == ["read", "check"]
    assert cli.up(buckets(b="public")).summary == {}
    assert cli.up(buckets(b="private")).summary == {"update": 1}
    assert "does not exist" in cli.import_resource(BUCKET, "c", "nowhere", expect_failure=True).output
    cli.destroy()
    assert double.cloud.objects() == []


def test_an_import_that_is_refused(cli: PulumiCli, double: Double) -> None:
    """A type that cannot be imported says why, to the command and to the option; what a program made is still refreshed."""
    double.define(replace(next(each for each in TYPES if each.token == BUCKET), importable="buckets are listed nowhere"))
    double.cloud.create(BUCKET, "there", {"acl": "public", "arn": "arn:there"})
    told = f"{BUCKET} cannot be imported: buckets are listed nowhere."
    assert told in cli.import_resource(BUCKET, "b", "there", expect_failure=True).output
    assert told in cli.up(lambda: Bucket("b", ResourceOptions(import_="there")), expect_failure=True).output
    cli.up(buckets(c="public"))
    assert cli.refresh().summary == {}
    cli.destroy()


def test_several_packages_in_one_program(cli: PulumiCli, double: Double) -> None:
    """One double serves each package that it knows under that package's own name, with its own configuration and sessions."""

    def program() -> None:
        logs = Bucket("logs")
        Thing(RECORD.token, "www", name="www", target=logs.arn)
        pulumi.export("arn", logs.arn)

    cli.config(dns__ttl="60", cloud__region="eu")
    assert cli.up(program).summary == {"create": 2}
    configured = {each.call.urn.split("::")[2]: each.call.inputs for each in double.journal.entries(op="configure")}
    assert configured == {"pulumi:providers:cloud": {"region": "eu"}, "pulumi:providers:dns": {"ttl": "60"}}
    (record,) = double.cloud.objects(RECORD.token)
    assert record["target"] == double.cloud.objects(BUCKET)[0]["arn"]
    cli.destroy()


def test_a_target_that_is_no_list_is_refused(cli: PulumiCli) -> None:
    """Options are checked before the CLI is started, and what the CLI refuses is shown."""
    with pytest.raises(DefinitionError, match=r"Write target=\['a'\]"):
        cli.up(buckets(a="1"), target="a")
    with pytest.raises(ProgramError, match="could not be found"):
        cli.up(buckets(a="1"), target=["urn:pulumi:dev::project::cloud:index:Bucket::none"])


@pytest.mark.parametrize("option", ["target", "replace", "exclude"])
def test_a_mistyped_name_is_an_error(cli: PulumiCli, option: str) -> None:
    """Of names, which it is given as globs, the CLI says nothing where they match nothing; we do, with what is nearest."""
    urn = "urn:pulumi:dev::project::cloud:index:Bucket::first"
    both = buckets(first="1", other="1")
    cli.up(both)
    for run in (cli.up, cli.preview):
        with pytest.raises(ProgramError, match=r"'fist' could not be found: .* Did you mean 'first'\?"):
            run(both, **{option: ["fist"]})
        assert run(both, **{option: ["first", "**nothing**"]}).succeeded
    if option != "replace":
        for gone in (lambda **given: cli.refresh(both, **given), cli.destroy):
            with pytest.raises(ProgramError, match="Did you mean 'first'"):
                gone(preview=True, **{option: ["fist"]})
    if option != "exclude":
        with pytest.raises(ProgramError, match=f"(?s)Did you mean '{urn}'.*could not be found in the stack"):
            cli.up(both, **{option: [urn.replace("first", "fist")]})
    gone = (cli.refresh, cli.destroy) if option != "replace" else ()
    for failed in (lambda **given: cli.up(both, **given), lambda **given: cli.preview(both, **given), *gone):
        result = failed(**{option: ["fist"]}, expect_failure=True)
        assert not result.succeeded
        assert result.exit_code
        assert re.search("'fist' could not be found: .* Did you mean 'first'", str(result.error))


def test_a_mistyped_exclusion_is_told_before(cli: PulumiCli) -> None:
    """What is excluded and nowhere is told by a preview; what only the program has is left out of the up, which then runs."""
    program = buckets(first="1", other="1")
    with pytest.raises(ProgramError, match=r"(?s)pulumi up was not run, .*'fist' could not be found: .* Did you mean 'first'"):
        cli.up(program, exclude=["fist"])
    assert not cli.up(program, exclude=["fist"], expect_failure=True).succeeded
    assert cli.export()["deployment"].get("resources") in (None, [])
    assert cli.up(program, exclude=["first"]).summary == {"create": 1}


@pytest.mark.parametrize("preview", [False, True])
def test_what_excludes_something_new_is_previewed_once(cli: PulumiCli, double: Double, preview: bool) -> None:
    """An up that needs a preview and is told to begin with one has that one."""
    assert cli.up(buckets(first="1", other="1"), exclude=["first"], preview=preview).summary == {"create": 1}
    assert [entry.call.preview for entry in double.journal.entries(name="other") if entry.call.op is Op.CREATE] == [True, False]


def test_a_name_of_what_comes_or_goes_is_none_of_a_mistake(cli: PulumiCli) -> None:
    """A name is right if the program has it, or the state had it, whatever becomes of it."""
    assert cli.up(buckets(first="1", other="1"), target=["first"]).summary == {"create": 1}
    assert cli.up({}, target=["first"]).summary == {"delete": 1}
    assert cli.up(buckets(first="1"), exclude=["first"]).summary == {}
