"""Protocol messages as readable trees for cassettes, and back to equal messages.

A message is a dict of its fields that are set, so that unset and empty stay apart. What needs more than JSON has:

* DynamicValue's ``msgpack`` is the value decoded, with an unknown as ``{"$unknown": its refinement}``; where that would not
  give the same bytes again, it is ``{"$msgpack": the bytes, "shown": …}``.
* A DynamicValue's or raw state's ``json`` is that JSON, where it can be written again; a raw state comes back equal as JSON,
  without the state file's indentation.
* Other bytes are text where they are printable text, else ``{"$bytes": …}``.
* Protobuf fields that we do not know are ``"$unknown_fields"``.

Keys with ``$``, which no field's name has, hold bytes in base64.
"""

from __future__ import annotations

import json
import math
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, TypeAlias, TypeVar

from google.protobuf import message_factory
from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

from mockprovider.errors import MalformedError
from mockprovider.terraform import values
from mockprovider.values import Unknown, Value

M = TypeVar("M", bound=Message)
Data: TypeAlias = Any
"""What JSON can hold."""

UNKNOWN_FIELDS = "$unknown_fields"
SAFE_INTEGERS = range(-(2**63), 2**64)
"""Integers that every JSON reader of ours gives back as they were."""


def view(message: Message) -> dict[str, Data]:
    """``message`` as a tree of JSON; ``build`` makes an equal message of it."""
    shown: dict[str, Data] = {}
    for field, value in message.ListFields():
        show = _shower(message, field)
        if _is_map(field):
            shown[field.name] = {key: show(value[key]) for key in sorted(value)}
        elif _is_repeated(field):
            shown[field.name] = [show(each) for each in value]
        else:
            shown[field.name] = show(value)
    unknown: Any = UnknownFieldSet(message)
    if len(unknown):
        shown[UNKNOWN_FIELDS] = _base64(b"".join(_wire(each) for each in unknown))
    return shown


def build(data: Mapping[str, Data], cls: type[M]) -> M:
    """The message of class ``cls`` that ``view`` made ``data`` of. Raises ``MalformedError`` for data of another form."""
    message = cls()
    fields = cls.DESCRIPTOR.fields_by_name
    if not isinstance(data, Mapping):
        raise MalformedError(f"{cls.DESCRIPTOR.full_name}: an object is needed, this is {data!r}.")
    for name, shown in data.items():
        if name == UNKNOWN_FIELDS:
            continue
        if name not in fields:
            raise MalformedError(f"{cls.DESCRIPTOR.full_name} has no field {name!r}. Was the cassette edited by hand?")
        try:
            _fill(message, fields[name], shown)
        except (TypeError, ValueError, KeyError, AttributeError, DecodeError) as error:
            raise MalformedError(f"{cls.DESCRIPTOR.full_name}.{name}: {shown!r} cannot be read: {error}.") from error
    if UNKNOWN_FIELDS in data:
        message.MergeFromString(b64decode(data[UNKNOWN_FIELDS]))
    return message


# Fields.


def _is_map(field: Any) -> bool:
    return bool(field.message_type is not None and field.message_type.GetOptions().map_entry)


def _is_repeated(field: Any) -> bool:
    # protobuf 5 knows only the label, which protobuf 6 warns about.
    return bool(field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED)


def _is_dynamic(message: Message, field: Any, name: str) -> bool:
    return bool(field.name == name and message.DESCRIPTOR.name == "DynamicValue")


def _shower(message: Message, field: Any) -> Callable[[Any], Data]:
    kind = field.message_type.fields_by_name["value"] if _is_map(field) else field
    if kind.type == kind.TYPE_MESSAGE:
        return view
    if kind.type == kind.TYPE_ENUM:
        numbers = kind.enum_type.values_by_number
        return lambda number: numbers[number].name if number in numbers else number
    if kind.type != kind.TYPE_BYTES:
        return lambda value: value
    if _is_dynamic(message, field, "msgpack"):
        return _show_msgpack
    if field.name == "json":
        exact = message.DESCRIPTOR.name == "DynamicValue"
        return lambda data: _show_json(data, exact=exact)
    return _show_bytes


