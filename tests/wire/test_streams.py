"""RPCs with streams of messages, as answers and as requests: served, called, forwarded, known or not."""

from __future__ import annotations

import threading

import grpc
import pytest
from builders import call
from pulumi.runtime.proto import provider_pb2
from wire_toolbox import SECONDS

from mockprovider.calls import Native, Op, Reply, Session, Status
from mockprovider.payloads import ListContinues, ListedObject
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.wire.client import Client
from mockprovider.wire.status import failed, status

LISTED = (
    ListedObject("b1", "one"),
    ListedObject("b2"),
    ListContinues("2:0:b2"),
)
MESSAGES = [
    provider_pb2.ListResponse(result={"id": "b1", "name": "one"}),
    provider_pb2.ListResponse(result={"id": "b2"}),
    provider_pb2.ListResponse(continuation={"continuation_token": "2:0:b2"}),
]
ENCODED = [each.SerializeToString(deterministic=True) for each in MESSAGES]


def stream(wire, served, rpc, data=b""):
    """The messages of a stream as a bare client gets them, and the error in which it ended."""
    connection = wire.connect(served)
    answers = []
    try:
        for each in connection._channel.unary_stream(f"/{PROVIDER.name}/{rpc}", None, None)(data, timeout=SECONDS):
            answers.append(each)  # noqa: PERF402 - what came before an error counts
    except grpc.RpcError as error:
        return answers, error
    return answers, None


@pytest.fixture
def client(wire):
    """Makes a client of a server."""

    def connect(served):
        made = Client(served.address, PROVIDER)
        wire.later(made.close)
        return made

    return connect


def listing(**given):
    """A call of List."""
    return call(Op.LIST, "cloud:index:Bucket", **given)


def test_a_stream_is_served(wire):
    """Each message that a handler lists is a message of the stream, in order."""
    served = wire.serve(lambda _: Reply(listed=LISTED))

    assert stream(wire, served, "List") == (ENCODED, None)


def test_an_empty_stream(wire):
    """Nothing listed is a stream without messages, and no error."""
    assert stream(wire, wire.serve(lambda _: Reply()), "List") == ([], None)


def test_a_stream_is_called(wire, client):
    """A client gives the messages of a stream in neutral words, and as they came."""
    reply = client(wire.serve(lambda _: Reply(listed=LISTED)))(listing())

    assert reply.listed == LISTED
    assert [each.data for each in reply.stream] == ENCODED
    assert [each.message for each in reply.stream] == MESSAGES


def test_the_request_of_a_stream(wire, client):
    """The type, the query and the paging of a call of List arrive as they were asked."""
    seen = []
    served = wire.serve(lambda asked: seen.append(asked) or Reply())
    client(served)(listing(inputs={"acl": "x"}, limit=3, page_size=2, page="2:3:b2"))

    assert (seen[0].op, seen[0].type, seen[0].inputs) == (Op.LIST, "cloud:index:Bucket", {"acl": "x"})
    assert (seen[0].limit, seen[0].page_size, seen[0].page) == (3, 2, "2:3:b2")


def test_a_stream_is_forwarded_as_it_came(wire, client):
    """A proxy hands on the bytes of each message, also of fields that nobody knows."""
    odd = (*ENCODED, ENCODED[0] + b"\xfa\x7f\x05extra")
    behind = wire.serve(lambda _: Reply(stream=tuple(map(Native, odd))))
    between = wire.serve(client(behind), forward_unknown=True)

    assert stream(wire, between, "List") == (list(odd), None)


def test_a_stream_that_breaks_off(wire, client):
    """What came before the status is handed on, and the status after it, through a proxy, too."""
    broken = Reply(stream=tuple(map(Native, ENCODED[:2])), status=Status(14, "the page is lost"))
    behind = wire.serve(lambda _: broken)
    reply = client(behind)(listing())
    assert ([each.data for each in reply.stream], reply.status) == (ENCODED[:2], Status(14, "the page is lost"))
    assert reply.failures[0].reason == "the page is lost"

    answers, error = stream(wire, wire.serve(client(behind), forward_unknown=True), "List")
    assert (answers, error.code(), error.details()) == (ENCODED[:2], grpc.StatusCode.UNAVAILABLE, "the page is lost")


def test_a_stream_that_never_ends(wire, client):
    """What a stream has brought until its session's patience is over comes with the status that it ended in."""
    over = threading.Event()
    served = wire.serve(lambda _: over.wait(SECONDS) and Reply())
    session = Session("pulumi")
    session.patience = 0.05
    reply = client(served)(listing(session=session))
    over.set()
    assert (reply.status.code, reply.stream) == (grpc.StatusCode.DEADLINE_EXCEEDED.value[0], ())


def test_a_stream_that_fails_at_once(wire):
    """A handler's failure is the status of the stream."""
    answers, error = stream(wire, wire.serve(lambda _: failed(status("not_found", "no such type"))), "List")

    assert (answers, error.code(), error.details()) == ([], grpc.StatusCode.NOT_FOUND, "no such type")


