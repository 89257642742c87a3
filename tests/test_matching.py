"""Trees are compared exactly, and differences are named by path."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from mockprovider.matching import Difference, differences, digest, nearest, show, step

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
    assert step("a", 'b"c') == 'a["b\\"c"]'


def test_nearest_has_the_fewest_differences():
    """The nearest candidate is the one with the fewest differences, and the first of several."""
    candidates = [{"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 2, "b": 1}]
    item, found = nearest(candidates, lambda each: each, {"a": 2, "b": 2})
    assert item is candidates[1]
    assert [each.path for each in found] == ["b"]
    assert nearest([], lambda each: each, {}) is None
