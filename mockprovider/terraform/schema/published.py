"""Provider schemas as ``terraform providers schema -json`` publishes them: data to protocol messages, and messages to data.

What is false, zero or empty is left out of the data; nested attributes that protocol 5 cannot say are refused for it. The
data says nothing of the protocol that the provider speaks, nor of its capabilities.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from google.protobuf.message import Message

from mockprovider.errors import DefinitionError

ATTRIBUTE_NESTING: Mapping[str, int] = {"single": 1, "list": 2, "set": 3, "map": 4}
BLOCK_NESTING: Mapping[str, int] = {**ATTRIBUTE_NESTING, "group": 5}
"""The data's words to the numbers of the two enumerations."""

TEXT_KINDS: Mapping[str, int] = {"plain": 0, "markdown": 1}
ATTRIBUTE_FIELDS = (
    "description",
    "deprecated",
    "deprecation_message",
    "required",
    "optional",
    "computed",
    "sensitive",
    "write_only",
)
BLOCK_FIELDS = ("description", "deprecated", "deprecation_message", "computed")
IDENTITY_FIELDS = ("description", "required_for_import", "optional_for_import")

SCHEMAS = ("resource_schemas", "data_source_schemas", "ephemeral_resource_schemas", "list_resource_schemas")
"""Sections of schemas by name, which data and messages call the same."""


# Data to messages -------------------------------------------------------------------------------------------------------


def fill_schema(into: Any, spec: Mapping[str, Any], owner: str) -> None:
    """Fill a Schema message. Raises ``DefinitionError``, naming ``owner``, for what its protocol has no words for."""
    into.version = spec.get("version", 0)
    into.block.SetInParent()
    _fill_block(into.block, spec.get("block") or {}, owner)


def fill_rest(into: Any, spec: Mapping[str, Any]) -> None:
    """Fill what a GetProviderSchema answer says that nothing of a package stands for."""
    for name, each in (spec.get("list_resource_schemas") or {}).items():
        fill_schema(into.list_resource_schemas[name], each, name)
    if spec.get("provider_meta"):
        fill_schema(into.provider_meta, spec["provider_meta"], "provider_meta")


def fill_published_functions(into: Any, spec: Mapping[str, Any]) -> None:
    """Fill the Function messages that are published, also where a package's own would say less."""
    for name, each in (spec.get("functions") or {}).items():
        into[name].Clear()
        fill_function(into[name], each)


def fill_function(into: Any, spec: Mapping[str, Any]) -> None:
    """Fill a Function message."""
    _copy(into, spec, ("summary", "description", "deprecation_message"))
    getattr(into, "return").type = _type_bytes(spec["return_type"])
    for each in spec.get("parameters", ()):
        _fill_parameter(into.parameters.add(), each)
    if spec.get("variadic_parameter"):
        _fill_parameter(into.variadic_parameter, spec["variadic_parameter"])


def fill_identity(into: Any, spec: Mapping[str, Any]) -> None:
    """Fill a ResourceIdentitySchema message."""
    into.version = spec.get("version", 0)
    for name, each in sorted(spec.get("attributes", {}).items()):
        made = into.identity_attributes.add(name=name, type=_type_bytes(each["type"]))
        _copy(made, each, IDENTITY_FIELDS)


def _fill_block(into: Any, spec: Mapping[str, Any], owner: str) -> None:
    _copy(into, spec, BLOCK_FIELDS)
    into.description_kind = TEXT_KINDS[spec.get("description_kind", "plain")]
    _fill_attributes(into.attributes, spec.get("attributes") or {}, owner)
    for name, each in sorted((spec.get("block_types") or {}).items()):
        made = into.block_types.add(type_name=name, nesting=BLOCK_NESTING[each["nesting_mode"]])
        _copy(made, each, ("min_items", "max_items"))
        _fill_block(made.block, each.get("block") or {}, f"{owner}.{name}")


