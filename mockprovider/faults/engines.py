"""The engines that faults interrupt and kill."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from mockprovider.calls import Call
from mockprovider.errors import DefinitionError


class Interruptible(Protocol):
    """An engine at work: a command line that runs, or an operation of the embedded one."""

    def interrupt(self, signal: str) -> None:
        """Ask it to stop: ``interrupt`` as Ctrl-C does, ``terminate`` as a service manager does."""

    def kill(self) -> None:
        """End it at once."""

    def lose_state(self) -> None:
        """Let it write no state any more."""


class EnginesAtWork:
    """The engines that work with a double now. The drivers and the embedded engine enter themselves."""

    def __init__(self) -> None:
        self._engines: tuple[Interruptible, ...] = ()
        self._lock = threading.Lock()

    @contextmanager
    def entered(self, engine: Interruptible) -> Iterator[None]:
        """While the block runs, ``engine`` works with the double."""
        with self._lock:
            self._engines = (*self._engines, engine)
        try:
            yield
        finally:
            with self._lock:
                self._engines = tuple(other for other in self._engines if other is not engine)

    def interrupt(self, call: Call, signal: str) -> None:
        """Interrupt the engine that asks ``call``. Raises ``DefinitionError`` where it is not known."""
        self._of(call, signal).interrupt(signal)

    def kill(self, call: Call) -> None:
        """Kill the engine that asks ``call``. Raises as ``interrupt`` does."""
        self._of(call, "kill").kill()

    def lose_state(self, call: Call) -> None:
        """Let the engine that asks ``call`` write no state any more. Raises as ``interrupt`` does."""
        self._of(call, "lose_state").lose_state()

    def _of(self, call: Call, what: str) -> Interruptible:
        engines = self._engines
        if len(engines) == 1:
            return engines[0]
        problem = "Several engines work with this double" if engines else "Nobody knows which engine asks"
        raise DefinitionError(
            f"{problem}: {call}. So {what} cannot reach it. A double knows the engines of fixtures, Stack(double), and drivers "
            "that are given it (doubles=[double])."
        )
