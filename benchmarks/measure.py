"""What the benchmarks share: a measured row, and timing in turns, so that both sides of a ratio meet the same machine."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterable

from msgspec import Struct, to_builtins


class Row(Struct):
    """One measure of ours against one of a named peer, in the same unit, and the target (a ratio if ``unit`` is not in it)."""

    what: str
    unit: str
    ours: float
    peer: str
    theirs: float
    target: str

    @property
    def ratio(self) -> float:
        """Ours to theirs."""
        return self.ours / self.theirs


def in_turns(
    *functions: Callable[[], object], rounds: int = 60, calls: int = 100, clock: Callable[[], int] = time.perf_counter_ns
) -> list[float]:
    """Microseconds a call of each function: the median over ``rounds``, in each of which every function has its turn.

    ``clock`` gives nanoseconds: of processor time (``time.process_time_ns``), where nothing waits and the machine may be busy.
    """
    taken: list[list[float]] = [[] for _ in functions]
    for _ in range(rounds):
        for function, times in zip(functions, taken, strict=True):
            start = clock()
            for _ in range(calls):
                function()
            times.append((clock() - start) / calls / 1000)
    return [statistics.median(times) for times in taken]


def report(rows: Iterable[Row]) -> None:
    """Print rows as JSON, for ``run.py``, which starts each script in a process of its own."""
    print(json.dumps(to_builtins(list(rows))))
