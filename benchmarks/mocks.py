"""Processor time of an up on the embedded engine beside ``pulumi.runtime.set_mocks``, in one process, in turns.

The clock is the process's own, so a busy machine matters little. Each pair of runs has a ratio; the median of these counts.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator

import up
from measure import Row, report

SIZES = {1000: ("1.2 x", 7), 3: ("2 x", 60)}
"""How many resources, what the engine may take, and how many rounds."""


def taken(run: Callable[[], int]) -> float:
    """Seconds of processor time of one run."""
    # What the other side has left behind is not this side's to collect.
    gc.collect()
    start = time.process_time()
    run()
    return time.process_time() - start


def rows() -> Iterator[Row]:
    """One row for each size: milliseconds of both, ours being the peer's times the median of the ratios."""
    sides = up.on_engine(), up.on_mocks()
    for count, (target, rounds) in SIZES.items():
        up.COUNT = count
        pairs = []
        for turn in range(rounds + 1):
            pair = [taken(side) for side in sides]
            # The first round loads what the others have loaded.
            if turn:
                pairs.append(pair)
        theirs = statistics.median(mocks for _, mocks in pairs) * 1000
        ratio = statistics.median(engine / mocks for engine, mocks in pairs)
        yield Row(f"up of {count:,} resources, processor time", "ms", theirs * ratio, "set_mocks", theirs, target)


if __name__ == "__main__":
    report(rows())
