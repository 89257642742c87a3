"""The page of reported bugs and the examples say the same."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
ROW = re.compile(r"^\| \[[^]]+]\((\S+)\) \|.*?\| (`test_.*?) \| \S.* \|$", re.M)


def shown() -> set[tuple[str, str]]:
    """Each test that the table of the page names, with the tracker's entry."""
    rows = ROW.findall((HOUSE / "docs" / "bugs.md").read_text(encoding="utf-8"))
    return {(test, tracked) for tracked, tests in rows for test in re.findall(r"`(test_\w+)`", tests)}


def written() -> Iterator[tuple[str, str]]:
    """Each test of the examples, with the last line of its docstring."""
    for path in (HOUSE / "examples" / "bugs").glob("test_*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield node.name, (ast.get_docstring(node) or "").rpartition("\n")[2]


def test_the_page_names_every_example():
    """Each example is in the table beside the tracker's entry that its docstring names, and nothing else is."""
    assert shown() == set(written())


def test_there_are_at_least_ten():
    """Ten reports or more have their tests."""
    assert len({tracked for _, tracked in shown()}) >= 10
