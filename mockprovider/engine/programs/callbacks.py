"""Functions of a program that the engine calls back (transforms): over gRPC where the program serves them, or in this process.

Import this module late: it imports the ``pulumi`` package, which takes half a second.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, NoReturn, Protocol

import grpc
from google.protobuf.message import DecodeError
from pulumi.runtime import _callbacks
from pulumi.runtime.sync_await import _sync_await

from mockprovider.engine.outcomes import CallbackFailedError
from mockprovider.engine.threads import SLICE, InlineExecutor, Work
from mockprovider.pulumi.errors import rpc_error
from mockprovider.wire.pool import settle, settled
from mockprovider.wire.server import OPTIONS, OWN_CONNECTION

INVOKE = "/pulumirpc.Callbacks/Invoke"
Job = tuple[Any, Future[Any]]


class LocalCallbacks(Protocol):
    """Functions that are called without gRPC."""

    def serves(self, target: str) -> bool:
        """Whether this is what requests mean by ``target``."""

    def call(self, request: Any) -> Any:
        """The answer of a function to a ``CallbackInvokeRequest``. Raises ``CallbackFailedError``."""

    def attended(self, work: Callable[[], Any]) -> Any:
        """What ``work`` returns, during which others may call these functions."""


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

        Raises ``CallbackFailedError`` where it cannot be called, fails, or answers something else.
        """
        message = _callbacks.callback_pb2.CallbackInvokeRequest(token=callback.token, request=request.SerializeToString())
        local = self.local
        here = local is not None and local.serves(callback.target)
        response = local.call(message) if local and here else self._over_grpc(callback.target, message)
        try:
            answer.ParseFromString(response.response)
        except DecodeError as error:
            raise CallbackFailedError(f"unmarshaling {answer.DESCRIPTOR.name}: proto: {error}") from error
        return answer

    def attended(self, work: Callable[[], Any]) -> Any:
        """What ``work`` returns, during which others may register resources for the program."""
        return self.local.attended(work) if self.local else work()

    def _over_grpc(self, target: str, message: Any) -> Any:
        with self._lock:
            if target not in self._channels:
                self._channels[target] = grpc.insecure_channel(target, options=(*OPTIONS, OWN_CONNECTION))
            invoke = self._channels[target].unary_unary(
                INVOKE,
                request_serializer=lambda request: bytes(request.SerializeToString()),
                response_deserializer=_callbacks.callback_pb2.CallbackInvokeResponse.FromString,
            )
        under_way: Any = invoke.future(message)
        # In slices, so that this thread can be stopped from outside.
        while not self._over():
            try:
                return under_way.result(timeout=SLICE)
            except grpc.FutureTimeoutError:
                continue
            except grpc.RpcError as error:
                failed: Any = error
                raise CallbackFailedError(rpc_error(failed.code().value[0], failed.details())) from error
        under_way.cancel()
        raise CallbackFailedError("the operation was cancelled")

    def close(self) -> None:
        """End the connections."""
        with self._lock:
            for channel in self._channels.values():
                channel.close()
            self._channels.clear()


class FunctionsByToken(dict[str, Any]):
    """Functions by token, each with the context that it was registered in: the SDK's settings are in it."""

    def __init__(self) -> None:
        super().__init__()
        self.contexts: dict[str, contextvars.Context] = {}

    def __setitem__(self, token: str, function: Any) -> None:
        """Register one."""
        self.contexts[token] = contextvars.copy_context()
        super().__setitem__(token, function)

    def context(self, token: str) -> contextvars.Context:
        """A context to call one in."""
        return self.contexts.get(token, contextvars.Context()).copy()


class Refusal:
    """What the SDK is given as a server's context, to refuse a call with."""

    async def abort(self, code: grpc.StatusCode, details: str) -> NoReturn:
        """Raise ``CallbackFailedError``."""
        raise CallbackFailedError(rpc_error(code.value[0], details))


class ProgramCallbacks(_callbacks._CallbackServicer):  # type: ignore[misc] # noqa: SLF001 - the SDK has no other place for them
    """The functions of a program that runs in the event loop ``loop`` of this process, as the SDK keeps them, without a server.

    A server in that loop could not answer while the loop waits for the very registration that calls back. So the functions are
    called in the loop itself, by whoever waits in its thread. Make this in that thread.

    Args:
        monitor: where the SDK registers transforms.
        loop: the program's.
        workers: what carries out the program's calls; an ``InlineExecutor`` does it in the loop's own thread.
    """

    def __init__(self, monitor: Any, loop: asyncio.AbstractEventLoop, workers: Any) -> None:
        # Not the SDK's own, which begins a server, and keeps it for good.
        self._callbacks = FunctionsByToken()
        self._transforms: dict[Any, str] = {}
        self._monitor = monitor
        self._target = f"this-process:{id(self)}"
        self._loop = loop
        self._workers = workers if isinstance(workers, InlineExecutor) else None
        self._thread = threading.get_ident()
        self._attending: list[SimpleQueue[Job | None]] = []

    def serves(self, target: str) -> bool:
        """Whether this is what requests mean by ``target``."""
        return target == self._target

    def call(self, request: Any) -> Any:
        """Answer a ``CallbackInvokeRequest``, in whatever thread this is called. Raises ``CallbackFailedError``."""
        if threading.get_ident() == self._thread:
            return self._in_loop(request)
        if self._attending:
            future: Future[Any] = Future()
            self._attending[-1].put((request, future))
            return settled(future)
        start = self._callbacks.context(request.token).run
        return settled(start(asyncio.run_coroutine_threadsafe, self.Invoke(request, Refusal()), self._loop))

    def _in_loop(self, request: Any) -> Any:
        task = self._loop.create_task(self.Invoke(request, Refusal()), context=self._callbacks.context(request.token))
        if self._workers is None:
            return _sync_await(task)
        with self._workers.deferring(self._loop):
            return _sync_await(task)

    def attended(self, work: Callable[[], Any]) -> Any:
        """What ``work`` returns. The loop's thread has another do it, and answers meanwhile those that call back."""
        if threading.get_ident() != self._thread or not self._callbacks:
            return work()
        jobs: SimpleQueue[Job | None] = SimpleQueue()

        def working() -> Any:
            try:
                return work()
            finally:
                jobs.put(None)

        self._attending.append(jobs)
        under_way = Work(working)
        try:
            under_way.start()
            while not under_way.wait(0) or not jobs.empty():
                self._answer(jobs)
        finally:
            under_way.stop()
            self._attending.remove(jobs)
        return under_way.result()

    def _answer(self, jobs: SimpleQueue[Job | None]) -> None:
        try:
            # In slices, so that this thread can be stopped from outside.
            job = jobs.get(timeout=SLICE)
        except Empty:
            return
        if job is not None:
            request, future = job
            settle(future, lambda: self._in_loop(request))
