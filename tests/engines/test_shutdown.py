"""Ctrl-C under the real engines while a create hangs: Cancel is advice, and a late success is kept."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest
from engine_toolbox import BUCKET, TYPES, begun_up
from terraform_stage import PLAINTEXT

from mockprovider.calls import Call, Failure, Handler, Op, Reply
from mockprovider.double import Double
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.drivers.terraform import Terraform
from mockprovider.schema import Package

SECONDS = 60
"""How long anything may take before the test fails instead of hanging."""

YAML = {"resources": {"logs": {"type": BUCKET}}}


class Hanging:
    """A layer in which a real Create hangs until its session is cancelled."""

    def __init__(self) -> None:
        self.creating = threading.Event()

    def layer(self, call: Call, proceed: Handler) -> Reply:
        """Hold the create."""
        if call.op is Op.CREATE and not call.preview:
            self.creating.set()
            assert call.session.cancelled.wait(SECONDS)
        return proceed(call)


@pytest.mark.pulumi_cli
@pytest.mark.parametrize("started", [False, True])
def test_a_create_outlives_a_cancel(tmp_path: Path, started: bool) -> None:
    """Cancel reaches a provider in whose create it hangs; what the create then made is in the state, and can be destroyed."""
    package = Package("cloud")
    package.add(*TYPES)
    hanging = Hanging()
    with Double(package, layers=(hanging.layer,)) as double:
        serving = double.serve("pulumi")
        found = serving.plugin_environment(tmp_path / "bin") if started else serving.environment
        cli = PulumiCli(tmp_path / "program", found)
        cli.preview(YAML)
        with begun_up(cli, subprocess.PIPE) as up:
            try:
                assert hanging.creating.wait(SECONDS)
                up.send_signal(signal.SIGINT)
                output, _ = up.communicate(timeout=SECONDS)
            finally:
                up.kill()
        [bucket] = double.cloud.objects(BUCKET)
        remembered = [each["id"] for each in cli.export()["deployment"]["resources"] if each["type"] == BUCKET]

        assert up.returncode != 0, output
        assert remembered == [bucket.id]
        assert cli.destroy().summary == {"delete": 1}
        assert double.cloud.objects() == []


@pytest.mark.pulumi_cli
def test_a_cancelled_refresh_keeps_what_it_read(tmp_path: Path) -> None:
    """What an interrupted refresh has read is in the state, as with the embedded engine (tests/test_engine_interrupts.py)."""
    package = Package("cloud")
    package.add(*TYPES)
    early, late = threading.Event(), threading.Event()

    def hang(call: Call, proceed: Handler) -> Reply:
        if call.op is Op.READ and call.name == "late":
            assert early.wait(SECONDS)
            late.set()
            assert call.session.cancelled.wait(SECONDS)
            return Reply(failures=(Failure("interrupted"),))
        reply = proceed(call)
        if call.op is Op.READ:
            early.set()
        return reply

    with Double(package, layers=(hang,)) as double:
        cli = PulumiCli(tmp_path / "program", double.serve("pulumi").environment)
        cli.up({"resources": {name: {"type": BUCKET, "properties": {"acl": "old"}} for name in ("early", "late")}})
        for bucket in double.cloud.objects(BUCKET):
            double.cloud.update(BUCKET, bucket.id, {**bucket, "acl": "drifted"})
        command = [cli.binary, "refresh", "--yes", "--skip-preview", "--non-interactive", "--stack", cli.stack]
        with subprocess.Popen(command, cwd=cli.folder, env=cli.environment, stdout=subprocess.PIPE, text=True) as refresh:
            try:
                assert late.wait(SECONDS)
                refresh.send_signal(signal.SIGINT)
                output, _ = refresh.communicate(timeout=SECONDS)
            finally:
                refresh.kill()
        resources = cli.export()["deployment"]["resources"]
        acls = {each["urn"].rpartition("::")[2]: each["outputs"]["acl"] for each in resources if each["type"] == BUCKET}

        assert refresh.returncode != 0, output
        assert acls == {"early": "drifted", "late": "old"}


def test_a_create_outlives_a_stop(tmp_path: Path, binary: str) -> None:
    """Ctrl-C reaches engine and plugin alike; the plugin lets the engine decide, and what the create made is in the state."""
    package = Package("cloud")
    package.add(*TYPES)
    hanging = Hanging()
    with Double(package, layers=(hanging.layer,)) as double:
        found = {**double.serve("terraform").plugin_environment(tmp_path / "bin"), **PLAINTEXT}
        engine = Terraform(tmp_path / "module", found, binary=binary, seconds=SECONDS)
        engine.write('resource "cloud_bucket" "logs" {}\n')
        command = [engine.binary, "apply", "-auto-approve", "-no-color"]
        with subprocess.Popen(
            command, cwd=engine.folder, env=engine.environment, stdout=subprocess.PIPE, text=True, start_new_session=True
        ) as apply:
            try:
                assert hanging.creating.wait(SECONDS)
                os.killpg(apply.pid, signal.SIGINT)
                output, _ = apply.communicate(timeout=SECONDS)
            finally:
                apply.kill()
        [bucket] = double.cloud.objects(BUCKET)
        [remembered] = engine.state()["resources"]

        assert "Interrupt received" in output
        assert [each["attributes"]["id"] for each in remembered["instances"]] == [bucket.id]
