"""Scenarios of the catalogue about how a plugin starts: what engines say of one that gets it wrong."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from terraform_stage import HEAD, THING, starting

from mockprovider.double import Double
from mockprovider.drivers.terraform import Terraform
from mockprovider.errors import PluginError

NO_CONTROLLER = """#!{python}
import os, sys, threading
sys.path[:0] = {path!r}
from mockprovider.double import Double
from mockprovider.schema import Property, ResourceType
from mockprovider.terraform.process.handshake import check_cookie, choose_major, handshake_line
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.wire.server import Endpoint, serve

check_cookie(os.environ)
double = Double(ResourceType("cloud:index:Thing", {{"name": Property(str)}}))
endpoint = Endpoint(SERVICES[{major}], double, lambda peer: double.open("tfplugin{major}", package="cloud", peer=peer))
with serve([endpoint]) as served:
    print(handshake_line({major}, served.address), flush=True)
    threading.Event().wait()
"""
Planned = Callable[[str], str]


def started(binary: str, script: str, folder: Path) -> Terraform:
    """An engine whose provider is this script, and a configuration of one thing."""
    cli = starting(script, folder, binary)
    cli.write(f'{HEAD}resource "cloud_thing" "a" {{\n  name = "one"\n}}\n')
    return cli


def told(cli: Terraform) -> str:
    """What a plan that fails prints, on one line and in small letters: only one engine begins with a capital."""
    finished = cli.command("plan", "-no-color", expect_failure=True)
    return " ".join((finished.stdout + finished.stderr).replace("│", " ").split()).lower()


@pytest.fixture
def planned(binary: str, tmp_path: Path) -> Planned:
    """What an engine says of a provider that prints these words, and of one that then stays."""
    return lambda script: told(started(binary, f"#!/bin/sh\n{script}\n", tmp_path))


def printing(line: str) -> str:
    # It stays until the engine ends it: of one that is gone already, the engine tells that or its line, as it happens.
    return f"echo {shlex.quote(line)}; exec sleep 60"


def test_f1_noise_before_the_handshake(planned: Planned) -> None:
    """F1: the first line of a plugin is its handshake, and anything else is shown."""
    assert "unrecognized remote plugin message: good morning" in planned("echo good morning")


def test_f2_a_plugin_that_dies_at_once(planned: Planned) -> None:
    """F2: a plugin that ends without a word is told so. Whether its last words are shown is a race inside the engines."""
    assert "failed to read any lines from plugin's stdout" in planned("exit 2")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("2|6|tcp|127.0.0.1:1|grpc|", "incompatible core api version"),
        ("1|7|tcp|127.0.0.1:1|grpc|", "incompatible api version with plugin. plugin version: 7"),
        ("1|6|tcp|127.0.0.1:1|netrpc|", 'unsupported plugin protocol "netrpc"'),
    ],
)
def test_f3_versions_that_engines_do_not_have(planned: Planned, line: str, said: str) -> None:
    """F3: another version of the handshake or of the protocol, and what is not gRPC, is refused by name."""
    assert said in planned(printing(line))


def test_f4_nobody_at_the_address(planned: Planned, tmp_path: Path) -> None:
    """F4: a plugin that does not answer where it said it would is one that did not respond."""
    assert "plugin did not respond" in planned(printing(f"1|6|unix|{tmp_path}/nobody|grpc|"))


def test_f5_a_certificate_that_is_none(planned: Planned) -> None:
    """F5: the last field, if it is long enough for one, has to be a certificate."""
    assert "error parsing server cert" in planned(printing(f"1|6|tcp|127.0.0.1:1|grpc|{'QUJD' * 20}"))


@pytest.mark.parametrize(
    ("binary", "major"),
    [
        pytest.param("terraform", 6, marks=pytest.mark.terraform_cli),
        pytest.param("tofu", 5, marks=pytest.mark.tofu_cli),
    ],
)
def test_f11_a_plugin_that_cannot_be_shut_down(binary: str, major: int, tmp_path: Path) -> None:
    """F11: without the plugin library's controller everything works; the engine ends the process itself."""
    paths = [each for each in sys.path if each]
    cli = started(binary, NO_CONTROLLER.format(python=sys.executable, path=paths, major=major), tmp_path)
    assert cli.plan().actions == {"cloud_thing.a": ["create"]}


def test_f13_a_provider_that_is_gone(binary: str, tmp_path: Path) -> None:
    """F13: an engine that is led to where nobody serves any more says so; terraform kills the process that it was told of.

    That would be the test's own, so the driver does not let it come to this.
    """
    with Double(THING) as double, double.serve("terraform") as serving:
        led = serving.environment
    cli = Terraform(tmp_path / "module", led, binary=binary)
    cli.write(f'{HEAD}resource "cloud_thing" "a" {{\n  name = "one"\n}}\n')
    with pytest.raises(PluginError, match=r"Nobody serves .*mock/cloud at 127\.0\.0\.1:\d+ any more"):
        cli.plan()
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with other:
        told_of = json.loads(led["TF_REATTACH_PROVIDERS"])
        gone = {name: {**each, "Pid": other.pid} for name, each in told_of.items()}
        cli = Terraform(tmp_path / "module", {"TF_REATTACH_PROVIDERS": json.dumps(gone)}, binary=binary)
        assert "reattachment process not found" in told(cli)
        killed = other.wait(60) if binary == "terraform" else other.poll()
        other.kill()
    assert killed == (-signal.SIGKILL if binary == "terraform" else None)
