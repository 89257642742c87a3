"""The command line as a user meets it: help, output, and one clear line for each mistake."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from cli_toolbox import serving
from click.testing import CliRunner
from policy_toolbox import pack

from mockprovider.cli import main
from mockprovider.pulumi.policies.serving import as_plugins

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


def test_a_run_keeps_to_policy_packs(project, types, tmp_path):
    """An up that a mandatory policy forbids fails, and shows why; without the pack it goes well."""
    (project / "Pulumi.dev.yaml").write_text("config:\n  proj:acl: public\n")
    with as_plugins([pack()], tmp_path / "packs") as (path,):
        code, output = run("run", project, "up", "--types", types, "--policy-pack", path)
    assert (code, "- [mandatory]  [high]  private  (cloud:index:Bucket: logs)" in output) == (1, True)
    assert "up: 1 create" in run("run", project, "up", "--types", types)[1]


def test_a_project_lives_from_run_to_run(project, types):
    """State and cloud are kept between runs: up, up again, changed settings, refresh, destroy."""
    code, output = run("run", project, "preview", "--types", types)
    assert (code, "preview: 1 create" in output) == (0, True)
    assert not (project / ".mockprovider").exists()
    code, output = run("run", project, "up", "--types", types)
    assert (code, "up: 1 create" in output, "token: [secret]" in output) == (0, True, True)
    assert "up: nothing changed" in run("run", project, "up", "--types", types)[1]
    (project / "Pulumi.dev.yaml").write_text("config:\n  proj:acl: public\n")
    assert "up: 1 update" in run("run", project, "up", "--types", types)[1]
    assert "refresh: nothing changed" in run("run", project, "refresh", "--types", types)[1]
    assert "destroy: 1 delete" in run("run", project, "destroy", "--types", types)[1]
    kept = json.loads((project / ".mockprovider" / "dev.json").read_text())
    assert kept["cloud"]["objects"] == []


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", "a b"])
def test_a_stack_s_name_is_no_path(project, types, name):
    """A name that pulumi would refuse, and that could lead out of the project, is refused."""
    code, output = run("run", project, "up", "--types", types, "--stack", name)
    assert code != 0
    assert "is no name of a stack" in output
    assert not (project / ".mockprovider").exists()


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
        (("run", "nowhere", "up"), "There is no Pulumi.yaml at"),
        (("serve", "pulumi", "--types", "nowhere.json"), "Cannot read the types file nowhere.json: No such file"),
        (("serve", "tofu", "--types", "nowhere.json"), "Cannot read the types file nowhere.json: No such file"),
        (("replay", "nowhere.json"), "There is no cassette nowhere.json. To record it:"),
        (("record", "pulumi", "--cassette", "x.json", "--", "no-such-provider"), "There is no executable 'no-such-provider'"),
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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("record", "pulumi", "--cassette", "x.json"), "Name one provider: its command after --, or --attach"),
        (("record", "pulumi", "--cassette", "x.json", "--attach", "a:1", "--", "b"), "Name one provider"),
        (("record", "pulumi", "--cassette", "x", "--", "/a/terraform-provider-b"), "is a terraform provider by its name"),
        (
            ("record", "pulumi", "--cassette", "x", "--provider", "b=terraform-provider-b"),
            "is a terraform provider by its name",
        ),
        (("record", "pulumi", "--cassette", "x", "--provider", "b=b", "--", "b"), "Name one provider"),
        (("record", "pulumi", "--cassette", "x", "--provider", "b=b", "--attach", "a:1"), "Name one provider"),
        (("record", "pulumi", "--cassette", "x", "--provider", "b=b", "--name", "c"), "Name one provider"),
        (("record", "pulumi", "--cassette", "x", "--provider", "b=b", "--provider", "b=c"), "two of them have one name"),
        (("record", "pulumi", "--cassette", "x", "--provider", "b"), "write NAME=COMMAND"),
        (("record", "pulumi", "--cassette", "x", "--provider", "=b"), "write NAME=COMMAND"),
        (("record", "pulumi", "--cassette", "x", "--provider", "b='"), "is no command line: No closing quotation"),
        (("serve", "pulumi", "--port", "99999"), "99999 is not in the range 0<=x<=65535"),
        (("serve", "pulumi", "--protocol", "5"), "--protocol: The protocol pulumi has one version, and 5 was asked for."),
        (("plugin", "install", "terraform", "x", "--into", "d", "--source", "a/b/c"), "it goes with terraform and --version"),
        (("run", ".", "up", "--types", "a", "--cassette", "b"), "--types for the fake or --cassette for a recorded provider"),
        (("sevre",), "Did you mean 'serve'?"),
    ],
)
def test_wrong_usage(arguments, said):
    """A command line that cannot be meant ends with the code of wrong usage, 2, and says what is wrong with it."""
    code, output = run(*arguments)

    assert code == 2
    assert said in output


@pytest.mark.parametrize(("name", "said"), [("msgpack", "pip install 'mockprovider[terraform]'."), ("other", "")])
def test_a_missing_extra(name, said, types, monkeypatch):
    """An optional dependency that is not there is one line that says what to install; any other module is a bug."""

    def missing(*_, **__):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr("mockprovider.cli.serving.serve_fake", missing)
    result = CliRunner().invoke(main, ["serve", "terraform", "--types", str(types)])

    assert result.exit_code == 1
    assert result.output == (f"Error: This needs {name}: {said}\n" if said else "")


def test_a_folder_that_cannot_be_made(tmp_path):
    """What the system refuses is one line that names the file."""
    (tmp_path / "file").write_text("")
    code, output = run("plugin", "install", "pulumi", "x", "--into", tmp_path / "file" / "bin")

    assert code == 1
    assert output == f"Error: {tmp_path}/file/bin: Not a directory.\n"


def test_a_recording_that_came_to_nothing(tmp_path):
    """A recorder that cannot even listen, because its port is in use, leaves the cassette that is there as it was."""
    cassette = tmp_path / "x.json"
    cassette.write_text("the only trace")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, output = run("record", "pulumi", "--cassette", cassette, "--attach", "localhost:1", "--port", port)

    assert code == 1
    assert f"Cannot listen on 127.0.0.1:{port}" in output
    assert [each.name for each in tmp_path.iterdir()] == ["x.json"]
    assert cassette.read_text() == "the only trace"


def test_nobody_called(tmp_path, types):
    """A recording that no engine called replaces nothing, and says so."""
    arguments = ["record", "pulumi", "--cassette", "x.json", "--attach", "127.0.0.1:1"]
    (tmp_path / "x.json").write_text("the only trace")
    with serving(tmp_path, *arguments) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)

    assert process.returncode == 1
    assert errors.endswith("\nError: No engine called, so nothing was recorded into x.json.\n")
    assert (tmp_path / "x.json").read_text() == "the only trace"


def test_a_recording_of_the_other_protocol(project):
    """A Pulumi program is not run on a recorded Terraform provider."""
    cassette = project / "terraform.json"
    cassette.write_text('[{"format": "mockprovider-cassette", "version": 1, "protocol": "tfplugin6"}]')
    code, output = run("run", project, "up", "--cassette", cassette)

    assert code == 1
    assert "terraform.json was recorded over tfplugin6; the embedded engine needs a recording over pulumi." in output


HANGING = """
import pathlib, time
import pulumi

