"""Whether an engine sends what it was given. What engines do to values on the way is no difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from msgspec.msgpack import Encoder

from mockprovider.paths import Path, show
from mockprovider.values import (
    LEAVES,
    Archive,
    Asset,
    Output,
    ResourceReference,
    Secret,
    Unknown,
    Value,
    children,
    is_plain,
    same,
)

SPELL = Encoder().encode
SHOWN = 3
"""How many of several places or differences a breach shows."""


def differing(sent: Value, given: Value) -> Iterator[str]:
    """Each path at which two values differ, as text. See ``parting``."""
    return map(show, parting(sent, given))


def parting(sent: Value, given: Value, path: Path = ()) -> Iterator[Path]:
    """Each path at which two values differ; an absent value is a null one.

    Engines add and remove the wrappers of secrets and outputs, send an asset's hash alone, and flatten references for a
    provider that does not accept them.
    """
    if sent is given:
        return
    sent, given = _inner(sent), _inner(given)
    if isinstance(sent, Mapping) and isinstance(given, Mapping):
        for key in sorted(_doubtful(sent, given)):
            yield from parting(sent.get(key), given.get(key), (*path, key))
    elif isinstance(sent, list) and isinstance(given, list) and len(sent) == len(given):
        for index, (one, other) in enumerate(zip(sent, given, strict=True)):
            yield from parting(one, other, (*path, index))
    elif not _alike(sent, given):
        yield path


def alike(sent: Value, given: Value) -> bool:
    """Whether two values differ nowhere."""
    return sent is given or _equal(sent, given) or next(parting(sent, given), None) is None


def _equal(sent: Value, given: Value) -> bool:
    """Whether two values are equal in each of their parts, as most are; for Python alone, true is 1."""
    try:
        return bool(sent == given) and SPELL(sent) == SPELL(given)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return False


def _doubtful(sent: Mapping[str, Value], given: Mapping[str, Value]) -> list[str]:
    """The keys at which two maps may differ: not those of equal texts, numbers and nulls, which are most."""
    keys = [
        key
        for key, item in sent.items()
        if (other := given.get(key)) is not item and not (type(other) is type(item) and type(item) in LEAVES and item == other)
    ]
    return keys if given.keys() <= sent.keys() else [*keys, *(given.keys() - sent.keys())]


def _inner(value: Value) -> Value:
    while isinstance(value, (Secret, Output)):
        value = value.value
    return value


def _alike(sent: Value, given: Value) -> bool:
    if isinstance(sent, (Asset, Archive)) and isinstance(given, (Asset, Archive)):
        return True
    if isinstance(sent, ResourceReference) or isinstance(given, ResourceReference):
        return bool(_names(sent) & _names(given))
    if isinstance(sent, Unknown) and isinstance(given, Unknown):
        return True
    return same(sent, given)


def _names(value: Value) -> set[str]:
    if isinstance(value, ResourceReference):
        return {text for text in (value.urn, value.id or "") if isinstance(text, str) and text} | (
            {"unknown"} if isinstance(value.id, Unknown) else set()
        )
    return {"unknown"} if isinstance(value, Unknown) else {value} if isinstance(value, str) else set()


def places(value: Value, *kinds: type) -> list[str]:
    """The paths of the first values of these kinds, at every depth and through every wrapper."""
    return [] if is_plain(value) else [*islice(_places(value, kinds), SHOWN)]


def all_places(value: Value, *kinds: type) -> list[str]:
    """The paths of all values of these kinds."""
    return [] if is_plain(value) else [*_places(value, kinds)]


def _places(value: Value, kinds: tuple[type, ...], path: Path = ()) -> Iterator[str]:
    if isinstance(value, kinds):
        yield show(path) or "all of it"
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _places(item, kinds, (*path, key))
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _places(item, kinds, (*path, index))
    else:
        for item in children(value):
            yield from _places(item, kinds, path)


def references(value: Value) -> Iterator[tuple[str, str]]:
    """The URN and the id of each resource that a value says it comes from, at every depth; empty where the id is not told."""
    if isinstance(value, ResourceReference):
        yield value.urn, value.id if isinstance(value.id, str) else ""
        return
    if isinstance(value, Output):
        yield from ((urn, "") for urn in value.dependencies)
    inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else children(value)
    for item in () if is_plain(value) else inside:
        yield from references(item)
