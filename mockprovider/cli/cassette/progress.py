"""What a command is doing, in a terminal, where it takes more than a second: a line on standard error, which goes again."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import TYPE_CHECKING

from mockprovider.cli.cassette.screen import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

PATIENCE = 1.0
"""So many seconds nobody needs to be told anything."""


class ProgressLine:
    """A line about what is going on. Calling it says something else in its place.

    Args:
        text: what is going on.
        console: where it is said; ``None`` is nowhere.
    """

    def __init__(self, text: str, console: Console | None) -> None:
        self._text = text
        self._console = console
        self._status: Status | None = None
        self._ended = False
        self._lock = Lock()

    def __call__(self, text: str) -> None:
        """Say something else."""
        with self._lock:
            self._text = text
            if self._status is not None:
                self._status.update(self._shown())

    def begin(self) -> None:
        """Show it, unless all is over already."""
        with self._lock:
            if self._console is not None and not self._ended:
                self._status = self._console.status(self._shown())
                self._status.start()

    def end(self) -> None:
        """Take it away."""
        with self._lock:
            self._ended = True
            if self._status is not None:
                self._status.stop()
                self._status = None

    def _shown(self) -> str:
        from rich.markup import escape  # noqa: PLC0415 - slow to import, and a pipe does not need it

        width = self._console.width - 4 if self._console is not None else 0
        text = printable(self._text)
        return escape(text if len(text) <= width else f"{text[: width - 1]}…")


def terminal() -> Console | None:
    """The terminal that standard error is; ``None`` for a pipe or a file."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return None
    from rich.console import Console  # noqa: PLC0415 - slow to import, and a pipe does not need it

    return Console(stderr=True, highlight=False)


@contextmanager
def progress(text: str, *, quiet: bool = False) -> Iterator[ProgressLine]:
    """Say what the block is doing, once it has taken a second; nothing where standard error is no terminal, or if ``quiet``.

    Nothing may be printed in the block.
    """
    line = ProgressLine(text, None if quiet else terminal())
    timer = Timer(PATIENCE, line.begin)
    timer.daemon = True
    if not quiet:
        timer.start()
    try:
        yield line
    finally:
        timer.cancel()
        line.end()
