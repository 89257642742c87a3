"""Every fault under the embedded engine, beside what the real one did; and the table that docs/faults.md shows of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fault_stage import ENGINES, OUTCOMES, ROWS, outcome, table

from mockprovider.faults import KINDS

SEEN = json.loads(OUTCOMES.read_text(encoding="utf-8"))
PAGE = OUTCOMES.with_name("faults.md")


@pytest.mark.parametrize("row", ROWS)
def test_the_embedded_engine_does_what_pulumi_does(row: str, tmp_path: Path) -> None:
    """A broken run under the embedded engine ends, remembers and recovers as it does under the real one."""
    assert outcome(row, "embedded", tmp_path) == SEEN[row]["embedded"] == SEEN[row]["pulumi"]


def test_the_table_has_every_fault_and_engine() -> None:
    """What was seen is of each row under each engine, and each kind of fault is in a row."""
    assert [*SEEN] == [*ROWS]
    assert {tuple(results) for results in SEEN.values()} == {tuple(ENGINES)}
    assert {kind for kind in KINDS if not any(f".{kind}(" in row for row in ROWS)} == set()


def test_the_page_shows_what_was_seen() -> None:
    """docs/faults.md has the table as it was seen; `python tests/fault_stage.py` writes it anew."""
    page = PAGE.read_text(encoding="utf-8")
    assert page.partition("<!-- outcomes -->\n")[2].partition("\n<!-- /outcomes -->")[0] == table()
