"""How view steps reach an engine: as one message of the protocol, or as a clear error."""

from __future__ import annotations

import contextlib
import json
import threading

import grpc
import pytest
from builders import call
from google.protobuf import empty_pb2
from pulumi.runtime.proto import resource_status_pb2

from mockprovider.calls import Op
from mockprovider.double import Double, Wiring, attached, recording, replaying
from mockprovider.errors import PluginError
from mockprovider.fake.views import View, ViewState, ViewStep
from mockprovider.pulumi import ResourceTraits
from mockprovider.pulumi.status import STEP_OPS, publish
from mockprovider.pulumi.values import decode
from mockprovider.schema import ResourceType
from mockprovider.values import UNKNOWN, Secret
from mockprovider.wire.server import serve

OLD = ViewState("cloud:index:Disk", "web-disk", "cloud:index:Box", "web-box", {"size": "s", "a": 1}, {"key": Secret("x")})
NEW = ViewState("cloud:index:Disk", "web-disk", "cloud:index:Box", "web-box", {"size": "m", "a": 1}, {"key": UNKNOWN})


class Engine:
    """The part of an engine that takes view steps: what it was told, and a reason to refuse."""

    def __init__(self):
        self.told = []
        self.refusal = ""
        self._lock = threading.Lock()
        method = grpc.unary_unary_rpc_method_handler(
            self._publish,
            resource_status_pb2.PublishViewStepsRequest.FromString,
            empty_pb2.Empty.SerializeToString,
        )
        handler = grpc.method_handlers_generic_handler("pulumirpc.ResourceStatus", {"PublishViewSteps": method})
        self.served = serve([], handlers=[handler])

    def _publish(self, request, context):
        if self.refusal:
            context.abort(grpc.StatusCode.NOT_FOUND, self.refusal)
        with self._lock:
            self.told.append(request)
        return empty_pb2.Empty()

    @property
    def extra(self):
        """What a request says of where to tell."""
        return {"resource_status_address": self.served.address, "resource_status_token": "t1"}


@pytest.fixture
def engine():
    """An engine that takes view steps."""
    made = Engine()
    yield made
    made.served.stop()


def test_a_step_as_a_message(engine):
    """Token, op, type, name, both states with their parents, and the properties that differ: all are in the message."""
    publish(call(Op.UPDATE, extra=engine.extra), [ViewStep("update", OLD, NEW), ViewStep("delete", OLD)])
    [request] = engine.told
    update, delete = request.steps

    assert request.token == "t1"
    assert (update.op, update.type, update.name) == (STEP_OPS["update"], "cloud:index:Disk", "web-disk")
    assert update.status == resource_status_pb2.ViewStep.OK
    assert list(update.diffs) == list(update.keys) == ["key", "size"]
    assert (decode(update.old.inputs), decode(update.old.outputs)) == (OLD.inputs, OLD.outputs)
    assert (decode(update.new.inputs), decode(update.new.outputs)) == (NEW.inputs, NEW.outputs)
    assert (update.new.parent_type, update.new.parent_name) == ("cloud:index:Box", "web-box")
    assert (delete.HasField("old"), delete.HasField("new")) == (True, False)
    assert (list(delete.diffs), delete.name) == ([], "web-disk")


def test_step_ops_are_named_as_engines_name_them():
    """Each op of the protocol has the name that events and plans have for it."""
    assert {"same", "create", "update", "delete", "refresh", "create-replacement", "delete-replaced"} <= set(STEP_OPS)


def test_an_engine_that_refuses(engine):
    """What the engine has against it is in the error, with the call and the address."""
    engine.refusal = "token not found"
    with pytest.raises(PluginError, match=f"Create.*{engine.served.address} did not take .*: token not found"):
        publish(call(Op.CREATE, method="Create", extra=engine.extra), [ViewStep("delete", OLD)])


def test_nobody_there(engine):
    """An address at which nobody listens is an error, not a wait."""
    engine.served.stop()
    with pytest.raises(PluginError, match="did not take the steps of its views"):
        publish(call(Op.CREATE, extra=engine.extra), [ViewStep("delete", OLD)])


