"""Other objects' values in the place of some objects', as tables."""

from __future__ import annotations

from typing import Any

import pytest

from mockprovider.cassette.objects import GeneratedValue, Mark, Renaming, is_verbatim
from mockprovider.cassette.objects.values import text


def leaf(value: Any, name: str = "") -> GeneratedValue:
    return GeneratedValue("leaf", name, value)


def hidden(number: int, kind: str = "string") -> GeneratedValue:
    return GeneratedValue("secret", kind, number)


A, B, C = text("a-1111"), text("b-2222"), text("c-3333")

CHANGES = {
    text("logs-1a"): text("logs-2b"),
    leaf(80, "port"): leaf(81, "port"),
    leaf(4000): leaf(5000),
    hidden(7): hidden(8),
    hidden(1, "bool"): hidden(2, "bool"),
    leaf("same"): leaf("same"),
}
PLACED = {Mark("at", leaf("10:00")): leaf("11:00"), Mark("to", text("x-1111")): text("x-2222"), Mark("k", A): A}

RENAMED: dict[str, tuple[Any, Any]] = {
    "a text": ("logs-1a", "logs-2b"),
    "inside a text": ("arn:logs-1a:x/logs-1a", "arn:logs-2b:x/logs-2b"),
    "inside a word": ("xlogs-1a", "xlogs-1a"),
    "a number of its name": ({"port": 80, "size": 80}, {"port": 81, "size": 80}),
    "a number anywhere": ([4000, {"a": 4000}], [5000, {"a": 5000}]),
    "a secret": ({"k": {"$secret": 7}}, {"k": {"$secret": 8}}),
    "a secret of a kind": ({"$secret": 1, "kind": "bool"}, {"$secret": 2, "kind": "bool"}),
    "a secret of another kind": ({"$secret": 7, "kind": "bool"}, {"$secret": 7, "kind": "bool"}),
    "a value that stays": ("same", "same"),
    "a value of one place": ({"at": "10:00", "on": "10:00"}, {"at": "11:00", "on": "10:00"}),
    "a value of one place in a list": ({"at": ["10:00"]}, {"at": ["11:00"]}),
    "a text of one place": ({"to": "a/x-1111", "from": "a/x-1111"}, {"to": "a/x-2222", "from": "a/x-1111"}),
    "nothing of it": ({"a": [1, None, True, 0.5, "x"]}, {"a": [1, None, True, 0.5, "x"]}),
}


@pytest.mark.parametrize(("tree", "renamed"), [pytest.param(*row, id=rule) for rule, row in RENAMED.items()])
def test_renaming(tree: Any, renamed: Any) -> None:
    """A value is replaced wherever it is, or under one key, as a whole or inside of a text."""
    renaming = Renaming(CHANGES, PLACED)
    assert renaming(tree) == renamed
    assert not renaming.changes_nothing


def test_renaming_under_a_key() -> None:
    """A tree may itself stand under a key."""
    assert Renaming(CHANGES, PLACED)(80, "port") == 81
    assert Renaming(CHANGES, PLACED)(80) == 80


@pytest.mark.parametrize(
    ("renaming", "nothing"),
    [
        (Renaming({}), True),
        (Renaming({A: A}), True),
        (Renaming({A: A}, {Mark("k", B): B}), True),
        (Renaming({A: B}), False),
        (Renaming({}, {Mark("k", A): B}), False),
    ],
)
def test_what_changes_nothing(renaming: Renaming, nothing: bool) -> None:
    """Values in their own place are no change, and the tree itself comes back."""
    tree = {"k": ["x"]}
    assert renaming.changes_nothing is nothing
    assert (renaming(tree) is tree) is nothing


SURE = {
    "nothing": ([], True),
    "a value that is known": ([Mark("k", A)], True),
    "a doubtful one": ([Mark("k", B)], False),
    "a doubtful one where it is placed": ([Mark("p", B)], True),
    "a doubtful one elsewhere, too": ([Mark("p", B), Mark("k", B)], False),
}


@pytest.mark.parametrize(("marks", "sure"), [pytest.param(*row, id=rule) for rule, row in SURE.items()])
def test_what_is_sure(marks: list[Mark], sure: bool) -> None:
    """A doubtful value is only sure where the requests have shown what stands for it."""
    assert Renaming({A: B}, {Mark("p", B): B}, [B]).is_sure(marks) is sure


def test_what_turns_one_request_into_another() -> None:
    """A renaming turns recorded marks into live ones, if it replaces each by what is there now."""
    renaming = Renaming({A: B}, {Mark("p", C): A})
    assert renaming.turns([Mark("k", A), Mark("p", C), Mark("k", C)], [Mark("k", B), Mark("p", A), Mark("k", C)])
    assert not renaming.turns([Mark("k", A), Mark("k", C)], [Mark("k", B), Mark("k", A)])
    assert renaming.turns([], [])
    assert not renaming.is_whole, "that is for the vocabulary to say"


VERBATIM = {
    "plain": ({"a": [1, "x", None]}, False),
    "a text": ("$raw", False),
    "bytes of no known form": ({"$msgpack": "eA=="}, True),
    "inside an object": ({"a": {"b": {"$raw": ""}}}, True),
    "inside a list": ({"a": [1, {"$raw": ""}]}, True),
    "a secret": ({"$secret": 1}, False),
    "a text with a secret": ({"$text": ["a", {"$secret": 1}]}, False),
    "an object with odd keys": ({"$literal": {"a": 1}}, False),
    "bytes that are replaced as a whole": ({"$bytes": "eA=="}, False),
    "an unknown value": ({"$unknown": ""}, False),
    "bytes beside a secret": ({"a": {"$secret": 1}, "$raw": ""}, True),
    "bytes behind a literal": ({"$literal": {"$raw": ""}}, True),
}


@pytest.mark.parametrize(("tree", "verbatim"), [pytest.param(*row, id=rule) for rule, row in VERBATIM.items()])
def test_verbatim(tree: Any, verbatim: bool) -> None:
    """Bytes of which no better form is known are verbatim, and our own marks are not."""
    assert is_verbatim(tree) is verbatim
