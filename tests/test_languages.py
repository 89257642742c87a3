"""Which languages run, and what is told of those that cannot; programs that a command starts."""

import _thread
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from engine_toolbox import make

from mockprovider import Stack
from mockprovider.calls import Op
from mockprovider.engine.programs.outside import CallsUnderWay
from mockprovider.errors import DefinitionError, MalformedError, PluginError, ProgramError, UnsupportedError
from mockprovider.pulumi.languages import prepare, read_project
from mockprovider.pulumi.languages.table import LANGUAGES

PROGRAM = """
import asyncio, json, os, pathlib, threading, time
import pulumi
from pulumi.runtime import Settings, configure, run_in_stack, set_all_config

given = os.environ
configure(Settings(
    project=given["PULUMI_PROJECT"],
    stack=given["PULUMI_STACK"],
    monitor=given["PULUMI_MONITOR"],
    engine=given["PULUMI_ENGINE"],
    parallel=int(given["PULUMI_PARALLEL"]),
    dry_run=given["PULUMI_DRY_RUN"] == "true",
    organization=given["PULUMI_ORGANIZATION"],
))
set_all_config(json.loads(given["PULUMI_CONFIG"]), json.loads(given["PULUMI_CONFIG_SECRET_KEYS"]))

class Bucket(pulumi.CustomResource):
    def __init__(self, name, **properties):
        super().__init__("cloud:index:Bucket", name, {"arn": None, **properties})

def program():
    file = pulumi.FileAsset("page.html")
    bucket = Bucket("logs", acl=pulumi.Config().require("acl"), file=file)
    pulumi.export("arn", bucket.arn)
    pulumi.export("dry", pulumi.runtime.is_dry_run())
    exec(pulumi.Config().get("then") or "")

asyncio.new_event_loop().run_until_complete(run_in_stack(program))
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with a program that only knows the variables of language hosts, and a file that it names."""
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "page.html").write_text("<h1>hello</h1>")
    return tmp_path


def project_of(folder: Path, runtime: str, program: str | None = None) -> Path:
    """A project of a runtime, in JSON, which is YAML, with a program in Python where one is given."""
    (folder / "Pulumi.yaml").write_text(f'{{"name": "shop", "runtime": {runtime}}}')
    if program is not None:
        (folder / "__main__.py").write_text(program)
    return folder


def test_a_command_is_a_program(folder):
    """What a command starts finds monitor, engine and configuration by variables, and its files in the folder it runs in."""
    stack, double, _ = make(project="shop", config={"acl": "public"})
    command = [sys.executable, "program.py"]
    assert stack.preview(command=command, cwd=folder).outputs["dry"] is True
    assert double.cloud.objects() == []
    up = stack.up(command=command, cwd=folder)
    assert (up.summary, up.outputs["dry"]) == ({"create": 1}, False)
    assert up.state["logs"].inputs["file"].path == "page.html"
    assert stack.up(command=command, cwd=folder).summary == {}
    (folder / "page.html").write_text("<h1>bye</h1>")
    assert stack.up(command=command, cwd=folder).summary == {"update": 1}


@pytest.mark.parametrize(
    ("command", "cwd", "error", "words"),
    [
        ([], None, DefinitionError, "no command"),
        ("dotnet run", None, DefinitionError, "list of its words"),
        (["true"], "nowhere", DefinitionError, "no folder"),
        (["no-such-program"], None, PluginError, "Cannot start 'no-such-program'"),
    ],
)
def test_no_command(command, cwd, error, words):
    """What cannot be started is told as what it is."""
    stack, _, _ = make()
    with pytest.raises(error, match=words):
        stack.up(command=command, cwd=cwd)


def test_what_a_program_did_not_wait_for_is_carried_out(folder, monkeypatch):
    """A program that ends while a create is under way leaves an object that the state knows."""
    begun, settling = folder / "begun", threading.Event()
    then = (
        "def leave():\n"
        f"    while not pathlib.Path({str(begun)!r}).exists(): time.sleep(0.01)\n"
        "    os._exit(0)\n"
        "threading.Thread(target=leave, daemon=True).start()\n"
    )
    stack, _, breaking = make(project="shop", config={"acl": "public", "then": then})
    settle = CallsUnderWay.settle

    def noted(calls):
        settling.set()
        settle(calls)

    def create(call, proceed):
        begun.touch()
        # The program is gone, and so is its connection.
        settling.wait(60)
        return proceed(call)

    monkeypatch.setattr(CallsUnderWay, "settle", noted)
    breaking.replace(Op.CREATE, "logs", create)
    up = stack.up(command=[sys.executable, "program.py"], cwd=folder)
    assert "logs" in up.state
    assert up.summary == {"create": 1}


