"""The plugin as a process: how it introduces itself, what it says where it cannot serve, and every way in which it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import BUCKET, TOKEN, URN

from mockprovider.calls import Call, Op, Session
from mockprovider.cloud import Cloud
from mockprovider.double import Double
from mockprovider.double.launchers import install
from mockprovider.errors import PluginError
from mockprovider.pulumi.process.plugin import Plugin as PulumiPlugin
from mockprovider.tape.cloudfile import SqliteStore
from mockprovider.terraform.process.handshake import COOKIE, COOKIE_NAME, read_handshake
from mockprovider.terraform.process.plugin import Plugin as TerraformPlugin
from mockprovider.terraform.process.plugin import Running
from mockprovider.values import UNKNOWN
from mockprovider.wire.process import Process

SECONDS = 60
"""How long a process may take before the test fails instead of hanging."""

TYPES = {
    "mockprovider": 1,
    "packages": {
        "cloud": {
            "resources": {
                TOKEN: {
                    "properties": {
                        "acl": {"type": "string"},
                        "name": {"type": "string"},
                        "arn": {"type": "string", "computed": "arn:{id}"},
                    }
                }
            }
        }
    },
}
ENGINE = {COOKIE_NAME: COOKIE, "PLUGIN_PROTOCOL_VERSIONS": "5,6", "PLUGIN_CLIENT_CERT": ""}


class Launched:
    """Launchers of the package ``cloud`` in a folder of its own, with a types file beside them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cloud = folder / "cloud.sqlite"
        types = json.dumps(TYPES)
        self.path = {protocol: str(install(protocol, "cloud", folder, types=types)) for protocol in ("pulumi", "terraform")}
        self.processes: list[Process] = []

    def start(self, protocol: str, *arguments: str, **environment: str) -> Process:
        """A running plugin; ended with the test."""
        engine = ENGINE if protocol == "terraform" else {}
        given = {"MOCKPROVIDER_CLOUD": str(self.cloud), **engine, **environment}
        process = Process([self.path[protocol], *arguments], env=given, cwd=self.folder)
        self.processes.append(process)
        return process


@pytest.fixture
def launched(tmp_path: Path) -> Iterator[Launched]:
    """The launchers."""
    made = Launched(tmp_path)
    yield made
    for each in made.processes:
        each.stop(grace=0)


def create(protocol: str) -> Call:
    """A call that makes a bucket."""
    if protocol == "pulumi":
        return Call(op=Op.CREATE, session=Session("pulumi"), urn=URN, inputs={"acl": "x"})
    wanted = {"id": None, "acl": "x", "arn": None, "name": None}
    planned = {**wanted, "id": UNKNOWN, "arn": UNKNOWN}
    return Call(op=Op.CREATE, session=Session("tfplugin6"), type="cloud_bucket", inputs=wanted, planned=planned)


def plugin(launched: Launched, protocol: str, call: Call, **environment: str) -> Any:
    """A started plugin as a handler, as our own client starts one."""
    kind = PulumiPlugin if protocol == "pulumi" else TerraformPlugin
    return kind([launched.path[protocol]], call, env={"MOCKPROVIDER_CLOUD": str(launched.cloud), **environment})


@pytest.mark.parametrize("protocol", ["pulumi", "terraform"])
def test_processes_share_a_cloud(launched: Launched, protocol: str) -> None:
    """Two plugins one after the other serve what the types file declares, from one cloud in a file."""
    for _ in range(2):
        call = create(protocol)
        started = plugin(launched, protocol, call)
        try:
            assert started(call).ok
        finally:
            started.close()
    with SqliteStore(launched.cloud) as store:
        objects = Cloud(store).objects(TOKEN)

    assert len({each.id for each in objects}) == 2
    assert [each["arn"] for each in objects] == [f"arn:{each.id}" for each in objects]


@pytest.mark.parametrize("protocol", ["pulumi", "terraform"])
def test_relayed_to_a_double(launched: Launched, protocol: str) -> None:
    """A plugin that is led to a double hands every call to it, and none to the types file beside it."""
    call = create(protocol)
    with Double(BUCKET) as double:
        started = plugin(launched, protocol, call, MOCKPROVIDER_RELAY=double.serve(protocol).relay)
        try:
            assert started(call).ok
        finally:
            started.close()
        [entry] = double.journal.entries(op="create", side="engine")

        assert entry.call.session.peer.startswith("plugin ")
        assert len(double.cloud.objects(TOKEN)) == 1
    assert not launched.cloud.exists()


# Introducing itself --------------------------------------------------------------------------------------------------


def test_a_port_and_nothing_else(launched: Launched) -> None:
    """To Pulumi it prints its port alone, on loopback, with and without an engine's address."""
    for arguments in ((), ("-v=9", "127.0.0.1:1")):
        port = int(launched.start("pulumi", *arguments).line(SECONDS))
        socket.create_connection(("127.0.0.1", port), SECONDS).close()


