"""``pulumirpc.Engine`` from a provider's side: its log reaches the engine's user."""

from __future__ import annotations

import logging
from typing import Any

import grpc
from google.protobuf import empty_pb2
from google.protobuf.message_factory import GetMessageClass

from mockprovider.calls import EnginePort, Op
from mockprovider.pulumi.methods import make_method
from mockprovider.pulumi.sdk import engine_pb2
from mockprovider.pulumi.table import Row
from mockprovider.wire.methods import Service
from mockprovider.wire.server import OPTIONS, OWN_CONNECTION, Served, serve

SERVICE = "pulumirpc.Engine"
SEVERITIES = {number: name.lower() for name, number in engine_pb2.LogSeverity.items()}
SECONDS = 5.0
"""The timeout of a line of log; an engine that takes longer has ended, or is about to."""

LOG = logging.getLogger("mockprovider")


def _service() -> Service:
    rpc = engine_pb2.DESCRIPTOR.services_by_name["Engine"].methods_by_name["Log"]
    messages = GetMessageClass(rpc.input_type), GetMessageClass(rpc.output_type)
    row = make_method("Log", Row(op=Op.LOG, engine_ward=True), *messages)
    return Service(SERVICE, {"Log": (*messages, False)}, {"Log": row})


LOGGING = _service()
"""The RPCs of ``pulumirpc.Engine`` that providers use, as a table."""


class EngineClient:
    """The engine at ``address``, as a way back for a provider's log."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._channel = grpc.insecure_channel(address, options=(*OPTIONS, OWN_CONNECTION))
        self._log = self._channel.unary_unary(
            f"/{SERVICE}/Log", engine_pb2.LogRequest.SerializeToString, empty_pb2.Empty.FromString
        )

    def log(self, severity: str, message: str, urn: str = "") -> None:
        """Show ``message`` to the engine's user. If the engine has ended, a line in our own log says so."""
        request = engine_pb2.LogRequest(severity=engine_pb2.LogSeverity.Value(severity.upper()), message=message, urn=urn)
        try:
            self._log(request, timeout=SECONDS)
        except grpc.RpcError as error:
            LOG.warning("The engine at %s did not take a line of log: %s", self.address, error)

    def close(self) -> None:
        """Close the connection."""
        self._channel.close()


class _Onward(grpc.GenericRpcHandler):  # type: ignore[type-arg, misc, unused-ignore]
    """Forwards all other requests of a provider to the engine unchanged."""

    def __init__(self, channel: grpc.Channel) -> None:
        self._channel = channel

    def service(self, handler_call_details: Any) -> Any:
        path = handler_call_details.method
        if not path.startswith(f"/{SERVICE}/"):
            return None

        def forward(data: bytes, context: grpc.ServicerContext) -> bytes:
            try:
                answer: bytes = self._channel.unary_unary(path, None, None)(data)
            except grpc.RpcError as error:
                context.abort(error.code(), error.details() or "")
            return answer

        return grpc.unary_unary_rpc_method_handler(forward)


class EngineServer:
    """An engine service on loopback for a provider that we started.

    Its ``Log`` goes to ``port``, if there is one. Anything else is forwarded to the engine at ``onward``, if there is one.
    """

    def __init__(self, port: EnginePort | None, onward: str = "") -> None:
        self._port = port
        self._channel = grpc.insecure_channel(onward, options=(*OPTIONS, OWN_CONNECTION)) if onward else None
        log = grpc.unary_unary_rpc_method_handler(
            self._log, engine_pb2.LogRequest.FromString, empty_pb2.Empty.SerializeToString
        )
        handlers: list[Any] = [grpc.method_handlers_generic_handler(SERVICE, {"Log": log})]
        self._served: Served = serve([], handlers=[*handlers, *([_Onward(self._channel)] if self._channel else [])])

    def _log(self, request: Any, _: grpc.ServicerContext) -> Any:
        if self._port is not None:
            self._port.log(SEVERITIES.get(request.severity, "info"), request.message, request.urn)
        return empty_pb2.Empty()

    @property
    def address(self) -> str:
        """``host:port``."""
        return self._served.address

    def stop(self) -> None:
        """Stop serving."""
        self._served.stop()
        if self._channel is not None:
            self._channel.close()
