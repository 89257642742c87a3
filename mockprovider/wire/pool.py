"""A pool of threads that never keep the process alive, so that a call that hangs for ever cannot either."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
Job: TypeAlias = tuple[Future[Any], Callable[[], Any]]


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


def sheltered(work: Callable[[], T]) -> T:
    """What ``work`` returns, done out of the reach of Ctrl-C, which comes to the main thread alone and is heard while it waits.

    In the midst of gRPC it would break off what is then waited for without end; in one of gRPC's finalizers it would be lost.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    future: Future[T] = Future()
    threading.Thread(target=settle, args=(future, work), daemon=True, name="mockprovider-sheltered").start()
    return settled(future)


class DaemonExecutor(ThreadPoolExecutor):
    """Starts a thread whenever none is free, up to ``workers``, so that no job waits behind one that hangs.

    The thread that has been free for the shortest time is next: it is still warm, however many a burst of jobs has started.
    It is a ``ThreadPoolExecutor`` for those who ask for one, and shares nothing else with it.
    """

    def __init__(self, workers: int, name: str = "mockprovider-step") -> None:
        super().__init__(workers)
        self._most, self._name = workers, name
        self._workers: list[threading.Thread] = []
        # Not a condition: to wake a thread by one costs several turns of the interpreter's lock, each of which may take its
        # whole switch interval.
        self._free: list[SimpleQueue[Job | None]] = []
        """What wakes each thread that has nothing to do."""
        self._waiting: deque[Job] = deque()
        """What no thread can be had for."""
        self._over = False
        self._lock = threading.Lock()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have ``fn`` called by one of the threads. Raises ``RuntimeError`` after ``shutdown``."""
        future: Future[Any] = Future()
        job = future, lambda: fn(*args, **kwargs)
        with self._lock:
            if self._over:
                raise RuntimeError("The pool was shut down, and takes no work any more.")
            if self._free:
                self._free.pop().put(job)
            elif len(self._workers) < self._most:
                self._start(job)
            else:
                self._waiting.append(job)
        return future

    def _start(self, job: Job) -> None:
        jobs: SimpleQueue[Job | None] = SimpleQueue()
        jobs.put(job)
        worker = threading.Thread(target=self._serve, args=(jobs,), daemon=True, name=f"{self._name}_{len(self._workers)}")
        self._workers.append(worker)
        worker.start()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the threads once they have done what was submitted, or what they do; wait for that unless told not to."""
        with self._lock:
            self._over = True
            if cancel_futures:
                for future, _ in self._waiting:
                    future.cancel()
                self._waiting.clear()
            for jobs in self._free:
                jobs.put(None)
            self._free.clear()
        if wait:
            self.join(None)

    def join(self, seconds: float | None) -> None:
        """Wait until the threads have ended after ``shutdown``, ``seconds`` in all at most."""
        for worker in self._workers:
            worker.join(seconds)
            if worker.is_alive():
                return

    def _serve(self, jobs: SimpleQueue[Job | None]) -> None:
        while self._does_a_job(jobs):
            self._next(jobs)

    def _does_a_job(self, jobs: SimpleQueue[Job | None]) -> bool:
        # In a call of its own, so that nothing holds on to what a job was about while the next is waited for.
        if (job := jobs.get()) is None:
            return False
        settle(*job)
        return True

    def _next(self, jobs: SimpleQueue[Job | None]) -> None:
        with self._lock:
            if self._waiting:
                jobs.put(self._waiting.popleft())
            elif self._over:
                jobs.put(None)
            else:
                self._free.append(jobs)


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
