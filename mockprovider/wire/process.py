"""Processes that we start: read line by line, never blocked by their own output, and always ended by their handle."""

from __future__ import annotations

import logging
import os
import queue
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Self

from mockprovider.calls import STATUS_NAMES, Reply
from mockprovider.errors import PluginError
from mockprovider.wire.machine import steady
from mockprovider.wire.owned import OwnedProcess

TAIL = 40
"""How many of the last lines of output are kept, to explain a death."""

LOG = logging.getLogger("mockprovider")
UNAVAILABLE = STATUS_NAMES.index("unavailable")

DEATH_SECONDS = 1.0
"""Seconds that a process may take to exit after its connection has ended."""

POLL_SECONDS = 0.5
"""How often it is looked whether a process that prints nothing has ended."""

GRACE_SECONDS = 5.0
"""What Pulumi's engine gives a plugin between the interrupt and the kill."""


class Process:
    """A running program that ends with us, in a session of its own, so that a terminal's Ctrl-C does not reach it.

    ``env`` are additions to our environment; ``None`` takes a variable out. Raises ``PluginError`` if it cannot be started.
    """

    def __init__(
        self, command: Sequence[str], *, env: Mapping[str, str | None] | None = None, cwd: Path | str | None = None
    ) -> None:
        self.command = list(command)
        try:
            self._process = OwnedProcess(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={name: value for name, value in {**os.environ, **(env or {})}.items() if value is not None},
                cwd=cwd,
                text=True,
                errors="replace",
            )
        except OSError as error:
            raise PluginError(f"Cannot start {self.command[0]!r}: {error.strerror}. Is it on PATH, and executable?") from error
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._tail: deque[str] = deque(maxlen=TAIL)
        self._readers = [
            threading.Thread(target=self._read, args=(self._process.stdout, True), daemon=True),
            threading.Thread(target=self._read, args=(self._process.stderr, False), daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def _read(self, stream: IO[str], lines: bool) -> None:
        # Only who reads it may close it: that waits for a read, which what the command left in another session may let wait.
        with stream:
            for line in stream:
                self._tail.append(line.rstrip("\n"))
                if lines:
                    self._lines.put(line.rstrip("\n"))
        if lines:
            self._lines.put(None)

    def line(self, seconds: float) -> str:
        """The next line of standard output. Raises ``PluginError`` if there is none within ``seconds``."""
        line: str | None = None
        deadline = steady() + seconds
        while line is None:
            try:
                line = self._lines.get(timeout=min(POLL_SECONDS, max(deadline - steady(), 0)))
                break
            except queue.Empty:
                # Where it has left a process behind, its output stays open; what is left ends with it, too.
                if not self.running and self._lines.empty():
                    break
                if steady() >= deadline:
                    raise PluginError(f"{self.command[0]} printed nothing within {seconds:g} s.{self.last_words()}") from None
        if line is None:
            code = self.wait(GRACE_SECONDS)
            raise PluginError(f"{self.command[0]} ended (exit code {code}) before it said where it listens.{self.last_words()}")
        # It was heard, and explains nothing of what comes later.
        with suppress(ValueError):
            self._tail.remove(line)
        return line

    def last_words(self) -> str:
        """The last lines that it printed, as the end of an error message."""
        for reader in self._readers:
            reader.join(timeout=0.2)
        return "\nIts last output:\n  " + "\n  ".join(self._tail) if self._tail else " It printed nothing."

    def witness(self, reply: Reply) -> Reply:
        """``reply`` as it is; if it is one because the process has died, how it died goes to the log ``mockprovider``."""
        lost = reply.status
        if lost is not None and lost.code == UNAVAILABLE and self.wait(DEATH_SECONDS) is not None:
            name = Path(self.command[0]).name
            LOG.error("%s ended (exit code %s) during a call.%s", name, self.wait(), self.last_words())
        return reply

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def wait(self, seconds: float | None = None) -> int | None:
        """Its exit code once it has ended; ``None`` if it has not within ``seconds``."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def stop(self, *, grace: float = GRACE_SECONDS) -> None:
        """Interrupt its group, and kill all of its session after ``grace`` seconds. Safe to call again."""
        if grace:
            self._process.signal_group(signal.SIGINT)
            self.wait(grace)
        self._process.end()
        for reader in self._readers:
            reader.join(timeout=1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
