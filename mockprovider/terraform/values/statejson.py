"""Terraform's values in the JSON of state files, which ``RawState`` has and ``DynamicValue`` may have."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import msgpack  # type: ignore[import-untyped]

from mockprovider.errors import MalformedError
from mockprovider.terraform.values.mismatch import Where, expect, wrong
from mockprovider.terraform.values.packing import bool_in, encode, number, string_in
from mockprovider.terraform.values.types import Type, parse_type
from mockprovider.values import Value, reveal


def from_json(text: bytes | str, declared: Type) -> Value:
    """The value of type ``declared`` in a state file's JSON.

    An older schema may have written it: attributes that the type lacks are left out, missing ones are null. Raises
    ``MalformedError`` for text that is not JSON, or not of that type.
    """
    return decode_json(parse_json(text), declared)


def parse_json(text: bytes | str, fraction: Callable[[str], Any] = Decimal) -> Any:
    """Parsed JSON, with exact numbers unless ``fraction`` makes others. Raises ``MalformedError`` for other text."""
    try:
        return json.loads(text, parse_float=fraction)
    except (ValueError, RecursionError) as error:
        raise MalformedError(f"This state is not JSON: {_broken(error)}.") from error


def _broken(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"look at line {error.lineno}, column {error.colno}"
    return "it is nested too deeply" if isinstance(error, RecursionError) else "its text is not UTF-8, or a number is too long"


def type_in_json(raw: Any) -> Type:
    """The type of a dynamic value in JSON. Raises ``MalformedError`` for an invalid one."""
    return parse_type(json.dumps(raw.get("type") if isinstance(raw, dict) else None))


def decode_json(raw: Any, declared: Type, where: Where = "") -> Value:
    """The value of type ``declared`` in parsed JSON; see ``from_json``."""
    if raw is None:
        return None
    if declared.name in LENIENT:
        return LENIENT[declared.name](raw, declared, where)
    if declared.name == "dynamic":
        expect(raw, dict, declared, where)
        return decode_json(raw.get("value"), type_in_json(raw), where)
    if declared.name == "object":
        expect(raw, dict, declared, where)
        return {name: decode_json(raw.get(name), kind, (where, name)) for name, kind in declared.attributes.items()}
    return _collection_from_json(raw, declared, where)


def _string_from_json(raw: Any, declared: Type, where: Where) -> str:
    # State JSON may have a boolean or a number for a string.
    if isinstance(raw, bool):
        raw = str(raw).lower()
    return string_in(str(raw) if isinstance(raw, (int, Decimal)) else raw, declared, where)


def _bool_from_json(raw: Any, declared: Type, where: Where) -> bool:
    return bool_in({"true": True, "false": False}.get(raw, raw) if isinstance(raw, str) else raw, declared, where)


def _number_from_json(raw: Any, declared: Type, where: Where) -> Value:
    if isinstance(raw, bool) or not isinstance(raw, (int, Decimal, str)):
        raise wrong(raw, declared, where)
    return number(str(raw), where)


LENIENT: Mapping[str, Callable[[Any, Type, Where], Value]] = {
    "string": _string_from_json,
    "bool": _bool_from_json,
    "number": _number_from_json,
}


def _collection_from_json(raw: Any, declared: Type, where: Where) -> Value:
    if declared.name == "map":
        return {
            key: decode_json(item, declared.element, (where, (key,)))
            for key, item in expect(raw, dict, declared, where).items()
        }
    items = expect(raw, list, declared, where)
    kinds = declared.elements if declared.items is None else [declared.items] * len(items)
    return [decode_json(item, kind, (where, index)) for index, (item, kind) in enumerate(zip(items, kinds, strict=False))]


def to_json(value: Value, declared: Type) -> bytes:
    """The JSON of ``value`` in a state file. Raises ``MalformedError`` for an unknown, for which JSON has no form."""
    return json.dumps(_to_json(encode(reveal(value), declared), declared), ensure_ascii=False).encode()


def _to_json(raw: Any, declared: Type) -> Any:
    if isinstance(raw, msgpack.ExtType):
        raise MalformedError("A value that is not known yet has no JSON form.")
    if raw is None:
        return None
    if declared.name == "dynamic":
        named = parse_type(raw[0])
        return {"value": _to_json(raw[1], named), "type": json.loads(raw[0])}
    if isinstance(raw, dict):
        return {key: _to_json(item, declared.items or declared.attributes[key]) for key, item in raw.items()}
    if isinstance(raw, list):
        kinds = declared.elements if declared.items is None else [declared.items] * len(raw)
        return [_to_json(item, kind) for item, kind in zip(raw, kinds, strict=True)]
    return raw
