"""Protocol messages as readable trees for cassettes, and back to equal messages.

A message is a dict of its set fields, so that unset and empty differ. Values beyond JSON have these forms:

* DynamicValue's ``msgpack`` is the decoded value, with an unknown as ``{"$unknown": what is known of it}``. It is restored to
  bytes that mean the same to an engine: the order of a map's keys and the width of a number have no meaning. Where something
  would be lost, it is ``{"$msgpack": the bytes}``.
* The ``json`` of a DynamicValue or a raw state is that JSON, restored as equal JSON, if that is possible.
* Other bytes are text if they are printable, else ``{"$bytes": …}``.
* Unknown protobuf fields are ``"$unknown_fields"``.

Keys with ``$``, which no field's name has, have bytes in base64.
"""

from __future__ import annotations

import json
import math
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any, TypeAlias, TypeVar

import msgpack  # type: ignore[import-untyped]
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from mockprovider.errors import MalformedError
from mockprovider.terraform.values import packing
from mockprovider.terraform.values.refinements import payload_of, refinements
from mockprovider.terraform.values.types import parse_type
from mockprovider.values import LEAVES, Unknown, Value
from mockprovider.wire.trees import Leaf, Trees

M = TypeVar("M", bound=Message)
Data: TypeAlias = Any
"""JSON data."""

UNKNOWN_FIELDS = "$unknown_fields"
SAFE_INTEGERS = range(-(2**63), 2**64)
"""Integers that all our JSON readers restore exactly."""


class _Trees(Trees):
    """Terraform's trees: DynamicValues and raw states are decoded, and each message keeps its unknown fields."""

    def leaf(self, field: Any) -> Leaf:
        if field.type != field.TYPE_BYTES:
            return super().leaf(field)
        of = field.containing_type.name
        if (of, field.name) == ("DynamicValue", "msgpack"):
            return MSGPACK
        return JSON if field.name == "json" else BYTES

    def tree(self, message: Message) -> dict[str, Data]:
        shown = super().tree(message)
        unknown: Any = UnknownFieldSet(message)
        if len(unknown):
            shown[UNKNOWN_FIELDS] = _base64(b"".join(_wire(field) for field in unknown))
        return shown

    def build(self, cls: type[M], tree: Mapping[str, Data]) -> M:
        if not isinstance(tree, Mapping) or UNKNOWN_FIELDS not in tree:
            return super().build(cls, tree)
        message = super().build(cls, {name: member for name, member in tree.items() if name != UNKNOWN_FIELDS})
        message.MergeFromString(b64decode(tree[UNKNOWN_FIELDS]))
        return message


def tree(message: Message) -> dict[str, Data]:
    """``message`` as a tree of JSON; ``build`` restores an equal message."""
    return TREES.tree(message)


def build(data: Mapping[str, Data], cls: type[M]) -> M:
    """The message of class ``cls`` from the ``data`` of ``tree``. Raises ``MalformedError`` for data of another form."""
    return TREES.build(cls, data)


# Bytes.


def _base64(data: bytes) -> str:
    return b64encode(data).decode()


def _show_bytes(data: bytes) -> Data:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return {"$bytes": _base64(data)}
    return text if text.isprintable() else {"$bytes": _base64(data)}


def _read_bytes(shown: Data) -> bytes:
    return shown.encode() if isinstance(shown, str) else b64decode(shown["$bytes"])


def _read_json(shown: Data) -> bytes:
    return b64decode(shown["$bytes"]) if isinstance(shown, dict) and "$bytes" in shown else _compact(shown)


def _compact(value: Data) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, sort_keys=True).encode()


def _show_json(data: bytes) -> Data:
    try:
        value = json.loads(data, parse_float=_float, parse_int=_integer, parse_constant=_refuse, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return {"$bytes": _base64(data)}
    return {"$bytes": _base64(data)} if isinstance(value, dict) and "$bytes" in value else value


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number) or Decimal(repr(number)) != Decimal(text):
        raise ValueError("no float holds this number")
    return number


def _integer(text: str) -> int:
    if int(text) not in SAFE_INTEGERS:
        raise ValueError("this integer needs more than 64 bits")
    return int(text)


def _refuse(text: str) -> float:
    raise ValueError(f"{text} is not JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key stands twice")
    return members


def is_type(base64: str) -> bool:
    """Whether these bytes are a type's JSON, as it stands before each dynamic value."""
    with suppress(ValueError, MalformedError):
        return parse_type(b64decode(base64)) is not None
    return False


# DynamicValue.


TEXT = {str}
PLAIN = LEAVES - {bytes, float}
"""Types of values that are the same in JSON."""
PLAINLY_UNKNOWN = msgpack.ExtType(0, b"\0")


