"""A rule of the contract as data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, TypeAlias

from msgspec import Struct

from mockprovider.calls import Op
from mockprovider.contract.lives import StateTable
from mockprovider.contract.moments import History
from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean
from mockprovider.values import Output, ResourceReference, Secret, Unknown, Value, children, is_plain


class Party(StrEnum):
    """Who owes it."""

    ENGINE = "engine"
    PROVIDER = "provider"


class Severity(StrEnum):
    """What a breach is: an ``error`` fails a test, a ``warning`` is only listed."""

    ERROR = "error"
    WARNING = "warning"


class Condition(StrEnum):
    """What must be so for a call to break a rule: where it is not, the rule is not asked."""

    REAL = "real"
    """The call is no preview."""
    OK = "ok"
    """The answer says that nothing went wrong."""
    FAILED = "failed"
    """The answer says that something did."""
    UNKNOWN = "unknown"
    """There is an unknown in what is sent, for engines, or answered, for providers."""
    SECRET = "secret"  # noqa: S105 - a word
    """There is a secret in it."""
    OUTPUT = "output"
    """There is an output value in it."""
    REFERENCE = "reference"
    """There is a resource reference in it."""


MARKS: Mapping[type, Condition] = {
    Unknown: Condition.UNKNOWN,
    Secret: Condition.SECRET,
    Output: Condition.OUTPUT,
    ResourceReference: Condition.REFERENCE,
}
NO_MARKS: frozenset[Condition] = frozenset()


class ValueMarks:
    """What is in values beside texts, numbers, lists and maps: in most nothing.

    One bag stands in many calls, and is looked through once, until ``forget``: values may change from then on.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Value, frozenset[Condition]]] = {}

    def __call__(self, value: Value) -> frozenset[Condition]:
        """The marks of one value."""
        known = self._known.get(id(value))
        if known is None:
            # The value is kept beside its number, which another value would get else.
            known = self._known[id(value)] = (value, NO_MARKS if is_plain(value) else _marks(value))
        return known[1]

    def of(self, values: Iterable[Value]) -> frozenset[Condition]:
        """The marks of several values together."""
        marks = NO_MARKS
        for value in filter(None, values):
            marks = marks | own if (own := self(value)) else marks
        return marks

    def forget(self) -> None:
        """Values may have changed."""
        self._known.clear()


def _marks(value: Value) -> frozenset[Condition]:
    marks, inside = set(), [value]
    while inside:
        part = inside.pop()
        if type(part) in MARKS:
            marks.add(MARKS[type(part)])
        inside.extend(children(part))
    return frozenset(marks)


class ContractRule(Struct, frozen=True, kw_only=True):
    """One rule.

    Args:
        id: its name, in capitals, which begins with the protocol's.
        party: who owes it. What an engine owes is judged when it asks, what a provider owes when it has answered.
        says: the rule in one sentence.
        source: the document and the place in it, or the engine's code.
        mend: what to do where it is broken.
        ops: the ops that it is about.
        broken: what is wrong with one call, in words; empty where the rule is kept. ``None`` for a rule of order, whose
            breaches are cells of a state table. A provider's is asked of answers, and of no call that never had one.
        when: what else must be so, for the predicate to be asked at all.
        severity: whether a breach fails a test.
        counts: whether it counts calls that are alike. A cassette keeps these once, and is not judged by it.
    """

    id: str
    party: Party
    says: str
    source: str
    mend: str
    ops: frozenset[Op]
    broken: Callable[[Any], str] | None = None
    when: frozenset[Condition] = frozenset()
    severity: Severity = Severity.ERROR
    counts: bool = False


def in_order(table: StateTable, rule: str, **words: Any) -> ContractRule:
    """The rule of order that cells of a table name, which engines owe."""
    return ContractRule(id=rule, party=Party.ENGINE, ops=table.ops(rule), **words)


def chosen(pattern: str, rules: Iterable[ContractRule]) -> list[ContractRule]:
    """The rules whose ids fit a pattern, in any case and with wildcards. Raises ``DefinitionError`` where there is none."""
    known = [*rules]
    fitting = [rule for rule in known if isinstance(pattern, str) and fnmatchcase(rule.id, pattern.upper())]
    if not fitting:
        hint = did_you_mean(str(pattern).upper(), [rule.id for rule in known], "There are")
        raise DefinitionError(f"No rule of the contract is called {pattern!r}. {hint}")
    return fitting


Asked: TypeAlias = tuple[tuple[ContractRule, Callable[[Any], str]], ...]
"""Rules that are asked of a call, with their predicates."""
Facts: TypeAlias = tuple[Op, bool, bool, frozenset[Condition]]
"""What decides which rules are asked: the op, whether it is no preview, whether it went well, and what is in the values."""


class Contract:
    """The rules of a protocol, its tables of lives, and what makes the history that the rules of each party look at.

    A history is made with two functions: whether an id is known without an answer, and what is in a value (``ValueMarks``).
    """

    def __init__(
        self,
        rules: Sequence[ContractRule],
        lives: Sequence[StateTable],
        histories: Mapping[Party, Callable[[Callable[[str], bool], ValueMarks], History]],
    ) -> None:
        self.rules = tuple(rules)
        self.lives = tuple(lives)
        self.histories = histories
        self._asked: dict[Party, dict[Facts, Asked]] = {party: {} for party in Party}

    @cached_property
    def by_id(self) -> dict[str, ContractRule]:
        """The rules by their ids."""
        return {rule.id: rule for rule in self.rules}

    def marking(self, party: Party) -> frozenset[Op]:
        """The ops of which a rule of a party is about calls with certain values alone."""
        about = (rule for rule in self.rules if rule.party is party and not rule.when.isdisjoint(MARKS.values()))
        return frozenset(op for rule in about for op in rule.ops)

    def asked(self, party: Party, facts: Facts) -> Asked:
        """The rules that a party can break with a call of which all this is so."""
        asked = self._asked[party].get(facts)
        if asked is None:
            asked = self._asked[party][facts] = tuple(self._fitting(party, facts))
        return asked

    def _fitting(self, party: Party, facts: Facts) -> Iterator[tuple[ContractRule, Callable[[Any], str]]]:
        op, real, ok, marks = facts
        so = {*marks, Condition.OK if ok else Condition.FAILED, *((Condition.REAL,) if real else ())}
        for rule in self.rules:
            if rule.broken and rule.party is party and op in rule.ops and rule.when <= so:
                yield rule, rule.broken

    @cached_property
    def lives_by_op(self) -> dict[Op, tuple[StateTable, ...]]:
        """The tables in which each op can be out of order."""
        ops = {op for life in self.lives for _, op in life.broken}
        return {op: tuple(life for life in self.lives if any(op is known for _, known in life.broken)) for op in ops}
