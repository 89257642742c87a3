"""A pool of threads that never keep the process alive, so that a call that hangs for ever cannot either."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


STEP = 0.5
"""Seconds for which is waited at a time."""


def settled(future: Future[T]) -> T:
    """What a future comes to, waited for in steps.

    A signal that arrives just before a wait begins is heard when that wait ends: with one long wait, Ctrl-C would be lost.
    """
    while True:
        try:
            return future.result(STEP)
        except TimeoutError:
            if future.done():
                return future.result()


class DaemonExecutor(ThreadPoolExecutor):
    """Starts a thread whenever none is free, up to ``workers``, so that no job waits behind one that hangs.

    It is a ``ThreadPoolExecutor`` for those who ask for one, and shares nothing else with it.
    """

    def __init__(self, workers: int, name: str = "mockprovider-step") -> None:
        super().__init__(workers)
        self._most, self._name = workers, name
        self._jobs: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._workers: list[threading.Thread] = []
        self._free = 0
        self._over = False
        self._changed = threading.Condition()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have ``fn`` called by one of the threads. Raises ``RuntimeError`` after ``shutdown``."""
        future: Future[Any] = Future()
        with self._changed:
            if self._over:
                raise RuntimeError("The pool was shut down, and takes no work any more.")
            self._jobs.append((future, lambda: fn(*args, **kwargs)))
            if len(self._jobs) > self._free and len(self._workers) < self._most:
                worker = threading.Thread(target=self._serve, daemon=True, name=f"{self._name}_{len(self._workers)}")
                self._workers.append(worker)
                worker.start()
            self._changed.notify()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the threads once they have done what was submitted, or what they do; wait for that unless told not to."""
        with self._changed:
            self._over = True
            for future, _ in self._jobs if cancel_futures else ():
                future.cancel()
            if cancel_futures:
                self._jobs.clear()
            self._changed.notify_all()
        if wait:
            self.join(None)

    def join(self, seconds: float | None) -> None:
        """Wait until the threads have ended after ``shutdown``, ``seconds`` in all at most."""
        for worker in self._workers:
            worker.join(seconds)
            if worker.is_alive():
                return

    def _serve(self) -> None:
        while self._does_a_job():
            continue

    def _does_a_job(self) -> bool:
        # In a call of its own, so that nothing holds on to what a job was about while the next is waited for.
        if (job := self._take()) is None:
            return False
        settle(*job)
        return True

    def _take(self) -> tuple[Future[Any], Callable[[], Any]] | None:
        with self._changed:
            while not self._jobs:
                if self._over:
                    return None
                self._free += 1
                self._changed.wait()
                self._free -= 1
            return self._jobs.popleft()


def settle(future: Future[Any], work: Callable[[], Any]) -> None:
    """Do the work, and settle the future with what it returns or raises; nothing is done for one that was cancelled."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:  # noqa: BLE001 - it belongs to whoever asks for the result
        future.set_exception(error)
    else:
        future.set_result(result)
