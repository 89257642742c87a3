"""Terraform's values on the wire: msgpack, as DynamicValue carries it.

``unpack`` and ``pack`` need the type, which the engine has, too. ``unpack_any`` and ``pack_any`` need none, because msgpack
describes itself: a proxy without a schema only cannot tell a list from a set, a map from an object, or a string from a number
that Terraform sends as a decimal string because no float holds it. The rules are those of the protocol's object wire format.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

import msgpack  # type: ignore[import-untyped]
from msgspec import Struct

from mockprovider.errors import MalformedError
from mockprovider.terraform.values.mismatch import Where, check_length, check_names, expect, show, wrong
from mockprovider.terraform.values.types import Type, parse_type, type_json, type_of
from mockprovider.values import LEAVES, Archive, Asset, Unknown, Value, reveal

REFINED = 12
"""The extension code of an unknown value with refinements."""

KINDS: Mapping[str, str] = {
    "bool": "bool",
    "number": "number",
    "list": "array",
    "set": "array",
    "tuple": "array",
    "map": "object",
    "object": "object",
}
"""Type names to the kind that ``Unknown`` gives its missing element; the others are ``string``."""

LONGEST = 4000
"""The largest number of digits, far more than Terraform's 512 bits; longer numbers are an attack."""

BROKEN: Mapping[type[BaseException] | tuple[type[BaseException], ...], str] = {
    TypeError: "the key of a map is a list or a map itself",
    UnicodeDecodeError: "a text is not UTF-8",
    (RecursionError, msgpack.StackError): "they are nested too deeply",
    msgpack.ExtraData: "more bytes follow the value",
    msgpack.FormatError: "one of them begins no value",
    Exception: "they break off, or a part of them has a wrong length",
}
"""What is wrong with bytes, in plain words, by what the library raises."""

BITS_64 = range(-(2**63), 2**63)
PACKABLE = range(-(2**63), 2**64)
"""Integers that msgpack has a form for."""


class Dynamic(Struct, frozen=True):
    """A dynamic value with the type that it is sent with; without this wrapper that is the type of its literal."""

    type: Type
    value: Value


def unpack_any(data: bytes) -> Value:
    """The value in ``data``, without a type; a dynamic value stays the pair ``[type JSON as bytes, value]`` of the wire.

    Raises ``MalformedError`` for bytes that are not one msgpack value.
    """
    try:
        return msgpack.unpackb(data, ext_hook=unknown, strict_map_key=False)
    except (ValueError, TypeError, msgpack.UnpackException, RecursionError) as error:
        raise MalformedError(f"These {len(data)} bytes are not msgpack: {_broken(error)}.") from error


def _broken(error: Exception) -> str:
    return next(words for kinds, words in BROKEN.items() if isinstance(error, kinds))


def pack_any(value: Value) -> bytes:
    """The msgpack of a value without a type, the inverse of ``unpack_any``, with the keys of maps sorted."""
    return packed(_plain(value))


def unpack(data: bytes, declared: Type, where: Where = "") -> Value:
    """The value of type ``declared`` in ``data``; ``where`` is its path in errors.

    Raises ``MalformedError`` for bytes that are not msgpack, or not of that type.
    """
    return decode(unpack_any(data), declared, where)


def pack(value: Value, declared: Type, where: Where = "") -> bytes:
    """The msgpack of ``value`` as a ``declared``. Raises ``MalformedError``, with the path, for a value of another type."""
    return packed(encode(reveal(value), declared, where))


def packed(tree: Any) -> bytes:
    """The msgpack of a result of ``encode``."""
    return bytes(msgpack.packb(tree))


def shortest(value: Any) -> Any:
    """A number as the integer that is equal to it, if one of 64 bits is; other values as they are.

    To an engine, ``1.0`` is ``1``. A negative zero is no integer.
    """
    if type(value) is not float or not value.is_integer() or int(value) not in BITS_64:
        return value
    return value if str(value) == "-0.0" else int(value)


def unknown(code: int, payload: bytes) -> Unknown:
    """The unknown value of an extension."""
    # As in the reference decoder, a payload of at most one byte is a plain unknown, whatever its code.
    return Unknown(refinement=payload if code == REFINED and len(payload) > 1 else None)


