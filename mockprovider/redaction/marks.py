"""How protocols mark values in their messages, as data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct


def _never(_: str) -> bool:
    return False


class Marks(Struct, frozen=True):
    """How a protocol marks values in its messages: an object with the key ``signature`` is a secret, an output or bytes, by the
    value that it has there. ``unknowns`` are the texts that stand for what is not known yet: an unknown secret hides nothing.

    ``wrappers`` are the keys under which messages have values: names of places count there, or everywhere if there are none.
    ``words`` are the fields outside of these that hold words of the protocol or of a schema, which a secret may equal by
    chance. ``is_word`` says the same of base64 inside a value.
    ``paths`` are fields of messages that have paths of properties for keys, and no values.

    A protocol without marks declares its secrets by name alone.
    """

    signature: str = ""
    secret: str = ""
    output: str = ""
    bytes: str = ""
    unknowns: frozenset[str] = frozenset()
    wrappers: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    is_word: Callable[[str], bool] = _never
    paths: frozenset[str] = frozenset()

    def named(self, path: Sequence[str]) -> str:
        """A place of a message as somebody would name it: without the message's field, and what values are wrapped in."""
        start = next((at + 1 for at, step in enumerate(path) if step in self.wrappers), 1)
        return ".".join(path[start:] or path)


UNMARKED = Marks()


def without_words(tree: Any, marks: Marks, *, inside: bool = False) -> Any:
    """A message's tree without the fields that hold words; ``inside`` of a value there are none."""
    if isinstance(tree, list):
        return [without_words(item, marks, inside=inside) for item in tree]
    if inside or not isinstance(tree, dict) or not marks.words:
        return tree
    return {
        key: without_words(item, marks, inside=key in marks.wrappers) for key, item in tree.items() if key not in marks.words
    }
