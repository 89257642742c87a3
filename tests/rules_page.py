"""The reference page of the contract, with a breach of each rule. ``python tests/rules_page.py`` writes it."""

from __future__ import annotations

from pathlib import Path

from contract_cases import CASES

from mockprovider.contract import page
from mockprovider.double.contract import contracts

PAGE = Path(__file__).resolve().parents[1] / "docs" / "contract-rules.md"


def written() -> str:
    """The text of the page."""
    return page(contracts(), {id_: _breach(id_) for id_ in CASES})


def _breach(id_: str) -> str:
    """What is told of the run that breaks a rule."""
    begin, breaks, _ = CASES[id_]
    run = begin()
    breaks(run)
    breach = next(breach for breach in run.double.contract.breaches if breach.rule.id == id_)
    return f"`{breach.call}`: {breach.how}"


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