bucket = pulumi.CustomResource("cloud:index:Bucket", "logs", {"acl": "private"})
bucket.id.apply(lambda id_: (pathlib.Path("made").write_text(id_), time.sleep(600)))
"""


def test_an_interrupted_run_says_what_is_left(project, types):
    """Ctrl-C ends a run; what it had made by then is shown, and kept for the next one."""
    (project / "__main__.py").write_text(HANGING)
    with serving(project.parent, "run", str(project), "up", "--types", str(types)) as process:
        while not (project / "made").exists():
            assert process.poll() is None, process.communicate()
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=300)

    kept = project / ".mockprovider" / "dev.json"
    assert process.returncode == 1
    assert "cloud:index:Bucket" in output
    assert errors.endswith(f"Error: The up of proj/dev was interrupted. What was done by then is kept in {kept}.\n")
    assert "Bucket::logs" in kept.read_text()


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
    with serving(tmp_path, "serve", "pulumi", "--types", str(types)) as process:
        lines = [process.stdout.readline() for _ in range(4)]
        process.send_signal(number)
        rest, _ = process.communicate(timeout=300)

    assert lines[0].startswith("Serving cloud at 127.0.0.1:")
    assert lines[3].startswith("  export PULUMI_DEBUG_PROVIDERS='cloud:")
    assert "0 objects were left in the cloud." in rest
    assert process.returncode == 0


def test_without_the_command_on_path():
    """``python -m mockprovider`` is the command, and calls itself so."""
    command = [sys.executable, "-m", "mockprovider", "replay", "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)

    assert shown.stdout.startswith("Usage: mockprovider replay ")
    assert (shown.returncode, shown.stderr) == (0, "")


def groups(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of each command that has commands."""
    yield words
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from groups(command, (*words, name))


@pytest.mark.parametrize("words", list(groups(main)), ids=" ".join)
def test_lists_of_commands_have_whole_sentences(words):
    """What each command does is told in a terminal of 80 columns without being cut."""
    listed = CliRunner().invoke(main, [*words, "--help"], terminal_width=80).output.partition("Commands:")[2]
    assert listed
    assert "..." not in listed
