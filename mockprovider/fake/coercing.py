"""Texts, numbers and booleans that a provider takes for one another, as Pulumi's do that are bridged from Terraform's."""

from __future__ import annotations

import json
from collections.abc import Mapping

from msgspec.structs import replace

from mockprovider.fake.checks import fits
from mockprovider.schema import Kind, Property
from mockprovider.values import Bag, Output, Secret, Value

NATIVE = frozenset({"aws-native", "azure-native", "google-native", "kubernetes"})
"""Packages whose providers take nothing but what their schemas say."""
SCALARS = frozenset({"boolean", "integer", "number", "string"})


def coerced(token: str, properties: Mapping[str, Property], inputs: Bag) -> Bag:
    """The inputs of a type or function as its provider understands them, at every depth; what it cannot stays as it is."""
    if token.partition(":")[0] in NATIVE:
        return inputs
    return {name: _coerced(properties[name].kind, value) if name in properties else value for name, value in inputs.items()}


def _coerced(kind: Kind, value: Value) -> Value:
    if kind.name == "string" and type(value) is str:
        return value
    if isinstance(value, (Secret, Output)):
        return replace(value, value=_coerced(kind, value.value))
    if isinstance(value, Mapping):
        inside = {name: item.kind for name, item in kind.properties.items()} or dict.fromkeys(value, kind.items)
        return {name: _coerced(part, item) if (part := inside.get(name)) else item for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_coerced(kind.items, item) for item in value] if kind.items else value
    if kind.name not in SCALARS or not isinstance(value, (str, bool, int, float)) or fits(kind, value):
        return value
    return _understood(kind, value)


def _understood(kind: Kind, value: str | bool | float) -> Value:
    if kind.name == "string":
        plain = isinstance(value, float) and value.is_integer()
        return str(int(value)) if plain else json.dumps(value)
    try:
        meant = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value
    is_scalar = isinstance(meant, (bool, int, float))
    return meant if is_scalar and fits(kind, meant) else value
