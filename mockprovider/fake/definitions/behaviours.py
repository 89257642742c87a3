"""Behaviours in a types file: each an object whose ``kind`` says which, and whose other keys are its words in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import NODEFAULT
from msgspec.structs import FieldInfo, fields

from mockprovider.document import Node, nearest
from mockprovider.errors import DefinitionError
from mockprovider.fake.behaviours import (
    Eventual,
    Holds,
    Modified,
    Normalised,
    Pending,
    Protected,
    Quota,
    References,
    Revision,
    Slow,
)

KIND = "kind"
KINDS: Mapping[str, type[Any]] = {
    str(each.__struct_config__.tag): each
    for each in (Quota, Pending, Normalised, Revision, Modified, Protected, Holds, References, Eventual, Slow)
}
"""The behaviours that data can hold, by the kind that it calls them."""


def read_behaviours(node: Node) -> tuple[Any, ...]:
    """A resource type's behaviours. Raises ``DefinitionError``."""
    return tuple(_behaviour(each) for each in node.items())


def _behaviour(node: Node) -> Any:
    word = node.members(needed=(KIND,))[KIND]
    if word.text() not in KINDS:
        raise word.error(f"{word.value!r} is no kind of behaviour. {nearest(word.text(), KINDS, 'Kinds are')}")
    made = KINDS[word.text()]
    known = {each.name: each for each in fields(made)}
    members = node.members((KIND, *known), needed=[name for name, each in known.items() if each.default is NODEFAULT])
    given = {name: _reader(known[name])(each) for name, each in members.items() if name != KIND}
    try:
        return made(**given)
    except DefinitionError as error:
        raise node.error(str(error)) from error


def _reader(field: FieldInfo) -> Callable[[Node], Any]:
    plain: Mapping[Any, Callable[[Node], Any]] = {bool: Node.flag, int: Node.whole, float: number, tuple[str, ...]: _texts}
    # What may also be a function in Python is a word in data.
    return plain.get(field.type, _word)


def _word(node: Node) -> str:
    return node.text(empty=False)


def _texts(node: Node) -> tuple[str, ...]:
    return tuple(each.text() for each in node.items())


def number(node: Node) -> float:
    """A number. Raises ``DefinitionError``."""
    if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
        raise node.wrong("a number")
    return node.value


def dump_behaviour(behaviour: Any, owner: str) -> dict[str, Any]:
    """The data that declares ``behaviour``. Raises ``DefinitionError`` for what only Python can hold."""
    kind = next((kind for kind, each in KINDS.items() if type(behaviour) is each), None)
    values = {each.name: (getattr(behaviour, each.name), each.default) for each in fields(behaviour)} if kind else {}
    if kind is None or any(callable(value) for value, _ in values.values()):
        raise DefinitionError(
            f"{owner}: the behaviour {behaviour!r} is a Python function, and a types file cannot hold Python. Use one of "
            f"{', '.join(KINDS)}, or keep the declaration in Python."
        )
    told = {name: value for name, (value, default) in values.items() if value != default}
    return {KIND: kind} | {name: list(value) if isinstance(value, tuple) else value for name, value in told.items()}