def _fill(message: Any, field: Any, shown: Data) -> None:
    kind = field.message_type.fields_by_name["value"] if _is_map(field) else field
    read = _reader(message, kind, field)
    if _is_map(field):
        into = getattr(message, field.name)
        for key, each in shown.items():
            if kind.type == kind.TYPE_MESSAGE:
                into[key].CopyFrom(read(each))
            else:
                into[key] = read(each)
    elif _is_repeated(field):
        getattr(message, field.name).extend(read(each) for each in shown)
    elif kind.type == kind.TYPE_MESSAGE:
        target = getattr(message, field.name)
        target.SetInParent()
        target.CopyFrom(read(shown))
    else:
        setattr(message, field.name, read(shown))


def _reader(message: Any, kind: Any, field: Any) -> Callable[[Data], Any]:
    if kind.type == kind.TYPE_MESSAGE:
        cls = message_factory.GetMessageClass(kind.message_type)
        return lambda shown: build(shown, cls)
    if kind.type == kind.TYPE_ENUM:
        return lambda shown: kind.enum_type.values_by_name[shown].number if isinstance(shown, str) else shown
    if kind.type != kind.TYPE_BYTES:
        return lambda shown: shown
    if _is_dynamic(message, field, "msgpack"):
        return _read_msgpack
    return _read_json if field.name == "json" else _read_bytes


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


def _show_json(data: bytes, *, exact: bool) -> Data:
    try:
        value = json.loads(data, parse_float=_float, parse_int=_integer, parse_constant=_refuse, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return {"$bytes": _base64(data)}
    writable = not exact or _compact(value) == data
    return value if writable and not (isinstance(value, dict) and "$bytes" in value) else {"$bytes": _base64(data)}


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
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


# DynamicValue.


def _show_msgpack(data: bytes) -> Data:
    try:
        shown = _show_value(values.unpack_any(data))
        if _read_msgpack(shown) == data:
            return shown
    except (MalformedError, TypeError, ValueError, OverflowError, RecursionError):
        return {"$msgpack": _base64(data)}
    return {"$msgpack": _base64(data), "shown": shown}


def _show_value(value: Value) -> Data:
    if isinstance(value, Unknown):
        return {"$unknown": _base64(value.refinement or b"")}
    if isinstance(value, bytes):
        return {"$bytes": _base64(value)}
    if isinstance(value, dict):
        return {_key(key): _show_value(each) for key, each in sorted(value.items())}
    if isinstance(value, list):
        return [_show_value(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"JSON has no {value}")
    return value


def _key(key: Any) -> str:
    if not isinstance(key, str) or key.startswith("$"):
        raise ValueError(f"{key!r} would be taken for a marker")
    return key


def _read_msgpack(shown: Data) -> bytes:
    if isinstance(shown, dict) and "$msgpack" in shown:
        return b64decode(shown["$msgpack"])
    return values.pack_any(_read_value(shown))


def _read_value(shown: Data) -> Value:
    if isinstance(shown, list):
        return [_read_value(each) for each in shown]
    if not isinstance(shown, dict):
        return shown
    if "$unknown" in shown:
        return Unknown(refinement=b64decode(shown["$unknown"]) or None)
    if "$bytes" in shown:
        return b64decode(shown["$bytes"])
    return {key: _read_value(each) for key, each in shown.items()}


# Fields that we do not know.


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def _wire(field: Any) -> bytes:
    """An unknown field as it travelled, by its wire type."""
    tag = _varint(field.field_number << 3 | field.wire_type)
    match field.wire_type:
        case 0:
            return tag + _varint(field.data)
        case 1:
            return tag + int(field.data).to_bytes(8, "little")
        case 2:
            return tag + _varint(len(field.data)) + bytes(field.data)
        case 3:
            return tag + b"".join(_wire(each) for each in field.data) + _varint(field.field_number << 3 | 4)
        case _:
            return tag + int(field.data).to_bytes(4, "little")
