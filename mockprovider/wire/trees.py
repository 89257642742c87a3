"""Messages as readable trees for cassettes, and back: an equal message, presence and unknown fields included.

Fields go by their proto names, and only those that are set are there, so that unset and empty stay apart; enums are names.
What else a field may hold has a ``Leaf``. Here a ``google.protobuf.Struct`` is plain JSON and bytes are base64; a protocol
with values of its own says in ``Trees.leaf`` how those are written.
"""

from __future__ import annotations

import base64
import functools
import math
import reprlib
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

from google.protobuf import message_factory, struct_pb2
from google.protobuf.message import DecodeError, Message
from msgspec import Struct

from mockprovider.errors import MalformedError
from mockprovider.wire.depth import check_depth

M = TypeVar("M", bound=Message)
Tree: TypeAlias = Any
"""What JSON can hold."""

RAW = "$raw"
"""Where a message that its tree does not give back (fields that we do not know, NaN in a Struct) keeps its bytes."""


class Leaf(Struct, frozen=True):
    """How one value of a field is written as JSON, and read again. ``fill`` reads it into an empty message, without a copy."""

    show: Callable[[Any], Tree]
    read: Callable[[Tree], Any]
    fill: Callable[[Any, Tree], None] | None = None


class Trees:
    """One way of writing messages as trees. ``exact``, it raises ``_InexactError`` for what would come back as another."""

    def __init__(self, *, exact: bool = False) -> None:
        self.exact = exact
        self._well_known = _well_known(exact=exact)
        # A cassette has thousands of messages of a few types.
        self._shown, self._filled = functools.cache(self._shower), functools.cache(self._fillers)

    def leaf(self, field: Any) -> Leaf:
        """How single values of ``field``, a descriptor, are written: of a map's, that of its values."""
        if field.type == field.TYPE_MESSAGE:
            return self._well_known.get(field.message_type.full_name) or Leaf(self.tree, self._builder(field.message_type))
        if field.type == field.TYPE_ENUM:
            return _enumeration(field.enum_type)
        return BASE64 if field.type == field.TYPE_BYTES else SAME

    def tree(self, message: Message) -> dict[str, Tree]:
        """The tree of the fields of ``message``."""
        # Most values are texts, and these are shown as they are.
        fields = message.ListFields()
        return {field.name: value if type(value) is str else self._shown(field)(value) for field, value in fields}

    def build(self, cls: type[M], tree: Mapping[str, Tree]) -> M:
        """The message of ``tree``. Raises ``MalformedError``, naming message and field, for a tree that is none of ``cls``."""
        message, name = cls(), cls.DESCRIPTOR.full_name
        if not isinstance(tree, (dict, Mapping)):
            raise MalformedError(f"{name}: an object is needed, this is {reprlib.repr(tree)}.")
        fillers = self._filled(cls.DESCRIPTOR)
        for field, item in tree.items():
            if field not in fillers:
                raise MalformedError(f"{name} has no field {field!r}. Was the cassette edited by hand?")
            try:
                fillers[field](message, item)
            except MalformedError as error:
                raise MalformedError(f"{name}.{field}: {error}") from error
            except (TypeError, ValueError, KeyError, AttributeError, OverflowError, DecodeError) as error:
                raise MalformedError(f"{name}.{field}: {reprlib.repr(item)} cannot be read: {error}.") from error
        return message

    def _builder(self, descriptor: Any) -> Callable[[Tree], Message]:
        cls = message_factory.GetMessageClass(descriptor)
        return lambda tree: self.build(cls, tree)

    def _shower(self, field: Any) -> Callable[[Any], Tree]:
        entry = _entry(field)
        show = self.leaf(entry or field).show
        if entry is not None:
            if self.exact and field.message_type.fields_by_name["key"].type != field.TYPE_STRING:
                return _refuse
            return lambda values: {str(key): show(values[key]) for key in sorted(values)}
        return (lambda values: [show(value) for value in values]) if _is_repeated(field) else show

    def _fillers(self, descriptor: Any) -> dict[str, Callable[[Any, Tree], None]]:
        return {field.name: self._filler(field) for field in descriptor.fields}

    def _filler(self, field: Any) -> Callable[[Any, Tree], None]:
        entry, name = _entry(field), field.name
        leaf = self.leaf(entry or field)
        read, fill = leaf.read, leaf.fill

        def fill_map(message: Any, tree: Tree) -> None:
            target = getattr(message, name)
            for key, subtree in tree.items():
                if entry.type == entry.TYPE_MESSAGE:
                    target[key].CopyFrom(read(subtree))
                else:
                    target[key] = read(subtree)

        def fill_message(message: Any, tree: Tree) -> None:
            target = getattr(message, name)
            target.SetInParent()
            fill(target, tree) if fill else target.CopyFrom(read(tree))

        if entry is not None:
            return fill_map
        if _is_repeated(field):
            return lambda message, tree: getattr(message, name).extend(read(subtree) for subtree in tree)
        if field.type == field.TYPE_MESSAGE:
            return fill_message
        return lambda message, tree: setattr(message, name, read(tree))


