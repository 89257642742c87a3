"""``pulumirpc.ResourceMonitor``, the way back of Construct and Call: as a table, as a client, and as a relay.

The engine's monitor is a handler, like a provider: from a call to a reply. So one table serves it, calls it, and forwards
unknown RPCs to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import grpc
from google.protobuf.message_factory import GetMessageClass
from msgspec.structs import replace

from mockprovider.calls import Call, Handler, Native, Op, Reply
from mockprovider.pulumi import status
from mockprovider.pulumi.methods import make_method
from mockprovider.pulumi.sdk import resource_pb2
from mockprovider.pulumi.table import Row
from mockprovider.wire.client import Client
from mockprovider.wire.methods import Service, service
from mockprovider.wire.server import Endpoint, serve
from mockprovider.wire.status import failed, read

DESCRIPTOR = resource_pb2.DESCRIPTOR.services_by_name["ResourceMonitor"]
ENDPOINT = "monitorEndpoint"
"""The field of Construct and Call with the address of the engine's monitor."""

SOURCE = ("sourcePosition", "stackTrace", "parentStackTraceHandle", "snippetId")
"""The call's position in the program: paths of the machine that made it."""

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
    """A layer: a Construct or Call that came over a wire gets the way back at its ``monitorEndpoint``."""
    endpoint = call.extra.get(ENDPOINT)
    if call.monitor is not None or not endpoint or call.op not in (Op.CONSTRUCT, Op.CALL):
        return proceed(call)
    client = Client(str(endpoint), MONITOR)
    try:
        return proceed(replace(call, monitor=client))
    finally:
        client.close()


def relayed(call: Call, provider: Handler) -> Reply:
    """Call a ``provider`` behind a wire. During the call its way back is served, if something listens there."""
    if call.monitor is None or isinstance(call.monitor, status.StatusClient):
        # If nothing listens in between, the provider publishes to the engine's own address.
        return provider(call)
    field, table = (ENDPOINT, MONITOR) if call.op in (Op.CONSTRUCT, Op.CALL) else (status.ADDRESS, status.STATUS)
    with served(call, call.monitor, table) as address:
        return provider(_moved(call, field, address))


@contextmanager
def served(call: Call, monitor: Handler, table: Service = MONITOR) -> Iterator[str]:
    """The way back at an address on loopback while the block runs; requests there belong to ``call``'s session."""
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
