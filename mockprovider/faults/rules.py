"""Which fault fires at which call. The first rule that fits and has shots left decides; then, outside the lock, it fires."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NoReturn

from mockprovider.calls import Call, Handler, Layer, Op, Reply
from mockprovider.errors import DefinitionError
from mockprovider.faults.partial import partial


class Rule:
    """One fault at the calls of one op: of one type or any, for one resource name or any, after some calls, some times."""

    def __init__(self, op: Op, type_: str | None, name: str | None) -> None:
        self.op = op
        self.type = type_
        self.name = name
        self.fault: Layer | None = None
        self.fired = 0
        self._skip = 0
        self._times = 1

    def partial(self, reasons: Sequence[str] = ("injected by mockprovider",)) -> Rule:
        """The object exists afterwards, and the provider reports ``reasons`` all the same. For create and update.

        Raises ``DefinitionError`` for another op, or without a reason: engines tell a half-made object by its reasons.
        """
        if self.op not in (Op.CREATE, Op.UPDATE):
            raise DefinitionError(f"A {self.op.value} leaves no half-made object: partial() is for create and update.")
        if isinstance(reasons, str) or not reasons:
            raise DefinitionError('partial() takes a list of reasons: partial(reasons=["timed out waiting"]).')
        self.fault = partial(reasons)
        return self

    def times(self, count: int) -> Rule:
        """Fire at this many calls (once, unless told otherwise)."""
        self._times = count
        return self

    def after(self, calls: int) -> Rule:
        """Let this many fitting calls through first."""
        self._skip = calls
        return self

    def fits(self, call: Call) -> bool:
        """Whether the rule is about this call. A preview does nothing, so nothing can go half wrong in it."""
        return call.op is self.op and not call.preview and self.type in (None, call.type) and self.name in (None, call.name)

    def take(self) -> Layer | None:
        """The fault, if this fitting call is one that it fires at."""
        if self._skip:
            self._skip -= 1
            return None
        if self.fault is None or self.fired >= self._times:
            return None
        self.fired += 1
        return self.fault

    def __repr__(self) -> str:
        return f"Rule({self.op.value} {self.type or 'any type'} {self.name or 'any name'}, fired {self.fired} of {self._times})"


class On:
    """``faults.on.create(type)``: the start of a rule, one method an op."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults

    def create(self, type_: str | None = None, *, name: str | None = None) -> Rule:
        """At creates of ``type_`` (any, if left out)."""
        return self._faults.add(Rule(Op.CREATE, type_, name))

    def update(self, type_: str | None = None, *, name: str | None = None) -> Rule:
        """At updates of ``type_`` (any, if left out)."""
        return self._faults.add(Rule(Op.UPDATE, type_, name))

    def __getattr__(self, op: str) -> NoReturn:
        raise AttributeError(f"Faults cannot be injected at {op!r} in this version: there are faults.on.create and .update.")


class Faults:
    """The faults of one double; ``layer`` is where they fire."""

    def __init__(self) -> None:
        self._rules: list[Rule] = []
        self._lock = threading.Lock()
        self.on = On(self)

    def add(self, rule: Rule) -> Rule:
        """Add a rule after those that exist."""
        with self._lock:
            self._rules.append(rule)
        return rule

    @property
    def rules(self) -> list[Rule]:
        """The rules, in the order in which they are asked."""
        with self._lock:
            return list(self._rules)

    def clear(self) -> None:
        """Remove all rules."""
        with self._lock:
            self._rules.clear()

    def layer(self, call: Call, proceed: Handler) -> Reply:
        """Fire the first fault that is due at this call, or let it through."""
        with self._lock:
            due = (rule.take() for rule in self._rules if rule.fits(call))
            fault = next((each for each in due if each is not None), None)
        return fault(call, proceed) if fault else proceed(call)
