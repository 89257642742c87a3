"""One object type on the wire: bags to DynamicValues and back, in the names of both ecosystems.

An attribute that is null in Terraform is absent in a bag, at every depth that is declared, and the other way round. The
``id`` that Terraform keeps among the attributes is ``Call.id`` and ``Reply.id`` here, unless the type declares its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, TypeAlias

from mockprovider.errors import DefinitionError, MalformedError
from mockprovider.paths import Path
from mockprovider.schema import Kind, Property, snake_case
from mockprovider.terraform.schema.blocks import with_empty, without_empty
from mockprovider.terraform.schema.layout import Layout
from mockprovider.terraform.values import dynamics, packing, statejson
from mockprovider.terraform.values.types import BOOL, DYNAMIC, NUMBER, STRING, Type
from mockprovider.values import Bag, Secret, Unknown, Value, reveal

SIMPLE: Mapping[str, Type] = {
    "string": STRING,
    "asset": STRING,
    "archive": STRING,
    "integer": NUMBER,
    "number": NUMBER,
    "boolean": BOOL,
    "any": DYNAMIC,
}
"""Kinds to types. Terraform has no assets: there they are paths."""

COLLECTIONS: Mapping[str, str] = {"array": "list", "set": "set", "map": "map"}

ID = "id"
Step: TypeAlias = tuple[str, str | int]
"""One step of an AttributePath: the selector's field, and its value."""

IMPLICIT_ID = Property(str, computed=True, description="The object's identifier, chosen by the provider.")


def attribute_names(properties: Mapping[str, Property]) -> dict[str, str]:
    """Attribute names to property names. Raises ``DefinitionError`` where two properties would be one attribute."""
    names: dict[str, str] = {}
    for name, item in properties.items():
        attribute = item.terraform or snake_case(name)
        if attribute in names:
            raise DefinitionError(
                f"Properties {names[attribute]!r} and {name!r} would both be Terraform's {attribute!r}. "
                "Give one of them terraform='another_name'."
            )
        names[attribute] = name
    return names


def type_of_kind(kind: Kind) -> Type:
    """The Terraform type of a kind. A collection of anything is ``dynamic``: Terraform's own have one element type each."""
    if kind.name == "object":
        return object_type(kind.properties)
    if kind.name not in COLLECTIONS:
        return SIMPLE[kind.name]
    items = type_of_kind(kind.items or Kind("any"))
    may_differ = kind.name == "set" or (kind.items is not None and kind.items.name != "object")
    return DYNAMIC if items == DYNAMIC or (may_differ and _has_dynamic(items)) else Type(COLLECTIONS[kind.name], items=items)


def is_dynamic(kind: Kind) -> bool:
    """Whether the type of a kind is ``dynamic``, told without building the type where that is plain."""
    inside = kind.items if kind.name in ("array", "map") else kind
    return not (inside is not None and inside.name == "object") and type_of_kind(kind) == DYNAMIC


def object_type(properties: Mapping[str, Property]) -> Type:
    """The object type of a bag with these properties."""
    names = attribute_names(properties)
    return Type("object", attributes={name: type_of_kind(properties[own].kind) for name, own in names.items()})


def _has_dynamic(declared: Type) -> bool:
    inside = [*declared.elements, *declared.attributes.values(), *([declared.items] if declared.items else [])]
    return declared == DYNAMIC or any(map(_has_dynamic, inside))


