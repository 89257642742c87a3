"""Time is an argument: code that waits or dates gets a clock. The real one is at the edge (``double``)."""

from __future__ import annotations

from threading import Event
from typing import Protocol


class Clock(Protocol):
    """What may be asked of time."""

    def now(self) -> float:
        """Seconds since the Unix epoch."""

    def sleep(self, seconds: float) -> None:
        """Return after ``seconds``."""

    def wait(self, seconds: float, until: Event) -> bool:
        """Return after ``seconds``, or as soon as ``until`` is set: whether it is."""


class StillClock:
    """A clock that moves only when someone sleeps: every stamp of a run is reproducible."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = start

    def now(self) -> float:
        """Seconds since the Unix epoch, as far as this clock is concerned."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Move on by ``seconds`` without waiting."""
        self._now += seconds

    def wait(self, seconds: float, until: Event) -> bool:
        """Move on by ``seconds``, unless ``until`` is set already: whether it is."""
        if not until.is_set():
            self.sleep(seconds)
        return until.is_set()
