"""What a schema message says of an object, attribute by attribute and block by block, in the form that rules ask for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from mockprovider.terraform.values.types import DYNAMIC, Type, parse_type
from mockprovider.values import Unknown, Value, same

NESTING = ("", "single", "list", "set", "map", "group")
"""The words for the numbers of both ``NestingMode`` enumerations."""


class Field(Struct, frozen=True):
    """One attribute or nested block: its type, its flags, and what is nested in it, by name, with the nesting's word."""

    type: Type
    computed: bool = False
    optional: bool = False
    sensitive: bool = False
    write_only: bool = False
    block: bool = False
    nesting: str = ""
    inside: Mapping[str, Field] = field(default_factory=dict)


Fields = Mapping[str, Field]


def fields_of(block: Any, declared: Type) -> dict[str, Field]:
    """The fields of a Schema.Block message whose objects are of the type ``declared``."""
    found = {each.name: _attribute(each, declared.attributes.get(each.name, DYNAMIC)) for each in block.attributes}
    for each in block.block_types:
        of = declared.attributes.get(each.type_name, DYNAMIC)
        inside = fields_of(each.block, _element(of, each.block))
        found[each.type_name] = Field(of, block=True, nesting=NESTING[each.nesting], inside=inside)
    return found


def _element(of: Type, block: Any) -> Type:
    inside = of if of.name == "object" else of.element
    if inside.attributes or not block.attributes:
        return inside
    # Blocks of any type are dynamic as a whole: then the schema itself is what says the types inside.
    return Type("object", attributes={each.name: parse_type(each.type) for each in block.attributes if each.type})


def _attribute(message: Any, of: Type) -> Field:
    nested = getattr(message, "nested_type", None)
    nesting, inside = "", {}
    if nested is not None and message.HasField("nested_type"):
        nesting = NESTING[nested.nesting]
        element = of if of.name == "object" else of.element
        inside = {each.name: _attribute(each, element.attributes.get(each.name, DYNAMIC)) for each in nested.attributes}
    return Field(
        of,
        computed=message.computed,
        optional=message.optional,
        sensitive=message.sensitive,
        write_only=message.write_only,
        nesting=nesting,
        inside=inside,
    )


def equal(one: Value, other: Value, declared: Type) -> bool:
    """Whether two values of a type are one: sets have no order, and of unknown values only that they are counts."""
    if isinstance(one, Unknown) or isinstance(other, Unknown) or one is None or other is None:
        return (isinstance(one, Unknown) and isinstance(other, Unknown)) or (one is None and other is None)
    if isinstance(one, dict) and isinstance(other, dict):
        kinds = declared.attributes
        return one.keys() == other.keys() and all(equal(one[k], other[k], kinds.get(k, declared.element)) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return _equal_lists(one, other, declared)
    return same(one, other)


def _equal_lists(one: list[Value], other: list[Value], declared: Type) -> bool:
    if declared.name == "set":
        left = unlike(one, other, declared.element)
        return not left and not unlike(other, one, declared.element)
    kinds = declared.elements or (declared.element,) * len(one)
    return len(one) == len(other) and all(map(equal, one, other, kinds))


def unlike(these: list[Value], those: list[Value], declared: Type) -> list[Value]:
    """Those of ``these`` that equal none of ``those``; duplicates in a set count once."""
    return [each for each in these if not any(equal(each, other, declared) for other in those)]


def unknowns(value: Value, path: str = "") -> Iterator[str]:
    """The paths of everything unknown in a value."""
    if isinstance(value, Unknown):
        yield path
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from unknowns(each, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from unknowns(each, f"{path}[{index}]")


def elements(value: Value, nesting: str, path: str) -> Iterator[tuple[str, Value]]:
    """The nested objects in the value of a block or nested attribute, each with its path."""
    if nesting in ("single", "group"):
        yield path, value
    elif isinstance(value, dict):
        yield from ((f'{path}["{key}"]', each) for key, each in value.items())
    elif isinstance(value, list):
        yield from ((f"{path}[{index}]", each) for index, each in enumerate(value))


def written(value: Value, fields: Fields, path: str = "") -> Iterator[str]:
    """The paths of write-only attributes that have a value, at every depth."""
    if not isinstance(value, dict):
        return
    for name, each in fields.items():
        found, where = value.get(name), f"{path}.{name}" if path else name
        if each.write_only and found is not None:
            yield where
        for inner, item in elements(found, each.nesting, where):
            yield from written(item, each.inside, inner)
