"""Bad input, through the public doors: a clear error each, nothing hangs, nothing is lost.

What the tests of one module prove exactly is not repeated here. There are:

- bad types files: ``test_fake_definitions.py``, ``test_bad_files_are_refused`` and ``test_text_that_is_no_json``;
- a port in use: ``test_double.py``, ``test_a_port_that_is_taken``;
- a program that raises, one that never ends, and Ctrl-C: ``test_engine_failures.py``;
- a killed recorder: ``test_tape_files.py``, ``test_a_killed_recorder_loses_nothing_and_blocks_nobody``;
- Terraform providers that do not start: ``wire/test_terraform_processes.py``;
- the options and the marker of pytest: ``plugin/test_cassettes.py``.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import grpc
import pytest
from builders import BUCKET, TOKEN, URN
from engine_toolbox import Breaking, Bucket
from pulumi.runtime.proto import provider_pb2

from mockprovider import Double, Function, ResourceType, Stack, real, recording, replaying, tape
from mockprovider.calls import Op
from mockprovider.double import Wiring
from mockprovider.double.opening import transcriber
from mockprovider.errors import (
    CassetteBrokenError,
    CassetteBusyError,
    CassetteMissingError,
    CassetteVersionError,
    DefinitionError,
    MalformedError,
    MissError,
    MockProviderError,
    PluginError,
    ProgramError,
)
from mockprovider.terraform.rpcs.methods import SERVICES

SERVICE = "/pulumirpc.ResourceProvider"
FILES = Path(__file__).parents[1] / "examples" / "files" / "provider.py"


def refused(double, rpc, message):
    """The status that a raw gRPC call to the served double ends in: its code and its message."""
    with grpc.insecure_channel(double.serve().address) as channel, pytest.raises(grpc.RpcError) as caught:
        channel.unary_unary(f"{SERVICE}/{rpc}")(message, timeout=60)
    return caught.value.code(), caught.value.details()


def program():
    """One bucket."""
    Bucket("logs", acl="private")


@pytest.fixture
def recorded(tmp_path):
    """A cassette of one up."""
    path = tmp_path / "up.json"
    with Double(BUCKET, provider=recording(path, Wiring("cloud"))) as double:
        Stack(double).up(program)
    return path


# What engines send -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("urn", "type_", "message"),
    [
        ("bucket", "", "'bucket' is no URN: it does not start with 'urn:pulumi:'. Expected urn:pulumi:<stack>::<project>::"),
        ("bucket", TOKEN, "'bucket' is no URN: it does not start with 'urn:pulumi:'. Expected urn:pulumi:<stack>::<project>::"),
        (URN.rpartition("::")[0], TOKEN, "is no URN: it has 3 of the 4 parts that '::' separates. Expected"),
        ("", "", "Create names no resource type: set 'type', or a 'urn' that holds one."),
    ],
)
def test_a_malformed_urn(urn, type_, message):
    """A URN that is none is refused with its shape, makes nothing, and fails the test."""
    with Double(BUCKET) as double:
        code, said = refused(double, "Create", provider_pb2.CreateRequest(urn=urn, type=type_).SerializeToString())

        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert message in said
        assert not double.cloud.events
        with pytest.raises(MalformedError, match=re.escape(message)):
            double.raise_errors()


def test_a_request_without_a_type():
    """Older engines send no type: the URN names it, as declared, and the resource too."""
    with Double(BUCKET) as double, grpc.insecure_channel(double.serve().address) as channel:
        request = provider_pb2.CreateRequest(urn=URN).SerializeToString()
        answer = provider_pb2.CreateResponse.FromString(channel.unary_unary(f"{SERVICE}/Create")(request, timeout=60))

    assert dict(answer.properties) == dict(double.cloud.objects(TOKEN)[0])
    assert double.journal.ops(type=TOKEN, name="logs") == ["create"]


def test_an_undecodable_message():
    """Bytes that are no message are refused with what they should have been, and fail the test."""
    with Double(BUCKET) as double:
        code, said = refused(double, "Create", b"\xff\xff\xff")

        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert "Create: these 3 bytes are not a pulumirpc.CreateRequest" in said
        with pytest.raises(MalformedError, match="Create: these 3 bytes"):
            double.raise_errors()


@pytest.mark.parametrize("major", [5, 6])
def test_an_undecodable_value(major):
    """A Terraform value that is none is refused with the RPC, the type and the field that it came in, and fails the test."""
    request, *_ = SERVICES[major].messages["PlanResourceChange"]
    message = request(type_name="cloud_bucket")
    message.config.msgpack = message.proposed_new_state.msgpack = b"\x81"
    told = "PlanResourceChange of cloud_bucket, .*: These 1 bytes are not msgpack"
    with Double(BUCKET) as double:
        served = double.serve("terraform", major=major)
        method, data = f"/tfplugin{major}.Provider/PlanResourceChange", message.SerializeToString()
        with grpc.insecure_channel(served.address) as channel, pytest.raises(grpc.RpcError) as caught:
            channel.unary_unary(method)(data, timeout=60)
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert re.match(told, caught.value.details())
        with pytest.raises(MalformedError, match=told):
            double.raise_errors()


def test_an_unknown_rpc():
    """An RPC that no version of the protocol has is unimplemented, by its name, and the next call is answered."""
    with Double(BUCKET) as double:
        code, said = refused(double, "Levitate", b"")

        assert code is grpc.StatusCode.UNIMPLEMENTED
        assert "Levitate" in said or "not found" in said
        assert Stack(double).up(program).summary == {"create": 1}


# Cassettes ---------------------------------------------------------------------------------------------------------------


def test_a_missing_cassette(recorded):
    """A cassette that is not there is an error that names the nearest and how to record one."""
    with pytest.raises(CassetteMissingError, match=r"no cassette .*upp\.json\. Did you mean 'up\.json'\? To record it: .*=all"):
        replaying(recorded.with_name("upp.json"))


def test_a_torn_cassette(recorded):
    """A cassette that breaks off is refused with what is intact and how to keep it; recovered, it replays that much."""
    data = recorded.read_bytes()
    recorded.write_bytes(data[: data.rindex(b'"method": "Cancel"')])
    with pytest.raises(CassetteBrokenError, match=r"is torn: .* \d interactions are intact\.\n?.*To keep those: .*recover"):
        replaying(recorded)
    tape.recover(recorded)

    with Double(provider=replaying(recorded)) as double:
        with pytest.raises(MissError, match="No Cancel was recorded"):
            Stack(double).up(program)
        assert double.journal.entries(op="create")[0].reply.ok


def test_a_newer_cassette(recorded):
    """A cassette of a newer format is refused with both versions and what to do."""
    content = json.loads(recorded.read_text())
    content[0] |= {"version": 9, "recorder": "mockprovider 7.0", "new slot": True}
    recorded.write_text(json.dumps(content))

    with pytest.raises(CassetteVersionError, match=r"format version 9, written by mockprovider 7\.0; .*up to 1\. Upgrade"):
        replaying(recorded)


def test_a_second_recorder(recorded):
    """A second recorder of one cassette is refused, and the first loses nothing."""
    with Double(BUCKET, provider=recording(recorded, Wiring("cloud"))) as double:
        with pytest.raises(CassetteBusyError, match=r"being recorded by another recorder of this process\. .*another file"):
            recording(recorded, Wiring("cloud"))
        Stack(double).up(program)

    with Double(provider=replaying(recorded)) as again:
        assert Stack(again).up(program).summary == {"create": 1}


INTERRUPTED = """
import threading
from mockprovider import Double, Stack, recording
from mockprovider.double import Wiring
from engine_toolbox import Bucket

