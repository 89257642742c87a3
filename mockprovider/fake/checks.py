"""Check: defaults filled in, and every reason why these inputs will not do, by path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mockprovider.calls import Failure
from mockprovider.paths import show
from mockprovider.schema import Kind, Property
from mockprovider.values import Archive, Asset, Bag, Secret, Value, is_unknown, reveal

Properties = Mapping[str, Property]

PYTHON_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "asset": (Asset, Archive),
    "archive": (Archive,),
    "array": (list, tuple),
    "set": (list, tuple),
    "map": (Mapping,),
    "object": (Mapping,),
}


def with_defaults(properties: Properties, inputs: Bag) -> dict[str, Value]:
    """``inputs`` with defaults where nothing was said, and what is declared secret wrapped as such."""
    filled = dict(inputs)
    for name, item in properties.items():
        if filled.get(name) is None and item.has_default:
            filled[name] = item.default(reveal(inputs)) if callable(item.default) else item.default
        if name in filled and item.secret and not isinstance(filled[name], Secret):
            filled[name] = Secret(filled[name])
    return filled


def failures(properties: Properties, inputs: Bag, at: tuple[str | int, ...] = ()) -> Iterator[Failure]:
    """Every reason why ``inputs`` do not fit ``properties``. What is unknown fits."""
    for name, item in properties.items():
        path = (*at, name)
        value = inputs.get(name)
        if value is None:
            if item.required:
                yield Failure(f"missing required property {name!r}", show(path))
        elif not item.is_input:
            yield Failure(f"{name!r} is computed by the provider and cannot be set", show(path))
        else:
            yield from _misfits(item.kind, value, path)
            plain = reveal(value)
            if item.enum and not is_unknown(value) and plain not in item.enum:
                yield Failure(f"expected one of {', '.join(map(repr, item.enum))}, got {plain!r}", show(path))


def _misfits(kind: Kind, value: Value, path: tuple[str | int, ...]) -> Iterator[Failure]:
    while isinstance(value, Secret):
        value = value.value
    if kind.name == "any" or is_unknown(value) or value is None:
        return
    if not _fits(kind, value):
        yield Failure(f"expected {kind}, got {_kind_name(value)}", show(path))
    elif kind.name in ("array", "set") and kind.items:
        for index, item in enumerate(value):
            yield from _misfits(kind.items, item, (*path, index))
    elif kind.name == "map" and kind.items:
        for key, item in value.items():
            yield from _misfits(kind.items, item, (*path, key))
    elif kind.name == "object":
        yield from failures(kind.properties, value, path)


def _fits(kind: Kind, value: Any) -> bool:
    if kind.name in ("integer", "number"):
        number = not isinstance(value, (bool, str, Mapping, list, tuple, bytes, Asset, Archive))
        return number and (kind.name == "number" or value == int(value))
    return isinstance(value, PYTHON_TYPES[kind.name])


def _kind_name(value: Value) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return f"number {value!r}"
    found = (name for name, types in PYTHON_TYPES.items() if isinstance(value, types))
    return next(found, type(value).__name__)
