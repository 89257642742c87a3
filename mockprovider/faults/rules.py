"""Which fault fires at which call. The first rule that fits and has shots left decides; then, outside the lock, it fires."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from mockprovider.calls import Call, Handler, Layer, Op, Reply
from mockprovider.errors import DefinitionError
from mockprovider.faults import naming
from mockprovider.faults.partial import partial


class Rule:
    """One fault at the calls of one op: of one type or any, for one resource name or any, after some calls, some times."""

    def __init__(self, op: Op, type_: str | None, name: str | None) -> None:
        self.op = op
        self.type = type_
        self.name = name
        self.fault: Layer | None = None
        self.fired = 0
        self._after = 0
        self._times = 1
        self._asked = 0
        self._fitting = 0
        self._previewed = False
        self._others: dict[tuple[str, str], None] = {}
        """The types and names of this op's other calls, in the order in which they came: what a misspelt rule missed."""

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

    def __getattr__(self, name: str) -> NoReturn:
        __tracebackhide__ = True
        faults = ", ".join(f".{fault}()" for fault in FAULTS)
        raise AttributeError(f"There is no fault {name!r} in this version. There is {faults}; .times() and .after() say when.")

    def times(self, count: int) -> Rule:
        """Fire at this many calls, by default at one. Raises ``DefinitionError`` for anything but a number from 1."""
        self._times = _counted("times", count, 1)
        return self

    def after(self, calls: int) -> Rule:
        """Let this many matching calls through first. Raises ``DefinitionError`` for anything but a number from 0."""
        self._after = _counted("after", calls, 0)
        return self

    def fits(self, call: Call) -> bool:
        """Whether the rule is about this call. A preview does nothing, so nothing can go half wrong in it."""
        return not call.preview and self._is_about(call)

    def _is_about(self, call: Call) -> bool:
        return call.op is self.op and self.type in (None, call.type) and self.name in (None, call.name)

    def note(self, call: Call) -> None:
        """Remember that there was this call, so that a rule that never fires can say why."""
        if self.fits(call):
            self._fitting += 1
        elif self._is_about(call):
            self._previewed = True
        elif call.op is self.op:
            self._others[call.type, call.name] = None

    def take(self) -> Layer | None:
        """The fault, if this fitting call is one that it fires at."""
        self._asked += 1
        if self._asked <= self._after or self.fault is None or self.fired >= self._times:
            return None
        self.fired += 1
        return self.fault

    @property
    def unfired(self) -> str:
        """Why it has not fired so far, with the nearest call that there was; empty if it has."""
        if self.fired:
            return ""
        if self.fault is None:
            return f"it was given no fault, such as .{FAULTS[0]}()"
        if self._fitting > self._asked:
            return "an earlier rule fired instead at a call that it fits"
        if self._fitting:
            return f"{self._fitting} fitted, and it lets {self._after} through first"
        if self._previewed:
            return "it fits previews alone, in which nothing is done"
        return naming.missed(self.op, self.type, self.name, list(self._others))

    def __repr__(self) -> str:
        return f"Rule({self.op.value} {self.type or 'any type'} {self.name or 'any name'}, fired {self.fired} of {self._times})"


FAULTS = ("partial",)
"""The methods of a rule that set its fault: what messages say that there is."""


def _counted(word: str, count: int, least: int) -> int:
    if not isinstance(count, int) or isinstance(count, bool) or count < least:
        raise DefinitionError(f"{word}({count!r}): give a whole number of calls, {least} or more.")
    return count


class On:
    """``faults.on.create(type)``: the start of a rule, one method an op.

    Each raises ``DefinitionError`` for a type that can only be misspelt: no token, one letter off a declared type, or not
    declared on a strict double.
    """

    def __init__(self, faults: Faults) -> None:
        self._faults = faults

    def create(self, type_: str | None = None, *, name: str | None = None) -> Rule:
        """At creates of ``type_`` (any, if left out)."""
        return self._faults.begin(Op.CREATE, type_, name)

    def update(self, type_: str | None = None, *, name: str | None = None) -> Rule:
        """At updates of ``type_`` (any, if left out)."""
        return self._faults.begin(Op.UPDATE, type_, name)

    def __getattr__(self, op: str) -> NoReturn:
        __tracebackhide__ = True
        raise AttributeError(f"Faults cannot be injected at {op!r} in this version: there are faults.on.create and .update.")


class Faults:
    """The faults of one double; ``layer`` is where they fire.

    Args:
        declared: asked for the resource types that are declared by now, with their names in Terraform.
        strict: asked whether there can be no others.
    """

    def __init__(self, declared: Callable[[], Mapping[str, str]] = dict, strict: Callable[[], bool] = lambda: False) -> None:
        self._rules: list[Rule] = []
        self._lock = threading.Lock()
        self._declared = declared
        self._strict = strict
        self.on = On(self)

    def begin(self, op: Op, type_: str | None, name: str | None) -> Rule:
        """A new rule after those that exist. Raises ``DefinitionError`` for a type that can only be misspelt."""
        if type_ is not None:
            naming.check(type_, self._declared(), strict=self._strict())
        return self.add(Rule(op, type_, name))

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
        fault = self._due(call) if self._rules else None
        return fault(call, proceed) if fault else proceed(call)

    def _due(self, call: Call) -> Layer | None:
        with self._lock:
            for rule in self._rules:
                rule.note(call)
            due = (rule.take() for rule in self._rules if rule.fits(call))
            return next((fault for fault in due if fault is not None), None)
