"""Item 7 of the checklist for a fake provider, crashes and noise: a plugin process of the user's own, over the wire."""

from __future__ import annotations

import grpc
import pytest
from builders import URN, call
from plugin_scripts import BEFORE_ITS_PORT, IN_A_CREATE, NOISY, Script
from wire_toolbox import SECONDS, Connection

from mockprovider.calls import Op, Session
from mockprovider.errors import PluginError
from mockprovider.pulumi.process.plugin import Plugin
from mockprovider.pulumi.values import decode, encode
from mockprovider.terraform.process.plugin import Plugin as TerraformPlugin
from mockprovider.wire.process import Process


class Started:
    """A plugin process of a script, and a connection to it."""

    def __init__(self, script):
        self.process = Process([str(script.path), "127.0.0.1:1"], cwd=script.folder)
        self.connection = Connection(f"127.0.0.1:{int(self.process.line(SECONDS))}")

    def create(self, **inputs):
        """The answer to a create of a bucket."""
        return self.connection.ask("Create", urn=URN, properties=encode(inputs))


@pytest.fixture
def start(wire):
    """Starts scripts; their processes end with the test."""

    def started(script):
        found = Started(script)
        wire.later(lambda: found.process.stop(grace=0))
        wire.later(found.connection.close)
        return found

    return started


def test_a_script_serves_its_double(tmp_path, start):
    """A double is served by a script of a few lines: the port is its first line, and its cloud is the script's."""
    script = Script(tmp_path)
    made = start(script).create(acl="x")

    [kept] = script.objects()
    assert (kept.id, decode(made.properties)) == (made.id, {"acl": "x", "arn": f"arn:{made.id}"})


@pytest.mark.parametrize("major", [5, 6])
def test_a_script_for_terraform(tmp_path, major):
    """Under a name of Terraform's the same script speaks its protocol, whatever variables say of another double or of types."""
    script = Script(tmp_path)
    found = script.path.rename(script.folder / "terraform-provider-cloud")
    asked = call(Op.GET_SCHEMA, "", session=Session(f"tfplugin{major}"))
    plugin = TerraformPlugin([str(found)], asked, env={"MOCKPROVIDER_RELAY": "127.0.0.1:1", "MOCKPROVIDER_TYPES": "none"})
    try:
        assert list(plugin(asked).native.message.resource_schemas) == ["cloud_bucket"]
    finally:
        plugin.close()


def test_a_script_of_another_name(tmp_path):
    """An executable whose name is of a package that its double does not have ends with the reason."""
    script = Script(tmp_path)
    wrong = script.path.rename(script.folder / "pulumi-resource-clowd")

    with pytest.raises(PluginError, match=r"asked for the package 'clowd', and its double has cloud"):
        Plugin([str(wrong)], call(Op.HANDSHAKE, ""))


def test_a_crash_before_the_port(tmp_path):
    """Item 7, crash before the port: an error with exit code and last words; the next start is served."""
    command = [str(Script(tmp_path, BEFORE_ITS_PORT).path)]

    with pytest.raises(PluginError, match=r"(?s)ended \(exit code 7\) before .*the licence has run out"):
        Plugin(command, call(Op.HANDSHAKE, ""))
    Plugin(command, call(Op.HANDSHAKE, "")).close()


def test_a_crash_in_a_call(tmp_path, start):
    """Item 7, crash in a call: the caller hears that the connection is gone, and what was made exists all the same."""
    script = Script(tmp_path, IN_A_CREATE)
    crashing = start(script)
    with pytest.raises(grpc.RpcError) as lost:
        crashing.create(acl="x")

    assert lost.value.code() is grpc.StatusCode.UNAVAILABLE
    assert crashing.process.wait(SECONDS) == 9
    assert [each["acl"] for each in script.objects()] == ["x"]
    assert start(script).create(acl="y").id
    assert [each["acl"] for each in script.objects()] == ["x", "y"]


def test_a_crash_after_the_answer(tmp_path, start):
    """Item 7, crash after the answer: what was answered stands and exists; whoever asks next finds nobody, and a new process
    goes on with the same cloud.
    """
    script = Script(tmp_path)
    started = start(script)
    made = started.create(acl="x")
    started.process.stop(grace=0)
    with pytest.raises(grpc.RpcError) as lost:
        started.create(acl="y")

    assert lost.value.code() is grpc.StatusCode.UNAVAILABLE
    assert [each.id for each in script.objects()] == [made.id]
    assert start(script).connection.ask("Read", urn=URN, id=made.id).properties == made.properties


def test_noise_on_standard_error(tmp_path, start):
    """Item 7, noise: however much a provider writes to standard error, before its port and in each call, it is served."""
    script = Script(tmp_path, NOISY)
    started = start(script)

    assert len({started.create(acl="x").id for _ in range(3)}) == len(script.objects()) == 3
    assert "Create 1999 of a chatty library" in started.process.last_words()
