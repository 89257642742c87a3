"""Pulumi package schemas read as packages of ours, for what a fake can use of them (reference 11).

What a schema says is what the provider may be asked and what it answers; what an answer *is* it never says. So an output that
no program sets becomes a generated value. What only SDKs use (languages, aliases, names of environment variables) is passed
over, and so is what is no resource or function of the fake: components and methods.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from msgspec import UNSET, Struct
from msgspec.structs import replace

from mockprovider.errors import DefinitionError
from mockprovider.fake._document import Node, describe, nearest, parse
from mockprovider.fake.checks import failures
from mockprovider.pulumi._inventing import answer, computed
from mockprovider.schema import TOKEN, Function, Kind, Package, Property, ResourceType, snake_case
from mockprovider.values import Value

VERSION = re.compile(r"v?([0-9]+\.[0-9]+\.[0-9]+([-+][-+.0-9A-Za-z]+)?)")
NAME = re.compile(r"[a-zA-Z][-a-zA-Z0-9_]*")

SCALARS = frozenset({"boolean", "integer", "number", "string"})
BUILTIN: Mapping[str, str] = {"Any": "any", "Asset": "asset", "Archive": "archive", "Json": "string"}
"""The metaschema's own types. A value of type ``Json`` travels as the text that it is."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ROOT_KEYS = _words(
    "name version displayName description keywords homepage license attribution repository logoUrl pluginDownloadURL publisher "
    "namespace meta config provider resources types functions language dependencies parameterization "
    "extensionParameterization allowedPackageNames"
)
PROPERTY_KEYS = _words(
    "type items additionalProperties $ref oneOf discriminator plain description const default defaultInfo deprecationMessage "
    "language secret replaceOnChanges willReplaceOnChanges"
)
OBJECT_KEYS = _words("type description properties required isOverlay overlaySupportedLanguages language plain enum")
RESOURCE_KEYS = OBJECT_KEYS | _words(
    "inputProperties requiredInputs plainInputs stateInputs listInputs aliases deprecationMessage isComponent methods"
)
FUNCTION_KEYS = _words(
    "description inputs outputs returnType multiArgumentInputs deprecationMessage isOverlay overlaySupportedLanguages language"
)
OWN_OUTPUTS = frozenset({"id", "urn"})
"""Every resource has these two; an output of that name says nothing more."""

LARGEST = 20_000
"""Properties in a type, through all levels: types that share types could otherwise become trees that nobody can walk."""

TYPO = 0.85
"""How like a known key an unknown one must be to be a typo of it, and not a key of a newer metaschema."""


def from_schema(source: str | Mapping[str, Any], origin: str = "schema") -> Package:
    """The package that a Pulumi package schema describes.

    Args:
        source: the schema's JSON text, or the same as data.
        origin: what error messages call it: the file's name.

    GetSchema answers the schema as it was given, until something is added to the package.
    Raises ``DefinitionError`` that names the origin, the place in it, what stands there, and what should.
    """
    root = Node(parse(source, origin) if isinstance(source, str) else source, origin)
    try:
        package = _Reader(root).package()
    except RecursionError as error:
        raise DefinitionError(f"{origin}: nested too deeply to be read. A schema needs some dozens of levels.") from error
    package.schema = source if isinstance(source, str) else json.dumps(root.plain())
    return package


def is_schema(document: Any) -> bool:
    """Whether parsed JSON looks like a package schema, and not like a types file."""
    return isinstance(document, Mapping) and "name" in document and not {"mockprovider", "packages"} & document.keys()


class _Shape(Struct, frozen=True):
    """What a type in a schema says of values: their kind, and the only ones that there are."""

    kind: Kind
    enum: tuple[Value, ...] = ()


ANY = _Shape(Kind("any"))


