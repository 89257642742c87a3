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

from mockprovider.wire.server import serve

REQUESTS: Mapping[str, Any] = {
    "Run": language_pb2.RunRequest,
    "GetRequiredPackages": language_pb2.GetRequiredPackagesRequest,
    "GetRequiredPlugins": language_pb2.GetRequiredPluginsRequest,
    "About": language_pb2.AboutRequest,
}


class Host:
    """The SDK's language runtime for ``program``, which cleans up where the SDK abandons the event loop of a failed run."""

    def __init__(self, program: Callable[[], Any]) -> None:
        self._program = program
        self._loops: list[asyncio.AbstractEventLoop] = []
        self.server = LanguageServer(self._run_program)

    def _run_program(self) -> Any:
        self._loops.append(asyncio.get_running_loop())
        return self._program()

    def run(self, request: Any, context: Any) -> Any:
        """Answer ``Run``."""
        try:
            return self.server.Run(request, context)
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
            # The CLI has ended before the program had: nobody waits for this answer.
            return language_pb2.RunResponse()
        finally:
            for loop in self._loops:
                _close(loop)


def _close(loop: asyncio.AbstractEventLoop) -> None:
    if loop.is_closed():
        return
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    loop.close()


@contextmanager
def language_host(program: Callable[[], Any]) -> Iterator[str]:
    """Serve ``program`` as a language runtime on loopback while the block runs; gives its address."""
    host = Host(program)
    answers = {name: getattr(host.server, name) for name in REQUESTS} | {"Run": host.run}
    handlers = {
        name: grpc.unary_unary_rpc_method_handler(
            answers[name], request.FromString, lambda answer: bytes(answer.SerializeToString())
        )
        for name, request in REQUESTS.items()
    }
    with serve([], handlers=[grpc.method_handlers_generic_handler("pulumirpc.LanguageRuntime", handlers)]) as served:
        yield served.address
