"""Sorts the sets in trees of messages, because engines send the elements of equal sets in any order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockprovider.calls import Op
from mockprovider.cassette import Cassette
from mockprovider.matching import encode
from mockprovider.terraform.rpcs.ephemerals import DUE
from mockprovider.terraform.schema.published import schema_data, schemas_in, section_of, tree_of
from mockprovider.terraform.schema.tree import Place
from mockprovider.wire.transcript import MESSAGES

UNORDERED = ("requires_replace",)
"""Fields of answers whose order has no meaning."""
VALUES = frozenset({"msgpack", "json"})


class Sets:
    """Sorts the sets in trees of one provider's messages.

    Args:
        cassette: has schema answers, which say what attributes and blocks are sets.
    """

    def __init__(self, cassette: Cassette) -> None:
        self._schemas: dict[tuple[str, str], Any] = {}
        self._compiled: dict[tuple[str, str], Place | None] = {}
        for interaction in cassette.interactions:
            if interaction.op == Op.GET_SCHEMA.value and (interaction.response or interaction.response_blob):
                answer = cassette.response(interaction)
                self._schemas |= {(section, name): schema for section, name, schema in schemas_in(answer)}

    def __call__(self, method: str, type_: str, tree: Any) -> Any:
        """``tree``, a request or an answer of ``method`` for ``type_``, as a copy to be compared: with sorted sets."""
        if not isinstance(tree, dict):
            return tree
        if isinstance(messages := tree.get(MESSAGES), list):
            return {**tree, MESSAGES: [self(method, type_, message) for message in messages]}
        sorted_ = {name: sorted(part, key=encode) if name in UNORDERED else part for name, part in tree.items()}
        # How long a renewal has until then is never the same twice: a real provider's answers differ by it alone.
        sorted_ |= {DUE: None} if DUE in tree else {}
        return {
            name: self._in_field(part, section_of(method, name), type_)
            if isinstance(part, dict) and not VALUES.isdisjoint(part)
            else part
            for name, part in sorted_.items()
        }

    def _in_field(self, part: dict[str, Any], section: str, type_: str) -> dict[str, Any]:
        """A field of a message that has a value, with sorted sets."""
        schema = self._schema(section, type_)
        if schema is None:
            return part
        return {name: ordered(value, schema) if name in VALUES else value for name, value in part.items()}

    def _schema(self, section: str, type_: str) -> Place | None:
        """The compiled schema of a type with sets; ``None`` for others."""
        key = (section, type_)
        if key not in self._compiled:
            schema = tree_of(schema_data(self._schemas.get(key, {})))
            self._compiled[key] = schema if any(place.nesting == "set" for place in schema.walk()) else None
        return self._compiled[key]


def ordered(value: Any, place: Place) -> Any:
    """A value in a tree with sorted sets."""
    if place.members and isinstance(value, Mapping):
        members = place.members
        return {name: ordered(item, members[name]) if name in members else item for name, item in value.items()}
    items = place.elements(value, ordered)
    return sorted(items, key=encode) if place.nesting == "set" and isinstance(items, list) else items