class _Reader:
    """One schema under reading; named types are read once, when first asked for."""

    def __init__(self, root: Node) -> None:
        self._root = root
        self._members = _keys(root, ROOT_KEYS, needed=("name",))
        self._types = self._section("types")
        self._resources = self._section("resources")
        self._known: dict[str, _Shape] = {}
        self._open: set[str] = set()
        self._sizes: dict[int, int] = {}

    def _section(self, key: str) -> dict[str, Node]:
        return self._members[key].members() if key in self._members else {}

    def package(self) -> Package:
        """All of it."""
        package = Package(self._name(), self._version(), self._config())
        for token, node in self._resources.items():
            self._token(token, node)
            if not _flag(node.members(), "isComponent"):
                package.add(self._resource(token, node))
        for token, node in self._section("functions").items():
            self._token(token, node)
            function = self._function(token, node)
            # A method is asked for by Call, on a resource, and is no function that Invoke could find.
            if "__self__" not in function.inputs:
                package.add(function)
        return package

    def _name(self) -> str:
        node = self._members["name"]
        if not NAME.fullmatch(node.text()):
            raise node.error(
                f"{node.value!r} is no package name: it starts with a letter and goes on with letters, digits, '-' and '_'."
            )
        return node.text()

    def _version(self) -> str:
        node = self._members.get("version")
        if node is None or node.text() == "":
            return "1.0.0"
        found = VERSION.fullmatch(node.text())
        if not found:
            raise node.error(f"{node.value!r} is no semantic version. Write three numbers, such as 1.0.0.")
        return found[1]

    def _config(self) -> dict[str, Property]:
        config = _keys(self._members["config"], {"variables", "defaults"}) if "config" in self._members else {}
        provider = _keys(self._members["provider"], RESOURCE_KEYS) if "provider" in self._members else {}
        variables = self._properties(config.get("variables"), config.get("defaults"))
        inputs = self._properties(provider.get("inputProperties"), provider.get("requiredInputs"))
        if "version" in inputs:
            place = provider["inputProperties"].members()["version"]
            raise place.error("Pulumi keeps 'version' for the version of the plugin. Choose another name for the setting.")
        return variables | inputs

    def _token(self, token: str, node: Node) -> None:
        name = self._name()
        if not TOKEN.fullmatch(token):
            raise node.error(f"{token!r} is no token. Write it as 'package:module:Member', such as '{name}:index:Bucket'.")
        allowed = self._members.get("allowedPackageNames")
        names = {name, *(each.text() for each in (allowed.items() if allowed else ()))}
        owner = token.split(":", 1)[0]
        if owner not in names:
            raise node.error(f"{token!r} does not belong to the package. {nearest(owner, names, 'Its packages are')}")

    # Resources and functions -----------------------------------------------------------------------------------------

    def _resource(self, token: str, node: Node) -> ResourceType:
        members = _keys(node, RESOURCE_KEYS)
        found = self._properties(members.get("inputProperties"), members.get("requiredInputs"))
        outputs = self._properties(members.get("properties"), None)
        certain = _names(members.get("required"), outputs)
        for name, item in outputs.items():
            if name in found:
                found[name] = _merged(name, found[name], item, certain=name in certain)
            elif name not in OWN_OUTPUTS:
                # YAML programs set a constant by themselves, also where it is no input.
                found[name] = computed(name, item, optional=item.enum == (item.default,))
        try:
            return ResourceType(token, _distinct(found), description=_text(members, "description"))
        except DefinitionError as error:
            raise node.error(str(error)) from error

    def _function(self, token: str, node: Node) -> Function:
        members = _keys(node, FUNCTION_KEYS)
        inputs = self._object(members["inputs"]) if "inputs" in members else {}
        outputs = members.get("outputs") or members.get("returnType")
        returned = self._returned(outputs) if outputs else {}
        return Function(token, inputs, {name: answer(token, name, item, inputs) for name, item in returned.items()})

    def _returned(self, node: Node) -> dict[str, Property]:
        if "properties" in node.members():
            return self._object(node)
        shape = self._shape(node)
        if shape.kind.name == "object":
            return dict(shape.kind.properties)
        # What is no object travels as the one member of one; SDKs take it out whatever its name is.
        return {} if shape.kind.name == "map" else {"result": Property(shape.kind, enum=shape.enum)}

    def _object(self, node: Node) -> dict[str, Property]:
        members = _keys(node, OBJECT_KEYS)
        return self._properties(members.get("properties"), members.get("required"))

    # Properties ------------------------------------------------------------------------------------------------------

    def _properties(self, node: Node | None, required: Node | None) -> dict[str, Property]:
        members = node.members() if node else {}
        needed = _names(required, members)
        return {name: self._property(name, each, needed=name in needed) for name, each in members.items()}

    def _property(self, name: str, node: Node, *, needed: bool) -> Property:
        if name == "pulumi":
            raise node.error("Pulumi keeps the name 'pulumi' for itself. Choose another.")
        members = _keys(node, PROPERTY_KEYS)
        shape = self._shape(node)
        stated = members.get("const") or members.get("default")
        given = UNSET if stated is None or stated.value is None else _fitting(name, stated, shape)
        return Property(
            shape.kind,
            required=needed and given is UNSET and not _from_environment(members),
            default=given,
            forces_new=_flag(members, "replaceOnChanges") or _flag(members, "willReplaceOnChanges"),
            secret=_flag(members, "secret"),
            enum=(given,) if "const" in members and given is not UNSET else shape.enum,
            description=_text(members, "description"),
        )

    # Types -----------------------------------------------------------------------------------------------------------

    def _shape(self, node: Node) -> _Shape:
        members = node.members()
        if "$ref" in members:
            return self._reference(members["$ref"], members.get("type"))
        if "oneOf" in members:
            return _common([self._shape(each) for each in members["oneOf"].items()])
        if "type" not in members:
            raise node.error(f'{describe(node.value)} names no type. Add "type", "$ref" or "oneOf".')
        word = members["type"].text()
        if word == "array":
            if "items" not in members:
                raise node.error('this array says nothing of its elements. Add "items".')
            return _Shape(Kind("array", items=self._shape(members["items"]).kind))
        if word == "object":
            items = members.get("additionalProperties")
            return _Shape(Kind("map", items=self._shape(items).kind if items else Kind("string")))
        return _Shape(Kind(_scalar(members["type"], SCALARS | {"array", "object"})))

    def _reference(self, node: Node, fallback: Node | None) -> _Shape:
        file, _, path = node.text().partition("#")
        section, _, member = path.removeprefix("/").partition("/")
        if file.endswith("pulumi.json"):
            if section not in BUILTIN:
                raise node.error(f"there is no built-in type {section!r}. {nearest(section, BUILTIN, 'There are')}")
            return _Shape(Kind(BUILTIN[section]))
        token = unquote(member)
        if section == "types" and not file and token in self._types:
            return self._named(token, self._types[token])
        if (file or section == "types") and fallback and fallback.text() in SCALARS:
            # What is not at hand, such as another package's schema, says here at least which scalar it is.
            return _Shape(Kind(fallback.text()))
        # Old schemas refer to resources as types.
        if section in ("types", "resources") and not file and token not in self._resources:
            known = self._types if section == "types" else self._resources
            hint = nearest(token, known, "There are")
            raise node.error(f"there is no {section[:-1]} {token!r} in this schema. {hint}")
        if not file and section not in ("types", "resources", "provider"):
            raise node.error(
                f"{node.value!r} leads nowhere. References are '#/types/…', '#/resources/…', '#/provider' and 'pulumi.json#/…'."
            )
        return ANY

    def _named(self, token: str, node: Node) -> _Shape:
        if token in self._open:
            # Kinds are trees: where a type holds itself, whatever is inside it is not looked at.
            return ANY
        if token not in self._known:
            self._open.add(token)
            self._known[token] = self._type(node)
            self._open.remove(token)
        return self._known[token]

    def _type(self, node: Node) -> _Shape:
        members = _keys(node, OBJECT_KEYS)
        if "enum" in members:
            return _enum(members)
        properties = self._object(node)
        kind = Kind("object", properties=properties)
        size = 1 + sum(self._sizes.get(id(_innermost(each.kind)), 1) for each in properties.values())
        if size > LARGEST:
            return ANY
        self._sizes[id(kind)] = size
        return _Shape(kind)


