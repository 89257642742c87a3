"""Terraform's types, and their JSON in schemas and dynamic values: ``"string"``, ``["list","number"]``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from msgspec import Struct, field

from mockprovider.errors import MalformedError
from mockprovider.values import Unknown, Value


class Type(Struct, frozen=True):
    """One type: ``string``, ``number``, ``bool``, ``dynamic``; ``list``, ``set``, ``map`` with ``items``; ``tuple`` with
    ``elements``; ``object`` with ``attributes``, of which a configuration may omit those in ``optional``.
    """

    name: str
    items: Type | None = None
    elements: tuple[Type, ...] = ()
    attributes: Mapping[str, Type] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return type_json(self).decode()

    @property
    def element(self) -> Type:
        """The type of a collection's elements."""
        return self.items or DYNAMIC

    def has(self, name: str) -> bool:
        """Whether it is a type of this name, or has one inside."""
        inside = (*self.elements, *self.attributes.values(), *((self.items,) if self.items else ()))
        return self.name == name or any(part.has(name) for part in inside)


STRING, NUMBER, BOOL, DYNAMIC = Type("string"), Type("number"), Type("bool"), Type("dynamic")
PRIMITIVES: Mapping[str, Type] = {primitive.name: primitive for primitive in (STRING, NUMBER, BOOL, DYNAMIC)}
SPELLED: Mapping[str, bytes] = {name: f'"{name}"'.encode() for name in PRIMITIVES}
COLLECTIONS = frozenset({"list", "set", "map"})
_WRITER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, sort_keys=True)


def type_json(declared: Type) -> bytes:
    """The JSON of a type, as the protocol's ``type`` fields and dynamic values carry it."""
    return SPELLED.get(declared.name) or _WRITER.encode(_spelled(declared)).encode()


def _spelled(declared: Type) -> Any:
    if declared.items is not None:
        return [declared.name, _spelled(declared.items)]
    if declared.name == "tuple":
        return ["tuple", [_spelled(part) for part in declared.elements]]
    if declared.name == "object":
        attributes = {name: _spelled(part) for name, part in declared.attributes.items()}
        return ["object", attributes, sorted(declared.optional)] if declared.optional else ["object", attributes]
    return declared.name


@lru_cache(maxsize=1024)
def parse_type(text: bytes | str) -> Type:
    """The type in ``text``. Raises ``MalformedError`` for an invalid one."""
    try:
        return _read(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise MalformedError(f'{text!r} is no type. Types look like "string" or ["list","number"].') from error


def _read(spelled: Any) -> Type:
    if isinstance(spelled, str):
        return PRIMITIVES[spelled]
    name, argument, *rest = spelled
    if name in COLLECTIONS and not rest:
        return Type(name, items=_read(argument))
    if name == "tuple" and not rest:
        return Type("tuple", elements=tuple(_read(part) for part in argument))
    if name == "object" and len(rest) < 2:
        attributes = {attribute: _read(part) for attribute, part in argument.items()}
        return Type("object", attributes=attributes, optional=frozenset(rest[0] if rest else ()))
    raise KeyError(name)


def type_of(value: Value) -> Type:
    """The type of a value as a literal in a configuration: lists are tuples, dicts are objects; null and unknown are dynamic.

    Raises ``MalformedError`` for a value that Terraform has no literal for.
    """
    if value is None or isinstance(value, Unknown):
        return DYNAMIC
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, (int, float, Decimal)):
        return NUMBER
    if isinstance(value, str):
        return STRING
    if isinstance(value, (list, tuple)):
        return Type("tuple", elements=tuple(type_of(item) for item in value))
    if isinstance(value, Mapping):
        return Type("object", attributes={name: type_of(item) for name, item in value.items()})
    raise MalformedError(f"Terraform has no literal for a {type(value).__name__}: {value!r}.")
