"""Properties that a program probably misspelt: the nearest is one that the type declares, and the program does not set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mockprovider.hints import near
from mockprovider.paths import Path, show
from mockprovider.properties import Kind, Property
from mockprovider.values import Bag, Output, Secret, Value

ALIKE = 0.8
"""How alike a name must be to a declared one: types that users declare by hand need not have every property."""


def doubtful(owner: str, properties: Mapping[str, Property], inputs: Bag, at: Path = ()) -> Iterator[str]:
    """A line for each property in ``inputs``, at every depth, that is almost a declared one of the type ``owner``."""
    for name, value in inputs.items():
        item = properties.get(name)
        if item is not None:
            yield from _inside(owner, item.kind, value, (*at, name))
        elif value is not None and (meant := near(name, _unset(properties, inputs), ALIKE)):
            yield f"{owner} has no property {show((*at, name))!r}. Did you mean {meant!r}? A strict double refuses it."


def _unset(properties: Mapping[str, Property], inputs: Bag) -> list[str]:
    return [name for name, item in properties.items() if inputs.get(name) is None and item.is_input]


def _inside(owner: str, kind: Kind, value: Value, at: Path) -> Iterator[str]:
    while isinstance(value, (Secret, Output)):
        value = value.value
    if kind.name == "object" and isinstance(value, Mapping):
        yield from doubtful(owner, kind.properties, value, at)
    elif kind.items is not None and isinstance(value, Mapping):
        for key, item in value.items():
            yield from _inside(owner, kind.items, item, (*at, key))
    elif kind.items is not None and isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _inside(owner, kind.items, item, (*at, index))
