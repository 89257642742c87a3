"""A Python function as a program of the real engine, without a language host's executable.

The CLI is told so with ``--client``, as Pulumi's Automation API does it for inline programs; its language runtime is private in
the SDK, and this is the one place that uses it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import grpc
from pulumi.automation._server import LanguageServer
from pulumi.runtime.proto import language_pb2

from mockprovider import loops
from mockprovider.wire.server import serve

REQUESTS: Mapping[str, Any] = {
    "Run": language_pb2.RunRequest,
    "GetRequiredPackages": language_pb2.GetRequiredPackagesRequest,
    "GetRequiredPlugins": language_pb2.GetRequiredPluginsRequest,
    "About": language_pb2.AboutRequest,
}


class Host(LanguageServer):  # type: ignore[misc]
    """The SDK's language runtime for a program, which cleans up where the SDK abandons the event loop of a failed run."""

    def Run(self, request: Any, context: Any) -> Any:  # noqa: N802 - the RPC's name
        """Run the program, and leave nothing of it behind."""
        begun: list[asyncio.AbstractEventLoop] = []

        def program() -> Any:
            begun.append(asyncio.get_running_loop())
            return self.program()

        try:
            return LanguageServer(program).Run(request, context)
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
            # The CLI has ended before the program had: nobody waits for this answer.
            return language_pb2.RunResponse()
        finally:
            for loop in begun:
                loops.end(loop)


@contextmanager
def language_host(program: Callable[[], Any]) -> Iterator[str]:
    """Serve ``program`` as a language runtime on loopback while the block runs; gives its address."""
    host = Host(program)
    handlers = {
        name: grpc.unary_unary_rpc_method_handler(
            getattr(host, name), request.FromString, lambda answer: bytes(answer.SerializeToString())
        )
        for name, request in REQUESTS.items()
    }
    with serve([], handlers=[grpc.method_handlers_generic_handler("pulumirpc.LanguageRuntime", handlers)]) as served:
        yield served.address
