"""What a provider logs, noted with the call that it belongs to.

Nothing on the wire says which call a line is about. It goes to the call in flight on the resource that it names, else to the
one that began last, else to the one that was answered last. Lines for debugging are passed on and not kept: SDKs write dozens
of them for each resource, in another order each time, and engines show them only on request.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from msgspec import Struct, field

from mockprovider.calls import Call, EnginePort, Op
from mockprovider.cassette.http.writing import Heard
from mockprovider.cassette.transcriber import Transcriber
from mockprovider.cassette.wayback import Back
from mockprovider.redaction import Hidden, Policy

Line: TypeAlias = tuple[str, str, str]
"""Severity, message, URN."""

DEBUG = "debug"


class Speaker(Struct, frozen=True, eq=False):
    """A provider of the recording: its name there, and how its calls, and those to its engine, are written down."""

    name: str
    transcriber: Transcriber
    back: Back | None


class Asked(Struct, eq=False):
    """What is known of a call before it is answered. ``speaker`` is the provider during whose calls it was made."""

    speaker: Speaker
    call: Call
    instance: str
    phase: str
    request: Any
    names: Policy
    type: str = ""
    """The type that it is about, as its message spells it."""
    hidden: Hidden | None = None
    """The request without the secrets that were known when there were so many: ``secrets``."""
    secrets: int = -1
    note: int = 0
    """The number under which the sink has noted that it was sent."""
    number: int = 0
    """Its interaction's, where others have to name it before it is there."""
    parent: int | None = None
    at: int = 0
    """As which one it came, where the recording keeps that."""
    repeats: int = 0
    """The number of the call of an earlier cassette that answers it; 0 where the provider does."""
    lines: list[Line] = field(default_factory=list)
    """What the provider logged meanwhile."""
    http: Sequence[Heard] = ()
    """What it asked its cloud meanwhile, where that is recorded."""


class Listener:
    """A session's way back for lines of log, which records them.

    Lines are kept until their call's answer, which often shows what is secret in them.

    Args:
        onward: the engine's own way.
        late: takes a line that came after its call was answered.
    """

    def __init__(self, onward: EnginePort, late: Callable[[Asked, Line], None]) -> None:
        self._onward = onward
        self._late = late
        self._flying: list[Asked] = []
        self._last: Asked | None = None
        self._lock = threading.Lock()

    def log(self, severity: str, message: str, urn: str = "") -> None:
        """Pass the line on, and note it."""
        self._onward.log(severity, message, urn)
        if severity == DEBUG:
            return
        line = (severity, message, urn)
        with self._lock:
            asked = self._asked(urn)
            if asked is not None:
                asked.lines.append(line)
                return
            last = self._last
        if last is not None:
            self._late(last, line)

    def _asked(self, urn: str) -> Asked | None:
        newest_first = self._flying[::-1]
        return next((asked for asked in newest_first if _is_about(asked.call, urn)), next(iter(newest_first), None))

    def begin(self, asked: Asked) -> None:
        """A call begins."""
        with self._lock:
            self._flying.append(asked)

    def end(self, asked: Asked, *, answered: bool) -> list[Line]:
        """A call is over; the lines that belong to it."""
        with self._lock:
            self._flying.remove(asked)
            if answered:
                self._last = asked
            return asked.lines


def _is_about(call: Call, urn: str) -> bool:
    if call.op is Op.CONSTRUCT:
        # The URN is made during the call, and ends with what the call has.
        return urn.endswith((f"::{call.type}::{call.name}", f"${call.type}::{call.name}"))
    return bool(urn) and call.urn == urn
