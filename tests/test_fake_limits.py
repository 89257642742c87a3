"""Limits of a property: what is within them, what is beyond, and what a failure says."""

from __future__ import annotations

from decimal import Decimal

import pytest

from mockprovider.fake.limits import beyond
from mockprovider.schema import Property
from mockprovider.values import UNKNOWN, Output, Secret

SHARE = Property(float, minimum=1, maximum=3)
CODE = Property(str, min_length=2, max_length=3, pattern="[a-z]*")
ZONES = Property(list[str], min_items=1, max_items=2)
NAN = float("nan")


def said(item, value, *, hidden=False):
    """The reasons why ``value`` is beyond the limits, without their first word."""
    found = list(beyond(item, value, ("rule", "p"), hidden=hidden))
    assert {each.path for each in found} <= {"rule.p"}
    return [each.reason.removeprefix("expected ") for each in found]


@pytest.mark.parametrize(
    ("item", "values"),
    [
        (Property(), ["", "x" * 99]),
        (SHARE, [1, 3, 1.5, Decimal("2.5"), Decimal(3), Secret(2), UNKNOWN, Output(), None, "text", True]),
        (Property(int, minimum=2), [2, 10**9, True]),
        (Property(int, maximum=-1), [-1, -(10**9), False]),
        (CODE, ["ab", "abc", Secret("ab"), Output("abc"), Secret(UNKNOWN), 7, ["a"]]),
        (Property(str, pattern="a.c"), ["abc"]),
        (ZONES, [["a"], ["a", "b"], ("a",), [UNKNOWN], Secret(["a"])]),
        (Property(dict[str, int], min_items=1), [{"a": 1}, {"a": 1, "b": 2, "c": 3}]),
    ],
)
def test_what_is_within(item, values):
    """A value at a limit is within it, wrapped or not; so is what is unknown, and what the limit is not about."""
    assert [said(item, value) for value in values] == [[]] * len(values)


@pytest.mark.parametrize(
    ("item", "value", "reasons"),
    [
        (SHARE, 0, ["at least 1, got 0"]),
        (SHARE, 3.5, ["at most 3, got 3.5"]),
        (SHARE, Decimal("0.5"), ["at least 1, got 0.5"]),
        (SHARE, Secret(4), ["at most 3, got 4"]),
        (SHARE, NAN, ["at least 1, got nan", "at most 3, got nan"]),
        (Property(int, minimum=0), -1, ["at least 0, got -1"]),
        (Property(int, maximum=0), 1, ["at most 0, got 1"]),
        (CODE, "a", ["at least 2 characters, got 1 in 'a'"]),
        (CODE, "abcd", ["at most 3 characters, got 4 in 'abcd'"]),
        (CODE, "ab1", ["text that matches '[a-z]*' as a whole, got 'ab1'"]),
        (CODE, "A", ["at least 2 characters, got 1 in 'A'", "text that matches '[a-z]*' as a whole, got 'A'"]),
        (ZONES, [], ["at least 1 elements, got 0"]),
        (ZONES, ("a", "b", "c"), ["at most 2 elements, got 3"]),
        (Property(dict[str, int], min_items=1), {}, ["at least 1 elements, got 0"]),
    ],
)
def test_what_is_beyond(item, value, reasons):
    """Each limit that a value is beyond is told, with what would be right and what came; what is secret is not told."""
    assert said(item, value) == reasons
    assert said(item, value, hidden=True) == [
        f"{reason.partition(', got ')[0]}, got a secret that is not" for reason in reasons
    ]
