"""The tables that say where each of Pulumi's own engine tests is told anew: every row leads to a test, or gives a reason.

``go_tests.txt`` has the names of those tests by file, as ``pkg/engine/lifecycletest`` of pulumi 3.259 has them.
"""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
LIFECYCLE = ROOT / "tests" / "lifecycle"
TABLES = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(LIFECYCLE.glob("tables/*.toml"))}
"""By Go file the rows of its table: a Go test, and where it is told or why not."""
GO_TESTS: defaultdict[str, set[str]] = defaultdict(set)
"""The names of the tests in each Go file."""
for file, test in map(str.split, (LIFECYCLE / "go_tests.txt").read_text(encoding="utf-8").splitlines()):
    GO_TESTS[file].add(test)


@cache
def functions_of(file: str) -> frozenset[str]:
    """The names of the test functions in a file of this repository."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


def leads_somewhere(name: str, value: object) -> bool:
    """Whether a row is of a test, and names tests that exist or gives a sentence as the reason why there is none."""
    if isinstance(value, dict):
        good = list(value) == ["reason"] and len(value["reason"]) > 20
    else:
        places = [place.partition("::") for place in ([value] if isinstance(value, str) else value)]
        good = all((ROOT / file).is_file() and test in functions_of(file) for file, _, test in places)
    return good and name.startswith("Test")


def test_every_row_leads_somewhere():
    """Each row names tests that exist, or says in a sentence why there is none."""
    assert [
        (file, name) for file, rows in TABLES.items() for name, value in rows.items() if not leads_somewhere(name, value)
    ] == []


def test_all_tests_have_rows_and_no_others():
    """Each test of a Go file has a row in the table of that file, and no table has a row for any other test."""
    assert {file: {*rows} for file, rows in TABLES.items()} == GO_TESTS
