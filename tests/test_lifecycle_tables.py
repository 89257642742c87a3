"""The tables that say where each of Pulumi's own engine tests is told anew: every row leads to a test, or gives a reason.

``go_tests.txt`` has the names of those tests by file, as ``pkg/engine/lifecycletest`` of pulumi 3.259 has them.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TABLES = sorted((ROOT / "tests" / "lifecycle" / "tables").glob("*.toml"))
NAMES = [line.split() for line in (ROOT / "tests" / "lifecycle" / "go_tests.txt").read_text(encoding="utf-8").splitlines()]
"""The Go files and tests."""


@cache
def functions_of(file: str) -> frozenset[str]:
    """The names of the test functions in a file of this repository."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


def rows(table: Path) -> Iterator[tuple[str, object]]:
    """The rows of a table: a Go test, and where it is told or why not."""
    yield from tomllib.loads(table.read_text(encoding="utf-8")).items()


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_every_row_leads_somewhere(table):
    """Each row names tests that exist, or says in a sentence why there is none."""
    wrong = []
    for name, value in rows(table):
        if isinstance(value, dict):
            good = list(value) == ["reason"] and len(value["reason"]) > 20
        else:
            places = [value] if isinstance(value, str) else list(value)
            good = all(
                (ROOT / file).is_file() and test in functions_of(file) for file, _, test in (p.partition("::") for p in places)
            )
        if not good or not name.startswith("Test"):
            wrong.append(name)
    assert wrong == []


@cache
def go_tests(file: str) -> frozenset[str]:
    """The names of the tests in a Go file."""
    return frozenset(name for stem, name in NAMES if stem == file)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_rows_are_of_that_file(table):
    """A table has no row for a test that its file does not have."""
    assert {name for name, _ in rows(table)} - go_tests(table.stem) == set()


@pytest.mark.parametrize("file", sorted({stem for stem, _ in NAMES}))
def test_all_tests_have_rows(file):
    """No test of any file is missing."""
    table = ROOT / "tests" / "lifecycle" / "tables" / f"{file}.toml"
    assert go_tests(file) - {name for name, _ in rows(table)} == set()