def _show_msgpack(data: bytes) -> Data:
    try:
        value = packing.unpack_any(data)
        shown = _show_value(value)
        # Nothing but a value's own bytes, and they come of it again: no key twice, no refinement, which may be any bytes.
        if msgpack.packb(value, default=lambda _: PLAINLY_UNKNOWN) == data:
            return shown
        again = _read_msgpack(shown)
        if again == data or _meaning(again) == _meaning(data):
            return shown
    except (MalformedError, TypeError, ValueError, OverflowError, RecursionError):
        pass
    return {"$msgpack": _base64(data)}


def _show_value(value: Value) -> Data:
    if isinstance(value, Unknown):
        return {"$unknown": _show_refinement(value.refinement) if value.refinement else ""}
    if isinstance(value, bytes):
        return {"$bytes": _base64(value)}
    if isinstance(value, dict):
        members = value if {*map(type, value)} <= TEXT else _members(value.items())
        if "$" in "".join([key[:1] for key in members]):
            raise ValueError("a key would be taken for a marker")
        return {key: item if type(item) in PLAIN else _show_value(item) for key, item in sorted(members.items())}
    if isinstance(value, list):
        return [_show_value(item) for item in value]
    if type(value) not in LEAVES or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError(f"JSON has no {value}")
    return packing.shortest(value)


def _members(pairs: Iterable[tuple[Any, Value]]) -> dict[str, Value]:
    """A map by its keys, which may be packed as bytes; an engine takes no other keys, and none twice."""
    pairs = list(pairs)
    members = {key if isinstance(key, str) else key.decode(): value for key, value in pairs if isinstance(key, (str, bytes))}
    if len(members) != len(pairs):
        raise ValueError("a key is no text, or stands twice")
    return members


def _meaning(data: bytes) -> Any:
    """Equal for two packed values that an engine takes for the same."""
    return msgpack.unpackb(data, object_pairs_hook=_members, ext_hook=_refined, strict_map_key=False)


def _refined(code: int, payload: bytes) -> tuple[str, Data]:
    if code != packing.REFINED and len(payload) > 1:
        raise ValueError(f"engines refuse an extension {code}")
    return "unknown", _show_refinement(packing.unknown(code, payload).refinement)


def _show_refinement(payload: bytes | None) -> Data:
    try:
        return refinements(payload) if payload else ""
    except MalformedError:
        return _base64(payload or b"")


def _read_msgpack(shown: Data) -> bytes:
    if isinstance(shown, dict) and "$msgpack" in shown:
        return b64decode(shown["$msgpack"])
    return packing.pack_any(_read_value(shown))


def _read_value(shown: Data) -> Value:
    if isinstance(shown, list):
        return [_read_value(element) for element in shown]
    if not isinstance(shown, dict):
        return shown
    if "$unknown" in shown:
        said = shown["$unknown"]
        return Unknown(refinement=payload_of(said) if isinstance(said, dict) else b64decode(said) or None)
    if "$bytes" in shown:
        return b64decode(shown["$bytes"])
    return {key: item if type(item) in PLAIN else _read_value(item) for key, item in shown.items()}


def respelled(shown: Data) -> Data:
    """A tree that an older version wrote, in today's spelling: it kept what is now data as bytes."""
    if isinstance(shown, list):
        return [respelled(element) for element in shown]
    if not isinstance(shown, dict):
        return shown
    with suppress(ValueError):
        if isinstance(shown.get("$msgpack"), str):
            return _show_msgpack(b64decode(shown["$msgpack"]))
        if isinstance(shown.get("$unknown"), str):
            return {"$unknown": _show_refinement(b64decode(shown["$unknown"]))}
    return {name: respelled(item) for name, item in shown.items()}


# Unknown fields.


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def _wire(field: Any) -> bytes:
    """The bytes of an unknown field, by its wire type."""
    tag = _varint(field.field_number << 3 | field.wire_type)
    match field.wire_type:
        case 0:
            return tag + _varint(field.data)
        case 1:
            return tag + int(field.data).to_bytes(8, "little")
        case 2:
            return tag + _varint(len(field.data)) + bytes(field.data)
        case 3:
            return tag + b"".join(_wire(inner) for inner in field.data) + _varint(field.field_number << 3 | 4)
        case _:
            return tag + int(field.data).to_bytes(4, "little")


MSGPACK = Leaf(_show_msgpack, _read_msgpack)
JSON = Leaf(_show_json, _read_json)
BYTES = Leaf(_show_bytes, _read_bytes)
TREES = _Trees()
