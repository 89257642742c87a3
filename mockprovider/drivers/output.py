"""What a command line prints, read as it comes, and by nobody who would wait for its end.

Pipes, because a command whose disk is full must still be heard; read without waiting, because a plugin that a killed engine has
left behind may keep a pipe open for ever.
"""

from __future__ import annotations

import os
import select
import subprocess
import threading
from contextlib import suppress
from typing import Self

from mockprovider.wire import machine

CHUNK = 1 << 16
MOST = 16
"""Chunks that a pipe may hold: who asks what was printed by now need not read on while a command prints without end."""
SLICE = 0.05
"""Seconds between two looks at a command that has closed nothing and prints nothing."""


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
    while (running := process.poll() is None) and machine.steady() < deadline:
        news = select.poll()
        for stream in streams:
            if not stream.is_over:
                news.register(stream, select.POLLIN)
        news.poll(SLICE * 1000)
        for stream in streams:
            stream.catch_up()
    for stream in streams:
        stream.catch_up()
    return not running
