"""Generated values in trees, the objects that they name, and what stands for them, as tables."""

from __future__ import annotations

from typing import Any

import pytest

from mockprovider.cassette.objects import MARK, GeneratedValue, Mark, RecordedObject, Renaming, Vocabulary
from mockprovider.cassette.objects.values import changed_at, finder, name_of, text, wholes_of

Values = tuple[GeneratedValue | None, ...]


def leaf(value: Any, name: str = "") -> GeneratedValue:
    return GeneratedValue("leaf", name, value)


def hidden(number: int, kind: str = "string") -> GeneratedValue:
    return GeneratedValue("secret", kind, number)


def of_objects(*objects: Values, kins: str = "", waves: str = "", common: tuple[GeneratedValue, ...] = ()) -> Vocabulary:
    """A vocabulary of objects with these values, all of one kin and time unless each has a digit of its own."""
    vocabulary = Vocabulary()
    vocabulary.add(
        RecordedObject(
            number,
            number,
            int(waves[number]) if waves else 1,
            int(kins[number]) if kins else 0,
            0,
            values,
            tuple(("slot", slot) for slot in range(len(values))),
            None,
        )
        for number, values in enumerate(objects)
    )
    vocabulary.common |= {*common}
    return vocabulary


# Finding -----------------------------------------------------------------------------------------------------------------


def test_texts_are_found_as_whole_words() -> None:
    """A text is found between signs and not inside of a word, the longest of several first, whatever signs it has."""
    pattern = finder(["abc", "abc-d", "x.y", "x+"])
    line = "abc abc-d abc-de abcd 1abc _abc_ abc_ x.y xzy x+"
    assert pattern.findall(line) == ["abc", "abc-d", "abc", "abc", "abc", "x.y", "x+"]
    assert finder([]).findall("abc ") == []


WHOLES: dict[str, tuple[Any, list[GeneratedValue]]] = {
    "nothing": (None, []),
    "a boolean": (True, []),
    "nought": (0, [leaf(0, "k"), leaf(0)]),
    "a text": ("x", [leaf("x", "k"), leaf("x")]),
    "a secret": ({"$secret": 7}, [hidden(7)]),
    "a secret of a kind": ({"$secret": 7, "kind": "number"}, [hidden(7, "number")]),
}


@pytest.mark.parametrize(("tree", "values"), [pytest.param(*row, id=rule) for rule, row in WHOLES.items()])
def test_what_a_leaf_may_be(tree: Any, values: list[GeneratedValue]) -> None:
    """A leaf may be a value of its key's name or of any; a placeholder is one of its kind."""
    assert [*wholes_of(tree, "k")] == values


@pytest.mark.parametrize(
    ("path", "name"), [((), ""), (("a",), "a"), (("a", "b"), "b"), (("a", 0), "a"), (("a", 0, 1), "a"), ((0,), "")]
)
def test_the_name_of_a_place(path: tuple[str | int, ...], name: str) -> None:
    """A place has the name of its last key."""
    assert name_of(path) == name


def test_changing_some_places() -> None:
    """What is at the places is changed as a whole, every other leaf in its own way, and placeholders are leaves."""
    tree = {"a": [1, {"b": "x"}], "c": {"d": {"e": 1}}, "s": {"$secret": 1}, "n": None}
    places = {("a", 1, "b"), ("c", "d")}
    assert changed_at(tree, places, lambda value, path: [value, path]) == {
        "a": [1, {"b": ["x", ("a", 1, "b")]}],
        "c": {"d": [{"e": 1}, ("c", "d")]},
        "s": {"$secret": 1},
        "n": None,
    }
    rest = changed_at(tree, places, lambda *_: MARK, lambda value, name: [name, value])
    assert rest == {"a": [["a", 1], {"b": MARK}], "c": {"d": MARK}, "s": ["s", {"$secret": 1}], "n": ["n", None]}


MARKED: dict[str, tuple[Any, Any, list[Mark]]] = {
    "a text": ({"k": "logs-1a"}, {"k": MARK}, [Mark("k", text("logs-1a"))]),
    "inside a text": (
        {"k": "arn:logs-1a/logs-2b"},
        {"k": f"arn:{MARK}/{MARK}"},
        [Mark("k", text("logs-1a")), Mark("k", text("logs-2b"))],
    ),
    "inside a word": ({"k": "xlogs-1a"}, {"k": "xlogs-1a"}, []),
    "a number of its name": ({"port": 80, "size": 80}, {"port": MARK, "size": 80}, [Mark("port", leaf(80, "port"))]),
    "a large number anywhere": ([4000], [MARK], [Mark("", leaf(4000))]),
    "a number as text": (["4000"], ["4000"], []),
    "a short text as a whole": ({"zone": "a", "x": "a a"}, {"zone": MARK, "x": "a a"}, [Mark("zone", leaf("a", "zone"))]),
    "a secret": ({"k": {"$secret": 7}}, {"k": MARK}, [Mark("k", hidden(7))]),
    "another secret": ({"k": {"$secret": 8}}, {"k": {"$secret": 8}}, []),
    "a secret of another kind": ({"k": {"$secret": 7, "kind": "bool"}}, {"k": {"$secret": 7, "kind": "bool"}}, []),
    "keys in their order": (
        {"b": 4000, "a": ["logs-2b", {"c": "logs-1a"}]},
        {"a": [MARK, {"c": MARK}], "b": MARK},
        [Mark("a", text("logs-2b")), Mark("c", text("logs-1a")), Mark("b", leaf(4000))],
    ),
    "a list, under its key": ({"zone": ["a", "b"]}, {"zone": [MARK, "b"]}, [Mark("zone", leaf("a", "zone"))]),
    "nothing of it": ({"a": [1, None, True, "x"]}, {"a": [1, None, True, "x"]}, []),
}
WORDS = of_objects((text("logs-1a"), leaf(80, "port"), leaf(4000), leaf("a", "zone"), hidden(7)), (text("logs-2b"),))