# The parts of a schema, one by one --------------------------------------------------------------------------------------


def _keys(node: Node, known: Collection[str], needed: Collection[str] = ()) -> dict[str, Node]:
    """An object's members. Raises ``DefinitionError`` for a key that is almost a known one; others are a newer metaschema's."""
    members = node.members(needed=needed)
    for key in members:
        if key not in known and (close := difflib.get_close_matches(key, known, n=1, cutoff=TYPO)):
            raise node.error(f"there is no key {key!r} here. Did you mean {close[0]!r}?")
    return members


def _flag(members: Mapping[str, Node], key: str) -> bool:
    return key in members and members[key].flag()


def _text(members: Mapping[str, Node], key: str) -> str:
    return members[key].text() if key in members else ""


def _names(node: Node | None, known: Collection[str]) -> frozenset[str]:
    items = node.items() if node else []
    for each in items:
        if each.text() not in known:
            hint = nearest(each.text(), known, "There are")
            raise each.error(f"{each.value!r} is required, and there is no property of that name. {hint}")
    return frozenset(each.text() for each in items)


def _scalar(node: Node, known: Collection[str]) -> str:
    if node.text() not in SCALARS:
        raise node.error(f"{node.value!r} is no type here. {nearest(node.text(), known, 'Types are')}")
    return node.text()


