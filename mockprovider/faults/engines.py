"""The engines that faults interrupt, kill, and keep waiting."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

from msgspec import Struct

from mockprovider.calls import Call
from mockprovider.errors import DefinitionError

MOST_HELD = 1000
MOST_SAID = 5


class Interruptible(Protocol):
    """An engine at work: a command line that runs, or an operation of the embedded one."""

    def interrupt(self, signal: str) -> None:
        """Ask it to stop: ``interrupt`` as Ctrl-C does, ``terminate`` as a service manager does."""

    def kill(self) -> None:
        """End it at once."""

    def lose_state(self) -> None:
        """Let it write no state any more."""


class Held(Struct):
    """A call that hangs because of a rule; ``over`` once somebody has ended it."""

    call: Call
    rule: str
    over: bool = False

    def __str__(self) -> str:
        call = self.call
        about = " ".join(word for word in (call.op.value, call.type, call.name or call.address or call.id) if word)
        return f"{about} {'hung' if self.over else 'hangs'}, by provider.faults.{self.rule}"


class EnginesAtWork:
    """The engines that work with a double now. The drivers and the embedded engine enter themselves."""

    def __init__(self, doubt: Callable[[Iterable[str]], None] = lambda _: None) -> None:
        self.doubt = doubt
        """Hears that engines remember other things than they were told, and the ids that they know besides."""
        self._forgetful = False
        self._engines: tuple[Interruptible, ...] = ()
        self.held: list[Held] = []
        """The calls that faults have kept without an answer, also those that somebody has ended."""
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
                forgetful, self._forgetful = self._forgetful, False
            if forgetful:
                self.doubt(())

    @contextmanager
    def holding(self, call: Call, rule: str) -> Iterator[None]:
        """While the block runs, ``call`` hangs because of ``rule``."""
        held = Held(call, rule)
        with self._lock:
            # As many are kept as anybody reads.
            self.held = [*self.held[-MOST_HELD:], held]
        try:
            yield
        finally:
            held.over = True

    @property
    def hanging(self) -> str:
        """What hangs now, as the end of a message; empty where nothing does."""
        lines = [str(held) for held in self.held if not held.over]
        more = f"\nand {len(lines) - MOST_SAID} more." if len(lines) > MOST_SAID else ""
        return "".join(f"\n{line}." for line in lines[:MOST_SAID]) + more

    def interrupt(self, call: Call, signal: str) -> None:
        """Interrupt the engine that asks ``call``. Raises ``DefinitionError`` where it is not known."""
        self._of(call, signal).interrupt(signal)

    def kill(self, call: Call) -> None:
        """Kill the engine that asks ``call``. Raises as ``interrupt`` does."""
        self._of(call, "kill").kill()
        self.forget()

    def lose_state(self, call: Call) -> None:
        """Let the engine that asks ``call`` write no state any more. Raises as ``interrupt`` does."""
        self._of(call, "lose_state").lose_state()
        self.forget()

    def forget(self) -> None:
        """The engine at work will not remember all that it is told: its state is not written."""
        self._forgetful = True

    def _of(self, call: Call, what: str) -> Interruptible:
        engines = self._engines
        if len(engines) == 1:
            return engines[0]
        problem = "Several engines work with this double" if engines else "Nobody knows which engine asks"
        raise DefinitionError(
            f"{problem}: {call}. So {what} cannot reach it. A double knows the engines of fixtures, Stack(double), and drivers "
            "that are given it (doubles=[double])."
        )
