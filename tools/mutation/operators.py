"""Every small change that a mutation tester may make to a module, as source text beside the original.

A mutant is one replaced piece of text, so it can be shown as a diff. What no test could notice is left alone: annotations,
docstrings, decorators, imports, and the texts of messages.
"""

from __future__ import annotations

import ast
import copy
import difflib
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

WORD = re.compile(r"[\w$./:-]+")
"""A string that the code compares or looks up; whatever has blanks in it is a message."""
UNTOLD = {"__all__", "__slots__", "__tracebackhide__"}
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
LEFT_OUT = (ast.Delete, ast.Raise, ast.Continue, ast.Break, ast.AugAssign, ast.Assert)
"""Statements that may be left out, beside calls and assignments to what exists already."""
JOINED = {"comparison", "and/or", "operand left out", "operands swapped", "not left out", "arithmetic", "condition negated"}
"""Operators whose text needs brackets inside of another expression."""
Change = tuple[str, ast.AST, str]
"""An operator's name, the node that it replaces, and the new text."""


@dataclass(frozen=True)
class Mutant:
    """One change of one module. ``lines`` are those of its statement: a test that runs one of them may notice it."""

    path: Path
    operator: str
    line: int
    span: tuple[int, int]
    text: str
    lines: range
    at_import: bool

    def source(self) -> str:
        """The module's text with the change made."""
        original = self.path.read_bytes()
        return (original[: self.span[0]] + self.text.encode() + original[self.span[1] :]).decode()

    def diff(self, name: str) -> str:
        """The change as a reviewer would see it."""
        before, after = self.path.read_text(encoding="utf-8"), self.source()
        return "\n".join(difflib.unified_diff(before.splitlines(), after.splitlines(), name, self.operator, n=1, lineterm=""))


def mutants_of(path: Path) -> list[Mutant]:
    """All mutants of a module, in the order of its lines."""
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for (name, node, text), lines, at_import in _changes(ast.parse(source)):
        span = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        found.append(Mutant(path, name, node.lineno, span, text, lines, at_import))
    return sorted(found, key=lambda mutant: (mutant.span, mutant.operator, mutant.text))


def sample(known: Sequence[Mutant], size: int, seed: int) -> list[Mutant]:
    """So many of the known mutants, the same for one seed, in the order of the lines; without those that are no Python."""
    drawn = random.Random(seed).sample(known, min(size, len(known)))
    return sorted(filter(_compiles, drawn), key=lambda mutant: (mutant.path, mutant.span))


def _compiles(mutant: Mutant) -> bool:
    try:
        compile(mutant.source(), mutant.path, "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def _changes(tree: ast.Module) -> Iterator[tuple[Change, range, bool]]:
    """Each change with the lines of its statement, and whether they run when the module is imported."""
    for statement, function in _statements(tree, None):
        lines = _lines(statement)
        bound = _bound_before(statement, function) if function else frozenset()
        for change in (*_of_statement(statement, function, bound), *_of_expressions(statement, function)):
            yield change, lines, function is None


def _statements(node: ast.AST, function: ast.FunctionDef | None) -> Iterator[tuple[ast.stmt, ast.FunctionDef | None]]:
    """The statements that count, each with the function that it is in."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt) and _counts(child):
            yield child, function
        if not (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)) and not isinstance(child, ast.expr):
            inner = child if isinstance(child, ast.FunctionDef) else function
            yield from _statements(child, inner)


def _counts(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if any(isinstance(target, ast.Name) and target.id in UNTOLD for target in targets):
        return False
    return not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))


def _lines(statement: ast.stmt) -> range:
    """The lines that run if the statement does: of one that has others inside, its head; of a function, all."""
    end = statement.end_lineno or statement.lineno
    body = getattr(statement, "body", None)
    if body and not isinstance(statement, ast.FunctionDef):
        end = max(statement.lineno, body[0].lineno - 1)
    return range(statement.lineno, end + 1)


def _bound_before(statement: ast.stmt, function: ast.FunctionDef) -> frozenset[str]:
    """The names that the function has bound above this statement."""
    arguments = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
    names = (node for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    return frozenset(arguments | {name.id for name in names if name.lineno < statement.lineno})


# Statements ---------------------------------------------------------------------------------------------------------------


def _of_statement(statement: ast.stmt, function: ast.FunctionDef | None, bound: frozenset[str]) -> Iterator[Change]:
    if function is None:
        return
    if isinstance(statement, LEFT_OUT) or _effect(statement) or _rebinds(statement, bound):
        yield "statement left out", statement, "pass"
    if isinstance(statement, ast.Return) and statement.value is not None and not _is_none(statement.value):
        yield "None returned", statement, "return None"
    if isinstance(statement, ast.If) and not isinstance(statement.test, (ast.Compare, ast.UnaryOp, ast.BoolOp)):
        yield "condition negated", statement.test, f"not ({ast.unparse(statement.test)})"


def _effect(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, (ast.Call, ast.Yield, ast.YieldFrom))


def _rebinds(statement: ast.stmt, bound: frozenset[str]) -> bool:
    if not isinstance(statement, ast.Assign):
        return False
    target = statement.targets[0]
    return isinstance(target, (ast.Attribute, ast.Subscript)) or (isinstance(target, ast.Name) and target.id in bound)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


# Expressions --------------------------------------------------------------------------------------------------------------


def _of_expressions(statement: ast.stmt, function: ast.FunctionDef | None) -> Iterator[Change]:
    for root in _expressions(statement):
        condition = root is getattr(statement, "test", None)
        for name, node, text in _of_expression(root, condition=condition, in_table=function is None):
            yield name, node, f"({text})" if node is not root and name in JOINED else text


def _expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement itself, without annotations and decorators."""
    if isinstance(statement, ast.FunctionDef):
        yield from (default for default in (*statement.args.defaults, *statement.args.kw_defaults) if default)
    elif isinstance(statement, ast.AnnAssign):
        yield from (statement.value,) if statement.value else ()
    elif isinstance(statement, ast.With):
        yield from (item.context_expr for item in statement.items)
    elif not isinstance(statement, ast.ClassDef):
        yield from (child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.expr))


