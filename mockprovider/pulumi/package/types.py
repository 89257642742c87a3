"""Types and properties of a Pulumi package schema as kinds and properties (reference 11)."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from urllib.parse import unquote

from msgspec import UNSET, Struct
from msgspec.structs import replace

from mockprovider.document import Node, describe
from mockprovider.errors import MockProviderWarning
from mockprovider.fake.checks import failures
from mockprovider.hints import did_you_mean
from mockprovider.pulumi.package.inventing import computed
from mockprovider.schema import Kind, Property, snake_case
from mockprovider.urn import PROVIDERS
from mockprovider.values import Value

SCALARS = frozenset({"boolean", "integer", "number", "string"})
PLAIN_KINDS: Mapping[str, Kind] = {word: Kind(word) for word in SCALARS}
PLAIN_KEYS = frozenset({"type", "description"})
BUILTIN: Mapping[str, str] = {"Any": "any", "Asset": "asset", "Archive": "archive", "Json": "string"}
"""The metaschema's own types. A value of type ``Json`` is sent as text."""


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
NOWHERE = 1 << 30
"""Deeper than any type: none of those around was met."""

NOBODY: frozenset[str] = frozenset()

LARGEST = 20_000
"""The largest number of properties in a type, at all levels: types that share types could become huge trees."""

TYPO = 0.85
"""The similarity to a known key at which an unknown key is a typo, and not a key of a newer metaschema."""


class Shape(Struct, frozen=True):
    """A type in a schema: the kind of its values, and the only accepted ones."""

    kind: Kind
    enum: tuple[Value, ...] = ()


ANY = Shape(Kind("any"))

FOREIGN = re.compile(r"/?([-\w]+)/(v[^/]*)/schema\.json")
"""The file of another package's schema, in a reference."""


