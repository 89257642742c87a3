"""A fake made from a package schema, under the real pulumi: a YAML program, whose engine reads that very schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from schema_excerpt import GET_MAILBOX, MAILBOX, SCHEMA, TEXT

from mockprovider.double import Double
from mockprovider.drivers.command import run
from mockprovider.drivers.pulumi import SECONDS, PulumiCli
from mockprovider.errors import ProgramError
from mockprovider.pulumi.package_schema import from_schema
from mockprovider.pulumi.schema import dump

pytestmark = pytest.mark.pulumi_cli


def test_a_yaml_program_on_a_schema(tmp_path: Path) -> None:
    """The schema's resource is created, left alone, updated, replaced and destroyed; its function answers; its types hold."""
    with Double(from_schema(TEXT)) as double:
        served = double.serve("pulumi")
        cli = PulumiCli(tmp_path / "pulumi", lambda: served.environment)
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
