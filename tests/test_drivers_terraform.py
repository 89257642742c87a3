"""The terraform driver, with a stand-in for the CLI: what it is given, and what is made of its output."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mockprovider.calls import Call
from mockprovider.cassette.misses import SERIAL
from mockprovider.drivers.diagnostics import CliDiagnostic
from mockprovider.drivers.terraform import Terraform, TerraformResult, unknown
from mockprovider.errors import PluginError, ProgramError
from mockprovider.faults import EnginesAtWork

STAND_IN = """#!{python}
import json, os, sys
from pathlib import Path
asked = Path("asked.json")
calls = json.loads(asked.read_text()) if asked.exists() else []
calls.append({{"arguments": sys.argv[1:], "environment": dict(os.environ)}})
asked.write_text(json.dumps(calls))
answer = json.loads(Path("answers.json").read_text()).get(sys.argv[1], {{}})
sys.stdout.write(answer.get("stdout", ""))
sys.stderr.write(answer.get("stderr", ""))
if "hang" in answer:
    import time
    time.sleep(60)
sys.exit(answer.get("exit_code", 0))
"""


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Terraform:
    """The driver in front of a stand-in that repeats what ``answers`` wrote."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "terraform").write_text(STAND_IN.format(python=sys.executable), encoding="utf-8")
    (folder / "terraform").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("TF_CLI_ARGS", "-no-color")
    made = Terraform(tmp_path / "module", {"TF_REATTACH_PROVIDERS": "{}"}, variables={"text": "x", "list": [1]}, seconds=30)
    answers(made)
    return made


def answers(cli: Terraform, **by_command: dict[str, Any]) -> None:
    (cli.folder / "answers.json").write_text(json.dumps(by_command), encoding="utf-8")


def asked(cli: Terraform) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((cli.folder / "asked.json").read_text(encoding="utf-8"))
    return found


def stream(*events: dict[str, Any]) -> str:
    return "".join(json.dumps({"@level": "info", **event}) + "\n" for event in events)


def test_nothing_of_the_users_settings_reaches_the_cli(cli: Terraform) -> None:
    """The CLI runs with settings of its own, without questions, and with what was given; the user's variables stay out."""
    cli.apply()
    environment = asked(cli)[0]["environment"]
    assert Path(environment["TF_CLI_CONFIG_FILE"]).read_text(encoding="utf-8") == ""
    assert environment["TF_DATA_DIR"].startswith(str(cli.folder))
    assert (environment["TF_INPUT"], environment["CHECKPOINT_DISABLE"]) == ("0", "1")
    assert (environment["TF_VAR_text"], environment["TF_VAR_list"]) == ("x", "[1]")
    assert environment["TF_REATTACH_PROVIDERS"] == "{}"
    assert "TF_CLI_ARGS" not in environment


def test_each_operation_is_one_command(cli: Terraform) -> None:
    """Operations are the CLI's own commands, never asking and never needing init."""
    answers(cli, validate={"stdout": '{"diagnostics": []}'}, show={"stdout": "{}"})
    cli.validate()
    cli.plan("-refresh=false")
    cli.apply()
    cli.apply_plan()
    cli.refresh()
    cli.destroy()
    cli.import_("a.b", "id")
    cli.test("-filter=tests/a.tftest.hcl")
    plan = str(cli.folder / ".mockprovider" / "plan.bin")
    assert [each["arguments"] for each in asked(cli)] == [
        ["validate", "-json"],
        ["plan", "-json", "-detailed-exitcode", f"-out={plan}", "-refresh=false"],
        ["show", "-json", plan],
        ["apply", "-json", "-auto-approve"],
        ["apply", "-json", plan],
        ["apply", "-json", "-refresh-only", "-auto-approve"],
        ["destroy", "-json", "-auto-approve"],
        ["import", "-no-color", "a.b", "id"],
        ["test", "-json", "-filter=tests/a.tftest.hcl"],
    ]


class Led:
    """A double that an engine is led to: it notes what happens while an engine runs."""

    def __init__(self, *, has_cassette: bool) -> None:
        self.has_cassette = has_cassette
        self.engines = EnginesAtWork()
        self.notes: list[str] = []

    @contextmanager
    def addressed(self, address_of: Callable[[Call], str]) -> Iterator[None]:
        """Note the run, and that it is over."""
        self.notes.append("knows nothing" if address_of is unknown else "knows addresses")
        try:
            yield
        finally:
            self.notes.append("over")


