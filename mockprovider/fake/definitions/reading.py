"""Reading types files: what may stand where, and what beyond a schema must be true of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

from mockprovider.document import Node, nearest, parse
from mockprovider.errors import DefinitionError
from mockprovider.fake.computing import fields
from mockprovider.fake.definitions.behaviours import number, read_behaviours
from mockprovider.fake.definitions.components import read_component, read_method
from mockprovider.fake.definitions.properties import read_inputs, read_properties, terraform_name, texts, valid_name
from mockprovider.schema import TIMED, TOKEN, Definition, Function, Kind, Package, Property, ResourceType, Template
from mockprovider.values import Value

FORMAT = 1
"""The version of the format, which each file names under ``mockprovider``."""

PACKAGE_NAME = re.compile(r"[a-zA-Z][-a-zA-Z0-9_]*")
VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+([-+][-+.0-9A-Za-z]+)?")
RESERVED_TOKEN = re.compile(r"[^:]*:(index)?:provider")

Reader = Callable[[Node], Any]


def _timeouts(node: Node) -> dict[str, float]:
    return {op: number(each) for op, each in node.members(TIMED).items()}


RESOURCE: Mapping[str, Reader] = {
    "properties": read_properties,
    "id": lambda each: each.text(empty=False),
    "deleteBeforeReplace": Node.flag,
    "timeouts": _timeouts,
    "behaviours": read_behaviours,
    "diffNeedsKnown": Node.flag,
    "description": Node.text,
    "terraform": terraform_name,
    "version": Node.whole,
    "identity": texts,
    "movedFrom": texts,
    "importable": lambda each: each.value if isinstance(each.value, bool) else each.text(empty=False),
    "legacyTypeSystem": Node.flag,
}
"""What may stand in a resource type, and how it is read."""


def load(source: str | Mapping[str, Any], origin: str = "types file") -> list[Package]:
    """The packages that a types file declares.

    Args:
        source: the file's text, or the same as data.
        origin: what error messages call it: the file's name.

    Raises ``DefinitionError`` that names the origin, the place in it, what stands there, and what should.
    """
    root = Node(parse(source, origin) if isinstance(source, str) else source, origin)
    known = root.members(("$schema", "mockprovider", "packages"), needed=("mockprovider", "packages"))
    _format(known["mockprovider"])
    if "$schema" in known:
        known["$schema"].text()
    packages = known["packages"].members()
    if not packages:
        raise known["packages"].error("there are no packages. Declare at least one.")
    return [_package(name, node) for name, node in packages.items()]


def _format(node: Node) -> None:
    if node.whole() != FORMAT:
        raise node.error(
            f"this file is of format {node.value}, and this version reads {FORMAT}. Use the version that it was written for."
        )


def _read(node: Node, readers: Mapping[str, Reader]) -> dict[str, Any]:
    """An object's members by key, each as its reader gives it; what is not there is left out."""
    return {key: readers[key](each) for key, each in node.members(tuple(readers)).items()}


def _package(name: str, node: Node) -> Package:
    valid_name(PACKAGE_NAME, name, node, "a package name starts with a letter and goes on with letters, digits, '-' and '_'")
    found = _read(node, {"version": _version, "config": _config, **dict.fromkeys(SECTIONS, _members)})
    package = Package(name, found.get("version", "1.0.0"), found.get("config", {}))
    for kind, make in SECTIONS.items():
        for token, each in found.get(kind, {}).items():
            _token(token, each, name)
            package.add(make(token, each))
    _one_terraform_name(package, node)
    return package


def _members(node: Node) -> dict[str, Node]:
    return node.members()


def _version(node: Node) -> str:
    if not VERSION.fullmatch(node.text()):
        raise node.error(f"{node.value!r} is no semantic version. Write three numbers, such as 1.0.0.")
    return node.text()


def _token(token: str, node: Node, package: str) -> None:
    if not TOKEN.fullmatch(token):
        raise node.error(f"{token!r} is no token. Write it as 'package:module:Member', such as '{package}:index:Bucket'.")
    if token.split(":", 1)[0] != package:
        raise node.error(f"{token!r} does not belong to the package {package!r}. Start it with '{package}:', or move it.")
    if RESERVED_TOKEN.fullmatch(token):
        raise node.error(f"{token!r} is Pulumi's name for the provider itself. Choose another.")