def program():
    Bucket("logs", acl="private")

def endless():
    print("running", flush=True)
    threading.Event().wait()

with Double(provider=recording("up.json", Wiring("cloud"))) as double:
    stack = Stack(double)
    stack.up(program)
    stack.up(endless)
"""


def test_ctrl_c_while_recording(tmp_path):
    """Ctrl-C ends a run whose program never ends, and what was recorded until then replays."""
    (tmp_path / "run.py").write_text(INTERRUPTED)
    paths = os.pathsep.join(map(str, (Path(__file__).parent, Path(__file__).parents[1])))
    with subprocess.Popen(
        [sys.executable, "run.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)

    assert process.returncode != 0
    assert "KeyboardInterrupt" in errors
    with Double(provider=replaying(tmp_path / "up.json")) as double:
        assert Stack(double).up(program).summary == {"create": 1}


# Real providers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            [sys.executable, "-c", "import sys; sys.exit('no credentials')"],
            r"ended \(exit code 1\) before .*\n.*\n  no credentials",
        ),
        (
            [sys.executable, "-c", "print('hello')"],
            "is no Pulumi provider: its first line must be its port alone, and is 'hello'",
        ),
    ],
)
def test_a_provider_that_dies_at_start(command, message):
    """A provider that does not come up fails the run with its last words, and the double can be closed."""
    with Double(provider=real(command)) as double, pytest.raises(PluginError, match=message):
        Stack(double).up(program)


@pytest.mark.parametrize("command", [["/nowhere/pulumi-resource-x"], []])
def test_a_provider_that_is_not_there(command):
    """A command that is none is refused at once, and told what to be."""
    with pytest.raises(PluginError, match=r"There is no executable .*Give the provider's command: a name on PATH, or a path"):
        real(command)


DYING = """    def Create(self, request: Any, context: grpc.ServicerContext) -> Any:
        os._exit(3)
