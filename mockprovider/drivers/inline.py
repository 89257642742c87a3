"""A Python function as a program of the real engine, without a language host's executable.

The CLI is told so with ``--client``, as Pulumi's Automation API does it for inline programs; its language runtime is private in
the SDK, and this is the one place that uses it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import grpc
from pulumi.automation import _server
from pulumi.automation._server import LanguageServer
from pulumi.runtime._callbacks import _CallbackServicer
from pulumi.runtime.proto import language_pb2

from mockprovider import loops
from mockprovider.wire.server import serve

REQUESTS: Mapping[str, Any] = {
    "Run": language_pb2.RunRequest,
    "GetRequiredPackages": language_pb2.GetRequiredPackagesRequest,
    "GetRequiredPlugins": language_pb2.GetRequiredPluginsRequest,
    "About": language_pb2.AboutRequest,
}


class _Noting(threading.local):
    """The module ``asyncio`` for the SDK's language server, which notes the event loops that a run begins in its thread."""

    begun: list[asyncio.AbstractEventLoop] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        """A new loop, noted while a run of ours lasts."""
        loop = asyncio.new_event_loop()
        if self.begun is not None:
            self.begun.append(loop)
        return loop


NOTING = _Noting()
# The SDK does not expose its loop, and closes it only if the loop's tasks end without an error.
_server.asyncio = NOTING


SECONDS = 10.0
"""A program whose engine has ended notices it at its next call; one that calls nothing any more is not waited for."""


class Host(LanguageServer):  # type: ignore[misc]
    """The SDK's language runtime for a program, which cleans up where the SDK abandons the event loop of a failed run."""

    def __init__(self, program: Callable[[], Any]) -> None:
        super().__init__(program)
        self._runs: list[threading.Event] = []

    def settle(self) -> None:
        """Wait for the runs that go on although the CLI has ended, so that none reaches into what comes after."""
        for over in self._runs:
            over.wait(SECONDS)

    def Run(self, request: Any, context: Any) -> Any:  # noqa: N802 - the RPC's name
        """Run the program, and leave nothing of it behind."""
        begun = NOTING.begun = []
        over = threading.Event()
        self._runs.append(over)
        try:
            return super().Run(request, context)
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
            # The CLI ended before the program, so nobody waits for this answer.
            return language_pb2.RunResponse()
        finally:
            NOTING.begun = None
            _end_callbacks(begun)
            for loop in begun:
                loops.end(loop)
            over.set()


def _end_callbacks(begun: Collection[asyncio.AbstractEventLoop]) -> None:
    """End what served hooks and transforms of a program whose loops these were.

    The SDK keeps them for good: each later program of this process would stop them again, in another loop, and fail.
    """
    servicers = _CallbackServicer._servicers  # noqa: SLF001 - the SDK has no way to ask for them
    for servicer in tuple(servicers):
        server = servicer._server  # noqa: SLF001 - nor to end one of them
        loop = server._loop  # noqa: SLF001 - nor to know whose it is
        if loop in begun:
            servicers.remove(servicer)
            if not loop.is_closed():
                loop.run_until_complete(server.stop(grace=0))


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
    try:
        with serve([], handlers=[grpc.method_handlers_generic_handler("pulumirpc.LanguageRuntime", handlers)]) as served:
            yield served.address
    finally:
        host.settle()
