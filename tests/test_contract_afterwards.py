"""Runs that are over are judged as they would have been while they ran: kept journals, and cassettes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from contract_cases import CASES
from contract_cases.shapes import CONFIG, PLANNED, of_terraform
from contract_stage import TerraformRun

from mockprovider import tape
from mockprovider.cli import main
from mockprovider.double.afterwards import judged_file
from mockprovider.double.artefacts import keep
from mockprovider.errors import CassetteBrokenError, DefinitionError

ROOT = Path(__file__).parents[1]
CASSETTES = sorted(
    path.relative_to(ROOT) for path in (ROOT / "cassettes").glob("*/*.json") if not path.name.endswith(".states.json")
)
NO_MESSAGE = "a call in process, in which no message could travel that says so"
NO_SCHEMA = "a journal has the types of none of Pulumi's packages"
UNSAYABLE = {
    "PULUMI-SECRETS-WHERE-ACCEPTED": "as a message the call has plain values, as the provider has accepted no secrets",
    "PULUMI-RESOURCES-WHERE-ACCEPTED": "as above, of references",
    "PULUMI-OUTPUTS-WHERE-ACCEPTED": "as above, of outputs",
    "PULUMI-SECRETS-STAY-SECRET": "as above, of an answer",
    "PULUMI-UPDATE-KEEPS-THE-ID": NO_MESSAGE,
    "PULUMI-PARTIAL-STATE-IS-WHOLE": NO_MESSAGE,
    "PULUMI-DEPENDENTS-ARE-DELETED-FIRST": "as above, of references",
    "PULUMI-CHECK-TELLS-THE-INPUTS": "as a message, an answer that was made in Python has inputs",
    "PULUMI-FAILURES-NAME-PROPERTIES": NO_SCHEMA,
    "PULUMI-ANSWERS-FIT-THE-SCHEMA": NO_SCHEMA,
    "TF-FUNCTIONS-ARE-PURE": NO_MESSAGE,
    "TF-OPEN-BEFORE-RENEW-AND-CLOSE": NO_MESSAGE,
    "TF-NOTHING-AFTER-CLOSE": NO_MESSAGE,
}
"""Rules that these cases break by calls in process, and why a journal does not have that."""


def check(*arguments: str | Path) -> tuple[int, str]:
    """The exit code and the output of ``contract check``."""
    result = CliRunner().invoke(main, ["contract", "check", *map(str, arguments)])
    return result.exit_code, result.output


@pytest.mark.parametrize("path", CASSETTES, ids=str)
def test_recorded_providers_and_engines_break_nothing(path: Path) -> None:
    """What was recorded of real providers under real engines breaks no rule, neither of the engine's nor of the provider's."""
    run = judged_file(ROOT / path)
    assert [str(breach) for breach in run.breaches] == []
    assert (run.calls > 0, run.unjudged) == (True, 0)


@pytest.mark.parametrize("id_", [id_ for id_ in CASES if id_ not in UNSAYABLE])
def test_a_kept_journal_is_judged_as_its_run_was(id_: str, tmp_path: Path) -> None:
    """A rule that a run has broken is broken in the journal that was kept of it, and one that it kept is not."""
    begin, breaks, keeps = CASES[id_]
    for script, is_broken in ((breaks, True), (keeps, False)):
        run = begin()
        if isinstance(run, TerraformRun):
            run.tell_schema()
        script(run)
        keep(tmp_path, run.double)
        judged = judged_file(tmp_path / "journal.json")
        assert (id_ in {breach.rule.id for breach in judged.breaches}) is is_broken


@pytest.mark.parametrize("id_", UNSAYABLE)
def test_what_no_journal_can_say(id_: str, tmp_path: Path) -> None:
    """A breach that only a call in process can have is not in its journal: else it would have to be judged there, too."""
    begin, breaks, _ = CASES[id_]
    run = begin()
    breaks(run)
    keep(tmp_path, run.double)
    assert id_ not in {breach.rule.id for breach in judged_file(tmp_path / "journal.json").breaches}


def rewritten(source: Path, to: Path, method: str, change: Any) -> Path:
    """A cassette in which the first answer to a method that ``change`` takes is another one."""
    content = json.loads((ROOT / source).read_text())
    for interaction in content[1:]:
        if interaction["method"] == method and change(interaction):
            break
    else:
        pytest.fail(f"{source} has no {method} to change")
    to.write_text(json.dumps(content))
    tape.load(to)
    return to


def plans_another_length(interaction: Any) -> bool:
    planned = interaction["response"]["planned_state"].get("msgpack") or {}
    if "byte_length" in planned:
        planned["byte_length"] += 1
    return "byte_length" in planned


def test_a_recorded_provider_that_breaks_a_rule(tmp_path: Path) -> None:
    """A recorded plan that does not keep what is configured breaks that rule: the provider's schema is in the recording."""
    file = rewritten(
        Path("cassettes/terraform-random-names/terraform.json"),
        tmp_path / "wrong.json",
        "PlanResourceChange",
        plans_another_length,
    )
    code, output = check(file)
    assert code == 1
    assert "TF-PLAN-KEEPS-CONFIGURATION" in output
    assert "byte_length" in output


