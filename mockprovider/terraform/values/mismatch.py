"""Errors for values that do not fit their type, with the path, the needed type and the nearest name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from mockprovider.errors import MalformedError
from mockprovider.hints import did_you_mean
from mockprovider.terraform.values.types import Type

Where: TypeAlias = "str | tuple[Where, str | int | tuple[str]]"
"""The path of a value: its owner's name, or its owner's path and an attribute's name, an index, or a key in a tuple.

Only errors make text of it.
"""


def show(where: Where) -> str:
    """A path as text: ``rules[0].labels["a"]``."""
    if isinstance(where, str):
        return where
    owner, step = show(where[0]), where[1]
    if isinstance(step, str):
        return f"{owner}.{step}" if owner else step
    return f"{owner}[{step}]" if isinstance(step, int) else f'{owner}["{step[0]}"]'


def expect(value: Any, kinds: type | tuple[type, ...], declared: Type, where: Where) -> Any:
    """``value``, if it has one of the Python types ``kinds``. Raises ``MalformedError`` if not."""
    if not isinstance(value, kinds):
        raise wrong(value, declared, where)
    return value


def wrong(value: Any, declared: Type, where: Where) -> MalformedError:
    """The error of a value that is no ``declared``."""
    # The value itself may be a secret.
    kind = "null" if value is None else type(value).__name__
    return MalformedError(f"{show(where) or 'value'}: expected {declared.name}, got {kind}.")


def check_names(members: Mapping[str, Any], declared: Type, where: Where) -> None:
    """Raises ``MalformedError`` for a name that is no attribute of the object type ``declared``."""
    for name in members:
        if name not in declared.attributes:
            hint = did_you_mean(str(name), declared.attributes, "It has")
            raise MalformedError(f"{show(where) or 'object'}: there is no attribute {name!r}. {hint}")


def check_length(items: Sequence[Any], declared: Type, where: Where) -> None:
    """Raises ``MalformedError`` unless there are as many ``items`` as the tuple type ``declared`` has."""
    wanted = len(declared.elements)
    if len(items) != wanted:
        raise MalformedError(f"{show(where) or 'value'}: a tuple of {wanted} is needed, these are {len(items)}.")
