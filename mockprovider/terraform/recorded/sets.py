"""Views of messages with their sets in one order: two sets are equal whatever order their elements were sent in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from msgspec import Struct, field

from mockprovider.calls import Op
from mockprovider.cassette import Cassette
from mockprovider.matching import encode

Type: TypeAlias = Any
"""A cty type as JSON has it: ``"string"``, ``["set", "string"]``, ``["object", {…}]``."""
SECTIONS = ("resource_schemas", "data_source_schemas", "ephemeral_resource_schemas")
PROVIDER = "provider"
UNORDERED = ("requires_replace",)
"""Fields of answers whose order says nothing."""
RENAMED = {"ReadDataSource": "data_source_schemas", "ValidateDataSourceConfig": "data_source_schemas"}
VALUES = ("msgpack", "json")


class Shape(Struct):
    """What is known of a value: whether it is a set, what its elements are like, and its attributes by name."""

    is_set: bool = False
    element: Shape | None = None
    attributes: dict[str, Shape] = field(default_factory=dict)

    @property
    def has_sets(self) -> bool:
        """Whether there is a set anywhere in it."""
        inside = [*self.attributes.values(), *([self.element] if self.element else ())]
        return self.is_set or any(each.has_sets for each in inside)


class Sets:
    """Puts the sets in views of one provider's messages in order.

    Args:
        cassette: its schema answers say which attributes and blocks are sets.
    """

    def __init__(self, cassette: Cassette) -> None:
        self._shapes: dict[tuple[str, str], Shape] = {}
        for each in cassette.interactions:
            if each.op == Op.GET_SCHEMA.value and (each.response or each.response_blob):
                self._learn(cassette.response(each))

    def _learn(self, schemas: Mapping[str, Any]) -> None:
        for section in SECTIONS:
            for name, schema in schemas.get(section, {}).items():
                shape = _block(schema.get("block", {}))
                if shape.has_sets:
                    self._shapes[section, name] = shape

    def __call__(self, method: str, type_: str, view: Any) -> Any:
        """``view``, of a request or an answer of ``method`` for ``type_``, with its sets in order. It stays as it is itself."""
        if not isinstance(view, dict):
            return view
        shape = self._shapes.get((RENAMED.get(method, SECTIONS[0]), type_))
        ordered = {name: sorted(each, key=encode) if name in UNORDERED else each for name, each in view.items()}
        return ordered if shape is None else {name: _value(each, shape) for name, each in ordered.items()}


def _value(field_: Any, shape: Shape) -> Any:
    """A field of a message: ordered if it holds a value of the type."""
    if not isinstance(field_, dict) or not any(name in field_ for name in VALUES):
        return field_
    return {name: _ordered(each, shape) if name in VALUES else each for name, each in field_.items()}


def _ordered(value: Any, shape: Shape) -> Any:
    if isinstance(value, list) and shape.element is not None:
        element = shape.element
        items = [_ordered(each, element) for each in value]
        return sorted(items, key=encode) if shape.is_set else items
    if not isinstance(value, dict):
        return value
    if shape.attributes:
        return {
            name: _ordered(each, shape.attributes[name]) if name in shape.attributes else each for name, each in value.items()
        }
    return {name: _ordered(each, shape.element) for name, each in value.items()} if shape.element else value


# Schemas ---------------------------------------------------------------------------------------------------------------


def _block(block: Mapping[str, Any]) -> Shape:
    nested = {
        each["type_name"]: _nested(each.get("nesting"), _block(each.get("block", {}))) for each in block.get("block_types", ())
    }
    return Shape(attributes={**dict(_attributes(block.get("attributes", ()))), **nested})


def _attributes(attributes: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Shape]]:
    for each in attributes:
        nested = each.get("nested_type")
        if nested is not None:
            yield (
                each["name"],
                _nested(nested.get("nesting"), Shape(attributes=dict(_attributes(nested.get("attributes", ()))))),
            )
        elif isinstance(each.get("type"), str):
            yield each["name"], _type(json.loads(each["type"]))


def _nested(nesting: str | None, inside: Shape) -> Shape:
    return inside if nesting in ("SINGLE", "GROUP", None) else Shape(is_set=nesting == "SET", element=inside)


def _type(type_: Type) -> Shape:
    if isinstance(type_, str):
        return Shape()
    kind, of = type_[0], type_[1]
    if kind == "object":
        return Shape(attributes={name: _type(each) for name, each in of.items()})
    # A tuple's elements may each be of another type, and are in order anyhow.
    return Shape() if kind == "tuple" else Shape(is_set=kind == "set", element=_type(of))
