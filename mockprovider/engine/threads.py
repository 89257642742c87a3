"""Work in threads that a caller waits for: Ctrl-C interrupts it, a limit ends it, and it never keeps the process alive."""

from __future__ import annotations

import asyncio
import contextvars
import ctypes
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any, Generic, Self, TypeVar

from mockprovider.wire.pool import DaemonExecutor, Job, settle

T = TypeVar("T")

SLICE = 0.05
"""Seconds between two looks of the waiting thread, so that Ctrl-C gets through."""
ENOUGH = 100
"""Rounds of a loop in which what was raised in a thread arrives: the interpreter looks for it in the first of them."""


class StoppedFromOutsideError(KeyboardInterrupt):
    """Raised inside work that is to end: what no ordinary handler swallows, and asyncio hands on to whoever runs a loop."""


class Work(Generic[T]):
    """A function that runs in a thread of its own once it is started, with the context variables of whoever made this."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._done: Future[T] = Future()
        # Not the thread's own end: until Python 3.13, a ``join`` that Ctrl-C interrupts takes a running thread for ended.
        self._over = threading.Event()
        self._stopping = threading.Lock()
        self._stopped = False
        context = contextvars.copy_context()

        def run() -> None:
            # Not ``suppress``, which is code that can be interrupted before it protects anything.
            try:  # noqa: SIM105 - as just said
                settle(self._done, lambda: context.run(work))
            except StoppedFromOutsideError:
                pass
            try:
                with self._stopping:
                    self._over.set()
                    # What was raised and has not arrived yet arrives here, and not in the thread's own code. It is not taken
                    # back: CPython would look for it ever after, and with a tracer, such as coverage's, do nothing else.
                    for _ in range(ENOUGH if self._stopped else 0):
                        pass
            except StoppedFromOutsideError:
                pass
            self._over.set()

        self._thread = threading.Thread(target=run, name="mockprovider-engine", daemon=True)

    def start(self) -> Self:
        """Begin. Ctrl-C may interrupt this when the work has begun already."""
        self._thread.start()
        return self

    def wait(self, seconds: float, unless: threading.Event | None = None) -> bool:
        """Wait for the end, ``seconds`` at most, or until ``unless`` is set; Ctrl-C interrupts it. Returns whether it came."""
        seconds_left = seconds
        while seconds_left > 0 and not self._over.wait(min(SLICE, seconds_left)) and not (unless and unless.is_set()):
            seconds_left -= SLICE
        return self._over.is_set()

    def stop(self) -> None:
        """Raise inside the work as soon as it runs Python code again. One that hangs outside of Python code is abandoned."""
        with self._stopping:
            if self._over.is_set():
                return
            self._stopped = True
            # A thread cannot be ended from outside in any other way.
            thread, error = ctypes.c_ulong(self._thread.ident or 0), ctypes.py_object(StoppedFromOutsideError)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, error)

    def result(self) -> T:
        """What the work returned; what it raised is raised here."""
        return self._done.result(timeout=0)


class InlineExecutor(ThreadPoolExecutor):
    """Carries out what it is given before ``submit`` returns, in the caller's thread: one thing at a time, in order.

    While what it carries out waits for the loop in ``deferring``, what else is given waits for its end, or until the loop
    has nothing else to do: then the one waits for the other.
    """

    def __init__(self) -> None:
        super().__init__(1)
        self._later: deque[Job] = deque()
        self._deferring = 0
        self._scheduled = False
        self._loop: asyncio.AbstractEventLoop | None = None

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call ``fn`` now, or later, in order."""
        future: Future[Any] = Future()
        if self._deferring or self._later:
            self._later.append((future, partial(fn, *args, **kwargs)))
            self._schedule()
            return future
        self._carry_out(future, partial(fn, *args, **kwargs))
        return future

    def _carry_out(self, future: Future[Any], work: Callable[[], Any]) -> None:
        try:
            future.set_result(work())
        except Exception as error:  # noqa: BLE001 - it belongs to whoever asks for the result
            future.set_exception(error)

    @contextmanager
    def deferring(self, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        """While the block runs, it waits for ``loop``, whose thread this is."""
        self._loop = loop
        self._deferring += 1
        try:
            yield
        finally:
            self._deferring -= 1

    def _schedule(self) -> None:
        if self._loop is not None and not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._go_on)

    def _go_on(self) -> None:
        self._scheduled = False
        if not self._later:
            return
        busy: Any = self._loop
        # As the SDK does, this looks into the loop: it has no public way to say that it has nothing else to do.
        if not (self._deferring and busy._ready):  # noqa: SLF001 - as just said
            self._carry_out(*self._later.popleft())
        if self._later:
            self._schedule()


def executor(workers: int) -> ThreadPoolExecutor:
    """What carries out steps: in order and in the caller's thread for one worker, in threads for more."""
    return InlineExecutor() if workers == 1 else DaemonExecutor(workers)
