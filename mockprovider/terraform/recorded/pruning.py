"""Prunes provider schemas to the types in use, because engines spend most of a replay on decoding the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from msgspec.structs import replace

from mockprovider.calls import Op
from mockprovider.cassette import Cassette, Interaction

BY_TYPE = ("_schemas", "resources", "data_sources", "ephemeral_resources", "list_resources", "actions", "state_stores")
"""The ends of the names of fields with one entry a type, in schema, identity and metadata answers."""


def pruned(cassette: Cassette) -> Cassette:
    """The cassette with the schemas of the types that its other interactions use; those of a provider that uses none stay.

    For an engine, other types then do not exist. Equal schemas stay equal.
    """
    types: dict[str, set[str]] = defaultdict(set)
    for interaction in cassette.interactions:
        types[interaction.provider] |= {interaction.type} - {""}
    if not any(types.values()):
        return cassette
    done: dict[tuple[str, str], Any] = {}
    interactions = [_pruned(cassette, interaction, types[interaction.provider], done) for interaction in cassette.interactions]
    return replace(cassette, interactions=interactions)


def _pruned(
    cassette: Cassette, interaction: Interaction, types: Collection[str], done: dict[tuple[str, str], Any]
) -> Interaction:
    if not types or interaction.op != Op.GET_SCHEMA.value or not (interaction.response or interaction.response_blob):
        return interaction
    blob = interaction.provider, interaction.response_blob
    tree = done.get(blob)
    if tree is None:
        tree = prune(cassette.response(interaction), types)
        if interaction.response_blob:
            done[blob] = tree
    return replace(interaction, response=tree, response_blob="")


def prune(answer: Mapping[str, Any], types: Collection[str]) -> dict[str, Any]:
    """The tree of an answer to GetProviderSchema, GetResourceIdentitySchemas or GetMetadata with these types alone."""
    kept = ((name, _of(section, types) if name.endswith(BY_TYPE) else section) for name, section in answer.items())
    # A message does not distinguish empty maps and lists from none.
    return {name: section for name, section in kept if section or not name.endswith(BY_TYPE)}


def _of(entries: Any, types: Collection[str]) -> Any:
    if isinstance(entries, dict):
        return {name: entry for name, entry in entries.items() if name in types}
    return [entry for entry in entries if entry.get("type_name") in types]
