"""The JSON data of ``terraform providers schema -json``: to schema trees, and from messages or the trees of messages.

The data leaves out what is false, zero or empty. It has neither the protocol's version nor the provider's capabilities.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from mockprovider.terraform.schema.tree import (
    ATTRIBUTE_WORDS,
    BLOCK,
    BLOCK_WORDS,
    LIMITS,
    NESTED,
    NESTING,
    Place,
    nested,
    object_of,
    place_of,
    property_names,
)
from mockprovider.terraform.values.types import PRIMITIVES, Type, parse_type

SCHEMAS = ("resource_schemas", "data_source_schemas", "ephemeral_resource_schemas", "list_resource_schemas")
"""Sections of schemas by name; data and messages use the same names."""

PROVIDER, PROVIDER_META = "provider", "provider_meta"
RESOURCES = "resource_schemas"
SECTIONS: Mapping[str, str] = {
    "Data": "data_source_schemas",
    "Ephemeral": "ephemeral_resource_schemas",
    "ListResource": "list_resource_schemas",
    "StateStore": "state_store_schemas",
    "Action": "action_schemas",
    "": RESOURCES,
}
"""Sections of a schema answer, by a part of the names of the methods whose payloads have these schemas."""

FOUND = ("resource_object", "identity_data")
"""Fields that hold what a list resource has found."""

FUNCTION_WORDS = frozenset({"summary", "description", "deprecation_message"})
PARAMETER_WORDS = frozenset({"name", "description"})
TEXT_KINDS = ("plain", "markdown")
MODES = ("", *NESTING)
"""Words of the two enumerations by number."""


# Data to trees ----------------------------------------------------------------------------------------------------------


def tree_of(schema: Mapping[str, Any]) -> Place:
    """The tree of a schema. Raises ``MalformedError`` for an invalid type."""
    block = schema.get("block") or {}
    return object_of(_members(block), **_words(block, BLOCK_WORDS))


def _members(block: Mapping[str, Any]) -> dict[str, Place]:
    attributes, blocks = block.get("attributes") or {}, block.get("block_types") or {}
    names = property_names([*attributes, *blocks])
    members = {name: _attribute(spec, names[name]) for name, spec in attributes.items()}
    return members | {name: _block(spec, names[name]) for name, spec in blocks.items()}


def _block(spec: Mapping[str, Any], property_name: str) -> Place:
    block = spec.get("block") or {}
    words = {**_words(block, BLOCK_WORDS), **_words(spec, LIMITS), "property_name": property_name}
    return nested(spec["nesting_mode"], object_of(_members(block)), BLOCK, **words)


def _attribute(spec: Mapping[str, Any], property_name: str) -> Place:
    words, inside = {**_words(spec, ATTRIBUTE_WORDS), "property_name": property_name}, spec.get("nested_type")
    if not inside:
        return place_of(type_in(spec.get("type", "dynamic")), **words)
    return nested(inside["nesting_mode"], object_of(_members(inside)), NESTED, **words, **_words(inside, LIMITS))


def type_in(spelled: Any) -> Type:
    """The type in parsed JSON. Raises ``MalformedError`` for an invalid one."""
    primitive = PRIMITIVES.get(spelled) if isinstance(spelled, str) else None
    return primitive or parse_type(json.dumps(spelled))


def _words(spec: Mapping[str, Any], words: frozenset[str]) -> dict[str, Any]:
    return {word: value for word, value in spec.items() if value and word in words}


# Messages to data -------------------------------------------------------------------------------------------------------


def data_of(answer: Any) -> dict[str, Any]:
    """A GetProviderSchema answer of either major, or its tree, as one provider's part of the command's data."""
    fields = _fields(answer)
    data: dict[str, Any] = {"provider": schema_data(fields.get("provider", {}))}
    for section in SCHEMAS:
        if section in fields:
            data[section] = {name: schema_data(schema) for name, schema in sorted(fields[section].items())}
    if "functions" in fields:
        data["functions"] = {name: _function(function) for name, function in sorted(fields["functions"].items())}
    if "provider_meta" in fields:
        data["provider_meta"] = schema_data(fields["provider_meta"])
    return data


def schemas_in(answer: Any) -> Iterator[tuple[str, str, Any]]:
    """The schemas in such an answer, or in its tree: section, type, schema. The provider's own two have no type."""
    fields = _fields(answer)
    for name in (PROVIDER, PROVIDER_META):
        if name in fields:
            yield name, "", fields[name]
    for section in SECTIONS.values():
        for name, schema in fields.get(section, {}).items():
            # An action's has another message around it.
            yield section, name, _fields(schema).get("schema", schema)


