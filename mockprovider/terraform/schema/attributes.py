"""Attributes and blocks of a published schema as properties of ours: names, kinds, and who says what they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from mockprovider.document import Node, describe, nearest
from mockprovider.errors import DefinitionError, MalformedError
from mockprovider.fake.computing import generated
from mockprovider.schema import Kind, Property, camel_case, snake_case
from mockprovider.terraform.schema.published import ATTRIBUTE_NESTING, BLOCK_NESTING, TEXT_KINDS
from mockprovider.terraform.values.types import Type, parse_type
from mockprovider.values import Value

COLLECTIONS: Mapping[str, str] = {"list": "array", "set": "set", "map": "map"}
SIMPLE: Mapping[str, str] = {"string": "string", "number": "number", "bool": "boolean"}
PLAIN: Mapping[str, Kind] = {word: Kind(name) for word, name in {**SIMPLE, "dynamic": "any"}.items()}
UNSAID = frozenset({"any", "array", "set", "map", "object"})
"""Kinds that may have come of a type that says more."""

FLAGS = ("required", "optional", "computed", "sensitive", "write_only", "deprecated")


def read_block(node: Node) -> dict[str, Property]:
    """The properties of a block by their names of ours. Raises ``DefinitionError`` for what no engine would take."""
    members = node.members()
    found = {name: _attribute(name, each) for name, each in _members(members, "attributes").items()}
    for name, each in _members(members, "block_types").items():
        if name in found:
            raise each.error(f"an attribute is called {name!r}, too. One name is one thing.")
        found[name] = _nested_block(each)
    return _named(found)


def _members(members: Mapping[str, Node], key: str) -> dict[str, Node]:
    # Of what there is none, the command shows nothing, or a null.
    return members[key].members() if key in members and members[key].value is not None else {}


@lru_cache(maxsize=8192)
def _property_name(attribute: str) -> tuple[str, bool]:
    """The name that the rule gives, and whether the rule leads back from it."""
    name = camel_case(attribute)
    return name, snake_case(name) == attribute


def _named(found: Mapping[str, Property]) -> dict[str, Property]:
    """The same by property names, which tell the attribute's name wherever the rule would not."""
    named: dict[str, Property] = {}
    for attribute, item in found.items():
        name, regular = _property_name(attribute)
        if name in named or (name != attribute and name in found):
            name, regular = attribute, snake_case(attribute) == attribute
        named[name] = item if regular else replace(item, terraform=attribute)
    return named


def _attribute(name: str, node: Node) -> Property:
    spec = node.value
    if not isinstance(spec, dict):
        raise node.wrong("an object in braces")
    _check(node, spec)
    nested = spec.get("nested_type") is not None
    kind = _nested_kind(node) if nested else _kind(node)
    computed: Any = spec.get("computed", False)
    if kind == PLAIN["number"] and computed and not spec.get("optional"):
        # What providers count is whole: ports, sizes, days.
        kind = Kind("integer")
    if computed and not nested and kind.name in UNSAID:
        declared = _spelled(node)
        # A tuple's kind would not say enough for a value to be made of it.
        computed = (lambda known: _invented(declared, name, known["id"])) if _has_tuple(declared) else True
    return Property(
        kind,
        required=spec.get("required", False),
        computed=computed,
        optional=bool(computed) and spec.get("optional", False),
        secret=spec.get("sensitive", False),
        write_only=spec.get("write_only", False) and not computed,
        description=spec.get("description", ""),
    )


def _check(node: Node, spec: Mapping[str, Any]) -> None:
    """Raise ``DefinitionError`` for an attribute that no engine would take."""
    for flag in FLAGS:
        if spec.get(flag, False) not in (True, False):
            node.members()[flag].flag()
    if not isinstance(spec.get("description", ""), str):
        node.members()["description"].text()
    if spec.get("description_kind", "plain") not in TEXT_KINDS:
        _word(node.members(), "description_kind", TEXT_KINDS)
    if spec.get("required") and (spec.get("optional") or spec.get("computed")):
        raise node.error("this attribute is required, and also optional or computed. No engine takes that: drop one of them.")
    if not (spec.get("required") or spec.get("optional") or spec.get("computed")):
        raise node.error("this attribute is neither required, optional nor computed. No engine takes that: say which it is.")
    if (spec.get("type") is None) == (spec.get("nested_type") is None):
        raise node.error(f'{describe(node.value)} needs exactly one of "type" and "nested_type".')


