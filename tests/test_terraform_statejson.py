"""The JSON of state files."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from strategies_terraform import known_values, literals

from mockprovider.errors import MalformedError
from mockprovider.terraform.values.statejson import from_json, to_json
from mockprovider.terraform.values.types import BOOL, DYNAMIC, NUMBER, STRING, Type
from mockprovider.values import UNKNOWN, Secret

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
    assert from_json('{"name": false, "on": "false"}', OBJECT) == {"name": "false", "size": None, "on": False, "any": None}
    assert from_json('{"name": 7, "on": false, "size": 0.1}', OBJECT) == {"name": "7", "size": 0.1, "on": False, "any": None}
    assert from_json(b"null", OBJECT) is None


PAIR = Type("tuple", elements=(STRING, NUMBER))


@pytest.mark.parametrize(
    ("value", "declared", "text"),
    [
        (None, STRING, "null"),
        ("\u00e9", STRING, '"\u00e9"'),
        (["a", 1], PAIR, '["a", 1]'),
        ({"a": ["b"]}, Type("map", items=Type("list", items=STRING)), '{"a": ["b"]}'),
        ([{"name": "x"}], Type("set", items=OBJECT), '[{"any": null, "name": "x", "on": null, "size": null}]'),
        ([True, None], DYNAMIC, '{"value": [true, null], "type": ["tuple", ["bool", "dynamic"]]}'),
        (Secret(["a"]), Type("list", items=STRING), '["a"]'),
    ],
)
def test_how_states_are_written(value: Any, declared: Type, text: str) -> None:
    """Each type has one form, with every attribute of an object, and dynamic values beside their types."""
    assert to_json(value, declared).decode() == text


def test_tuples_of_another_length_are_read() -> None:
    """An older schema may have written more elements, or fewer."""
    assert from_json('["a", 1, 2]', PAIR) == ["a", 1]
    assert from_json('["a"]', PAIR) == ["a"]


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
        ('{"size": []}', "size: expected number, got list"),
        ('{"size": "many"}', "size: 'many' is no number"),
        ('{"on": "yes"}', "on: expected bool, got str"),
        ('{"any": {"value": {"a": 1}, "type": ["map", "bool"]}}', r'any\["a"\]: expected bool, got int'),
        ('{"any": {"value": [1], "type": ["list", "bool"]}}', r"any\[0\]: expected bool, got int"),
        ('{"any": {"value": 1, "type": ["list", "bool"]}}', "any: expected list, got int"),
        ('{"any": {"value": [], "type": ["map", "bool"]}}', "any: expected map, got list"),
        pytest.param("[" * 9000, "not JSON", id="deep"),
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