def _extension(value: Unknown) -> msgpack.ExtType:
    return msgpack.ExtType(REFINED, value.refinement) if value.refinement else msgpack.ExtType(0, b"\0")


def _plain(value: Value) -> Any:
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, Unknown):
        return _extension(value)
    if isinstance(value, Mapping):
        return {key: item if type(item) in _AS_THEY_ARE else _plain(item) for key, item in sorted(value.items())}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return _number_out(value, "") if isinstance(value, Decimal) or _is_big(value) else value


_AS_THEY_ARE = LEAVES - {int}


def _is_big(value: Value) -> bool:
    return isinstance(value, int) and value not in PACKABLE


# Decoding, by type name.


def decode(raw: Any, declared: Type, where: Where = "") -> Value:
    """The value of type ``declared`` in ``raw``, unpacked msgpack. Raises ``MalformedError`` with the path."""
    if raw is None:
        return None
    if type(raw) is str and declared.name == "string":
        return unicodedata.normalize("NFC", raw)
    if isinstance(raw, (Unknown, msgpack.Timestamp)):
        return Unknown(KINDS.get(declared.name, "string"), getattr(raw, "refinement", None))
    return DECODERS[declared.name](raw, declared, where)


def string_in(raw: Any, declared: Type, where: Where) -> str:
    """A string, normalised as Terraform does."""
    if isinstance(raw, bytes):
        try:
            raw = raw.decode()
        except UnicodeDecodeError as error:
            raise MalformedError(f"{show(where) or 'value'}: these bytes are no string, which is UTF-8.") from error
    return unicodedata.normalize("NFC", expect(raw, str, declared, where))


def bool_in(raw: Any, declared: Type, where: Where) -> bool:
    """A boolean; numbers and text are refused."""
    return bool(expect(raw, bool, declared, where))


def _number_in(raw: Any, declared: Type, where: Where) -> Value:
    if isinstance(raw, bool) or not isinstance(raw, (int, float, str)):
        raise wrong(raw, declared, where)
    return number(raw, where) if isinstance(raw, str) else raw


def number(text: str, where: Where = "") -> int | float | Decimal:
    """The number in a decimal string: an ``int``, or the ``float`` that prints like it, or else a ``Decimal``."""
    try:
        exact = Decimal(text)
    except InvalidOperation as error:
        raise MalformedError(f"{show(where) or 'value'}: {text!r} is no number.") from error
    if exact.is_finite() and not -LONGEST < exact.adjusted() < LONGEST:
        raise MalformedError(f"{show(where) or 'value'}: {text[:40]!r} has more digits than Terraform's numbers can.")
    if not exact.is_finite():
        return float(exact)
    if exact == exact.to_integral_value():
        return int(exact)
    near = float(exact)
    return near if math.isfinite(near) and Decimal(repr(near)) == exact else exact


def _list_in(raw: Any, declared: Type, where: Where) -> list[Value]:
    items = declared.element
    return [decode(item, items, (where, index)) for index, item in enumerate(expect(raw, list, declared, where))]


def _tuple_in(raw: Any, declared: Type, where: Where) -> list[Value]:
    items = expect(raw, list, declared, where)
    if items:
        check_length(items, declared, where)
    return [
        decode(item, kind, (where, index)) for index, (item, kind) in enumerate(zip(items, declared.elements, strict=False))
    ]


def _map_in(raw: Any, declared: Type, where: Where) -> dict[str, Value]:
    items = declared.element
    return {
        unicodedata.normalize("NFC", expect(key, str, declared, where)): decode(item, items, (where, (key,)))
        for key, item in expect(raw, dict, declared, where).items()
    }


def _object_in(raw: Any, declared: Type, where: Where) -> dict[str, Value]:
    members = expect(raw, dict, declared, where)
    if members and members.keys() != declared.attributes.keys():
        check_names(members, declared, where)
        missing = ", ".join(sorted(declared.attributes.keys() - members.keys()))
        raise MalformedError(
            f"{show(where) or 'object'}: without {missing}. Every attribute of an object travels, null where it has none."
        )
    kinds = declared.attributes
    return {name: None if item is None else decode(item, kinds[name], (where, name)) for name, item in members.items()}


