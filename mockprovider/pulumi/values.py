"""Pulumi's property bags: ``google.protobuf.Struct`` on the wire, plain JSON-like objects in state files and cassettes.

The plain form is the JSON of the Struct. State files have two forms of their own, which are read here, too: a secret has the
JSON text of its value (``plaintext``), and a number that JSON cannot hold is the hexadecimal of its bits.

Numbers on this wire are doubles. Decoding gives an ``int`` where the double is integral and no larger than 2**53, else a
``float``; negative zero, infinities and NaN are kept.
"""

from __future__ import annotations

import json
import math
import struct as packing
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from google.protobuf import struct_pb2

from mockprovider.errors import UnsupportedError
from mockprovider.pulumi.signatures import (
    DROPPED,
    EVERYTHING,
    READERS,
    SECRET,
    SENTINEL_LENGTH,
    SIGNATURE,
    UNKNOWNS,
    BrokenValueError,
    Reader,
    Wants,
    disguise,
    read_secret,
    recognize,
    settle,
)
from mockprovider.values import Archive, Asset, Bag, Secret, Value, map_value

__all__ = ["EVERYTHING", "decode", "decode_value", "elide", "encode", "encode_into", "encode_value", "from_plain", "to_plain"]

FLOAT: Final = "8ad145fe-0d11-4827-bfd7-1abcbf086f5c"
"""Plain form only: the signature of a number that JSON cannot hold."""

LARGEST_INTEGER: Final = 2**53
"""Above it neighbouring integers are the same double, so an ``int`` would be more exact than the wire."""


def decode(message: struct_pb2.Struct) -> dict[str, Value]:
    """The properties in ``message``.

    Raises:
        MalformedError: an object whose signature is unknown or whose contents do not fit it; the message has its path.
    """
    try:
        return _bag(message.fields)
    except BrokenValueError as error:
        raise error.error() from None


def decode_value(message: struct_pb2.Value) -> Value:
    """The value in ``message``. Raises ``MalformedError`` as ``decode`` does."""
    try:
        return _value(message)
    except BrokenValueError as error:
        raise error.error() from None


def encode(bag: Bag, accepts: frozenset[str] = EVERYTHING, *, keep_unknowns: bool = True) -> struct_pb2.Struct:
    """``bag`` as a Struct.

    Args:
        bag: the properties.
        accepts: the kinds that the other side accepts. Of others, it is sent: the bare value of a secret; the id, or else the
            URN, of a resource reference; the value or the unknown of an output, as a secret if it is one; bytes as text.
        keep_unknowns: ``False`` leaves unknowns out of objects and lists (which get shorter).

    Raises:
        MalformedError: a value that the wire cannot carry; the message has its path.
    """
    message = struct_pb2.Struct()
    encode_into(message, bag, accepts, keep_unknowns=keep_unknowns)
    return message


def encode_into(
    message: struct_pb2.Struct, bag: Bag, accepts: frozenset[str] = EVERYTHING, *, keep_unknowns: bool = True
) -> None:
    """Like ``encode``, into an existing empty Struct: a request's field, which becomes present even if empty."""
    message.SetInParent()
    try:
        _fill(message.fields, bag, _wants(accepts, keep_unknowns))
    except BrokenValueError as error:
        raise error.error() from None


def encode_value(value: Value, accepts: frozenset[str] = EVERYTHING, *, keep_unknowns: bool = True) -> struct_pb2.Value:
    """``value`` as a protobuf Value; null for an unknown that is left out. Arguments and errors as for ``encode``."""
    message = struct_pb2.Value()
    wants = _wants(accepts, keep_unknowns)
    try:
        settled = settle(value, wants)
        _put(message, None if settled is DROPPED else settled, wants)
    except BrokenValueError as error:
        raise error.error() from None
    return message


def from_plain(plain: Any) -> Value:
    """The value of ``plain``, the parsed JSON of a Struct or of a state file.

    Raises:
        MalformedError: as ``decode``.
        UnsupportedError: a secret that only the stack's own key can decrypt (``ciphertext``).
    """
    try:
        return _from_plain(plain)
    except BrokenValueError as error:
        raise error.error() from None


