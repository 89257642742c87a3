"""A fake made from a package schema, under the real pulumi: a YAML program, whose engine reads that very schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pulumi
import pytest
from both_engines import Both
from engine_toolbox import cli_of
from real_schemas import real_schema
from schema_excerpt import GET_MAILBOX, MAILBOX, SCHEMA, TEXT

from mockprovider.double import Double
from mockprovider.double.launchers import install
from mockprovider.drivers.command import run
from mockprovider.drivers.pulumi import SECONDS, PulumiCli
from mockprovider.errors import DefinitionError, ProgramError
from mockprovider.pulumi.package.reading import from_schema
from mockprovider.pulumi.schema import dump

pytestmark = pytest.mark.pulumi_cli


def test_a_yaml_program_on_a_schema(tmp_path: Path) -> None:
    """The schema's resource is created, left alone, updated, replaced and destroyed; its function answers; its types hold."""
    with Double(from_schema(TEXT)) as double:
        cli = cli_of(double, tmp_path / "pulumi")
        cli.config(post__region="north")
        box = {"address": "me", "apiVersion": "v1", "rules": [{"to": "you", "keep": False}]}

        def program(**given: object) -> dict[str, object]:
            asked = {"fn::invoke": {"function": GET_MAILBOX, "arguments": {"address": "me"}, "return": "address"}}
            resource = {"type": MAILBOX, "properties": {**box, **given}}
            return {"resources": {"box": resource}, "outputs": {"number": "${box.number}", "asked": asked}}

        up = cli.up(program(password="hush"))
        made = double.cloud.objects(MAILBOX)[0]
        assert up.summary == {"create": 1}
        assert up.outputs == {"number": made["number"], "asked": "me"}
        assert (made["quota"], made["kind"], made["state"]) == (10, "mailbox", "s{1}")
        assert "hush" not in str(cli.export(show_secrets=False))
        assert cli.up(program(password="hush")).summary == {}
        assert cli.up(program(quota=11)).summary == {"update": 1}
        assert cli.up(program(quota=11, tier="large")).summary["replace"] == 1
        with pytest.raises(ProgramError, match="Allowed values are"):
            cli.up(program(tier="huge"))
        with pytest.raises(ProgramError, match="adress"):
            cli.up({"resources": {"box": {"type": MAILBOX, "properties": {"adress": "me"}}}})
        cli.destroy()
        assert double.cloud.objects() == []
        double.raise_errors()


def test_the_cli_reads_the_schema_that_was_given(tmp_path: Path) -> None:
    """The real CLI binds the excerpt, so it is a schema, and binds what we write of it, too."""
    cli = PulumiCli(tmp_path / "stack")
    for name, text in {"given": TEXT, "ours": dump(from_schema(SCHEMA))}.items():
        path = tmp_path / f"{name}.json"
        path.write_text(text, encoding="utf-8")
        checked = run(
            [cli.binary, "schema", "check", str(path)],
            cwd=cli.folder,
            env=cli.environment,
            seconds=SECONDS,
            expect_failure=False,
        )
        assert "rror" not in checked.stdout + checked.stderr, json.dumps(name)


