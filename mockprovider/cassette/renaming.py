"""Generated values in trees, and how to replace them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from typing import Any, TypeAlias

from mockprovider.redaction import LITERAL, PLACEHOLDER, PLAIN_BYTES, TEXT, UNKNOWN

MARK = "\0"
"""Stands in place of a generated value; no engine sends it in a string."""
NEIGHBOURS = "[^\\W_]"
"""What may not stand directly before or after a generated string inside of another."""

Atom: TypeAlias = tuple[str, str, Any]
"""Something generated: its kind (``text``, ``leaf``, ``secret``), a leaf's name or a secret's kind, and what it is."""
Mark: TypeAlias = tuple[str, Atom]
"""Something generated, and the name under which it stands."""
Place: TypeAlias = tuple[str | int, ...]
"""The path of a part of an answer."""
Pairing: TypeAlias = tuple[tuple[int, int], ...]
"""Births of the recording, and the births whose values a replay has in their places."""


class Renaming:
    """Some births' values in place of others'.

    Args:
        changes: what stands for each value, wherever that is.
        placed: what stands for a value under a name: for values that several things have, such as a time.
        doubtful: values that must not stand anywhere else, because nobody knows what is to stand for them there.
    """

    def __init__(
        self, changes: Mapping[Atom, Atom], placed: Mapping[Mark, Atom] | None = None, doubtful: Collection[Atom] = ()
    ) -> None:
        placed = placed or {}
        self.doubtful = frozenset(doubtful)
        self._certain = {*placed}
        self._changes = {one: other for one, other in changes.items() if one != other}
        self._placed = {mark: other for mark, other in placed.items() if mark[1] != other}
        self._known = self._changes.keys() | {atom for _, atom in self._placed}
        self.changes_nothing = not self._known
        self.is_whole = False
        """Whether the recorded request becomes the live one, secrets apart."""

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return finder(atom[2] for atom in self._known if atom[0] == "text")

    def __call__(self, tree: Any, key: str = "") -> Any:
        """``tree`` with the other births' values."""
        if self.changes_nothing:
            return tree
        if isinstance(tree, list):
            return [self(subtree, key) for subtree in tree]
        if isinstance(tree, dict) and PLACEHOLDER not in tree:
            return {name: self(subtree, name) for name, subtree in tree.items()}
        for whole in wholes_of(tree, key):
            if whole in self._known:
                other = self._other(key, whole)[2]
                return {**tree, PLACEHOLDER: other} if isinstance(tree, dict) else other
        if not isinstance(tree, str):
            return tree
        return self._pattern.sub(lambda match: self._other(key, ("text", "", match[0]))[2], tree)

    def is_sure(self, marks: Iterable[Mark]) -> bool:
        """Whether the replacement of each of these is known."""
        return all(mark[1] not in self.doubtful or mark in self._certain for mark in marks)

    def turns(self, recorded: Iterable[Mark], live: Iterable[Mark]) -> bool:
        """Whether it turns each recorded mark into the live one at its position."""
        return all(self._other(*mark) == atom for mark, (_, atom) in zip(recorded, live, strict=True))

    def _other(self, key: str, atom: Atom) -> Atom:
        return self._changes.get(atom) or self._placed.get((key, atom), atom)


OPEN = frozenset({PLACEHOLDER, TEXT, LITERAL, PLAIN_BYTES, UNKNOWN})


def is_verbatim(tree: Any) -> bool:
    """Whether ``tree`` has verbatim bytes, in which nothing can be replaced."""
    if isinstance(tree, list):
        return any(map(is_verbatim, tree))
    if not isinstance(tree, dict):
        return False
    return any((name.startswith("$") and name not in OPEN) or is_verbatim(subtree) for name, subtree in tree.items())


def name_of(path: Place) -> str:
    """The last key of this path; list indices do not count."""
    return next((segment for segment in reversed(path) if isinstance(segment, str)), "")


def changed_at(
    tree: Any,
    places: Collection[Place],
    change: Callable[[Any, Place], Any],
    rest: Callable[[Any, str], Any] = lambda tree, _: tree,
    path: Place = (),
) -> Any:
    """``tree`` with ``change(value, path)`` applied at these places, and ``rest(value, name)`` to every other leaf."""
    if path in places:
        return change(tree, path)
    if isinstance(tree, dict) and PLACEHOLDER not in tree:
        return {name: changed_at(subtree, places, change, rest, (*path, name)) for name, subtree in tree.items()}
    if isinstance(tree, list):
        return [changed_at(subtree, places, change, rest, (*path, n)) for n, subtree in enumerate(tree)]
    return rest(tree, name_of(path))


def wholes_of(tree: Any, key: str) -> tuple[Atom, ...]:
    """The atoms that a leaf, or a placeholder, may be as a whole."""
    if tree is None or isinstance(tree, bool):
        return ()
    if isinstance(tree, dict):
        return (("secret", tree.get("kind", "string"), tree[PLACEHOLDER]),)
    return ("leaf", key, tree), ("leaf", "", tree)


def finder(texts: Iterable[str]) -> re.Pattern[str]:
    """A pattern of these texts as whole words; without texts it matches nothing."""
    longest_first = sorted(texts, key=len, reverse=True)
    any_of = "|".join(map(re.escape, longest_first))
    return re.compile(f"(?<!{NEIGHBOURS})(?:{any_of})(?!{NEIGHBOURS})" if longest_first else r"(?!)")