def to_plain(
    value: Value, accepts: frozenset[str] = EVERYTHING, *, keep_unknowns: bool = True, plaintext_secrets: bool = False
) -> Any:
    """``value`` as data for ``json.dumps``. Arguments and errors as for ``encode``.

    With ``plaintext_secrets`` it has the form of a state file with plain secrets. State files have no output values, so these
    are written as for a side that does not accept them.
    """
    accepts = accepts - {"outputs"} if plaintext_secrets else accepts
    try:
        plain = _to_plain(value, _wants(accepts, keep_unknowns, plaintext_secrets))
    except BrokenValueError as error:
        raise error.error() from None
    return None if plain is DROPPED else plain


def elide(value: Value) -> Value:
    """``value`` with each asset and archive reduced to its hash, as engines send their state."""
    return map_value(value, _elided)


def _elided(value: Value) -> Value:
    return type(value)(hash=value.hash) if isinstance(value, (Asset, Archive)) else value


@cache
def _wants(accepts: frozenset[str], unknowns: bool, plaintext: bool = False) -> Wants:
    return Wants(accepts, unknowns, plaintext)


# From the wire. Reading string_value first, and the kind only where it is empty, is the fastest way through a Struct in Python.


def _bag(fields: Any) -> dict[str, Value]:
    bag: dict[str, Value] = {}
    key = ""
    try:
        for key in fields:
            message = fields[key]
            text = message.string_value
            if text:
                bag[key] = text if len(text) != SENTINEL_LENGTH else UNKNOWNS.get(text, text)
            else:
                bag[key] = _value(message)
    except BrokenValueError as error:
        raise error.inside(key) from None
    return bag


def _value(message: Any) -> Value:
    kind = message.WhichOneof("kind")
    if kind == "string_value":
        text = message.string_value
        return UNKNOWNS.get(text, text)
    if kind == "number_value":
        return read_number(message.number_value)
    if kind == "bool_value":
        return message.bool_value
    if kind == "struct_value":
        bag = _bag(message.struct_value.fields)
        return recognize(bag) if SIGNATURE in bag else bag
    return _list(message.list_value.values) if kind == "list_value" else None


def _list(messages: Any) -> list[Value]:
    values: list[Value] = []
    try:
        for message in messages:
            values.append(_value(message))  # noqa: PERF401 - the length tells where a bad one stands
    except BrokenValueError as error:
        raise error.inside(len(values)) from None
    return values


def read_number(number: float) -> int | float:
    """A number of the wire, as the module says."""
    if number.is_integer() and -LARGEST_INTEGER <= number <= LARGEST_INTEGER and (number or math.copysign(1, number) > 0):
        return int(number)
    return number


# To the wire.


def _fill(fields: Any, bag: Bag, wants: Wants) -> None:
    for key, value in bag.items():
        try:
            kind = type(value)
            if kind is str:
                fields[key].string_value = value
            elif kind is bool:
                fields[key].bool_value = value
            else:
                settled = settle(value, wants)
                if settled is not DROPPED:
                    _put(fields[key], settled, wants)
        except BrokenValueError as error:
            raise error.inside(key) from None
        except UnicodeEncodeError:
            raise BrokenValueError(NOT_TEXT).inside(key) from None
        except TypeError:
            _check_key(key)
            raise


def _check_key(key: Any) -> None:
    if not isinstance(key, str):
        raise BrokenValueError(f"the key {key!r} is a {type(key).__name__}, where only a string may stand.") from None


def _put(message: Any, value: Value, wants: Wants) -> None:
    """Write ``value``, which is settled, into a protobuf Value."""
    kind = type(value)
    if kind is dict:
        message.struct_value.SetInParent()
        _fill(message.struct_value.fields, value, wants)
    elif kind is list:
        message.list_value.SetInParent()
        _extend(message.list_value.values, value, wants)
    else:
        _put_scalar(message, value, kind)


def _put_scalar(message: Any, value: Value, kind: type) -> None:
    try:
        if kind is str:
            message.string_value = value
        elif kind is bool:
            message.bool_value = value
        elif value is None:
            message.null_value = struct_pb2.NULL_VALUE
        else:
            message.number_value = value
    except UnicodeEncodeError:
        raise BrokenValueError(NOT_TEXT) from None
    except OverflowError:
        raise BrokenValueError("an integer that is larger than any double. Numbers on this wire are doubles.") from None


