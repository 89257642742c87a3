"""Faults that end processes: a plugin that the engine has started, an engine in a shell, two hundred calls that hang."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from fault_stage import TYPE, double
from terraform_stage import PLAINTEXT

from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.drivers.terraform import Terraform

SECONDS = 60
WORDS = "panic: out of memory"
BLOCK = 'resource "cloud_thing" "{name}" {{\n  label = "{name}"\n}}\n'
HEAD = 'terraform {\n  required_providers {\n    cloud = { source = "example.com/mock/cloud" }\n  }\n}\n'
PLAN = '[[faults]]\nwhen = { op = "create" }\nfault = { kind = "error", reason = "over quota" }\n'


def yaml(*names: str) -> dict[str, Any]:
    """A program of these things."""
    return {"resources": {name: {"type": TYPE, "properties": {"label": name}} for name in names}}


@pytest.mark.pulumi_cli
def test_a_plugin_of_pulumi_that_crashes(tmp_path: Path) -> None:
    """A plugin process that the engine started ends with its last words, its object is an orphan, and the next run goes on."""
    with double() as provider:
        serving = provider.serve("pulumi")
        cli = PulumiCli(tmp_path / "cli", lambda: serving.plugin_environment(tmp_path / "bin"), doubles=[provider])
        provider.faults.on.create().crash(code=3, words=WORDS).at("after")
        failed = cli.up(yaml("a"), expect_failure=True)
        assert WORDS in failed.output
        assert len(provider.cloud.objects()) == 1
        assert cli.up(yaml("a")).summary == {"create": 1}


@pytest.mark.terraform_cli
def test_a_plugin_of_terraform_that_crashes(tmp_path: Path) -> None:
    """So does one that terraform started, and its panic is shown."""
    with double() as provider:
        environment = {**provider.serve("terraform").plugin_environment(tmp_path / "bin"), **PLAINTEXT}
        cli = Terraform(tmp_path / "cli", environment, doubles=[provider])
        cli.write(HEAD + BLOCK.format(name="a"))
        provider.faults.on.create().crash(words=f"{WORDS}\n\ngoroutine 1 [running]:").at("after")
        failed = cli.apply(expect_failure=True)
        assert WORDS in failed.output
        # What terraform notices first: the end of the connection, or that of the process.
        assert any(summary in failed.output for summary in ("Plugin did not respond", "Request cancelled"))
        assert len(provider.cloud.objects()) == 1
        assert cli.apply().summary == {"add": 1}


@pytest.mark.pulumi_cli
def test_two_hundred_creates_that_hang_under_pulumi(tmp_path: Path) -> None:
    """One interrupt ends two hundred hanging creates, each of which is remembered with what it made."""
    names = [f"r{number}" for number in range(200)]
    with double() as provider:
        serving = provider.serve("pulumi")
        cli = PulumiCli(tmp_path / "cli", lambda: serving.environment, doubles=[provider])
        provider.faults.on.create().hang().always()
        interrupt_when_all_hang(provider, 200)
        failed = cli.up(yaml(*names), expect_failure=True, arguments=("--parallel", "200"))
        assert failed.exit_code != 0
        things = [resource for resource in cli.export()["deployment"]["resources"] if resource["type"] == TYPE]
        assert sorted(thing["id"] for thing in things) == sorted(cloud.id for cloud in provider.cloud.objects())
        assert all(thing["initErrors"] for thing in things)
        assert len(things) == 200


@pytest.mark.terraform_cli
def test_creates_that_hang_under_terraform(tmp_path: Path) -> None:
    """The same under terraform, which taints what it is told of."""
    with double() as provider:
        serving = provider.serve("terraform")
        cli = Terraform(tmp_path / "cli", lambda: serving.environment, doubles=[provider])
        cli.write(HEAD + "".join(BLOCK.format(name=f"r{number}") for number in range(200)))
        provider.faults.on.create().hang().always()
        interrupt_when_all_hang(provider, 200)
        failed = cli.apply("-parallelism=200", expect_failure=True)
        tainted = [
            instance["attributes"]["id"]
            for resource in failed.state["resources"]
            for instance in resource["instances"]
            if instance["status"] == "tainted"
        ]
        assert sorted(tainted) == sorted(cloud.id for cloud in provider.cloud.objects())
        assert len(tainted) == 200


def interrupt_when_all_hang(provider: Any, count: int) -> None:
    """Interrupt the engine once so many creates hang: a layer behind the faults counts what was made."""
    made = threading.Semaphore(0)

    def count_creates(call: Any, proceed: Any) -> Any:
        reply = proceed(call)
        if call.op == "create" and not call.preview:
            made.release()
        return reply

    provider.use(count_creates)

    def wait() -> None:
        for _ in range(count):
            assert made.acquire(timeout=SECONDS)
        provider.engines.interrupt(None, "interrupt")

    threading.Thread(target=wait, daemon=True).start()


@pytest.mark.terraform_cli
def test_a_shell_command_with_a_plan(tmp_path: Path) -> None:
    """`mockprovider exec` runs an engine of the shell with a double, breaks it by a plan, and ends with its exit code."""
    (tmp_path / "main.tf").write_text(HEAD + BLOCK.format(name="a"), encoding="utf-8")
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    types = '{"mockprovider": 1, "packages": {"cloud": {"resources": {"cloud:index:Thing": {"properties": {"label": {}}}}}}}'
    (tmp_path / "types.json").write_text(types, encoding="utf-8")
    command = [sys.executable, "-m", "mockprovider", "exec", "--types", "types.json"]
    apply = ["--", "terraform", "apply", "-auto-approve", "-no-color"]
    options: dict[str, Any] = {"cwd": tmp_path, "capture_output": True, "text": True}
    broken = subprocess.run([*command, "--faults", "plan.toml", *apply], check=False, **options)
    assert broken.returncode == 1
    assert "Error: over quota" in broken.stderr
    whole = subprocess.run([*command, *apply], check=False, **options)
    assert whole.returncode == 0, whole.stderr
    assert "1 added" in whole.stdout
