"""The small part of ``pulumirpc.Engine`` that a provider started by us needs: what it logs reaches the engine's user."""

from __future__ import annotations

from typing import Any

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import engine_pb2

from mockprovider.calls import EnginePort
from mockprovider.wire.server import Served, serve

SEVERITIES = {number: name.lower() for name, number in engine_pb2.LogSeverity.items()}


def serve_engine(port: EnginePort | None) -> Served:
    """An engine service on loopback whose ``Log`` speaks to ``port``; without one, logs are dropped."""

    def log(request: Any, _: grpc.ServicerContext) -> Any:
        if port is not None:
            port.log(SEVERITIES.get(request.severity, "info"), request.message, request.urn)
        return empty_pb2.Empty()

    handler = grpc.method_handlers_generic_handler(
        "pulumirpc.Engine",
        {"Log": grpc.unary_unary_rpc_method_handler(log, engine_pb2.LogRequest.FromString, empty_pb2.Empty.SerializeToString)},
    )
    return serve([], handlers=[handler])
