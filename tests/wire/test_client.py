"""The client: a provider on the other side of a connection, called as a handler."""

from __future__ import annotations

import signal
import socket
import threading

import grpc
import pytest
from builders import URN, call
from pulumi.runtime.proto import plugin_pb2, provider_pb2
from wire_toolbox import UNKNOWN_FIELD

from mockprovider.calls import Failure, Native, Op, Reply, Session, Status
from mockprovider.errors import MalformedError, PluginError, UnsupportedError
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.wire.client import Client
from mockprovider.wire.server import Endpoint, serve

SECONDS = 60
"""How long anything may take before the test fails instead of hanging."""


@pytest.fixture
def connect(wire):
    """Makes a client of a handler that is served, with the calls and bytes that arrive there."""

    def make(handler, **options):
        arrived = []
        served = wire.serve(lambda asked: arrived.append(asked) or handler(asked), forward_unknown=True)
        client = Client(served.address, PROVIDER, **options)
        wire.later(client.close)
        return client, arrived

    return make


def test_a_call_made_here_is_encoded_by_its_row(connect):
    """A call without bytes of its own reaches the provider as the protocol's message, and its answer is decoded."""
    client, arrived = connect(lambda _: Reply(id="b-1", value={"acl": "x"}))
    reply = client(call(Op.CREATE, urn=URN, inputs={"name": "logs"}, preview=True))
    [there] = arrived

    assert (there.method, there.urn, there.inputs, there.preview) == ("Create", URN, {"name": "logs"}, True)
    assert (reply.id, reply.value) == ("b-1", {"acl": "x"})
    assert reply.native.message.id == "b-1"
    assert reply.native.data == reply.native.message.SerializeToString(deterministic=True)


def test_a_forwarded_call_keeps_its_bytes(connect):
    """A call that came over a wire is sent on as the bytes that it came in, whatever its decoded tree says."""
    client, arrived = connect(lambda _: Reply())
    data = provider_pb2.CreateRequest(urn=URN).SerializeToString() + UNKNOWN_FIELD
    client(call(Op.CREATE, method="Create", urn="another", native=Native(data, provider_pb2.CreateRequest())))

    assert arrived[0].native.data == data


def test_an_answer_keeps_its_bytes(connect):
    """An answer's bytes stay beside its decoded tree, fields that we do not know included."""
    data = plugin_pb2.PluginInfo(version="9").SerializeToString() + UNKNOWN_FIELD
    client, _ = connect(lambda _: Reply(native=Native(data)))
    reply = client(call(Op.GET_PLUGIN_INFO, ""))

    assert reply.native.data == data
    assert reply.version == "9"


def test_addresses_are_rewritten_and_nothing_else(connect):
    """Address fields get their new value, in forwarded bytes as in calls made here; all else stays, unknown fields too."""
    client, arrived = connect(lambda _: Reply(), rewrite={"engine_address": "here:1", "address": "here:2"})
    message = provider_pb2.ProviderHandshakeRequest(engine_address="there:1", root_directory="/r")
    data = message.SerializeToString() + UNKNOWN_FIELD
    client(call(Op.HANDSHAKE, "", method="Handshake", native=Native(data, message)))
    client(call(Op.HANDSHAKE, ""))
    [forwarded, made] = arrived

    message.engine_address = "here:1"
    assert forwarded.native.data == message.SerializeToString() + UNKNOWN_FIELD
    assert forwarded.extra["root_directory"] == "/r"
    assert made.extra["engine_address"] == "here:1"


def test_a_field_that_is_no_address_of_the_rpc_stays(connect):
    """A rewriting rule is for the fields that the RPC declares as addresses, not for others of that name."""
    client, arrived = connect(lambda _: Reply(), rewrite={"name": "changed"})
    data = provider_pb2.CreateRequest(name="logs").SerializeToString()
    client(call(Op.CREATE, method="Create", native=Native(data, provider_pb2.CreateRequest())))

    assert arrived[0].native.data == data


def test_a_status_is_a_reply(connect):
    """What the provider fails with comes back as a value: code, message, details, and a failure to look at."""
    status = Status(5, "no such bucket", b"\x08\x05" + UNKNOWN_FIELD)
    client, _ = connect(lambda _: Reply(status=status))
    reply = client(call(Op.READ, id="b-1"))

    assert reply.status == status
    assert reply.failures == (Failure("no such bucket", status="not_found"),)
    assert not reply.ok


def test_the_protocol_reads_its_own_details(connect):
    """A protocol that puts state into a status's details is asked to read them."""
    seen = []

    def read(status, asked):
        seen.append((status.message, asked.op))
        return Reply(id="half")

    client, _ = connect(lambda _: Reply(status=Status(2, "slow")), on_failure=read)

    assert client(call(Op.CREATE)).id == "half"
    assert seen == [("slow", Op.CREATE)]


def test_unknown_rpcs_go_through_raw(connect):
    """A raw call's bytes are sent to the method that it names, and the answer's bytes come back."""
    client, arrived = connect(lambda asked: Reply(native=Native(b"answer to " + asked.native.data)))
    reply = client(call(Op.RAW, "", method="Frobnicate", native=Native(b"question")))

    assert reply.native.data == b"answer to question"
    assert (arrived[0].op, arrived[0].method) == (Op.RAW, "Frobnicate")
    assert client(call(Op.RAW, "", method="Frobnicate")).native.data == b"answer to "


def test_an_op_that_the_protocol_does_not_have(connect):
    """A call that no RPC of the protocol asks for is refused before anything is sent."""
    client, arrived = connect(lambda _: Reply())
    with pytest.raises(UnsupportedError, match=r"pulumirpc\.ResourceProvider has no RPC that asks for plan"):
        client(call(Op.PLAN))

    assert arrived == []


