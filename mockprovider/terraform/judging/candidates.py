"""Values that may be right: what a provider is tried with, since no schema says what its validators accept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mockprovider.schema import Kind, Property
from mockprovider.values import Value

ABSURD = "mockprovider-no-such-value"
"""A text that no list of values has, so that a refusal says which there are."""

SCALARS: Mapping[str, tuple[Any, ...]] = {
    "string": (
        *("alpha", "beta", "gamma", "0644", "0755", "30s", "45s", "2h", "2040-01-02T03:04:05Z", "2041-01-02T03:04:05Z"),
        *("10.0.0.0/16", "10.1.0.0/16", "{}", "https://example.com", "10", "12", "true", "a@example.com"),
    ),
    "integer": (2, 3, 4, 8, 10, 12, 16, 100, 365, 1024, 2048, 4096, 1, 0, -1),
    "number": (2, 3, 4, 8, 10, 12, 16, 100, 365, 1024, 2048, 4096, 1, 0, -1),
    "boolean": (True, False),
    "any": ("alpha", "beta"),
}


PEMS = tuple(f"-----BEGIN {what}-----\nYWxwaGE=\n-----END {what}-----\n" for what in ("CERTIFICATE", "PUBLIC KEY"))
"""Texts in the form that plans of keys and certificates look for."""


def candidates(kind: Kind, enum: tuple[Any, ...] = (), name: str = "") -> Iterator[Value]:
    """Values of a kind, the likeliest first, for a property of this name; ``enum`` are known to be right, also as elements."""
    if kind.name == "string" and "pem" in name.lower():
        yield from PEMS
        return
    if kind.name in ("array", "set"):
        elements = [*enum, *_some(kind.items)]
        yield from ([element] for element in elements)
        yield elements[:2]
    elif kind.name == "map":
        elements = _some(kind.items)
        yield from ({"k": element} for element in elements)
        yield {"k": elements[0], "l": elements[-1]}
    elif kind.name == "object":
        yield {name: next(candidates(item.kind)) for name, item in kind.properties.items() if item.required}
    else:
        yield from enum
        yield from SCALARS.get(kind.name, ())


def holds_text(kind: Kind) -> bool:
    """Whether it is a text, or a list or set of texts, so that lists of values may be about it."""
    return (kind.items if kind.name in ("array", "set") and kind.items else kind).name == "string"


def absurd(kind: Kind) -> Value:
    """A value of such a kind that no list of values has."""
    return ABSURD if kind.name == "string" else [ABSURD]


def _some(items: Kind | None) -> list[Value]:
    return [value for value, _ in zip(candidates(items or Kind("string")), range(8), strict=False)]


def inside(item: Property) -> Mapping[str, Property]:
    """The properties of the object that a property is, or is a list or set of."""
    kind = item.kind.items if item.kind.name in ("array", "set") and item.kind.items else item.kind
    return kind.properties if kind.name == "object" else {}


def around(item: Property, value: Mapping[str, Value]) -> Value:
    """A property's value that is this object, or holds it alone."""
    return [value] if item.kind.name in ("array", "set") else value
