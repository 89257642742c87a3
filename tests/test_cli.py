"""The command line as a user meets it: help, output, and one clear line for each mistake."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from mockprovider.cli import main

TYPES = {
    "mockprovider": 1,
    "packages": {
        "cloud": {
            "resources": {
                "cloud:index:Bucket": {
                    "properties": {
                        "acl": {"type": "string", "default": "private"},
                        "token": {"type": "string", "secret": True, "default": "hush-hush"},
                        "arn": {"type": "string", "computed": "arn:cloud:::{id}"},
                    }
                }
            }
        }
    },
}
PROGRAM = """
import pulumi

class Bucket(pulumi.CustomResource):
    arn: pulumi.Output[str]
    token: pulumi.Output[str]
    def __init__(self, name, **properties):
        super().__init__("cloud:index:Bucket", name, {"arn": None, "token": None, **properties})

bucket = Bucket("logs", acl=pulumi.Config().get("acl"))
pulumi.export("arn", bucket.arn)
pulumi.export("token", bucket.token)
"""


def run(*arguments):
    """The command line's exit code and output."""
    result = CliRunner().invoke(main, [str(each) for each in arguments])
    return result.exit_code, result.output


@pytest.fixture
def types(tmp_path):
    """A types file."""
    path = tmp_path / "types.json"
    path.write_text(json.dumps(TYPES))
    return path


@pytest.fixture
def project(tmp_path):
    """A project folder with a Python program."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text("name: proj\nruntime: python\n")
    (folder / "__main__.py").write_text(PROGRAM)
    return folder


@pytest.mark.parametrize("command", ["demo", "serve", "record", "replay", "run"])
def test_each_command_has_help_with_an_example(command):
    """Whoever asks a command for help is shown how it is typed."""
    code, output = run(command, "--help")

    assert code == 0
    assert f"Example:\n    mockprovider {command}" in output


def test_a_project_lives_from_run_to_run(project, types):
    """State and cloud are kept between runs: up, up again, changed settings, refresh, destroy."""
    code, output = run("run", project, "preview", "--types", types)
    assert (code, "preview: 1 create" in output) == (0, True)
    assert not (project / ".mockprovider").exists()
    code, output = run("run", project, "up", "--types", types)
    assert (code, "up: 1 create" in output, "token = [secret]" in output) == (0, True, True)
    assert "up: nothing changed" in run("run", project, "up", "--types", types)[1]
    (project / "Pulumi.dev.yaml").write_text("config:\n  proj:acl: public\n")
    assert "up: 1 update" in run("run", project, "up", "--types", types)[1]
    assert "refresh: nothing changed" in run("run", project, "refresh", "--types", types)[1]
    assert "destroy: 1 delete" in run("run", project, "destroy", "--types", types)[1]
    kept = json.loads((project / ".mockprovider" / "dev.json").read_text())
    assert kept["cloud"]["objects"] == []


def test_a_failed_run_keeps_what_was_done(project, types):
    """What exists when a program fails is remembered, so that the next run can go on from there."""
    (project / "__main__.py").write_text(PROGRAM + "\nbucket.arn.apply(lambda _: 1 / 0)\n")
    code, output = run("run", project, "up", "--types", types)

    assert code == 1
    assert "ZeroDivisionError" in output
    assert len(json.loads((project / ".mockprovider" / "dev.json").read_text())["cloud"]["objects"]) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "nowhere", "up"), "There is no Pulumi.yaml in"),
        (("serve", "pulumi", "--types", "nowhere.json"), "Cannot read the types file nowhere.json: No such file"),
        (("replay", "nowhere.json"), "There is no cassette nowhere.json. To record it:"),
        (("record", "pulumi", "--cassette", "x.json", "--", "no-such-provider"), "There is no executable 'no-such-provider'"),
        (("record", "pulumi", "--cassette", "x.json"), "Name one provider: its command after --, or --attach"),
        (("record", "pulumi", "--cassette", "x.json", "--attach", "nowhere"), "'nowhere' is no address"),
        (("record", "terraform", "--cassette", "x.json", "--", sys.executable, "-c", "1"), "ended (exit code 0)"),
    ],
)
def test_bad_input_is_one_clear_error(arguments, said, tmp_path, monkeypatch):
    """A mistake ends in a message that says what to do, a non-zero exit code, and no traceback."""
    monkeypatch.chdir(tmp_path)
    code, output = run(*arguments)

    assert code == 1
    assert output.startswith("Error: ")
    assert said in output
    assert "Traceback" not in output


def test_a_torn_memory_is_not_overwritten(project, types):
    """A run whose kept state cannot be read says so, and leaves the file as it is."""
    memory = project / ".mockprovider" / "dev.json"
    memory.parent.mkdir()
    memory.write_text('{"state": ')
    code, output = run("run", project, "up", "--types", types)

    assert code == 1
    assert "Delete it to begin anew" in output
    assert memory.read_text() == '{"state": '


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serving_ends_at_a_signal(number, types, tmp_path):
    """Serving tells the address and the variables at once, and ends cleanly when it is asked to."""
    command = [sys.executable, "-c", "from mockprovider.cli import main; main()", "serve", "pulumi", "--types", str(types)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(Path(__file__).parents[1])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=environment) as process:
        try:
            lines = [process.stdout.readline() for _ in range(4)]
            process.send_signal(number)
            rest, _ = process.communicate(timeout=30)
        finally:
            process.kill()

    assert lines[0].startswith("Serving cloud at 127.0.0.1:")
    assert lines[3].startswith("  export PULUMI_DEBUG_PROVIDERS='cloud:")
    assert "0 objects were left in the cloud." in rest
    assert process.returncode == 0
