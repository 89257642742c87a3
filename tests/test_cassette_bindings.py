"""Which live value stands where a recording has a placeholder, as tables."""

from __future__ import annotations

from typing import Any

import pytest

from mockprovider.cassette.bindings import Bindings, Pair
from mockprovider.redaction import Vault, stand_in

HUSH, PIN, PORT = "correct horse", "secret-pin", 4711


def vault() -> Vault:
    """The secrets of a run: a text, a number, a boolean."""
    secrets = Vault()
    for value, kind in ((HUSH, "string"), (PORT, "number"), (True, "bool")):
        secrets.number(value, kind)
    return secrets


def of(number: int, kind: str = "") -> dict[str, Any]:
    """A placeholder."""
    return {"$secret": number, "kind": kind} if kind else {"$secret": number}


def text(*parts: Any) -> dict[str, Any]:
    """A text with secrets in it."""
    return {"$text": [*parts]}


PAIRS: dict[str, tuple[Any, Any, list[tuple[int, str, Any]] | None]] = {
    "nothing secret": ({"a": [1, None, "x"]}, {"a": [1, None, "x"]}, []),
    "a text": (of(7), PIN, [(7, "string", PIN)]),
    "a text that is known to be secret": (of(7), of(1), [(7, "string", HUSH)]),
    "an empty text": (of(7), "", [(7, "string", "")]),
    "an integer": (of(7, "number"), 80, [(7, "number", 80)]),
    "a float": (of(7, "number"), 0.5, [(7, "number", 0.5)]),
    "a number that is known to be secret": (of(7, "number"), of(2, "number"), [(7, "number", PORT)]),
    "a boolean": (of(7, "bool"), False, [(7, "bool", False)]),
    "a boolean that is known to be secret": (of(7, "bool"), of(3, "bool"), [(7, "bool", True)]),
    "bytes, which are text": (of(7, "base64"), "AAEC", [(7, "base64", "AAEC")]),
    "bytes that are a number": (of(7, "base64"), 1, None),
    "a number for a text": (of(7), 80, None),
    "a boolean for a number": (of(7, "number"), True, None),
    "a number for a boolean": (of(7, "bool"), 1, None),
    "nothing for a text": (of(7), None, None),
    "a list for a text": (of(7), [PIN], None),
    "an object for a text": (of(7), {"a": 1}, None),
    "an object with a kind": (of(7), {"kind": "string"}, None),
    "a secret of another kind": (of(7), of(2, "number"), None),
    "a secret text for a number": (of(7, "number"), of(1), None),
    "a text for an object": ({"a": of(7)}, PIN, None),
    "several, in the order of the recording": (
        {"b": of(8), "a": [of(7)]},
        {"a": [PIN], "b": "x"},
        [(8, "string", "x"), (7, "string", PIN)],
    ),
    "an object with more": ({"a": 1}, {"a": 1, "b": 2}, None),
    "an object with less": ({"a": 1, "b": 2}, {"a": 1}, None),
    "a longer list": ([1], [1, 2], None),
    "a list with another item": ([of(7), 1], [PIN, 2], None),
    "a list for an object": ({"a": 1}, ["a"], None),
    "an object for a list": (["a"], {"a": 1}, None),
    "an equal number of another type": (1, 1.0, None),
    "one and true": (1, True, None),
    "inside a text": (text("db://", of(7), "@host"), f"db://{PIN}@host", [(7, "string", PIN)]),
    "inside a text of several lines": (text("a\n", of(7)), "a\nb\nc", [(7, "string", "b\nc")]),
    "inside a text with signs": (text("a.b*(", of(7), ")"), f"a.b*({PIN})", [(7, "string", PIN)]),
    "signs are no patterns": (text("a.b", of(7)), f"axb{PIN}", None),
    "no more after it": (text(of(7), "@host"), f"{PIN}@host.org", None),
    "not empty inside a text": (text("db://", of(7), "@host"), "db://@host", None),
    "two inside a text": (text(of(7), ":", of(8)), "a:b:c", [(7, "string", "a"), (8, "string", "b:c")]),
    "in another spelling, any text": (text(of(7), ":", {"$secret": 7, "as": "hex"}), "a:zz", [(7, "string", "a")]),
    "two texts with secrets": (text("x", of(7)), text("x", of(1)), [(7, "string", HUSH)]),
    "two texts with secrets that differ around": (text("x", of(7)), text("y", of(1)), None),
    "a number for a text with a secret": (text("x", of(7)), 1, None),
}


@pytest.mark.parametrize(("recorded", "live", "pairs"), [pytest.param(*row, id=rule) for rule, row in PAIRS.items()])
def test_pairs(recorded: Any, live: Any, pairs: list[tuple[int, str, Any]] | None) -> None:
    """Two requests give a pair for each placeholder, and none at all where they differ in more than secrets."""
    paired = Bindings(vault()).pairs(recorded, live)
    assert (paired and [(pair.number, pair.kind, pair.value) for pair in paired]) == pairs


def pairs(*rows: tuple[int, Any]) -> list[Pair]:
    """Pairs of these numbers and values, their kind that of the value."""
    kinds = {bool: "bool", int: "number", str: "string", bytes: "base64"}
    return [Pair(number, kinds[type(value)], value.decode() if isinstance(value, bytes) else value) for number, value in rows]


