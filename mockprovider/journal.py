"""Who asked for what, and what came back.

A journal is two layers: the outer sees what the engine saw (faults included), the inner what the provider did, so that a
leaked resource is the difference of the two.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import takewhile
from typing import Any

from msgspec import Struct

from mockprovider import expecting
from mockprovider.calls import Call, Handler, Layer, Op, Reply
from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean


class Side(StrEnum):
    """Which end of the stack an entry was written at."""

    ENGINE = "engine"
    PROVIDER = "provider"


class Entry(Struct):
    """One call: ``n`` counts the starts of calls from 1. ``reply`` is ``None`` while it runs; ``error`` says how it broke.

    ``began`` and ``ended`` count all starts and ends together, so that they tell which calls overlapped; ``ended`` is 0 while
    the call runs. ``thread`` is the name of the thread that it ran in.
    """

    n: int
    side: Side
    call: Call
    reply: Reply | None = None
    error: str = ""
    began: int = 0
    ended: int = 0
    thread: str = ""

    def __str__(self) -> str:
        if self.error:
            # The whole error is shown with the failure; here it would hide the calls around it.
            end = f"raised {self.error.splitlines()[0]}"
        elif self.reply is None:
            end = "running"
        elif self.reply.ok:
            end = self.reply.id or "ok"
        else:
            message = self.reply.status.message if self.reply.status else ""
            reasons = "; ".join(failure.reason for failure in self.reply.failures) or message
            end = f"{'half-made ' + self.reply.id if self.reply.partial else 'failed'}: {reasons}"
        mark = ", made up past the end of the cassette" if self.reply and self.reply.made_up else ""
        if self.reply and self.reply.source:
            mark += f", {self.reply.source}"
        if self.reply and self.reply.unjudged:
            mark += f", by the fake alone: {self.reply.unjudged}"
        return f"{self.n:>4} #{self.call.session.number} {self.call} -> {end}{mark}"


LIMIT = 100_000
"""How many entries a journal keeps, unless it is told another number: some 350 MB of calls with a few properties each."""


class Journal:
    """All calls of a double, the last ``LIMIT`` entries of both sides. ``at(side)`` gives the layer that writes one side.

    ``check_type`` raises ``DefinitionError`` for a type that can only be misspelt, ``scrub`` takes secrets out of a text.
    """

    def __init__(
        self, check_type: Callable[[str], None] = lambda _: None, scrub: Callable[[str], str] = lambda text: text
    ) -> None:
        self._check_type, self._scrub = check_type, scrub
        self._entries: deque[Entry] = deque(maxlen=LIMIT)
        self.leaving: list[Callable[[list[Entry], int], None]] = []
        """What looks at entries before they are forgotten: at those of ``so_far``."""
        self._begun = 0
        self._look_at = LIMIT
        self._moment = 0
        self._lock = threading.Lock()

    def at(self, side: Side) -> Layer:
        """The layer that writes this side's entries."""

        def write(call: Call, proceed: Handler) -> Reply:
            thread = threading.current_thread().name
            with self._lock:
                leaving = None
                if self._begun == self._look_at:
                    leaving, self._look_at = (list(self._entries), self._moment), self._begun + self.limit
                self._begun += 1
                self._moment += 1
                entry = Entry(self._begun, side, call, began=self._moment, thread=thread)
                self._entries.append(entry)
            if leaving is not None:
                # Without the lock, because others should not wait for those who look.
                self._show(leaving)
            try:
                entry.reply = proceed(call)
            except BaseException as error:
                entry.error = f"{type(error).__name__}: {error}"
                raise
            finally:
                with self._lock:
                    self._moment += 1
                    entry.ended = self._moment
            return entry.reply

        return write

    def entries(
        self,
        *,
        side: Side | str = Side.ENGINE,
        op: Op | str | None = None,
        type: str | None = None,  # noqa: A002 - the field's word
        name: str | None = None,
        urn: str | None = None,
        address: str | None = None,
        preview: bool | None = None,
    ) -> list[Entry]:
        """The entries of one side, in the order of their starts, that fit every criterion given.

        Raises ``DefinitionError`` for what would fit nothing, ever: a side or an op that there is not, a type that is no token,
        and where nothing fits, a type or a name that can only be misspelt.
        """
        _known("side", side, Side)
        if type is not None and not isinstance(type, str):
            raise DefinitionError(f"Calls go by type tokens, and {type!r:.40} is none: give its token, a string.")
        if op is not None:
            _known("op", op, Op)
        wanted = {"op": op, "type": type, "name": name, "urn": urn, "address": address, "preview": preview}
        criteria = [(key, value) for key, value in wanted.items() if value is not None]
        with self._lock:
            entries = list(self._entries)
        fitting = [entry for entry in entries if entry.side == side and all(getattr(entry.call, k) == v for k, v in criteria)]
        calls = [] if fitting else [entry.call for entry in entries]
        if not fitting and type is not None and all(call.type != type for call in calls):
            self._check_type(type)
        if not fitting and name is not None and all(call.name != name for call in calls):
            expecting.check_name(name, calls)
        return fitting

    def ops(
        self,
        *,
        side: Side | str = Side.ENGINE,
        type: str | None = None,  # noqa: A002 - the field's word
        name: str | None = None,
        urn: str | None = None,
        address: str | None = None,
        preview: bool | None = None,
    ) -> list[str]:
        """The ops of the entries that fit, as plain strings: ``["check", "create"]``. Raises as ``entries`` does."""
        entries = self.entries(side=side, type=type, name=name, urn=urn, address=address, preview=preview)
        return [entry.call.op.value for entry in entries]

    def assert_calls(self, *expected: expecting.Expected, **criteria: Any) -> None:
        """Assert that these calls came, in this order; other calls may stand between.

        Args:
            expected: a line each, of an op and words that say which: ``"create logs"``, ``"update cloud:index:Bucket logs"``. A
                word is the type, the name, the URN, the address or the id of the call. ``never``, ``once``, ``twice`` or
                ``3 times`` before it count all calls that fit. With arguments, a pair: ``("update logs", {"acl": "public"})``.
            criteria: which calls are looked at, as for ``entries``; the engine's side, and previews too, unless given.

        Raises ``AssertionError`` with the nearest calls and what is different about them, ``DefinitionError`` for what no call
        can be, and as ``entries`` does.
        """
        __tracebackhide__ = True
        if not expected:
            raise DefinitionError(f"assert_calls() without a call tests nothing. {expecting.HOW}")
        entries, lines = self.entries(**criteria), [expecting.read(line) for line in expected]
        for line in lines:
            if line.count is not None and self.forgotten:
                raise DefinitionError(
                    f"{line} counts calls, and the journal has forgotten its first {self.forgotten} entries. Set journal.limit "
                    "higher before the run."
                )
            if line.count == 0:
                expecting.check_words(line, list(self), self._check_type)
        nothing = expecting.NOTHING
        if criteria and len(self):
            nothing = f"No call is one with {', '.join(f'{word}={value!r}' for word, value in criteria.items())}."
        problem = expecting.failure(lines, entries, self._scrub, nothing)
        if problem:
            raise AssertionError(problem)

    def clear(self) -> None:
        """Forget everything, to look at the next run alone."""
        with self._lock:
            leaving = (list(self._entries), self._moment)
            self._entries.clear()
            self._begun, self._look_at = 0, self.limit
        self._show(leaving)

    def so_far(self, after: int = 0) -> tuple[list[Entry], int]:
        """The entries that began after a moment, the newest first, and the moment of this look."""
        with self._lock:
            return [*takewhile(lambda entry: entry.began > after, reversed(self._entries))], self._moment

    def _show(self, leaving: tuple[list[Entry], int]) -> None:
        for look in self.leaving:
            look(*leaving)

    @property
    def limit(self) -> int:
        """How many entries are kept, the newest ones. It may be set; a call has two, one of each side.

        Setting it raises ``DefinitionError`` for anything but a number from 1.
        """
        return self._entries.maxlen or LIMIT

    @limit.setter
    def limit(self, entries: int) -> None:
        if not isinstance(entries, int) or isinstance(entries, bool) or entries < 1:
            raise DefinitionError(f"A journal keeps some entries, and {entries!r} is no such number: give one from 1.")
        with self._lock:
            leaving = (list(self._entries), self._moment)
            self._entries = deque(self._entries, maxlen=entries)
            self._look_at = self._begun + entries
        self._show(leaving)

    @property
    def forgotten(self) -> int:
        """How many earlier entries the limit has cost. What the journal is asked is answered without them."""
        with self._lock:
            return self._begun - len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        with self._lock:
            return iter(list(self._entries))

    def __len__(self) -> int:
        return len(self._entries)

    def __str__(self) -> str:
        return "\n".join(str(entry) for entry in self if entry.side is Side.ENGINE)


def _known(what: str, word: str, words: type[StrEnum]) -> None:
    choices = [member.value for member in words]
    if word not in choices:
        raise DefinitionError(
            f"There is no {what} {word!r} in a journal. {did_you_mean(str(word).lower(), choices, 'There are')}"
        )
