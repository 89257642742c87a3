"""The machine's own time."""

from __future__ import annotations

import threading
import time

from mockprovider.durations import DAY
from mockprovider.errors import DefinitionError
from mockprovider.wire.machine import wall


class RealClock:
    """The machine's own time, as a ``Clock``."""

    def now(self) -> float:
        """Seconds since the Unix epoch."""
        return wall()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)

    def wait(self, seconds: float, until: threading.Event) -> bool:
        """Wait, until the event at the most: whether it is set."""
        return until.wait(seconds)

    def advance(self, seconds: float) -> None:
        """Raise ``DefinitionError``: nobody can."""
        raise DefinitionError(
            f"The machine's time cannot be advanced by {seconds:g} s. Give the double another clock: "
            "provider.clock = StillClock(), from mockprovider.clock."
        )


class CalendarClock(RealClock):
    """The machine's time, of which only the day is told (UTC): two recordings of one day and one run are equal files."""

    def now(self) -> float:
        """When the day began, in seconds since the Unix epoch."""
        return wall() // DAY * DAY
