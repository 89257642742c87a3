"""The table of docs/proofs.md that says what is proved under both Pulumi engines."""

from __future__ import annotations

import re
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
ENGINES = HOUSE / "tests" / "engines"
COMPARING = [*ENGINES.glob("test_same_*.py"), ENGINES / "test_adopted_stacks.py"]


def test_the_table_names_every_comparison_and_nothing_else():
    """Each test that compares the two engines has a row, and each row a test."""
    page = (HOUSE / "docs" / "proofs.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|.*\| `(test_\w+\.py)::(test_\w+)` \|$", page, re.M)
    found = [(path.name, name) for path in COMPARING for name in re.findall(r"^def (test_\w+)\(", path.read_text(), re.M)]
    assert sorted(rows) == sorted(found)
