"""The machine's own time, which also runs in a test that has frozen ``time``.

What processes agree on, and how long we wait for one of them, must not stand still: libraries that freeze time replace
``time.time`` and ``time.monotonic``, and leave ``clock_gettime`` alone.
"""

from __future__ import annotations

import time


def steady() -> float:
    """Seconds of a clock that never jumps: only differences mean something."""
    return time.clock_gettime(time.CLOCK_MONOTONIC)


def wall() -> float:
    """Seconds since the Unix epoch."""
    return time.clock_gettime(time.CLOCK_REALTIME)


def wall_ns() -> int:
    """Nanoseconds since the Unix epoch."""
    return time.clock_gettime_ns(time.CLOCK_REALTIME)
