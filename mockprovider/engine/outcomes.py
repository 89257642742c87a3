"""How things ended: what the user is told, what the program is told, and that nothing more is to begin."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Diagnostic(Struct, frozen=True):
    """What a user would be shown: ``severity`` is ``debug``, ``info``, ``warning`` or ``error``."""

    severity: str
    message: str
    urn: str = ""

    def __str__(self) -> str:
        where = f"{self.urn}: " if self.urn else ""
        return f"{self.severity}: {where}{self.message}"


class Fate(StrEnum):
    """What became of a registration, as the program is told."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    """It depends on what failed."""
    LEFT_OUT = "left out"
    """It would be created, and is no target: its outputs are unknown."""


class StoppedError(Exception):
    """The operation has failed, so nothing more is registered: to the program the monitor has gone away."""