class ObjectSchema:
    """One resource type, data source or provider block: its Terraform type, and bags to DynamicValues and back.

    Args:
        name: what Terraform calls it; ``token``: what Pulumi does.
        properties: as declared.
        implicit_id: whether Terraform sees an ``id`` that no property declares.
        result: the property that takes a function's whole answer, where nobody knows the names in it.
        blocks: whether objects are nested blocks, as in major 5.
        layout: what values travel as, where a published schema says so.
    """

    def __init__(
        self,
        name: str,
        token: str,
        properties: Mapping[str, Property],
        *,
        implicit_id: bool = False,
        result: str = "",
        blocks: bool = False,
        layout: Layout | None = None,
    ) -> None:
        self.name, self.token, self.result, self.blocks = name, token, result, blocks and layout is None
        self.properties = properties
        self._layout = layout
        self.implicit_id = (
            implicit_id and ID not in attribute_names(properties) and (not layout or ID in layout.type.attributes)
        )
        self.type = layout.type if layout else object_type({**properties, ID: IMPLICIT_ID} if self.implicit_id else properties)
        self._has_dynamic = _has_dynamic(self.type)
        self._written = only_written(Kind("object", properties=properties))

    @property
    def published(self) -> bool:
        """Whether a published schema says what this is: then a configuration's own values always stay."""
        return self._layout is not None

    @property
    def keeps_id(self) -> bool:
        """Whether a state of this type holds the object's id; in that of some published types it has no place."""
        return self._layout is None or self.implicit_id or (ID in self.properties and self.properties[ID].required)

    def decode(self, dynamic: Any) -> tuple[Bag | None, str]:
        """The bag in a DynamicValue message, and the object's id. An absent message is a null.

        Raises ``MalformedError`` for bytes that do not fit the type.
        """
        if dynamic.msgpack:
            return self._bag(packing.unpack(dynamic.msgpack, self.type))
        return self.decode_json(dynamic.json) if dynamic.json else (None, "")

    def decode_json(self, text: bytes) -> tuple[Bag | None, str]:
        """The same, of the JSON in a state file."""
        return self._bag(statejson.from_json(text, self.type))

    def from_raw(self, raw: Any) -> tuple[Bag | None, str]:
        """The same, of parsed JSON. Raises ``MalformedError`` for what does not fit the type."""
        return self._bag(statejson.decode_json(raw, self.type))

    def told(self, bag: Bag) -> Bag:
        """``bag`` without what Terraform hands over and must never be told: write-only properties, at every depth."""
        kind = Kind("object", properties=self.properties)
        found: Bag = _told(bag, kind) if self._written else bag
        return found

    def _bag(self, decoded: Any) -> tuple[Bag | None, str]:
        if not isinstance(decoded, dict):
            return None, ""
        id_ = decoded.get(ID) if self.keeps_id else None
        told = self._layout.told(decoded) if self._layout else decoded
        bag: Any = inward(told, Kind("object", properties=self.properties))
        found = without_empty(bag, self.properties) if self.blocks else bag
        return found, id_ if isinstance(id_, str) else ""

    def encode(self, bag: Bag | None, id_: str | Unknown = "", like: Any = None) -> bytes:
        """The msgpack of ``bag`` with every attribute present. Raises ``MalformedError``, with the path, if it does not fit.

        ``like`` is the request that is answered: values of any type that came with it go back with the type that they had.
        """
        attributes = self._attributes(bag, id_)
        if like is not None and attributes is not None and self._has_dynamic:
            attributes = dynamics.typed(attributes, self.type, dynamics.hints(_sources(like), self.type))
        return packing.pack(attributes, self.type)

    def encode_json(self, bag: Bag | None, id_: str | Unknown = "") -> bytes:
        """The JSON of ``bag`` as a state file keeps it."""
        return statejson.to_json(self._attributes(bag, id_), self.type)

    def _attributes(self, bag: Bag | None, id_: str | Unknown) -> dict[str, Value] | None:
        if bag is None:
            return None
        plain = reveal(bag)
        whole = with_empty(plain, self.properties) if self.blocks else plain
        found: dict[str, Value] = outward(whole, Kind("object", properties=self.properties), self.name)
        if self.implicit_id:
            found[ID] = id_ or None
        return self._layout.whole(found) if self._layout else found

    def steps(self, path: Path) -> list[Step]:
        """A property path as an AttributePath, as far as one can point: not into sets, nor into what has no declared type."""
        kind: Kind | None = Kind("object", properties=self.properties)
        found: list[Step] = []
        for segment in path:
            step, kind = _step(segment, kind)
            if step is None:
                break
            found.append(step)
        return found

    def path(self, steps: Path) -> Path:
        """A path in Terraform's names as a property path."""
        kind: Kind | None = Kind("object", properties=self.properties)
        found: list[str | int] = []
        for step in steps:
            own = attribute_names(kind.properties).get(str(step), step) if kind and kind.name == "object" else step
            found.append(own)
            kind = _inside(kind, own) if kind else None
        return tuple(found)


def _sources(request: Any) -> Iterator[dynamics.Source]:
    """The objects in a request message."""
    for field, value in request.ListFields():
        kind = field.message_type.name if field.message_type is not None else ""
        if kind == "DynamicValue" and value.msgpack:
            yield packing.unpack_any(value.msgpack), False
        elif kind == "RawState" and value.json:
            yield statejson.parse_json(value.json), True


def _step(segment: str | int, kind: Kind | None) -> tuple[Step | None, Kind | None]:
    if kind is not None and kind.name == "object" and segment in kind.properties:
        item = kind.properties[str(segment)]
        return ("attribute_name", item.terraform or snake_case(str(segment))), item.kind
    if kind is not None and kind.name in ("array", "map"):
        return ("element_key_int" if isinstance(segment, int) else "element_key_string", segment), kind.items
    return None, None


def _inside(kind: Kind, segment: str | int) -> Kind | None:
    if kind.name == "object":
        item = kind.properties.get(str(segment))
        return item.kind if item else None
    return kind.items


