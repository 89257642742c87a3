"""The server: bytes in, bytes out, one status for each thing that goes wrong, and nothing that hangs."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from google.protobuf import empty_pb2
from msgspec.structs import replace
from pulumi.runtime.proto import plugin_pb2, provider_pb2
from wire_toolbox import SECONDS, UNKNOWN_FIELD

from mockprovider.calls import Failure, Native, Op, Reply, Status
from mockprovider.errors import DefinitionError, MalformedError, MissError, PluginError, UnsupportedError
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.wire import server
from mockprovider.wire.server import Endpoint, Served, decode, serve

CREATE = provider_pb2.CreateRequest(urn="urn:pulumi:dev::shop::cloud:index:Bucket::logs", name="logs").SerializeToString()
DETAILS = "grpc-status-details-bin"


def info(version="1.0.0"):
    """A reply to GetPluginInfo."""
    return Reply(version=version)


def test_a_call_and_its_reply(wire):
    """A request reaches the handler decoded, with its session and its bytes; the reply comes back as the protocol's message."""
    calls = []
    served = wire.serve(lambda call: calls.append(call) or Reply(id="b-1", value={"acl": "x"}))
    answer = provider_pb2.CreateResponse.FromString(wire.connect(served).call("Create", CREATE))
    [call] = calls

    assert (answer.id, dict(answer.properties)) == ("b-1", {"acl": "x"})
    assert (call.op, call.method, call.name, call.native.data) == (Op.CREATE, "Create", "logs", CREATE)
    assert call.session is wire.sessions[0]
    assert call.session.peer.startswith("ipv4:127.0.0.1:")


def test_it_listens_on_loopback_alone(wire):
    """Unless told otherwise a server can be reached from this machine only."""
    served = wire.serve(lambda _: info())

    assert served.host == "127.0.0.1"
    assert served.address == f"127.0.0.1:{served.port}"


def test_native_answers_pass_untouched(wire):
    """What a provider behind us answered goes out byte by byte, fields that we do not know included."""
    data = plugin_pb2.PluginInfo(version="9").SerializeToString() + UNKNOWN_FIELD
    served = wire.serve(lambda _: Reply(id="ignored", native=Native(data)))

    assert wire.connect(served).call("GetPluginInfo") == data


# What goes wrong -------------------------------------------------------------------------------------------------------


def test_unknown_rpcs_and_services(wire):
    """An RPC or a service that nobody knows is unimplemented, and the handler is not asked."""
    connection = wire.connect(wire.serve(lambda _: pytest.fail("asked")))

    assert connection.failure("Frobnicate").code() is grpc.StatusCode.UNIMPLEMENTED
    assert connection.failure("Create", service="no.such.Service").code() is grpc.StatusCode.UNIMPLEMENTED
    assert wire.errors == []


def test_refused_rpcs_say_why(wire):
    """An RPC that is known and not served is unimplemented with its reason, and the test is told."""
    row = replace(PROVIDER.methods["Construct"], reason="nobody builds here")
    refusing = replace(PROVIDER, methods={**PROVIDER.methods, "Construct": row})
    served = serve([Endpoint(refusing, lambda _: Reply(), wire.open, wire.errors.append)])
    wire.later(served.stop)
    error = wire.connect(served).failure("Construct")

    assert error.code() is grpc.StatusCode.UNIMPLEMENTED
    assert error.details() == "pulumirpc.ResourceProvider/Construct is not served: nobody builds here."
    assert isinstance(wire.errors[0], UnsupportedError)


def test_undecodable_bytes(wire):
    """Bytes that are no such message are an invalid argument that names the RPC, the size and the message."""
    connection = wire.connect(wire.serve(lambda _: info()))
    error = connection.failure("Create", b"\xff\xff\xff")

    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert error.details().startswith("Create: these 3 bytes are not a pulumirpc.CreateRequest")
    assert isinstance(wire.errors[0], MalformedError)
    assert connection.call("GetPluginInfo"), "the connection is still good"


