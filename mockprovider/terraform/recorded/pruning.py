"""Provider schemas cut down to the types in use: engines spend most of a replay on decoding the rest."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from msgspec.structs import replace

from mockprovider.calls import Op
from mockprovider.cassette import Cassette, Interaction

BY_TYPE = ("_schemas", "resources", "data_sources", "ephemeral_resources", "list_resources", "actions")
"""Fields of schema, identity and metadata answers that are one entry a type, by how their names end."""


def pruned(cassette: Cassette) -> Cassette:
    """The cassette with schemas of the types that its other interactions are about; as it is if they are about none.

    An engine is then told that there are no other types. Equal schemas stay equal.
    """
    types = {each.type for each in cassette.interactions if each.type}
    if not types:
        return cassette
    done: dict[str, Any] = {}
    return replace(cassette, interactions=[_pruned(cassette, each, types, done) for each in cassette.interactions])


def _pruned(cassette: Cassette, each: Interaction, types: Collection[str], done: dict[str, Any]) -> Interaction:
    if each.op != Op.GET_SCHEMA.value or not (each.response or each.response_blob):
        return each
    tree = done.get(each.response_blob)
    if tree is None:
        tree = prune(cassette.response(each), types)
        if each.response_blob:
            done[each.response_blob] = tree
    return replace(each, response=tree, response_blob="")


def prune(answer: Mapping[str, Any], types: Collection[str]) -> dict[str, Any]:
    """The tree of an answer of GetProviderSchema, GetResourceIdentitySchemas or GetMetadata with these types alone."""
    kept = ((name, _of(each, types) if name.endswith(BY_TYPE) else each) for name, each in answer.items())
    # A message does not know empty maps and lists from none.
    return {name: each for name, each in kept if each or not name.endswith(BY_TYPE)}


def _of(entries: Any, types: Collection[str]) -> Any:
    if isinstance(entries, dict):
        return {name: each for name, each in entries.items() if name in types}
    return [each for each in entries if each.get("type_name") in types]
