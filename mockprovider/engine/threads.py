"""Work in threads that a caller waits for: Ctrl-C interrupts it, a limit ends it, and it never keeps the process alive."""

from __future__ import annotations

import contextvars
import ctypes
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, Self, TypeVar

from mockprovider.wire.pool import DaemonExecutor, settle

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
    """Carries out what it is given before ``submit`` returns, in the caller's thread: one thing at a time, in order."""

    def __init__(self) -> None:
        super().__init__(1)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call ``fn`` now."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - it belongs to whoever asks for the result
            future.set_exception(error)
        return future


def executor(workers: int) -> ThreadPoolExecutor:
    """What carries out steps: in order and in the caller's thread for one worker, in threads for more."""
    return InlineExecutor() if workers == 1 else DaemonExecutor(workers)
