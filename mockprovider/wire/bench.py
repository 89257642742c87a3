"""Real providers that are asked for their judgement alone: one process for each configuration, and one that has none.

What they are asked is chosen by the ``pure`` column of the protocols' tables, and nothing else passes here. A process that ends
during a call is started again. One that ends it twice, or that hangs, is not asked again, nor is a type that never answers.
"""

from __future__ import annotations

import hashlib
import itertools
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from msgspec.structs import replace

from mockprovider.calls import STATUS_NAMES, Call, Handler, Reply, Session
from mockprovider.errors import PluginError
from mockprovider.protocols import ProviderProtocol
from mockprovider.wire.machine import steady
from mockprovider.wire.methods import Service

UNAVAILABLE, LATE, UNKNOWN_RPC = (STATUS_NAMES.index(name) for name in ("unavailable", "deadline_exceeded", "unimplemented"))
NUMBERS = itertools.count(1)
"""Numbers of sessions: a provider that several benches share tells them apart by these."""

MOST_LOST = 3
"""After so many different questions without an answer, and none with one, a type is not asked about any more."""

Opening = Callable[[Session], Call]
"""Makes the call that configures a new process."""


class UnjudgedError(PluginError):
    """The real provider gave no judgement; ``quiet`` where it never does, so that nobody is to be told."""

    def __init__(self, reason: str, *, quiet: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.quiet = reason, quiet


class Seat:
    """One process of the provider, by the session that it serves."""

    def __init__(self, protocol: ProviderProtocol, schema: Any, patience: float) -> None:
        self.session = Session(protocol, next(NUMBERS), "the bench")
        self.session.schema, self.session.patience = schema, patience
        self.lock = threading.Lock()
        self.opened = False
        self.refusal = ""


class Bench:
    """The processes of one real provider, each started when it is first asked, and ended when nobody has asked for a while.

    Args:
        provider: the handler that starts one for each session (``wire.proxy.PerSession``).
        service: the protocol's table, whose ``pure`` column says what may be asked.
        patience: the seconds after which an answer is given up.
        idle: the seconds without a question after which all processes are ended; none while one is under way.
        shared: it is one running provider, whatever the session: it can be configured once, and not be started again.
    """

    def __init__(
        self,
        provider: Handler,
        protocol: ProviderProtocol,
        service: Service,
        *,
        patience: float = 20.0,
        idle: float = 30.0,
        shared: bool = False,
    ) -> None:
        self._provider, self._protocol, self.service = provider, protocol, service
        self._patience, self._idle, self.shared = patience, idle, shared
        self.schema: Any = None
        """What the provider's payloads decode with, once it is known."""
        self._seats: dict[str, Seat] = {}
        self._hopeless: dict[tuple[Any, ...], str] = {}
        self._answered_about: set[tuple[bool, str, str]] = set()
        self._asked_at = steady()
        self._under_way = 0
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()

    def ask(self, call: Call, key: str = "", opening: Opening | None = None) -> Reply:
        """The real provider's answer to ``call``, from the process whose configuration ``key`` names; none, if it is empty.

        Raises ``UnjudgedError`` for what is not to be asked, and where there is no answer.
        """
        row = self.service.methods.get(call.method)
        if row is None or not row.pure:
            raise UnjudgedError(f"{call.method} is no question of judgement, so no real provider is asked it")
        about, question = (bool(key), call.method, call.type), _question(call)
        known = self._hopeless.get(about) or self._hopeless.get((*about, question))
        if known:
            raise UnjudgedError(known)
        with self._at_work():
            reply = self._asked(key, call, opening)
        if _lost(reply) or _code(reply) == LATE:
            reason = "its process ended during the call" if _lost(reply) else f"no answer came within {self._patience:g} s"
            self._give_up(about, question, reason)
            raise UnjudgedError(reason)
        self._answered_about.add(about)
        if _code(reply) == UNKNOWN_RPC:
            raise UnjudgedError(f"it does not know {call.method}", quiet=True)
        return reply

    def _asked(self, key: str, call: Call, opening: Opening | None) -> Reply:
        seat = self._seat(key)
        reply = self._answered(seat, call, opening)
        if _lost(reply):
            self._leave(key, seat)
            # Perhaps another call has ended it, so this one is asked once more, in a process of its own.
            reply = self._alone(call, opening)
        if _lost(reply) or _code(reply) == LATE:
            self._leave(key, seat)
        return reply

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        """While a question is under way, however long that takes, nothing is ended for want of questions."""
        with self._lock:
            self._under_way += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1
                self._asked_at = steady()
                self._watch(self._idle)

    def _give_up(self, about: tuple[bool, str, str], question: bytes, reason: str) -> None:
        """Never ask this question again, nor any about a type that had no answer to several, and never one."""
        with self._lock:
            self._hopeless[*about, question] = reason
            lost = sum(len(key) > len(about) and key[: len(about)] == about for key in self._hopeless)
            if lost >= MOST_LOST and about not in self._answered_about:
                self._hopeless[about] = reason

    def _alone(self, call: Call, opening: Opening | None) -> Reply:
        seat = Seat(self._protocol, self.schema, self._patience)
        try:
            return self._answered(seat, call, opening)
        finally:
            self._end(seat)

    def _answered(self, seat: Seat, call: Call, opening: Opening | None) -> Reply:
        with seat.lock:
            if opening is not None and not seat.opened:
                seat.opened = True
                seat.refusal = self._configured(opening(seat.session))
        if opening is not None and seat.refusal:
            raise UnjudgedError(f"it cannot be configured without a cloud: {seat.refusal}")
        try:
            return self._provider(replace(call, session=seat.session))
        except PluginError as error:
            raise UnjudgedError(f"it could not be asked: {error}") from error

    def _configured(self, call: Call) -> str:
        try:
            return _refusal(self._provider(call))
        except PluginError as error:
            return str(error)

    def _seat(self, key: str) -> Seat:
        with self._lock:
            seat = self._seats.get(key)
            if seat is None and self.shared and self._seats and key:
                held = next((name for name in self._seats if name), "")
                if held:
                    raise UnjudgedError("it runs already, and was configured otherwise: a process can be configured once")
            if seat is None and self.shared and self._seats:
                seat = self._seats[key] = next(iter(self._seats.values()))
            if seat is None:
                seat = self._seats[key] = Seat(self._protocol, self.schema, self._patience)
            seat.session.schema = self.schema
            return seat

    def _watch(self, seconds: float) -> None:
        """Look in so many seconds whether anybody still asks."""
        if self._timer is None:
            self._timer = threading.Timer(seconds, self._look)
            self._timer.daemon = True
            self._timer.start()

    def _look(self) -> None:
        with self._lock:
            self._timer = None
            left = self._idle - (steady() - self._asked_at)
            if self._under_way or not self._seats:
                # The end of a question looks again.
                return
            if left > 0:
                self._watch(left)
                return
            seats = self._vacated()
        self._end_all(seats)

    def _vacated(self) -> list[Seat]:
        seats, self._seats = list(self._seats.values()), {}
        return seats

    def _end_all(self, seats: Iterable[Seat]) -> None:
        for seat in seats:
            self._end(seat)

    def _leave(self, key: str, seat: Seat) -> None:
        with self._lock:
            # Another call may have left it already, and a new one be at work.
            if self._seats.get(key) is seat:
                del self._seats[key]
        self._end(seat)

    def _end(self, seat: Seat) -> None:
        end = getattr(self._provider, "end", None)
        if end is not None:
            end(seat.session)

    @property
    def working(self) -> int:
        """How many processes there are at the moment."""
        return len({seat.session.number for seat in self._seats.values()})

    def close(self) -> None:
        """End all processes. Safe to call again; a later question starts new ones."""
        with self._lock:
            seats = self._vacated()
            timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
        self._end_all(seats)


def _question(call: Call) -> bytes:
    """What tells a question from others about its type."""
    data = call.native.data if call.native else repr((call.urn, call.id, call.inputs, call.prior, call.prior_inputs)).encode()
    return hashlib.sha256(data).digest()


def _code(reply: Reply) -> int:
    return reply.status.code if reply.status is not None else 0


def _lost(reply: Reply) -> bool:
    return _code(reply) == UNAVAILABLE


def _refusal(reply: Reply) -> str:
    """Why a process was not configured, if it was not."""
    if reply.status is not None:
        return reply.status.message or STATUS_NAMES[reply.status.code]
    return "; ".join(": ".join(filter(None, (failure.reason, failure.detail))) for failure in reply.failures)


__all__ = ["Bench", "Opening", "UnjudgedError"]