@pytest.mark.parametrize(
    ("error", "code", "details"),
    [
        (UnsupportedError("later"), grpc.StatusCode.UNIMPLEMENTED, "later"),
        (MalformedError("no urn"), grpc.StatusCode.INVALID_ARGUMENT, "no urn"),
        (MissError("not recorded"), grpc.StatusCode.FAILED_PRECONDITION, "not recorded"),
        (DefinitionError("no type"), grpc.StatusCode.FAILED_PRECONDITION, "no type"),
        (KeyError("x"), grpc.StatusCode.INTERNAL, "mockprovider failed: KeyError: 'x'"),
    ],
)
def test_our_errors_become_one_status(wire, error, code, details):
    """An error of ours is the engine's status and message, and the very error is told to the test."""

    def handler(_):
        raise error

    failure = wire.connect(wire.serve(handler)).failure("Create", CREATE)

    assert (failure.code(), failure.details()) == (code, details)
    assert wire.errors == [error]


def test_statuses_of_a_provider_pass_whole(wire):
    """A status from behind us keeps its code, message and details, and is no error of ours."""
    status = Status(14, "gone", b"\x08\x0e\x12\x04gone" + UNKNOWN_FIELD)
    error = wire.connect(wire.serve(lambda _: Reply(status=status, native=Native(b"not this")))).failure("Create", CREATE)

    assert (error.code(), error.details()) == (grpc.StatusCode.UNAVAILABLE, "gone")
    assert dict(error.trailing_metadata())[DETAILS] == status.details
    assert wire.errors == []


def test_an_unheard_of_status_code(wire):
    """A code that gRPC does not have becomes unknown, and the message stays."""
    error = wire.connect(wire.serve(lambda _: Reply(status=Status(99, "odd")))).failure("Create", CREATE)

    assert (error.code(), error.details()) == (grpc.StatusCode.UNKNOWN, "odd")


def test_failures_are_no_errors_of_ours(wire):
    """What a provider says went wrong is a status to the engine, and nothing that the test must fail with."""
    error = wire.connect(wire.serve(lambda _: Reply(failures=(Failure("no", status="not_found"),)))).failure("Create", CREATE)

    assert (error.code(), error.details()) == (grpc.StatusCode.NOT_FOUND, "no")
    assert wire.errors == []


def test_a_reply_that_cannot_be_encoded(wire):
    """A reply that is no message of the protocol is an error, not a hang nor an empty answer."""
    error = wire.connect(wire.serve(lambda _: Reply(value={"x": object()}))).failure("Create", CREATE)

    assert error.code() is not grpc.StatusCode.OK
    assert len(wire.errors) == 1


def test_a_port_that_is_taken():
    """A taken port is refused at once, with the way out."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PluginError, match=f"Cannot listen on 127.0.0.1:{port}: .*Is it in use. Port 0 takes a free one"):
            serve([], port=port)


def test_two_servers_do_not_share_a_port(wire):
    """A second server on our own port is refused, too, and never gets a share of the calls."""
    first = wire.serve(lambda _: info())
    with pytest.raises(PluginError, match="Cannot listen on"):
        serve([], port=first.port)


# Sessions --------------------------------------------------------------------------------------------------------------


def test_each_connection_is_a_session(wire):
    """Calls of one connection share a session, and other connections have their own."""
    numbers = []
    served = wire.serve(lambda call: numbers.append(call.session.number) or info())
    one, other = wire.connect(served), wire.connect(served)
    for connection in (one, one, other, one):
        connection.call("GetPluginInfo")

    assert numbers == [1, 1, 2, 1]
    assert len({session.peer for session in wire.sessions}) == 2


def test_a_handshake_begins_a_new_session(wire):
    """Engines use a connection's port again: a Handshake after other calls starts afresh, a first one does not count twice."""
    numbers = []
    connection = wire.connect(wire.serve(lambda call: numbers.append(call.session.number) or info()))
    for rpc in ("Handshake", "GetPluginInfo", "Handshake", "GetPluginInfo"):
        connection.call(rpc)

    assert numbers == [1, 1, 2, 2]


@pytest.mark.parametrize("major", SERVICES)
@pytest.mark.parametrize("last", ["ConfigureProvider", "StopProvider"])
def test_a_configuration_is_validated_in_a_new_session(wire, major, last):
    """Terraform has no handshake: who validates where something was configured or stopped is another instance."""
    numbers, service = [], SERVICES[major]
    older = {"ConfigureProvider": "Configure", "StopProvider": "Stop", "ValidateProviderConfig": "PrepareProviderConfig"}
    endpoint = Endpoint(service, lambda call: numbers.append(call.session.number) or Reply(value={}), wire.open)
    for name in ("ValidateProviderConfig", "ConfigureProvider", last, "ValidateProviderConfig", "ConfigureProvider"):
        rpc = older[name] if major == 5 else name
        endpoint.answers(service.methods[rpc], rpc, [b""], "ipv4:127.0.0.1:40000")

    assert numbers == [1, 1, 1, 2, 2]


