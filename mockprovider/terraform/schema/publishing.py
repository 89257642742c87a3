"""Schema trees as the messages of a GetProviderSchema answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockprovider.errors import DefinitionError
from mockprovider.terraform.schema.published import TEXT_KINDS, tree_of
from mockprovider.terraform.schema.tree import (
    ATTRIBUTE_WORDS,
    BLOCK,
    BLOCK_WORDS,
    LIMITS,
    NESTED,
    NESTING,
    Place,
)
from mockprovider.terraform.values.types import type_json

METAS: Mapping[str, Mapping[str, Any]] = {
    provider: {"block": {"attributes": {attribute: {"type": type_, "optional": True}}}}
    for provider, attribute, type_ in (
        ("aws", "user_agent", ["list", "string"]),
        ("google", "module_name", "string"),
        ("google-beta", "module_name", "string"),
    )
}
"""What modules tell these providers about themselves: ``terraform providers schema -json`` leaves it out of what it shows."""


def fill_schema(into: Any, tree: Place, owner: str, version: int = 0) -> None:
    """Fill a Schema message. Raises ``DefinitionError``, naming ``owner``, for what its protocol cannot express."""
    into.version = version
    _fill_block(into.block, tree, owner)


def fill_rest(into: Any, published: Mapping[str, Any]) -> None:
    """Fill the sections of a GetProviderSchema answer that a package does not model."""
    for name, schema in (published.get("list_resource_schemas") or {}).items():
        fill_schema(into.list_resource_schemas[name], tree_of(schema), name, schema.get("version", 0))
    meta = published.get("provider_meta")
    if meta:
        fill_schema(into.provider_meta, tree_of(meta), "provider_meta", meta.get("version", 0))


def _fill_block(into: Any, place: Place, owner: str) -> None:
    # Engines take a block that is not there for a broken provider, and one without anything in it is there all the same.
    into.SetInParent()
    _fill_words(into, place, BLOCK_WORDS)
    _fill_attributes(into.attributes, place.inside, owner)
    for name, member in place.inside.items():
        if member.form == BLOCK:
            block = into.block_types.add(type_name=name, nesting=NESTING[member.nesting])
            _fill_words(block, member, LIMITS)
            _fill_block(block.block, member, f"{owner}.{name}")


def _fill_attributes(into: Any, members: Mapping[str, Place], owner: str) -> None:
    for name, member in members.items():
        if member.form == BLOCK:
            continue
        attribute = into.add(name=name)
        _fill_words(attribute, member, ATTRIBUTE_WORDS)
        if member.form != NESTED:
            attribute.type = type_json(member.type)
            continue
        if "nested_type" not in attribute.DESCRIPTOR.fields_by_name:
            raise DefinitionError(
                f"{owner}.{name} is a nested attribute, which Terraform's protocol 5 has no words for. Serve protocol 6."
            )
        attribute.nested_type.nesting = NESTING[member.nesting]
        _fill_words(attribute.nested_type, member, LIMITS)
        _fill_attributes(attribute.nested_type.attributes, member.inside, f"{owner}.{name}")


def _fill_words(into: Any, place: Place, words: frozenset[str]) -> None:
    for word in words:
        value = getattr(place, word)
        number_or_value = TEXT_KINDS.index(value) if word == "description_kind" else value
        # False and empty are the defaults, and the message may lack the newer fields.
        if number_or_value:
            setattr(into, word, number_or_value)
