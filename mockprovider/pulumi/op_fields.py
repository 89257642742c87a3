"""Which fields of a ``Call`` each of Pulumi's RPCs brings, and which of a ``Reply`` it takes: table and messages, as data.

What is special about an answer stands in ``ANSWERED_OTHERWISE``; everything else follows from ``pulumi.table`` and the SDK's
descriptors, so that it cannot be out of date. ``docs/handlers.md`` is made of it, and ``PulumiHandler`` checks answers by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from mockprovider.calls import Op
from mockprovider.pulumi.errors import PARTIAL
from mockprovider.pulumi.methods import ANSWER_WORDS, DESCRIPTOR, WORDS
from mockprovider.pulumi.structs import struct_of
from mockprovider.pulumi.table import MISSING_KEYS, TABLE


class FieldUse(Struct, frozen=True):
    """A field of a call or reply: its name in Python, that of the message's field, and what it holds.

    ``key`` is its key in ``extra``; empty for a field of its own.
    """

    name: str
    wire: str
    kind: str
    key: str = ""

    def __str__(self) -> str:
        return f'extra["{self.key}"]' if self.key else self.name


class OpFields(Struct, frozen=True):
    """One RPC: what its call brings, what its reply may say, and whether failures may name a property (``paths``).

    ``partial`` says that an object may be answered together with failures.
    """

    op: Op
    rpc: str
    brings: tuple[FieldUse, ...]
    wants: tuple[FieldUse, ...]
    paths: bool
    partial: bool


ANSWERED_OTHERWISE: Mapping[Op, tuple[FieldUse, ...]] = {
    **dict.fromkeys(
        (Op.DIFF, Op.DIFF_CONFIG),
        (
            FieldUse("extra", "all fields", "`pulumi.diff.Diff`", "diff"),
            FieldUse("plan", "all fields", "`calls.Plan`, instead of the diff"),
        ),
    ),
    Op.GET_SCHEMA: (
        FieldUse("extra", "schema", "text: the schema as JSON", "schema"),
        FieldUse("described", "schema", "`Package`, instead of the text"),
    ),
    Op.LIST: (FieldUse("listed", "the stream", "`payloads.ListedObject`s, or `ListComputed`, `ListContinues`"),),
}
"""Replies that are not made field by field."""
KINDS: Mapping[int, str] = {1: "number", 3: "number", 5: "number", 8: "true or false", 9: "text", 12: "bytes", 14: "number"}
"""What a field holds, by protobuf's number of its type."""


@cache
def op_fields() -> Mapping[Op, OpFields]:
    """The fields of every op that Pulumi has, in the order of its RPCs."""
    rpcs = DESCRIPTOR.methods_by_name
    return {row.op: _fields_of(name, rpcs[name]) for name, row in TABLE.items() if name in rpcs}


def _fields_of(name: str, rpc: Any) -> OpFields:
    row = TABLE[name]
    words = {**{word: word for word in WORDS}, **row.renames}
    answers = ANSWERED_OTHERWISE.get(row.op)
    fields = rpc.output_type.fields_by_name
    if answers is None:
        answers = tuple(_use(field, ANSWER_WORDS) for field in rpc.output_type.fields if field.name != "failures")
    if row.op is Op.CONFIGURE:
        answers += (FieldUse("extra", "a detail of the failure", "descriptions by key", MISSING_KEYS),)
    return OpFields(
        op=row.op,
        rpc=name,
        brings=tuple(_use(field, words) for field in rpc.input_type.fields),
        wants=answers,
        paths="failures" in fields or row.op is Op.CONSTRUCT,
        partial=row.op in PARTIAL,
    )


def _use(field: Any, words: Mapping[str, str]) -> FieldUse:
    word = words.get(field.name, "")
    return FieldUse(word or "extra", field.name, _kind(field), "" if word else field.name)


def _kind(field: Any) -> str:
    message = field.message_type
    if message is not None and message.GetOptions().map_entry:
        return f"by key, {_kind(message.fields_by_name['value'])}"
    kind = KINDS.get(field.type, "message")
    if message is not None:
        struct = struct_of(message)
        kind = f"`payloads.{struct.__name__}`" if struct else f"message {message.name}"
        kind = {"Struct": "bag", "Value": "value"}.get(message.name, kind)
        kind = "URNs" if [inner.name for inner in message.fields] == ["urns"] else kind
    return f"list: {kind}" if field.is_repeated else kind
