"""How deep a message is nested, before it is parsed.

The Pulumi SDK lifts protobuf's limit for the whole process, and a parser that recurses once a level then leaves its stack: one
message of 75 kB would end the process. A message without room for so many levels is not looked at, so that most cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, TypeAlias

from mockprovider.errors import MalformedError

DEEPEST = 300
"""Messages inside messages: a hundred objects in each other, or 150 lists. The codecs recurse, too, in Python."""

SMALLEST = 2
"""Bytes that a level takes at least: its tag and its length."""

VARINT, FIXED64, BYTES, GROUP, GROUP_END, FIXED32 = range(6)
SHIFTS = range(0, 70, 7)
FIXED = {FIXED64: 8, FIXED32: 4}
Span: TypeAlias = tuple[int, int, Any, int]
"""Where a message begins and ends, its descriptor, and how deep it is."""


def check_depth(data: bytes, descriptor: Any, what: str) -> None:
    """Raise ``MalformedError`` if ``data``, a message of ``descriptor``, is nested too deeply to be parsed."""
    if len(data) <= SMALLEST * DEEPEST:
        return
    spans: list[Span] = [(0, len(data), descriptor, 0)]
    while spans:
        for span in _inside(data, *spans.pop()):
            if span[3] > DEEPEST:
                raise MalformedError(
                    f"{what}: this message is nested more than {DEEPEST} levels deep, and is not read. Flatten its values."
                )
            spans.append(span)


def _inside(data: bytes, at: int, end: int, descriptor: Any, depth: int) -> Iterator[Span]:
    """The messages directly inside of one that have room for too many levels. What is broken ends it, as it ends the parser."""
    room = SMALLEST * (DEEPEST - depth)
    nested = _nested(descriptor)
    while end - at > room:
        tag, at = _varint(data, at, end)
        kind = tag & 7
        if kind == BYTES:
            length, at = _varint(data, at, end)
            inside = nested.get(tag >> 3)
            if inside is not None and min(length, end - at) > room - SMALLEST:
                yield at, min(at + length, end), inside, depth + 1
            at += length
        elif kind == VARINT:
            _, at = _varint(data, at, end)
        elif kind in FIXED:
            at += FIXED[kind]
        elif kind == GROUP:
            # No protocol has groups any more, and the parser recurses through those that it does not know.
            yield at, end, descriptor, DEEPEST + 1
        else:
            return


@cache
def _nested(descriptor: Any) -> Mapping[int, Any]:
    return {field.number: field.message_type for field in descriptor.fields if field.message_type is not None}


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """The number at a place, and the place behind it; the end of the message where there is none."""
    byte = data[at] if at < end else 0
    if byte < 128:
        return byte, at + 1
    number = 0
    for shift in SHIFTS:
        if at >= end:
            break
        byte = data[at]
        number |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return number, at
    return GROUP_END, end