def _kind(node: Node) -> Kind:
    spelled = node.value["type"]
    return PLAIN[spelled] if isinstance(spelled, str) and spelled in PLAIN else kind_of_type(_spelled(node))


def _nested_kind(node: Node) -> Kind:
    nested = node.members()["nested_type"].members(needed=("nesting_mode",))
    mode = _word(nested, "nesting_mode", ATTRIBUTE_NESTING)
    inside = {name: _attribute(name, each) for name, each in _members(nested, "attributes").items()}
    return _collection(mode, Kind("object", properties=_named(inside)))


def _nested_block(node: Node) -> Property:
    members = node.members(needed=("nesting_mode",))
    mode = _word(members, "nesting_mode", BLOCK_NESTING)
    inside = read_block(members["block"]) if "block" in members else {}
    least = members["min_items"].whole() if "min_items" in members else 0
    return Property(_collection(mode, Kind("object", properties=inside)), required=least > 0 and mode != "map")


def _collection(mode: str, inside: Kind) -> Kind:
    return Kind(COLLECTIONS[mode], items=inside) if mode in COLLECTIONS else inside


def _word(members: Mapping[str, Node], key: str, known: Mapping[str, int]) -> str:
    if key not in members:
        return ""
    word = members[key].text()
    if word not in known:
        raise members[key].error(f"{word!r} is none of the words here. {nearest(word, known, 'They are')}")
    return word


def _spelled(node: Node) -> Type:
    return read_type(node.members()["type"])


def read_type(node: Node) -> Type:
    """A type as it is spelled in JSON. Raises ``DefinitionError`` for what spells none."""
    try:
        return parse_type(json.dumps(node.value))
    except MalformedError as error:
        raise node.error(str(error)) from error


def kind_of_type(declared: Type) -> Kind:
    """The kind that says most of a type: what has a type of its own each time, and tuples, are anything."""
    if declared.name == "object":
        inside = {name: Property(kind_of_type(each)) for name, each in declared.attributes.items()}
        return Kind("object", properties=_named(inside))
    if declared.name in COLLECTIONS:
        return Kind(COLLECTIONS[declared.name], items=kind_of_type(declared.element))
    return Kind(SIMPLE.get(declared.name, "any"))


def _has_tuple(declared: Type) -> bool:
    inside = [*declared.elements, *declared.attributes.values(), *([declared.items] if declared.items else [])]
    return declared.name == "tuple" or any(map(_has_tuple, inside))


def _invented(declared: Type, name: str, of: str) -> Value:
    """A value of a type that has tuples in it, where the kind alone would not say enough."""
    if declared.name == "tuple":
        return [_invented(each, f"{name}.{index}", of) for index, each in enumerate(declared.elements)]
    if declared.name == "object":
        names = {camel_case(each): each for each in declared.attributes}
        return {own: _invented(declared.attributes[each], f"{name}.{own}", of) for own, each in names.items()}
    return generated(kind_of_type(declared), name, of)


def returned_value(name: str, item: Property, of: str) -> Value:
    """What a data source ``of`` some type answers for a computed property: always the same value of its kind."""
    return item.computed({"id": of}) if callable(item.computed) else generated(item.kind, name, of)


def own_id(properties: Mapping[str, Property]) -> bool:
    """Whether ``id`` is an attribute like others: not the text that the provider chooses to know its object by."""
    item = properties.get("id")
    return item is not None and not (item.computed and item.kind == Kind("string"))


def replaced(properties: Mapping[str, Property], names: Any, owner: str) -> dict[str, Property]:
    """``properties`` of which those in ``names`` (attributes or properties) need a new object. Raises ``DefinitionError``."""
    found = dict(properties)
    by_attribute = {item.terraform or snake_case(name): name for name, item in properties.items()}
    for each in (names,) if isinstance(names, str) else tuple(names):
        name = by_attribute.get(each, each)
        if name not in found:
            raise DefinitionError(f"forces_new: {owner} has no attribute {each!r}. {nearest(each, by_attribute, 'It has')}")
        found[name] = replace(found[name], forces_new=True)
    return found
