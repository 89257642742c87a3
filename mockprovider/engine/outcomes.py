"""How things ended: what the program is told, and that nothing more is to begin."""

from __future__ import annotations

from enum import StrEnum


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


class CallbackFailedError(Exception):
    """A function of the program that the engine called back has failed."""