def test_ctrl_c_ends_a_program_and_what_it_has_started(tmp_path):
    """Ctrl-C leaves nobody behind: neither the program nor a process of its own."""
    os.mkfifo(tmp_path / "alive")
    program = (
        "import subprocess; alive = open('alive', 'w'); child = subprocess.Popen(['sleep', '1000'], stdout=alive); "
        "print('begun', file=alive, flush=True); child.wait()"
    )

    def watch():
        # Its end comes when nobody has it open for writing any more.
        with (tmp_path / "alive").open() as alive:
            assert alive.readline() == "begun\n"
            _thread.interrupt_main()
            return alive.read()

    with ThreadPoolExecutor(1) as watching:
        rest = watching.submit(watch)
        stack, _, _ = make()
        with pytest.raises(KeyboardInterrupt):
            stack.up(command=[sys.executable, "-c", program], cwd=tmp_path)
        assert rest.result() == ""


def test_the_stack_of_a_project(tmp_path):
    """A stack that is given a project's folder has its name and settings, and runs its program; what is given goes first."""
    project = project_of(tmp_path, '"python"', program="import pulumi\npulumi.export('all', pulumi.Config().require('a'))\n")
    (project / "Pulumi.yaml").write_text("name: shop\nruntime: python\nconfig:\n  a: one\n  b: {default: two}\n  cloud:c: 3\n")
    (project / "Pulumi.prod.yaml").write_text("config:\n  shop:key: {secure: v1:abc}\n  shop:b: TWO\n")
    stack = Stack(make()[1], project=project, name="prod", config={"key": "k"})
    assert stack.project == "shop"
    assert stack.config == {"shop:a": "one", "shop:b": "TWO", "cloud:c": "3", "shop:key": "k"}
    assert stack.up().outputs == {"all": "one"}


@pytest.mark.parametrize("where", ["config: stacks", "stackConfigDir: stacks"])
def test_settings_in_a_folder_of_their_own(tmp_path, where):
    """A project may keep the settings files of its stacks elsewhere."""
    (tmp_path / "Pulumi.yaml").write_text(f"name: shop\nruntime: python\n{where}\n")
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "Pulumi.dev.yaml").write_text("config:\n  shop:a: one\n")
    assert Stack(make()[1], project=tmp_path).config == {"shop:a": "one"}


def test_nothing_is_in_the_way_of_es_modules(tmp_path):
    """Node.js is started without a word for which the SDK takes no ES module in TypeScript."""
    (tmp_path / "Pulumi.yaml").write_text("{name: shop, runtime: nodejs}")
    (tmp_path / "node_modules" / "@pulumi" / "pulumi" / "cmd" / "run").mkdir(parents=True)
    node = tmp_path / "node"
    node.write_text(f"#!{sys.executable}\nimport pathlib, sys\npathlib.Path('words').write_text(' '.join(sys.argv))\n")
    node.chmod(0o755)
    Stack(make()[1], project=tmp_path).up(tmp_path, interpreter=node)
    words = (tmp_path / "words").read_text().split()
    assert not {"--require", "--import", "--loader"} & {*words}
    assert any(word.startswith("--require=") for word in words)


def test_an_interpreter_for_a_missing_environment(tmp_path):
    """A project whose virtual environment is not there runs with the interpreter that one names, and the error says so."""
    runtime = '{"name": "python", "options": {"virtualenv": "venv"}}'
    project = project_of(tmp_path, runtime, program="import pulumi\npulumi.export('a', 1)\n")
    stack, _, _ = make()
    with pytest.raises(ProgramError, match=r"interpreter=sys\.executable"):
        stack.up(project)
    assert stack.up(project, interpreter=sys.executable).outputs == {"a": 1}
    relative = os.path.relpath(sys.executable)
    assert stack.up(project, interpreter=relative).outputs == {"a": 1}


@pytest.mark.parametrize(
    ("runtime", "error", "words"),
    [
        ('"dotnet"', UnsupportedError, r"nodejs, python, go, yaml\. .*command=\["),
        ('"java"', UnsupportedError, "in any language by its command"),
        ('"nodejs"', ProgramError, "npm ci"),
        ('{"name": "python", "options": {"toolchain": "poetry"}}', ProgramError, "interpreter="),
        ('{"name": "python", "options": {"toolchain": "uv"}}', ProgramError, "'.venv'"),
        ('{"name": "go", "options": {"binary": "bin/infra"}}', ProgramError, "Build it first"),
        ("3", MalformedError, "should be a language"),
        ('"python", "config": [1]', MalformedError, "no mapping"),
        ('"python", "main": "src"', ProgramError, "'main' is 'src'"),
    ],
)
def test_what_cannot_be_run(tmp_path, runtime, error, words):
    """A project that cannot be run is told why, and what can."""
    with pytest.raises(error, match=words):
        prepare(read_project(project_of(tmp_path, runtime, program="")))


@pytest.mark.parametrize("runtime", [name for name in LANGUAGES if name != "python"])
def test_a_language_that_is_not_installed(tmp_path, monkeypatch, runtime):
    """Without the language's own program on PATH, the error names it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PluginError, match=r"there is no '.*' on PATH"):
        prepare(read_project(project_of(tmp_path, f'"{runtime}"')))
