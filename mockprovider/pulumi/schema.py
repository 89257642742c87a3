"""Packages as Pulumi package schemas, for YAML programs, SDK generation and import (reference 11)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from mockprovider.fake.parameters import Parameterized
from mockprovider.pulumi.traits import ResourceTraits
from mockprovider.schema import Component, Function, Kind, Method, Package, Property, ResourceType

REFERENCES = {"any": "pulumi.json#/Any", "asset": "pulumi.json#/Asset", "archive": "pulumi.json#/Archive"}

FIRST_PART = "([^/]*)(?:/.*)?"
"""The ``moduleFormat`` that reads the module ``index/bucket`` as ``index``; without one, Pulumi forbids such modules."""


def text(described: Package | Parameterized) -> str:
    """The schema of a described package: as it was read, or made from the declarations."""
    if isinstance(described, Package):
        return described.schema or (described.published() if described.published else dump(described))
    return described.package.schema or dump(described.package, described.schema)


def dump(package: Package, origin: Mapping[str, Any] | None = None) -> str:
    """The package's schema as JSON text. ``origin`` adds the schema's entry for the base of a parameterized package."""
    types = _Types(package)
    resources = {token: _resource(resource, types) for token, resource in sorted(package.resources.items())}
    resources |= {token: _component(component, types) for token, component in sorted(package.components.items())}
    functions = {token: _function(function, types) for token, function in sorted(package.functions.items())}
    functions |= {token: _method(method, types) for token, method in sorted(package.methods.items())}
    for method in package.methods.values():
        if method.receiver in resources:
            resources[method.receiver].setdefault("methods", {})[method.name] = method.token
    schema = {
        "name": package.name,
        "version": package.version,
        "config": {"variables": _properties(package.config, f"{package.name}:index:Config", types)},
        "provider": _inputs(package.config, f"{package.name}:index:Config", types),
        "resources": resources,
        "functions": functions,
        "types": types.specs,
        **(origin or {}),
    }
    if package.extension:
        # An extension shares its base's configuration, and may not have its own.
        del schema["config"], schema["provider"]
    if any(":index/" in token for token in (*resources, *functions)):
        schema["meta"] = {"moduleFormat": FIRST_PART}
    return json.dumps(schema, sort_keys=True)


class _Types:
    """The named types of nested objects. Tokens are made from owner and property, with a number if they clash."""

    def __init__(self, package: Package) -> None:
        self.specs: dict[str, Any] = {}
        self._taken = {token.casefold() for token in package.resources}

    def add(self, wanted: str, spec: dict[str, Any]) -> str:
        """The token of ``spec``: an equal type of that name, or a new one."""
        count, token = 1, wanted
        while self.specs.get(token, spec) != spec or (token not in self.specs and token.casefold() in self._taken):
            count += 1
            token = f"{wanted}{count}"
        self.specs[token] = spec
        self._taken.add(token.casefold())
        return token


def _resource(declared: ResourceType, types: _Types) -> dict[str, Any]:
    outputs = {name: item for name, item in declared.properties.items() if name not in ("id", "urn")}
    certain = [name for name, item in outputs.items() if item.required or item.computed or item.has_default]
    return {
        "type": "object",
        "description": declared.description,
        "properties": _properties(outputs, declared.token, types),
        "required": sorted(certain),
        **_inputs(declared.properties, declared.token, types),
        **_listing(declared, types),
    }


def _listing(declared: ResourceType, types: _Types) -> dict[str, Any]:
    list_by = declared.trait(ResourceTraits).list_by
    if list_by is None:
        return {}
    asked = {name: declared.properties[name] for name in list_by}
    return {"listInputs": {"type": "object", "properties": _properties(asked, declared.token, types)}}


def _component(declared: Component, types: _Types) -> dict[str, Any]:
    return {
        "type": "object",
        "isComponent": True,
        "description": declared.description,
        "properties": _properties(declared.outputs, declared.token, types),
        "required": sorted(name for name, item in declared.outputs.items() if item.computed),
        **_inputs(declared.inputs, declared.token, types),
    }


def _method(declared: Method, types: _Types) -> dict[str, Any]:
    named = declared.returns if isinstance(declared.returns, Mapping) else {}
    spec = _function(Function(declared.token, declared.inputs, named), types)
    receiver = {"$ref": f"#/resources/{quote(declared.receiver, safe=':')}"}
    spec["inputs"]["properties"] = {"__self__": receiver, **spec["inputs"]["properties"]}
    spec["inputs"]["required"] = ["__self__", *spec["inputs"]["required"]]
    return spec


def _inputs(properties: Mapping[str, Property], owner: str, types: _Types) -> dict[str, Any]:
    settable = {name: item for name, item in properties.items() if item.is_input}
    return {"inputProperties": _properties(settable, owner, types), "requiredInputs": _required(settable)}


def _function(declared: Function, types: _Types) -> dict[str, Any]:
    named = declared.returns if isinstance(declared.returns, Mapping) else {}
    properties = {name: {"$ref": REFERENCES["any"]} for name in named}
    properties |= _properties(declared.outputs, f"{declared.token}Result", types)
    certain = _required(declared.outputs)
    outputs = {"type": "object", "properties": properties, **({"required": certain} if certain else {})}
    return {"inputs": _object(declared.inputs, declared.token, types), "outputs": outputs}


def _object(properties: Mapping[str, Property], owner: str, types: _Types) -> dict[str, Any]:
    return {"type": "object", "properties": _properties(properties, owner, types), "required": _required(properties)}


def _required(properties: Mapping[str, Property]) -> list[str]:
    return sorted(name for name, item in properties.items() if item.required)


def _properties(properties: Mapping[str, Property], owner: str, types: _Types) -> dict[str, Any]:
    return {name: _property(item, f"{owner}{_capital(name)}", types) for name, item in properties.items()}


def _capital(name: str) -> str:
    plain = "".join(part for part in name if part.isalnum())
    return plain[:1].upper() + plain[1:]


def _property(item: Property, owner: str, types: _Types) -> dict[str, Any]:
    spec = _type(item.kind, owner, types)
    return spec | ({"description": item.description} if item.description else {}) | ({"secret": True} if item.secret else {})


def _type(kind: Kind, owner: str, types: _Types) -> dict[str, Any]:
    if kind.name in REFERENCES:
        return {"$ref": REFERENCES[kind.name]}
    if kind.name in ("array", "set"):
        return {"type": "array", "items": _type(kind.items or Kind("any"), owner, types)}
    if kind.name == "map":
        return {"type": "object", "additionalProperties": _type(kind.items or Kind("any"), owner, types)}
    if kind.name == "object":
        token = types.add(owner, _object(kind.properties, owner, types))
        return {"$ref": f"#/types/{quote(token, safe=':')}"}
    return {"type": kind.name}
