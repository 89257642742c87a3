"""What a pool's work comes to is waited for in steps, so that a signal is heard."""

from __future__ import annotations

import threading
from concurrent.futures import Future

import pytest

from mockprovider.wire import pool


class Patient(Future[int]):
    """A future that settles at the third time it is asked, and keeps how long each wait was to be."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float | None] = []

    def result(self, timeout: float | None = None) -> int:
        self.waits.append(timeout)
        if len(self.waits) == 3:
            self.set_result(7)
        return super().result(0)


def test_no_wait_is_endless() -> None:
    """A future is waited for as long as it takes, in waits that end: a signal that came before one is heard after it."""
    future = Patient()
    assert pool.settled(future) == 7
    assert future.waits == [pool.STEP] * 3


@pytest.mark.parametrize("error", [TimeoutError("the provider's own"), KeyError("x")])
def test_what_the_work_raised_comes_up(error: Exception) -> None:
    """An error of the work is its own, also if it says that something else timed out."""
    executor = pool.DaemonExecutor(1)

    def fail() -> None:
        raise error

    with pytest.raises(type(error)) as raised:
        pool.settled(executor.submit(fail))
    executor.shutdown()
    assert raised.value is error


def test_the_work_may_take_longer_than_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not done after a step is waited for further."""
    monkeypatch.setattr(pool, "STEP", 0.001)
    executor, going, gone = pool.DaemonExecutor(1), threading.Event(), threading.Event()

    def work() -> str:
        going.set()
        gone.wait(60)
        return "done"

    future = executor.submit(work)
    assert going.wait(60)
    threading.Timer(0.02, gone.set).start()
    assert pool.settled(future) == "done"
    executor.shutdown()


def all_free(executor: pool.DaemonExecutor, count: int) -> None:
    """Wait until so many threads have nothing to do: a thread is free a moment after its job is done."""
    for _ in range(6000):
        if len(executor._free) == count:
            return
        threading.Event().wait(0.01)
    pytest.fail(f"{len(executor._free)} threads are free, and not {count}")


def test_a_warm_thread_is_next() -> None:
    """After a burst of jobs, one job after the other is done by one thread, and not by all of them in turn."""
    executor, together = pool.DaemonExecutor(8), threading.Barrier(5)
    for future in [executor.submit(together.wait, 60) for _ in range(5)]:
        future.result(60)
    names = set()
    for _ in range(20):
        all_free(executor, 5)
        names.add(executor.submit(lambda: threading.current_thread().name).result(60))
    executor.shutdown()
    assert len(names) == 1


@pytest.mark.parametrize("cancelled", [False, True])
def test_more_jobs_than_threads(cancelled: bool) -> None:
    """What no thread is left for waits its turn, also where the pool is shut down meanwhile, unless that cancels it."""
    executor, begun, over = pool.DaemonExecutor(1), threading.Event(), threading.Event()

    def work() -> bool:
        begun.set()
        return over.wait(60)

    first, second = executor.submit(work), executor.submit(lambda: "second")
    assert begun.wait(60)
    executor.shutdown(wait=False, cancel_futures=cancelled)
    with pytest.raises(RuntimeError, match="shut down"):
        executor.submit(work)
    over.set()
    assert first.result(60)
    assert (second.cancelled() or second.result(60)) == (cancelled or "second")
    executor.join(60)
    assert not any(worker.is_alive() for worker in executor._workers)