def _fill_attributes(into: Any, specs: Mapping[str, Any], owner: str) -> None:
    for name, spec in sorted(specs.items()):
        made = into.add(name=name, description_kind=TEXT_KINDS[spec.get("description_kind", "plain")])
        _copy(made, spec, ATTRIBUTE_FIELDS)
        nested = spec.get("nested_type")
        if not nested:
            made.type = _type_bytes(spec["type"])
            continue
        if "nested_type" not in made.DESCRIPTOR.fields_by_name:
            raise DefinitionError(
                f"{owner}.{name} is a nested attribute, which Terraform's protocol 5 has no words for. Serve protocol 6."
            )
        made.nested_type.nesting = ATTRIBUTE_NESTING[nested["nesting_mode"]]
        _copy(made.nested_type, nested, ("min_items", "max_items"))
        _fill_attributes(made.nested_type.attributes, nested.get("attributes") or {}, f"{owner}.{name}")


def _fill_parameter(into: Any, spec: Mapping[str, Any]) -> None:
    _copy(into, spec, ("name", "description"))
    into.type = _type_bytes(spec["type"])
    into.allow_null_value = spec.get("is_nullable", False)


def _copy(into: Any, spec: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for name in names:
        # Newer words, which the protocol of the message may not have, say nothing when they say no.
        if spec.get(name):
            setattr(into, name, spec[name])


def _type_bytes(spelled: Any) -> bytes:
    return json.dumps(spelled, separators=(",", ":"), ensure_ascii=False).encode()


# Messages to data -------------------------------------------------------------------------------------------------------


def data_of(message: Message) -> dict[str, Any]:
    """A GetProviderSchema answer of either major, as the one provider's part of what the command shows."""
    answer: Any = message
    found: dict[str, Any] = {"provider": _schema(answer.provider)}
    for section in SCHEMAS:
        if getattr(answer, section):
            found[section] = {name: _schema(each) for name, each in sorted(getattr(answer, section).items())}
    if answer.functions:
        found["functions"] = {name: _function(each) for name, each in sorted(answer.functions.items())}
    if answer.HasField("provider_meta"):
        found["provider_meta"] = _schema(answer.provider_meta)
    return found


def _schema(message: Any) -> dict[str, Any]:
    return {"version": message.version, "block": _block(message.block)}


def _block(message: Any) -> dict[str, Any]:
    found = {**_told(message, BLOCK_FIELDS), "description_kind": _text_kind(message)}
    if message.attributes:
        found["attributes"] = {each.name: _attribute(each) for each in message.attributes}
    if message.block_types:
        found["block_types"] = {each.type_name: _nested_block(each) for each in message.block_types}
    return found


def _nested_block(message: Any) -> dict[str, Any]:
    mode = {number: word for word, number in BLOCK_NESTING.items()}[message.nesting]
    return {"nesting_mode": mode, "block": _block(message.block), **_told(message, ("min_items", "max_items"))}


def _attribute(message: Any) -> dict[str, Any]:
    found = {**_told(message, ATTRIBUTE_FIELDS), "description_kind": _text_kind(message)}
    if "nested_type" in message.DESCRIPTOR.fields_by_name and message.HasField("nested_type"):
        nested = message.nested_type
        mode = {number: word for word, number in ATTRIBUTE_NESTING.items()}[nested.nesting]
        inside = {each.name: _attribute(each) for each in nested.attributes}
        found["nested_type"] = {"nesting_mode": mode, "attributes": inside, **_told(nested, ("min_items", "max_items"))}
    else:
        found["type"] = json.loads(message.type)
    return found


def _function(message: Any) -> dict[str, Any]:
    found = _told(message, ("summary", "description", "deprecation_message"))
    found["return_type"] = json.loads(getattr(message, "return").type)
    if message.parameters:
        found["parameters"] = [_parameter(each) for each in message.parameters]
    if message.HasField("variadic_parameter"):
        found["variadic_parameter"] = _parameter(message.variadic_parameter)
    return found


def _parameter(message: Any) -> dict[str, Any]:
    nullable = {"is_nullable": True} if message.allow_null_value else {}
    return {**_told(message, ("name", "description")), "type": json.loads(message.type), **nullable}


def _text_kind(message: Any) -> str:
    return "markdown" if message.description_kind == TEXT_KINDS["markdown"] else "plain"


def _told(message: Any, names: tuple[str, ...]) -> dict[str, Any]:
    known = message.DESCRIPTOR.fields_by_name
    return {name: getattr(message, name) for name in names if name in known and getattr(message, name)}
