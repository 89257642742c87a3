"""Nested blocks: what major 5 has in place of nested attributes.

An object that a configuration may set is a block there, and so is a collection of objects. A block is never computed: what the
provider may fill in, and what has to be hidden as a whole, stays an attribute of an object type. Blocks that nobody wrote are
an empty collection on the wire, and absent in a bag.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from mockprovider.schema import Kind, Property
from mockprovider.values import Value

Properties: TypeAlias = Mapping[str, Property]
Convert: TypeAlias = "Callable[[Mapping[str, Value], Properties], dict[str, Value]]"

EMPTY: Mapping[str, type] = {"array": list, "set": list, "map": dict}
"""Kinds of blocks that may be repeated, and what is there when nobody wrote one; a single block is null then."""


def nested_object(kind: Kind) -> Kind | None:
    """The object that a kind is, or is a collection of; ``None`` for other kinds."""
    inside = kind.items if kind.name in EMPTY else kind
    return inside if inside is not None and inside.name == "object" else None


def is_block(item: Property) -> bool:
    """Whether major 5 has a nested block for this property."""
    filled_in = bool(item.computed) or item.has_default
    # Blocks whose types differ from each other would be a tuple on the wire, which is another type at each plan.
    return not filled_in and not item.secret and nested_object(item.kind) is not None and not _has_any(item.kind)


def has_secret(kind: Kind) -> bool:
    """Whether something inside of a value of this kind is declared secret."""
    within = kind.items is not None and has_secret(kind.items)
    return within or any(each.secret or has_secret(each.kind) for each in kind.properties.values())


def _has_any(kind: Kind) -> bool:
    inside = [*(each.kind for each in kind.properties.values()), *([kind.items] if kind.items else [])]
    return kind.name == "any" or (kind.name in EMPTY and kind.items is None) or any(map(_has_any, inside))


def with_empty(bag: Mapping[str, Value], properties: Properties) -> dict[str, Value]:
    """``bag`` with an empty collection for each repeatable block that it lacks, at every depth."""
    found = dict(bag)
    for name, item in properties.items():
        if is_block(item) and (name in found or item.kind.name in EMPTY):
            found[name] = _converted(found.get(name), item.kind, with_empty)
    return found


def without_empty(bag: Mapping[str, Value], properties: Properties) -> dict[str, Value]:
    """``bag`` without the repeatable blocks of which there are none, at every depth."""
    found = dict(bag)
    for name, item in properties.items():
        if name in found and is_block(item):
            found[name] = _converted(found[name], item.kind, without_empty)
            if item.kind.name in EMPTY and found[name] in ([], {}):
                del found[name]
    return found


def _converted(value: Value, kind: Kind, convert: Convert) -> Value:
    if value is None:
        return EMPTY[kind.name]() if kind.name in EMPTY else None
    inside: Any = kind.items or kind
    if kind.name == "object":
        return _one(value, inside, convert)
    if isinstance(value, Mapping):
        return {key: _one(each, inside, convert) for key, each in value.items()}
    return [_one(each, inside, convert) for each in value] if isinstance(value, (list, tuple)) else value


def _one(value: Value, kind: Kind, convert: Convert) -> Value:
    # An unknown block stays one, and what is no object is refused where it is packed, with its path.
    return convert(value, kind.properties) if isinstance(value, Mapping) else value
