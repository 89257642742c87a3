"""Our packages as Pulumi package schemas: what YAML programs, SDK generation and import read (reference 11)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mockprovider.schema import Function, Kind, Package, Property, ResourceType

REFERENCES = {"any": "pulumi.json#/Any", "asset": "pulumi.json#/Asset", "archive": "pulumi.json#/Archive"}


def dump(package: Package) -> str:
    """The package's schema as JSON text."""
    types: dict[str, Any] = {}
    schema = {
        "name": package.name,
        "version": package.version,
        "config": {"variables": _properties(package.config, package.name, "config", types)},
        "provider": _inputs(package.config, package.name, "provider", types),
        "resources": {token: _resource(each, types) for token, each in sorted(package.resources.items())},
        "functions": {token: _function(each, types) for token, each in sorted(package.functions.items())},
    }
    return json.dumps({**schema, "types": types}, sort_keys=True)


def _resource(declared: ResourceType, types: dict[str, Any]) -> dict[str, Any]:
    outputs = {name: item for name, item in declared.properties.items() if name not in ("id", "urn")}
    certain = [name for name, item in outputs.items() if item.required or item.computed or item.has_default]
    return {
        "type": "object",
        "description": declared.description,
        "properties": _properties(outputs, declared.package, declared.token, types),
        "required": sorted(certain),
        **_inputs(declared.properties, declared.package, declared.token, types),
    }


def _inputs(properties: Mapping[str, Property], package: str, owner: str, types: dict[str, Any]) -> dict[str, Any]:
    settable = {name: item for name, item in properties.items() if item.is_input}
    return {
        "inputProperties": _properties(settable, package, owner, types),
        "requiredInputs": sorted(name for name, item in settable.items() if item.required),
    }


def _function(declared: Function, types: dict[str, Any]) -> dict[str, Any]:
    package = declared.token.split(":", 1)[0]
    inputs = {"type": "object", "properties": _properties(declared.inputs, package, declared.token, types)}
    named = declared.returns if isinstance(declared.returns, Mapping) else {}
    outputs = {"type": "object", "properties": {name: {"$ref": REFERENCES["any"]} for name in named}}
    return {"inputs": inputs, "outputs": outputs}


def _properties(properties: Mapping[str, Property], package: str, owner: str, types: dict[str, Any]) -> dict[str, Any]:
    return {name: _property(item, package, f"{owner}{name[:1].upper()}{name[1:]}", types) for name, item in properties.items()}


def _property(item: Property, package: str, owner: str, types: dict[str, Any]) -> dict[str, Any]:
    spec = _type(item.kind, package, owner, types)
    return spec | ({"description": item.description} if item.description else {}) | ({"secret": True} if item.secret else {})


def _type(kind: Kind, package: str, owner: str, types: dict[str, Any]) -> dict[str, Any]:
    if kind.name in REFERENCES:
        return {"$ref": REFERENCES[kind.name]}
    if kind.name in ("array", "set"):
        return {"type": "array", "items": _type(kind.items or Kind("any"), package, owner, types)}
    if kind.name == "map":
        return {"type": "object", "additionalProperties": _type(kind.items or Kind("any"), package, owner, types)}
    if kind.name == "object":
        # Nested objects need a named type; the owner's name and the property's make it unique.
        token = f"{package}:index:{''.join(part for part in owner.rsplit(':', 1)[-1] if part.isalnum())}"
        required = sorted(name for name, each in kind.properties.items() if each.required)
        types[token] = {
            "type": "object",
            "properties": _properties(kind.properties, package, token, types),
            "required": required,
        }
        return {"$ref": f"#/types/{token}"}
    return {"type": kind.name}
