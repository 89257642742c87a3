"""Reads cassettes of older versions: what they kept as bytes, and requests now hold as data, is data in them, too."""

from __future__ import annotations

import re

from msgspec.structs import replace

from mockprovider.cassette import Cassette, Interaction
from mockprovider.matching import encode
from mockprovider.terraform.recorded.trees import respelled

OLDER = re.compile(rb'"\$msgpack":|"\$unknown":"[^"]')
"""What only an older version wrote, or a newer one where nothing better was possible."""


def modern(cassette: Cassette) -> Cassette:
    """The cassette with its values as they are spelled today."""
    return replace(cassette, interactions=[_modern(interaction) for interaction in cassette.interactions])


def _modern(interaction: Interaction) -> Interaction:
    trees = {"request": interaction.request, "response": interaction.response}
    older = {slot: respelled(tree) for slot, tree in trees.items() if OLDER.search(encode(tree))}
    return replace(interaction, **older) if older else interaction
