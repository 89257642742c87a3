"""The helpers that look into values and compare them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from strategies import exact, plain_values, values

from mockprovider.values import (
    UNKNOWN,
    Archive,
    Asset,
    Output,
    ResourceReference,
    Secret,
    Unknown,
    children,
    contains,
    has_secret,
    has_unknown,
    is_unknown,
    map_value,
    reveal,
    same,
)

URN = "urn:pulumi:dev::shop::cloud:index:Bucket::logs"


@pytest.mark.parametrize(
    ("value", "inside"),
    [
        ({"a": 1, "b": [2]}, [1, [2]]),
        ([1, [2]], [1, [2]]),
        ((1, 2), [1, 2]),
        (Secret(1), [1]),
        (Output([1]), [[1]]),
        (Archive(assets={"a": Asset(text="x")}), [Asset(text="x")]),
        (Archive(path="p"), []),
        (ResourceReference(URN, UNKNOWN), [UNKNOWN]),
        (ResourceReference(URN, "id"), []),
        ("text", []),
        (b"bytes", []),
        (None, []),
        (UNKNOWN, []),
    ],
)
def test_children(value, inside):
    """The values directly inside a value are listed, through every kind of container; text and bytes have none."""
    assert list(children(value)) == inside


@pytest.mark.parametrize(
    ("value", "itself", "somewhere"),
    [
        (UNKNOWN, True, True),
        (Unknown("bool"), True, True),
        (Secret(UNKNOWN), True, True),
        (Output(Secret(UNKNOWN)), True, True),
        (Output(), True, True),
        ([UNKNOWN], False, True),
        ({"a": {"b": [Secret(UNKNOWN)]}}, False, True),
        (ResourceReference(URN, UNKNOWN), False, True),
        ({"a": None}, False, False),
        (1, False, False),
    ],
)
def test_unknowns(value, itself, somewhere):
    """``is_unknown`` tells of the value itself behind its wrappers, ``has_unknown`` of anything in it."""
    assert is_unknown(value) is itself
    assert has_unknown(value) is somewhere


@pytest.mark.parametrize(
    ("value", "secret"),
    [
        (Secret(1), True),
        (Output(1, secret=True), True),
        (Output(1), False),
        (Output(Secret(1)), True),
        ({"a": [Secret(None)]}, True),
        ({"a": "secret"}, False),
    ],
)
def test_secrets(value, secret):
    """A value is found to hold a secret wherever it stands, as a secret or as a secret output."""
    assert has_secret(value) is secret


def test_contains_looks_at_the_value_itself_and_inside():
    """A test that holds for any part holds for the whole."""
    assert contains([1, {"a": 2}], lambda each: each == 2)
    assert contains(2, lambda each: each == 2)
    assert not contains([1, {"a": 2}], lambda each: each == 3)


def test_map_value_goes_from_the_leaves_up():
    """Each part is changed after its children, and wrappers keep what they say of their value."""
    value = {"a": [1, Secret(2)], "b": Output(3, secret=True, dependencies=(URN,))}
    doubled = map_value(value, lambda each: each * 2 if isinstance(each, int) else each)
    assert doubled == {"a": [2, Secret(4)], "b": Output(6, secret=True, dependencies=(URN,))}
    assert map_value([[1], [2, 3]], lambda each: sum(each) if isinstance(each, list) else each) == 6


@given(values)
def test_map_value_without_a_change_copies(value):
    """Changing nothing gives an equal value."""
    assert exact(map_value(value, lambda each: each)) == exact(value)


@given(values)
def test_reveal_leaves_no_wrapper(value):
    """A revealed value has no wrapper at any depth, and means the same as before."""
    revealed = reveal(value)
    assert not has_secret(revealed)
    assert not contains(revealed, lambda each: isinstance(each, Output))
    assert same(revealed, value)


@given(values)
def test_a_value_is_the_same_as_itself(value):
    """Every value means the same as itself, wrapped or not."""
    assert same(value, value)
    assert same(Secret(value), Output(value))


@given(plain_values, plain_values)
def test_same_is_symmetric(one, other):
    """Which of two values comes first does not matter."""
    assert same(one, other) is same(other, one)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True),
        (1, Decimal(1), True),
        (0.0, -0.0, True),
        (True, 1, False),
        (False, 0, False),
        (True, True, True),
        ("1", 1, False),
        (None, False, False),
        ("a", b"a", False),
        ([1, 2], (1, 2), True),
        ([1, 2], [2, 1], False),
        ([1], [1, 2], False),
        ([], {}, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": None}, {}, False),
        ({"a": [True]}, {"a": [1]}, False),
        (Secret({"a": Secret(1)}), {"a": 1}, True),
        (UNKNOWN, UNKNOWN, True),
        (UNKNOWN, None, False),
        (UNKNOWN, "04da6b54-80e4-46f7-96ec-b56ff0331ba9", False),
        (Asset(text="a", hash="1"), Asset(path="b", hash="1"), True),
        (Asset(text="a", hash="1"), Asset(text="a", hash="2"), False),
        (Asset(text="a"), Asset(text="a", hash="2"), False),
        (Asset(text="a"), Asset(text="a"), True),
        (Asset(hash="1"), Archive(hash="1"), False),
        (Archive(path="a", hash="1"), Archive(hash="1"), True),
        (ResourceReference(URN, "a"), ResourceReference(URN, "a"), True),
        (ResourceReference(URN, "a"), ResourceReference(URN, "b"), False),
    ],
)
def test_same(one, other, equal):
    """Numbers are equal by value, booleans only to booleans, assets by hash; wrappers and key order do not count."""
    assert same(one, other) is equal
    assert same(other, one) is equal
