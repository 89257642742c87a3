"""Properties in a types file: what each key means, and what contradicts what."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from mockprovider.document import Node, nearest
from mockprovider.errors import DefinitionError
from mockprovider.fake.checks import failures
from mockprovider.fake.definitions.behaviours import number
from mockprovider.schema import COLLECTIONS, NAMES, Kind, Property, Random, Template
from mockprovider.values import Value

PROPERTY_NAME = re.compile(r"[a-zA-Z_][-a-zA-Z0-9_]*")
TERRAFORM_NAME = re.compile(r"[a-z][a-z0-9_]*")
WITH_ITEMS = frozenset(COLLECTIONS.values())
KIND_KEYS = ("type", "items", "properties")

RESERVED = "pulumi"
"""The property name that Pulumi keeps for itself everywhere."""


def valid_name(pattern: re.Pattern[str], name: str, node: Node, rule: str) -> str:
    """``name`` itself. Raises ``DefinitionError`` with the ``rule`` that it breaks."""
    if not pattern.fullmatch(name):
        raise node.error(f"{name!r} cannot be a name here: {rule}.")
    return name


def terraform_name(node: Node) -> str:
    """A type's or an attribute's name in Terraform. Raises ``DefinitionError``."""
    rule = "Terraform's names are lower case letters, digits and '_', and start with a letter"
    return valid_name(TERRAFORM_NAME, node.text(), node, rule)


def read_properties(node: Node) -> dict[str, Property]:
    """A resource type's properties by name. Raises ``DefinitionError``."""
    return {name: _property(name, each, PROPERTY_KEYS) for name, each in node.members().items()}


def read_inputs(node: Node) -> dict[str, Property]:
    """The same, where a program sets them all: nothing is computed there. Raises ``DefinitionError``."""
    return {name: _property(name, each, INPUT_KEYS) for name, each in node.members().items()}


def _property(name: str, node: Node, keys: tuple[str, ...]) -> Property:
    valid_name(PROPERTY_NAME, name, node, "a property's name is letters, digits, '-' and '_', and starts with no digit")
    if name == RESERVED:
        raise node.error(f"Pulumi keeps the name {name!r} for itself. Choose another.")
    if isinstance(node.value, str):
        return Property(_kind(node, keys))
    members = node.members(keys)
    item = _declared(members, node, keys)
    for each in members["enum"].items() if "enum" in members else ():
        _fits(name, each, Property(item.kind))
    if "default" in members:
        _fits(name, members["default"], item)
    return item


def _declared(members: Mapping[str, Node], node: Node, keys: tuple[str, ...]) -> Property:
    for several in (DEFAULTS, ("autoName", "default")):
        found = [key for key in several if key in members]
        if len(found) > 1:
            raise node.error(f"{' and '.join(found)} both say what the default is. Drop one of them.")
    given = {word: read(members[key]) for key, (word, read) in STATED.items() if key in members}
    if given.get("computed") and any(key in members for key in DEFAULTS):
        raise node.error("a computed property has its value from the provider: drop default, or computed.")
    kind = _kind(node, keys)
    try:
        return Property(kind, **given)
    except DefinitionError as error:
        raise node.error(str(error)) from error


def _flag_or_text(expected: str) -> Callable[[Node], bool | str]:
    def read(node: Node) -> bool | str:
        if not isinstance(node.value, (bool, str)):
            raise node.wrong(expected)
        return node.value if isinstance(node.value, bool) else node.text(empty=False)

    return read


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


def _template(node: Node) -> Template:
    return Template(node.text(empty=False))


def _random(node: Node) -> Random:
    members = node.members(("length", "prefix", "alphabet"))
    given: dict[str, Any] = {key: each.whole() if key == "length" else each.text() for key, each in members.items()}
    try:
        return Random(**given)
    except DefinitionError as error:
        raise node.error(str(error)) from error


def _fits(name: str, node: Node, item: Property) -> None:
    wrong = next(failures({name: item}, {name: node.plain()}), None)
    if wrong is not None:
        raise node.error(f"this does not fit the property's own type: {wrong.reason}.")


def _kind(node: Node, keys: tuple[str, ...]) -> Kind:
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
        return Kind("object", properties=_nested(members, node, keys))
    items = members.get("items")
    return Kind(name, items=(_item(items, keys) if items else Kind("any")) if name in WITH_ITEMS else None)


def _item(node: Node, keys: tuple[str, ...]) -> Kind:
    if isinstance(node.value, str):
        return _kind(node, keys)
    members = node.members((*KIND_KEYS, "enum"), needed=("type",))
    kind = _kind(node, keys)
    if "enum" not in members:
        return kind
    for each in members["enum"].items():
        _fits("item", each, Property(kind))
    return replace(kind, enum=_enum(members["enum"]))


def _nested(members: Mapping[str, Node], node: Node, keys: tuple[str, ...]) -> dict[str, Property]:
    if "properties" not in members:
        raise node.error("an object needs its properties. For keys that are not known beforehand there is the type map.")
    return {name: _property(name, each, keys) for name, each in members["properties"].members().items()}


def _plain_kind(node: Node) -> Kind:
    name = _kind_name(node)
    if name == "object":
        raise node.error('an object needs its properties: {"type": "object", "properties": {...}}.')
    return Kind(name, items=Kind("any") if name in WITH_ITEMS else None)


def _kind_name(node: Node) -> str:
    if node.text() not in NAMES:
        raise node.error(f"{node.value!r} is no kind of value. {nearest(node.text(), NAMES, 'Kinds are')}")
    return node.text()


def texts(node: Node) -> tuple[str, ...]:
    """A list of strings. Raises ``DefinitionError``."""
    return tuple(each.text(empty=False) for each in node.items())


STATED: Mapping[str, tuple[str, Callable[[Node], Any]]] = {
    "required": ("required", Node.flag),
    "default": ("default", _default),
    "computed": ("computed", _flag_or_text("true for a generated value, or a template such as 'arn:cloud:::{id}'")),
    "optional": ("optional", Node.flag),
    "forcesNew": ("forces_new", Node.flag),
    "secret": ("secret", Node.flag),
    "writeOnly": ("write_only", Node.flag),
    "conflictsWith": ("conflicts_with", texts),
    "enum": ("enum", _enum),
    "defaultTemplate": ("default", _template),
    "defaultRandom": ("default", _random),
    "autoName": ("auto_name", _flag_or_text("true, or a template such as '{name}-{random:7}'")),
    "minimum": ("minimum", number),
    "maximum": ("maximum", number),
    "minLength": ("min_length", Node.whole),
    "maxLength": ("max_length", Node.whole),
    "minItems": ("min_items", Node.whole),
    "maxItems": ("max_items", Node.whole),
    "pattern": ("pattern", Node.text),
    "deleteBeforeReplace": ("delete_before_replace", Node.flag),
    "unreadable": ("unreadable", Node.flag),
    "description": ("description", Node.text),
    "terraform": ("terraform", terraform_name),
}
"""Keys beside the kind: the word that each is in Python, and how it is read."""

DEFAULTS = ("default", "defaultTemplate", "defaultRandom")
"""Keys of which a property has one at most."""

OF_RESOURCES = ("computed", "optional", "defaultRandom", "autoName", "deleteBeforeReplace", "unreadable")
"""Keys that say something of objects in a cloud alone."""

PROPERTY_KEYS = (*KIND_KEYS, *STATED)
INPUT_KEYS = tuple(key for key in PROPERTY_KEYS if key not in OF_RESOURCES)
"""What a program sets is computed by nobody: configuration, and arguments."""
