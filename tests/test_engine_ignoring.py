"""``ignoreChanges``: old inputs over new ones, path by path."""

import pytest

from mockprovider.engine.registrations.ignoring import with_ignored
from mockprovider.values import Secret


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("a", {"a": 1}, {"a": 2, "b": 3}, {"a": 1, "b": 3}),
        ("a", {}, {"a": 2}, {}),
        ("a", {"a": 1}, {}, {"a": 1}),
        ("a.b", {"a": {"b": 1}}, {"a": {"b": 2, "c": 3}}, {"a": {"b": 1, "c": 3}}),
        ("a[1]", {"a": [1, 2]}, {"a": [3, 4]}, {"a": [3, 2]}),
        ("a[*].b", {"a": [{"b": 1}]}, {"a": [{"b": 2, "c": 3}]}, {"a": [{"b": 1, "c": 3}]}),
        ("a.*", {"a": {"x": 1}}, {"a": {"x": 2, "y": 3}}, {"a": {"x": 1}}),
        ("*", {"a": 1}, {"a": 2, "b": 2}, {"a": 1}),
        ("a", {"a": Secret("s")}, {"a": "plain"}, {"a": Secret("s")}),
        ("a.b", {"a": {"b": 1}}, {"a": Secret({"b": 2})}, {"a": Secret({"b": 1})}),
        ("a[9]", {"a": [1]}, {"a": [2]}, {"a": [2]}),
        ("a.b", {}, {"a": {"b": 1}}, {"a": {}}),
        ("a.b", {"a": 7}, {"a": {"b": 1}}, {"a": {}}),
        ("a.b", {"a": Secret({"b": 1})}, {"a": {"b": 2}}, {"a": {"b": Secret(1)}}),
        ("a[0]", {"a": Secret([1, 2])}, {"a": [3, 4]}, {"a": [Secret(1), 4]}),
        ("a.*", {"a": Secret({"b": 1})}, {"a": Secret({"b": 2})}, {"a": Secret({"b": 1})}),
        ("a.*", {"a": 7}, {"a": {"x": 1}}, {"a": {"x": 1}}),
        ("a[*]", {"a": 7}, {"a": [1]}, {"a": [1]}),
        ("a.*.b", {"a": {"x": {"b": 1}}}, {"a": {"x": {"b": 2}, "y": {"b": 2}}}, {"a": {"x": {"b": 1}, "y": {"b": 2}}}),
    ],
)
def test_old_values_come_back(path, old, new, expected):
    """What a path names has its old value again, changed, added or removed, and stays secret (TestReset of Pulumi's paths)."""
    assert with_ignored(new, old, [path]) == (expected, ())


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a[1]", {"a": [1, 2]}, {"a": [1]}),
        ("a[0].b", {"a": []}, {"a": [{"b": 1}]}),
        ("a.b.c", {}, {"a": {"b": {"c": 1}}}),
        ("a.b", {"a": {"b": 1}}, {}),
        ("a[0]", {}, {"a": [1]}),
        ("a[*]", {"a": [1]}, {"a": [1, 2]}),
        ("a.*.b", {"a": {"x": {"b": 1}}}, {"a": {"y": {"b": 1}}}),
        ("a[-1]", {"a": [1]}, {"a": [2]}),
        ("a.*.b", {"a": 7}, {"a": {"x": {"b": 1}}}),
        ("a.b", {"a": {"b": 1}}, {"a": 7}),
    ],
)
def test_lists_and_missing_parents_cannot_be_ignored(path, old, new):
    """No list grows or shrinks through an ignored element, and no missing parent is made: the path is named."""
    result, refused = with_ignored(new, old, [path])
    assert refused == (path,)
    assert result == new


def test_what_is_no_path_is_passed_over():
    """The engine skips ignored paths that do not parse, without a word."""
    assert with_ignored({"a": 1}, {"a": 2}, ["[", ""]) == ({"a": 1}, ())


def test_nothing_is_changed_in_place():
    """Neither the program's bag nor the remembered one is touched."""
    old, new = {"a": {"b": [1]}}, {"a": {"b": [2]}}
    with_ignored(new, old, ["a.b[0]"])
    assert (old, new) == ({"a": {"b": [1]}}, {"a": {"b": [2]}})
