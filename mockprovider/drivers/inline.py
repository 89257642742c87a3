"""A Python function as a program of the real engine, without a language host's executable.

The CLI is told so with ``--client``, as Pulumi's Automation API does it for inline programs; its language runtime is private in
the SDK, and this is the one place that uses it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import grpc
from msgspec import Struct, field
from pulumi.automation import _server
from pulumi.automation._server import LanguageServer
from pulumi.runtime import settings
from pulumi.runtime._callbacks import _CallbackServicer

from mockprovider import loops
from mockprovider.drivers.hosting import hosting
from mockprovider.pulumi.sdk import language_pb2
from mockprovider.wire.server import OWN_CONNECTION


class Begun(Struct):
    """What a run of a program has begun, and the SDK does not end in all cases."""

    loops: list[asyncio.AbstractEventLoop] = field(default_factory=list)
    channels: list[grpc.Channel] = field(default_factory=list)


class _Runs(threading.local):
    """What the run of ours in this thread has begun; ``None`` where there is none."""

    begun: Begun | None = None


RUNS = _Runs()


class _Asyncio:
    """The module ``asyncio`` for the SDK's language server, which notes the event loops that a run begins in its thread."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        """A new loop, noted while a run of ours lasts."""
        loop = asyncio.new_event_loop()
        if RUNS.begun is not None:
            RUNS.begun.loops.append(loop)
        return loop


class _Grpc:
    """The module ``grpc`` for the SDK's settings, which gives each run of ours connections of its own and notes them."""

    def __getattr__(self, name: str) -> Any:
        return getattr(grpc, name)

    def insecure_channel(self, target: str, options: Sequence[tuple[str, Any]] = ()) -> grpc.Channel:
        """A new channel to an engine.

        A channel of the SDK's shares its connection with all others of the process to the same address. One that outlives an
        engine that was killed tries to reach it for ever, after longer and longer pauses; an engine that is given the same
        port later would be unavailable until such a pause is over.
        """
        if RUNS.begun is None:
            return grpc.insecure_channel(target, options=options)
        channel = grpc.insecure_channel(target, options=(*options, OWN_CONNECTION))
        RUNS.begun.channels.append(channel)
        return channel


# The SDK does not expose its loop, and closes it only if the loop's tasks end without an error; its channels it never closes.
_server.asyncio = _Asyncio()
settings.grpc = _Grpc()


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
        begun = RUNS.begun = Begun()
        over = threading.Event()
        self._runs.append(over)
        try:
            return super().Run(request, context)
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
            # If the CLI has ended before the program, nobody waits for this answer. Whoever does may not take it for the end of
            # a program that needs nothing, since that deletes what there is.
            return language_pb2.RunResponse(error=f"The engine cannot be reached: {error.details()}")
        finally:
            RUNS.begun = None
            _end(begun)
            over.set()


def _end(begun: Begun) -> None:
    _end_callbacks(begun.loops)
    for loop in begun.loops:
        loops.end(loop)
    for channel in begun.channels:
        channel.close()


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
                loops.run(loop, _stop(server))


async def _stop(server: grpc.aio.Server) -> None:
    # A program may be broken off while it stops this itself. gRPC crashes if two do at once, or if the first is cancelled.
    under_way = [task for task in asyncio.all_tasks() if "Server.stop" in _awaited(task)]
    if under_way:
        await asyncio.wait(under_way)
    await server.stop(grace=0)


def _awaited(task: asyncio.Task[Any]) -> Iterator[str]:
    """The names of the coroutines that are under way in a task."""
    coroutine: Any = task.get_coro()
    while coroutine is not None:
        yield getattr(coroutine, "__qualname__", "")
        coroutine = getattr(coroutine, "cr_await", None)


@contextmanager
def language_host(program: Callable[[], Any]) -> Iterator[str]:
    """Serve ``program`` as a language runtime on loopback while the block runs; gives its address."""
    host = Host(program)
    try:
        with hosting(host) as address:
            yield address
    finally:
        host.settle()
