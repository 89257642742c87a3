"""A JSON document under inspection: each value with its place, so that every complaint can say where, what and what instead.

``decode`` makes msgspec's structs of a document, whose types say what may stand where, and ``encode`` is the way back. ``fit``
has a struct that was made in Python obey the same types. In the metadata of a type, ``refusal`` is what a wrong value is told,
``expected`` what to write, and ``what`` what a word should be.
"""

from __future__ import annotations

import json
import math
import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import cache
from threading import RLock
from typing import Annotated, Any, NoReturn, TypeAlias, TypeVar

from msgspec import NODEFAULT, Meta, Struct, ValidationError, convert
from msgspec import inspect as types
from msgspec.structs import fields, force_setattr

from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean
from mockprovider.paths import Path, show

COMMENT = "$comment"
"""Allowed in every object, and ignored: JSON has no comments of its own."""

Word: TypeAlias = Annotated[str, Meta(min_length=1)]
Count: TypeAlias = Annotated[int, Meta(ge=0)]
Number: TypeAlias = Annotated[float | int, Meta(extra={"expected": "a number"})]
"""What documents hold. A whole number stays one: ``2`` is not written back as ``2.0``."""

LEFT_OUT = "left_out"
"""The attribute of a struct's class with the keys of its base that do not stand in a document."""

T = TypeVar("T", bound=Struct)

LONGEST = 60
"""More of a wrong value than this many characters does not help to find it."""

READING = RLock()
"""One thread reads at a time: two that are the first to ask msgspec about the same structs end the process."""

DEEP = "nested too deeply to be read. A dozen levels do."


def parse(text: str, origin: str) -> Any:
    """What the JSON ``text`` holds. Raises ``DefinitionError`` with line and column, and for a key that stands twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            twice = next(key for position, (key, _) in enumerate(pairs) if key in dict(pairs[:position]))
            raise DefinitionError(
                f"{origin}: one object has the key {twice!r} twice, and only one can count. Remove the other."
            )
        return members

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
        raise DefinitionError(f"{origin}: {DEEP}") from error


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

    @contextmanager
    def placed(self) -> Iterator[None]:
        """Put this place in front of the message of an error raised inside the block."""
        try:
            yield
        except (DefinitionError, ValidationError) as error:
            raise self.error(str(error)) from error

    def at(self, *keys: str | int) -> Node:
        """The place under these keys, one inside the other, whether something stands there or not."""
        value = self.value
        for key in keys:
            value = value[key] if isinstance(key, int) else value.get(key) if isinstance(value, Mapping) else None
        return Node(value, self.origin, (*self.path, *keys))

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
        nodes: dict[str, Node] = {}
        for key, value in self.value.items():
            if not isinstance(key, str):
                raise self.error(f"the key {key!r} is no text. Keys are strings.")
            node = type(self)(value, self.origin, (*self.path, key))
            if known is None or key in known:
                nodes[key] = node
            elif key == COMMENT:
                node.text()
            else:
                raise self.error(f"there is no key {key!r} here. {did_you_mean(key, known, 'Keys here are')}")
        return nodes

    def items(self, expected: str = "a list in brackets") -> list[Node]:
        """A list's items, which is what is ``expected``. Raises ``DefinitionError``."""
        if isinstance(self.value, str) or not isinstance(self.value, Sequence):
            raise self.wrong(expected)
        return [type(self)(value, self.origin, (*self.path, index)) for index, value in enumerate(self.value)]

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

    def number(self) -> float:
        """A number, as it is. Raises ``DefinitionError``."""
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            raise self.wrong("a number")
        return self.value

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


class Argument(Node):
    """A value that Python gave: where a document may hold anything, it may be anything."""

    __slots__ = ()

    def plain(self) -> Any:
        """The value, as it is."""
        return self.value


