"""Whether two JSON-able trees are the same, and where they differ.

A *tree* is a tree of ``dict``, ``list``, ``str``, ``int``, ``float``, ``bool`` and ``None``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Struct

Item = TypeVar("Item")

MOST_COMPARED = 200
"""Nearest among how many: enough for a useful answer, and a miss in a large cassette stays quick."""


def encode(tree: Any) -> bytes:
    """The one JSON text of a tree: UTF-8, no blanks, maps sorted by key."""
    return msgspec.json.encode(tree, order="deterministic")


def digest(tree: Any) -> str:
    """SHA-256 of ``encode(tree)``, in hex. Equal trees have equal digests; ``1``, ``1.0`` and ``true`` differ."""
    return hashlib.sha256(encode(tree)).hexdigest()


class Difference(Struct, frozen=True):
    """One place where two trees differ. ``UNSET`` stands for "not there"."""

    path: str
    recorded: Any
    actual: Any

    def told(self, one: str = "recorded", other: str = "now") -> str:
        """The difference in words; ``one`` and ``other`` name the two sides."""
        return f"{self.path or '(all of it)'}: {one} {show(self.recorded)}, {other} {show(self.actual)}"


def differences(recorded: Any, actual: Any, path: str = "") -> list[Difference]:
    """Every place where ``actual`` differs from ``recorded``, in the order of the sorted keys."""
    return list(_differ(recorded, actual, path))


def _differ(recorded: Any, actual: Any, path: str) -> Iterator[Difference]:
    if isinstance(recorded, dict) and isinstance(actual, dict):
        for key in sorted(recorded.keys() | actual.keys()):
            yield from _differ(recorded.get(key, UNSET), actual.get(key, UNSET), step(path, key))
    elif isinstance(recorded, list) and isinstance(actual, list):
        for index in range(max(len(recorded), len(actual))):
            yield from _differ(_at(recorded, index), _at(actual, index), f"{path}[{index}]")
    elif type(recorded) is not type(actual) or recorded != actual:
        yield Difference(path, recorded, actual)


def _at(items: list[Any], index: int) -> Any:
    return items[index] if index < len(items) else UNSET


def step(path: str, key: str) -> str:
    """``path`` one key further: ``a.b``, or ``a["b.c"]`` where the key would be misread."""
    if not key or any(mark in key for mark in '.[]"'):
        return f"{path}[{msgspec.json.encode(key).decode()}]"
    return f"{path}.{key}" if path else key


def show(value: Any, width: int = 60) -> str:
    """``value`` in at most ``width`` characters."""
    if value is UNSET:
        return "nothing"
    text = msgspec.json.encode(value, order="deterministic").decode()
    return text if len(text) <= width else f"{text[: width - 1]}…"


def nearest(candidates: Iterable[Item], tree_of: Callable[[Item], Any], actual: Any) -> tuple[Item, list[Difference]] | None:
    """The candidate whose tree differs least from ``actual``, and how; the first of several; ``None`` if there is none."""
    best: tuple[Item, list[Difference]] | None = None
    for _, candidate in zip(range(MOST_COMPARED), candidates, strict=False):
        diffs = differences(tree_of(candidate), actual)
        if best is None or len(diffs) < len(best[1]):
            best = candidate, diffs
    return best
