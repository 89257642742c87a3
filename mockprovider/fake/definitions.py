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

from mockprovider.errors import DefinitionError
from mockprovider.fake._document import Node, nearest, parse
from mockprovider.fake.checks import failures
from mockprovider.fake.computing import fields
from mockprovider.schema import COLLECTIONS, NAMES, TOKEN, Function, Kind, Package, Property, ResourceType
from mockprovider.values import Value

FORMAT = 1
"""The version of the format, which each file names under ``mockprovider``."""

PACKAGE_NAME = re.compile(r"[a-zA-Z][-a-zA-Z0-9_]*")
VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+([-+][-+.0-9A-Za-z]+)?")
PROPERTY_NAME = re.compile(r"[a-zA-Z_][-a-zA-Z0-9_]*")
TERRAFORM_NAME = re.compile(r"[a-z][a-z0-9_]*")
WITH_ITEMS = frozenset(COLLECTIONS.values())

KIND_KEYS = ("type", "items", "properties")
INPUT_KEYS = (*KIND_KEYS, "required", "default", "forcesNew", "secret", "enum", "description", "terraform")
PROPERTY_KEYS = (*INPUT_KEYS, "computed", "optional")
RESOURCE_KEYS = ("properties", "id", "deleteBeforeReplace", "description", "terraform", "version")

Reader = Callable[[Node], Any]


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
    _named(PACKAGE_NAME, name, node, "a package name starts with a letter and goes on with letters, digits, '-' and '_'")
    found = _read(node, {"version": _version, "config": _inputs, "resources": _members, "functions": _members})
    package = Package(name, found.get("version", "1.0.0"), found.get("config", {}))
    for kind, make in (("resources", _resource), ("functions", _function)):
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


def _named(pattern: re.Pattern[str], name: str, node: Node, rule: str) -> str:
    if not pattern.fullmatch(name):
        raise node.error(f"{name!r} cannot be a name here: {rule}.")
    return name


def _terraform_name(node: Node) -> str:
    rule = "Terraform's names are lower case letters, digits and '_', and start with a letter"
    return _named(TERRAFORM_NAME, node.text(), node, rule)


def _token(token: str, node: Node, package: str) -> None:
    if not TOKEN.fullmatch(token):
        raise node.error(f"{token!r} is no token. Write it as 'package:module:Member', such as '{package}:index:Bucket'.")
    if token.split(":", 1)[0] != package:
        raise node.error(f"{token!r} does not belong to the package {package!r}. Start it with '{package}:', or move it.")


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
    readers: dict[str, Reader] = {
        "properties": _properties,
        "id": lambda each: each.text(empty=False),
        "deleteBeforeReplace": Node.flag,
        "description": Node.text,
        "terraform": _terraform_name,
        "version": Node.whole,
    }
    found = _read(node, readers)
    properties = found.pop("properties", {})
    found["delete_before_replace"] = found.pop("deleteBeforeReplace", False)
    if "id" in found:
        settable = [name for name, item in properties.items() if item.is_input]
        _templates(found["id"], {"name", "hash", *settable}, node.members()["id"])
    _computed(properties, node)
    try:
        return ResourceType(token, properties, **found)
    except DefinitionError as error:
        raise node.error(str(error)) from error


def _function(token: str, node: Node) -> Function:
    found = _read(node, {"inputs": _inputs, "returns": _plain_object})
    function = Function(token, found.get("inputs", {}), found.get("returns", {}))
    if found.get("returns"):
        _templates(found["returns"], set(function.inputs), node.members()["returns"])
    return function


def _plain_object(node: Node) -> Any:
    node.members()
    return node.plain()


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
    """Raises ``DefinitionError`` for a template that asks for what the type does not have, or for templates in a circle."""
    needs: dict[str, tuple[str, ...]] = {}
    for name, item in properties.items():
        if isinstance(item.computed, str):
            place = node.members()["properties"].members()[name].members()["computed"]
            needs[name] = _needs(item.computed, {"id", *properties}, place)
    try:
        # One that a program may set does not wait for its template, but it may also leave it to it.
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        circle = " -> ".join(error.args[1])
        raise node.error(f"these templates need each other, so none can be first: {circle}. Take one of them out.") from error


# Properties ------------------------------------------------------------------------------------------------------------


def _properties(node: Node) -> dict[str, Property]:
    return {name: _property(name, each, PROPERTY_KEYS) for name, each in node.members().items()}


def _inputs(node: Node) -> dict[str, Property]:
    return {name: _property(name, each, INPUT_KEYS) for name, each in node.members().items()}


def _property(name: str, node: Node, keys: tuple[str, ...]) -> Property:
    _named(PROPERTY_NAME, name, node, "a property's name is letters, digits, '-' and '_', and starts with no digit")
    if isinstance(node.value, str):
        return Property(_kind(node))
    members = node.members(keys)
    item = _declared(members, node)
    for each in members["enum"].items() if "enum" in members else ():
        _fits(name, each, Property(item.kind))
    if item.has_default:
        _fits(name, members["default"], item)
    return item


