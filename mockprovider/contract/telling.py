"""Breaches for people: each rule once, with the calls that broke it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mockprovider.contract.watching import Breach

SHOWN = 3
"""How many of the calls that broke one rule are listed."""


def tell(breaches: Sequence[Breach]) -> Iterator[str]:
    """Lines about breaches: the rule and its source, the calls and what is wrong with each, and what to do."""
    by_rule: dict[str, list[Breach]] = {}
    for breach in breaches:
        by_rule.setdefault(breach.rule.id, []).append(breach)
    for id_, broken in by_rule.items():
        rule = broken[0].rule
        yield f"{id_}: {rule.says} ({rule.source})"
        yield from (f"  {breach.n:>4} {breach.call}: {breach.how}" for breach in broken[:SHOWN])
        if len(broken) > SHOWN:
            yield f"       and {len(broken) - SHOWN} more"
        yield f"  {rule.mend}"
