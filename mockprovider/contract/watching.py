"""The walk over a run: each call is judged by what came before it at the same side.

A run is judged from its journal, whose two sides are the two places where the parties meet: what the engine asked for and was
told stands at one, what the provider was asked and answered at the other, and faults are between them. So watching costs a
call nothing while it is answered.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any

from msgspec import Struct

from mockprovider.calls import Call
from mockprovider.contract.moments import Doubting, History, Seen
from mockprovider.contract.rules import NO_MARKS, Contract, ContractRule, Party, Severity, ValueMarks
from mockprovider.protocols import loaded
from mockprovider.values import Value

ENGINE = Party.ENGINE.value
BEGAN, ENDED = attrgetter("began"), attrgetter("ended")


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

    def __init__(self, contract: Contract, party: Party, history: History, watch: Watch) -> None:
        self._contract, self._party, self._history, self._watch = contract, party, history, watch
        self._lives = contract.lives_by_op if party is Party.ENGINE else {}
        self._marking = contract.marking(party)

    def begin(self, entry: Seen) -> None:
        """A call starts at the engine's side."""
        call = entry.call
        now = self._history.at(call, None)
        for life in self._lives.get(call.op, ()):
            state = life.state_of(now)
            rule = life.broken.get((state, call.op))
            if rule:
                self._breaks(entry, self._contract.by_id[rule], life.words[state].format(id=call.id))
        self._judge(entry, now, (call.inputs, call.prior, call.prior_inputs), ok=True)
        self._history.begin(now)

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
        call = entry.call
        marks = self._watch.marks.of(values) if call.op in self._marking else NO_MARKS
        for rule, broken in self._contract.asked(self._party, (call.op, not call.preview, ok, marks)):
            how = broken(now)
            if how:
                self._breaks(entry, rule, how)

    def _breaks(self, entry: Seen, rule: ContractRule, how: str) -> None:
        self._watch.breaches.append(Breach(rule, entry.n, entry.call, how))


class Unjudged:
    """A side of a protocol that has no rules."""

    def begin(self, entry: Seen) -> None:
        """Nothing is judged."""

    def end(self, entry: Seen) -> None:
        """Nothing is judged."""

    def recall(self, entry: Seen) -> None:
        """Nothing is remembered."""

    def doubt(self) -> None:
        """Nothing is doubted."""


UNJUDGED = Unjudged()


class Watch:
    """Judges a run in parts: each look takes what has happened since the last one."""

    def __init__(self, issued: Callable[[str], bool]) -> None:
        """``issued`` says whether an id is known without an answer: something else has put the object there."""
        self._issued = issued
        self.breaches: list[Breach] = []
        """In the order in which they happened."""
        self._sides: dict[tuple[str, str], _Side | Unjudged] = {}
        self.until = 0
        """The moment until which the run has been judged."""
        self._running: list[Seen] = []
        self.marks = ValueMarks()
        self._lock = threading.Lock()

    def look(self, entries: Iterable[Seen], now: int) -> None:
        """Judge what is new in the entries of a journal, until the moment ``now``. What an earlier look has seen is not new."""
        with self._lock:
            # A journal may have forgotten a call before it ends.
            new = {id(entry): entry for entry in (*self._running, *entries)}.values()
            until, self.until = self.until, max(self.until, now)
            # What has ended since then is still running as far as this look goes.
            self._running = [entry for entry in new if not 0 < entry.ended <= now]
            begun = [entry for entry in new if entry.side == ENGINE and until < entry.began <= now]
            ended = [entry for entry in new if until < entry.ended <= now]
            try:
                self._walk(sorted(begun, key=BEGAN, reverse=True), sorted(ended, key=ENDED))
            finally:
                self.marks.forget()

    def _walk(self, begun: list[Seen], ended: list[Seen]) -> None:
        """Judge all beginnings, the last one first here, and all ends, in the order in which they happened."""
        for entry in ended:
            while begun and begun[-1].began < entry.ended:
                starts = begun.pop()
                self._side(starts).begin(starts)
            self._side(entry).end(entry)
        for entry in reversed(begun):
            self._side(entry).begin(entry)

    def doubt(self) -> None:
        """From here on, engines may remember other things than they were told."""
        with self._lock:
            for side in self._sides.values():
                side.doubt()

    def recall(self, entry: Seen) -> None:
        """What has happened, and is not judged here: what comes after it is judged by it, too."""
        self._side(entry).recall(entry)

    def _side(self, entry: Seen) -> _Side | Unjudged:
        key = (entry.call.session.protocol.contract, entry.side)
        return self._sides.get(key) or self._new_side(*key)

    def _new_side(self, path: str, name: str) -> _Side | Unjudged:
        side: _Side | Unjudged = UNJUDGED
        if path:
            contract: Contract = loaded(path)
            side = _Side(contract, Party(name), contract.histories[Party(name)](self._issued, self.marks), self)
        self._sides[path, name] = side
        return side
