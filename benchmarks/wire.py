"""Check and Create over gRPC to the double, against a bare grpcio server that answers the same bytes with the same bytes."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
from google.protobuf import struct_pb2
from layers import BUCKET
from measure import Row, in_turns, report
from pulumi.runtime.proto import provider_pb2

from mockprovider.double import Double

SERVICE = "pulumirpc.ResourceProvider"
IN_FLIGHT = 50
URN = "urn:pulumi:dev::project::cloud:index:Bucket::logs"


def requests() -> dict[str, bytes]:
    """The bytes of one request of each RPC."""
    news = struct_pb2.Struct()
    news.update({"name": "logs", "acl": "private"})
    named = {"urn": URN, "name": "logs", "type": BUCKET.token}
    return {
        "Check": provider_pb2.CheckRequest(news=news, **named).SerializeToString(),
        "Create": provider_pb2.CreateRequest(properties=news, **named).SerializeToString(),
    }


@contextmanager
def caller(address: str, rpc: str) -> Iterator[Any]:
    """What calls one RPC with bytes and returns bytes."""
    with grpc.insecure_channel(address) as channel:
        yield channel.unary_unary(f"/{SERVICE}/{rpc}", None, None)


@contextmanager
def echo(rpc: str, answer: bytes) -> Iterator[str]:
    """The address of a server that always answers the same."""
    server = grpc.server(ThreadPoolExecutor(8))
    handler = grpc.unary_unary_rpc_method_handler(lambda _request, _context: answer)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {rpc: handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


def many(call: Any, request: bytes) -> None:
    """Make ``IN_FLIGHT`` calls at once, and wait for all of them."""
    for future in [call.future(request) for _ in range(IN_FLIGHT)]:
        future.result()


def compared(what: str, ours: Any, theirs: Any, request: bytes) -> Iterator[Row]:
    """One call at a time, which is mostly waiting for threads to wake, and many at once, which is mostly work."""
    alone = in_turns(lambda: ours(request), lambda: theirs(request), rounds=40, calls=50)
    yield Row(f"{what}, one at a time", "µs", alone[0], "bare grpcio echo", alone[1], "1.3 x")
    batches = in_turns(lambda: many(ours, request), lambda: many(theirs, request), rounds=20, calls=2)
    together = [each / IN_FLIGHT for each in batches]
    yield Row(f"{what}, {IN_FLIGHT} at once", "µs", together[0], "bare grpcio echo", together[1], "1.3 x")


def rows() -> Iterator[Row]:
    """Two rows for each RPC: the median of a call in microseconds."""
    with Double(BUCKET) as double, double.serve() as serving:
        for rpc, request in requests().items():
            with caller(serving.address, rpc) as ours, echo(rpc, ours(request)) as address, caller(address, rpc) as theirs:
                yield from compared(f"{rpc} over gRPC", ours, theirs, request)


if __name__ == "__main__":
    report(rows())