"""


def test_a_provider_that_dies_in_between(tmp_path):
    """A provider that dies during a call fails the run, and what it had answered before is in the recording."""
    source = FILES.read_text().replace("    def Create(self, request: Any, context: grpc.ServicerContext) -> Any:\n", DYING)
    (tmp_path / "provider.py").write_text(source)
    behind = real([sys.executable, str(tmp_path / "provider.py")], env={"FILES_FOLDER": str(tmp_path)})
    with Double(provider=recording(tmp_path / "up.json", behind)) as double:
        failed = Stack(double).up(program, expect_failure=True)
        assert not failed.state.names()

    with Double(provider=replaying(tmp_path / "up.json")) as again:
        assert str(Stack(again).up(program, expect_failure=True).error) == str(failed.error)


# The Python interface ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda: Double(TOKEN),
            rf"A str \('{TOKEN}'\) is no definition: give a ResourceType, a Function, a Component, a Method or a Package\.$",
        ),
        (lambda: Double([BUCKET]), r"A list .* is no definition: .*\. Give several one by one: define\(one, another\)\."),
        (lambda: ResourceType("cloud_bucket"), r"'cloud_bucket' is no type token\. Write it as 'package:module:Member'"),
        (lambda: ResourceType(TOKEN, ["acl"]), rf"{TOKEN}: the properties are a list, \['acl'\]\. Give a dict of names"),
        (lambda: ResourceType(TOKEN, {"acl": 3}), rf"{TOKEN}: property 'acl': 3 is no property type\. Use str, int"),
        (lambda: Function("cloud:index:get", {"a": 3}), r"cloud:index:get: property 'a': 3 is no property type\."),
        (lambda: Stack(Double(), config={"size": 3}), r"configuration 'project:size' is 3; configuration values are strings"),
        (lambda: Double().faults.on.create(TOKEN).partial(reasons="slow"), "slow. stands here. Write a list of reasons, as in"),
    ],
)
def test_definitions(wrong, message):
    """What cannot be served is refused where it is written, with what is wanted instead."""
    with pytest.raises(DefinitionError, match=message):
        wrong()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (3, r"3 is no program: give a function without arguments, the folder of a Pulumi project"),
        (None, r"None is no program"),
        (lambda name, *rest, size=3: None, r"The program '<lambda>' needs arguments \(name\), and is called without any\."),
        ({"resources": {}}, r"is no program: give a function"),
    ],
)
def test_what_is_no_program(wrong, message):
    """A stack refuses what is no program before it asks a provider for anything; so does a preview."""
    double = Double()
    for operation in (Stack(double).up, Stack(double).preview):
        with pytest.raises(DefinitionError, match=message):
            operation(wrong)

    assert not double.journal.entries()


def test_a_folder_without_a_project(tmp_path):
    """A path is taken as a project's folder, and what is missing there is named."""
    with pytest.raises(MalformedError, match=r"There is no Pulumi\.yaml at .*\. Give the folder of a Pulumi project"):
        Stack(Double()).up(tmp_path)


