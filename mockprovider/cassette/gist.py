"""What the answer to a call comes to, in words that all protocols share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from mockprovider.redaction import PLACEHOLDER, TEXT


class Gist(Struct, frozen=True, kw_only=True):
    """What a recorded answer says about an object, read from the trees, so that secrets stay placeholders.

    ``failures`` are sentences. ``before`` and ``after`` are the object's properties, ``None`` where there is no object or none
    is told. ``changes`` are the paths that a plan would change, ``None`` where nothing is planned; ``replaces`` those of them
    that need a new object. ``gone``: it was looked for and is not there.
    """

    failures: tuple[str, ...] = ()
    before: Any = None
    after: Any = None
    changes: tuple[str, ...] | None = None
    replaces: tuple[str, ...] = ()
    gone: bool = False


def worded(tree: Any) -> str:
    """A text of a recording with words in the place of its secrets; of what is no text, nothing."""
    if isinstance(tree, Mapping) and TEXT in tree:
        return "".join(map(worded, tree[TEXT]))
    if isinstance(tree, Mapping) and PLACEHOLDER in tree:
        return f"[secret {tree[PLACEHOLDER]}]"
    return tree if isinstance(tree, str) else ""


def changed(before: Any, after: Any) -> tuple[str, ...]:
    """The names of the properties that two states of an object do not share. Nothing may be written as null or as empty."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return ()
    return tuple(name for name in sorted(before.keys() | after.keys()) if _set(before.get(name)) != _set(after.get(name)))


def _set(value: Any) -> Any:
    return None if value in ({}, [], "") else value
