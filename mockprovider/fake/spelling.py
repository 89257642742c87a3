"""Properties that nobody declares: a strict fake refuses them all, another tells of those that are probably misspelt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mockprovider.hints import misspelt, near, suggest
from mockprovider.paths import Path, show
from mockprovider.properties import Kind, Property
from mockprovider.values import Bag, Output, Secret, Value

ALIKE = 0.8
"""How alike a name must be to a declared one: types that users declare by hand need not have every property."""


def doubtful(owner: str, properties: Mapping[str, Property], inputs: Bag, what: str = "property") -> Iterator[str]:
    """A line for each of the ``strangers`` that is almost a property which the program does not set."""
    for path, declared, beside in strangers(properties, inputs):
        name, unset = str(path[-1]), _unset(declared, beside)
        if meant := near(name, unset, ALIKE) or misspelt(name, unset):
            yield f"{owner} has no {what} {show(path)!r}. {suggest(meant)} A strict double refuses it."


def strangers(
    properties: Mapping[str, Property], inputs: Bag, at: Path = ()
) -> Iterator[tuple[Path, Mapping[str, Property], Bag]]:
    """The path of each property in ``inputs`` that nobody declares, at every depth, with what is declared and set beside it."""
    for name, value in inputs.items():
        item = properties.get(name)
        if item is not None:
            yield from _inside(item.kind, value, (*at, name))
        # SDKs send null for outputs that a program reads. Two underscores are the books of SDKs and bridges (__defaults).
        elif value is not None and not name.startswith("__"):
            yield (*at, name), properties, inputs


def _unset(properties: Mapping[str, Property], inputs: Bag) -> list[str]:
    return [name for name, item in properties.items() if inputs.get(name) is None and item.is_input]


def _inside(kind: Kind, value: Value, at: Path) -> Iterator[tuple[Path, Mapping[str, Property], Bag]]:
    while isinstance(value, (Secret, Output)):
        value = value.value
    if kind.name == "object" and isinstance(value, Mapping):
        # A program may hand over what a provider answered, whole. An object without properties is open.
        answered = kind.answer.properties if kind.answer is not None else {}
        if known := {**answered, **kind.properties}:
            yield from strangers(known, value, at)
    elif kind.items is not None and isinstance(value, Mapping):
        for key, item in value.items():
            yield from _inside(kind.items, item, (*at, key))
    elif kind.items is not None and isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _inside(kind.items, item, (*at, index))
