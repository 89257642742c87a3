"""Types files: packages declared as data, so that a provider that no test owns can serve them too.

``load`` reads what ``definitions.schema.json`` publishes, and checks beyond it what a schema cannot say: that tokens belong to
their package, that templates name what exists, that defaults fit. ``dump`` is the way back. Neither touches files: the text
is read and written at the edge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

from msgspec import UNSET

from mockprovider.errors import DefinitionError
from mockprovider.fake._behaviours import dump_behaviour, number, read_behaviours
from mockprovider.fake._components import dump_component, dump_method, read_component, read_method
from mockprovider.fake._document import Node, nearest, parse
from mockprovider.fake._properties import read_inputs, read_properties, terraform_name, texts, valid_name
from mockprovider.fake.computing import fields
from mockprovider.schema import TIMED, TOKEN, Definition, Function, Kind, Package, Property, Random, ResourceType, Template
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


# The way back ----------------------------------------------------------------------------------------------------------


def dump(packages: Iterable[Package]) -> dict[str, Any]:
    """The types file, as data for ``json.dumps``, that declares ``packages``; ``load`` reads it back to the same.

    Raises ``DefinitionError`` for what data cannot hold: a Python function above all.
    """
    found = {"mockprovider": FORMAT, "packages": {each.name: _dump_package(each) for each in packages}}
    load(found, "the types file made of these packages")
    return found


def _dump_package(package: Package) -> dict[str, Any]:
    if package.offers:
        offered = ", ".join(package.offers)
        raise DefinitionError(
            f"A types file cannot hold provider functions and ephemeral resources, and {package.name} has {offered}. "
            "Keep them in Python."
        )
    return {
        "version": package.version,
        **_given("config", _dump_properties(package.config, f"the configuration of {package.name}")),
        **_given("resources", {token: _dump_resource(each) for token, each in package.resources.items()}),
        **_given("functions", {token: _dump_function(each) for token, each in package.functions.items()}),
        **_given("components", {name: dump_component(each, _dump_properties) for name, each in package.components.items()}),
        **_given("methods", {name: dump_method(each, _dump_properties) for name, each in package.methods.items()}),
    }


def _given(key: str, value: Any) -> dict[str, Any]:
    return {key: value} if value else {}


def _dump_resource(declared: ResourceType) -> dict[str, Any]:
    regular = ResourceType(declared.token)
    if declared.upgrades:
        raise _python(f"{declared.token}: what upgrades a state", "the upgrade that drops what is gone")
    if isinstance(declared.moved_from, Mapping) and declared.moved_from:
        raise _python(f"{declared.token}: what converts a moved object", "names of types, whose objects are taken as they are")
    return {
        **_given("description", declared.description),
        **_given("id", declared.id if declared.id != regular.id else ""),
        **_given("terraform", declared.terraform if declared.terraform != regular.terraform else ""),
        **_given("version", declared.version),
        **_given("deleteBeforeReplace", declared.delete_before_replace),
        **_given("timeouts", dict(declared.timeouts)),
        **_given("behaviours", [dump_behaviour(each, declared.token) for each in declared.behaviours]),
        **_given("diffNeedsKnown", declared.diff_needs_known),
        **_given("identity", list(declared.identity)),
        **_given("movedFrom", list(declared.moved_from)),
        **({} if declared.importable is True else {"importable": declared.importable}),
        **_given("legacyTypeSystem", declared.legacy_type_system),
        **_given("properties", _dump_properties(declared.properties, declared.token)),
    }


def _dump_function(declared: Function) -> dict[str, Any]:
    if callable(declared.returns):
        raise _python(f"{declared.token}: what it returns", 'values and templates such as {"zone": "zone-{region}"}')
    return {
        **_given("inputs", _dump_properties(declared.inputs, declared.token)),
        **_given("returns", dict(declared.returns)),
    }


def _dump_properties(properties: Mapping[str, Property], owner: str) -> dict[str, Any]:
    return {name: _dump_property(item, f"{owner}: property {name!r}") for name, item in properties.items()}


def _dump_property(item: Property, owner: str) -> dict[str, Any]:
    if callable(item.default):
        raise _python(f"{owner}: default", "a plain value")
    if callable(item.computed):
        raise _python(f"{owner}: computed", "true, or a template such as 'arn:cloud:::{id}'")
    return {
        **_dump_kind(item.kind, owner),
        **_given("required", item.required),
        **_dump_default(item),
        **{key: getattr(item, word) for key, word in LIMITS.items() if getattr(item, word) is not None},
        **_given("pattern", item.pattern),
        **_given("autoName", item.auto_name),
        **_given("deleteBeforeReplace", item.delete_before_replace),
        **_given("unreadable", item.unreadable),
        **_given("computed", item.computed),
        **_given("optional", item.optional),
        **_given("forcesNew", item.forces_new),
        **_given("secret", item.secret and not item.write_only),
        **_given("writeOnly", item.write_only),
        **_given("conflictsWith", list(item.conflicts_with)),
        **_given("enum", list(item.enum)),
        **_given("description", item.description),
        **_given("terraform", item.terraform),
    }


LIMITS = {
    "minimum": "minimum",
    "maximum": "maximum",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_items",
    "maxItems": "max_items",
}


def _dump_default(item: Property) -> dict[str, Any]:
    if isinstance(item.default, Template):
        return {"defaultTemplate": item.default.text}
    if isinstance(item.default, Random):
        return {"defaultRandom": {name: getattr(item.default, name) for name in Random.__struct_fields__}}
    return {} if item.default is UNSET else {"default": item.default}


def _dump_kind(kind: Kind, owner: str) -> dict[str, Any]:
    if kind.name == "object":
        return {"type": "object", "properties": _dump_properties(kind.properties, owner)}
    items = {"items": _dump_kind(kind.items, owner)} if kind.items else {}
    return {"type": kind.name, **items, **_given("enum", list(kind.enum))}


def _python(what: str, instead: str) -> DefinitionError:
    return DefinitionError(
        f"{what} is a Python function, and a types file cannot hold Python. Use {instead}, or keep the declaration in Python."
    )