@pytest.mark.parametrize(("offered", "major"), [("5,6", 6), ("6,5", 6), ("5", 5), ("4", 5), ("", 5)])
def test_the_handshake_line(launched: Launched, offered: str, major: int) -> None:
    """To Terraform it prints the handshake line, with the highest major that both have, or its lowest."""
    line = launched.start("terraform", PLUGIN_PROTOCOL_VERSIONS=offered).line(SECONDS)
    handshake = read_handshake(line, "x")

    assert handshake.major == major
    assert handshake.target.startswith("127.0.0.1:")


@pytest.mark.parametrize("relayed", [False, True])
def test_a_unix_socket(launched: Launched, tmp_path_factory: pytest.TempPathFactory, relayed: bool) -> None:
    """Where a folder for sockets is named, it listens at one there, and takes it away at the end."""
    folder = tmp_path_factory.mktemp("s")
    with Double(BUCKET) as double:
        relay = double.serve("terraform").relay if relayed else ""
        line = launched.start("terraform", PLUGIN_UNIX_SOCKET_DIR=str(folder), MOCKPROVIDER_RELAY=relay).line(SECONDS)
        target = read_handshake(line, "x").target

        assert target.startswith(f"unix:{folder}/")
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(target.removeprefix("unix:"))
        os.kill(launched.processes[0].pid, signal.SIGTERM)
        assert launched.processes[0].wait(SECONDS) == 0
        assert list(folder.iterdir()) == [], "it takes its socket away"


def test_a_relay_speaks_what_the_double_speaks(launched: Launched) -> None:
    """A double of major 5 is introduced as such, whatever the engine prefers."""
    with Double(BUCKET) as double:
        relay = double.serve("terraform", major=5).relay
        assert read_handshake(launched.start("terraform", MOCKPROVIDER_RELAY=relay).line(SECONDS), "x").major == 5


# Where it cannot serve -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cookie", ["", "biscuit"])
def test_started_by_hand(launched: Launched, cookie: str) -> None:
    """Without the engine's cookie it says to a person what it is, and ends with exit code 1."""
    process = launched.start("terraform", **{COOKIE_NAME: cookie})

    assert process.wait(SECONDS) == 1
    assert "This is a Terraform provider plugin: terraform and tofu start it" in process.last_words()


def broken(launched: Launched, kind: str) -> dict[str, str]:
    """The environment of a plugin that cannot serve."""
    (launched.folder / "broken.json").write_text('{"mockprovider": 1,')
    (launched.folder / "other.json").write_text('{"mockprovider": 1, "packages": {"other": {}}}')
    (launched.folder / "text").write_text("no database at all " * 50)
    files = {"missing": "nowhere.json", "broken": "broken.json", "other": "other.json"}
    if kind in files:
        return {"MOCKPROVIDER_TYPES": str(launched.folder / files[kind])}
    return {"cloud": {"MOCKPROVIDER_CLOUD": str(launched.folder / "text")}, "relay": {"MOCKPROVIDER_RELAY": "127.0.0.1:1"}}[
        kind
    ]


BROKEN = [
    ("missing", "There is no types file"),
    ("broken", "broken.json"),
    ("other", "declares other, and no package 'cloud'"),
    ("cloud", "text is no cloud: file is not a database"),
    ("relay", "the double that this plugin was to relay to is gone"),
]


@pytest.mark.parametrize(("kind", "said"), BROKEN)
def test_pulumi_is_told_why(launched: Launched, kind: str, said: str) -> None:
    """A plugin that has nothing to serve ends with the reason on standard error, which pulumi shows, and prints no port."""
    process = launched.start("pulumi", **broken(launched, kind))

    assert process.wait(SECONDS) == 1
    assert said in process.last_words()
    with pytest.raises(PluginError, match="ended \\(exit code 1\\) before it said where it listens"):
        process.line(SECONDS)


@pytest.mark.parametrize(("kind", "said"), BROKEN)
def test_terraform_is_told_why(launched: Launched, kind: str, said: str) -> None:
    """Terraform shows nothing of a plugin that ends at the start, so it starts, and answers each call with the reason."""
    call = Call(op=Op.GET_SCHEMA, session=Session("tfplugin6"))
    started = plugin(launched, "terraform", call, **broken(launched, kind))
    try:
        assert said in started(call).failures[0].reason
    finally:
        started.close()


def test_tls_without_a_certificate(launched: Launched) -> None:
    """An engine's certificate that is none, or TLS without what it takes, ends in the report of a crash, which is shown."""
    process = launched.start("terraform", PLUGIN_CLIENT_CERT="nonsense")

    assert process.wait(SECONDS) == 1
    assert "panic: " in process.last_words()


