"""What a program's run is spared, since nobody sees it: looking for source positions, and most of the garbage collections.

The SDK for Python walks the stack at each registration to tell the engine where it is from, and reads the source lines of every
frame, which is a third of a small program's time. Python's collector looks at all the young objects after every 700 (2,000 from
3.12 on) that are new; a registration makes hundreds, and almost all of them live until the program ends. Both are settings of
the process, so they are changed with the first of the runs that overlap, and put back with the last, however it ends.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

RARER = 10
"""How many times rarer the collector looks at young objects, and so many times rarer still at all of them.

Looking at all takes longer the more there are: it was a third of the time of a program of 5,000 resources.
"""


class SparedRuns:
    """How many runs are being spared, and what puts the settings back after the last of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._restore: Callable[[], None] | None = None

    def begin(self) -> None:
        """One more."""
        with self._lock:
            self._count += 1
            self._restore = self._restore or _spared()

    def end(self) -> None:
        """One less."""
        with self._lock:
            self._count -= 1
            if self._restore is not None and not self._count:
                restore, self._restore = self._restore, None
                restore()


RUNS = SparedRuns()


@contextmanager
def sparing() -> Iterator[None]:
    """While the block runs, also in several threads, the SDK looks for no source positions, and the collector runs less often.

    Traces that another program of this process, such as one under ``set_mocks``, would ask for meanwhile are empty, too.
    """
    RUNS.begin()
    try:
        yield
    finally:
        RUNS.end()


def _spared() -> Callable[[], None]:
    """Change the settings; returns what puts them back, unless somebody else has changed them since."""
    from pulumi.runtime import resource  # noqa: PLC0415 - importing pulumi takes half a second

    sdk: Any = resource
    before = gc.get_threshold()
    rarer = (before[0] * RARER, before[1] * RARER, *before[2:])
    # A function of the SDK's own, which an older or a newer version may not have.
    trace = getattr(sdk, "_get_stack_trace", None)

    def nowhere() -> Any:
        return sdk.source_pb2.StackTrace()

    def restore() -> None:
        if gc.get_threshold() == rarer:
            gc.set_threshold(*before)
        if trace is not None and sdk._get_stack_trace is nowhere:  # noqa: SLF001 - as above
            sdk._get_stack_trace = trace  # noqa: SLF001 - as above

    gc.set_threshold(*rarer)
    if trace is not None and hasattr(sdk, "source_pb2"):
        sdk._get_stack_trace = nowhere  # noqa: SLF001 - as above
    return restore


__all__ = ["sparing"]
