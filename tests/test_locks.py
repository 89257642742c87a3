"""Who holds a lock while others are asked."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "mockprovider"
LOCK = re.compile(r"lock|turn|transaction\(\)|guard|condition", re.IGNORECASE)


def holders(source):
    """The lines of ``source`` on which ``proceed`` is called inside of a lock's ``with`` block."""
    for block in ast.walk(ast.parse(source)):
        if isinstance(block, ast.With) and any(LOCK.search(ast.unparse(item.context_expr)) for item in block.items):
            inside = (node for statement in block.body for node in ast.walk(statement))
            yield from (node.lineno for node in inside if isinstance(node, ast.Call) and ast.unparse(node.func) == "proceed")


def test_no_lock_across_proceed():
    """Nothing goes on to the next layer while it holds a lock."""
    sources = {path.name: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    layers = {name: source for name, source in sources.items() if "proceed(" in source}

    assert len(layers) > 10
    assert {name: lines for name, source in layers.items() if (lines := list(holders(source)))} == {}


@pytest.mark.parametrize("lock", ["self._lock", "world.cloud.transaction()"])
def test_a_lock_across_proceed_is_found(lock):
    """The search finds what it is for."""
    assert list(holders(f"def layer(call, proceed):\n    with {lock}:\n        return proceed(call)\n")) == [3]
