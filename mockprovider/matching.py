"""Whether two JSON-able trees are the same, and where they differ.

A *tree* is a tree of ``dict``, ``list``, ``str``, ``int``, ``float``, ``bool`` and ``None``.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import islice
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Struct

Item = TypeVar("Item")

MOST_COMPARED = 200
"""Nearest among how many: enough for a useful answer, and a miss in a large cassette stays quick."""
MOST_ALIGNED = 12
"""Of the nearest ones of these, so many are compared with the items of their lists paired, which takes milliseconds."""


def encode(tree: Any) -> bytes:
    """The one JSON text of a tree: UTF-8, no blanks, maps sorted by key."""
    return msgspec.json.encode(tree, order="deterministic")


def digest(tree: Any) -> str:
    """SHA-256 of ``encode(tree)``, in hex. Equal trees have equal digests; ``1``, ``1.0`` and ``true`` differ."""
    return digest_of(encode(tree))


def digest_of(encoded: bytes) -> str:
    """The digest of the tree that was encoded so."""
    return hashlib.sha256(encoded).hexdigest()


class Difference(Struct, frozen=True):
    """One place where two trees differ. ``UNSET`` stands for "not there"."""

    path: str
    recorded: Any
    actual: Any

    def told(self, one: str = "recorded", other: str = "now") -> str:
        """The difference in words; ``one`` and ``other`` name the two sides."""
        return f"{self.path or '(all of it)'}: {one} {show(self.recorded)}, {other} {show(self.actual)}"


def differences(recorded: Any, actual: Any, path: str = "") -> list[Difference]:
    """Every place where ``actual`` differs from ``recorded``, in the order of the sorted keys; lists item by item."""
    return list(_differ(recorded, actual, path, _by_position))


def aligned(recorded: Any, actual: Any) -> list[Difference]:
    """As ``differences``, with the items of lists paired with those that they are most like, where that leaves fewer.

    One item more at the start of a list is one difference. A place in a list is the recorded one, or, of what was not
    recorded, the actual one.
    """
    return list(_differ(recorded, actual, "", _paired))


Lists: TypeAlias = Callable[[list[Any], list[Any], str], Iterable[Difference]]


def _differ(recorded: Any, actual: Any, path: str, lists: Lists) -> Iterator[Difference]:
    if isinstance(recorded, dict) and isinstance(actual, dict):
        for key in sorted(recorded.keys() | actual.keys()):
            yield from _differ(recorded.get(key, UNSET), actual.get(key, UNSET), step(path, key), lists)
    elif isinstance(recorded, list) and isinstance(actual, list):
        yield from lists(recorded, actual, path)
    elif type(recorded) is not type(actual) or recorded != actual:
        yield Difference(path, recorded, actual)


def _by_position(recorded: list[Any], actual: list[Any], path: str) -> Iterator[Difference]:
    for index in range(max(len(recorded), len(actual))):
        yield from _differ(_at(recorded, index), _at(actual, index), f"{path}[{index}]", _by_position)


def _paired(recorded: list[Any], actual: list[Any], path: str) -> Sequence[Difference]:
    by_position = list(_by_position(recorded, actual, path))
    if len(by_position) < 2:
        return by_position
    from deepdiff import DeepDiff  # noqa: PLC0415 - slow to import, and only a miss needs it
    from deepdiff.helper import notpresent  # noqa: PLC0415 - as above

    # deepdiff finds the pairs. To it 1 and 1.0 are equal, so it gets each scalar as its JSON text; what is only in another
    # order, or there more often, is no difference to it, so the places are what is told then.
    changes = DeepDiff(_texts(recorded), _texts(actual), ignore_order=True, report_repetition=True, view="tree")
    if "repetition_change" in changes:
        return by_position
    paired = []
    for level in (level for levels in changes.values() for level in levels):
        then, now = level.path(output_format="list"), level.path(output_format="list", use_t2=True)
        one = UNSET if level.t1 is notpresent else reduce(operator.getitem, then, recorded)
        other = UNSET if level.t2 is notpresent else reduce(operator.getitem, now, actual)
        paired.append(Difference(_spelt(path, then), one, other))
    return sorted(paired, key=lambda place: place.path) if 0 < len(paired) < len(by_position) else by_position


def _texts(tree: Any) -> Any:
    """A tree with the JSON texts of its scalars in their places."""
    if isinstance(tree, dict):
        return {key: _texts(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_texts(item) for item in tree]
    return encode(tree).decode()


def _spelt(path: str, keys: Iterable[str | int]) -> str:
    return reduce(lambda so_far, key: step(so_far, key) if isinstance(key, str) else f"{so_far}[{key}]", keys, path)


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


def nearest(
    candidates: Iterable[Item], tree_of: Callable[[Item], Any], actual: Any, most: int
) -> list[tuple[Item, list[Difference]]]:
    """The candidates whose trees differ least from ``actual``, at most so many, and how; of equally near ones the first."""
    trees = ((candidate, tree_of(candidate)) for candidate in islice(candidates, MOST_COMPARED))
    by_position = sorted(trees, key=lambda of: len(differences(of[1], actual)))
    near = [(candidate, aligned(tree, actual)) for candidate, tree in by_position[:MOST_ALIGNED]]
    return sorted(near, key=lambda of: len(of[1]))[:most]