def _one_terraform_name(package: Package, node: Node) -> None:
    seen: dict[str, str] = {}
    for declared in package.resources.values():
        other = seen.setdefault(declared.terraform, declared.token)
        if other != declared.token:
            raise node.error(
                f"{other!r} and {declared.token!r} would both be Terraform's {declared.terraform!r}. "
                'Give one of them "terraform": "another_name".'
            )


# Resource types and functions ------------------------------------------------------------------------------------------


def _resource(token: str, node: Node) -> ResourceType:
    found = _read(node, RESOURCE)
    properties = found.pop("properties", {})
    found |= {word: found.pop(key) for key, word in RENAMED.items() if key in found}
    if "id" in found:
        settable = [name for name, item in properties.items() if item.is_input]
        _templates(found["id"], {"name", "hash", *settable}, node.members()["id"])
    _computed(properties, node)
    try:
        return ResourceType(token, properties, **found)
    except DefinitionError as error:
        raise node.error(str(error)) from error


RENAMED = {
    "deleteBeforeReplace": "delete_before_replace",
    "diffNeedsKnown": "diff_needs_known",
    "movedFrom": "moved_from",
    "legacyTypeSystem": "legacy_type_system",
}


def _function(token: str, node: Node) -> Function:
    found = _read(node, {"inputs": read_inputs, "returns": _plain_object})
    function = Function(token, found.get("inputs", {}), found.get("returns", {}))
    if found.get("returns"):
        _templates(found["returns"], set(function.inputs), node.members()["returns"])
    return function


def _plain_object(node: Node) -> Any:
    node.members()
    return node.plain()


SECTIONS: Mapping[str, Callable[[str, Node], Definition]] = {
    "resources": _resource,
    "functions": _function,
    "components": lambda token, node: read_component(token, node, _templates),
    "methods": lambda token, node: read_method(token, node, _templates),
}
"""What a package holds by token, and how each is read."""


def _templates(value: Value, names: set[str], node: Node) -> None:
    """Raises ``DefinitionError`` for a template in ``value`` that is malformed or asks for what is not in ``names``."""
    if isinstance(value, str):
        _needs(value, names, node)
    elif isinstance(value, dict):
        for name, each in node.members().items():
            _templates(value[name], names, each)
    elif isinstance(value, list):
        for index, each in enumerate(node.items()):
            _templates(value[index], names, each)


def _needs(template: str, names: Collection[str], node: Node) -> tuple[str, ...]:
    try:
        needed = fields(template)
    except DefinitionError as error:
        raise node.error(str(error)) from error
    for name in needed:
        if name not in names:
            hint = nearest(name, names, "It may ask for")
            raise node.error(
                f"the template {template!r} asks for {name!r}, which is not there. {hint} A plain brace is written twice."
            )
    return needed


def _computed(properties: Mapping[str, Property], node: Node) -> None:
    """Raises ``DefinitionError`` for a template that asks for what its siblings are not, or for templates in a circle."""
    needs: dict[str, tuple[str, ...]] = {}
    places = node.members()["properties"].members() if properties else {}
    for name, item in properties.items():
        if isinstance(item.computed, str):
            needs[name] = _needs(item.computed, {"id", *properties}, places[name].members()["computed"])
        if isinstance(item.default, Template):
            needs[name] = _needs(item.default.text, {*properties}, places[name].members()["defaultTemplate"])
        _inside(item.kind, places[name])
    try:
        # One that a program may set does not wait for its template, but it may also leave it to it.
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        circle = " -> ".join(error.args[1])
        raise node.error(f"these templates need each other, so none can be first: {circle}. Take one of them out.") from error


def _inside(kind: Kind, node: Node) -> None:
    if kind.items is not None and (kind.items.items or kind.items.properties):
        _inside(kind.items, node.members()["items"])
    elif kind.name == "object":
        _computed(kind.properties, node)


def _config(node: Node) -> dict[str, Property]:
    found = read_inputs(node)
    if "version" in found:
        raise node.error("Pulumi keeps 'version' for the version of the plugin. Choose another name for the setting.")
    return found
