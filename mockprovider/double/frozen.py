"""A clock for the whole test: its own ``datetime`` and ``time`` stand still, and move when the double waits."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any, Self

from mockprovider.clock import StillClock

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
START = 1_735_689_600.0
"""The first second of 2025, in UTC."""

REAL = ["grpc", "subprocess", "concurrent.futures", "_pytest.timing"]
"""Modules that keep the machine's time: deadlines of connections and processes, and how long a test took."""

INSPECTED = 1
"""Only who asks for the time itself may be one of them. With freezegun's five callers a test's own threads had the machine's
time, since ``threading`` starts them."""


def _moment(seconds: float) -> datetime:
    return EPOCH + timedelta(seconds=seconds)


class FrozenTime(StillClock):
    """The time of a test, frozen from ``start`` (seconds since the Unix epoch) on, for the ``with`` block.

    As a double's ``clock`` it keeps the two in step: ``datetime.now()``, ``time.time()`` and ``time.monotonic()`` move by what
    the double's faults and behaviours wait, and all of them by ``tick``, ``advance`` and ``move_to``. Event loops, timeouts of
    threads, connections and processes, and ``time.sleep`` keep the machine's time.

    Raises ``ModuleNotFoundError`` without the package freezegun.
    """

    def __init__(self, start: float = START) -> None:
        from freezegun import api  # noqa: PLC0415 - an optional dependency

        super().__init__(start)
        self._api: Any = api
        self._freezer: Any = None
        self._frozen: Any = None
        self._inspected = INSPECTED

    def __enter__(self) -> Self:
        with suppress(ImportError):
            # Its compiled part warns where it finds another datetime than Python's when it is first loaded.
            import_module("msgpack")
        with self._lock:
            # Made here, since it starts where this clock is by now.
            self._freezer = self._api.freeze_time(_moment(self._now), ignore=REAL, real_asyncio=True)
            self._inspected, self._api.call_stack_inspection_limit = self._api.call_stack_inspection_limit, INSPECTED
            self._frozen = self._freezer.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._frozen = None
            self._freezer.stop()
            self._api.call_stack_inspection_limit = self._inspected

    def _move(self, seconds: float) -> None:
        moment = _moment(self._now + seconds)
        super()._move(seconds)
        if self._frozen is not None:
            self._frozen.move_to(moment)

    def tick(self, seconds: float | timedelta = 1.0) -> None:
        """Move on by ``seconds``. Raises ``ValueError`` for less than none."""
        self.advance(seconds.total_seconds() if isinstance(seconds, timedelta) else seconds)

    def move_to(self, moment: str | datetime) -> None:
        """Go to a moment, forth or back: a ``datetime``, or text as in ISO 8601; in UTC where it names no zone.

        Raises ``ValueError`` for a text that is none.
        """
        there = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
        there = there if there.tzinfo else there.replace(tzinfo=UTC)
        with self._lock:
            self._move((there - EPOCH).total_seconds() - self._now)
