"""Makes up the values of an object that nobody set, at any depth, always the same for the same point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.fake.inventing.forms import Form, Invention, form_of
from mockprovider.properties import Kind, Property, snake_case
from mockprovider.values import Archive, Asset, Value

COLLECTIONS = frozenset({"array", "set", "map"})
ZEROES: Mapping[str, Value] = {"boolean": False, "integer": 0, "number": 0}
"""What a program may set and left out, as most clouds have it then."""


def nothing_said(_: str) -> int | None:
    """No number of elements for any path."""
    return None


class Inventor(Struct, frozen=True):
    """Makes up values for one owner.

    Args:
        token: the type or function.
        of: the object's id, or what else tells this owner from others.
        elements: how many elements a list or set has. A map has none: no program can know a key that somebody made up.
        counts: what somebody said of a path (``subnets.zones``), instead.
        config: the provider's configuration, which tells the region.
        called: what the ARN ends with, where that is not the name that is made up for it.
    """

    token: str
    of: str
    elements: int = 1
    counts: Callable[[str], int | None] = nothing_said
    config: Mapping[str, Any] = {}
    called: str = ""

    def value(self, item: Property, at: str) -> Value:
        """The value of a property at this path. What a program may set and left out is empty, unless its name says more."""
        said = self.counts(plain(at))
        if item.enum:
            return item.enum[0]
        if item.optional and item.kind.name in COLLECTIONS and said is None:
            return {} if item.kind.name == "map" else []
        if item.optional and item.kind.name in ("boolean", "integer", "number"):
            form = _form(item.kind.name, at, "")
            return form.make(self._invention(at, "")) if form else ZEROES[item.kind.name]
        return self.of_kind(item.kind, at, item.description)

    def of_kind(self, kind: Kind, at: str, description: str = "") -> Value:
        """A value of this kind, whole."""
        if kind.enum:
            return kind.enum[0]
        if kind.name == "object":
            # What is only written is in no answer.
            inside = {name: item for name, item in kind.properties.items() if not item.write_only}
            return {name: self._inside(item, f"{at}.{name}") for name, item in inside.items()}
        if kind.name in COLLECTIONS:
            return self._elements(kind, at, description)
        if kind.name in ("asset", "archive"):
            asset = Asset(text=self._invention(at, "").hex())
            return asset if kind.name == "asset" else Archive(assets={"file": asset})
        return self._scalar(kind.name, at, description)

    def _inside(self, item: Property, at: str) -> Value:
        return item.enum[0] if item.enum else self.of_kind(item.kind, at, item.description)

    def _elements(self, kind: Kind, at: str, description: str) -> Value:
        said = self.counts(plain(at))
        count = said if said is not None else 0 if kind.name == "map" else self.elements
        # Lists inside of the elements are as long as they are by default, or the object would grow without measure.
        inner = self if self.elements <= 1 else replace(self, elements=1)
        items = kind.items or Kind("any")
        if kind.name == "map":
            return {f"key{index}": inner.of_kind(items, f"{at}.key{index}", description) for index in range(count)}
        return [inner.of_kind(items, f"{at}.{index}", description) for index in range(count)]

    def _scalar(self, kind: str, at: str, description: str) -> Value:
        invention = self._invention(at, description)
        form = _form(kind, at, description)
        if form is not None:
            return form.make(invention)
        number = int(invention.hex()[:4], 16)
        return {"integer": number, "number": number, "boolean": number // 4096 % 2 == 0}.get(kind, invention.hex())

    def _invention(self, at: str, description: str) -> Invention:
        own = at == "arn"
        point = f"{self.of}\x1f{'name' if own else at}"
        return Invention(self.token, _name(at), point, description, self.config, self.called if own else "")


def plain(at: str) -> str:
    """A path as it is said: snake_case, without the indexes of elements."""
    return ".".join(snake_case(part) for part in at.split(".") if not part.isdigit())


@lru_cache(maxsize=4096)
def _name(at: str) -> str:
    """The last two names of a path; of an element of a list, in the singular."""
    parts = [part for part in at.split(".") if not part.isdigit()]
    words = [snake_case(part) for part in parts]
    if at.rpartition(".")[2].isdigit():
        words[-1] = singular(words[-1])
    return ".".join(words[-2:])


def singular(word: str) -> str:
    """``cidr_blocks`` to ``cidr_block``, ``policies`` to ``policy``, ``addresses`` to ``address``."""
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "statuses", "aliases")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is", "dns")) else word


@lru_cache(maxsize=4096)
def _form(kind: str, at: str, description: str) -> Form | None:
    return form_of(kind, _name(at), description)
