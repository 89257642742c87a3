"""How protocols mark values in their messages, as data."""

from __future__ import annotations

from msgspec import Struct


class Marks(Struct, frozen=True):
    """How a protocol marks values in its messages: an object with the key ``signature`` is a secret, an output or bytes, by the
    value that it has there. ``unknowns`` are the texts that stand for what is not known yet: an unknown secret hides nothing.
    ``wrappers`` are the fields of messages that hold values, besides the message's own fields.

    A protocol without marks declares its secrets by name alone.
    """

    signature: str = ""
    secret: str = ""
    output: str = ""
    bytes: str = ""
    unknowns: frozenset[str] = frozenset()
    wrappers: frozenset[str] = frozenset()


UNMARKED = Marks()
