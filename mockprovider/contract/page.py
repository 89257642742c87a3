"""The reference page of a contract, made of its rules and its tables of lives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from mockprovider.contract.lives import StateTable
from mockprovider.contract.rules import Contract, ContractRule, Party, Severity

TITLES: Mapping[Party, str] = {
    Party.ENGINE: "What an engine owes",
    Party.PROVIDER: "What a provider owes",
}


def page(contracts: Mapping[str, Contract], examples: Mapping[str, str] = MappingProxyType({})) -> str:
    """All rules in Markdown, by protocol and by who owes them, after the tables that order rules are drawn from.

    ``examples`` are breaches in words, by the id of their rule.
    """
    return "\n".join(_lines(contracts, examples)) + "\n"


def _lines(contracts: Mapping[str, Contract], examples: Mapping[str, str]) -> Iterator[str]:
    yield "# The rules of the contract"
    yield ""
    yield "`mockprovider contract rules` prints them. [The contract](contract.md) says what they are for, and how to allow one."
    for family, contract in contracts.items():
        yield from ("", f"## {family}")
        for life in contract.lives:
            yield from ("", f"### The life of {life.name}", "", *_drawn(life))
        for party, title in TITLES.items():
            yield from ("", f"### {title}")
            for rule in contract.rules:
                if rule.party is party:
                    yield from ("", *_described(rule, examples.get(rule.id, "")))


def _drawn(life: StateTable) -> Iterator[str]:
    events = tuple(dict.fromkeys(life.events.values()))
    yield f"| | {' | '.join(events)} |"
    yield f"|---{'|---' * len(events)}|"
    for state in life.states:
        yield f"| **{state}** | {' | '.join(_cell(life, state, event) for event in events)} |"


def _cell(life: StateTable, state: str, event: str) -> str:
    rule = life.wrong.get((state, event))
    return f"breaks `{rule}`" if rule else life.moves.get((state, event), "")


def _described(rule: ContractRule, example: str) -> Iterator[str]:
    severity = "" if rule.severity is Severity.ERROR else " It is a warning, and fails no test."
    counts = " Cassettes, which keep calls that are alike once, are not judged by it." if rule.counts else ""
    # A heading, so that other pages can link to the rule.
    yield from (f"#### `{rule.id}`", "", f"{rule.says}{severity}{counts}", "")
    yield f"- Source: {rule.source}."
    yield f"- About: {', '.join(sorted(op.value for op in rule.ops))}."
    if example:
        yield f"- A breach: {example}"
    yield f"- What to do: {rule.mend}"