def describe(value: Any) -> str:
    """``value`` as its author would find it: as JSON where it is JSON, and short."""
    try:
        return shortened(json.dumps(value, default=repr, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):  # its keys are no text, or it is inside itself
        return f"a {type(value).__name__}"


def shortened(text: str) -> str:
    """``text``, or its beginning."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


# Structs ---------------------------------------------------------------------------------------------------------------


def decode(node: Node, shape: type[T]) -> T:
    """The struct ``shape`` that the document declares. Raises ``DefinitionError`` for the first value that does not fit it."""
    with READING:
        struct: T = _read(node, _inspected(shape))
    return struct


def fit(struct: Struct, origin: str) -> None:
    """Have what Python gave a struct be what ``decode`` would have made of it: an enum of its word, a tuple of a list.

    Raises ``DefinitionError``, which begins with ``origin``, for the first value that does not fit its field.
    """
    regular = _defaults(type(struct))
    for item in _inspected(type(struct)).fields:
        value = getattr(struct, item.name)
        if value is not regular[item.name]:
            force_setattr(struct, item.name, _read(Argument(value, origin, (item.encode_name,)), item.type))


def encode(struct: Struct) -> dict[str, Any]:
    """The data that ``decode`` makes ``struct`` of: its tag, and what is not as it would be anyway."""
    config = struct.__struct_config__
    keys = dict(zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True))
    tag = {config.tag_field: config.tag} if config.tag_field else {}
    return tag | {keys[name]: _data(value) for name, value in stated(struct).items()}


def stated(struct: Struct) -> dict[str, Any]:
    """The fields of ``struct`` that are not as they would be anyway, by name."""
    regular = _defaults(type(struct))
    return {name: value for name in regular if (value := getattr(struct, name)) != regular[name]}


def _data(value: Any) -> Any:
    if isinstance(value, Struct):
        return encode(value)
    if isinstance(value, Mapping):
        return {key: _data(item) for key, item in value.items()}
    if isinstance(value, StrEnum):
        return value.value
    return [_data(item) for item in value] if isinstance(value, (list, tuple)) else value


@cache
def _defaults(shape: type[Struct]) -> Mapping[str, Any]:
    return {item.name: item.default if item.default_factory is NODEFAULT else item.default_factory() for item in fields(shape)}


@cache
def _inspected(shape: Any) -> Any:
    return types.type_info(shape)


def _read(node: Node, type_: Any, words: Mapping[str, str] | None = None) -> Any:
    """What msgspec makes a value of ``type_`` of. Raises ``DefinitionError``, in the type's own ``words`` if it has some."""
    if isinstance(type_, types.Metadata):
        return _read(node, type_.type, {**(words or {}), **(type_.extra or {})})
    return READERS[type(type_)](node, type_, words or {})


def _struct(node: Node, type_: Any, _: Mapping[str, str]) -> Any:
    left_out = getattr(type_.cls, LEFT_OUT, ())
    known = {item.encode_name: item for item in type_.fields if item.encode_name not in left_out}
    tag = [type_.tag_field] if isinstance(type_, types.StructType) and type_.tag_field else []
    members = node.members((*tag, *known), needed=[key for key, item in known.items() if item.required])
    values = {key: _read(member, known[key].type) for key, member in members.items() if key in known}
    with node.placed():
        return convert(values, type_.cls)


def _dict(node: Node, type_: Any, words: Mapping[str, str]) -> Any:
    members = node.members()
    if len(members) < (type_.min_length or 0):
        raise node.error(words["refusal"])
    for name, member in members.items():
        _read(Node(name, node.origin, member.path), type_.key_type)
    return {name: _read(member, type_.value_type) for name, member in members.items()}


def _list(node: Node, type_: Any, words: Mapping[str, str]) -> Any:
    items = node.items(words.get("expected", "a list in brackets"))
    if len(items) < (type_.min_length or 0):
        raise node.error(words["refusal"]) if "refusal" in words else node.wrong(words["expected"])
    return tuple(_read(item, type_.item_type) for item in items)


def _union(node: Node, type_: Any, words: Mapping[str, str]) -> Any:
    tagged = {str(kind.tag): kind for kind in type_.types if isinstance(kind, types.StructType) and kind.tag_field}
    if tagged:
        key = next(iter(tagged.values())).tag_field or ""
        return _read(node, tagged[_known_word(node.members(needed=(key,))[key], tagged, words)])
    for kind in type_.types:
        bare = kind.type if isinstance(kind, types.Metadata) else kind
        if isinstance(node.value, WRITTEN[type(bare)]):
            return _read(node, kind, words)
    if "expected" in words:
        raise node.wrong(words["expected"])
    return _read(node, type_.types[-1], words)


def _known_word(node: Node, known: Collection[str], words: Mapping[str, str]) -> str:
    if node.text() not in known:
        raise node.error(
            f"{node.value!r} is no {words.get('what', 'word for this')}. {did_you_mean(node.text(), known, 'There are')}"
        )
    return node.text()


def _literal(node: Node, type_: Any, words: Mapping[str, str]) -> Any:
    if any(isinstance(value, str) for value in type_.values):
        return _known_word(node, type_.values, words)
    # True equals 1, and is none.
    if isinstance(node.value, bool) or node.value not in type_.values:
        raise node.wrong(" or ".join(map(describe, type_.values)))
    return node.value


def _text(node: Node, type_: Any, words: Mapping[str, str]) -> str:
    text = node.text(empty=not type_.min_length)
    if type_.pattern and not re.fullmatch(type_.pattern, text):
        raise node.error(words["refusal"].format(text))
    return text


def _any(node: Node, _: Any, words: Mapping[str, str]) -> Any:
    if node.value is None and "refusal" in words:
        raise node.error(words["refusal"])
    return node.plain()


def _bounded(node: Node, number: float, type_: Any, words: Mapping[str, str]) -> float:
    """The number, if it is within the bounds of its type. What is no number at all is within none."""
    bounds = {holds: getattr(type_, name) for name, holds in BOUNDS.items()}
    if not all(bound is None or holds(number, bound) for holds, bound in bounds.items()):
        raise node.wrong(words["expected"])
    return number


BOUNDS: Mapping[str, Callable[[float, float], bool]] = {
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
}
READERS: Mapping[type, Callable[[Node, Any, Mapping[str, str]], Any]] = {
    types.StructType: _struct,
    types.TypedDictType: _struct,
    types.DictType: _dict,
    types.ListType: _list,
    types.VarTupleType: _list,
    types.CollectionType: _list,
    types.EnumType: lambda node, type_, words: type_.cls(_known_word(node, [word.value for word in type_.cls], words)),
    types.UnionType: _union,
    types.LiteralType: _literal,
    types.StrType: _text,
    types.IntType: lambda node, type_, words: _bounded(node, node.whole(), type_, words),
    types.FloatType: lambda node, type_, words: _bounded(node, node.number(), type_, words),
    types.BoolType: lambda node, *_: node.flag(),
    types.AnyType: _any,
}
WRITTEN: Mapping[type, type | tuple[type, ...]] = {
    types.BoolType: bool,
    types.StrType: str,
    types.LiteralType: str,
    types.EnumType: str,
    types.CollectionType: (list, tuple),
    types.FloatType: (int, float),
    types.IntType: (),
    types.VarTupleType: (list, tuple),
    types.DictType: Mapping,
    types.StructType: Mapping,
}
"""By what a union's types are told apart. An integer is a number of its own nowhere: beside ``float`` it needs no place."""
