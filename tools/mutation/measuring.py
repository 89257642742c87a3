"""A pytest plugin that notes how many seconds each test took, and which lines of a package's functions it ran.

Each statement says itself that it is run. A tracer would not do: with one, CPython does nothing else once an exception was
raised in a thread that hangs, which is how operations that hang are ended.
"""

from __future__ import annotations

import ast
import builtins
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType

import pytest

SECONDS: defaultdict[str, float] = defaultdict(float)
RAN: defaultdict[str, set[tuple[str, int]]] = defaultdict(set)
"""The files and lines that each test ran; under an empty name what runs at import."""
MARK = "__ran__"


class _Marking(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - the protocol's
        return compile(_marked(ast.parse(self.get_data(self.path)), self.path), self.path, "exec", dont_inherit=True)


class Finder:
    """Finds the modules of a package, whose functions then mark what they run."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002
        """The specification of a module."""
        spec = PathFinder.find_spec(name, path) if name.partition(".")[0] == os.environ["MUTANTS_PACKAGE"] else None
        if spec is not None and spec.origin is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Marking(name, spec.origin)
        return spec


def _marked(tree: ast.Module, path: str) -> ast.Module:
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for node in ast.walk(function):
                for name in ("body", "orelse", "finalbody"):
                    statements = getattr(node, name, None)
                    # Of a function inside of another it is done once.
                    if isinstance(statements, list) and not (statements and hasattr(statements[0], MARK)):
                        setattr(node, name, list(_with_marks(statements, path)))
    return ast.fix_missing_locations(tree)


def _with_marks(statements: list[ast.stmt], path: str) -> Iterator[ast.stmt]:
    for statement in statements:
        setattr(statement, MARK, True)
        mark = ast.Call(ast.Name(MARK, ast.Load()), [ast.Constant((path, statement.lineno))], [])
        marking = ast.copy_location(ast.Expr(mark), statement)
        # A docstring is one where it comes first.
        yield from (statement, marking) if _is_text(statement) else (marking, statement)


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


setattr(builtins, MARK, RAN[""].add)
sys.meta_path.insert(0, Finder())


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """What runs now, this test runs; also what its threads do until the next one begins."""
    setattr(builtins, MARK, RAN[item.nodeid].add)
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up set-up, call and teardown; with xdist the controller hears of all of them."""
    SECONDS[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write what was measured: the lines where tests ran, the seconds where all are known."""
    folder = Path(os.environ["MUTANTS_MEASURED"])
    if not hasattr(session.config, "workerinput"):
        (folder / "seconds.json").write_text(json.dumps(SECONDS))
    lines = {name: sorted(ran) for name, ran in RAN.copy().items()}
    (folder / f"lines-{os.getpid()}.json").write_text(json.dumps(lines))