@pytest.fixture
def led(cli: Terraform) -> Led:
    """A recorded double that the driver knows of."""
    led = Led(has_cassette=True)
    cli._doubles = [Led(has_cassette=False), led]
    return led


def parallelisms(cli: Terraform) -> dict[str, list[str]]:
    """The flags of parallelism of each command."""
    return {run["arguments"][0]: [flag for flag in run["arguments"] if "parallelism" in flag] for run in asked(cli)}


def everything(cli: Terraform) -> dict[str, list[str]]:
    """Run each operation, and say with which flags of parallelism."""
    answers(cli, validate={"stdout": '{"diagnostics": []}'}, show={"stdout": "{}"})
    for operation in (cli.validate, cli.plan, cli.apply, cli.destroy, cli.test):
        operation()
    cli.import_("a.b", "id")
    return parallelisms(cli)


def test_a_recorded_double_is_asked_one_call_at_a_time(cli: Terraform, led: Led) -> None:
    """Where a double has a cassette, engines work on one resource at a time, in each operation that can be told so."""
    serial = ["-parallelism=1"]
    silent: dict[str, list[str]] = {"validate": [], "show": [], "test": [], "import": []}
    assert everything(cli) == {"plan": serial, "apply": serial, "destroy": serial, **silent}


def test_a_fake_is_asked_in_parallel(cli: Terraform, led: Led) -> None:
    """Without a cassette engines work on as many resources as they do by themselves."""
    led.has_cassette = False
    assert set(map(tuple, everything(cli).values())) == {()}


@pytest.mark.parametrize("has_cassette", [True, False])
def test_a_parallelism_of_ones_own(cli: Terraform, led: Led, has_cassette: bool) -> None:
    """What the driver is given counts, and what an operation is given counts more."""
    led.has_cassette, cli.parallelism = has_cassette, 10
    cli.apply()
    cli.destroy("-parallelism=3")
    assert parallelisms(cli) == {"apply": ["-parallelism=10"], "destroy": ["-parallelism=10", "-parallelism=3"]}


def test_runs_in_turn_know_addresses(cli: Terraform, led: Led) -> None:
    """Only while an engine works on one resource at a time and says so are the doubles told addresses, never after its end."""
    answers(cli, show={"stdout": "{}"})
    cli.apply()
    cli.apply_plan()
    cli.refresh()
    cli.plan()
    assert led.notes == ["knows addresses", "over"] * 4 + ["knows nothing", "over"]
    led.notes.clear()
    cli.apply("-parallelism=10")
    cli.import_("a.b", "id")
    cli.test()
    cli.command("apply", "-auto-approve")
    assert led.notes == ["knows nothing", "over"] * 4


@pytest.mark.parametrize("end", [{"exit_code": 1}, {"hang": True}])
def test_runs_that_fail_know_no_addresses_afterwards(cli: Terraform, led: Led, end: dict[str, Any]) -> None:
    """A run that failed, or that was ended, is over for the doubles."""
    answers(cli, apply=end)
    cli.seconds = 0.01 if "hang" in end else 30
    with pytest.raises(ProgramError):
        cli.apply()
    assert led.notes == ["knows addresses", "over"]


def test_the_json_stream_is_read(cli: Terraform) -> None:
    """Diagnostics and the last summary are data; lines that are not of the stream are left in the output."""
    error = {"severity": "error", "summary": "no", "detail": "d", "address": "a.b", "snippet": {"code": "  x = 1"}}
    said = stream(
        {"type": "change_summary", "changes": {"add": 2, "change": 0, "remove": 1, "operation": "plan"}},
        {"type": "diagnostic", "diagnostic": error},
        {"type": "diagnostic", "diagnostic": {"severity": "warning", "summary": "hm"}},
        {"type": "change_summary", "changes": {"add": 1, "change": 0, "remove": 0, "operation": "apply"}},
    )
    answers(cli, apply={"stdout": "There are some problems\n[]\n" + said, "stderr": "oh", "exit_code": 1})
    result = cli.apply(expect_failure=True)
    assert result.diagnostics == [CliDiagnostic("error", "no", "d", "a.b", "x = 1"), CliDiagnostic("warning", "hm")]
    assert result.errors == result.diagnostics[:1]
    assert result.summary == {"add": 1}
    assert len(result.events) == 4
    assert result.output.endswith("oh")