@pytest.mark.parametrize("parts", [(), (b"one",), (b"one", b"", b"three")])
def test_unknown_rpcs_that_stream_are_forwarded(wire, client, parts):
    """Nobody can tell of an unknown RPC whether it streams: none, one or more messages go through as they are."""
    behind = wire.serve(lambda _: Reply(stream=tuple(map(Native, parts))), forward_unknown=True)
    seen = []
    forward = client(behind)
    between = wire.serve(lambda asked: seen.append(asked) or forward(asked), forward_unknown=True)

    assert stream(wire, between, "Watch", b"asked") == (list(parts), None)
    assert (seen[0].op, seen[0].method, seen[0].native.data) == (Op.RAW, "Watch", b"asked")


def test_one_message_is_an_answer(wire, client):
    """An unknown RPC that answers once looks the same to one who calls it as unary and to one who calls it as a stream."""
    served = wire.serve(lambda _: Reply(native=Native(b"once")), forward_unknown=True)

    assert stream(wire, served, "Tell") == ([b"once"], None)
    assert wire.connect(served).call("Tell") == b"once"
    reply = client(served)(call(Op.RAW, "", method="Tell", session=Session("pulumi")))
    assert (reply.native.data, reply.stream) == (b"once", None)


@pytest.mark.parametrize("streams", [True, False])
def test_what_is_gone_says_so(wire, streams):
    """StreamInvoke, which engines called once, is unimplemented with a text that says that it is gone and what to call."""
    served = wire.serve(lambda _: Reply())
    error = stream(wire, served, "StreamInvoke")[1] if streams else wire.connect(served).failure("StreamInvoke")

    assert error.code() is grpc.StatusCode.UNIMPLEMENTED
    assert "StreamInvoke is no RPC of this protocol any more" in error.details()
    assert "call Invoke" in error.details()


def test_what_is_gone_still_goes_through_a_proxy(wire, client):
    """A real provider may be old enough to have it: a proxy does not know better."""
    behind = wire.serve(lambda _: Reply(stream=(Native(b"a"), Native(b"b"))), forward_unknown=True)

    assert stream(wire, wire.serve(client(behind), forward_unknown=True), "StreamInvoke") == ([b"a", b"b"], None)


# Requests that are streams ---------------------------------------------------------------------------------------------


def sent(wire, served, rpc, messages):
    """The messages that answer a request of these messages."""
    ways = wire.connect(served)._channel.stream_stream(f"/{PROVIDER.name}/{rpc}", None, None)
    return list(ways(iter(messages), timeout=SECONDS))


@pytest.mark.parametrize("parts", [(), (b"one",), (b"one", b"", b"three")])
def test_unknown_requests_that_stream_are_forwarded(wire, client, parts):
    """None, one or more messages of an unknown RPC's request go through two servers as they are, and so does the answer."""
    seen = []
    behind = wire.serve(lambda asked: seen.append(asked) or Reply(stream=(Native(b"a"), Native(b"b"))), forward_unknown=True)
    between = wire.serve(client(behind), forward_unknown=True)

    assert sent(wire, between, "Upload", parts) == [b"a", b"b"]
    assert (seen[0].op, seen[0].method) == (Op.RAW, "Upload")
    messages = [seen[0].native] if seen[0].native else list(seen[0].stream)
    assert [native.data for native in messages] == list(parts)
    assert (seen[0].stream is None) == (len(parts) == 1)


def test_a_request_of_one_message_may_come_as_a_stream(wire):
    """Whether an engine sends the one message of an unknown RPC by itself or as a stream, it is the same call."""
    seen = []
    served = wire.serve(lambda asked: seen.append(asked) or Reply(native=Native(b"once")), forward_unknown=True)

    assert sent(wire, served, "Tell", [b"asked"]) == [wire.connect(served).call("Tell", b"asked")] == [b"once"]
    assert [(asked.native, asked.stream) for asked in seen] == [(Native(b"asked"), None)] * 2


def test_a_request_that_breaks_off_reaches_nobody(wire):
    """Of a request whose sender cancels before its end no part is handed on, and the next request is."""
    seen, begun, over = [], threading.Event(), threading.Event()
    served = wire.serve(lambda asked: seen.append(asked) or Reply(native=Native(b"")), forward_unknown=True)

    def half():
        yield b"the first half"
        begun.set()
        over.wait(SECONDS)

    ways = wire.connect(served)._channel.stream_stream(f"/{PROVIDER.name}/Upload", None, None)
    upload = ways(half(), timeout=SECONDS)
    assert begun.wait(SECONDS)
    upload.cancel()
    with pytest.raises(grpc.RpcError):
        next(upload)
    over.set()

    assert sent(wire, served, "Upload", [b"1", b"2"]) == [b""]
    assert [[native.data for native in asked.stream] for asked in seen] == [[b"1", b"2"]]
    assert wire.errors == []
