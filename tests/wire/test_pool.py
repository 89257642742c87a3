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