def test_a_session_opens_once_under_threads(wire):
    """However many calls a connection begins with, it has one session."""
    together = threading.Barrier(20, timeout=SECONDS)

    def handler(_):
        together.wait()
        return info()

    connection = wire.connect(wire.serve(handler))
    for each in [connection.start("GetPluginInfo") for _ in range(20)]:
        each.result()

    assert len(wire.sessions) == 1


# Unknown RPCs, forwarded -----------------------------------------------------------------------------------------------


def test_unknown_rpcs_can_be_forwarded(wire):
    """A proxy's endpoint hands on RPCs without a row as raw bytes, and the raw answer back."""
    calls = []
    served = wire.serve(lambda call: calls.append(call) or Reply(native=Native(b"\x01answer")), forward_unknown=True)

    assert wire.connect(served).call("Frobnicate", b"\xff\xffnot a message") == b"\x01answer"
    assert (calls[0].op, calls[0].method, calls[0].native.data) == (Op.RAW, "Frobnicate", b"\xff\xffnot a message")


def test_a_forwarded_rpc_that_nobody_answers(wire):
    """Who forwards unknown RPCs to a provider that does not know them either gets an error that names them."""
    error = wire.connect(wire.serve(lambda _: Reply(), forward_unknown=True)).failure("Frobnicate")

    assert error.code() is grpc.StatusCode.UNIMPLEMENTED
    assert "ResourceProvider/Frobnicate is an RPC that this version does not know" in error.details()


# Threads and ends ------------------------------------------------------------------------------------------------------


class Block:
    """A handler whose creates wait until they are released."""

    def __init__(self, wire, expected):
        self._expected = expected
        self._released = threading.Event()
        self._count = threading.Semaphore(0)
        wire.later(self._released.set)

    def __call__(self, call):
        if call.op is Op.CREATE:
            self._count.release()
            self._released.wait(SECONDS)
        return Reply()

    def all_in(self):
        """Whether as many creates as expected are waiting."""
        return all(self._count.acquire(timeout=SECONDS) for _ in range(self._expected))


def test_calls_run_at_the_same_time(wire):
    """Many calls are answered side by side: fifty that wait for each other all end."""
    together = threading.Barrier(50, timeout=SECONDS)

    def handler(_):
        together.wait()
        return info()

    connection = wire.connect(wire.serve(handler))

    assert all(call.result() for call in [connection.start("GetPluginInfo") for _ in range(50)])


def test_cancel_has_a_lane_of_its_own(wire, monkeypatch):
    """Cancel is answered while every thread hangs in a create, and more creates wait behind them."""
    monkeypatch.setattr(server, "MOST_THREADS", 20)
    block = Block(wire, 20)
    connection = wire.connect(wire.serve(block))
    pending = [connection.start("Create", CREATE) for _ in range(50)]

    assert block.all_in()
    assert connection.call("Cancel", empty_pb2.Empty().SerializeToString()) == b""
    assert not any(call.done() for call in pending)


def test_stopping_ends_calls_in_flight(wire):
    """A stopped server leaves nobody waiting: what was in flight ends in a status, and nothing listens any more."""
    block = Block(wire, 1)
    served = wire.serve(block)
    connection = wire.connect(served)
    pending = connection.start("Create", CREATE)
    assert block.all_in()
    served.stop()

    assert pending.exception(timeout=SECONDS).code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((served.host, served.port), timeout=SECONDS)


def test_stopping_twice(wire):
    """Stopping what has stopped is no error, and waiting for it returns."""
    served = wire.serve(lambda _: info())
    served.stop()
    served.stop()
    served.wait()


def test_wait_ends_with_the_server(wire):
    """Who waits for a server goes on when another thread stops it."""
    served = wire.serve(lambda _: info())
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(served.wait)
        assert not waiting.done()
        served.stop()

        assert waiting.result(SECONDS) is None


def test_waiting_goes_on_while_the_server_runs():
    """Waiting is cut into pieces, so that Ctrl-C gets through, and ends only when gRPC says that the server has ended."""
    said = [True, True, False]

    class Running:
        def wait_for_termination(self, _):
            return said.pop(0)

    Served(Running(), "127.0.0.1", 1, ()).wait()

    assert said == []


