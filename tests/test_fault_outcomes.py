"""Every fault under the embedded engine, beside what the real one did; and the table that docs/faults.md shows of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fault_pages import PAGES, page
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


@pytest.mark.parametrize("word", KINDS)
def test_each_kind_has_a_page(word: str) -> None:
    """docs/faults has a page of each kind, as the code tells it, and docs/faults.md leads there."""
    assert (PAGES / f"{word}.md").read_text(encoding="utf-8") == page(word, KINDS[word])
    assert f"[{word}](faults/{word}.md)" in PAGE.read_text(encoding="utf-8")


def test_there_are_no_other_pages() -> None:
    """A kind that is gone takes its page with it."""
    assert {path.stem for path in PAGES.glob("*")} == {*KINDS}
