"""Bags as JSON text: every kind of value, exactly, for stores that are ours alone."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from mockprovider.errors import MalformedError
from mockprovider.values import Archive, Asset, Bag, Output, ResourceReference, Secret, Unknown

KIND = "$"
"""The key under which an object says what it stands for."""

CLASSES: Mapping[str, Any] = {cls.__name__: cls for cls in (Unknown, Secret, Output, Asset, Archive, ResourceReference)}
PLAIN = frozenset({str, int, float, bool, type(None)})


def dump(bag: Bag) -> str:
    """``bag`` as JSON. Raises ``MalformedError`` for something that is no value."""
    return json.dumps(_packed(bag), ensure_ascii=False, separators=(",", ":"))


def load(text: str) -> dict[str, Any]:
    """The bag that ``dump`` wrote. Raises ``MalformedError`` for any other text."""
    try:
        bag = json.loads(text, object_hook=_unpacked)
    except (ValueError, KeyError, TypeError) as error:
        raise MalformedError(f"This is no bag that mockprovider wrote ({error}): {text[:80]}") from error
    if not isinstance(bag, dict):
        raise MalformedError(f"This is no bag that mockprovider wrote: {text[:80]}")
    return bag


def _packed(value: Any) -> Any:
    if type(value) in PLAIN:
        return value
    if isinstance(value, Mapping):
        packed = {key: _packed(item) for key, item in value.items()}
        return {KIND: "dict", "items": list(packed.items())} if KIND in packed else packed
    if isinstance(value, (list, tuple)):
        return [_packed(item) for item in value]
    if isinstance(value, Struct) and type(value).__name__ in CLASSES:
        return {KIND: type(value).__name__, **{name: _packed(item) for name, item in asdict(value).items()}}
    if isinstance(value, bytes):
        return {KIND: "bytes", "base64": b64encode(value).decode()}
    if isinstance(value, Decimal):
        return {KIND: "decimal", "digits": str(value)}
    raise MalformedError(f"A {type(value).__name__} is no value that can be kept.")


def _unpacked(packed: dict[str, Any]) -> Any:
    kind = packed.pop(KIND, None)
    if kind is None:
        return packed
    if kind == "dict":
        return {key: item for key, item in packed["items"]}  # noqa: C416 - dict() would take pairs of letters for texts
    if kind == "bytes":
        return b64decode(packed["base64"])
    if kind == "decimal":
        return Decimal(packed["digits"])
    if kind == "Output":
        packed["dependencies"] = tuple(packed["dependencies"])
    return CLASSES[kind](**packed)