def inward(value: Value, kind: Kind) -> Value:
    """A value of Terraform's in the names of bags: attributes are properties, and those that are null are absent."""
    if isinstance(value, dict) and kind.name == "object":
        names = attribute_names(kind.properties)
        return {
            names[attribute]: inward(each, kind.properties[names[attribute]].kind)
            for attribute, each in value.items()
            if each is not None and attribute in names
        }
    if kind.items is None or not isinstance(value, (dict, list)):
        return value
    if isinstance(value, dict):
        return {key: inward(each, kind.items) for key, each in value.items()}
    return [inward(each, kind.items) for each in value]


def outward(value: Value, kind: Kind, owner: str) -> Value:
    """The way back. Raises ``MalformedError``, naming the ``owner``, for a property that nobody declared."""
    if isinstance(value, Mapping) and kind.name == "object":
        return {_attribute_name(name, kind, owner): outward(each, _known(name, kind), owner) for name, each in value.items()}
    if kind.items is None or not isinstance(value, (Mapping, list, tuple)):
        return value
    if isinstance(value, Mapping):
        return {key: outward(each, kind.items, owner) for key, each in value.items()}
    return [outward(each, kind.items, owner) for each in value]


def only_written(kind: Kind) -> bool:
    """Whether something in values of a kind is write-only."""
    within = kind.items is not None and only_written(kind.items)
    return within or any(each.write_only or only_written(each.kind) for each in kind.properties.values())


def _told(value: Value, kind: Kind) -> Value:
    if isinstance(value, Secret):
        return Secret(_told(value.value, kind))
    if isinstance(value, Mapping) and kind.name == "object":
        known = kind.properties
        return {
            name: _told(each, known[name].kind) if name in known else each
            for name, each in value.items()
            if name not in known or not known[name].write_only
        }
    if kind.items is None or not isinstance(value, (Mapping, list, tuple)):
        return value
    if isinstance(value, Mapping):
        return {key: _told(each, kind.items) for key, each in value.items()}
    return [_told(each, kind.items) for each in value]


def _known(name: str, kind: Kind) -> Kind:
    return kind.properties[name].kind


def _attribute_name(name: str, kind: Kind, owner: str) -> str:
    item = kind.properties.get(name)
    if item is None:
        near = get_close_matches(name, kind.properties, 1)
        hint = f" Did you mean {near[0]!r}?" if near else f" It has {', '.join(sorted(kind.properties)) or 'none'}."
        raise MalformedError(f"{owner}: Terraform cannot be told of {name!r}: no such property is declared.{hint}")
    return item.terraform or snake_case(name)


class Generic:
    """What ``ObjectSchema`` does, where no schema is known: Terraform's own names, nulls kept, types as msgpack tells them."""

    keeps_id = True

    def __init__(self, name: str) -> None:
        self.name = self.token = name

    @staticmethod
    def decode(dynamic: Any) -> tuple[Bag | None, str]:
        """The object in a DynamicValue message and its ``id`` attribute. Raises ``MalformedError`` for what is not msgpack."""
        if dynamic.msgpack:
            return _object(packing.unpack_any(dynamic.msgpack))
        return Generic.decode_json(dynamic.json) if dynamic.json else (None, "")

    @staticmethod
    def decode_json(text: bytes) -> tuple[Bag | None, str]:
        """The same, of the JSON in a state file."""
        try:
            return _object(json.loads(text))
        except ValueError as error:
            raise MalformedError(f"This state is not JSON: {error}.") from error

    @staticmethod
    def told(bag: Bag) -> Bag:
        """``bag`` itself: nobody knows what is write-only."""
        return bag

    @staticmethod
    def encode(bag: Bag | None, id_: str | Unknown = "", like: Any = None) -> bytes:  # noqa: ARG004 - see ObjectSchema
        """The msgpack of ``bag``; its id is an attribute, and its dynamic values are pairs with their types."""
        return packing.pack_any(reveal(bag))

    @staticmethod
    def encode_json(bag: Bag | None, id_: str | Unknown = "") -> bytes:  # noqa: ARG004 - see ObjectSchema
        """The JSON of ``bag``."""
        return json.dumps(reveal(bag)).encode()

    @staticmethod
    def steps(path: Path) -> list[Step]:
        """The path itself; without a schema every name is taken for an attribute's."""
        return [("element_key_int" if isinstance(each, int) else "attribute_name", each) for each in path]

    @staticmethod
    def path(steps: Path) -> Path:
        """The path itself."""
        return steps


def _object(decoded: Any) -> tuple[Bag | None, str]:
    if not isinstance(decoded, dict):
        return None, ""
    id_ = decoded.get(ID)
    return decoded, id_ if isinstance(id_, str) else ""
