"""Codecs of object types: bags with property names to DynamicValues with attribute names, and back.

A null attribute is absent in a bag, and the other way round, at every declared depth. So is a block that the configuration
does not have, which is empty on the wire. Terraform's ``id`` attribute is ``Call.id`` and ``Reply.id``, unless the type
declares its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from typing import Any, TypeAlias

from mockprovider.errors import MalformedError
from mockprovider.hints import did_you_mean
from mockprovider.paths import Path
from mockprovider.schema import Property
from mockprovider.terraform.schema.tree import EMPTY, Place
from mockprovider.terraform.values import dynamics, packing, statejson
from mockprovider.values import Bag, Secret, Unknown, Value, reveal

ID = "id"
Step: TypeAlias = tuple[str, str | int]
"""One step of an AttributePath: the selector's field, and its value."""

IMPLICIT_ID = Property(str, computed=True, description="The object's identifier, chosen by the provider.")


class ObjectSchema:
    """One resource type, data source or provider block: bags to DynamicValues and back.

    Args:
        name: the name in Terraform; ``token``: the one in Pulumi.
        tree: the compiled schema.
        declared: the definition that it was compiled from.
        result: the property for a function's whole result, if the names in the result are not known.
        published: whether the schema is a published one: then configured values always stay.
    """

    def __init__(
        self, name: str, token: str, tree: Place, *, declared: Any = None, result: str = "", published: bool = False
    ) -> None:
        self.name, self.token, self.tree, self.result, self.published = name, token, tree, result, published
        self.declared = declared
        self.type = tree.type
        id_ = tree.members.get(ID)
        self.implicit_id = id_ is not None and not id_.property_name
        # Some published types have no attribute for the object's id.
        self.keeps_id = not published or self.implicit_id or (id_ is not None and id_.required)

    @cached_property
    def _has_dynamic(self) -> bool:
        return self.type.has("dynamic")

    def decode(self, dynamic: Any) -> tuple[Bag | None, str]:
        """The bag in a DynamicValue message, and the object's id. An absent message is a null.

        Raises ``MalformedError`` for bytes that do not fit the type.
        """
        if dynamic.msgpack:
            return self._bag(packing.unpack(dynamic.msgpack, self.type))
        return self.decode_json(dynamic.json) if dynamic.json else (None, "")

    def recalled(self, data: bytes) -> tuple[Bag | None, str]:
        """The same, of msgpack that has been read before, as of a state that travels in many messages: that is faster."""
        return self._bag(self.tree.unpacked(data))

    def decode_json(self, text: bytes) -> tuple[Bag | None, str]:
        """The same, of the JSON in a state file."""
        return self._bag(statejson.from_json(text, self.type))

    def from_raw(self, raw: Any) -> tuple[Bag | None, str]:
        """The same, of parsed JSON. Raises ``MalformedError`` for what does not fit the type."""
        return self._bag(statejson.decode_json(raw, self.type))

    def told(self, bag: Bag) -> Bag:
        """``bag`` without write-only properties, at every depth."""
        shown: Bag = _without_write_only(bag, self.tree) if self.tree.hides else bag
        return shown

    def _bag(self, decoded: Any) -> tuple[Bag | None, str]:
        if not isinstance(decoded, dict):
            return None, ""
        id_ = decoded.get(ID) if self.keeps_id else None
        bag: Any = inward(decoded, self.tree)
        return bag, id_ if isinstance(id_, str) else ""

    def encode(self, bag: Bag | None, id_: str | Unknown = "", like: Any = None) -> bytes:
        """The msgpack of ``bag`` with every attribute present. Raises ``MalformedError``, with the path, if it does not fit.

        ``like`` is the request that is answered: dynamic values keep the type that they have there.
        """
        attributes = self._attributes(bag, id_)
        if like is not None and attributes is not None and self._has_dynamic:
            attributes = dynamics.typed(attributes, self.type, dynamics.hints(_sources(like), self.type))
        return packing.packed(packing.encode(attributes, self.type))

    def encode_json(self, bag: Bag | None, id_: str | Unknown = "") -> bytes:
        """The JSON of ``bag`` as a state file keeps it."""
        return statejson.to_json(self._attributes(bag, id_), self.type)

    def _attributes(self, bag: Bag | None, id_: str | Unknown) -> dict[str, Value] | None:
        if bag is None:
            return None
        attributes: dict[str, Value] = outward(reveal(bag), self.tree, self.name)
        return {**attributes, ID: id_ or None} if self.implicit_id else attributes

    def steps(self, path: Path) -> list[Step]:
        """A property path as an AttributePath. It ends at sets and at undeclared types, into which none can point."""
        place: Place | None = self.tree
        steps: list[Step] = []
        for segment in path:
            step, place = _step(segment, place)
            if step is None:
                break
            steps.append(step)
        return steps

    def path(self, steps: Path) -> Path:
        """A path of attribute names as a property path."""
        place: Place | None = self.tree
        segments: list[str | int] = []
        for step in steps:
            place = (place.members.get(str(step)) if place.members else place.element) if place else None
            segments.append((place and place.property_name) or step)
        return tuple(segments)


