"""Messages as readable trees for cassettes, and back: an equal message, presence and unknown fields included.

Fields go by their proto names, and only those that are set are there; a ``google.protobuf.Struct`` is plain JSON; bytes
are base64; enums are names. A message that its tree does not give back (fields that we do not know, NaN in a Struct)
keeps its bytes beside the tree, under ``$raw``.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from typing import Any, TypeVar

from google.protobuf import struct_pb2
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

M = TypeVar("M", bound=Message)

RAW = "$raw"


def view(message: Message) -> dict[str, Any]:
    """The tree of ``message``."""
    tree = _view(message)
    if encode(build(type(message), tree)) != encode(message):
        tree[RAW] = base64.b64encode(encode(message)).decode()
    return tree


def build(cls: type[M], tree: Mapping[str, Any]) -> M:
    """The message of ``tree``. Raises ``KeyError`` or ``ValueError`` for a tree that is none of ``cls``."""
    if RAW in tree:
        return cls.FromString(base64.b64decode(tree[RAW]))
    message = cls()
    _build(message, tree)
    return message


def encode(message: Message) -> bytes:
    """The message's bytes, in the one order that equal messages share."""
    return bytes(message.SerializeToString(deterministic=True))


def _view(message: Message) -> dict[str, Any]:
    return {field.name: _field(field, value) for field, value in message.ListFields()}


def _field(field: Any, value: Any) -> Any:
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        inner = field.message_type.fields_by_name["value"]
        return {str(key): _single(inner, item) for key, item in value.items()}
    return [_single(field, item) for item in value] if field.is_repeated else _single(field, value)


def _single(field: Any, value: Any) -> Any:
    if isinstance(value, struct_pb2.Struct):
        return {key: _plain(item) for key, item in value.fields.items()}
    if isinstance(value, struct_pb2.Value):
        return _plain(value)
    if isinstance(value, Message):
        return _view(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if field.enum_type is not None:
        known = field.enum_type.values_by_number.get(value)
        return known.name if known else value
    return value


def _plain(value: struct_pb2.Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        return {key: _plain(item) for key, item in value.struct_value.fields.items()}
    if kind == "list_value":
        return [_plain(item) for item in value.list_value.values]
    if kind == "number_value":
        number = value.number_value
        # NaN and infinity are no JSON; whoever builds from this tree sees the difference and keeps the bytes.
        return (int(number) if number.is_integer() and abs(number) <= 2**53 else number) if math.isfinite(number) else None
    return None if kind in (None, "null_value") else getattr(value, kind)


def _build(message: Message, tree: Mapping[str, Any]) -> None:
    for name, item in tree.items():
        field: Any = message.DESCRIPTOR.fields_by_name[name]
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            _build_map(message, field, item)
        elif field.is_repeated:
            _build_list(message, field, item)
        elif field.message_type is not None:
            target = getattr(message, name)
            target.SetInParent()
            _build_message(target, item)
        else:
            setattr(message, name, _scalar(field, item))


def _build_map(message: Message, field: Any, tree: Mapping[str, Any]) -> None:
    target = getattr(message, field.name)
    inner = field.message_type.fields_by_name["value"]
    for key, item in tree.items():
        if inner.message_type is not None:
            _build_message(target[key], item)
        else:
            target[key] = _scalar(inner, item)


def _build_list(message: Message, field: Any, items: list[Any]) -> None:
    target = getattr(message, field.name)
    for item in items:
        if field.message_type is not None:
            _build_message(target.add(), item)
        else:
            target.append(_scalar(field, item))


def _build_message(target: Any, tree: Any) -> None:
    if isinstance(target, struct_pb2.Struct):
        target.update(tree)
    elif isinstance(target, struct_pb2.Value):
        holder = struct_pb2.ListValue()
        holder.append(tree)
        target.CopyFrom(holder.values[0])
    else:
        _build(target, tree)


def _scalar(field: Any, item: Any) -> Any:
    if field.type == FieldDescriptor.TYPE_BYTES:
        return base64.b64decode(item)
    if field.enum_type is not None and isinstance(item, str):
        return field.enum_type.values_by_name[item].number
    return item
