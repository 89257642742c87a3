"""Terraform's types and their JSON."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from strategies_terraform import types

from mockprovider.errors import MalformedError
from mockprovider.terraform.values.types import BOOL, DYNAMIC, NUMBER, STRING, Type, parse_type, type_json, type_of
from mockprovider.values import UNKNOWN, Asset


@given(types)
def test_types_come_back_from_their_json(declared: Type) -> None:
    """Every type is spelled in JSON that reads back as the same type."""
    assert parse_type(type_json(declared)) == declared


def test_optional_attributes_are_named_in_order() -> None:
    """An object type with optional attributes lists them, sorted."""
    declared = Type("object", attributes={"b": STRING, "a": NUMBER}, optional=frozenset({"b", "a"}))
    assert str(declared) == '["object",{"a":"number","b":"string"},["a","b"]]'
    assert parse_type(str(declared)) == declared


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '"text"',
        '["list"]',
        '["list","string","x"]',
        '["what","string"]',
        "[]",
        "3",
        '["tuple",3]',
        '["tuple",[],1]',
        '["object",{},[],1]',
        '["object",["a"]]',
        '["set",["string"]]',
        "null",
        pytest.param("[" * 9000, id="deep"),
    ],
)
def test_other_json_is_no_type(text: str) -> None:
    """Text that spells no type is refused with an example of one that does."""
    with pytest.raises(MalformedError, match="is no type"):
        parse_type(text)


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ('"string"', STRING),
        ('"number"', NUMBER),
        ('"bool"', BOOL),
        ('"dynamic"', DYNAMIC),
        ('["list","string"]', Type("list", items=STRING)),
        ('["set","bool"]', Type("set", items=BOOL)),
        ('["map",["list","number"]]', Type("map", items=Type("list", items=NUMBER))),
        ('["tuple",["string","number"]]', Type("tuple", elements=(STRING, NUMBER))),
        ('["tuple",[]]', Type("tuple")),
        ('["object",{"a":"string"}]', Type("object", attributes={"a": STRING})),
        ('["object",{"a":"string"},["a"]]', Type("object", attributes={"a": STRING}, optional=frozenset({"a"}))),
        ('["object",{}]', Type("object")),
    ],
)
def test_how_types_are_spelled(text: str, declared: Type) -> None:
    """Each type has one spelling, as text and as bytes."""
    assert parse_type(text) == parse_type(text.encode()) == declared
    assert (str(declared), type_json(declared)) == (text, text.encode())


@pytest.mark.parametrize(
    ("declared", "inside"),
    [
        (STRING, "string"),
        (Type("list", items=NUMBER), "list number"),
        (Type("tuple", elements=(STRING, BOOL)), "bool string tuple"),
        (Type("object", attributes={"a": STRING, "b": Type("set", items=DYNAMIC)}), "dynamic object set string"),
    ],
)
def test_what_a_type_has_inside(declared: Type, inside: str) -> None:
    """A type has itself and what is in its elements and attributes, at every depth."""
    names = ("bool", "dynamic", "list", "map", "number", "object", "set", "string", "tuple")
    assert " ".join(name for name in names if declared.has(name)) == inside


def test_a_collection_of_nothing_known_holds_anything() -> None:
    """Only collections have one type of elements."""
    assert Type("list", items=STRING).element == STRING
    assert Type("tuple", elements=(STRING,)).element == DYNAMIC


def test_literals_have_the_types_that_programs_give_them() -> None:
    """A list is a tuple, a dict an object, and null and unknown have no type yet."""
    assert type_of({"a": [1, "x", None, True, Decimal("0.1")], "b": UNKNOWN}) == Type(
        "object", attributes={"a": Type("tuple", elements=(NUMBER, STRING, DYNAMIC, BOOL, NUMBER)), "b": DYNAMIC}
    )
    assert (type_of(None), type_of(1.5), type_of(())) == (DYNAMIC, NUMBER, Type("tuple"))


def test_what_has_no_literal_is_refused() -> None:
    """A value that Terraform cannot write is an error that shows it."""
    with pytest.raises(MalformedError, match="no literal for a Asset"):
        type_of(Asset(text="x"))
