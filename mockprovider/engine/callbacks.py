"""Functions of a program that the engine calls back, such as hooks: in this process, or over gRPC.

A program that runs in this process waits in its own event loop while the engine works, unless the stack is parallel. A server
in that loop, as the SDK starts one, could not answer then; so its functions are called directly.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn, Protocol

import grpc
from pulumi.runtime import _callbacks

from mockprovider.engine.outcomes import HookFailedError
from mockprovider.engine.threads import SLICE, Work
from mockprovider.wire.server import OPTIONS, OWN_CONNECTION

INVOKE = "/pulumirpc.Callbacks/Invoke"
FOREVER = float("inf")


class LocalCallbacks(Protocol):
    """Functions that are called without gRPC."""

    def serves(self, target: str) -> bool:
        """Whether this is what requests mean by ``target``."""

    def call(self, request: Any) -> Any:
        """The answer of a function to a ``CallbackInvokeRequest``. Raises ``HookFailedError``."""


class Callbacks:
    """The way to the functions of one run's program. Thread-safe.

    Args:
        over: says whether the operation was called off, so that nobody waits for an answer any more.
    """

    def __init__(self, over: Callable[[], bool] = bool) -> None:
        self._over = over
        self._lock = threading.Lock()
        self._channels: dict[str, grpc.Channel] = {}
        self.local: LocalCallbacks | None = None
        """The functions that are in this process."""

    def call(self, callback: Any, request: Any, answer: Any) -> Any:
        """What the function of ``callback`` (a ``Callback``) says to the message ``request``: a message like ``answer``.

        Raises ``HookFailedError`` where it cannot be called, or fails otherwise than by its answer.
        """
        message = _callbacks.callback_pb2.CallbackInvokeRequest(token=callback.token, request=request.SerializeToString())
        local = self.local
        if local is not None and local.serves(callback.target):
            response = local.call(message)
        else:
            response = self._over_grpc(callback.target, message)
        answer.ParseFromString(response.response)
        return answer

    def _over_grpc(self, target: str, message: Any) -> Any:
        with self._lock:
            if target not in self._channels:
                self._channels[target] = grpc.insecure_channel(target, options=(*OPTIONS, OWN_CONNECTION))
            invoke = self._channels[target].unary_unary(
                INVOKE,
                request_serializer=lambda request: bytes(request.SerializeToString()),
                response_deserializer=_callbacks.callback_pb2.CallbackInvokeResponse.FromString,
            )
        under_way = invoke.future(message)
        # In slices, so that this thread can be stopped from outside.
        while not self._over():
            try:
                return under_way.result(timeout=SLICE)
            except grpc.FutureTimeoutError:
                continue
            except grpc.RpcError as error:
                # As Go's gRPC spells its errors, which is what the real engine shows.
                raise HookFailedError(_in_go(error.code(), error.details())) from error
        under_way.cancel()  # type: ignore[no-untyped-call] # gRPC has no types for it
        raise HookFailedError("the operation was cancelled")

    def close(self) -> None:
        """End the connections."""
        with self._lock:
            for channel in self._channels.values():
                channel.close()
            self._channels.clear()


class _Refusal:
    """What a servicer is given to refuse a call with."""

    async def abort(self, code: grpc.StatusCode, details: str) -> NoReturn:
        """Raise ``HookFailedError``."""
        raise HookFailedError(_in_go(code, details))


def _in_go(code: grpc.StatusCode, details: str | None) -> str:
    name = "".join(word.capitalize() for word in code.name.split("_"))
    return f"rpc error: code = {name} desc = {details}"


Servicer: Any = _callbacks._CallbackServicer  # noqa: SLF001 - the SDK has no other place for callbacks


class ProgramCallbacks(Servicer):  # type: ignore[misc] # as above
    """The callbacks of a program in the event loop ``loop`` of this process, as the SDK keeps them, without a server."""

    def __init__(self, monitor: Any, loop: asyncio.AbstractEventLoop) -> None:
        # Not the SDK's own, which begins a server, and keeps it for good.
        self._callbacks: dict[str, Any] = {}
        self._transforms: dict[Any, str] = {}
        self._monitor = monitor
        self._target = f"this-process:{id(self)}"
        self._loop = loop
        self._thread = threading.get_ident()

    def serves(self, target: str) -> bool:
        """Whether this is what requests mean by ``target``."""
        return target == self._target

    def call(self, request: Any) -> Any:
        """Call a function: in the program's own loop, or in another one where that waits for the engine."""
        answer: Coroutine[Any, Any, Any] = self.Invoke(request, _Refusal())
        if self._loop.is_running() and threading.get_ident() != self._thread:
            under_way = asyncio.run_coroutine_threadsafe(answer, self._loop)
            while True:
                try:
                    return under_way.result(timeout=SLICE)
                except TimeoutError:
                    if under_way.done():
                        raise
        work = Work(lambda: asyncio.run(_complete(answer)))
        try:
            work.start().wait(FOREVER)
        finally:
            work.stop()
        return work.result()


async def _complete(answer: Coroutine[Any, Any, Any]) -> Any:
    """The answer, once everything else is done that its function has begun."""
    try:
        return await answer
    finally:
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others)