@cache
def section_of(method: str, field: str = "") -> str:
    """The section that has the schemas of the types that an RPC is about, or of what a field of its messages holds."""
    # What a list resource finds are resources.
    return RESOURCES if field in FOUND else next(section for word, section in SECTIONS.items() if word in method)


def schema_data(schema: Any) -> dict[str, Any]:
    """A Schema message, or its tree, as data."""
    fields = _fields(schema)
    return {"version": int(fields.get("version", 0)), "block": _block_data(fields.get("block", {}))}


def _fields(source: Any) -> Mapping[str, Any]:
    """The fields of a message or a tree that are set, by name."""
    return source if isinstance(source, Mapping) else {field.name: value for field, value in source.ListFields()}


def _block_data(block: Any) -> dict[str, Any]:
    fields = _fields(block)
    data = _said(fields, BLOCK_WORDS)
    if "attributes" in fields:
        data["attributes"] = _attributes_data(fields)
    if "block_types" in fields:
        blocks = map(_fields, fields["block_types"])
        data["block_types"] = {
            member["type_name"]: {"block": _block_data(member.get("block", {})), **_nesting(member)} for member in blocks
        }
    return data


def _attributes_data(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {member["name"]: _attribute_data(member) for member in map(_fields, fields.get("attributes", ()))}


def _attribute_data(fields: Mapping[str, Any]) -> dict[str, Any]:
    data = _said(fields, ATTRIBUTE_WORDS)
    if "nested_type" in fields:
        inside = _fields(fields["nested_type"])
        data["nested_type"] = {"attributes": _attributes_data(inside), **_nesting(inside)}
    elif "type" in fields:
        data["type"] = json.loads(fields["type"])
    return data


def _nesting(fields: Mapping[str, Any]) -> dict[str, Any]:
    limits = {word: int(fields[word]) for word in LIMITS if fields.get(word)}
    return {"nesting_mode": _word(fields.get("nesting", 0), MODES), **limits}


def _said(fields: Mapping[str, Any], words: frozenset[str]) -> dict[str, Any]:
    return {**_words(fields, words), "description_kind": _word(fields.get("description_kind", 0), TEXT_KINDS)}


def _word(value: int | str, words: tuple[str, ...]) -> str:
    """An enumeration's value as data has it; it is a number in a message and a name in a message's tree."""
    return value.lower() if isinstance(value, str) else dict(enumerate(words))[value]


def _function(function: Any) -> dict[str, Any]:
    fields = _fields(function)
    data = _words(fields, FUNCTION_WORDS)
    data["return_type"] = json.loads(_fields(fields["return"])["type"])
    if "parameters" in fields:
        data["parameters"] = [_parameter(_fields(parameter)) for parameter in fields["parameters"]]
    if "variadic_parameter" in fields:
        data["variadic_parameter"] = _parameter(_fields(fields["variadic_parameter"]))
    return data


def _parameter(fields: Mapping[str, Any]) -> dict[str, Any]:
    nullable = {"is_nullable": True} if fields.get("allow_null_value") else {}
    return {**_words(fields, PARAMETER_WORDS), "type": json.loads(fields["type"]), **nullable}