def tree(message: Message) -> dict[str, Tree]:
    """The tree of ``message``, with its bytes beside it where the tree alone would not give it back."""
    try:
        shown = EXACT.tree(message)
        if _is_known(message):
            return shown
    except _InexactError:
        shown = PLAIN.tree(message)
    return {**shown, RAW: base64.b64encode(encode(message)).decode()}


def _is_known(message: Message) -> bool:
    """Whether a message has no field, at any depth, that its descriptor does not know."""
    known = type(message)()
    known.CopyFrom(message)
    known.DiscardUnknownFields()
    return known.ByteSize() == message.ByteSize()


def build(cls: type[M], tree: Mapping[str, Tree]) -> M:
    """The message of ``tree``. Raises ``MalformedError`` for a tree that is none of ``cls``."""
    # Nearly all trees are dicts, and asking an abstract class takes long.
    raw = tree.get(RAW) if isinstance(tree, (dict, Mapping)) else None
    if raw is None:
        return PLAIN.build(cls, tree)
    try:
        data = base64.b64decode(raw)
        check_depth(data, cls.DESCRIPTOR, cls.DESCRIPTOR.full_name)
        return cls.FromString(data)
    except (TypeError, ValueError, DecodeError) as error:
        raise MalformedError(f"{cls.DESCRIPTOR.full_name}: the bytes in {RAW!r} cannot be read: {error}.") from error


def encode(message: Message) -> bytes:
    """The message's bytes, in the one order that equal messages share."""
    return bytes(message.SerializeToString(deterministic=True))


# Fields ----------------------------------------------------------------------------------------------------------------


@functools.cache
def _entry(field: Any) -> Any:
    """The field of a map's values; ``None`` for what is no map."""
    is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
    return field.message_type.fields_by_name["value"] if is_map else None


@functools.cache
def _is_repeated(field: Any) -> bool:
    # protobuf 5 knows only the label, which protobuf 6 warns about.
    return bool(field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED)


def _enumeration(enum: Any) -> Leaf:
    def show(number: int) -> Tree:
        known = enum.values_by_number.get(number)
        return known.name if known else number

    return Leaf(show, lambda tree: enum.values_by_name[tree].number if isinstance(tree, str) else tree)


# Structs ---------------------------------------------------------------------------------------------------------------


class _InexactError(Exception):
    """A value that JSON does not give back."""


def _refuse(_: Any) -> Tree:
    raise _InexactError


def _plain_struct(value: struct_pb2.Struct, exact: bool = False) -> Tree:
    # Most values are texts, and to read one first is the fastest way to see it.
    fields = value.fields
    return {key: fields[key].string_value or _plain(fields[key], exact) for key in fields}


def _plain(value: struct_pb2.Value, exact: bool = False) -> Tree:
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        return _plain_struct(value.struct_value, exact)
    if kind == "list_value":
        return [_plain(item, exact) for item in value.list_value.values]
    if kind == "number_value":
        return _plain_number(value.number_value, exact)
    if exact and kind is None:
        raise _InexactError
    return None if kind in (None, "null_value") else getattr(value, kind)


def _plain_number(number: float, exact: bool) -> Tree:
    # JSON has neither NaN nor infinity, and no negative zero among its integers.
    if exact and not (math.isfinite(number) and (number or math.copysign(1, number) > 0)):
        raise _InexactError
    return (int(number) if number.is_integer() and abs(number) <= 2**53 else number) if math.isfinite(number) else None


def _struct(tree: Tree) -> struct_pb2.Struct:
    struct = struct_pb2.Struct()
    _fill_struct(struct, tree)
    return struct


def _fill_struct(struct: struct_pb2.Struct, tree: Tree) -> None:
    fields = struct.fields
    for key, item in tree.items():
        if type(item) is str:
            fields[key].string_value = item
        else:
            _fill_value(fields[key], item)


def _fill_value(value: struct_pb2.Value, tree: Tree) -> None:
    if isinstance(tree, dict):
        value.struct_value.SetInParent()
        _fill_struct(value.struct_value, tree)
    elif isinstance(tree, list):
        value.list_value.SetInParent()
        for item in tree:
            _fill_value(value.list_value.values.add(), item)
    elif tree is None:
        value.null_value = struct_pb2.NULL_VALUE
    else:
        kind = "bool_value" if isinstance(tree, bool) else "string_value" if isinstance(tree, str) else "number_value"
        setattr(value, kind, tree)


def _value(tree: Tree) -> struct_pb2.Value:
    value = struct_pb2.Value()
    _fill_value(value, tree)
    return value


SAME = Leaf(lambda value: value, lambda tree: tree)
BASE64 = Leaf(lambda data: base64.b64encode(data).decode(), base64.b64decode)


def _well_known(*, exact: bool) -> dict[str, Leaf]:
    return {
        "google.protobuf.Struct": Leaf(lambda value: _plain_struct(value, exact), _struct, _fill_struct),
        "google.protobuf.Value": Leaf(lambda value: _plain(value, exact), _value),
    }


PLAIN = Trees()
EXACT = Trees(exact=True)