def test_a_recorded_engine_that_breaks_a_rule(tmp_path: Path) -> None:
    """A recorded create with inputs that nobody checked is found, and a permission with a reason lets it pass."""
    content = json.loads((ROOT / "cassettes/fake-pulumi/pulumi.json").read_text())
    (create,) = [one for one in content[1:] if one["method"] == "Create" and not one.get("preview")][:1]
    create["request"]["properties"] = {**create["request"]["properties"], "nobody": "checked this"}
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps(content))
    code, output = check(file)
    assert code == 1
    assert "PULUMI-INPUTS-ARE-CHECKED" in output
    assert "nobody" in output
    assert check(file, "--allow", "PULUMI-*=this is a test")[0] == 0


def test_a_recording_of_two_versions(tmp_path: Path) -> None:
    """Of a provider that changed its version in a recording, no answer is judged by the schema of the other version."""
    content = json.loads((ROOT / "cassettes/fake-terraform/terraform.json").read_text())
    last = [one for one in content[1:] if one["method"] == "GetProviderSchema"][-1]
    for schema in last["response"]["resource_schemas"].values():
        schema["block"]["attributes"] = schema["block"]["attributes"][:1]
    file = tmp_path / "two.json"
    file.write_text(json.dumps(content))
    assert [str(breach) for breach in judged_file(file).breaches] == []


def test_the_schema_that_a_provider_tells() -> None:
    """A provider of which nothing is declared is judged by the schema that it answers, while the run goes on."""
    run = of_terraform()
    run.tell_schema()
    schema = run.schema
    bags = {name: run.dynamic(bag) for name, bag in (("config", CONFIG), ("proposed_new_state", CONFIG), ("prior_state", None))}
    planned = run.dynamic({**PLANNED, "acl": "public"})
    run.session.schema = None
    run.message("PlanResourceChange", bags, planned_state=planned)
    assert (run.broken, schema.package.name) == (["TF-PLAN-KEEPS-CONFIGURATION"], "cloud")


def test_breaches_as_data(tmp_path: Path) -> None:
    """As JSON each breach names its file, rule and call."""
    begin, breaks, _ = CASES["PULUMI-STATE-IS-THE-LAST-ONE"]
    run = begin()
    breaks(run)
    keep(tmp_path, run.double)
    journal = tmp_path / "journal.json"
    code, output = check("--json", journal)
    (told,) = json.loads(output)
    assert (told["file"], told["rule"], told["severity"], code) == (str(journal), "PULUMI-STATE-IS-THE-LAST-ONE", "error", 1)


def test_what_is_neither_a_journal_nor_a_cassette(tmp_path: Path) -> None:
    """A file that is no run, a damaged one and a permission without a reason are errors that say what is wrong."""
    other = tmp_path / "other.json"
    other.write_text("{}")
    with pytest.raises(CassetteBrokenError, match=r"is not a cassette.* no journal.json of a test either"):
        judged_file(other)
    code, output = check(other)
    assert (code, "is not a cassette" in output) == (2, True)
    code, output = check(ROOT / "cassettes/fake-pulumi/pulumi.json", "--allow", "PULUMI-*")
    assert (code, "say why, as in --allow 'PULUMI-*=the state" in output) == (2, True)
    code, output = check(ROOT / "cassettes/fake-pulumi/pulumi.json", "--allow", "PULUMI-INPUT-*=by hand")
    assert (code, "No rule of the contract is called 'PULUMI-INPUT-*'" in output) == (2, True)


def test_one_damaged_file_among_others(tmp_path: Path) -> None:
    """A file that cannot be judged does not keep the others from being judged, and the command says so with its exit code."""
    damaged = tmp_path / "damaged.json"
    damaged.write_text("[]")
    code, output = check(damaged, ROOT / "cassettes/fake-pulumi/pulumi.json")
    assert code == 2
    assert "pulumi.json: 92 calls, 0 breaches" in output
    assert "It is no journal.json of a test either." in output


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows[0].pop("n"), "missing required field `n`"),
        (lambda rows: rows[0]["wire"].pop("method"), "missing required field `method`"),
        (lambda rows: rows[-1]["wire"].update(request={"properties": 7}), "cannot be read"),
        (lambda rows: rows[-1]["wire"].update(protocol="smoke"), "smoke"),
    ],
)
def test_a_damaged_journal(change: Any, message: str, tmp_path: Path) -> None:
    """A journal that somebody has damaged is an error that says what is wrong, and is not judged in part."""
    begin, _, keeps = CASES["PULUMI-ID-WAS-ISSUED"]
    run = begin()
    keeps(run)
    keep(tmp_path, run.double)
    journal = tmp_path / "journal.json"
    rows = json.loads(journal.read_text())
    change(rows)
    journal.write_text(json.dumps(rows))
    with pytest.raises((DefinitionError, CassetteBrokenError), match=message):
        judged_file(journal)
    assert check(journal)[0] == 2
