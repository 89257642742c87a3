"""Property paths: the engine's grammar, and reading and changing values along them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import exact, values

from mockprovider.errors import MalformedError
from mockprovider.paths import contains, delete, get, has, matches, parse, set_, show, unwrap, walk
from mockprovider.values import UNKNOWN, Output, Secret

RULES = {"rules": [{"port": 80, "tags": {"a.b": 1}}, {"port": 443}], "name": "web"}


@pytest.mark.parametrize(
    ("text", "path", "shown"),
    [
        ("", (), ""),
        ("root", ("root",), "root"),
        ("root.nested", ("root", "nested"), "root.nested"),
        ('root["nested"]', ("root", "nested"), "root.nested"),
        ("root.array[0].nested", ("root", "array", 0, "nested"), "root.array[0].nested"),
        ('["root key"][100]', ("root key", 100), '["root key"][100]'),
        ('root["a \\"quoted\\" key"]', ("root", 'a "quoted" key'), 'root["a \\"quoted\\" key"]'),
        ('root["a.b[0]"]', ("root", "a.b[0]"), 'root["a.b[0]"]'),
        ('[""]', ("",), '[""]'),
        ("é-x.y", ("é-x", "y"), '["é-x"].y'),
        ("a[*].b", ("a", "*", "b"), 'a["*"].b'),
        ('a["*"].b', ("a", "*", "b"), 'a["*"].b'),
        ("a.*", ("a", "*"), 'a["*"]'),
        ("*", ("*",), '["*"]'),
        ("a..b", ("a", "b"), "a.b"),
        ("a.[0]", ("a", 0), "a[0]"),
        ("a[0]b", ("a", 0, "b"), "a[0].b"),
        ("a]", ("a]",), '["a]"]'),
        ('a"b', ('a"b',), '["a\\"b"]'),
        ("a[-1]", ("a", -1), "a[-1]"),
        ("a[+1]", ("a", 1), "a[1]"),
        ("a[007]", ("a", 7), "a[7]"),
        ("a[9223372036854775807]", ("a", 2**63 - 1), "a[9223372036854775807]"),
        ('["\\x"]', ("\\x",), '["\\x"]'),
        ("x\\", ("x\\",), "x\\"),
    ],
)
def test_parse_and_show(text, path, shown):
    """A path reads as the engine's parser reads it, tolerated oddities included, and shows as the engine writes it."""
    assert parse(text) == path
    assert show(path) == shown
    assert parse(shown) == path


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (".a", "at column 1, a path starts and ends with a name or an index"),
        ("a.", "at column 2, a path starts and ends"),
        ("a..", "at column 3, a path starts and ends"),
        ("a[", "at column 2, the bracket is not closed"),
        ("a[]", "at column 2, '' is no index"),
        ("a[x]", "'x' is no index; a key in brackets is quoted"),
        ("a[1_0]", "'1_0' is no index"),
        ("a[ 1]", "' 1' is no index"),
        ("a[٣]", "is no index"),
        ("a[9223372036854775808]", "is no index"),
        ("a[" + "1" * 5000 + "]", "is no index"),
        ('["a"', "at column 5, a closing bracket belongs here"),
        ('["a"x]', "at column 5, a closing bracket belongs here"),
        ('b["a', "at column 2, the quoted key is not closed"),
        ('["a\\"]', "at column 1, the quoted key is not closed"),
    ],
)
def test_malformed(text, why):
    """What is no path is refused with the column, the reason and an example."""
    with pytest.raises(MalformedError) as caught:
        parse(text)
    assert why in str(caught.value)
    assert "Expected such as" in str(caught.value)


keys = st.text(max_size=5).filter(lambda key: not key.endswith("\\") or not set(key) & {".", "["})


@given(st.lists(keys | st.integers(-(2**63), 2**63 - 1), max_size=4).map(tuple))
def test_shown_paths_parse_back(path):
    """Whatever keys a path holds, its text parses back to it."""
    assert parse(show(path)) == path


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("name", "web"),
        ("rules[1].port", 443),
        ('rules[0].tags["a.b"]', 1),
        ("rules[-1]", None),
        ("rules[2]", None),
        ("name.x", None),
    ],
)
def test_get(text, found):
    """``get`` gives what stands at a path, and the default where nothing stands; negative indices lead nowhere."""
    assert get(RULES, parse(text)) == found
    assert has(RULES, parse(text)) is (found is not None)


def test_get_tells_none_from_nothing():
    """A null that stands at the path is found; the default is only for what is absent."""
    assert get({"a": None}, ("a",), "default") is None
    assert get({"a": None}, ("b",), "default") == "default"
    assert has({"a": None}, ("a",))
    assert not has({"a": None}, ("b",))


def test_keys_and_indices_differ():
    """A number in quotes is a key, one without is an index: neither finds the other."""
    assert not has({"0": 1}, parse("[0]"))
    assert not has([1], parse('["0"]'))


