"""Provider processes: ours started as a plugin, ours starting one, and every way in which that fails."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from mockprovider.calls import Call, Op, Session
from mockprovider.errors import PluginError
from mockprovider.terraform.process.plugin import Plugin, Running, protocol_of
from mockprovider.terraform.proto import protocol
from mockprovider.wire.client import Client

PROVIDER = """
import grpc, os, pathlib, sys, threading
from mockprovider.double import Double
from mockprovider.calls import Session
from mockprovider.schema import Property, ResourceType
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.process.handshake import check_cookie, choose_major, handshake_line
from mockprovider.terraform.process.plugin import controller
from mockprovider.wire.server import Endpoint, serve

check_cookie(os.environ)
script = pathlib.Path(sys.argv[0])
major = choose_major(os.environ, tuple(map(int, sys.argv[1:])) or (5, 6))
double = Double(ResourceType("cloud:index:Bucket", {"name": Property(str)}))
ended = threading.Event()
endpoint = Endpoint(SERVICES[major], double, lambda peer: double.open(f"tfplugin{major}", package="cloud", peer=peer))


class Noting(grpc.GenericRpcHandler):
    def service(self, details):
        with script.with_suffix(".asked").open("a") as file:
            print(details.method, file=file)


with serve([endpoint], handlers=[Noting(), controller(lambda _: ended.set())]) as served:
    print(handshake_line(major, served.address), flush=True)
    ended.wait()
script.with_suffix(".ended").touch()
"""


@pytest.fixture
def provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command of a provider plugin that serves the fake."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    script = tmp_path / "provider.py"
    script.write_text(PROVIDER, encoding="utf-8")
    return [sys.executable, str(script)]


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def check(major: int) -> Call:
    return Call(op=Op.CHECK, session=Session(f"tfplugin{major}"), type="cloud_bucket", inputs={"id": None, "name": "x"})


@pytest.mark.parametrize("major", [5, 6])
def test_a_started_provider_answers_and_ends(provider: list[str], major: int) -> None:
    """A provider process is asked over its protocol as a handler, what it prints is read, and it ends when it is told to."""
    call = check(major)
    plugin = Plugin(provider, call)
    try:
        assert plugin(call).ok
        read = Call(op=Op.READ, session=call.session, type="cloud_bucket", prior={"id": "b-1", "name": None}, id="b-1")
        answer = plugin(read)
        assert (answer.value, answer.failures) == (None, ())
        assert answer.native is not None
        assert answer.native.message == protocol(major).message("ReadResource.Response").FromString(answer.native.data)
    finally:
        plugin.close()
    plugin.close()
    assert not plugin._running._process.running
    script = Path(provider[1])
    assert script.with_suffix(".ended").exists()
    asked = script.with_suffix(".asked").read_text(encoding="utf-8").split()
    assert {"/plugin.GRPCStdio/StreamStdio", "/plugin.GRPCController/Shutdown"} <= set(asked)


def test_the_highest_major_is_found_out(provider: list[str]) -> None:
    """Starting a provider once tells which major it speaks."""
    assert protocol_of(provider) == 6
    assert protocol_of([*provider, "5"]) == 5


def test_a_provider_of_another_major_is_refused(provider: list[str]) -> None:
    """A provider that cannot speak the session's protocol is an error that says which one it can."""
    with pytest.raises(PluginError, match="speaks protocol 5, and the engine was promised 6: serve 5"):
        Plugin([*provider, "5"], check(6))


def test_a_provider_that_never_answers_is_ended(provider: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider that introduces itself and then does not answer is an error, and its process is gone."""
    ended: list[Running] = []
    stop = Running.stop

    def never(_: Client, **__: object) -> None:
        raise PluginError("Nothing answers.")

    monkeypatch.setattr(Running, "stop", lambda running: (ended.append(running), stop(running)))
    monkeypatch.setattr(Client, "wait_ready", never)
    with pytest.raises(PluginError, match="Nothing answers"):
        Plugin(provider, check(6))
    assert [running._process.running for running in ended] == [False]


def test_a_provider_that_is_killed_can_still_be_closed(provider: list[str]) -> None:
    """Closing a provider that has died in between is no error, and its calls end in a status."""
    call = check(6)
    plugin = Plugin(provider, call)
    plugin._running._process.stop(grace=0)
    assert plugin(call).failures[0].status == "unavailable"
    plugin.close()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["no-such-provider"], "Cannot start 'no-such-provider'"),
        (python("import sys; sys.exit('it is broken')"), r"(?s)ended \(exit code 1\).*it is broken"),
        (python("print('hello')"), "is no Terraform provider.*'hello'"),
    ],
)
def test_providers_that_do_not_start_are_explained(command: list[str], message: str) -> None:
    """A command that is not there, dies at once, or says something else is an error with what it said."""
    with pytest.raises(PluginError, match=message):
        Running(command)


def test_a_silent_provider_is_ended() -> None:
    """A process that never introduces itself is an error after the time that it was given, and is ended."""
    with pytest.raises(PluginError, match="printed nothing within"):
        Running(python("import time; time.sleep(60)"), seconds=0.01)


def test_a_plugin_started_by_hand_says_so(provider: list[str]) -> None:
    """Without the engine's cookie the plugin ends with a sentence for a person."""
    with pytest.raises(PluginError, match="terraform and tofu start it"):
        Running(provider, env={"TF_PLUGIN_MAGIC_COOKIE": ""})


@pytest.mark.parametrize(
    ("options", "seen"),
    [
        ({}, [None, "5,6", "", "OFF", "OFF"]),
        ({"env": {"ANSWER": "42", "TF_LOG_SDK": "DEBUG"}, "majors": (5,)}, ["42", "5", "", "DEBUG", "OFF"]),
    ],
)
def test_the_environment_reaches_the_provider(options: dict[str, Any], seen: list[str | None]) -> None:
    """A provider is offered majors and no certificate, and is told not to log; what is given beyond that wins."""
    names = ("ANSWER", "PLUGIN_PROTOCOL_VERSIONS", "PLUGIN_CLIENT_CERT", "TF_LOG_SDK", "TF_LOG_PROVIDER")
    code = f"import os, sys; sys.exit(repr([os.environ.get(name) for name in {names!r}]))"
    with pytest.raises(PluginError, match=re.escape(repr(seen))):
        Running(python(code), **options)
