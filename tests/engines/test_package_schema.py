"""A fake made from a package schema, under the real pulumi: a YAML program, whose engine reads that very schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
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
        assert cli.up(program(9)).summary == {"update": 1}
        with pytest.raises(ProgramError, match="lenght"):
            cli.up({"resources": {"pet": {"type": "random:RandomPet", "properties": {"lenght": 2}}}})
        cli.destroy()
        assert double.cloud.objects() == []
        double.raise_errors()


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
