"""The way back over sockets: the monitor's table, the relay that a provider is given, and the engine that it logs to."""

from __future__ import annotations

import logging

import grpc
import pytest
from builders import Port
from pulumi.runtime.proto import engine_pb2, provider_pb2

from mockprovider.calls import Call, Native, Op, Reply, Session
from mockprovider.double import Double
from mockprovider.errors import MalformedError
from mockprovider.pulumi.components.monitor import EngineRefusedError, Monitor
from mockprovider.pulumi.log import EngineClient, EngineServer
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.pulumi.monitor import MONITOR, connected, relayed, served
from mockprovider.schema import Component
from mockprovider.values import Secret

CONSTRUCT = {"op": Op.CONSTRUCT, "method": "Construct", "type": "cloud:index:Site", "name": "home"}


class Engine:
    """A monitor as a handler, which notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[Call] = []

    def __call__(self, call: Call) -> Reply:
        self.asked.append(call)
        if call.op is Op.RAW:
            return Reply(native=Native(b"raw"))
        return Reply(id="1", value={"a": Secret("b")}, extra={"urn": "urn:x"})


def test_every_rpc_of_the_monitor_has_a_row():
    """Nothing that a provider may ask of its engine is unknown to the table."""
    assert MONITOR.methods.keys() == MONITOR.messages.keys()
    assert {rpc for rpc, row in PROVIDER.methods.items() if row.reason} & {"Call", "Construct"} == set()


def test_a_registration_survives_the_wire():
    """Words, options, secrets and dependencies arrive at the engine as they were given, and the answer comes back."""
    engine, session = Engine(), Session("pulumi")
    during = Call(session=session, **CONSTRUCT)
    with served(during, engine) as address:
        call = Call(session=session, extra={"monitorEndpoint": address}, **CONSTRUCT)

        def construct(call: Call) -> Reply:
            found = Monitor(call).register_resource("a:b:C", "c", {"x": Secret("s")}, protect=True, ignoreChanges=("y",))
            return Reply(value={"id": found.id, "a": found["a"]})

        reply = connected(call, construct)
    assert reply.value == {"id": "1", "a": Secret("b")}
    (asked,) = engine.asked
    assert (asked.op, asked.type, asked.name, asked.inputs) == (Op.REGISTER, "a:b:C", "c", {"x": Secret("s")})
    assert (asked.extra["protect"], asked.ignore_changes, asked.extra["propertyDependencies"]) == (True, ("y",), {"x": ()})
    assert asked.session is session


def test_a_provider_behind_a_wire_is_led_to_a_relay():
    """The address in the call's own bytes is replaced by the relay's, and unknown RPCs go through it as they are."""
    engine, session = Engine(), Session("pulumi")
    message = provider_pb2.ConstructRequest(type="cloud:index:Site", name="home", monitorEndpoint="127.0.0.1:1", dryRun=True)
    call = PROVIDER.methods["Construct"].call(message, session)
    call.native, call.monitor = Native(message.SerializeToString(), message), engine

    def provider(call: Call) -> Reply:
        request = provider_pb2.ConstructRequest.FromString(call.native.data)
        assert request.dryRun
        with grpc.insecure_channel(request.monitorEndpoint) as channel:
            answer = channel.unary_unary("/pulumirpc.ResourceMonitor/FromTheFuture", None, None)(b"?")
        return Reply(native=Native(answer))

    assert relayed(call, provider).native.data == b"raw"
    assert [(each.method, each.native.data) for each in engine.asked] == [("FromTheFuture", b"?")]


def test_an_engine_that_is_gone_is_a_refusal():
    """An address at which nobody answers ends the provider's call at once, with a reason."""
    call = Call(session=Session("pulumi"), extra={"monitorEndpoint": "127.0.0.1:1"}, **CONSTRUCT)
    with pytest.raises(EngineRefusedError, match="failed to connect"):
        connected(call, lambda each: Monitor(each).register_resource("a:b:C", "c", {}) and Reply())


def test_options_that_do_not_exist_are_refused():
    """A misspelt option of a registration is told with the nearest one."""
    call = Call(session=Session("pulumi"), extra={"monitorEndpoint": "127.0.0.1:1"}, **CONSTRUCT)
    with pytest.raises(MalformedError, match=r"no option 'protekt'\. Did you mean 'protect'"):
        connected(call, lambda each: Monitor(each).register_resource("a:b:C", "c", {}, protekt=True) and Reply())


def test_wrong_inputs_of_a_component_travel_as_their_own_error():
    """What is wrong with a component's inputs is a detail of the status, with paths, and is read back from it."""
    component = Component("cloud:index:Site", {"size": int})
    with Double(component) as double, double.serve() as serving, serving.client() as client:
        call = Call(session=client.open(), inputs={"size": "x"}, **CONSTRUCT)
        reply = client(call)
    assert [(each.path, each.reason) for each in reply.failures] == [("size", "expected integer, got string")]
    assert b"InputPropertiesError" in reply.status.details


def test_logs_and_other_questions_reach_the_engine():
    """Through our engine service logs reach the port, and anything else the engine beyond it, with its failures."""
    beyond, port = Port(), Port()
    engine = EngineServer(beyond)
    ours = EngineServer(port, engine.address)
    client = EngineClient(ours.address)
    try:
        client.log("warning", "look", "urn:x")
        assert (port.told, beyond.told) == ([("warning", "look", "urn:x")], [])
        with grpc.insecure_channel(ours.address) as channel:
            ask = channel.unary_unary("/pulumirpc.Engine/GetRootResource", None, None)
            with pytest.raises(grpc.RpcError) as caught:
                ask(engine_pb2.GetRootResourceRequest().SerializeToString())
        assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
    finally:
        client.close()
        ours.stop()
        engine.stop()


def test_an_engine_that_is_gone_takes_no_logs(caplog):
    """A line that nobody takes is told in our own log, and stops nothing."""
    client = EngineClient("127.0.0.1:1")
    with caplog.at_level(logging.WARNING, "mockprovider"):
        client.log("info", "anybody there?")
    client.close()
    assert "did not take a line of log" in caplog.text


def test_a_served_fake_logs_to_the_engine_of_its_handshake():
    """The address in Handshake is where a session's logs go; Attach's counts where there was no handshake."""
    port = Port()
    engine = EngineServer(port)
    with Double() as double:
        for op, field in ((Op.HANDSHAKE, "engine_address"), (Op.ATTACH, "address")):
            session = double.open()
            double(Call(op=op, session=session, extra={field: engine.address}))
            session.engine.log("info", field)
    engine.stop()
    assert port.told == [("info", "engine_address", ""), ("info", "address", "")]