class Types:
    """The types of one schema; a named one is read once, when it is first used.

    ``abroad`` gives the types of another package by its name, or ``None`` if its schema is not available.
    """

    def __init__(self, types: Mapping[str, Node], resources: Mapping[str, Node], abroad: Callable[[str], Types | None]) -> None:
        self.declared = types
        self._resources = resources
        self._abroad = abroad
        self._known: dict[str, Shape] = {}
        self._open: dict[str, int] = {}
        self._met = NOWHERE
        self._circles: dict[str, frozenset[str]] = {}
        self._partial: dict[str, tuple[Shape, int]] = {}
        self._sizes: dict[int, tuple[Kind, int]] = {}

    def members(self, node: Node) -> dict[str, Property]:
        """The properties of an object type, all of which a program sets."""
        members = keys(node, OBJECT_KEYS)
        return distinct(self.properties(members.get("properties"), members.get("required")))

    def properties(self, node: Node | None, required: Node | None) -> dict[str, Property]:
        """Properties by name. Raises ``DefinitionError`` for unknown names in ``required``, and for invalid types."""
        members = node.members() if node else {}
        needed = names(required, members)
        return {name: self._property(name, member, needed=name in needed) for name, member in members.items()}

    def _property(self, name: str, node: Node, *, needed: bool) -> Property:
        if name == "pulumi":
            raise node.error("Pulumi keeps the name 'pulumi' for itself. Choose another.")
        if (kind := _plain_kind(node.value)) is not None:
            return Property(kind, required=needed, description=node.value.get("description", ""))
        members = keys(node, PROPERTY_KEYS)
        shape = self._shaped(node, members)
        elsewhere = _from_environment(members)
        stated = members.get("const") or members.get("default")
        given = UNSET if stated is None or stated.value is None else _fitting(name, stated, shape)
        return Property(
            shape.kind,
            required=needed and given is UNSET and not elsewhere,
            default=given,
            forces_new=flag(members, "replaceOnChanges") or flag(members, "willReplaceOnChanges"),
            secret=flag(members, "secret"),
            enum=(given,) if "const" in members and given is not UNSET else shape.enum,
            description=text(members, "description"),
        )

    def shape(self, node: Node) -> Shape:
        """The shape of a type. Raises ``DefinitionError`` for an invalid one, and for references to nothing."""
        return self._shaped(node, present(node))

    def _shaped(self, node: Node, members: Mapping[str, Node]) -> Shape:
        if "$ref" in members:
            return self._reference(members["$ref"], members.get("type"))
        if "oneOf" in members:
            return self._union(members)
        if "type" not in members:
            raise node.error(f'{describe(node.value)} names no type. Add "type", "$ref" or "oneOf".')
        word = members["type"].text()
        if word == "array":
            if "items" not in members:
                raise node.error('this array says nothing of its elements. Add "items".')
            return Shape(Kind("array", items=self._element(members["items"])))
        if word == "object":
            items = members.get("additionalProperties")
            return Shape(Kind("map", items=self._element(items) if items else Kind("string")))
        return Shape(Kind(_scalar(members["type"], SCALARS | {"array", "object"})))

    def _element(self, node: Node) -> Kind:
        shape = self.shape(node)
        return replace(shape.kind, enum=shape.enum) if shape.enum else shape.kind

    def _union(self, members: Mapping[str, Node]) -> Shape:
        types = members["oneOf"].items()
        if len(types) < 2:
            raise members["oneOf"].error("one type alone is no union. List two or more, or name the type itself.")
        if "discriminator" in members:
            members["discriminator"].members(needed=("propertyName",))["propertyName"].text(empty=False)
        shapes = [self.shape(variant) for variant in types]
        # A resource beside a string stands for its id, which is what the provider answers.
        plain = [shape for shape, variant in zip(shapes, types, strict=True) if not self._is_resource(variant)]
        stands_for_id = plain and all(shape.kind.name == "string" for shape in plain)
        return _common(plain if stands_for_id else shapes)

    def _is_resource(self, node: Node) -> bool:
        """Whether a type is a reference to a resource, as old schemas have them among the types."""
        reference = node.value.get("$ref") if isinstance(node.value, Mapping) else None
        _, _, path = reference.partition("#") if isinstance(reference, str) else ("", "", "")
        section, _, member = path.removeprefix("/").partition("/")
        token = unquote(member)
        return section == "resources" or (section == "types" and token in self._resources and token not in self.declared)

    def _reference(self, node: Node, fallback: Node | None) -> Shape:
        file, _, path = node.text().partition("#")
        section, _, member = path.removeprefix("/").partition("/")
        if file.endswith("pulumi.json"):
            if section not in BUILTIN:
                raise node.error(f"there is no built-in type {section!r}. {did_you_mean(section, BUILTIN, 'There are')}")
            return Shape(Kind(BUILTIN[section]))
        token = unquote(member)
        there = self._elsewhere(node, file) if file else self
        if section == "types" and there and token in there.declared:
            return there.named(token, there.declared[token])
        if (file or section == "types") and fallback and fallback.text() in SCALARS:
            # If another package's schema is not available, the reference still names the scalar type.
            return Shape(Kind(fallback.text()))
        return there.resource(node, section, token) if there else ANY

    def _elsewhere(self, node: Node, file: str) -> Types | None:
        match = FOREIGN.fullmatch(unquote(file))
        if not match:
            raise node.error(f"{node.value!r} leads nowhere. Other packages' types are '/package/v1.2.3/schema.json#/types/…'.")
        return self._abroad(match[1])

    def resource(self, node: Node, section: str, token: str) -> Shape:
        """The shape of a reference to a resource or the provider, of which a fake accepts any value."""
        # Old schemas refer to resources as types.
        if section in ("types", "resources") and token not in self._resources and not token.startswith(PROVIDERS):
            known = self.declared if section == "types" else self._resources
            hint = did_you_mean(token, known, "There are")
            raise node.error(f"there is no {section[:-1]} {token!r} in this schema. {hint}")
        if section not in ("types", "resources", "provider"):
            raise node.error(
                f"{node.value!r} leads nowhere. References are '#/types/…', '#/resources/…', '#/provider' and 'pulumi.json#/…'."
            )
        return ANY

    def named(self, token: str, node: Node) -> Shape:
        """The shape of a named type. It is the same whatever was read before."""
        if token in self._open:
            # Kinds are trees, so a type inside itself accepts any value.
            self._met = min(self._met, self._open[token])
            return ANY
        if token in self._known and self._circles.get(token, NOBODY).isdisjoint(self._open):
            return self._known[token]
        if token in self._partial:
            shape, met = self._partial[token]
            self._met = min(self._met, met)
            return shape
        depth, above, begun, self._met = len(self._open), self._met, len(self._partial), NOWHERE
        self._open[token] = depth
        try:
            shape = self._type(token, node)
        finally:
            del self._open[token]
        if self._met < depth:
            # It is open where it came round to a type around it; read on its own, it is open elsewhere.
            self._partial[token] = shape, self._met
            self._met = min(above, self._met)
        else:
            self._known[token], self._met = shape, above
            circle = [*self._partial][begun:]
            if circle:
                # Inside each other these are read anew: where one is open depends on the type that it is part of.
                self._circles[token] = frozenset(circle)
            for inner in circle:
                del self._partial[inner]
        return shape

    def _type(self, token: str, node: Node) -> Shape:
        members = keys(node, OBJECT_KEYS)
        if "enum" in members:
            return _enum(members)
        properties = self.members(node)
        for name in _always_answered(members):
            # Bridged schemas have one type for what a program sets and for what comes out of it.
            item = properties.get(name)
            if item is not None and not (item.required or item.has_default):
                properties[name] = computed(token, name, item, optional=True)
        kind = Kind("object", properties=properties)
        size = 1 + sum(self._size(_innermost(inner.kind)) for inner in properties.values())
        if size > LARGEST:
            return ANY
        # Kept with its kind, whose id could be another's after it.
        self._sizes[id(kind)] = kind, size
        return Shape(kind)

    def _size(self, kind: Kind) -> int:
        return self._sizes.get(id(kind), (kind, 1))[1]


# The parts of a schema, one by one --------------------------------------------------------------------------------------


