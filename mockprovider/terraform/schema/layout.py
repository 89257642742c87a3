"""What values of a published schema travel as: the object type that its attributes and blocks imply, and its empty blocks.

Blocks that nobody wrote are an empty collection on the wire, a group is an object of nulls; in a bag they are absent. A
write-only attribute never comes back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from mockprovider.terraform.values.types import DYNAMIC, Type, parse_type
from mockprovider.values import Value

COLLECTIONS: Mapping[str, type] = {"list": list, "set": list, "map": dict}
"""Nesting modes of which there may be many, and what is there when there is none."""


class Layout(Struct, frozen=True):
    """A block's shape on the wire: its object type, what is nested in it, and what is only ever written.

    ``blocks`` are the nested blocks by name, each with its nesting mode.
    """

    type: Type
    blocks: Mapping[str, tuple[str, Layout]] = field(default_factory=dict)
    write_only: frozenset[str] = frozenset()

    def whole(self, attributes: Mapping[str, Value]) -> dict[str, Value]:
        """``attributes`` with a value for each block that is never null, at every depth, and without what is only written."""
        found = {name: value for name, value in attributes.items() if name not in self.write_only}
        for name, (mode, inside) in self.blocks.items():
            value = found.get(name)
            if value is not None:
                found[name] = _each(value, mode, inside.whole)
            elif mode == "group":
                found[name] = inside.whole({})
            elif mode in COLLECTIONS:
                found[name] = COLLECTIONS[mode]()
        return found

    def told(self, attributes: Mapping[str, Value]) -> dict[str, Value]:
        """The way back: ``attributes`` without the blocks that nobody wrote."""
        found = dict(attributes)
        for name, (mode, inside) in self.blocks.items():
            if found.get(name) is None:
                continue
            found[name] = _each(found[name], mode, inside.told)
            if found[name] in ([], {}) or (mode == "group" and _is_empty(found[name])):
                del found[name]
        return found


def layout_of(block: Mapping[str, Any]) -> Layout:
    """The layout of a block, in the form of ``terraform providers schema -json``. Raises ``MalformedError`` for no type."""
    attributes = block.get("attributes") or {}
    types = {name: _attribute_type(each) for name, each in attributes.items()}
    blocks: dict[str, tuple[str, Layout]] = {}
    for name, each in (block.get("block_types") or {}).items():
        mode, inside = each["nesting_mode"], layout_of(each.get("block") or {})
        blocks[name] = (mode, inside)
        types[name] = _block_type(mode, inside.type)
    write_only = frozenset(name for name, each in attributes.items() if each.get("write_only"))
    return Layout(Type("object", attributes=types), blocks, write_only)


def _attribute_type(spec: Mapping[str, Any]) -> Type:
    nested = spec.get("nested_type")
    if not nested:
        return parse_type(json.dumps(spec["type"]))
    inside = {name: _attribute_type(each) for name, each in (nested.get("attributes") or {}).items()}
    return _nested(nested["nesting_mode"], Type("object", attributes=inside))


def _block_type(mode: str, inside: Type) -> Type:
    # Blocks of any type may differ from each other, so they are a tuple or an object, which has another type each time.
    return DYNAMIC if mode in ("list", "map") and _has_dynamic(inside) else _nested(mode, inside)


def _nested(mode: str, inside: Type) -> Type:
    return Type(mode, items=inside) if mode in COLLECTIONS else inside


def _has_dynamic(declared: Type) -> bool:
    inside = [*declared.elements, *declared.attributes.values(), *([declared.items] if declared.items else [])]
    return declared == DYNAMIC or any(map(_has_dynamic, inside))


def _each(value: Value, mode: str, convert: Any) -> Value:
    # An unknown block stays one, and what is no object is refused where it is packed, with its path.
    if mode not in COLLECTIONS:
        return convert(value) if isinstance(value, Mapping) else value
    if isinstance(value, Mapping):
        return {key: convert(each) if isinstance(each, Mapping) else each for key, each in value.items()}
    return [convert(each) if isinstance(each, Mapping) else each for each in value] if isinstance(value, list) else value


def _is_empty(value: Value) -> bool:
    return isinstance(value, Mapping) and all(each is None for each in value.values())