@pytest.mark.parametrize(("tree", "marked", "marks"), [pytest.param(*row, id=rule) for rule, row in MARKED.items()])
def test_marking(tree: Any, marked: Any, marks: list[Mark]) -> None:
    """Generated values become marks, which are listed with the keys that they stand under, in the order of the sorted keys."""
    assert WORDS.marked(tree) == (marked, marks)


def test_marking_some_values() -> None:
    """Asked for some values, only these become marks."""
    tree = {"a": "logs-1a/logs-2b", "b": 4000}
    assert WORDS.marked(tree, {text("logs-2b")}) == ({"a": f"logs-1a/{MARK}", "b": 4000}, [Mark("a", text("logs-2b"))])
    assert WORDS.marked(tree, set()) == (tree, [])
    assert Vocabulary().marked(tree) == (tree, [])
    assert Vocabulary().marked(tree, {text("logs-2b")}) == (tree, [])


# Which object ------------------------------------------------------------------------------------------------------------

A, B, C, BOTH = text("a-1111"), text("b-2222"), text("c-3333"), text("10:00")
KINDRED = of_objects((A, BOTH), (B, BOTH), (C, BOTH))

PAIRINGS: dict[str, tuple[Vocabulary, list[GeneratedValue], list[GeneratedValue], tuple[tuple[int, int], ...] | None]] = {
    "nothing": (KINDRED, [], [], ()),
    "itself": (KINDRED, [A], [A], ((0, 0),)),
    "another of the kin": (KINDRED, [A], [B], ((0, 1),)),
    "twice the same": (KINDRED, [A, A], [B, B], ((0, 1),)),
    "in the recording's order": (KINDRED, [B, A], [C, B], ((0, 1), (1, 2))),
    "exchanged": (KINDRED, [A, B], [B, A], ((0, 1), (1, 0))),
    "more values": (KINDRED, [A], [B, B], None),
    "fewer values": (KINDRED, [A, A], [B], None),
    "one that would stand for two": (KINDRED, [A, B], [C, C], None),
    "two that would stand for one": (KINDRED, [A, A], [B, C], None),
    "a value that all have says nothing": (KINDRED, [BOTH, A], [BOTH, B], ((0, 1),)),
    "a value that all have for another": (KINDRED, [BOTH], [A], ()),
    "one of another kin": (of_objects((A,), (B,), kins="01"), [A], [B], None),
    "a value of another slot": (of_objects((A, None), (None, B)), [A], [B], None),
    "one slot of two": (of_objects((A, A), (C, B)), [A], [B], ((0, 1),)),
    "a value that two of them may have": (of_objects((A,), (B,), (B,)), [A], [B], ()),
    "a value that two may have, of which one is meant": (of_objects((A, None), (B, C), (B, None)), [A], [B], ()),
    "by chance": (of_objects((A,), (B,), common=(A,)), [A], [B], ()),
}


@pytest.mark.parametrize(
    ("words", "recorded", "live", "pairing"), [pytest.param(*row, id=rule) for rule, row in PAIRINGS.items()]
)
def test_pairings(
    words: Vocabulary, recorded: list[GeneratedValue], live: list[GeneratedValue], pairing: tuple[tuple[int, int], ...] | None
) -> None:
    """The marks of two requests say which object stands for which, or that none can."""
    assert words.pairing([Mark("k", value) for value in recorded], [Mark("k", value) for value in live]) == pairing


def test_a_pairing_of_a_kin_with_two_values() -> None:
    """Two values of one object must be of one other object."""
    words = of_objects((A, leaf(1000)), (B, leaf(2000)), (C, leaf(3000)))
    recorded = [Mark("a", A), Mark("b", leaf(1000))]
    assert words.pairing(recorded, [Mark("a", B), Mark("b", leaf(2000))]) == ((0, 1),)
    assert words.pairing(recorded, [Mark("a", B), Mark("b", leaf(3000))]) is None


