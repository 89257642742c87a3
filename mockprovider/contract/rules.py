"""A rule of the contract as data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from msgspec import Struct

from mockprovider.calls import Op
from mockprovider.contract.lives import StateTable
from mockprovider.contract.moments import History, Moment
from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean


class Party(StrEnum):
    """Who owes it."""

    ENGINE = "engine"
    PROVIDER = "provider"


class Severity(StrEnum):
    """What a breach is: an ``error`` fails a test, a ``warning`` is only listed."""

    ERROR = "error"
    WARNING = "warning"


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
            breaches are cells of a state table.
        severity: whether a breach fails a test.
        counts: whether it counts calls that are alike. A cassette keeps these once, and is not judged by it.
    """

    id: str
    party: Party
    says: str
    source: str
    mend: str
    ops: frozenset[Op]
    broken: Callable[[Moment], str] | None = None
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


class Contract:
    """The rules of a protocol, its tables of lives, and what makes the history of one side of a run.

    A history is made with a function that says whether an id is known without an answer.
    """

    def __init__(
        self, rules: Sequence[ContractRule], lives: Sequence[StateTable], history: Callable[[Callable[[str], bool]], History]
    ) -> None:
        self.rules = tuple(rules)
        self.lives = tuple(lives)
        self.history = history

    @cached_property
    def by_id(self) -> dict[str, ContractRule]:
        """The rules by their ids."""
        return {rule.id: rule for rule in self.rules}

    @cached_property
    def by_op(self) -> dict[tuple[Party, Op], tuple[ContractRule, ...]]:
        """The rules with a predicate about each op, by who owes them."""
        table: dict[tuple[Party, Op], Any] = {}
        for rule in self.rules:
            for op in rule.ops if rule.broken else ():
                table.setdefault((rule.party, op), []).append(rule)
        return {key: tuple(rules) for key, rules in table.items()}

    @cached_property
    def lives_by_op(self) -> dict[Op, tuple[StateTable, ...]]:
        """The tables in which each op can be out of order."""
        ops = {op for life in self.lives for _, op in life.broken}
        return {op: tuple(life for life in self.lives if any(op is known for _, known in life.broken)) for op in ops}