def test_wrappers_are_walked_through():
    """Secret and output wrappers on the way are transparent, and the one around the target is kept."""
    value = {"a": Secret({"b": Output([1, Secret(2)], secret=True)})}
    assert get(value, parse("a.b[0]")) == 1
    assert get(value, parse("a.b[1]")) == Secret(2)
    assert matches(value, parse("a.b[*]")) == [("a", "b", 0), ("a", "b", 1)]
    assert unwrap(Output(Secret([Secret(1)]))) == [Secret(1)]


def test_set_changes_a_copy():
    """``set_`` gives a new value and leaves the old one, and everything beside the path, as they were."""
    before = {"rules": [{"port": 80}, {"port": 443}], "name": "web"}
    after = set_(before, parse("rules[1].port"), 8443)
    assert after == {"rules": [{"port": 80}, {"port": 8443}], "name": "web"}
    assert before == {"rules": [{"port": 80}, {"port": 443}], "name": "web"}


def test_set_keeps_wrappers_on_the_way():
    """A change inside a secret or an output leaves it a secret or an output."""
    value = {"a": Secret({"b": Output([1], secret=True, dependencies=("urn",))})}
    assert set_(value, parse("a.b[0]"), 2) == {"a": Secret({"b": Output([2], secret=True, dependencies=("urn",))})}


def test_set_adds_keys_and_replaces_the_whole():
    """The last key of a path may be new, and the empty path stands for the whole value."""
    assert set_({"a": {}}, parse("a.b"), 1) == {"a": {"b": 1}}
    assert set_({"a": {}}, (), 1) == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("lost.b.c", "'lost.b.c' leads nowhere: there is nothing at 'lost'."),
        ("rules[2].port", "there is nothing at 'rules[2]'."),
        ("rules[2]", "'rules' is a list of 2."),
        ("rules.port", "'rules' is a list of 2."),
        ("name.x", "'name' is no list or object (str)."),
        ("[0]", "'[0]' leads nowhere: the value is an object."),
    ],
)
@pytest.mark.parametrize("change", [lambda value, path: set_(value, path, 1), delete], ids=["set", "delete"])
def test_changes_that_lead_nowhere(change, text, why):
    """A path without a parent in the value is refused, and the message says how far it leads."""
    with pytest.raises(MalformedError) as caught:
        change(RULES, parse(text))
    assert why in str(caught.value)


def test_delete():
    """A key is removed, an absent one is no error, and a list element becomes null so that the others keep their places."""
    assert delete({"a": {"b": 1, "c": 2}}, parse("a.b")) == {"a": {"c": 2}}
    assert delete({"a": {}}, parse("a.b")) == {"a": {}}
    assert delete({"a": Secret([1, 2])}, parse("a[0]")) == {"a": Secret([None, 2])}
    with pytest.raises(MalformedError, match="whole value"):
        delete({}, ())


@pytest.mark.parametrize(
    ("outer", "inner", "covers"),
    [
        ("a", "a", True),
        ("a", "a.b[0]", True),
        ("", "a", True),
        ("a.b", "a", False),
        ("a.*", "a[3].c", True),
        ("a[*].c", "a[3].c.d", True),
        ("a[*].c", "a[3].d", False),
        ("*", "anything", True),
        ("*", "", False),
        ("a.b", "a.*", False),
        ("a[0]", 'a["0"]', False),
    ],
)
def test_contains(outer, inner, covers):
    """A path covers the paths that begin with it, and a wildcard in it stands for any one segment."""
    assert contains(parse(outer), parse(inner)) is covers


def test_matches_lists_what_exists():
    """A wildcard is replaced by every key or index there, and only paths that exist are listed."""
    assert matches(RULES, parse("rules[*].port")) == [("rules", 0, "port"), ("rules", 1, "port")]
    assert matches(RULES, parse("rules[*].tags")) == [("rules", 0, "tags")]
    assert matches(RULES, parse("*")) == [("rules",), ("name",)]
    assert matches(RULES, parse("name.*")) == []
    assert matches(RULES, ()) == [()]


def test_walk_lists_leaves():
    """Every leaf is listed with its path; empty lists and objects are leaves, and a leaf keeps its wrapper."""
    value = {"a": [1, {"b": Secret("x")}], "c": {}, "d": Secret({"e": 2}), "f": UNKNOWN}
    assert list(walk(value)) == [
        (("a", 0), 1),
        (("a", 1, "b"), Secret("x")),
        (("c",), {}),
        (("d", "e"), 2),
        (("f",), UNKNOWN),
    ]


@given(values)
def test_walked_paths_lead_back(value):
    """Each leaf stands at its path, and putting it there again changes nothing."""
    for path, leaf in walk(value):
        assert exact(get(value, path)) == exact(leaf)
        assert exact(set_(value, path, leaf)) == exact(value)
        assert path in matches(value, path)
        assert contains(path, path)
