"""A project folder as a program, run in a process of its own."""

from pathlib import Path

import pytest
from engine_toolbox import make

from mockprovider.double import Double
from mockprovider.engine.programs.ready import leading_to, of_command
from mockprovider.errors import MalformedError, PluginError, ProgramError, UnsupportedError
from mockprovider.pulumi.languages import prepare, read_project
from mockprovider.schema import Package

PROGRAM = """
import sys, time
import pulumi

class Bucket(pulumi.CustomResource):
    def __init__(self, name, **properties):
        super().__init__("cloud:index:Bucket", name, {"arn": None, **properties})

config = pulumi.Config()
logs = Bucket("logs", acl=config.get("acl"))
Bucket("more", source=logs.arn)
print("hello")
pulumi.log.info("said")
pulumi.export("arn", logs.arn)
exec(config.get("then") or "")
"""


@pytest.fixture
def project(tmp_path):
    """A project folder with a Python program."""
    (tmp_path / "Pulumi.yaml").write_text("name: shop\nruntime:\n  name: python\n")
    (tmp_path / "Pulumi.dev.yaml").write_text("config:\n  shop:acl: public\n  shop:count: 3\n  shop:on: true\n")
    (tmp_path / "__main__.py").write_text(PROGRAM)
    return tmp_path


def test_a_folder_runs_like_a_function(project):
    """Its resources are made, its outputs come back, and what it prints and logs is shown."""
    stack, _, _ = make()
    up = stack.up(project)
    assert (up.summary, up.outputs["arn"]) == ({"create": 2}, up.state["logs"].outputs["arn"])
    assert [each.message for each in up.diagnostics] == ["said", "hello"]
    assert up.state["logs"].inputs["acl"] == "public"
    assert stack.project == "shop"
    assert stack.up(project).summary == {}
    assert stack.destroy().summary == {"delete": 2}


def test_configuration_is_read_from_the_stack_s_file(project):
    """Plain values are strings, compound ones JSON; a stack without a file has none."""
    found = read_project(project)
    assert found.config("dev") == {"shop:acl": "public", "shop:count": "3", "shop:on": "true"}
    assert found.config("prod") == {}


def test_encrypted_configuration_is_refused(project):
    """Only the CLI, with the stack's passphrase, can open what it encrypted."""
    (project / "Pulumi.dev.yaml").write_text("config:\n  shop:key:\n    secure: v1:abc\n")
    with pytest.raises(UnsupportedError, match="encrypted"):
        read_project(project).config("dev")


@pytest.mark.parametrize(
    ("then", "said"),
    [
        ("raise ValueError('boom')", "ValueError: boom"),
        ("import os; os._exit(3)", "exit code 3"),
        ("raise pulumi.RunError('stop here')", "stop here"),
    ],
)
def test_a_program_that_fails(project, then, said):
    """A program that raises, dies or refuses is told with its own words, and what it made is remembered."""
    stack, _, _ = make(project="shop", config={"then": then})
    failed = stack.up(project, expect_failure=True)
    assert said in str(failed.error)
    assert isinstance(failed.error, ProgramError)


def test_a_program_that_never_ends(project):
    """Its process is ended when time is up."""
    stack, _, _ = make(project="shop", config={"then": "time.sleep(1000)"}, timeout=1)
    assert "did not end within 1 s" in str(stack.up(project, expect_failure=True).error)


def test_a_provider_s_failure_ends_the_program_quietly(project):
    """When the engine has failed, the program leaves without an error of its own."""
    stack, double, _ = make(project="shop")
    double.faults.on.create("cloud:index:Bucket").partial(reasons=["slow"])
    failed = stack.up(project, expect_failure=True)
    assert [each.severity for each in failed.diagnostics if each.message != "hello"] == ["info", "error", "error"]
    assert failed.state["logs"].init_errors == ["slow"]


@pytest.mark.parametrize(
    ("files", "error", "said"),
    [
        ({}, MalformedError, "no Pulumi.yaml"),
        ({"Pulumi.yaml": "name: [\n"}, MalformedError, "no YAML"),
        ({"Pulumi.yaml": "- a\n"}, MalformedError, "no mapping"),
        ({"Pulumi.yaml": "runtime: python\n"}, MalformedError, "no name"),
        ({"Pulumi.yaml": "name: a\nruntime: ruby\n"}, UnsupportedError, "nodejs, python"),
        ({"Pulumi.yaml": "name: a\nruntime: python\n"}, ProgramError, "__main__.py"),
        (
            {"Pulumi.yaml": "name: a\nruntime:\n  name: python\n  options:\n    virtualenv: venv\n", "__main__.py": ""},
            ProgramError,
            "virtual environment",
        ),
    ],
)
def test_a_broken_folder_is_told(tmp_path, files, error, said):
    """What is missing or wrong in a project folder is an error that names it."""
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(error, match=said):
        prepare(read_project(tmp_path))


def test_where_a_command_s_paths_are_below(tmp_path):
    """Below its folder, or the current one where it has none."""
    assert of_command(["true"], tmp_path).directory == str(tmp_path.resolve())
    assert of_command(["true"], None).directory == str(Path.cwd())


def test_the_variables_of_several_doubles():
    """Each variable leads to all of them; what is no double leads nowhere."""
    one, two = Double(Package("one")), Double(Package("two"))
    with one, two, leading_to({"one": one, "two": two, "none": object()}) as variables:
        listed = variables["PULUMI_DEBUG_PROVIDERS"].split(",")
    assert [address.partition(":")[0] for address in listed] == ["one", "two"]


@pytest.mark.parametrize("imported", [False, True])
def test_the_project_of_a_stack(project, imported):
    """A stack is its program's, unless it has a name already, by an import or by whoever made it."""
    stack, _, _ = make()
    if imported:
        other, _, _ = make(project="other")
        other.up(lambda: None)
        stack.import_(other.export())
    with pytest.raises(PluginError, match="none"):
        stack.up(project, interpreter="none")
    assert stack.project == ("other" if imported else "shop")
