"""Finds the places that names are about. Names count in values only: a message's own fields are the protocol's words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any, TypeAlias

import msgspec

Steps: TypeAlias = tuple[str, ...]
Names: TypeAlias = Collection[str]
"""Property names, or ends of paths with dots or colons (``database.password``, ``aws:key``); list indexes do not count."""
Name: TypeAlias = str | Steps
Declarations: TypeAlias = Collection[Name]
"""Names and whole places, as a protocol declares them.

The steps of a whole place are the field of the message, and the path in the value that it holds, where ``ANY`` is any key of a
map. After the field, ``DEEP`` stands for whatever is between.
"""

ANY, DEEP = "*", "**"
INDEX = re.compile(r"\[[0-9*]*\]")
KEY = re.compile(r'\["((?:\\.|[^"\\])*)"\]')
STEPS = re.compile("[.:]")
FORMS = {ANY: "(?:[^\0]*\0)+", DEEP: "(?:[^\0]*\0)*"}
"""Patterns of steps that each end with a zero; a map's key that has dots in it is several steps."""


def steps(name: Name) -> Steps:
    """The steps of a name. Keys of maps are cut at the same marks, so that either may be written."""
    if not isinstance(name, str):
        return name
    if "[" in name:
        name = INDEX.sub("", KEY.sub(r".\1", name))
    return tuple(STEPS.split(name))


class Declared:
    """The places that ``names`` are about, in the trees of a protocol that holds its values in ``wrappers`` (see ``Marks``)."""

    def __init__(self, names: Declarations, wrappers: AbstractSet[str]) -> None:
        self._wrappers = wrappers
        self._by_last: dict[str, list[tuple[Steps, str]]] = defaultdict(list)
        for name in names:
            path = steps(name)
            self._by_last[path[-1]].append((path, name if isinstance(name, str) else ""))
        self._needles = {msgspec.json.encode(last)[1:] for last in self._by_last}

    def __bool__(self) -> bool:
        return bool(self._by_last)

    def may_be_in(self, encoded: bytes) -> bool:
        """Whether the tree of this JSON may have such a place: a look at its text, which spares most trees the walk."""
        return any(map(encoded.__contains__, self._needles))

    def of(self, path: Steps) -> str:
        """The name that is about the place with this path, from the beginning of the message; empty if there is none.

        Of a whole place, its steps with dots between.
        """
        names = self._by_last.get(path[-1]) if path else None
        start = self._start(path) if names else -1
        if not names or not 0 <= start < len(path):
            return ""
        for place, name in names:
            if path[-len(place) :] == place if name else _is(place, path, start):
                return name or ".".join(place)
        return ""

    def _start(self, path: Steps) -> int:
        """Where the path within a value begins; negative outside of values."""
        if not self._wrappers:
            return 0
        return next((place + 1 for place, step in enumerate(path) if step in self._wrappers), -1)


def _is(place: Steps, path: Steps, start: int) -> bool:
    field, *inside = place
    if start < 2 or path[start - 2] != field:
        return False
    if ANY not in inside and DEEP not in inside:
        return tuple(inside) == path[start:]
    pattern = "".join(FORMS.get(step, re.escape(step) + "\0") for step in inside)
    return re.fullmatch(pattern, "".join(f"{step}\0" for step in path[start:])) is not None


@lru_cache(maxsize=1024)
def declared(names: frozenset[Name], wrappers: frozenset[str]) -> Declared:
    """The finder of these names, made once."""
    return Declared(names, wrappers)


def of_secret(said: Any) -> Any:
    """What may be said of an unknown secret: whether it is null. How it begins is a part of it."""
    kept = {name: part for name, part in said.items() if isinstance(part, bool)} if isinstance(said, dict) else {}
    return kept or ""