def test_the_runs_of_test_files_are_data(cli: Terraform) -> None:
    """How each run ended is told by file and run; what is only in progress does not count."""
    said = stream(
        {"type": "test_run", "test_run": {"path": "a.tftest.hcl", "run": "first", "progress": "starting"}},
        {"type": "test_run", "test_run": {"path": "a.tftest.hcl", "run": "first", "progress": "complete", "status": "pass"}},
        {"type": "test_run", "test_run": {"path": "a.tftest.hcl", "run": "second", "status": "fail"}},
    )
    answers(cli, test={"stdout": said, "exit_code": 1})
    assert cli.test(expect_failure=True).tests == {"a.tftest.hcl": {"first": "pass", "second": "fail"}}


def test_a_plan_is_data(cli: Terraform) -> None:
    """Planning gives the plan as JSON and its exit code; a failed plan has none."""
    shown = {"resource_changes": [{"address": "a.b", "change": {"actions": ["create"]}}]}
    answers(cli, plan={"exit_code": 2}, show={"stdout": json.dumps(shown)})
    planned = cli.plan()
    assert (planned.exit_code, planned.actions) == (2, {"a.b": ["create"]})
    answers(cli, plan={"exit_code": 1})
    assert cli.plan(expect_failure=True).actions == {}


def test_the_state_is_data(cli: Terraform) -> None:
    """The state file is read after each run: outputs, and resources by address."""
    assert cli.apply().state == {}
    state = {
        "outputs": {"x": {"value": 1}},
        "resources": [
            {"mode": "managed", "type": "a", "name": "b", "instances": [{"attributes": {"id": "1"}}]},
            {"mode": "data", "type": "a", "name": "b", "instances": [{"attributes": {"id": "2"}}]},
        ],
    }
    (cli.folder / "terraform.tfstate").write_text(json.dumps(state), encoding="utf-8")
    result = cli.apply()
    assert result.outputs == {"x": 1}
    assert result.resource("a.b")["attributes"] == {"id": "1"}
    assert result.resource("data.a.b")["attributes"] == {"id": "2"}
    with pytest.raises(KeyError, match=r"There is no 'a\.c' in the state\. There are: a\.b"):
        result.resource("a.c")
    (cli.folder / "terraform.tfstate").write_text("", encoding="utf-8")
    assert cli.state() == {}


def test_resources_are_found_by_address(cli: Terraform) -> None:
    """Modules and indices are parts of an address; without the last index it is the first instance, and a near miss is told."""
    instances = [{"index_key": key, "attributes": {"id": key}} for key in (0, 1)]
    deposed = {"deposed": "1a2b3c4d", "attributes": {"id": "old"}}
    state = {
        "resources": [
            {"module": 'module.x["a"].module.y[0]', "mode": "managed", "type": "a", "name": "b", "instances": instances},
            {
                "mode": "managed",
                "type": "a",
                "name": "b",
                "instances": [deposed, {"index_key": "k${", "attributes": {"id": "k"}}],
            },
            {"mode": "managed", "type": "a", "name": "gone", "instances": [deposed]},
            {"module": "module.z", "mode": "data", "type": "a", "name": "c", "instances": [{"attributes": {"id": "c"}}]},
        ],
    }
    (cli.folder / "terraform.tfstate").write_text(json.dumps(state), encoding="utf-8")
    result = cli.apply()
    inner = 'module.x["a"].module.y[0].a.b'
    assert list(result.instances) == [f"{inner}[0]", f"{inner}[1]", 'a.b["k$${"]', "module.z.data.a.c"]
    for address, id_ in {inner: 0, f"{inner}[1]": 1, "a.b": "k", 'a.b["k$${"]': "k", "module.z.data.a.c": "c"}.items():
        assert result.resource(address)["attributes"]["id"] == id_
    with pytest.raises(KeyError, match=r"no .*data\.a\.c.* in the state\. Did you mean .*module\.z\.data\.a\.c.*\?"):
        result.resource("data.a.c")
    with pytest.raises(KeyError, match=r"no .*a\.gone.* in the state\. There are: module\.x"):
        result.resource("a.gone")