def _extend(messages: Any, values: list[Value], wants: Wants) -> None:
    for index, value in enumerate(values):
        try:
            settled = settle(value, wants)
            if settled is not DROPPED:
                _put(messages.add(), settled, wants)
        except BrokenValueError as error:
            raise error.inside(index) from None


NOT_TEXT: Final = "text with a lone surrogate, which is no UTF-8. What is not text is sent as bytes."


# The plain form.


def _from_plain(plain: Any) -> Value:
    kind = type(plain)
    if kind is str:
        return UNKNOWNS.get(plain, plain)
    if kind is dict:
        return _from_plain_object(plain)
    if kind is list:
        return _from_plain_list(plain)
    if kind is float:
        return read_number(plain)
    if plain is None or kind is bool or kind is int:
        return plain
    raise BrokenValueError(f"a {kind.__name__} is nothing that JSON can hold.")


def _from_plain_object(plain: dict[str, Any]) -> Value:
    bag: dict[str, Value] = {}
    key = ""
    try:
        for key, item in plain.items():
            bag[key] = _from_plain(item)
    except BrokenValueError as error:
        raise error.inside(key) from None
    return recognize(bag, PLAIN_READERS) if SIGNATURE in bag else bag


def _from_plain_list(plain: list[Any]) -> list[Value]:
    values: list[Value] = []
    try:
        for item in plain:
            values.append(_from_plain(item))  # noqa: PERF401 - the length tells where a bad one stands
    except BrokenValueError as error:
        raise error.inside(len(values)) from None
    return values


def _read_state_secret(signed: dict[str, Value]) -> Secret:
    if "plaintext" in signed:
        try:
            return Secret(_from_plain(json.loads(signed["plaintext"])))
        except (TypeError, ValueError):
            raise BrokenValueError("a secret whose 'plaintext' is no JSON text.") from None
    if "ciphertext" in signed:
        raise BrokenValueError(
            "a secret that only the stack's own key opens ('ciphertext'). Export the state with --show-secrets.",
            UnsupportedError,
        )
    return read_secret(signed)


def _read_number(signed: dict[str, Value]) -> float:
    try:
        (number,) = packing.unpack(">d", bytes.fromhex(signed["value"]))
    except (KeyError, TypeError, ValueError, packing.error):
        raise BrokenValueError("a number whose 'value' is not the 16 hexadecimal digits of a double.") from None
    return float(number)


PLAIN_READERS: Final[Mapping[str, Reader]] = {**READERS, SECRET: _read_state_secret, FLOAT: _read_number}


def _to_plain(value: Value, wants: Wants) -> Any:
    kind = type(value)
    if kind is str or kind is bool or kind is int or value is None or value is DROPPED:
        return value
    if kind is dict:
        return _to_plain_object(value, wants)
    if kind is list:
        return _to_plain_list(value, wants)
    if kind is float:
        return value if math.isfinite(value) else {SIGNATURE: FLOAT, "value": packing.pack(">d", value).hex()}
    if kind is Secret and wants.plaintext:
        return _sealed(value, wants)
    return _to_plain(disguise(value, wants), wants)


def _to_plain_object(bag: Mapping[str, Value], wants: Wants) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for key, value in bag.items():
        _check_key(key)
        try:
            item = _to_plain(value, wants)
        except BrokenValueError as error:
            raise error.inside(key) from None
        if item is not DROPPED:
            plain[key] = item
    return plain


def _to_plain_list(values: list[Value], wants: Wants) -> list[Any]:
    plain: list[Any] = []
    for index, value in enumerate(values):
        try:
            item = _to_plain(value, wants)
        except BrokenValueError as error:
            raise error.inside(index) from None
        if item is not DROPPED:
            plain.append(item)
    return plain


def _sealed(value: Secret, wants: Wants) -> Any:
    plain = _to_plain(value.value, wants)
    if plain is DROPPED:
        return plain
    return {SIGNATURE: SECRET, "plaintext": json.dumps(plain, ensure_ascii=False, separators=(",", ":"), sort_keys=True)}