def _dynamic_in(raw: Any, declared: Type, where: Where) -> Value:
    return dynamic_in(raw, declared, where).value


def dynamic_in(raw: Any, declared: Type, where: Where = "") -> Dynamic:
    """The dynamic value of a pair ``[type JSON, value]``. Raises ``MalformedError`` for what is no such pair."""
    if not (isinstance(raw, list) and len(raw) == 2 and isinstance(raw[0], (bytes, str))):
        raise wrong(raw, declared, where)
    named = parse_type(raw[0])
    return Dynamic(named, decode(raw[1], named, where))


# Encoding, by type name.


def encode(value: Value, declared: Type, where: Where = "") -> Any:
    """``value`` as a ``declared``, ready for msgpack. Raises ``MalformedError`` with the path for a value of another type."""
    if value is None:
        return None
    if type(value) is str and declared.name == "string":
        return unicodedata.normalize("NFC", value)
    if isinstance(value, Unknown):
        return _extension(value)
    return ENCODERS[declared.name](value, declared, where)


def _string_out(value: Value, declared: Type, where: Where) -> str:
    if isinstance(value, (Asset, Archive)):
        value = value.path or value.uri or (value.text if isinstance(value, Asset) else None)
    return unicodedata.normalize("NFC", expect(value, str, declared, where))


def _number_out_typed(value: Value, declared: Type, where: Where) -> int | float | str:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise wrong(value, declared, where)
    return _number_out(value, where)


def _number_out(value: float | Decimal, where: Where) -> int | float | str:
    """A number as Terraform encodes it: a 64-bit integer, else a float that is exact, else a decimal string."""
    if isinstance(value, float) and math.isinf(value):
        return value
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not exact.is_finite():
        raise MalformedError(f"{show(where) or 'value'}: Terraform has no number {value}.")
    if exact == exact.to_integral_value():
        return int(exact) if int(exact) in BITS_64 else str(int(exact))
    near = float(exact)
    return near if math.isfinite(near) and Decimal(near) == exact else format(exact, "f")


def _list_out(value: Value, declared: Type, where: Where) -> list[Any]:
    items = declared.element
    return [encode(item, items, (where, index)) for index, item in enumerate(expect(value, (list, tuple), declared, where))]


def _tuple_out(value: Value, declared: Type, where: Where) -> list[Any]:
    items: Sequence[Value] = expect(value, (list, tuple), declared, where)
    check_length(items, declared, where)
    return [encode(item, kind, (where, index)) for index, (item, kind) in enumerate(zip(items, declared.elements, strict=True))]


def _map_out(value: Value, declared: Type, where: Where) -> dict[str, Any]:
    items = declared.element
    members: Mapping[str, Value] = expect(value, Mapping, declared, where)
    return {unicodedata.normalize("NFC", key): encode(members[key], items, (where, (key,))) for key in sorted(members)}


def _object_out(value: Value, declared: Type, where: Where) -> dict[str, Any]:
    members: Mapping[str, Value] = expect(value, Mapping, declared, where)
    kinds = declared.attributes
    if not members.keys() <= kinds.keys():
        check_names(members, declared, where)
    items = {name: members.get(name) for name in sorted(kinds)}
    return {name: None if item is None else encode(item, kinds[name], (where, name)) for name, item in items.items()}


def _dynamic_out(value: Value, declared: Type, where: Where) -> list[Any]:  # noqa: ARG001 - the value says its type
    if isinstance(value, Dynamic):
        return [type_json(value.type), encode(value.value, value.type, where)]
    literal = type_of(value)
    return [type_json(literal), encode(value, literal, where)]


DECODERS: Mapping[str, Callable[[Any, Type, Where], Value]] = {
    "string": string_in,
    "bool": bool_in,
    "number": _number_in,
    "list": _list_in,
    "set": _list_in,
    "tuple": _tuple_in,
    "map": _map_in,
    "object": _object_in,
    "dynamic": _dynamic_in,
}
ENCODERS: Mapping[str, Callable[[Value, Type, Where], Any]] = {
    "string": _string_out,
    "bool": bool_in,
    "number": _number_out_typed,
    "list": _list_out,
    "set": _list_out,
    "tuple": _tuple_out,
    "map": _map_out,
    "object": _object_out,
    "dynamic": _dynamic_out,
}