def test_whose_marks_they_are() -> None:
    """A value of one object names it, once; one of several objects, or one that is there by chance, names none of them."""
    marks = [Mark("k", value) for value in (B, BOTH, A, B, text("unknown"))]
    assert KINDRED.objects_of(marks) == [1, 0]
    assert KINDRED.owners(marks) == {0, 1, 2}
    assert KINDRED.owners(marks[:1]) == {1}
    assert of_objects((A,), (B,), common=(A,)).objects_of(marks) == [1]
    assert of_objects((A, A), (B,)).objects_of(marks) == [1, 0], "a value may stand at two places of one object"


# What a pairing changes --------------------------------------------------------------------------------------------------


def changes(renaming: Renaming, *trees: Any) -> list[Any]:
    return [renaming(tree) for tree in trees]


def test_a_pairing_renames_what_identifies() -> None:
    """Each value of the recorded object becomes the live one's of that slot; what several objects have, only at its place."""
    words = of_objects((A, leaf(1000), BOTH, None), (B, leaf(2000), text("11:00"), C), (None, None, BOTH, A))
    marks = [Mark("id", A), Mark("at", BOTH)], [Mark("id", B), Mark("at", text("11:00"))]
    both = words.renaming(((0, 1),), *marks)
    # The first value is an object's own, but also another one's, in another slot.
    assert changes(both, {"id": "a-1111", "x": "a-1111"}, 1000, {"at": "10:00", "on": "10:00"}) == [
        {"id": "b-2222", "x": "a-1111"},
        2000,
        {"at": "11:00", "on": "10:00"},
    ]
    assert both.is_whole
    assert not words.renaming(((0, 1),), [Mark("on", C)], [Mark("on", A)]).is_whole
    assert words.renaming(()).is_whole
    assert words.renaming(()).changes_nothing


def test_a_value_in_two_spellings_is_doubtful() -> None:
    """A value that one object has at two places, where the other one has two, is replaced only where a request shows it."""
    words = of_objects((A, A), (B, C))
    renaming = words.renaming(((0, 1),), [Mark("key", A)], [Mark("key", C)])
    assert renaming({"key": "a-1111", "other": "a-1111"}) == {"key": "c-3333", "other": "a-1111"}
    assert renaming.is_sure([Mark("key", A)])
    assert not renaming.is_sure([Mark("other", A)])
    one = words.renaming(((0, 0),))
    assert one.is_sure([Mark("other", A)])


def test_what_an_engine_would_send() -> None:
    """With the objects exchanged, each of their values becomes the other's, the first spelling where there are two."""
    words = of_objects((A, leaf(1000), BOTH), (B, leaf(2000), BOTH))
    exchanged = words.exchanged(((0, 1), (1, 0)), [Mark("id", A), Mark("n", leaf(2000)), Mark("at", BOTH)])
    tree = {"id": "a-1111", "n": 2000, "at": "10:00", "x": "b-2222"}
    assert exchanged(tree) == {"id": "b-2222", "n": 1000, "at": "10:00", "x": "a-1111"}
    assert exchanged.is_whole
    spelled = of_objects((A, A), (B, C)).exchanged(((0, 1),), [Mark("key", A)])
    assert spelled({"key": "a-1111"}) == {"key": "b-2222"}


def test_a_value_that_was_renamed_before_is_the_new_objects() -> None:
    """A whole text that an earlier object has, too, becomes the live object's; what that one has nothing for, is renamed."""
    words = of_objects((A, leaf("noon", "at")), (B, None))
    recorded = RecordedObject(0, 0, 1, 0, 0, (A, leaf("noon", "at")), (("id",), ("at",)), None)
    before = Renaming({A: C, leaf("noon"): leaf("dusk")})
    assert words.born_with(recorded, 1, before)({"id": "a-1111", "at": "noon"}) == {"id": "b-2222", "at": "dusk"}


def test_what_is_made_has_the_live_objects_values() -> None:
    """The slots of an answer get the values of the live object, and everything else what was renamed before."""
    values: Values = (A, leaf("noon", "at"), None, hidden(1), leaf(5, "ns"))
    live: Values = (B, leaf("night", "at"), None, hidden(2), leaf(6, "ns"))
    words = of_objects(values, live)
    recorded = RecordedObject(0, 0, 1, 0, 0, values, (("id",), ("at",), ("pick",), ("s",), ("ns", 0)), None)
    answer = {"id": "x:a-1111:p-1", "at": "noon", "pick": "p-1", "s": {"$secret": 1}, "ns": [5, 5], "of": "p-1", "on": "noon"}
    before = Renaming({text("p-1"): text("p-2"), leaf("noon"): leaf("dusk")})
    assert words.born_with(recorded, 1, before)(answer) == {
        "id": "x:b-2222:p-2",
        "at": "night",
        "pick": "p-2",
        "s": {"$secret": 2},
        "ns": [6, 5],
        "of": "p-2",
        "on": "dusk",
    }
