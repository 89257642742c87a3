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
    "text", ["", "{", '"text"', '["list"]', '["list","string","x"]', '["what","string"]', "[]", "3", '["tuple",3]']
)
def test_other_json_is_no_type(text: str) -> None:
    """Text that spells no type is refused with an example of one that does."""
    with pytest.raises(MalformedError, match="is no type"):
        parse_type(text)


def test_literals_have_the_types_that_programs_give_them() -> None:
    """A list is a tuple, a dict an object, and null and unknown have no type yet."""
    assert type_of({"a": [1, "x", None, True, Decimal("0.1")], "b": UNKNOWN}) == Type(
        "object", attributes={"a": Type("tuple", elements=(NUMBER, STRING, DYNAMIC, BOOL, NUMBER)), "b": DYNAMIC}
    )


def test_what_has_no_literal_is_refused() -> None:
    """A value that Terraform cannot write is an error that shows it."""
    with pytest.raises(MalformedError, match="no literal for a Asset"):
        type_of(Asset(text="x"))