def test_an_unexpected_end_raises_with_the_output(cli: Terraform) -> None:
    """A failure that nobody expected, and a success where a failure was expected, raise with what the CLI printed."""
    answers(cli, apply={"stderr": "it broke", "exit_code": 1})
    with pytest.raises(ProgramError, match=r"(?s)terraform apply .*exit code 1.*it broke"):
        cli.apply()
    answers(cli)
    with pytest.raises(ProgramError, match="a failure was expected"):
        cli.apply(expect_failure=True)


def test_an_error_is_read_by_people(cli: Terraform) -> None:
    """Of the CLI's JSON an error shows the messages, and of its diagnostics the place, the line and the whole reason."""
    said = {
        "severity": "error",
        "summary": "Unsupported argument",
        "detail": "There is no alc.",
        "address": "a.b",
        "range": {"filename": "main.tf", "start": {"line": 2}},
        "snippet": {"code": "  alc = 1"},
    }
    told = stream({"@message": "Terraform 1.11.4"}, {"@message": "Error: Unsupported argument", "diagnostic": said})
    answers(cli, apply={"stdout": f"Warning: plain\n{told}", "exit_code": 1})
    with pytest.raises(ProgramError) as caught:
        cli.apply()
    diagnosed = "Error: Unsupported argument (a.b)\n  main.tf, line 2: alc = 1\nThere is no alc."
    assert str(caught.value).split("\n", 1)[1] == f"Warning: plain\nTerraform 1.11.4\n{diagnosed}"

    answers(cli, validate={"stdout": json.dumps({"diagnostics": [said]}, indent=2), "exit_code": 1})
    with pytest.raises(ProgramError) as caught:
        cli.validate()
    assert str(caught.value).split("\n", 1)[1] == diagnosed


def test_a_surprising_success_is_read_by_people(cli: Terraform) -> None:
    """Of the JSON stream of a run that was expected to fail, the error shows the messages."""
    answers(cli, apply={"stdout": "{half\n" + stream({"@message": "Terraform 1.11.4"}, {"@message": "Outputs: 0"})})
    with pytest.raises(ProgramError, match=r"was expected\.\n\{half\nTerraform 1\.11\.4\nOutputs: 0$"):
        cli.apply(expect_failure=True)


def test_a_provider_that_nobody_serves_is_no_reason_to_init(cli: Terraform, tmp_path: Path) -> None:
    """An engine that misses a provider asks for init; what is missing here is the right name, of those that there are."""
    detail = "- provider example.com/mok/cloud: required by this configuration but no version is selected"
    said = {"@level": "error", "type": "diagnostic", "diagnostic": {"severity": "error", "summary": "no", "detail": detail}}
    answers(cli, apply={"stdout": stream(said), "exit_code": 1})
    with pytest.raises(ProgramError, match=r"led to no provider: give the driver .*Serving\.environment"):
        cli.apply()
    settings = tmp_path / "cli.tfrc"
    settings.write_text(
        'provider_installation {\n  dev_overrides {\n    "example.com/mock/cloud" = "/x"\n  }\n}\n', encoding="utf-8"
    )
    reattach = json.dumps({"example.com/mock/dns": {"Pid": 0, "Addr": {"Network": "tcp", "String": "127.0.0.1:1"}}})
    cli._environment = {"TF_CLI_CONFIG_FILE": str(settings), "TF_REATTACH_PROVIDERS": reattach}
    meant = r"Instead of example\.com/mok/cloud, did you mean example\.com/mock/cloud\?"
    with pytest.raises(ProgramError, match=rf"nothing to init: .*/mock/cloud, .*/mock/dns, and to no other provider\. {meant}"):
        cli.apply()


