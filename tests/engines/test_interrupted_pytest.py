"""A test whose create hangs is interrupted or killed: pytest ends, and leaves no engine, plugin or language host behind."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SECONDS = 90
"""How long anything may take before the test fails instead of hanging."""

COMMON = """
import threading
from mockprovider import Double, ResourceType
from mockprovider.calls import Op
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.drivers.terraform import Terraform

def hang(call, proceed):
    if call.op is Op.CREATE and not call.preview:
        print("hanging", flush=True)
        {hanging}
    return proceed(call)

BUCKET = ResourceType("cloud:index:Bucket", {{"acl": str}})
YAML = {{"resources": {{"logs": {{"type": "cloud:index:Bucket"}}}}}}

def program():
    import pulumi
    class Bucket(pulumi.CustomResource):
        def __init__(self, name):
            super().__init__("cloud:index:Bucket", name, {{}})
    Bucket("logs")

def test_it(tmp_path):
    with Double(BUCKET, layers=(hang,)) as double:
        {run}
"""
HANGS = {
    "until it is cancelled": "call.session.cancelled.wait()",
    "for ever": "threading.Event().wait()",
}
TERRAFORM = """
        cli = Terraform(tmp_path / "cli", double.serve("terraform").plugin_environment(tmp_path), binary="{}")
        cli.write('resource "cloud_bucket" "logs" {{}}')
        cli.apply()
"""
RUNS = {
    "terraform": TERRAFORM.format("terraform"),
    "tofu": TERRAFORM.format("tofu"),
    "pulumi": """
        PulumiCli(tmp_path / "cli", double.serve("pulumi").plugin_environment(tmp_path)).up(YAML)
""",
    "pulumi-inline": """
        PulumiCli(tmp_path / "cli", double.serve("pulumi").environment).up(program)
""",
}
ENDINGS = {
    "Ctrl-C": (signal.SIGINT, 2),
    "a kill": (signal.SIGKILL, -signal.SIGKILL),
    "Ctrl-\\": (signal.SIGQUIT, -signal.SIGQUIT),
}

CASES = [
    pytest.param(engine, hang, ending, marks=getattr(pytest.mark, f"{engine.partition('-')[0]}_cli"))
    for engine in RUNS
    for hang in HANGS
    for ending in ENDINGS
    if ending == "Ctrl-C" or hang == "for ever"
]


def alive(mark: str) -> list[str]:
    """The processes that have the mark in their environment."""
    shown = subprocess.run(["ps", "axeww", "-o", "pid=,command="], capture_output=True, text=True, check=True).stdout
    return [line for line in shown.splitlines() if mark in line]


@pytest.mark.parametrize(("engine", "hang", "ending"), CASES)
def test_nothing_is_left(tmp_path: Path, engine: str, hang: str, ending: str) -> None:
    """Pytest ends as it does without us, although nobody answers the create; what it has started is gone, and so are locks."""
    (tmp_path / "test_it.py").write_text(COMMON.format(hanging=HANGS[hang], run=RUNS[engine].strip()), encoding="utf-8")
    mark = f"MARK={secrets.token_hex(8)}"
    environment = {**os.environ, "PYTEST_ADDOPTS": "", **dict([mark.split("=")])}
    command = [sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider", "test_it.py", f"--basetemp={tmp_path / 'temp'}"]
    number, code = ENDINGS[ending]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as inner:
        assert inner.stdout is not None
        try:
            said = next((line for line in inner.stdout if "hanging" in line), "")
            assert "hanging" in said
            assert alive(mark)
            inner.send_signal(number)
            rest = inner.stdout.read()
            assert inner.wait(SECONDS) == code, rest
        finally:
            inner.kill()
    while alive(mark):
        os.sched_yield()
    assert not [*tmp_path.glob("temp/**/.pulumi/locks/**/*.json")]