def _of_expression(node: ast.AST, *, condition: bool, in_table: bool) -> Iterator[Change]:
    if isinstance(node, ast.JoinedStr):
        return
    if isinstance(node, ast.Compare):
        yield from _compared(node)
    elif isinstance(node, ast.BoolOp):
        yield from _joined(node, condition=condition)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not left out", node, ast.unparse(node.operand)
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        yield "arithmetic", node, _with(node, op=ARITHMETIC[type(node.op)]())
    elif isinstance(node, ast.Constant):
        yield from _constant(node)
    elif in_table and isinstance(node, (ast.Dict, ast.Tuple, ast.List, ast.Set)):
        yield from _rows(node)
    if isinstance(node, ast.IfExp) and not isinstance(node.test, (ast.Compare, ast.UnaryOp, ast.BoolOp)):
        yield "condition negated", node.test, f"not ({ast.unparse(node.test)})"
    # Outside of functions what stands in square brackets is a type.
    subscripted = in_table and isinstance(node, ast.Subscript)
    for child in [node.value] if subscripted else ast.iter_child_nodes(node):
        tested = child is getattr(node, "test", None) or child in getattr(node, "ifs", ())
        inherited = condition and isinstance(node, (ast.BoolOp, ast.UnaryOp))
        if not isinstance(child, (ast.expr_context, ast.arg)):
            yield from _of_expression(child, condition=tested or inherited, in_table=in_table)


def _with(node: ast.expr, **fields: object) -> str:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return ast.unparse(changed)


def _compared(node: ast.Compare) -> Iterator[Change]:
    for index, op in enumerate(node.ops):
        other = COMPARISONS[type(op)]()
        yield "comparison", node, _with(node, ops=[*node.ops[:index], other, *node.ops[index + 1 :]])


def _joined(node: ast.BoolOp, *, condition: bool) -> Iterator[Change]:
    yield "and/or", node, _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    for index in range(len(node.values)):
        left = [*node.values[:index], *node.values[index + 1 :]]
        yield "operand left out", node, ast.unparse(left[0]) if len(left) == 1 else _with(node, values=left)
    # Where only truth counts, the order of looking is all that would change.
    truths = condition or all(isinstance(value, (ast.Compare, ast.UnaryOp)) for value in node.values)
    either = isinstance(node.op, ast.Or) and not truths
    for index, (one, other) in enumerate(pairwise(node.values) if either else ()):
        swapped = [*node.values[:index], other, one, *node.values[index + 2 :]]
        yield "operands swapped", node, _with(node, values=swapped)


def _constant(node: ast.Constant) -> Iterator[Change]:
    if isinstance(node.value, bool):
        yield "constant", node, str(not node.value)
    elif isinstance(node.value, int):
        yield "constant", node, str(node.value + 1)
    elif isinstance(node.value, str) and WORD.fullmatch(node.value):
        yield "constant", node, repr(f"{node.value}_")


def _rows(node: ast.Dict | ast.Tuple | ast.List | ast.Set) -> Iterator[Change]:
    pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ((each, each) for each in node.elts)
    rows = [(key or value, value) for key, value in pairs]
    for (start, _), (following, _) in pairwise(rows):
        yield "row left out", _between(start.lineno, start.col_offset, following.lineno, following.col_offset), ""
    for (_, end), (_, last) in pairwise(rows[-2:]):
        yield "row left out", _between(end.end_lineno, end.end_col_offset, last.end_lineno, last.end_col_offset), ""


def _between(line: int | None, column: int | None, end_line: int | None, end_column: int | None) -> ast.AST:
    """A node that stands for a piece of text."""
    return ast.Pass(lineno=line, col_offset=column, end_lineno=end_line, end_col_offset=end_column)
