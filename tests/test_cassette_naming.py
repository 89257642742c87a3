"""What the names of places are about in a recording, as tables."""

from __future__ import annotations

from typing import Any

import pytest
from cassette_toy import Toy, header, secret

from mockprovider.cassette import Cassette, Interaction
from mockprovider.cassette.naming import RecordedPlaces, effective

T, U = "cloud:x:T", "cloud:x:U"
ONE, TWO = {"$secret": 1}, {"$secret": 2}
UNKNOWN = next(iter(Toy.marks.unknowns))


def places(*calls: tuple[str, Any, Any], op: str = "create") -> RecordedPlaces:
    """The places of calls about types, with their properties and results."""
    interactions = [
        Interaction(n=n, session=1, op=op, method="M", type=type_, request={"inputs": inputs}, response={"outputs": outputs})
        for n, (type_, inputs, outputs) in enumerate(calls, 1)
    ]
    return RecordedPlaces(Cassette(header(), interactions), Toy.marks)


CALLS = places(
    (T, {"a": 1, "conf": {"key": ONE, "list": [{"in": "x"}, {"in": None}]}}, {"url": {"$text": ["x", ONE]}, "none": None}),
    (U, {"plain": {"value": "x"}, "both": {**secret("x"), "beside": 1}}, {}),
    (
        U,
        {"a": None, "wrapped": secret(TWO), "odd": {"$literal": {"$secret": "x", "b": 1}}},
        {"u": UNKNOWN, "know": {"$unknown": {"prefix": "x"}}},
    ),
)

AT: dict[str, tuple[str, str, list[tuple[str, str]]]] = {
    "a property": ("a", "*", [(T, "inputs.a"), (U, "inputs.a")]),
    "a property of a type": ("a", U, [(U, "inputs.a")]),
    "a property with its type": (f"{U}.a", "*", [(U, "inputs.a")]),
    "a property of another type": ("conf", U, []),
    "the end of a path": ("key", "*", [(T, "inputs.conf.key")]),
    "a path": ("conf.key", "*", [(T, "inputs.conf.key")]),
    "another path": ("other.key", "*", []),
    "in a list": ("conf.list.in", "*", [(T, "inputs.conf.list.in")]),
    "with an index": ("conf.list[1].in", "*", [(T, "inputs.conf.list.in")]),
    "an answer's": ("url", "*", [(T, "outputs.url")]),
    "what is wrapped": ("wrapped", "*", [(U, "inputs.wrapped")]),
    "a wrapper's own key": ("wrapped.value", "*", []),
    "a key called value elsewhere": ("value", "*", [(U, "inputs.plain.value")]),
    "beside a wrapped value": ("both.beside", "*", [(U, "inputs.both.beside")]),
    "inside of odd keys": ("odd.b", "*", [(U, "inputs.odd.b")]),
    "one of our own marks": ("$secret", "*", []),
    "nowhere": ("nowhere", "*", []),
}


@pytest.mark.parametrize(("name", "type_", "named"), [pytest.param(*row, id=rule) for rule, row in AT.items()])
def test_what_a_name_is_about(name: str, type_: str, named: list[tuple[str, str]]) -> None:
    """A name is about the places that end with it, of every type or of one."""
    assert [(where, ".".join(path)) for where, path in CALLS.at(name, type_)] == named


CONTENTS: dict[str, tuple[str, tuple[set[int], bool]]] = {
    "a value": (f"{T}.a", (set(), True)),
    "nothing": (f"{U}.a", (set(), False)),
    "of any of them": ("a", (set(), True)),
    "a secret": ("conf.key", ({1}, True)),
    "a text with a secret": ("url", ({1}, True)),
    "what is wrapped": ("wrapped", ({2}, True)),
    "all that is inside": ("conf", ({1}, True)),
    "a list with a value": ("conf.list", (set(), True)),
    "what is null": ("none", (set(), False)),
    "what is not known yet": ("u", (set(), False)),
    "what is known of that": ("know", (set(), False)),
    "nowhere": ("nowhere", (set(), False)),
}


@pytest.mark.parametrize(("name", "contents"), [pytest.param(*row, id=rule) for rule, row in CONTENTS.items()])
def test_what_lies_at_a_name(name: str, contents: tuple[set[int], bool]) -> None:
    """At a place lie secrets, by number, and something or nothing that is known."""
    lying = CALLS.contents(CALLS.at(name))
    assert (lying.secrets, lying.has_value) == contents


def test_a_place_has_what_any_call_has_there() -> None:
    """What lies at a place in one call and not in another, lies there."""
    for order in (((T, {"a": ONE}, {}), (T, {"a": None}, {})), ((T, {"a": None}, {}), (T, {"a": ONE}, {}))):
        lying = places(*order).contents([(T, ("inputs", "a"))])
        assert (lying.secrets, lying.has_value) == ({1}, True)


def test_who_owns_a_secret() -> None:
    """The owners of a secret are the other places where it is the whole value."""
    calls = places((T, {"p": ONE, "q": ONE, "text": {"$text": [ONE]}}, {"r": ONE}), (U, {"p": TWO}, {}), ("", {"z": ONE}, {}))
    assert calls.owners({1}, []) == [f"{T}.p", f"{T}.q", f"{T}.r", "z"]
    assert calls.owners({1}, [(T, ("inputs", "q")), ("", ("inputs", "z"))]) == [f"{T}.p", f"{T}.r"]
    assert calls.owners({2, 3}, []) == [f"{U}.p"]
    assert calls.owners([], []) == []


def test_all_that_could_be_named() -> None:
    """Properties, paths, and these with their type, each once."""
    names = places((T, {"a": {"b": 1}}, {}), ("", {"c": 1}, {})).names
    assert names == sorted({*names})
    for name in ("a", "b", "a.b", f"{T}.a", f"{T}.b", f"{T}.a.b", "c", "inputs.c"):
        assert name in names
    assert ".c" not in names


def test_schemas_have_no_places() -> None:
    """What a provider says of itself is not named; what was asked for it is."""
    schema = places(("", {"q": 1}, {"text": "x"}), op="get_schema")
    assert (len(schema.at("q")), len(schema.at("text"))) == (1, 0)


def test_names_that_have_an_effect() -> None:
    """Names stay where something is; of what is to be readable, where no secret is left."""
    named = {T: ["a", "conf.key", "none", "nowhere"], U: ["a", "wrapped"], "*": ["a"]}
    assert effective(CALLS, named) == {T: ["a", "conf.key"], U: ["wrapped"], "*": ["a"]}
    assert effective(CALLS, named, readable=True) == {T: ["a"], "*": ["a"]}