@pytest.mark.parametrize("proxied", [False, True])
def test_a_served_double_tells_its_engine(engine, proxied):
    """A double that is served tells the engine that calls it; behind another double, the address goes through to it."""
    server = ResourceType(
        "cloud:index:Server", {"size": str}, traits=[ResourceTraits(views=(View("cloud:index:Disk", "{name}-disk"),))]
    )
    with contextlib.ExitStack() as opened:
        double = opened.enter_context(Double(server))
        if proxied:
            double = opened.enter_context(Double(provider=attached(double.serve().address, name="cloud")))
        client = opened.enter_context(double.serve().client())
        session = client.open()
        client(call(Op.HANDSHAKE, "", session=session, extra={"supports_views": True}))
        urn = "urn:pulumi:dev::shop::cloud:index:Server::web"
        given = {"session": session, "urn": urn, "name": "web", "inputs": {"size": "s"}, "extra": engine.extra}
        assert client(call(Op.CREATE, server.token, **given)).ok

    assert [(each.token, [step.name for step in each.steps]) for each in engine.told] == [("t1", ["web-disk"])]


DISK = View("cloud:index:Disk", "{name}-disk", {"size": "{size}"})
SERVER = ResourceType("cloud:index:Server", {"size": str}, traits=[ResourceTraits(views=(DISK,))])
URN = "urn:pulumi:dev::shop::cloud:index:Server::web"


def shown(double, extra):
    """What a served ``double`` answers to a create for an engine that takes view steps where ``extra`` says."""
    with double.serve().client() as client:
        session = client.open()
        client(call(Op.HANDSHAKE, "", session=session, extra={"supports_views": True}))
        given = {"session": session, "urn": URN, "name": "web", "inputs": {"size": "s"}, "extra": extra}
        return client(call(Op.CREATE, SERVER.token, **given))


@pytest.fixture(params=["the fake", "behind a wire"])
def recorded(request, engine, tmp_path):
    """The path of a recording of a provider that publishes a view, in process or behind a wire."""
    path = tmp_path / "views.json"
    with contextlib.ExitStack() as opened:
        behind = Wiring("cloud")
        if request.param == "behind a wire":
            behind = attached(opened.enter_context(Double(SERVER)).serve().address, name="cloud")
        with Double(SERVER, provider=recording(path, behind)) as double:
            assert shown(double, engine.extra).ok
            double.raise_errors()
    assert [each.token for each in engine.told] == ["t1"]
    return path


def test_views_are_recorded(recorded):
    """The steps are an interaction towards the engine, without the token of that one run, after the call that they are of."""
    _, *kept = json.loads(recorded.read_text(encoding="utf-8"))
    create, views = kept[-2:]
    assert (create["method"], views["method"], views["op"]) == ("Create", "PublishViewSteps", "views")
    assert (views["direction"], views["parent"], views["response"]) == ("engine", create["n"], {})
    assert views["request"].keys() == {"steps"}


def test_views_are_told_again_on_replay(recorded, engine):
    """A replay publishes the equal steps before it answers, at the address and with the token of the live call."""
    [before] = engine.told
    engine.told.clear()
    with Double(provider=replaying(recorded)) as double:
        assert shown(double, {**engine.extra, "resource_status_token": "t2"}).ok
        double.raise_errors()
    [after] = engine.told
    assert (after.token, list(after.steps)) == ("t2", list(before.steps))


def test_a_replay_tells_no_views_to_engines_that_take_none(recorded, engine):
    """An engine that does not say where it takes views is answered without."""
    engine.told.clear()
    with Double(provider=replaying(recorded)) as double:
        assert shown(double, {}).ok
        double.raise_errors()
    assert engine.told == []


def test_a_replay_to_an_engine_that_refuses_views(recorded, engine):
    """An engine that does not take the steps now fails the call, with its own reason."""
    engine.refusal = "token not found"
    with Double(provider=replaying(recorded)) as double:
        reply = shown(double, engine.extra)
    assert [each.reason for each in reply.failures] == ["token not found"]