FITS = {
    "nothing": ([], [], True),
    "one value": ([], [(1, "a")], True),
    "one value twice": ([], [(1, "a"), (1, "a")], True),
    "two values for one placeholder": ([], [(1, "a"), (1, "b")], False),
    "one value for two placeholders": ([], [(1, "a"), (2, "a")], False),
    "two values for two placeholders": ([], [(1, "a"), (2, "b")], True),
    "one value of two kinds": ([], [(1, "a"), (2, b"a")], True),
    "the value that is bound": ([(1, "a")], [(1, "a")], True),
    "another value than the one that is bound": ([(1, "a")], [(1, "b")], False),
    "a value that was another's in an earlier request": ([(1, "a")], [(2, "a")], True),
    "a number of one kind that is bound for another": ([(1, "a")], [(1, 7)], True),
    "a boolean that was another's, of which there are only two": ([(1, True)], [(2, True)], False),
    "the other boolean": ([(1, True)], [(2, False)], True),
    "a boolean and an equal number": ([(1, True)], [(2, False), (3, 9)], True),
    "what a replay has given out is no value": ([], [(1, stand_in(1)), (1, "a")], True),
    "so also of a number": ([], [(1, 1), (1, 9)], True),
    "what a replay has given out for another is one": ([], [(1, stand_in(2)), (1, "a")], False),
    "a boolean is never taken for given out": ([], [(1, False), (1, True)], False),
    "what was bound is looked at after what was given out": ([(1, "a")], [(2, stand_in(2)), (1, "b")], False),
}


@pytest.mark.parametrize(("before", "now", "fit"), [pytest.param(*row, id=rule) for rule, row in FITS.items()])
def test_fitting(before: list[tuple[int, Any]], now: list[tuple[int, Any]], fit: bool) -> None:
    """One placeholder is one value, two placeholders of one request are two, and booleans are two for good."""
    bindings = Bindings(Vault())
    bindings.bind(pairs(*before))
    assert bindings.fit(pairs(*now)) is fit


STRENGTHS = {
    "nothing": ([], 0),
    "what is not bound": ([(2, "x")], 0),
    "what is bound": ([(1, "a")], 1),
    "of another kind": ([(1, 9)], 0),
    "what was given out": ([(3, stand_in(3))], 1),
    "some of it": ([(1, "a"), (2, "x"), (3, stand_in(3))], 2),
}


@pytest.mark.parametrize(("now", "strength"), [pytest.param(*row, id=rule) for rule, row in STRENGTHS.items()])
def test_strength(now: list[tuple[int, Any]], strength: int) -> None:
    """Pairs are as strong as so many of them are known already."""
    bindings = Bindings(Vault())
    bindings.bind(pairs((1, "a")))
    assert bindings.strength(pairs(*now)) == strength


def test_what_was_given_out_binds_nothing() -> None:
    """A stand-in that comes back says nothing of the secret: a value that the engine sends later may still be it."""
    bindings = Bindings(Vault())
    bindings.bind(pairs((1, stand_in(1))))
    assert bindings.fit(pairs((1, "a")))
    bindings.bind(pairs((1, "a")))
    assert not bindings.fit(pairs((1, "b")))


TREE = {"a": of(1), "b": [of(2, "number"), text("x:", of(1), ":", {"$secret": 1, "as": "hex"})], "c": 5}


def test_filling() -> None:
    """A placeholder is filled by the request's own pairs, else by what the engine sent before, else by a stand-in."""
    bindings = Bindings(secrets := Vault())
    assert bindings.filled(TREE) == {"a": stand_in(1), "b": [2, f"x:{stand_in(1)}:{stand_in(1).encode().hex()}"], "c": 5}
    assert [secrets.value(number) for number in range(1, secrets.count + 1)] == [stand_in(1), 2]
    bindings.bind(pairs((1, "ab")))
    assert bindings.filled(TREE) == {"a": "ab", "b": [2, "x:ab:6162"], "c": 5}
    assert bindings.filled(TREE, pairs((1, "ac"), (2, 9))) == {"a": "ac", "b": [9, "x:ac:6163"], "c": 5}
    assert bindings.filled(of(1), pairs((1, 9))) == "ab", "a pair of another kind is another secret"


@pytest.mark.parametrize(("before", "given"), [([], False), ([(2, False)], True), ([(2, True)], False), ([(1, True)], True)])
def test_booleans_that_nobody_has_sent(before: list[tuple[int, Any]], given: bool) -> None:
    """A boolean that only the provider knew is false, or true where the other one is false already, and stays what it is."""
    bindings = Bindings(Vault())
    bindings.bind(pairs(*before))
    assert [bindings.filled(of(1, "bool")) for _ in range(2)] == [given, given]
    assert bindings.fit(pairs((1, given)))
    assert not bindings.fit(pairs((1, not given)))


def test_a_number_is_no_boolean() -> None:
    """A secret number that is nought does not make a boolean true."""
    bindings = Bindings(Vault())
    bindings.bind([Pair(9, "number", False)])
    assert bindings.filled(of(1, "bool")) is False


def test_a_recorded_request_as_it_would_come_again() -> None:
    """A recorded request has the live secrets' numbers, where each is what a replay gives out; its texts are left alone."""
    bindings = Bindings(secrets := vault())
    bindings.bind(pairs((5, HUSH), (6, PORT)))
    recorded = {"a": [of(5), of(6, "number"), of(8)], "b": text("x", of(5)), "c": "y"}
    sent = bindings.sent(recorded)
    assert sent == {"a": [of(1), of(2, "number"), of(4)], "b": text("x", of(1)), "c": "y"}
    assert secrets.value(4) == stand_in(8)


def test_answers_as_they_are_compared() -> None:
    """What is known of an answer's secrets is filled in, this request's pairs first; what nobody knows stays as it is."""
    bindings = Bindings(Vault())
    bindings.bind(pairs((1, "a"), (2, "b")))
    tree = [of(1), of(2), of(3), of(1, "number")]
    assert bindings.compared(tree, pairs((2, "c"))) == ["a", "c", of(3), of(1, "number")]