def test_a_name_that_says_nothing() -> None:
    """Run under another name it says how to make a plugin."""
    run = subprocess.run([sys.executable, "-m", "mockprovider.plugin", "x"], capture_output=True, check=False, text=True)

    assert (run.returncode, run.stdout) == (1, "")
    assert "mockprovider plugin install" in run.stderr


def test_what_it_logs(launched: Launched) -> None:
    """Each call is an entry of the engine's log: a line of text for Pulumi, an object of strings alone for Terraform."""
    said = {}
    for protocol in ("pulumi", "terraform"):
        call = create(protocol)
        started = plugin(launched, protocol, call)
        started(call)
        started.close()
        process = started._process if protocol == "pulumi" else started._running._process
        said[protocol] = process.last_words().splitlines()

    assert any(each.startswith("  Create of ") for each in said["pulumi"])
    logged = [json.loads(each) for each in said["terraform"] if each.startswith("  {")]
    assert any(each["@message"].startswith("ApplyResourceChange of ") for each in logged)
    assert {type(value) for each in logged for value in each.values()} == {str}


# The end -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("protocol", "number"), [("pulumi", signal.SIGINT), ("pulumi", signal.SIGTERM), ("terraform", signal.SIGTERM)]
)
@pytest.mark.parametrize("relayed", [False, True])
def test_signals_end_it(launched: Launched, protocol: str, number: signal.Signals, relayed: bool) -> None:
    """An interrupt ends Pulumi's plugin, as its engine means it to; SIGTERM ends both, with exit code 0."""
    with Double(BUCKET) as double:
        process = launched.start(protocol, MOCKPROVIDER_RELAY=double.serve(protocol).relay if relayed else "")
        process.line(SECONDS)
        os.kill(process.pid, number)

        assert process.wait(SECONDS) == 0


def test_terraforms_plugin_ignores_ctrl_c(launched: Launched) -> None:
    """Ctrl-C reaches Terraform's plugin with the engine, which then decides: the plugin still answers."""
    call = create("terraform")
    started = plugin(launched, "terraform", call)
    try:
        os.kill(started._running._process.pid, signal.SIGINT)
        assert started(call).ok
    finally:
        started.close()


@pytest.mark.parametrize("relayed", [False, True])
def test_shutdown_ends_terraforms_plugin(launched: Launched, relayed: bool) -> None:
    """After Shutdown it ends by itself, so that the engine need not wait and kill, also where a double was told."""
    with Double(BUCKET) as double:
        relay = double.serve("terraform").relay if relayed else ""
        running = Running([launched.path["terraform"]], env={"MOCKPROVIDER_RELAY": relay}, cwd=launched.folder)
        try:
            # Its answer may be cut off by the end that it brings about, which engines allow.
            running._channel.unary_unary("/plugin.GRPCController/Shutdown", None, None).future(b"").exception(SECONDS)
            assert running._process.wait(SECONDS) == 0
        finally:
            running.stop()


@pytest.mark.parametrize("protocol", ["pulumi", "terraform"])
@pytest.mark.parametrize("relayed", [False, True])
def test_it_ends_with_its_parent(launched: Launched, protocol: str, relayed: bool, tmp_path: Path) -> None:
    """When whoever started it is killed, it does not stay behind."""
    pipe = tmp_path / "alive"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    # The plugin inherits the pipe's writing end, so that its end can be waited for.
    code = (
        "import os, signal, subprocess, sys\n"
        f"held = os.open({str(pipe)!r}, os.O_WRONLY)\n"
        f"child = subprocess.Popen([{launched.path[protocol]!r}], pass_fds=[held], stdout=subprocess.PIPE, text=True)\n"
        "print(child.stdout.readline(), flush=True)\n"
        "signal.pause()\n"
    )
    with Double(BUCKET) as double:
        relay = {"MOCKPROVIDER_RELAY": double.serve(protocol).relay} if relayed else {}
        try:
            environment = {**os.environ, **ENGINE, **relay}
            command = [sys.executable, "-c", code]
            with subprocess.Popen(command, env=environment, cwd=launched.folder, stdout=subprocess.PIPE) as parent:
                assert parent.stdout is not None
                assert parent.stdout.readline()
                parent.kill()
                parent.wait(SECONDS)
                os.set_blocking(reader, True)
                with open(reader, "rb", closefd=False) as stream:
                    assert stream.read() == b""
        finally:
            os.close(reader)


def test_a_double_that_ends_first(launched: Launched) -> None:
    """When the double goes, calls end in a status instead of hanging, and so does the plugin's part in them."""
    call = create("pulumi")
    with Double(BUCKET) as double:
        started = plugin(launched, "pulumi", call, MOCKPROVIDER_RELAY=double.serve("pulumi").relay)
        assert started(call).ok
    try:
        assert started(call).failures[0].status in ("unavailable", "cancelled")
    finally:
        started.close()
