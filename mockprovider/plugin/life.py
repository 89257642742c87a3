"""When this process ends: when the engine says so, when it is asked to, and when whoever started it is gone."""

from __future__ import annotations

import os
import signal
import threading

PARENT_SECONDS = 0.5
"""How often we look whether our parent still lives: no signal tells us, and an orphan would run for ever."""


class Life:
    """``wait`` returns once the process is to end.

    Pulumi ends a plugin with an interrupt. Terraform's plugins share the terminal with the engine, so Ctrl-C reaches
    them, too; the engine decides what that means, and they ignore it (reference 1.5).
    """

    def __init__(self, protocol: str) -> None:
        self._over = threading.Event()
        self._parent = os.getppid()
        signal.signal(signal.SIGTERM, self._signalled)
        signal.signal(signal.SIGINT, self._signalled if protocol == "pulumi" else signal.SIG_IGN)

    def _signalled(self, *_: object) -> None:
        self._over.set()

    def end(self, *_: object) -> None:
        """End the process soon."""
        self._over.set()

    def wait(self) -> None:
        """Block until the process is to end."""
        while not self._over.wait(PARENT_SECONDS):
            if os.getppid() != self._parent:
                return
