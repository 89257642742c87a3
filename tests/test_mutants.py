"""The mutation tester: what it changes, what it leaves alone, and what it says of a toy."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from mutation.operators import mutants_of, sample

TOOL = Path(__file__).resolve().parent.parent / "tools" / "mutants"


def changed(tmp_path, body):
    """What the mutants of a module replace and put in its place: ``old -> new``."""
    path = tmp_path / "module.py"
    path.write_text(textwrap.dedent(body))
    text = path.read_text()
    return [f"{text[slice(*mutant.span)]} -> {mutant.text}" for mutant in mutants_of(path)]


@pytest.mark.parametrize(
    ("line", "mutants"),
    [
        ("x = a < b", ["a < b -> a <= b"]),
        ("x = a is not None", ["a is not None -> a is None"]),
        ("x = a not in b", ["a not in b -> a in b"]),
        ("x = a and b", ["a and b -> a or b", "a and b -> a", "a and b -> b"]),
        ("x = a or b", ["a or b -> a and b", "a or b -> a", "a or b -> b", "a or b -> b or a"]),
        ("if a or b: y()", ["a or b -> a and b", "a or b -> a", "a or b -> b", "y() -> pass"]),
        ("x = not a", ["not a -> a"]),
        ("x = a + b", ["a + b -> a - b"]),
        ("x = 1", ["1 -> 2"]),
        ("x = True", ["True -> False"]),
        ("x = 'word'", ["'word' -> 'word_'"]),
        ("y(a)", ["y(a) -> pass"]),
        ("a = y(a)", ["a = y(a) -> pass"]),
        ("a.b = c", ["a.b = c -> pass"]),
        ("raise y", ["raise y -> pass"]),
        ("return a", ["return a -> return None"]),
        ("if a: y()", ["a -> not (a)", "y() -> pass"]),
        ("x = y if a else b", ["a -> (not (a))"]),
    ],
)
def test_what_is_changed(tmp_path, line, mutants):
    """A comparison turns, a constant is another, an operand, a `not` or a statement is left out, a value is not returned."""
    assert sorted(changed(tmp_path, f"def f(a, b):\n    {line}\n")) == sorted(mutants)


@pytest.mark.parametrize(
    "module",
    [
        '"""A docstring."""',
        "import a.b",
        "__all__ = ['a', 'b']",
        "def f(a: 'word' = None) -> 'word': ...",
        "@decorated(1)\ndef f(): ...",
        "def f():\n    x = f'{1}'",
        "def f():\n    x = 'a message, and no word'",
        "def f():\n    return None",
        "if TYPE_CHECKING:\n    x = 1",
        "Names = Mapping[str, int]",
    ],
)
def test_what_no_test_could_notice_is_left_alone(tmp_path, module):
    """Docstrings, imports, annotations, decorators and the texts of messages stay as they are."""
    assert changed(tmp_path, module) == []


def test_tables_lose_rows(tmp_path):
    """Outside of functions a table loses one row at a time, and a member of an enum its word."""
    assert changed(tmp_path, "X = {a: b, c: d, e: f}") == ["a: b,  -> ", "c: d,  -> ", ", e: f -> "]
    assert changed(tmp_path, "X = f([a, b])") == ["a,  -> ", ", b -> "]
    assert changed(tmp_path, "class A(StrEnum):\n    ONE = 'one'\n") == ["'one' -> 'one_'"]


def test_a_seed_names_a_sample(tmp_path):
    """One seed draws the same mutants each time, and another one others; all of them are Python."""
    path = tmp_path / "module.py"
    path.write_text("X = [1, 2, 3, 4, 5, 6, 7, 8, 9]\n")
    known = mutants_of(path)

    assert sample(known, 5, 1) == sample(known, 5, 1) != sample(known, 5, 2)
    assert len(sample(known, 5, 1)) == 5
    assert set(sample(known, 1000, 1)) == set(known)


FARES = """
def fare(age, member):
    if age < 6:
        return 0
    return 5 if member else 10


def refund(age):
    return fare(age, True)


def doubled(price):
    return price * 2


TICKET = doubled(10)


def paid(function):
    def inner(price):
        return function(price) + 1

    return inner


class Desk:
    @paid
    def price(self):
        return self.fee
"""
TESTS = """
import pytest

from toy.fares import TICKET, Desk, fare


def test_what_was_made_at_import():
    assert TICKET == 20


def test_the_desk_is_paid():
    desk = Desk()
    desk.fee = 2
    assert desk.price() == 3


def test_children_go_free():
    assert fare(3, False) == 0


@pytest.mark.parametrize("age", [30], ids=["a|b"])
def test_others_pay(age):
    assert fare(age, False) == 10


def test_what_fails_anyway():
    assert fare(30, True) == 4
"""


def test_a_toy(tmp_path):
    """Survivors are shown as diffs with the nearest test, then a line sums up; the module is as it was."""
    for name, text in {"toy/__init__.py": "", "toy/fares.py": FARES, "tests/test_fares.py": TESTS}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    command = [sys.executable, TOOL, "fares", "--root", tmp_path, "--package", "toy", "--jobs", "1"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert "left out:\n  tests/test_fares.py::test_what_fails_anyway\n" in said
    assert (
        "--- toy/fares.py:3\n+++ comparison\n@@ -2,3 +2,3 @@\n def fare(age, member):\n"
        "-    if age < 6:\n+    if age <= 6:\n         return 0\n# nearest of 2 tests: tests/test_fares.py::test_"
    ) in said
    assert "-    return fare(age, True)\n+    return None\n \n# no test runs this line\n" in said
    assert said.splitlines()[-1] == (
        "fares: 19 of 19 mutants, seed 0: 14 noticed (0 hung), 5 survived (26.3 %), 2 of them in lines that no test runs"
    )
    assert (tmp_path / "toy/fares.py").read_text() == FARES