def _fitting(name: str, node: Node, shape: _Shape) -> Value:
    """The value that stands there. Raises ``DefinitionError`` if it is none of the type's."""
    value = node.plain()
    for failure in failures({name: Property(shape.kind, enum=shape.enum)}, {name: value}):
        raise node.error(f"{describe(value)} stands here: {failure.reason}.")
    return value


def _from_environment(members: Mapping[str, Node]) -> bool:
    # SDKs, and most providers, look there themselves: a program that sets nothing is none that forgot it.
    return "defaultInfo" in members and "environment" in members["defaultInfo"].members()


def _enum(members: Mapping[str, Node]) -> _Shape:
    shape = _Shape(Kind(_scalar(members["type"], SCALARS) if "type" in members else "string"))
    values = [each.members(needed=("value",))["value"] for each in members["enum"].items()]
    return _Shape(shape.kind, tuple(_fitting("value", each, shape) for each in values))


def _innermost(kind: Kind) -> Kind:
    while kind.items:
        kind = kind.items
    return kind


def _common(shapes: Sequence[_Shape]) -> _Shape:
    """What all of a union's types have in common. Where one is open, the others' values are examples."""
    kinds = {each.kind.name for each in shapes}
    if kinds == {"integer", "number"}:
        return _Shape(Kind("number"))
    if not shapes or any(each.kind != shapes[0].kind for each in shapes):
        return ANY
    closed = all(each.enum for each in shapes)
    return _Shape(shapes[0].kind, tuple(value for each in shapes for value in each.enum) if closed else ())


def _distinct(properties: Mapping[str, Property]) -> dict[str, Property]:
    """The same with Terraform names that differ: nobody who was given a schema could say them there."""
    taken: set[str] = set()
    found: dict[str, Property] = {}
    for name, item in properties.items():
        attribute, count = snake_case(name), 1
        while attribute in taken:
            count += 1
            attribute = f"{snake_case(name)}_{count}"
        taken.add(attribute)
        found[name] = item if count == 1 else replace(item, terraform=attribute)
    return found


def _merged(name: str, given: Property, told: Property, *, certain: bool) -> Property:
    """One property of what the inputs and the outputs say of it; ``certain`` where the provider always tells a value."""
    item = replace(
        given,
        forces_new=given.forces_new or told.forces_new,
        secret=given.secret or told.secret,
        description=given.description or told.description,
    )
    return computed(name, item, optional=True) if certain and not (item.required or item.has_default) else item
