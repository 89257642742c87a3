"""Walks over values and their places: equality, unknown values, and values of write-only attributes."""

from __future__ import annotations

from collections.abc import Iterator

from mockprovider.terraform.schema.tree import Place
from mockprovider.terraform.values.types import Type
from mockprovider.values import LEAVES, Unknown, Value, same


def equal(one: Value, other: Value, declared: Type) -> bool:
    """Whether two values of a type are equal: sets have no order, and all unknown values are equal."""
    if isinstance(one, Unknown) and isinstance(other, Unknown):
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        kinds = declared.attributes
        return one.keys() == other.keys() and all(equal(one[k], other[k], kinds.get(k, declared.element)) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return _equal_lists(one, other, declared)
    return same(one, other)


def _equal_lists(one: list[Value], other: list[Value], declared: Type) -> bool:
    if declared.name == "set":
        left = unlike(one, other, declared.element)
        return not left and not unlike(other, one, declared.element)
    kinds = declared.elements or (declared.element,) * len(one)
    return len(one) == len(other) and all(map(equal, one, other, kinds))


def unlike(these: list[Value], those: list[Value], declared: Type) -> list[Value]:
    """Those of ``these`` that equal none of ``those``; duplicates in a set count once."""
    return [one for one in these if not any(equal(one, other, declared) for other in those)]


def unknowns(value: Value, path: str = "") -> Iterator[str]:
    """The paths of all unknown values in a value."""
    if isinstance(value, Unknown):
        yield path
    elif isinstance(value, dict):
        for key, item in value.items():
            if type(item) not in LEAVES:
                yield from unknowns(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from unknowns(item, f"{path}[{index}]")


def elements(value: Value, place: Place, path: str) -> Iterator[tuple[str, Value]]:
    """The nested objects in the value of a block or nested attribute, each with its path."""
    if place.element is None:
        yield path, value
    elif isinstance(value, dict):
        yield from ((f'{path}["{key}"]', item) for key, item in value.items())
    elif isinstance(value, list):
        yield from ((f"{path}[{index}]", item) for index, item in enumerate(value))


def written(value: Value, place: Place, path: str = "") -> Iterator[str]:
    """The paths of write-only attributes that have a value, at every depth."""
    if not place.hides:
        return
    for where, item in elements(value, place, path):
        for name, member in place.inside.items() if isinstance(item, dict) else ():
            inner, own = f"{where}.{name}" if where else name, item.get(name)
            if member.write_only and own is not None:
                yield inner
            yield from written(own, member, inner)
