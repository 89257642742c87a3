"""Generated values for what a package schema does not have: outputs, and results of functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from mockprovider.cloud import digest
from mockprovider.fake.computing import generated
from mockprovider.schema import Kind, Property
from mockprovider.values import Archive, Asset, Secret, Value, map_value


def computed(name: str, item: Property, *, optional: bool = False) -> Property:
    """``item`` as a computed property; ``optional`` if the program may also set it."""
    return replace(item, default=UNSET, required=False, computed=_how(name, item), optional=optional)


def _how(name: str, item: Property) -> bool | str | Callable[[dict[str, Any]], Value]:
    if item.enum and item.enum[0] and isinstance(item.enum[0], str):
        # A template's value is known in plans.
        return _escaped(item.enum[0])
    return (lambda known: invented(item, name, known["id"])) if _is_particular(item) else True


def _is_particular(item: Property) -> bool:
    """Whether a value generated from the kind alone may not fit the property."""
    inside = item.kind.properties.values()
    return bool(item.enum) or item.kind.name in ("asset", "archive") or any(_is_particular(inner) for inner in inside)


def invented(item: Property, name: str, of: str) -> Value:
    """A generated value for the property, always the same for the owner ``of`` it."""
    if item.enum:
        return item.enum[0]
    if item.kind.name == "object":
        return {key: invented(inner, f"{name}.{key}", of) for key, inner in item.kind.properties.items()}
    if item.kind.name in ("asset", "archive"):
        asset = Asset(text=digest(of, name))
        return asset if item.kind.name == "asset" else Archive(assets={"file": asset})
    return generated(item.kind, name, of)


def answer(token: str, name: str, item: Property, inputs: Mapping[str, Property]) -> Value:
    """A function's result: the argument of that name, if it always has a value, else a generated value."""
    given = inputs.get(name)
    if given and (given.required or given.has_default) and given.kind == item.kind == Kind("string") and name.isidentifier():
        value: Value = f"{{{name}}}"
    else:
        value = map_value(invented(item, name, token), lambda part: _escaped(part) if isinstance(part, str) else part)
    return Secret(value) if item.secret else value


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
