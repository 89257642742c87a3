"""A real provider under the real engines: proxied, recorded, and replayed without it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from kept_terraform import RANDOM, terraform_life
from terraform_stage import HEAD, starting

from mockprovider.calls import Handler, Reply, Session
from mockprovider.cassette import FORMAT, VERSION, Cassette, CassetteLayer, Header, Library, Mode, Reader, Recorder
from mockprovider.drivers.terraform import Terraform
from mockprovider.layers import stack
from mockprovider.terraform.process.installing import sources
from mockprovider.terraform.process.plugin import Plugin, controller, protocol_of, reattach_environment
from mockprovider.terraform.recorded.transcript import TerraformTranscript
from mockprovider.terraform.recorded.trees import build, tree
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.wire.proxy import PerSession
from mockprovider.wire.server import Endpoint, serve

LIFE = terraform_life(RANDOM)


@pytest.fixture
def command() -> list[str]:
    """The real provider's command; the test is skipped where the machine does not have it."""
    found = shutil.which("terraform-provider-random")
    if found is None:
        pytest.skip("no terraform-provider-random on PATH; tools/build-engines builds it")
    return [found]


@contextmanager
def served(handler: Handler, major: int, folder: Path, binary: str) -> Iterator[Terraform]:
    """An engine whose random provider is ``handler``."""
    sessions: list[Session] = []

    def open_session(peer: str) -> Session:
        sessions.append(Session(f"tfplugin{major}", len(sessions) + 1, peer))
        return sessions[-1]

    errors: list[BaseException] = []
    endpoint = Endpoint(SERVICES[major], handler, open_session, errors.append, forward_unknown=True)
    with serve([endpoint], handlers=[controller()]) as server:
        environment = reattach_environment(dict.fromkeys(sources("random"), server.address), major)
        yield Terraform(folder, environment, binary=binary)
    assert errors == []


def life(cli: Terraform) -> list[dict[str, Any]]:
    """Create, look, change, refresh and destroy, and nobody meddles; plans and states, without what is no provider's doing."""
    return LIFE(cli, lambda: None)


def test_a_real_providers_messages_survive_their_views(binary: str, command: list[str], tmp_path: Path) -> None:
    """Everything that engine and provider tell each other is equal after being written down, bytes included."""
    major = protocol_of(command)
    messages: list[Any] = []
    provider = PerSession(lambda call: Plugin(command, call))

    def look(call: Any) -> Reply:
        reply = provider(call)
        messages.extend([call.native.message, reply.native.message if reply.native else None])
        return reply

    try:
        with served(look, major, tmp_path, binary) as cli:
            life(cli)
    finally:
        provider.close()
    assert len(messages) > 100
    for message in messages:
        again = build(tree(message), type(message))
        if message.DESCRIPTOR.full_name.endswith("UpgradeResourceState.Request"):
            # A state's JSON is written again without its indentation.
            assert tree(again) == tree(message)
        else:
            assert again.SerializeToString(deterministic=True) == message.SerializeToString(deterministic=True)


PLUGIN = """#!{python}
import os, sys, threading
sys.path[:0] = {path!r}
from mockprovider.double import Double
from mockprovider.schema import Property, ResourceType
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.process.handshake import check_cookie, choose_major, handshake_line
from mockprovider.terraform.process.plugin import controller
from mockprovider.wire.server import Endpoint, serve

check_cookie(os.environ)
major = choose_major(os.environ)
double = Double(ResourceType("cloud:index:Bucket", {{"name": Property(str), "arn": Property(str, computed="arn:{{id}}")}}))
ended = threading.Event()
endpoint = Endpoint(SERVICES[major], double, lambda peer: double.open(f"tfplugin{{major}}", package="cloud", peer=peer))
with serve([endpoint], handlers=[controller(lambda _: ended.set())]) as served:
    print(handshake_line(major, served.address), flush=True)
    ended.wait()
"""


def test_an_engine_can_start_us_as_a_plugin(binary: str, tmp_path: Path) -> None:
    """An executable that introduces itself over plaintext is started, used and ended by the engine."""
    script = PLUGIN.format(python=sys.executable, path=[each for each in sys.path if each])
    cli = starting(script, tmp_path, binary)
    cli.write(HEAD + 'resource "cloud_bucket" "logs" {\n  name = "x"\n}\n')
    attributes = cli.apply().resource("cloud_bucket.logs")["attributes"]
    assert attributes["arn"] == f"arn:{attributes['id']}"


def test_a_recording_replays_without_the_provider(binary: str, command: list[str], tmp_path: Path) -> None:
    """A whole life recorded with the real provider is the same when the cassette alone answers."""
    major = protocol_of(command)
    provider = PerSession(lambda call: Plugin(command, call))
    recorder = Recorder(TerraformTranscript(major), Header(format=FORMAT, version=VERSION, protocol=f"tfplugin{major}"))
    try:
        with served(stack([recorder], provider), major, tmp_path / "live", binary) as cli:
            live = life(cli)
    finally:
        provider.close()
    cassette: Cassette = recorder.close()
    replayer = CassetteLayer(Mode.NONE, Library(cassette, {"": Reader(TerraformTranscript(major))}), None)
    with served(replayer, major, tmp_path / "replayed", binary) as cli:
        assert life(cli) == live
    assert replayer.library.unused() == []
