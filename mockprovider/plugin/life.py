"""When a plugin process ends: when its engine or a signal says so, and when its parent is gone."""

from __future__ import annotations

import os
import select
import signal

PARENT_SECONDS = 0.5
"""Seconds between checks whether our parent still runs: no signal reports that, and an orphan would run for ever."""


class Life:
    """When a plugin process ends: ``wait`` returns once its engine, a signal or its parent's death says so.

    Some engines end a plugin with an interrupt. With others, plugins share the engine's terminal, so Ctrl-C reaches them, too;
    the engine decides what that means, and they ignore it.
    """

    def __init__(self, *, ends_on_interrupt: bool) -> None:
        # A pipe, because a signal may interrupt ``wait``: an event's lock may be held then, and a queue whose timeout runs out
        # before it begins to wait would wait for ever.
        self._over, self._ending = os.pipe()
        self._parent = os.getppid()
        signal.signal(signal.SIGTERM, self.end)
        signal.signal(signal.SIGINT, self.end if ends_on_interrupt else signal.SIG_IGN)

    def end(self, *_: object) -> None:
        """End the process soon. Safe in signal handlers."""
        os.write(self._ending, b".")

    def wait(self) -> None:
        """Block until the process is to end."""
        while os.getppid() == self._parent:
            if select.select([self._over], [], [], PARENT_SECONDS)[0]:
                return
