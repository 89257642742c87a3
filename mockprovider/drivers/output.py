"""What a command line prints, read as it comes, and by nobody who would wait for its end.

Pipes, because a command whose disk is full must still be heard; read without waiting, because a plugin that a killed engine has
left behind may keep a pipe open for ever.
"""

from __future__ import annotations

import os
import select
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Self

from mockprovider.wire import machine

CHUNK = 1 << 16
MOST = 16
"""Chunks that a pipe may hold: who asks what was printed by now need not read on while a command prints without end."""
SLICE = 0.05
"""Seconds between two looks at a command that prints nothing, where no descriptor says when it ends."""


class Printed:
    """One of a command's streams. What was written before somebody asks is in ``read``. Any thread may ask."""

    def __init__(self) -> None:
        self._exit, self.entrance = os.pipe()
        """``entrance`` is the descriptor that the command is given."""
        os.set_blocking(self._exit, False)
        self._bytes = bytearray()
        self.is_over = False
        """Whether whoever could write has closed it."""
        self._lock = threading.Lock()

    def read(self, start: int = 0) -> bytes:
        """What was printed by now, from the byte at ``start`` on."""
        self.catch_up()
        return bytes(self._bytes[start:])

    def catch_up(self) -> None:
        """Read what was printed by now."""
        with self._lock, suppress(BlockingIOError):
            for _ in range(MOST):
                if self.is_over:
                    break
                news = os.read(self._exit, CHUNK)
                self._bytes += news
                self.is_over = not news

    @property
    def text(self) -> str:
        """All that was printed by now."""
        return self.read().decode(errors="replace").replace("\r\n", "\n")

    def hand_over(self) -> None:
        """The command has its end now, and this process needs it no longer. Safe to call again."""
        if self.entrance >= 0:
            os.close(self.entrance)
        self.entrance = -1

    def close(self) -> None:
        """Read no more. Safe to call again."""
        self.hand_over()
        with self._lock:
            if self._exit >= 0:
                os.close(self._exit)
            self._exit, self.is_over = -1, True

    def fileno(self) -> int:
        """What to wait at for more."""
        return self._exit

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def ends(process: subprocess.Popen[bytes], streams: tuple[Printed, ...], seconds: float) -> bool:
    """Read ``streams`` until the command has ended: whether it has within ``seconds``."""
    for stream in streams:
        stream.hand_over()
    deadline = machine.steady() + seconds
    with _ending(process) as ending:
        while (running := process.poll() is None) and machine.steady() < deadline:
            news = select.poll()
            for descriptor in (*ending, *(stream.fileno() for stream in streams if not stream.is_over)):
                news.register(descriptor, select.POLLIN)
            news.poll(SLICE * 1000)
            for stream in streams:
                stream.catch_up()
    for stream in streams:
        stream.catch_up()
    return not running


@contextmanager
def _ending(process: subprocess.Popen[bytes]) -> Iterator[tuple[int, ...]]:
    """A descriptor to wait at for the end of a process; none where the system has no such thing, or the process has ended."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        yield ()
        return
    try:
        yield (descriptor,)
    finally:
        os.close(descriptor)
