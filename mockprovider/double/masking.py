"""Masks secrets in what a failed test shows and keeps: secrets by their wrapper, and secrets by their declaration.

A provider's objects are plain values; only the resource type knows which of them are secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockprovider.schema import Kind, Package, Property
from mockprovider.urn import PROVIDERS
from mockprovider.values import Bag, Output, Secret, Value, map_value

HIDDEN = "[secret]"
PLAINTEXT = "plaintext"
"""The key under which an exported state has a secret in plain text."""


def mask(packages: Mapping[str, Package], type_: str, bag: Bag) -> dict[str, Value]:
    """The properties of a ``type_`` (a provider's configuration, if empty or a provider's type) by name, without secrets."""
    shown = _declared(_properties(packages, type_), bag)
    return {name: map_value(value, _unwrapped) for name, value in sorted(shown.items())}


def mask_state(exported: Any) -> Any:
    """An exported state without the plain text of its secrets: for the eye, and no longer to be imported."""
    if isinstance(exported, Mapping):
        return {name: HIDDEN if name == PLAINTEXT else mask_state(item) for name, item in exported.items()}
    return [mask_state(item) for item in exported] if isinstance(exported, list) else exported


def _properties(packages: Mapping[str, Package], type_: str) -> Mapping[str, Property]:
    if not type_ or type_.startswith(PROVIDERS):
        name = type_.removeprefix(PROVIDERS)
        return {
            key: item for package in packages.values() if name in ("", package.name) for key, item in package.config.items()
        }
    package = packages.get(type_.split(":", 1)[0])
    resource = package and (package.resources.get(type_) or None)
    return resource.properties if resource else {}


def _declared(properties: Mapping[str, Property], bag: Bag) -> dict[str, Value]:
    return {name: _property(properties[name], value) if name in properties else value for name, value in bag.items()}


def _property(item: Property, value: Value) -> Value:
    return HIDDEN if item.secret and value is not None else _inside(item.kind, value)


def _inside(kind: Kind, value: Value) -> Value:
    if kind.name == "object" and isinstance(value, Mapping):
        return _declared(kind.properties, value)
    if kind.items is not None and isinstance(value, Mapping):
        return {key: _inside(kind.items, item) for key, item in value.items()}
    if kind.items is not None and isinstance(value, (list, tuple)):
        return [_inside(kind.items, item) for item in value]
    return value


def _unwrapped(value: Value) -> Value:
    return HIDDEN if isinstance(value, Secret) or (isinstance(value, Output) and value.secret) else value
