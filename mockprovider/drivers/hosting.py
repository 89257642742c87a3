"""Language runtimes of ours for the real engine, which is told of them with ``--client`` as Pulumi's Automation API does it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import grpc

from mockprovider.pulumi.sdk import language_pb2
from mockprovider.wire.server import serve

REQUESTS: Mapping[str, Any] = {
    "Run": language_pb2.RunRequest,
    "GetRequiredPackages": language_pb2.GetRequiredPackagesRequest,
    "GetRequiredPlugins": language_pb2.GetRequiredPluginsRequest,
    "About": language_pb2.AboutRequest,
}


@contextmanager
def hosting(host: Any) -> Iterator[str]:
    """Serve ``host``, which has a method for each RPC, on loopback while the block runs; gives its address."""
    handlers = {
        name: grpc.unary_unary_rpc_method_handler(
            getattr(host, name), request.FromString, lambda answer: bytes(answer.SerializeToString())
        )
        for name, request in REQUESTS.items()
    }
    with serve([], handlers=[grpc.method_handlers_generic_handler("pulumirpc.LanguageRuntime", handlers)]) as served:
        yield served.address


def client(address: str) -> tuple[str, ...]:
    """The CLI's flags for a program whose language runtime is there."""
    return (f"--client={address}", "--exec-kind=auto.inline")
