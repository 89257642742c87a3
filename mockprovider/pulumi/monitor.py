"""``pulumirpc.ResourceMonitor``, the way back of Construct and Call: as a table, as a client, and as a relay.

The engine's monitor is a handler like a provider is: a call goes in and a reply comes out. So the same table serves it, asks
it, and passes through it what is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import grpc
from google.protobuf.message_factory import GetMessageClass
from msgspec.structs import replace
from pulumi.runtime.proto import resource_pb2

from mockprovider.calls import Call, Handler, Native, Op, Reply
from mockprovider.pulumi import status
from mockprovider.pulumi.methods import make_method
from mockprovider.pulumi.table import Row
from mockprovider.wire.client import Client
from mockprovider.wire.methods import Service, service
from mockprovider.wire.server import Endpoint, serve
from mockprovider.wire.status import failed, read

DESCRIPTOR = resource_pb2.DESCRIPTOR.services_by_name["ResourceMonitor"]
ENDPOINT = "monitorEndpoint"
"""The field of Construct and Call that says where the engine's monitor is."""

SOURCE = ("sourcePosition", "stackTrace", "parentStackTraceHandle", "snippetId")
"""Where in a program a call comes from: paths of the machine that it was made on."""

TABLE: Mapping[str, Row] = {
    "RegisterResource": Row(
        op=Op.REGISTER,
        renames={"object": "inputs", "ignoreChanges": "ignore_changes"},
        volatile=SOURCE,
        mutates=True,
        engine_ward=True,
    ),
    "RegisterResourceOutputs": Row(op=Op.REGISTER_OUTPUTS, renames={"outputs": "inputs"}, mutates=True, engine_ward=True),
    "ReadResource": Row(op=Op.READ, renames={"properties": "inputs"}, volatile=SOURCE, engine_ward=True),
    "Invoke": Row(op=Op.INVOKE, renames={"tok": "type", "args": "inputs"}, volatile=SOURCE, engine_ward=True),
    "Call": Row(op=Op.CALL, renames={"tok": "type", "args": "inputs"}, volatile=SOURCE, engine_ward=True),
}
OTHER = Row(op=Op.ENGINE, engine_ward=True)


def _service() -> Service:
    rows = [
        make_method(rpc.name, TABLE.get(rpc.name, OTHER), GetMessageClass(rpc.input_type), GetMessageClass(rpc.output_type))
        for rpc in DESCRIPTOR.methods
    ]
    return service(DESCRIPTOR, GetMessageClass, rows)


MONITOR = _service()
"""``pulumirpc.ResourceMonitor``, every RPC of it."""


def connected(call: Call, proceed: Handler) -> Reply:
    """A layer: a Construct or Call that came over a wire gets the way back that its ``monitorEndpoint`` names."""
    endpoint = call.extra.get(ENDPOINT)
    if call.monitor is not None or not endpoint or call.op not in (Op.CONSTRUCT, Op.CALL):
        return proceed(call)
    client = Client(str(endpoint), MONITOR)
    try:
        return proceed(replace(call, monitor=client))
    finally:
        client.close()


def relayed(call: Call, provider: Handler) -> Reply:
    """Ask a ``provider`` that is behind a wire; its way back, if somebody listens there, is served while the call lasts."""
    if call.monitor is None or isinstance(call.monitor, status.StatusClient):
        # With nobody in between, it can tell the engine itself at the address that it is given.
        return provider(call)
    field, table = (ENDPOINT, MONITOR) if call.op in (Op.CONSTRUCT, Op.CALL) else (status.ADDRESS, status.STATUS)
    with served(call, call.monitor, table) as address:
        return provider(_moved(call, field, address))


@contextmanager
def served(call: Call, monitor: Handler, table: Service = MONITOR) -> Iterator[str]:
    """The way back at an address on loopback while the block runs; what is asked there belongs to ``call``'s session."""
    endpoint = Endpoint(table, monitor, lambda _: call.session, forward_unknown=True)
    with serve([endpoint]) as server:
        yield server.address


def _moved(call: Call, field: str, address: str) -> Call:
    moved = replace(call, extra={**call.extra, field: address})
    if call.native is not None:
        message = type(call.native.message).FromString(call.native.data)
        setattr(message, field, address)
        moved.native = Native(message.SerializeToString(deterministic=True), message)
    return moved


def in_process(monitor: Any) -> Handler:
    """A monitor of this process (an object with the RPCs as methods, which raise ``grpc.RpcError``) as a handler."""

    def answer(call: Call) -> Reply:
        row = MONITOR.methods[call.method]
        try:
            message = getattr(monitor, row.name)(call.native.message if call.native else row.request(call))
        except grpc.RpcError as error:
            return failed(read(error))
        reply = row.reply(message, call)
        reply.native = Native(message.SerializeToString(deterministic=True), message)
        return reply

    return answer
