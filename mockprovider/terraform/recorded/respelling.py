"""Reads cassettes of older versions: what they kept as bytes, and requests now hold as data, is data in them, too."""

from __future__ import annotations

import re

from msgspec.structs import replace

from mockprovider.calls import Op
from mockprovider.cassette import Cassette, Interaction
from mockprovider.matching import encode
from mockprovider.redaction import UNKNOWN, Declared, Steps, Tree, of_secret, steps
from mockprovider.terraform.recorded.secrets import MARKS, Secrets
from mockprovider.terraform.recorded.trees import respelled
from mockprovider.terraform.schema.published import RESOURCES
from mockprovider.wire.methods import Service

OLDER = re.compile(rb'"\$msgpack":|"\$unknown":"[^"]')
"""What only an older version wrote, or a newer one where nothing better was possible."""


def modern(cassette: Cassette, service: Service) -> Cassette:
    """The cassette with its values as they are spelled today."""
    secrets = Secrets(service)
    for answer in cassette.answers(Op.GET_SCHEMA):
        if RESOURCES in answer:
            secrets.learn(answer)
    return replace(cassette, interactions=[_modern(interaction, service, secrets) for interaction in cassette.interactions])


def _modern(interaction: Interaction, service: Service, secrets: Secrets) -> Interaction:
    trees = {"request": interaction.request, "response": interaction.response}
    older = {slot: respelled(tree) for slot, tree in trees.items() if OLDER.search(encode(tree))}
    row = service.methods.get(interaction.method)
    if not older or row is None:
        return interaction
    places = Declared(secrets.declared(row, interaction.type), MARKS.wrappers)
    return replace(interaction, **{slot: _silent(tree, places) for slot, tree in older.items()})


def _silent(tree: Tree, places: Declared, path: Steps = (), *, secret: bool = False) -> Tree:
    """A tree that does not say how unknown secrets begin, as new recordings do not."""
    if isinstance(tree, list):
        return [_silent(item, places, path, secret=secret) for item in tree]
    if not isinstance(tree, dict):
        return tree
    if UNKNOWN in tree:
        return {UNKNOWN: of_secret(tree[UNKNOWN])} if secret else tree
    inside = {name: (*path, *steps(name)) for name in tree}
    return {name: _silent(tree[name], places, at, secret=secret or bool(places.of(at))) for name, at in inside.items()}
