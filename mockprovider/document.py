"""A JSON document under inspection: each value with its place, so that every complaint can say where, what and what instead."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NoReturn

from mockprovider.errors import DefinitionError
from mockprovider.paths import Path, show

COMMENT = "$comment"
"""Allowed in every object, and ignored: JSON has no comments of its own."""

LONGEST = 60
"""More of a wrong value than this many characters does not help to find it."""


def parse(text: str, origin: str) -> Any:
    """What the JSON ``text`` holds. Raises ``DefinitionError`` with line and column, and for a key that stands twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = next(key for position, (key, _) in enumerate(pairs) if key in dict(pairs[:position]))
            raise DefinitionError(
                f"{origin}: one object has the key {twice!r} twice, and only one can count. Remove the other."
            )
        return found

    def number(digits: str) -> float:
        if math.isinf(float(digits)):
            raise DefinitionError(f"{origin}: {shortened(digits)} is too large: a number is a double, which ends at 1.8e308.")
        return float(digits)

    def whole(digits: str) -> int:
        number(digits)
        return int(digits)

    def constant(word: str) -> NoReturn:
        raise DefinitionError(f"{origin}: {word} is no JSON. Write a number, or leave it out.")

    try:
        return json.loads(text, object_pairs_hook=once, parse_float=number, parse_int=whole, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise DefinitionError(f"{origin}, line {error.lineno}, column {error.colno}: this is no JSON: {error.msg}.") from error
    except RecursionError as error:
        raise DefinitionError(f"{origin}: nested too deeply to be read. A types file needs a dozen levels.") from error


def nearest(word: str, known: Collection[str], what: str) -> str:
    """The end of a message about a wrong word: the one that was probably meant, or else all of them."""
    close = difflib.get_close_matches(word, known, n=1)
    return f"Did you mean {close[0]!r}?" if close else f"{what}: {', '.join(sorted(known)) or 'none'}."


class Node:
    """One value of a document: ``value`` itself, the document's ``origin``, and the ``path`` that leads to it."""

    __slots__ = ("origin", "path", "value")

    def __init__(self, value: Any, origin: str, path: Path = ()) -> None:
        self.value = value
        self.origin = origin
        self.path = path

    def error(self, message: str) -> DefinitionError:
        """The error that says ``message`` about this place."""
        where = f"{self.origin}: {show(self.path)}" if self.path else self.origin
        return DefinitionError(f"{where}: {message}")

    def wrong(self, expected: str) -> DefinitionError:
        """The error for a value of another kind than ``expected``."""
        if callable(self.value):
            return self.error(
                f"a Python function stands here, and data cannot hold Python. Write {expected}, or declare it in Python."
            )
        return self.error(f"{describe(self.value)} stands here. Write {expected}.")

    def members(self, known: Collection[str] | None = None, needed: Collection[str] = ()) -> dict[str, Node]:
        """An object's members. With ``known``, no other keys may stand there but a comment, which is left out.

        Raises ``DefinitionError``.
        """
        if not isinstance(self.value, Mapping):
            raise self.wrong("an object in braces")
        for key in needed:
            if key not in self.value:
                raise self.error(f"the key {key!r} is missing. Add it.")
        found: dict[str, Node] = {}
        for key, value in self.value.items():
            if not isinstance(key, str):
                raise self.error(f"the key {key!r} is no text. Keys are strings.")
            node = Node(value, self.origin, (*self.path, key))
            if known is None or key in known:
                found[key] = node
            elif key == COMMENT:
                node.text()
            else:
                raise self.error(f"there is no key {key!r} here. {nearest(key, known, 'Keys here are')}")
        return found

    def items(self) -> list[Node]:
        """A list's items. Raises ``DefinitionError``."""
        if isinstance(self.value, str) or not isinstance(self.value, Sequence):
            raise self.wrong("a list in brackets")
        return [Node(value, self.origin, (*self.path, index)) for index, value in enumerate(self.value)]

    def text(self, *, empty: bool = True) -> str:
        """A string. Raises ``DefinitionError``."""
        if not isinstance(self.value, str):
            raise self.wrong("a string in quotes")
        if not (self.value or empty):
            raise self.error("this string is empty. Fill it, or leave the key out.")
        return self.value

    def flag(self) -> bool:
        """A boolean. Raises ``DefinitionError``."""
        if not isinstance(self.value, bool):
            raise self.wrong("true or false, without quotes")
        return self.value

    def whole(self) -> int:
        """An integer of at least 0. Raises ``DefinitionError``."""
        integral = isinstance(self.value, int) or (isinstance(self.value, float) and self.value.is_integer())
        if isinstance(self.value, bool) or not integral:
            raise self.wrong("a whole number")
        if self.value < 0:
            raise self.error(f"{self.value} is below 0. Count from 0.")
        return int(self.value)

    def plain(self) -> Any:
        """Any value of JSON's, as it is. Raises ``DefinitionError`` for what JSON cannot hold."""
        if isinstance(self.value, Mapping):
            return {name: node.plain() for name, node in self.members().items()}
        if isinstance(self.value, (list, tuple)):
            return [node.plain() for node in self.items()]
        if (
            self.value is None
            or isinstance(self.value, (int, str))
            or (isinstance(self.value, float) and math.isfinite(self.value))
        ):
            return self.value
        raise self.wrong("a value of JSON's: null, true, false, a number, a string, a list or an object")


def describe(value: Any) -> str:
    """``value`` as its author would find it: as JSON where it is JSON, and short."""
    return shortened(json.dumps(value, default=repr, ensure_ascii=False))


def shortened(text: str) -> str:
    """``text``, or its beginning."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