def _sources(request: Any) -> Iterator[dynamics.Source]:
    """The objects in a request message."""
    for field, value in request.ListFields():
        kind = field.message_type.name if field.message_type is not None else ""
        if kind == "DynamicValue" and value.msgpack:
            yield packing.unpack_any(value.msgpack), False
        elif kind == "RawState" and value.json:
            yield statejson.parse_json(value.json), True


def _step(segment: str | int, place: Place | None) -> tuple[Step | None, Place | None]:
    if place is None:
        return None, None
    if segment in place.attributes:
        attribute = place.attributes[str(segment)]
        return ("attribute_name", attribute), place.members[attribute]
    if place.nesting in ("list", "map"):
        return ("element_key_int" if isinstance(segment, int) else "element_key_string", segment), place.element
    return None, None


OBJECTS = ("single", "group")
"""Nesting modes of one object."""


def inward(value: Value, place: Place) -> Value:
    """A Terraform value with property names for attribute names, without nulls and empty blocks."""
    if not place.members or not isinstance(value, dict):
        return place.elements(value, inward)
    bag: dict[str, Value] = {}
    for name, item in value.items():
        member = place.members.get(name)
        if item is not None and member is not None and member.property_name:
            own = inward(item, member) if member.nesting else item
            if name not in place.never_null or own not in ([], {}):
                bag[member.property_name] = own
    return bag


def outward(value: Value, place: Place, owner: str) -> Value:
    """The inverse of ``inward``. Raises ``MalformedError``, naming the ``owner``, for an undeclared property."""
    if place.nesting not in OBJECTS or not isinstance(value, Mapping):
        return place.elements(value, partial(outward, owner=owner))
    attributes: dict[str, Value] = {}
    for own, item in value.items():
        name = place.attributes.get(own) or _undeclared(own, place, owner)
        member = place.members[name]
        attributes[name] = outward(item, member, owner) if member.nesting else item
    for name, block in place.never_null.items():
        if attributes.get(name) is None:
            attributes[name] = outward({}, block, owner) if block.nesting == "group" else EMPTY[block.nesting]()
    return attributes


def _without_write_only(value: Value, place: Place) -> Value:
    if isinstance(value, Secret):
        return Secret(_without_write_only(value.value, place))
    if not place.members or not isinstance(value, Mapping):
        return place.elements(value, _without_write_only)
    shown: dict[str, Value] = {}
    for own, item in value.items():
        member = place.members.get(place.attributes.get(own, ""))
        if member is None or not member.write_only:
            shown[own] = item if member is None else _without_write_only(item, member)
    return shown


def _undeclared(name: str, place: Place, owner: str) -> str:
    hint = did_you_mean(name, place.attributes, "It has")
    raise MalformedError(f"{owner}: Terraform cannot be told of {name!r}: no such property is declared. {hint}")


class Generic:
    """``ObjectSchema`` without a schema: attribute names and nulls are kept, and types are those of msgpack."""

    keeps_id = True
    declared: Any = None

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
        return _object(statejson.parse_json(text, float))

    @staticmethod
    def told(bag: Bag) -> Bag:
        """``bag`` itself: without a schema, nothing is known to be write-only."""
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
        """The path itself: without a schema, every name is an attribute's."""
        return [("element_key_int" if isinstance(segment, int) else "attribute_name", segment) for segment in path]

    @staticmethod
    def path(steps: Path) -> Path:
        """The path itself."""
        return steps


def _object(decoded: Any) -> tuple[Bag | None, str]:
    if not isinstance(decoded, dict):
        return None, ""
    id_ = decoded.get(ID)
    return decoded, id_ if isinstance(id_, str) else ""