def test_a_with_block_stops_the_server():
    """Leaving the block stops serving."""
    with serve([]) as served:
        socket.create_connection((served.host, served.port), timeout=SECONDS).close()

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((served.host, served.port), timeout=SECONDS)


def test_large_messages(wire):
    """Messages far above gRPC's own limit of four megabytes pass, in both directions."""
    data = provider_pb2.GetSchemaResponse(schema="x" * 6_000_000).SerializeToString()
    served = wire.serve(lambda call: Reply(native=Native(call.native.data)), forward_unknown=True)

    assert wire.connect(served).call("Large", data) == data


def test_further_handlers_are_served_beside(wire):
    """Other gRPC handlers share the server with the tables."""
    method = grpc.unary_unary_rpc_method_handler(lambda request, _: b"echo " + request)
    served = serve(
        [wire.endpoint(lambda _: info())], handlers=[grpc.method_handlers_generic_handler("other.Echo", {"Say": method})]
    )
    wire.later(served.stop)
    connection = wire.connect(served)

    assert connection.call("Say", b"hello", service="other.Echo") == b"echo hello"
    assert connection.call("GetPluginInfo")


def test_decode():
    """Bytes become their message, or an error that names what they are not."""
    assert decode(plugin_pb2.PluginInfo, b"\x0a\x01x", "GetPluginInfo") == plugin_pb2.PluginInfo(version="x")
    with pytest.raises(MalformedError, match=r"GetPluginInfo: these 2 bytes are not a pulumirpc\.PluginInfo"):
        decode(plugin_pb2.PluginInfo, b"\x0a\x05", "GetPluginInfo")


def test_the_longest_silent_sessions_are_forgotten(wire, monkeypatch):
    """Nobody says that a connection has ended, so of many sessions those that called last are known."""
    monkeypatch.setattr(server, "MOST_SESSIONS", 3)
    endpoint = wire.endpoint(lambda call: Reply(id=f"{call.session.number}", value={}))

    def asked(peer):
        [answer] = endpoint.answers(PROVIDER.methods["Create"], "Create", [CREATE], peer)
        return provider_pb2.CreateResponse.FromString(answer).id

    assert [asked(peer) for peer in ("a", "b", "c", "a", "d", "a", "c", "d")] == ["1", "2", "3", "1", "4", "1", "3", "4"]
    assert asked("b") == "5", "it was silent for longest when d came"
    assert len(endpoint._sessions) == 3


def test_it_pings_nobody(wire):
    """A peer that is busy for minutes keeps its connection: no ping is sent, which it would have to answer within one."""
    served = wire.serve(lambda _: info())
    words = {
        ":method": "POST",
        ":scheme": "http",
        ":path": f"/{PROVIDER.name}/GetPluginInfo",
        ":authority": "localhost",
        "content-type": "application/grpc",
        "te": "trailers",
    }
    # Literal names and values, as HPACK has them, and one empty message of gRPC.
    headers = b"".join(b"\0%c%b%c%b" % (len(name), name.encode(), len(value), value.encode()) for name, value in words.items())
    with socket.create_connection((served.host, served.port), timeout=SECONDS) as peer, peer.makefile("rb") as incoming:
        peer.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS) + frame(SETTINGS, ENDS))
        peer.sendall(frame(HEADERS, END_HEADERS, 1, headers) + frame(DATA, ENDS, 1, b"\0\0\0\0\0"))
        kinds = [*until_answered(incoming)]
    assert kinds.count(HEADERS) == 2
    assert kinds.count(DATA) == 1
    assert PING not in kinds


DATA, HEADERS, SETTINGS, PING = 0, 1, 4, 6
"""Kinds of frames in HTTP/2."""
ENDS, END_HEADERS = 1, 4
"""Flags: the stream ends here (of settings: they are taken note of), and so do the headers."""


def frame(kind, flags=0, stream=0, payload=b""):
    """A frame of HTTP/2."""
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def until_answered(incoming):
    """The kinds of the frames that come, up to the one that ends the answer."""
    ended = False
    while not ended:
        head = incoming.read(9)
        incoming.read(int.from_bytes(head[:3], "big"))
        ended = bool(head[4] & ENDS) and int.from_bytes(head[5:], "big") == 1
        yield head[3]
