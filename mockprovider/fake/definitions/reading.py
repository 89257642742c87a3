"""Reading types files: from shapes to declarations, with the checks that a schema cannot express."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

from mockprovider.document import Node, decode, parse, stated
from mockprovider.fake.computing import fields
from mockprovider.fake.definitions.properties import declare_properties
from mockprovider.fake.definitions.saying import read_said
from mockprovider.fake.definitions.shapes import (
    FORMAT,
    PROVIDER_TOKEN,
    RESERVED_SETTING,
    ComponentShape,
    FunctionShape,
    MethodShape,
    PackageShape,
    ResourceShape,
    TypesFile,
)
from mockprovider.hints import did_you_mean
from mockprovider.schema import (
    Child,
    Component,
    Definition,
    Function,
    Kind,
    Method,
    Package,
    Property,
    ResourceType,
    Template,
    Traits,
    trait_kinds,
)
from mockprovider.values import Value


def load(source: str | Mapping[str, Any], origin: str = "types file") -> list[Package]:
    """The packages that a types file declares.

    Args:
        source: the file's text, or the same as data.
        origin: the file's name, for error messages.

    Raises ``DefinitionError`` that names the origin, the place in it, what stands there, and what should.
    """
    root = Node(parse(source, origin) if isinstance(source, str) else source, origin)
    # The error for another version's file names the version, not what this version does not know.
    _format(root.members(needed=("mockprovider", "packages"))["mockprovider"])
    packages = decode(root, TypesFile).packages
    return [_package(name, shape, root.at("packages", name)) for name, shape in packages.items()]


def _format(node: Node) -> None:
    if node.whole() != FORMAT:
        raise node.error(
            f"this file is of format {node.value}, and this version reads {FORMAT}. Use the version that it was written for."
        )


def _package(name: str, shape: PackageShape, node: Node) -> Package:
    package = Package(name, shape.version or "1.0.0", declare_properties(shape.config, node.at("config")))
    package.terraform_schema, package.address = shape.terraform_schema, shape.address
    if RESERVED_SETTING in shape.config:
        raise node.at("config").error(
            f"Pulumi keeps {RESERVED_SETTING!r} for the version of the plugin. Choose another name for the setting."
        )
    for section, declare in SECTIONS.items():
        for token, declared in getattr(shape, section).items():
            place = node.at(section, token)
            _check_token(token, place, name)
            package.add(declare(token, declared, place))
    _one_terraform_name(package, node)
    package.said = read_said(shape, node)
    return package


def _check_token(token: str, node: Node, package: str) -> None:
    if token.partition(":")[0] != package:
        raise node.error(f"{token!r} does not belong to the package {package!r}. Start it with '{package}:', or move it.")
    if re.match(PROVIDER_TOKEN, token):
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


# Definitions -----------------------------------------------------------------------------------------------------------


def _resource(token: str, shape: ResourceShape, node: Node) -> ResourceType:
    properties = declare_properties(shape.properties, node.at("properties"))
    _templates(shape.id, {"name", "hash", *(name for name, item in properties.items() if item.is_input)}, node.at("id"))
    _computed(properties, node)
    words = {**stated(shape), "properties": properties}
    traits = {name: words.pop(name) for name in [*words] if name not in ResourceType.__struct_fields__}
    with node.placed():
        return ResourceType(token, **words, traits=tuple(_traits(traits)))


def _traits(words: Mapping[str, Any]) -> Iterator[Traits]:
    """The traits of the ecosystems that have these keys."""
    for kind in trait_kinds() if words else ():
        given = {name: value for name, value in words.items() if name in kind.__struct_fields__}
        if given:
            yield kind(**given)


def _function(token: str, shape: FunctionShape, node: Node) -> Function:
    inputs = declare_properties(shape.inputs, node.at("inputs"))
    _templates(shape.returns, set(inputs), node.at("returns"))
    outputs = declare_properties(shape.outputs, node.at("outputs"))
    return Function(token, inputs, shape.returns, outputs, shape.terraform, shape.terraform_schema)


def _component(token: str, shape: ComponentShape, node: Node) -> Component:
    inputs = declare_properties(shape.inputs, node.at("inputs"))
    children: dict[str, Child] = {}
    for key, child in shape.children.items():
        place = node.at("children", key)
        _templates(child.properties, {"name", *inputs}, place.at("properties"), children)
        _templates(child.name, {"name", *inputs}, place.at("name"), children)
        children[key] = Child(child.type, child.properties, child.name or "")
    outputs = declare_properties(shape.outputs, node.at("outputs"))
    for name, item in outputs.items():
        _templates(item.computed, {"name", *inputs}, node.at("outputs", name, "computed"), children)
    with node.placed():
        return Component(token, inputs, outputs, children, description=shape.description)


def _method(token: str, shape: MethodShape, node: Node) -> Method:
    inputs = declare_properties(shape.inputs, node.at("inputs"))
    _templates(shape.returns, set(inputs), node.at("returns"), ("self",))
    with node.placed():
        return Method(token, inputs, shape.returns)


SECTIONS: Mapping[str, Callable[[str, Any, Node], Definition]] = {
    "resources": _resource,
    "functions": _function,
    "components": _component,
    "methods": _method,
}
"""The sections of a package by token, and how each becomes a declaration."""


# Templates -------------------------------------------------------------------------------------------------------------


def _templates(value: Value, names: set[str], node: Node, objects: Collection[str] = ()) -> None:
    """Raises ``DefinitionError`` for a template in ``value`` that is malformed, or uses a name that is neither in ``names`` nor
    a property of one of the ``objects``.
    """
    if isinstance(value, str):
        _needs(value, names, node, objects)
    elif isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            _templates(item, names, node.at(key), objects)


def _needs(template: str, names: set[str], node: Node, objects: Collection[str] = ()) -> tuple[str, ...]:
    with node.placed():
        needed = fields(template)
    for name in needed:
        if name not in names and name.partition(".")[0] not in objects:
            hint = did_you_mean(name, names, "It may ask for")
            raise node.error(
                f"the template {template!r} asks for {name!r}, which is not there. {hint} A plain brace is written twice."
            )
    return needed


def _computed(properties: Mapping[str, Property], node: Node) -> None:
    """Raises ``DefinitionError`` for templates that use unknown names, or each other in a circle."""
    needs: dict[str, tuple[str, ...]] = {}
    for name, item in properties.items():
        place = node.at("properties", name)
        if isinstance(item.computed, str):
            needs[name] = _needs(item.computed, {"id", *properties}, place.at("computed"))
        if isinstance(item.default, Template):
            needs[name] = _needs(item.default.text, {*properties}, place.at("defaultTemplate"))
        _inside(item.kind, place)
    try:
        # The program may set an optional one, but it may also leave it to the template.
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        circle = " -> ".join(error.args[1])
        raise node.error(f"these templates need each other, so none can be first: {circle}. Take one of them out.") from error


def _inside(kind: Kind, node: Node) -> None:
    if kind.items is not None and (kind.items.items or kind.items.properties):
        _inside(kind.items, node.at("items"))
    elif kind.name == "object":
        _computed(kind.properties, node)
