"""What the command line says of the contract: the rules, and what a served engine broke of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mockprovider.cli import main
from mockprovider.double.contract import rules


def run(*arguments: str) -> tuple[int, str]:
    """The exit code and the output of the command."""
    result = CliRunner().invoke(main, ["contract", "rules", *arguments])
    return result.exit_code, result.output


def test_all_rules_are_a_page() -> None:
    """Without arguments the reference page is printed, with the tables and each rule."""
    code, output = run()
    assert (code, output.startswith("# The rules of the contract\n")) == (0, True)
    assert "| **started** |" in output
    assert [rule.id for rule in rules() if f"#### `{rule.id}`\n" not in output] == []


def test_some_rules() -> None:
    """A pattern chooses rules: who owes them, the rule, its source, and what to do."""
    code, output = run("PULUMI-CREATE-*")
    assert (code, output.splitlines()) == (
        0,
        [
            "PULUMI-CREATE-TELLS-THE-ID (owed by the provider)",
            "A create that succeeds answers the id of what it made.",
            "Pulumi's provider implementer's guide, Create (id); the engine refuses an empty one",
            "Answer the id that Read and Delete will be asked with.",
        ],
    )


def test_ids_in_small_letters() -> None:
    """A pattern is of any case."""
    assert run("pulumi-create-*") == run("PULUMI-CREATE-*")


def test_rules_as_data() -> None:
    """As JSON it is a list of rules with all that is known of each."""
    code, output = run("--json", "TF-*")
    told = json.loads(output)
    assert (code, {rule["id"] for rule in told}) == (0, {rule.id for rule in rules() if rule.id.startswith("TF-")})
    assert {"id", "owed_by", "severity", "says", "source", "mend", "ops"} == told[0].keys()


def test_a_rule_that_there_is_not() -> None:
    """An id that fits no rule is an error that names the nearest one."""
    code, output = run("PULUMI-CREATE")
    assert code == 1
    assert "No rule of the contract is called 'PULUMI-CREATE'. Did you mean 'PULUMI-CREATES-ONCE'?" in output


HEAD = """
import os
from mockprovider.calls import Call, Op
from mockprovider.double import Double, attached
name, _, port = os.environ["PULUMI_DEBUG_PROVIDERS"].partition(":")
about = {"urn": "urn:pulumi:dev::shop::cloud:index:Bucket::logs", "type": "cloud:index:Bucket", "name": "logs"}
with Double(provider=attached("127.0.0.1:" + port, name=name)) as double:
    session = double.open()
"""
CONFIGURE = "    double(Call(op=Op.CONFIGURE, session=session, inputs={}))\n"
CHECK = '    double(Call(op=Op.CHECK, session=session, inputs={"token": "hunter-two"}, **about))\n'
CREATE = '    double(Call(op=Op.CREATE, session=session, inputs={"token": "hunter-three"}, **about))\n'
MADE = """
    made = double(Call(op=Op.CREATE, session=session, inputs={"token": "hunter-two"}, **about))
    old = {"id": made.id, "prior": made.value, "prior_inputs": {"token": "hunter-two"}}
"""
REPLACED = """
    double(Call(op=Op.CHECK, session=session, inputs={"token": "hunter-three"}, **about))
    double(Call(op=Op.DIFF, session=session, inputs={"token": "hunter-three"}, **old, **about))