def _declared(members: Mapping[str, Node], node: Node) -> Property:
    given: dict[str, Any] = {key: members[key].flag() for key in ("required", "optional", "secret") if key in members}
    given |= {"terraform": _terraform_name(members["terraform"])} if "terraform" in members else {}
    given |= {"description": members["description"].text()} if "description" in members else {}
    given |= {"forces_new": members["forcesNew"].flag()} if "forcesNew" in members else {}
    given |= {"computed": _computed_value(members["computed"])} if "computed" in members else {}
    given |= {"enum": _enum(members["enum"])} if "enum" in members else {}
    given |= {"default": _default(members["default"])} if "default" in members else {}
    if given.get("computed") and "default" in given:
        raise node.error("a computed property has its value from the provider: drop default, or computed.")
    kind = _kind(node)
    try:
        return Property(kind, **given)
    except DefinitionError as error:
        raise node.error(str(error)) from error


def _computed_value(node: Node) -> bool | str:
    if not isinstance(node.value, (bool, str)):
        raise node.wrong("true for a generated value, or a template such as 'arn:cloud:::{id}'")
    return node.value if isinstance(node.value, bool) else node.text(empty=False)


def _enum(node: Node) -> tuple[Value, ...]:
    if not node.items():
        raise node.error("no value at all would be accepted. List some, or leave enum out.")
    for each in node.items():
        if each.value is None:
            raise each.error("null is what a property that nobody sets is anyway. Leave it out of the list.")
    return tuple(each.plain() for each in node.items())


def _default(node: Node) -> Value:
    if node.value is None:
        raise node.error("null is what a property without a default is anyway. Leave default out.")
    return node.plain()


def _fits(name: str, node: Node, item: Property) -> None:
    wrong = next(failures({name: item}, {name: node.plain()}), None)
    if wrong is not None:
        raise node.error(f"this does not fit the property's own type: {wrong.reason}.")


def _kind(node: Node) -> Kind:
    """The kind that a property or an item declares: a name, or an object with ``type`` and what belongs to it."""
    if isinstance(node.value, str):
        return _plain_kind(node)
    members = node.members()
    type_ = members.get("type")
    name = _kind_name(type_) if type_ else "string"
    if "items" in members and name not in WITH_ITEMS:
        raise members["items"].error(f"a {name} has no items. They belong to array, set and map.")
    if "properties" in members and name != "object":
        raise members["properties"].error(f'a {name} has no properties. They belong to an object: "type": "object".')
    if name == "object":
        return Kind("object", properties=_nested(members, node))
    items = members.get("items")
    return Kind(name, items=(_item(items) if items else Kind("any")) if name in WITH_ITEMS else None)


def _item(node: Node) -> Kind:
    if not isinstance(node.value, str):
        node.members(KIND_KEYS, needed=("type",))
    return _kind(node)


def _nested(members: Mapping[str, Node], node: Node) -> dict[str, Property]:
    if "properties" not in members:
        raise node.error("an object needs its properties. For keys that are not known beforehand there is the type map.")
    # Nothing computes inside an object that the program sets, so the key is refused here rather than ignored.
    return _inputs(members["properties"])


def _plain_kind(node: Node) -> Kind:
    name = _kind_name(node)
    if name == "object":
        raise node.error('an object needs its properties: {"type": "object", "properties": {...}}.')
    return Kind(name, items=Kind("any") if name in WITH_ITEMS else None)


def _kind_name(node: Node) -> str:
    if node.text() not in NAMES:
        raise node.error(f"{node.value!r} is no kind of value. {nearest(node.text(), NAMES, 'Kinds are')}")
    return node.text()


# The way back ----------------------------------------------------------------------------------------------------------


def dump(packages: Iterable[Package]) -> dict[str, Any]:
    """The types file, as data for ``json.dumps``, that declares ``packages``; ``load`` reads it back to the same.

    Raises ``DefinitionError`` for what data cannot hold: a Python function above all.
    """
    found = {"mockprovider": FORMAT, "packages": {each.name: _dump_package(each) for each in packages}}
    load(found, "the types file made of these packages")
    return found


def _dump_package(package: Package) -> dict[str, Any]:
    return {
        "version": package.version,
        **_given("config", _dump_properties(package.config, f"the configuration of {package.name}")),
        **_given("resources", {token: _dump_resource(each) for token, each in package.resources.items()}),
        **_given("functions", {token: _dump_function(each) for token, each in package.functions.items()}),
    }


def _given(key: str, value: Any) -> dict[str, Any]:
    return {key: value} if value else {}


def _dump_resource(declared: ResourceType) -> dict[str, Any]:
    regular = ResourceType(declared.token)
    return {
        **_given("description", declared.description),
        **_given("id", declared.id if declared.id != regular.id else ""),
        **_given("terraform", declared.terraform if declared.terraform != regular.terraform else ""),
        **_given("version", declared.version),
        **_given("deleteBeforeReplace", declared.delete_before_replace),
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
        **({"default": item.default} if item.has_default else {}),
        **_given("computed", item.computed),
        **_given("optional", item.optional),
        **_given("forcesNew", item.forces_new),
        **_given("secret", item.secret),
        **_given("enum", list(item.enum)),
        **_given("description", item.description),
        **_given("terraform", item.terraform),
    }


def _dump_kind(kind: Kind, owner: str) -> dict[str, Any]:
    if kind.name == "object":
        return {"type": "object", "properties": _dump_properties(kind.properties, owner)}
    return {"type": kind.name, **({"items": _dump_kind(kind.items, owner)} if kind.items else {})}


def _python(what: str, instead: str) -> DefinitionError:
    return DefinitionError(
        f"{what} is a Python function, and a types file cannot hold Python. Use {instead}, or keep the declaration in Python."
    )
