"""Interactions that keep their text: they read like any other, and what is damaged in them is refused before anybody asks."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Raw
from msgspec.structs import replace
from test_tape_hostile import HOUSE, KEPT, bytes_spoiled, tree_spoiled

from mockprovider import tape
from mockprovider.cassette import Cassette, Interaction
from mockprovider.cassette.lean import LeanInteraction
from mockprovider.double import replaying
from mockprovider.errors import CassetteBrokenError, MockProviderError
from mockprovider.matching import encode
from mockprovider.redaction import is_plain

FIELDS = Interaction.__struct_fields__
EMBEDDED = HOUSE / "fake-pulumi" / "embedded.json"


def kept(interaction: Interaction) -> list[bool]:
    """Whether the request and the response of an interaction are still texts."""
    return [type(slot.__get__(interaction)) is Raw for slot in (Interaction.request, Interaction.response)]


def read(path: Path, *, lean: bool) -> Any:
    """What each interaction of a cassette says, or why it has none."""
    try:
        cassette = tape.load(path, lean=lean)
    except MockProviderError as error:
        return f"{type(error).__name__}: {error}"
    return [[getattr(interaction, field) for field in FIELDS] for interaction in cassette.interactions]


def lean(path: Path = EMBEDDED) -> Cassette:
    """A cassette as a replay reads it."""
    return tape.load(path, lean=True)


@pytest.mark.parametrize("path", sorted(HOUSE.glob("*/*.json")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_it_reads_like_any_other(path: Path) -> None:
    """Each field of each interaction is what a whole one has."""
    assert read(path, lean=True) == read(path, lean=False)


@pytest.mark.trial("lean-cassettes", pinned=60, cases=5_000)
def test_what_is_damaged_is_refused_alike(seeds: Iterator[int], tmp_path: Path) -> None:
    """Whatever is changed in a file, it is read as a whole one is, or refused in the same words."""
    path = tmp_path / "it.json"
    sources = [(HOUSE / name).read_bytes() for name in KEPT]
    for seed in seeds:
        chance = random.Random(seed)
        path.write_bytes(chance.choice((bytes_spoiled, tree_spoiled))(chance.choice(sources), chance))
        assert read(path, lean=True) == read(path, lean=False)


def test_a_tree_is_made_when_it_is_asked_for() -> None:
    """A tree that was asked for stays, the other one is still its text, and so they are in a changed copy."""
    one = next(one for one in lean().interactions if kept(one) == [True, True])
    assert isinstance(one, LeanInteraction)
    response = one.response
    assert (kept(one), one.response is response) == ([True, False], True)
    changed = replace(one, n=7)
    assert (kept(changed), changed.n, changed.request) == ([True, False], 7, one.request)


def test_its_text_tells_whether_it_has_placeholders() -> None:
    """What is known to be plain has no placeholder; nothing is known any more once somebody has asked for the answer."""
    cassette = lean()
    plain = [one for one in cassette.interactions if one.is_plain]
    marked = [one for one in cassette.interactions if not one.is_plain and kept(one)[1]]
    assert plain
    assert all(is_plain(encode([one.request, one.response])) for one in plain)
    assert not any(is_plain(encode([one.request, one.response])) for one in marked)
    assert not any(one.is_plain for one in plain)


def test_a_replay_makes_no_trees_before_it_is_asked() -> None:
    """Of a recording of today's engine, opening it leaves the trees of almost all calls unmade."""
    library = replaying(EMBEDDED).library
    assert library is not None
    unmade = [kept(call.interaction) for call in library.shelf.calls]
    assert unmade.count([True, True]) > len(unmade) / 2


@pytest.mark.parametrize("damage", [[1], "urn", 5, ["urn"]])
def test_a_request_that_is_no_object(tmp_path: Path, damage: Any) -> None:
    """A request that can be none is refused when the cassette is opened, though no call has asked for it yet."""
    interactions = json.loads(EMBEDDED.read_text())
    last = next(one for one in reversed(interactions) if one.get("op") == "delete")
    last["request"] = damage
    path = tmp_path / "it.json"
    path.write_text(json.dumps(interactions))
    with pytest.raises(CassetteBrokenError, match=rf"interaction {last['n']} \(Delete of .*\) is damaged: AttributeError"):
        replaying(path)