def test_an_answer_that_is_none(connect):
    """Bytes that are not the RPC's answer are an error that names it."""
    client, _ = connect(lambda _: Reply(native=Native(b"\xff\xff")))
    with pytest.raises(MalformedError, match=r"Create: these 2 bytes are not a pulumirpc\.CreateResponse"):
        client(call(Op.CREATE))


def test_client_and_server_make_a_proxy(wire, connect):
    """A client behind an endpoint hands on requests and answers byte by byte, statuses with their details too."""
    answer = plugin_pb2.PluginInfo(version="9").SerializeToString() + UNKNOWN_FIELD
    failing = Status(9, "not now", b"\x08\x09" + UNKNOWN_FIELD)
    client, arrived = connect(lambda asked: Reply(status=failing) if asked.op is Op.CREATE else Reply(native=Native(answer)))
    front = serve(
        [Endpoint(PROVIDER, client, lambda peer: Session("pulumi", 1, peer), wire.errors.append, forward_unknown=True)]
    )
    wire.later(front.stop)
    connection = wire.connect(front)
    question = provider_pb2.CreateRequest(urn=URN).SerializeToString() + UNKNOWN_FIELD

    assert connection.call("GetPluginInfo", UNKNOWN_FIELD) == answer
    assert connection.call("Frobnicate", b"\xff") == answer
    error = connection.failure("Create", question)
    assert (error.code(), error.details()) == (grpc.StatusCode.FAILED_PRECONDITION, "not now")
    assert dict(error.trailing_metadata())["grpc-status-details-bin"] == failing.details
    assert [each.native.data for each in arrived] == [UNKNOWN_FIELD, b"\xff", question]
    assert wire.errors == []


@pytest.mark.parametrize("while_connecting", [False, True])
def test_a_client_that_ctrl_c_interrupted_can_be_closed(wire, nobody, while_connecting):
    """A client that is interrupted in a call, or while it connects, lets nobody wait for ever when it is closed."""
    over = threading.Event()

    def interrupt(*_):
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    def hang(_):
        interrupt()
        assert over.wait(SECONDS)
        return Reply()

    def asked():
        if while_connecting:
            threading.Timer(0.1, interrupt).start()
            client.wait_ready(SECONDS)
        client(call(Op.CREATE, urn=URN, inputs={}))

    client = Client(nobody if while_connecting else wire.serve(hang).address, PROVIDER)
    with pytest.raises(KeyboardInterrupt):
        asked()
    closing = threading.Thread(target=client.close, daemon=True)
    closing.start()
    closing.join(SECONDS)
    over.set()
    assert not closing.is_alive()


def test_ctrl_c_while_a_connection_ends_is_heard(connect, monkeypatch):
    """Ctrl-C that comes while gRPC finalizes a closed connection interrupts whoever closes it, and is not lost there."""
    finalize, finalized = grpc._channel._ChannelCallState.__del__, []

    def interrupted(state):
        finalized.append(threading.current_thread() is threading.main_thread())
        signal.raise_signal(signal.SIGINT)
        finalize(state)

    def ended():
        client.close()
        # What a thread has raised is heard by the main one when it runs next.
        threading.Event().wait(SECONDS)

    client, _ = connect(lambda _: Reply())
    client(call(Op.CREATE, urn=URN, inputs={}))
    monkeypatch.setattr(grpc._channel._ChannelCallState, "__del__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ended()
    assert finalized == [False]


# Readiness -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def nobody():
    """An address at which nothing listens, and that nobody else gets meanwhile."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{taken.getsockname()[1]}"


def test_ready(connect):
    """A provider that answers is ready at once."""
    client, _ = connect(lambda _: Reply())
    client.wait_ready()


def test_never_ready(wire, nobody):
    """A provider that does not answer in time is an error that names the address and asks the right question."""
    address = nobody
    client = Client(address, PROVIDER)
    wire.later(client.close)

    with pytest.raises(PluginError, match=f"Nothing answers at {address} after 0.05 s. Is the provider still running"):
        client.wait_ready(0.05)


class Public:
    """A channel of which only what gRPC documents is there."""

    def __init__(self, channel):
        self.subscribe, self.unsubscribe, self.close = channel.subscribe, channel.unsubscribe, channel.close


def test_ready_in_public(wire, nobody, monkeypatch):
    """With a gRPC that keeps a channel's state to itself, waiting is slower and has the same two ends."""
    channel = grpc.insecure_channel
    monkeypatch.setattr(grpc, "insecure_channel", lambda *given, **options: Public(channel(*given, **options)))
    there, nowhere = Client(wire.serve(lambda _: Reply()).address, PROVIDER), Client(nobody, PROVIDER)
    wire.later(there.close)
    wire.later(nowhere.close)
    there.wait_ready()

    with pytest.raises(PluginError, match=r"Nothing answers at \S+ after 0.05 s"):
        nowhere.wait_ready(0.05)


def test_a_provider_that_is_gone(wire, nobody):
    """A call to a provider that has gone ends in a status, as a value like others."""
    client = Client(nobody, PROVIDER)
    wire.later(client.close)
    reply = client(call(Op.CREATE))

    assert reply.status.code == grpc.StatusCode.UNAVAILABLE.value[0]
    assert reply.failures[0].status == "unavailable"


def test_closing_twice(connect):
    """Closing what is closed is no error."""
    client, _ = connect(lambda _: Reply())
    client.close()
    client.close()
