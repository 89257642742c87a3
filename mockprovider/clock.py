"""Time is an argument: code that waits or dates gets a clock. The real one is at the edge (``double``)."""

from __future__ import annotations

import math
from threading import Event, RLock
from typing import Protocol


class Clock(Protocol):
    """What may be asked of time."""

    def now(self) -> float:
        """Seconds since the Unix epoch."""

    def sleep(self, seconds: float) -> None:
        """Return after ``seconds``."""

    def wait(self, seconds: float, until: Event) -> bool:
        """Return after ``seconds``, or as soon as ``until`` is set: whether it is."""

    def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass without waiting. Raises a ``ValueError`` where that cannot be."""


class StillClock:
    """A clock that moves only when someone sleeps or advances it: every stamp of a run is reproducible.

    Waits of several threads add up, since each ends at once.
    """

    def __init__(self, start: float = 0.0) -> None:
        self._now = start
        self._lock = RLock()

    def now(self) -> float:
        """Seconds since the Unix epoch, as far as this clock is concerned."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Move on by ``seconds``. Raises ``ValueError`` for less than none, and for what is no number of seconds."""
        if not (math.isfinite(seconds) and seconds >= 0):
            raise ValueError(f"A clock goes forward, and not by {seconds!r}: give seconds of at least 0.")
        with self._lock:
            self._move(seconds)

    def _move(self, seconds: float) -> None:
        self._now += seconds

    def sleep(self, seconds: float) -> None:
        """Move on by ``seconds`` without waiting."""
        self.advance(seconds)

    def wait(self, seconds: float, until: Event) -> bool:
        """Move on by ``seconds``, unless ``until`` is set already: whether it is."""
        if not until.is_set():
            self.advance(seconds)
        return until.is_set()