def keys(node: Node, known: Collection[str], needed: Collection[str] = ()) -> dict[str, Node]:
    """An object's members by their known names; ``null`` is no member, and letters may be of either case, as for Pulumi.

    A key that is almost a known one is warned of; others are a newer metaschema's. Raises ``DefinitionError``.
    """
    members = present(node, needed)
    for key in [key for key in members if key not in known]:
        spelled = next((word for word in known if word.lower() == key.lower()), None)
        if spelled:
            members[spelled] = members.pop(key)
        elif hint := did_you_mean(key, known, alike=TYPO):
            ignored = node.error(f"there is no key {key!r} here, so it is ignored. {hint}")
            warnings.warn(MockProviderWarning(str(ignored)), stacklevel=2)
    return members


def present(node: Node, needed: Collection[str] = ()) -> dict[str, Node]:
    """An object's members that are not ``null``. Raises ``DefinitionError`` where one that is ``needed`` is not there."""
    members = {key: member for key, member in node.members(needed=needed).items() if member.value is not None}
    for key in needed:
        if key not in members:
            raise node.error(f"the key {key!r} is null. Give it a value.")
    return members


def flag(members: Mapping[str, Node], key: str) -> bool:
    """Whether the flag ``key`` is present and true."""
    return key in members and members[key].flag()


def text(members: Mapping[str, Node], key: str) -> str:
    """The text under ``key``, empty where there is none."""
    return members[key].text() if key in members else ""


def names(node: Node | None, known: Collection[str]) -> frozenset[str]:
    """The names in a list of required properties. Raises ``DefinitionError`` for one that is not ``known``."""
    items = node.items() if node else []
    for entry in items:
        if entry.text() not in known:
            hint = did_you_mean(entry.text(), known, "There are")
            raise entry.error(f"{entry.value!r} is required, and there is no property of that name. {hint}")
    return frozenset(entry.text() for entry in items)


def _always_answered(members: Mapping[str, Node]) -> Collection[str]:
    """The properties that an object always has when it comes from the provider, where a bridge says so."""
    language = members["language"].value if "language" in members else None
    said = language.get("nodejs") if isinstance(language, Mapping) else None
    names = said.get("requiredOutputs") if isinstance(said, Mapping) else None
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _plain_kind(value: object) -> Kind | None:
    """The kind of what is described by a scalar type alone, as most properties are: it is read without ceremony."""
    if type(value) is not dict or not value.keys() <= PLAIN_KEYS or type(value.get("description", "")) is not str:
        return None
    word = value.get("type")
    return PLAIN_KINDS.get(word) if type(word) is str else None


def _scalar(node: Node, known: Collection[str]) -> str:
    if node.text() not in SCALARS:
        raise node.error(f"{node.value!r} is no type here. {did_you_mean(node.text(), known, 'Types are')}")
    return node.text()


def _fitting(name: str, node: Node, shape: Shape) -> Value:
    """The value at ``node``. Raises ``DefinitionError`` if it does not fit the type."""
    value = node.plain()
    for failure in failures({name: Property(shape.kind, enum=shape.enum)}, {name: value}):
        raise node.error(f"{describe(value)} stands here: {failure.reason}.")
    return value


def _from_environment(members: Mapping[str, Node]) -> bool:
    # SDKs, and most providers, read the environment themselves, so the program need not set the value.
    return "defaultInfo" in members and bool(members["defaultInfo"].members(needed=("environment",))["environment"].items())


def _enum(members: Mapping[str, Node]) -> Shape:
    if "type" not in members:
        raise members["enum"].error('these values have no type. Add "type" beside "enum".')
    shape = Shape(Kind(_scalar(members["type"], SCALARS)))
    values = [value.members(needed=("value",))["value"] for value in members["enum"].items()]
    return Shape(shape.kind, tuple(_fitting("value", value, shape) for value in values))


def _innermost(kind: Kind) -> Kind:
    while kind.items:
        kind = kind.items
    return kind


def _common(shapes: Sequence[Shape]) -> Shape:
    """The common shape of a union's types. If one has no enum, the others' values are only examples."""
    kinds = {shape.kind.name for shape in shapes}
    if kinds == {"integer", "number"}:
        return Shape(Kind("number"))
    if not shapes or any(shape.kind != shapes[0].kind for shape in shapes):
        return ANY
    closed = all(shape.enum for shape in shapes)
    return Shape(shapes[0].kind, tuple(value for shape in shapes for value in shape.enum) if closed else ())


def distinct(properties: Mapping[str, Property]) -> dict[str, Property]:
    """The same with unique Terraform names, because the user of a published schema cannot choose them."""
    taken: set[str] = set()
    renamed: dict[str, Property] = {}
    for name, item in properties.items():
        attribute, count = snake_case(name), 1
        while attribute in taken:
            count += 1
            attribute = f"{snake_case(name)}_{count}"
        taken.add(attribute)
        renamed[name] = item if count == 1 else replace(item, terraform=attribute)
    return renamed
