"""Check: fills in defaults, and lists what is wrong with the inputs, by path."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from msgspec import UNSET

from mockprovider.calls import Failure
from mockprovider.fake.choosing import Choices
from mockprovider.fake.computing import NESTING
from mockprovider.fake.limits import beyond
from mockprovider.paths import Path, show
from mockprovider.schema import Kind, Property, Template
from mockprovider.values import Archive, Asset, Bag, Output, ResourceReference, Secret, Value, has_secret, is_unknown, reveal

Properties = Mapping[str, Property]

PYTHON_TYPES: Mapping[str, tuple[type, ...]] = {
    # A resource is handed over for its id.
    "string": (str, ResourceReference),
    "boolean": (bool,),
    "asset": (Asset, Archive),
    "archive": (Archive,),
    "array": (list, tuple),
    "set": (list, tuple),
    "map": (Mapping,),
    "object": (Mapping,),
}

NO_CHOICES = Choices()


def with_defaults(properties: Properties, inputs: Bag, choices: Choices = NO_CHOICES) -> dict[str, Value]:
    """``inputs`` with defaults for what is unset, and declared secrets wrapped, at every depth.

    ``choices`` give random values and names; the default gives none, and such properties stay unset.
    """
    filled = dict(inputs)
    # A large type has a hundred properties, of which a program sets three: for them all, even asking for has_default is slow.
    concerned = [
        (name, item)
        for name, item in properties.items()
        if item.default is not UNSET or item.auto_name or inputs.get(name) is not None
    ]
    # A template comes after the properties that it may use.
    for name, item in sorted(concerned, key=_follows):
        if filled.get(name) is None:
            value = _default(name, item, inputs, filled, choices)
            if value is None:
                continue
            filled[name] = value
        if item.kind.name in NESTING:
            filled[name] = _filled_inside(item.kind, filled[name], choices.inside(name))
        elif item.kind.name == "string" and not isinstance(filled[name], str):
            filled[name] = _as_id(filled[name])
        if item.secret and not isinstance(filled[name], Secret):
            filled[name] = Secret(filled[name])
    return filled


def _follows(declared: tuple[str, Property]) -> bool:
    return isinstance(declared[1].default, Template)


def _default(name: str, item: Property, inputs: Bag, filled: Bag, choices: Choices) -> Value:
    if item.is_made_up or isinstance(item.default, Template):
        return choices.default(name, item, filled)
    return item.default(reveal(inputs)) if callable(item.default) else item.default


def _filled_inside(kind: Kind, value: Value, choices: Choices) -> Value:
    if isinstance(value, Secret):
        return Secret(_filled_inside(kind, value.value, choices))
    if isinstance(value, Output):
        return Output(_filled_inside(kind, value.value, choices), value.secret, value.dependencies)
    if kind.name == "object" and isinstance(value, Mapping):
        return with_defaults(kind.properties, value, choices)
    items = kind.items
    if items is not None and items.name == "string":
        return _with_ids(value)
    if items is not None and items.name in NESTING:
        if isinstance(value, Mapping):
            value = {key: _filled_inside(items, item, choices.inside(key)) for key, item in value.items()}
        elif isinstance(value, (list, tuple)):
            value = [_filled_inside(items, item, choices.inside(index)) for index, item in enumerate(value)]
    return value


def _with_ids(value: Value) -> Value:
    if isinstance(value, Mapping):
        return {key: _as_id(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and not all(isinstance(item, str) for item in value):
        return [_as_id(item) for item in value]
    return value


def _as_id(value: Value) -> Value:
    """A resource that is handed over for a string is meant as its id: ``vpc_id=vpc``."""
    if isinstance(value, Secret):
        return Secret(_as_id(value.value))
    if isinstance(value, Output):
        return Output(_as_id(value.value), value.secret, value.dependencies)
    return value.flat if isinstance(value, ResourceReference) else value


def failures(
    properties: Properties, inputs: Bag, at: Path = (), *, hidden: bool = False, echoes: bool = False
) -> Iterator[Failure]:
    """All failures of ``inputs`` under ``properties``. Unknown values fit, and no failure shows a secret value.

    ``at`` is the path of the inputs; with ``hidden`` all of them are secret. With ``echoes`` a program may hand over an object
    that a provider answered, with what only the provider sets in it.
    """
    for name, item in properties.items():
        value = inputs.get(name)
        if value is None and not item.required:
            continue
        path = (*at, name)
        if value is None:
            yield Failure(f"missing required property {name!r}", show(path))
        elif not item.is_input:
            if not (echoes and at):
                yield Failure(f"{name!r} is computed by the provider and cannot be set", show(path))
        else:
            for other in item.conflicts_with:
                if inputs.get(other) is not None:
                    yield Failure(f"{name!r} and {other!r} cannot both be set: drop one of them", show(path))
            secret = hidden or item.secret or has_secret(value)
            yield from _misfits(item.kind, value, path, hidden=secret, echoes=echoes)
            yield from _unlisted(item, value, path, hidden=secret)
            yield from beyond(item, value, path, hidden=secret)


def _unlisted(item: Property | Kind, value: Value, path: Path, *, hidden: bool) -> Iterator[Failure]:
    if item.enum and not is_unknown(value) and (plain := reveal(value)) not in item.enum:
        got = "a secret that is none of them" if hidden else repr(plain)
        yield Failure(f"expected one of {', '.join(map(repr, item.enum))}, got {got}", show(path))


def _misfits(kind: Kind, value: Value, path: Path, *, hidden: bool, echoes: bool) -> Iterator[Failure]:
    while isinstance(value, (Secret, Output)):
        value = value.value
    if kind.name == "any" or is_unknown(value) or value is None:
        return
    if echoes and kind.answer is not None and kind.answer.name != kind.name and fits(kind.answer, value):
        return
    if not fits(kind, value):
        yield Failure(f"expected {kind}, got {kind_name(value, hidden=hidden)}", show(path))
    elif kind.enum:
        yield from _unlisted(kind, value, path, hidden=hidden)
    elif kind.items:
        for key, item in value.items() if kind.name == "map" else enumerate(value):
            yield from _misfits(kind.items, item, (*path, key), hidden=hidden, echoes=echoes)
    elif kind.name == "object":
        yield from failures(kind.properties, value, path, hidden=hidden, echoes=echoes)


def fits(kind: Kind, value: Any) -> bool:
    """Whether a value is of this kind; what is inside of it is not looked at."""
    if kind.name in ("integer", "number"):
        number = isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
        return number and (kind.name == "number" or _is_whole(value))
    return isinstance(value, PYTHON_TYPES[kind.name])


def _is_whole(value: float | Decimal) -> bool:
    # An integer may be too large for a float, and so for ``math.isfinite``.
    return isinstance(value, int) or (value == value and abs(value) != math.inf and value == int(value))  # noqa: PLR0124 - NaN


def kind_name(value: Value, *, hidden: bool) -> str:
    """What kind a value is of, for an error; the number itself, unless it is ``hidden``."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float, Decimal)):
        return "another number" if hidden else f"number {value}"
    if isinstance(value, ResourceReference):
        return "resource"
    names = (name for name, types in PYTHON_TYPES.items() if isinstance(value, types))
    return next(names, type(value).__name__)
