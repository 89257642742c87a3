"""Trees are compared exactly, and differences are named by path."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from mockprovider.matching import Difference, aligned, differences, digest, nearest, show, step

trees = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(trees, trees)
def test_digest_and_differences_agree(one, other):
    """Trees with one digest show no difference, and a tree never differs from itself."""
    assert differences(one, one) == []
    if digest(one) == digest(other):
        assert differences(one, other) == []


def test_numbers_of_different_types_differ():
    """One, one point nought and true are three values, in digests and in differences."""
    assert len({digest(1), digest(1.0), digest(True)}) == 3
    assert differences({"a": 1}, {"a": True}) == [Difference("a", 1, True)]


def test_map_order_does_not_count():
    """Two maps are the same whatever the order of their keys."""
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})


def test_differences_name_paths():
    """Every difference is named by its path, with both values, and with nothing where one side has none."""
    recorded = {"tags": ["a", "b"], "size": 8, "gone": None}
    actual = {"tags": ["a", "c", "d"], "size": 8, "a.b": 1}
    found = differences(recorded, actual)
    assert [each.path for each in found] == ['["a.b"]', "gone", "tags[1]", "tags[2]"]
    assert found[0].told() == '["a.b"]: recorded nothing, now 1'
    assert found[3].recorded is UNSET


def test_long_values_are_cut():
    """A value is shown in a bounded number of characters."""
    assert len(show("x" * 1000)) == 60
    assert show("x" * 58) == f'"{"x" * 58}"'
    assert step("a", "") == 'a[""]'
    assert step("a", 'b"c') == 'a["b\\"c"]'


def test_nearest_has_the_fewest_differences():
    """The nearest candidates are those with the fewest differences, of several the first, and as many as are asked for."""
    candidates = [{"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 2, "b": 1}]
    (item, places), second = nearest(candidates, lambda tree: tree, {"a": 2, "b": 2}, 2)
    assert item is candidates[1]
    assert second[0] is candidates[2]
    assert [place.path for place in places] == ["b"]
    assert nearest([], lambda tree: tree, {}, 3) == []


def test_nearest_looks_at_some_of_many():
    """Two hundred candidates are looked at, so that a miss in a large recording is told at once."""
    looked = []
    nearest(range(300), lambda number: looked.append(number) or number, 250, 1)
    assert looked == [*range(200)]


def test_nearest_pairs_the_items_of_lists():
    """A list with one item more at its start is nearer than one with two others, though fewer of its places differ."""
    actual = {"rules": [{"port": 0}, {"port": 1}, {"port": 2}, {"port": 3}]}
    changed, longer = {"rules": [{"port": 0}, {"port": 1}, {"port": 8}, {"port": 9}]}, {"rules": actual["rules"][1:]}
    ((item, places),) = nearest([changed, longer], lambda tree: tree, actual, 1)
    assert item is longer
    assert [place.told() for place in places] == ['rules[0]: recorded nothing, now {"port":0}']


ALIGNED = {
    "more at the start": (["a", "b"], ["x", "a", "b"], ['[0]: recorded nothing, now "x"']),
    "more before one": (["a"], ["x", "a"], ['[0]: recorded nothing, now "x"']),
    "more often, and another": (
        ["a", "b"],
        ["a", "a", "c"],
        ['[1]: recorded "b", now "a"', '[2]: recorded nothing, now "c"'],
    ),
    "less at the start": ([{"a": 1}, {"b": 2}, {"c": 3}], [{"b": 2}, {"c": 3}], ['[0]: recorded {"a":1}, now nothing']),
    "a pair that differs within": (
        [{"name": "one", "port": 1, "open": True}, {"name": "two", "port": 2}],
        [{"name": "nil"}, {"name": "one", "port": 7, "open": True}, {"name": "two", "port": 2}],
        ['[0]: recorded nothing, now {"name":"nil"}', "[0].port: recorded 1, now 7"],
    ),
    "another order": (["a", "b"], ["b", "a"], ['[0]: recorded "a", now "b"', '[1]: recorded "b", now "a"']),
    "more often": (["a", "b"], ["a", "a", "b"], ['[1]: recorded "b", now "a"', '[2]: recorded nothing, now "b"']),
    "other kinds of numbers": (
        [[1], [2], [3]],
        [[1.0], [2], [True]],
        ["[0][0]: recorded 1, now 1.0", "[2][0]: recorded 3, now true"],
    ),
}


@pytest.mark.parametrize(("recorded", "actual", "places"), [pytest.param(*row, id=rule) for rule, row in ALIGNED.items()])
def test_items_of_lists_are_paired(recorded, actual, places):
    """An item that is new or gone is one difference; what only stands elsewhere differs place by place."""
    assert [place.told() for place in aligned(recorded, actual)] == places


@given(trees, trees)
def test_pairing_hides_no_difference(one, other):
    """There is a difference with pairs where there is one without, at most as many, and never one that is none."""
    by_position, paired = differences(one, other), aligned(one, other)
    assert bool(by_position) == bool(paired)
    assert len(paired) <= len(by_position)
    assert all(digest_or_none(place.recorded) != digest_or_none(place.actual) for place in paired)


def digest_or_none(value):
    return None if value is UNSET else digest(value)