"""
TELLS, DELETES_FIRST = "mockprovider contract rules", "PULUMI-DELETES-FIRST-WHERE-DIFF-ASKS"
ENGINE = HEAD + CHECK + CONFIGURE + CREATE
BUCKET = {"properties": {"token": {"type": "string", "secret": True, "forcesNew": True}}, "deleteBeforeReplace": True}
TYPES = {"mockprovider": 1, "packages": {"cloud": {"resources": {"cloud:index:Bucket": BUCKET}}}}


def executed(folder: Path, *options: str, engine: str = ENGINE) -> Result:
    """`exec`, in this process, of an engine that checks before it configures, and creates what it has not checked."""
    (folder / "types.json").write_text(json.dumps(TYPES), encoding="utf-8")
    line = ["exec", "--types", "types.json", "--protocol", "pulumi", *options, "--", sys.executable, "-c", engine]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return CliRunner().invoke(main, line)


def test_breaches_of_a_command(tmp_path: Path) -> None:
    """Each breach is shown as it happens, without secrets, and a last line says where the rules are; the exit code stays."""
    ended = executed(tmp_path)
    assert ended.exit_code == 0, ended.stderr
    lines = ended.stderr.splitlines()
    shown = [number for number, line in enumerate(lines) if line.startswith("broken: ")]
    assert [lines[number].split(": ")[1] for number in shown] == ["PULUMI-CONFIGURE-BEFORE-USE", "PULUMI-INPUTS-ARE-CHECKED"]
    assert shown[0] < lines.index(next(line for line in lines if "Configure" in line and "broken" not in line))
    assert (
        lines[-1] == "2 rules of the contract were broken; mockprovider contract rules PULUMI-CONFIGURE-BEFORE-USE tells of it."
    )
    assert "hunter" not in "".join(lines[number] for number in shown)


@pytest.mark.parametrize(
    ("engine", "last"),
    [
        (CHECK + CONFIGURE + CHECK + MADE + REPLACED + CREATE, f"broken; {TELLS} PULUMI-CONFIGURE-BEFORE-USE"),
        (CONFIGURE + CHECK + MADE + REPLACED + CREATE, f"broken, which is a warning; {TELLS} {DELETES_FIRST}"),
    ],
)
def test_warnings_of_a_command(tmp_path: Path, engine: str, last: str) -> None:
    """A rule that fails no test is shown as a warning; the last line speaks of it where no other rule was broken."""
    lines = executed(tmp_path, engine=HEAD + engine).stderr.splitlines()
    assert [line.split(": ")[1] for line in lines if line.startswith("warning: ")] == [DELETES_FIRST]
    assert lines[-1] == f"1 rule of the contract was {last} tells of it."


def test_breaches_in_a_file(tmp_path: Path) -> None:
    """With --contract all breaches are in a file, and an engine that breaks nothing leaves an empty list."""
    ended = executed(tmp_path, "--contract", "broken.json")
    breaches = json.loads((tmp_path / "broken.json").read_text())
    assert [breach["rule"] for breach in breaches] == ["PULUMI-CONFIGURE-BEFORE-USE", "PULUMI-INPUTS-ARE-CHECKED"], ended.stderr
    assert {"owed_by": "engine", "severity": "error"}.items() <= breaches[0].items()
    assert "hunter" not in json.dumps(breaches)


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    """A file that cannot be written is told before the command runs."""
    ended = executed(tmp_path, "--contract", "nowhere/broken.json")
    assert (ended.exit_code, "create" in ended.stderr) == (1, False)
    assert (
        "--contract nowhere/broken.json cannot be written: nowhere is no folder to write to. Give another file." in ended.stderr
    )


def test_what_a_report_replaces(tmp_path: Path) -> None:
    """An earlier report is replaced, and any other file stays: the types that are served, a list of other things."""
    for content in ("", "[]", json.dumps([dict.fromkeys(("rule", "owed_by", "severity", "call", "how"))])):
        (tmp_path / "broken.json").write_text(content, encoding="utf-8")
        assert executed(tmp_path, "--contract", "broken.json").exit_code == 0
        assert len(json.loads((tmp_path / "broken.json").read_text())) == 2
    (tmp_path / "other.json").write_text('[{"format": "mockprovider-cassette"}]', encoding="utf-8")
    for name in ("types.json", "other.json"):
        ended = executed(tmp_path, "--contract", name)
        assert ended.exit_code == 1
        assert f"--contract {name}: there is something else already, and it stays. Give another file." in ended.stderr
    assert json.loads((tmp_path / "types.json").read_text()) == TYPES
    assert json.loads((tmp_path / "other.json").read_text()) == [{"format": "mockprovider-cassette"}]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.json", "other.json", "types.json"]
