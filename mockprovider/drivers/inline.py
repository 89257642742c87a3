"""A Python function as a program of the real engine, without a language host's executable.

The CLI is told so with ``--client``, as Pulumi's Automation API does it for inline programs; its language runtime is private in
the SDK, and this is the one place that uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import grpc
from pulumi.automation._server import LanguageServer
from pulumi.runtime.proto import language_pb2

from mockprovider.wire.server import serve

REQUESTS: Mapping[str, Any] = {
    "Run": language_pb2.RunRequest,
    "GetRequiredPackages": language_pb2.GetRequiredPackagesRequest,
    "GetRequiredPlugins": language_pb2.GetRequiredPluginsRequest,
    "About": language_pb2.AboutRequest,
}


@contextmanager
def language_host(program: Callable[[], Any]) -> Iterator[str]:
    """Serve ``program`` as a language runtime on loopback while the block runs; gives its address."""
    host = LanguageServer(program)
    handlers = {
        name: grpc.unary_unary_rpc_method_handler(
            getattr(host, name), request.FromString, lambda answer: bytes(answer.SerializeToString())
        )
        for name, request in REQUESTS.items()
    }
    with serve([], handlers=[grpc.method_handlers_generic_handler("pulumirpc.LanguageRuntime", handlers)]) as served:
        yield served.address
