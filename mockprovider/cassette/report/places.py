"""Where in recorded messages secrets and verbatim bytes are: names of places, as users give them, never values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from mockprovider.redaction import LITERAL, PLACEHOLDER, PLAIN_BYTES, TEXT, UNKNOWN, Marks, numbers

Steps = tuple[str, ...]


class KeptPlace(Struct, frozen=True):
    """A place of a message: its name, the numbers of the secrets that are there, and the key under which it holds bytes."""

    path: str
    secrets: tuple[int, ...] = ()
    key: str = ""


def places(tree: Any, marks: Marks) -> Iterator[KeptPlace]:
    """The places of a tree that hold secrets or verbatim bytes."""
    return _places(tree, (), marks)


def _places(tree: Any, path: Steps, marks: Marks) -> Iterator[KeptPlace]:
    if isinstance(tree, list):
        for item in tree:
            yield from _places(item, path, marks)
    elif isinstance(tree, dict) and (PLACEHOLDER in tree or TEXT in tree):
        yield KeptPlace(marks.named(path), tuple(numbers(tree)))
    elif isinstance(tree, dict):
        members = tree[LITERAL] if tree.keys() == {LITERAL} else tree
        for key, item in members.items():
            if _is_verbatim(key, item):
                yield KeptPlace(marks.named(path), key=key)
            else:
                # A wrapper's value is in the place of the wrapper.
                wrapped = bool(marks.signature) and marks.signature in members and key == "value"
                yield from _places(item, path if wrapped else (*path, key), marks)


def _is_verbatim(key: str, item: Any) -> bool:
    """Whether this is base64 of something of which no better form is known."""
    return key.startswith("$") and key != PLAIN_BYTES and isinstance(item, str) and not (key == UNKNOWN and not item)