def test_programs_that_can_be_called():
    """Arguments that have defaults or are bound are none that a program needs."""
    stack = Stack(Double(BUCKET))

    assert stack.up(partial(lambda name, acl="x": Bucket(name, acl=acl) and None, "a")).summary == {"create": 1}
    assert stack.up(lambda *args, **kwargs: program()).summary == {"create": 1, "delete": 1}


def test_a_property_that_nobody_declared():
    """A strict double refuses a misspelt property with the nearest; another echoes it, as many providers do."""

    def misspelt():
        Bucket("logs", acll="private")

    double = Double(BUCKET, strict=True)
    with pytest.raises(ProgramError, match=r"cloud:index:Bucket has no property 'acll'\..*acl"):
        Stack(double).up(misspelt)
    assert not double.cloud.objects()
    assert Stack(double).up(program).summary == {"create": 1}

    echoing = Double(BUCKET)
    Stack(echoing).up(misspelt)
    assert echoing.cloud.objects()[0]["acll"] == "private"


def test_faults_that_are_not_there():
    """A fault at what no engine asks names the nearest op."""
    with pytest.raises(AttributeError, match=r"cannot be injected at 'wipe': no engine asks that\. There are"):
        Double().faults.on.wipe(TOKEN)
    with pytest.raises(AttributeError, match=r"Did you mean 'delete'\?"):
        Double().faults.on.delte(TOKEN)


def test_drift_of_nothing():
    """Drift needs an object: the message says what there is instead."""
    double = Double(BUCKET)
    with pytest.raises(
        MockProviderError, match=r"not exactly one cloud:index:Bucket .*There is nothing at all: create it first"
    ):
        double.cloud.drift(TOKEN, acl="x")
    Stack(double).up(program)
    with pytest.raises(MockProviderError, match=r"There is none at all of that type, only of cloud:index:Bucket\."):
        double.cloud.vanish("cloud:index:Bukket")


def test_an_unexpected_end():
    """A run that fails where it was to succeed, and the other way round, says how it ended."""
    breaking = Breaking()
    breaking.fail(Op.CREATE, "logs")
    stack = Stack(Double(BUCKET, layers=(breaking,)))
    with pytest.raises(ProgramError, match=r"(?s)The up of project/dev failed with no step completed.*no create of logs"):
        stack.up(program)
    with pytest.raises(ProgramError, match="was expected to fail, and succeeded: 1 create"):
        stack.up(program, expect_failure=True)


def test_another_stack_than_was_recorded(recorded):
    """A replay under another stack or project says which names were recorded."""
    with (
        Double(provider=replaying(recorded)) as double,
        pytest.raises(MissError, match=r"for the stack 'dev' of the project 'project', and this is 'prod' of 'shop'"),
    ):
        Stack(double, project="shop", name="prod").up(program)


def test_a_terraform_recording_under_pulumi(tmp_path):
    """A recording of one protocol is refused to engines of another, with both named."""
    tape.record(tmp_path / "x.json", transcriber("tfplugin6"), protocol="tfplugin6").close()
    with (
        Double(provider=replaying(tmp_path / "x.json")) as double,
        pytest.raises(MockProviderError, match=r"was recorded over tfplugin6, and the engine speaks pulumi\."),
    ):
        Stack(double).up(program)