def test_a_provider_that_nobody_serves_among_many(cli: Terraform) -> None:
    """Providers that are found in the same places are named once, with these places."""
    detail = "- provider example.com/mok/other: required by this configuration but no version is selected"
    said = {"@level": "error", "type": "diagnostic", "diagnostic": {"severity": "error", "summary": "no", "detail": detail}}
    answers(cli, apply={"stdout": stream(said), "exit_code": 1})
    places = ("example.com/mock", "registry.opentofu.org/hashicorp", "registry.terraform.io/hashicorp")
    addresses = ["a.b/c/own", *(f"{place}/{name}" for name in ("cloud", "dns") for place in places)]
    at = {"Pid": 0, "Addr": {"Network": "tcp", "String": "127.0.0.1:1"}}
    cli._environment = {"TF_REATTACH_PROVIDERS": json.dumps(dict.fromkeys(addresses, at))}
    with pytest.raises(ProgramError) as caught:
        cli.apply()
    assert "led to a.b/c/own, cloud, dns (as example.com/mock/NAME or hashicorp/NAME), and to no other" in str(caught.value)


@pytest.mark.parametrize(("before", "between"), [(9000, 0), (9000, 9000), (0, 9000), (10, 10)])
def test_the_first_error_is_whole(cli: Terraform, before: int, between: int) -> None:
    """Of a long output an error shows the first error from its beginning, and the end, each part once."""
    error = "Error: It is the first.\n" + "because of this " * 100
    output = "x" * before + f"\n{error}\n" + "y" * between + "\nError: It is the last."
    answers(cli, apply={"exit_code": 1, "stderr": output})
    with pytest.raises(ProgramError) as caught:
        cli.apply()
    message = str(caught.value)
    assert (message.count(error.strip()), message.count("Error: It is the last.")) == (1, 1)
    assert len(message) < 6200
    assert message.count("...") == (before > 1000) + (between > 1000)


@pytest.mark.parametrize(("set_", "said"), [(10, True), (1, False), (None, False)])
def test_the_advice_to_be_serial_says_what_was_set(cli: Terraform, set_: int | None, said: bool) -> None:
    """Whoever is told to work on one resource at a time, and has set another number, is told that number."""
    answers(cli, apply={"exit_code": 1, "stderr": f"Error: {SERIAL.replace(' ', chr(10), 3)}"})
    cli.parallelism = set_
    with pytest.raises(ProgramError) as caught:
        cli.apply()
    assert ("This run had -parallelism=10, which hides the addresses." in str(caught.value)) is said
    answers(cli, apply={"exit_code": 1, "stderr": "Error: something else"})
    with pytest.raises(ProgramError) as caught:
        cli.apply()
    assert "This run had" not in str(caught.value)


def test_a_run_that_hangs_is_ended(cli: Terraform) -> None:
    """A run that takes longer than it may is ended, and what it had printed is shown."""
    answers(cli, apply={"hang": True})
    cli.seconds = 0.01
    with pytest.raises(ProgramError, match=r"had not ended after 0\.01 s"):
        cli.apply()


def test_validation_is_data(cli: Terraform) -> None:
    """What validation found is in the diagnostics."""
    found = {"diagnostics": [{"severity": "error", "summary": "no", "detail": "", "snippet": None}]}
    answers(cli, validate={"stdout": json.dumps(found), "exit_code": 1})
    assert cli.validate(expect_failure=True).diagnostics == [CliDiagnostic("error", "no")]


def test_show_is_data(cli: Terraform) -> None:
    """The state as the CLI shows it."""
    answers(cli, show={"stdout": '{"values": {}}'})
    assert cli.show() == {"values": {}}


def test_files_are_written(cli: Terraform) -> None:
    """Configuration goes into the root module, in HCL or JSON, and into folders below it."""
    cli.write("a")
    cli.write("{}", "b.tf.json")
    cli.write("c", "tests/c.tftest.hcl")
    assert (cli.folder / "main.tf").read_text(encoding="utf-8") == "a"
    assert (cli.folder / "b.tf.json").read_text(encoding="utf-8") == "{}"
    assert (cli.folder / "tests" / "c.tftest.hcl").read_text(encoding="utf-8") == "c"


def test_a_missing_cli_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A CLI that is not on PATH is named, with where to get it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PluginError, match="no 'tofu' on PATH"):
        Terraform(tmp_path, binary="tofu")


def test_an_empty_result_has_nothing() -> None:
    """A result without plan and state answers all questions with nothing."""
    assert (TerraformResult(0, "", "").actions, TerraformResult(0, "", "").outputs) == ({}, {})
