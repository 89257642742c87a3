"""Properties in a types file: the declaration of each shape, and checks for contradictions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from mockprovider.document import Node, stated
from mockprovider.fake.checks import failures
from mockprovider.fake.definitions.shapes import RESERVED, ItemsShape, PropertyShape
from mockprovider.schema import COLLECTIONS, Kind, Property, Template, kind_of

WITH_ITEMS = frozenset(COLLECTIONS.values())
SOURCES = (("default", "defaultTemplate", "defaultRandom"), ("autoName", "default"))
"""Groups of keys of which a property has one at most."""


def declare_properties(shapes: Mapping[str, Any], node: Node) -> dict[str, Property]:
    """The declared properties by name. Raises ``DefinitionError``."""
    return {name: _property(name, shape, node.at(name)) for name, shape in shapes.items()}


def _property(name: str, shape: str | PropertyShape, node: Node) -> Property:
    if name == RESERVED:
        raise node.error(f"Pulumi keeps the name {name!r} for itself. Choose another.")
    if isinstance(shape, str):
        return Property(_kind(shape, node))
    item = _declared(shape, node)
    for index, value in enumerate(shape.enum):
        _fits(name, value, node.at("enum", index), Property(item.kind))
    if shape.default is not UNSET:
        _fits(name, shape.default, node.at("default"), item)
    return item


def _declared(shape: PropertyShape, node: Node) -> Property:
    for several in SOURCES:
        keys = [key for key in several if key in node.value]
        if len(keys) > 1:
            raise node.error(f"{' and '.join(keys)} both say what the default is. Drop one of them.")
    given = stated(shape)
    for word in ("type", "items", "properties"):
        given.pop(word, None)
    if template := given.pop("default_template", None):
        given["default"] = Template(template)
    if random := given.pop("default_random", None):
        given["default"] = random
    if "computed" in given and "default" in given:
        raise node.error("a computed property has its value from the provider: drop default, or computed.")
    kind = _kind(shape, node)
    with node.placed():
        return Property(kind, **given)


def _fits(name: str, value: Any, node: Node, item: Property) -> None:
    wrong = next(failures({name: item}, {name: value}), None)
    if wrong is not None:
        raise node.error(f"this does not fit the property's own type: {wrong.reason}.")


def _kind(shape: str | PropertyShape | ItemsShape, node: Node) -> Kind:
    """The kind that a property or an item declares: a name, or an object with ``type`` and what belongs to it."""
    if isinstance(shape, str):
        if shape == "object":
            raise node.error('an object needs its properties: {"type": "object", "properties": {...}}.')
        return kind_of(shape)
    name = shape.type or "string"
    if shape.items and name not in WITH_ITEMS:
        raise node.at("items").error(f"a {name} has no items. They belong to array, set and map.")
    if shape.properties is not UNSET and name != "object":
        raise node.at("properties").error(f'a {name} has no properties. They belong to an object: "type": "object".')
    if name != "object":
        return Kind(name, items=_item(shape.items, node.at("items"))) if shape.items else kind_of(name)
    if shape.properties is UNSET:
        raise node.error("an object needs its properties. For keys that are not known beforehand there is the type map.")
    return Kind(name, properties=declare_properties(shape.properties, node.at("properties")))


def _item(shape: str | ItemsShape, node: Node) -> Kind:
    kind = _kind(shape, node)
    if isinstance(shape, str):
        return kind
    for index, value in enumerate(shape.enum):
        _fits("item", value, node.at("enum", index), Property(kind))
    return replace(kind, enum=shape.enum)