@pytest.mark.parametrize("name", ["random", "aws"])
def test_pulumi_gives_the_schema_that_was_given(name: str, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """``pulumi package get-schema`` of an executable that serves the fake is the very schema that the fake was made of."""
    text = real_schema(name, pytestconfig)
    executable = install("pulumi", name, tmp_path / "bin", types=text)
    cli = PulumiCli(tmp_path / "stack")
    command = [cli.binary, "package", "get-schema", str(executable)]
    told = run(command, cwd=cli.folder, env=cli.environment, seconds=SECONDS, expect_failure=False)
    assert json.loads(told.stdout) == json.loads(text)


def test_a_yaml_program_on_the_real_random_schema(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """Two resources of the real schema live on the fake; the engine binds the program against that schema."""
    with Double(from_schema(real_schema("random", pytestconfig))) as double:
        cli = cli_of(double, tmp_path / "stack")

        def program(length: int) -> dict[str, object]:
            pet = {"type": "random:RandomPet", "properties": {"length": 2}}
            word = {"type": "random:RandomPassword", "properties": {"length": length, "keepers": {"pet": "${pet.id}"}}}
            return {"resources": {"pet": pet, "word": word}, "outputs": {"pet": "${pet.id}", "word": "${word.result}"}}

        up = cli.up(program(8))
        word = double.cloud.objects("random:index/randomPassword:RandomPassword")[0]
        assert up.summary == {"create": 2}
        assert up.outputs["pet"] == double.cloud.objects("random:index/randomPet:RandomPet")[0].id
        assert word["result"] not in str(cli.export(show_secrets=False))
        assert cli.up(program(8)).summary == {}
        assert cli.up(program(9)).summary == {"replace": 1}
        with pytest.raises(ProgramError, match="lenght"):
            cli.up({"resources": {"pet": {"type": "random:RandomPet", "properties": {"lenght": 2}}}})
        cli.destroy()
        assert double.cloud.objects() == []
        double.raise_errors()


STRING = {"type": "string"}
CARDS = {"type": "array", "items": {"$ref": "#/types/net:index:Card"}}
DISK = {"type": "object", "properties": {"size": {"type": "integer"}}}
MACHINES = {
    "name": "net",
    "version": "1.0.0",
    "types": {
        "net:index:Card": {
            "type": "object",
            "properties": {"accesses": {"type": "array", "items": {"$ref": "#/types/net:index:Access"}}},
        },
        "net:index:Access": {
            "type": "object",
            "properties": {"natIp": STRING, "tier": STRING, "label": STRING},
            "language": {"nodejs": {"requiredOutputs": ["natIp", "tier"]}},
        },
        "net:index:Disk": DISK,
        "net:index:DiskAnswer": {**DISK, "properties": {**DISK["properties"], "uuid": STRING}},
    },
    "resources": {
        "net:index:Machine": {
            "inputProperties": {
                "cards": CARDS,
                "disks": {"type": "object", "additionalProperties": {"$ref": "#/types/net:index:Disk"}},
            },
            "properties": {
                "cards": CARDS,
                "disks": {"type": "object", "additionalProperties": {"$ref": "#/types/net:index:DiskAnswer"}},
            },
        }
    },
}
"""What always comes back is named in a type, or has a type of its own."""


class Machine(pulumi.CustomResource):
    """A machine as a program has it."""

    cards: pulumi.Output[list[dict[str, Any]]]
    disks: pulumi.Output[dict[str, Any]]

    def __init__(self, **inputs: Any) -> None:
        super().__init__("net:index:Machine", "machine", inputs)


def test_the_provider_fills_in_what_is_inside_of_an_argument(make_both: Callable[..., Both]) -> None:
    """Inside of lists in lists, and of maps, both engines hand the program what the provider adds; what it set itself stays."""
    both = make_both(package=lambda: from_schema(MACHINES))
    accesses = [{"label": "a"}]

    def program() -> None:
        machine = Machine(cards=[{"accesses": accesses}], disks={"root": {"size": 1}})
        pulumi.export("accesses", machine.cards[0]["accesses"])
        pulumi.export("disk", machine.disks["root"])

    both.run("up", program)
    first = both.results[1].outputs
    assert {*first["accesses"][0]} == {"label", "natIp", "tier"}
    assert ip_address(first["accesses"][0]["natIp"]).is_private
    assert first["disk"]["uuid"]
    for operation in ("up", "refresh"):
        both.run(operation, *([program] if operation == "up" else []))
        assert both.results[1].summary == {}
    accesses.append({"natIp": "192.0.2.1"})
    both.run("up", program)
    assert both.results[0].outputs == both.results[1].outputs
    old, new = both.results[1].outputs["accesses"]
    assert (old, new["natIp"]) == (first["accesses"][0], "192.0.2.1")
    both.run("destroy")


BUCKETS = {"type": "array", "items": {"$ref": "#/resources/front:index:Bucket"}}
FRONT = {
    "name": "front",
    "version": "1.0.0",
    "resources": {
        "front:index:Bucket": {"inputProperties": {"zone": STRING}, "requiredInputs": ["zone"], "properties": {"zone": STRING}},
        "front:index:Web": {
            "isComponent": True,
            "properties": {"logs": {"$ref": "#/resources/front:index:Bucket"}, "logsId": STRING, "others": BUCKETS},
        },
    },
}
"""A component that shows a resource, its id, and a list of resources."""


class Web(pulumi.ComponentResource):
    """A component as a program has it."""

    logs: pulumi.Output[Any]
    logsId: pulumi.Output[str]  # noqa: N815 - so it is called on the wire
    others: pulumi.Output[list[Any]]

    def __init__(self) -> None:
        super().__init__("front:index:Web", "web", dict.fromkeys(("logs", "logsId", "others")), remote=True)


def test_a_component_shows_its_resources_under_both_engines(make_both: Callable[..., Both]) -> None:
    """The real engine gets the same children as the embedded one, and the outputs that are their ids."""
    both = make_both(package=lambda: from_schema(FRONT))

    def program() -> None:
        web = Web()
        pulumi.export("logs", web.logs)
        pulumi.export("id", web.logsId)
        pulumi.export("others", web.others)

    both.run("preview", program)
    both.run("up", program)
    for result in both.results:
        assert result.outputs["logs"] == result.outputs["id"] != result.outputs["others"][0]
    both.run("up", program)
    assert both.results[1].summary == {}
    both.run("destroy")


BROKEN: dict[str, Any] = {
    "a type that is not there": {"resources": {"p:index:R": {"inputProperties": {"a": {"$ref": "#/types/p:index:T"}}}}},
    "a kind that is none": {"resources": {"p:index:R": {"inputProperties": {"a": {"type": "strng"}}}}},
    "an array of nothing": {"resources": {"p:index:R": {"inputProperties": {"a": {"type": "array"}}}}},
    "a union of one": {"config": {"variables": {"a": {"oneOf": [{"type": "string"}]}}}},
    "a required output that is not there": {"resources": {"p:index:R": {"required": ["a"]}}},
    "a default of another type": {"config": {"variables": {"a": {"type": "integer", "default": "x"}}}},
    "an enum without a type": {"types": {"p:index:E": {"enum": [{"value": "a"}]}}},
    "types that require each other": {
        "types": {"p:index:T": {"properties": {"t": {"$ref": "#/types/p:index:T"}}, "required": ["t"], "type": "object"}}
    },
    "tokens that differ in case": {"resources": {"p:index:R": {}, "p:index:r": {}}},
    "another package's token": {"resources": {"q:index:R": {}}},
    "the provider's own token": {"resources": {"p:index:Provider": {}}},
    "a module inside of index": {"resources": {"p:index/a:R": {}}, "meta": {"moduleFormat": "(.*)"}},
    "a method without a function": {"resources": {"p:index:R": {"methods": {"m": "p:index:R/m"}}}},
    "a reserved property": {"resources": {"p:index:R": {"inputProperties": {"pulumi": {"type": "string"}}}}},
    "a reserved provider input": {"provider": {"inputProperties": {"version": {"type": "string"}}}},
    "a namespace in capitals": {"namespace": "P"},
    "a pattern that is none": {"meta": {"moduleFormat": "("}},
    "a version that is none": {"version": "one"},
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_we_refuse_pulumi_refuses_too(what: str, tmp_path: Path) -> None:
    """Each schema that our reader refuses is one that the real binder refuses."""
    schema = {"name": "p", "version": "1.0.0", **BROKEN[what]}
    with pytest.raises(DefinitionError):
        from_schema(schema)
    (tmp_path / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
    cli = PulumiCli(tmp_path / "stack")
    command = [cli.binary, "schema", "check", str(tmp_path / "schema.json")]
    checked = run(command, cwd=cli.folder, env=cli.environment, seconds=SECONDS, expect_failure=True)
    assert "rror" in checked.stdout + checked.stderr
