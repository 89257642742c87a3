"""The JSON of state files."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from strategies_terraform import known_values, literals

from mockprovider.errors import MalformedError
from mockprovider.terraform.values.statejson import from_json, to_json
from mockprovider.terraform.values.types import BOOL, DYNAMIC, NUMBER, STRING, Type
from mockprovider.values import UNKNOWN

OBJECT = Type("object", attributes={"name": STRING, "size": NUMBER, "on": BOOL, "any": DYNAMIC})


@given(known_values)
def test_known_values_come_back(pair: tuple[Type, Any]) -> None:
    """A wholly known value of a type is the same after writing and reading it."""
    declared, value = pair
    assert from_json(to_json(value, declared), declared) == value


@given(literals)
def test_dynamic_values_come_back_with_their_type(value: Any) -> None:
    """A value of any type is kept beside its type."""
    assert from_json(to_json({"any": value}, OBJECT), OBJECT)["any"] == value


def test_states_of_other_schema_versions_are_read() -> None:
    """Attributes that the schema no longer has are left out, those that it got since are null."""
    assert from_json('{"name": "x", "colour": "red"}', OBJECT) == {"name": "x", "size": None, "on": None, "any": None}


def test_json_may_spell_scalars_in_two_ways() -> None:
    """Numbers and booleans may be text, and text may be a number or a boolean, as Terraform allows."""
    assert from_json('{"name": 12.50, "size": "7", "on": "true"}', OBJECT) == {
        "name": "12.50",
        "size": 7,
        "on": True,
        "any": None,
    }
    assert from_json('{"name": true}', OBJECT)["name"] == "true"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "expected object"),
        ('{"name": []}', "name: expected string"),
        ('{"size": true}', "size: expected number"),
        ('{"on": 1}', "on: expected bool"),
        ('{"any": {"value": 1}}', "is no type"),
        ('{"any": 1}', "any: expected dynamic"),
    ],
)
def test_other_json_is_refused_by_path(text: str, message: str) -> None:
    """State that does not fit the schema is an error with the path."""
    with pytest.raises(MalformedError, match=message):
        from_json(text, OBJECT)


def test_unknowns_have_no_json() -> None:
    """A state is always known."""
    with pytest.raises(MalformedError, match="not known yet"):
        to_json(UNKNOWN, STRING)
