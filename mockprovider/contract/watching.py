"""The walk over a run: each call is judged by what came before it at the same side.

A run is judged from its journal, whose two sides are the two places where the parties meet: what the engine asked for and was
told stands at one, what the provider was asked and answered at the other, and faults are between them. So watching costs a
call nothing while it is answered.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any

from msgspec import Struct

from mockprovider.calls import Call
from mockprovider.contract.moments import Doubting, History, Seen
from mockprovider.contract.rules import Contract, ContractRule, Party, Severity
from mockprovider.protocols import loaded
from mockprovider.values import Value, is_plain

ENGINE = Party.ENGINE.value


class Breach(Struct, frozen=True):
    """A rule, the call that broke it, and how. ``n`` is the call's number in the journal."""

    rule: ContractRule
    n: int
    call: Call
    how: str

    def __str__(self) -> str:
        return f"{self.rule.id}: {self.n} {self.call}: {self.how} {self.rule.says} ({self.rule.source}) {self.rule.mend}"

    @property
    def is_error(self) -> bool:
        """Whether it fails a test."""
        return self.rule.severity is Severity.ERROR


class _Side:
    """One side of a run in one protocol: what it has seen, and the rules that are judged there.

    What an engine owes is judged when it asks, what a provider owes when it has answered.
    """

    def __init__(self, contract: Contract, party: Party, history: History, breaches: list[Breach]) -> None:
        self._contract, self._party, self._history, self._breaches = contract, party, history, breaches

    def begin(self, entry: Seen) -> None:
        """A call starts at the engine's side."""
        call, history = entry.call, self._history
        now = history.at(call, None)
        for life in self._contract.lives_by_op.get(call.op, ()):
            state = life.state_of(now)
            rule = life.broken.get((state, call.op))
            if rule:
                self._breaches.append(Breach(self._contract.by_id[rule], entry.n, call, life.words[state].format(id=call.id)))
        self._judge(entry, now, (call.inputs, call.prior, call.prior_inputs), ok=True)
        history.begin(now)

    def end(self, entry: Seen) -> None:
        """A call has ended at either side."""
        reply = entry.reply
        now = self._history.at(entry.call, reply)
        if reply is not None and self._party is Party.PROVIDER:
            self._judge(entry, now, (reply.value, reply.inputs), ok=reply.ok)
        self._history.end(now)

    def recall(self, entry: Seen) -> None:
        """A call without the rules."""
        if self._party is Party.ENGINE:
            self._history.begin(self._history.at(entry.call, None))
        self._history.end(self._history.at(entry.call, entry.reply))

    def doubt(self) -> None:
        """Engines may remember other things from here on."""
        if isinstance(self._history, Doubting):
            self._history.doubt()

    def _judge(self, entry: Seen, now: Any, values: tuple[Value, ...], *, ok: bool) -> None:
        call, contract, party = entry.call, self._contract, self._party
        marked = (party, call.op) in contract.marking and not all(map(is_plain, values))
        for rule in contract.asked(party, call.op, real=not call.preview, ok=ok, marked=marked):
            how = rule.broken(now) if rule.broken else ""
            if how:
                self._breaches.append(Breach(rule, entry.n, call, how))


class Watch:
    """Judges a run in parts: each look takes what has happened since the last one."""

    def __init__(self, issued: Callable[[str], bool]) -> None:
        """``issued`` says whether an id is known without an answer: something else has put the object there."""
        self._issued = issued
        self.breaches: list[Breach] = []
        """In the order in which they happened."""
        self._sides: dict[tuple[str, str], _Side | None] = {}
        self.until = 0
        """The moment until which the run has been judged."""
        self._running: list[Seen] = []
        self._lock = threading.Lock()

    def look(self, entries: Iterable[Seen], now: int) -> None:
        """Judge what is new in the entries of a journal, until the moment ``now``. What an earlier look has seen is not new."""
        with self._lock:
            # A journal may have forgotten a call before it ends.
            new = {id(entry): entry for entry in (*self._running, *entries)}.values()
            until, self.until = self.until, max(self.until, now)
            moments = [(entry.began, entry, False) for entry in new if until < entry.began <= now and entry.side == ENGINE]
            # What has ended since then is still running as far as this look goes.
            ended = [(entry.ended, entry) for entry in new]
            self._running = [entry for moment, entry in ended if not 0 < moment <= now]
            moments += [(moment, entry, True) for moment, entry in ended if until < moment <= now]
            for _, entry, is_end in sorted(moments, key=itemgetter(0)):
                side = self._side(entry)
                if side is not None:
                    (side.end if is_end else side.begin)(entry)

    def doubt(self) -> None:
        """From here on, engines may remember other things than they were told."""
        with self._lock:
            for side in self._sides.values():
                if side is not None:
                    side.doubt()

    def recall(self, entry: Seen) -> None:
        """What has happened, and is not judged here: what comes after it is judged by it, too."""
        side = self._side(entry)
        if side is not None:
            side.recall(entry)

    def _side(self, entry: Seen) -> _Side | None:
        key = (entry.call.session.protocol.contract, entry.side)
        return self._sides[key] if key in self._sides else self._new_side(*key)

    def _new_side(self, path: str, name: str) -> _Side | None:
        side = None
        if path:
            contract: Contract = loaded(path)
            side = _Side(contract, Party(name), contract.histories[Party(name)](self._issued), self.breaches)
        self._sides[path, name] = side
        return side
