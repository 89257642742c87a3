"""Values that somebody states, and what they leave out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from mockprovider.properties import Kind, Property
from mockprovider.values import Secret, Value, reveal, same

Invent = Callable[[Property, str], Value]
"""Makes up the value of a property at a path."""

NESTED = frozenset({"array", "set", "map", "object"})


class Stated(Struct, frozen=True):
    """Computes a property: the value that was stated, whatever the object is."""

    value: Value
    fill: bool = True
    """Whether what it leaves out of an object is made up."""
    wins: bool = False
    """Whether it counts where the program says something else."""

    def __call__(self, _: Mapping[str, Any]) -> Value:
        """The value."""
        return self.value

    def final(self, kind: Kind, at: str, prior: Value, invent: Invent) -> Value:
        """The value with what it leaves out; what an object has already stays, if it is as stated."""
        if agrees(self.value, prior):
            return prior
        return completed(kind, self.value, at, invent) if self.fill else self.value


def agrees(stated: Value, prior: Value) -> bool:
    """Whether an object's value is as stated, what is left out aside."""
    stated, prior = reveal(stated), reveal(prior)
    if isinstance(stated, Mapping) and isinstance(prior, Mapping):
        return all(name in prior and agrees(value, prior[name]) for name, value in stated.items())
    if isinstance(stated, (list, tuple)) and isinstance(prior, (list, tuple)):
        return len(stated) == len(prior) and all(map(agrees, stated, prior))
    return same(stated, prior)


def completed(kind: Kind, value: Value, at: str, invent: Invent) -> Value:
    """``value`` with what its objects leave out, complete by ``invent``."""
    if isinstance(value, Secret):
        return Secret(completed(kind, value.value, at, invent))
    if kind.name == "object" and isinstance(value, Mapping):
        return whole(kind.properties, value, invent, at)
    items = kind.items
    if items is None or items.name not in NESTED or not isinstance(value, (Mapping, list, tuple)):
        return value
    if isinstance(value, Mapping):
        return {key: completed(items, item, f"{at}.{key}", invent) for key, item in value.items()}
    return [completed(items, item, f"{at}.{index}", invent) for index, item in enumerate(value)]


def whole(properties: Mapping[str, Property], given: Mapping[str, Value], invent: Invent, at: str = "") -> dict[str, Value]:
    """The object with these properties: those that are ``given``, and those that are made up."""
    complete: dict[str, Value] = dict(given)
    for name, item in properties.items():
        path = f"{at}.{name}" if at else name
        complete[name] = completed(item.kind, given[name], path, invent) if name in given else invent(item, path)
        if item.secret and not isinstance(complete[name], Secret):
            complete[name] = Secret(complete[name])
    return complete
