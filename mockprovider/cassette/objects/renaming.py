"""Some objects' values in place of others'."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Any, TypeAlias

from mockprovider.cassette.objects.values import GeneratedValue, Mark, finder, text, wholes_of
from mockprovider.redaction import LITERAL, PLACEHOLDER, PLAIN_BYTES, TEXT, UNKNOWN

Pairing: TypeAlias = tuple[tuple[int, int], ...]
"""The recorded objects that a recorded call is about, each with the live object in its place in a call of the replay."""

OPEN = frozenset({PLACEHOLDER, TEXT, LITERAL, PLAIN_BYTES, UNKNOWN})


class Renaming:
    """Replaces the values of recorded objects by those that the live objects in their places have.

    Args:
        changes: what stands for each value, wherever that is.
        placed: what stands for a value under a key: for values that several things have, such as a time.
        doubtful: values that must not stand anywhere else, because nobody knows what is to stand for them there.
    """

    def __init__(
        self,
        changes: Mapping[GeneratedValue, GeneratedValue],
        placed: Mapping[Mark, GeneratedValue] | None = None,
        doubtful: Collection[GeneratedValue] = (),
    ) -> None:
        placed = placed or {}
        self.doubtful = frozenset(doubtful)
        self._certain = {*placed}
        self._changes = {one: other for one, other in changes.items() if one != other}
        self._placed = {mark: other for mark, other in placed.items() if mark.value != other}
        self._known = self._changes.keys() | {value for _, value in self._placed}
        self.changes_nothing = not self._known
        self.is_whole = False
        """Whether the recorded request becomes the live one, secrets apart."""

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return finder(value.value for value in self._known if value.kind == "text")

    def __call__(self, tree: Any, key: str = "") -> Any:
        """``tree`` with the live objects' values."""
        if self.changes_nothing:
            return tree
        if isinstance(tree, list):
            return [self(subtree, key) for subtree in tree]
        if isinstance(tree, dict) and PLACEHOLDER not in tree:
            return {name: self(subtree, name) for name, subtree in tree.items()}
        for whole in wholes_of(tree, key):
            if whole in self._known:
                other = self._other(key, whole).value
                return {**tree, PLACEHOLDER: other} if isinstance(tree, dict) else other
        if not isinstance(tree, str):
            return tree
        return self._pattern.sub(lambda match: self._other(key, text(match[0])).value, tree)

    def is_sure(self, marks: Iterable[Mark]) -> bool:
        """Whether the replacement of each of these is known."""
        return all(mark.value not in self.doubtful or mark in self._certain for mark in marks)

    def turns(self, recorded: Iterable[Mark], live: Iterable[Mark]) -> bool:
        """Whether it turns each recorded mark into the live one at its position."""
        return all(self._other(*mark) == now.value for mark, now in zip(recorded, live, strict=True))

    def _other(self, key: str, value: GeneratedValue) -> GeneratedValue:
        return self._changes.get(value) or self._placed.get(Mark(key, value), value)


def is_verbatim(tree: Any) -> bool:
    """Whether ``tree`` has verbatim bytes, in which nothing can be replaced."""
    if isinstance(tree, list):
        return any(map(is_verbatim, tree))
    if not isinstance(tree, dict):
        return False
    return any((name.startswith("$") and name not in OPEN) or is_verbatim(subtree) for name, subtree in tree.items())
