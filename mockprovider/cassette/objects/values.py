"""Generated values, and how they are found in trees."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple, TypeAlias

from mockprovider.redaction import PLACEHOLDER

MARK = "\0"
"""Stands in place of a generated value; no engine sends it in a string."""
NEIGHBOURS = "[^\\W_]"
"""What may not stand directly before or after a generated string inside of another."""

LARGE = 1000
"""A number from here on is looked for under any name; a smaller one only under the name that it was generated under."""

Place: TypeAlias = tuple[str | int, ...]
"""The path of a part of an answer."""


class GeneratedValue(NamedTuple):
    """Something that the provider made up.

    ``kind`` is ``text`` (looked for inside of strings, too), ``leaf`` (only as a whole; under ``name``, if it has one) or
    ``secret`` (``name`` is the secret's kind, ``value`` its number).
    """

    kind: str
    name: str
    value: Any


class Mark(NamedTuple):
    """A generated value where it stands in a tree, and the key under which it does."""

    key: str
    value: GeneratedValue


def wholes_of(tree: Any, key: str) -> tuple[GeneratedValue, ...]:
    """The generated values that a leaf, or a placeholder, may be as a whole."""
    if tree is None or isinstance(tree, bool):
        return ()
    if isinstance(tree, dict):
        return (GeneratedValue("secret", tree.get("kind", "string"), tree[PLACEHOLDER]),)
    return GeneratedValue("leaf", key, tree), GeneratedValue("leaf", "", tree)


def text(value: str) -> GeneratedValue:
    """A generated text."""
    return GeneratedValue("text", "", value)


def finder(texts: Iterable[str]) -> re.Pattern[str]:
    """A pattern of these texts as whole words; without texts it matches nothing."""
    longest_first = sorted(texts, key=len, reverse=True)
    any_of = "|".join(map(re.escape, longest_first))
    return re.compile(f"(?<!{NEIGHBOURS})(?:{any_of})(?!{NEIGHBOURS})" if longest_first else r"(?!)")


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
