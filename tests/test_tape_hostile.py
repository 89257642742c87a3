"""Damaged and hostile cassettes: whatever is in the file, the error is ours."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard
from cassette_toy import Toy, answer, call, session

from mockprovider import tape
from mockprovider.calls import Native, Op, Session
from mockprovider.double import replaying
from mockprovider.double.reporting import proved
from mockprovider.errors import CassetteBrokenError, CassetteError, MockProviderError
from mockprovider.matching import digest
from mockprovider.wire.adapter import adapter
from mockprovider.wire.trees import build

HOUSE = Path(__file__).parents[1] / "cassettes"
KEPT = ("fake-pulumi/embedded.json", "fake-terraform/tofu.json", "terraform-tls/terraform.json")
BYTES = (b"NaN", b"[", b"{", b'"', b"\xff", b"1e999", b"\\ud800", b"[" * 5000)
TREES: tuple[Any, ...] = (
    *(None, True, -1, 2**70, 1e308, "", [], {}, [[[[]]]], [1] * 100),
    *({"$secret": number} for number in ("x", -1, 10**9, None, [])),
    *({"$secret": 1, "kind": "odd"}, {"$text": 1}, {"$text": [{"$secret": 1, "as": "odd"}]}, {"$literal": 1}, {"$bytes": 5}),
    *({"code": "NOPE", "message": 1}, {"code": -5}, {"code": "2", "details": {"$unknown": {}}}),
)
KEYS = ("$secret", "$text", "$literal", "$bytes", "withheld", "status", "more")


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a tree, the top left out."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        yield (*path, key)
        yield from places(value, (*path, key))


def bytes_spoiled(data: bytes, chance: random.Random) -> bytes:
    """A cassette with bytes changed, lost and put in."""
    spoiled = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(spoiled))
        end = start + chance.choice((0, 1, chance.randint(1, 30)))
        spoiled[start:end] = chance.choice((b"", bytes([chance.randrange(256)]), *BYTES))
    return bytes(spoiled)


def tree_spoiled(data: bytes, chance: random.Random) -> bytes:
    """A cassette with values changed, lost and put in."""
    tree = json.loads(data)
    for _ in range(chance.randint(1, 3)):
        *way, last = chance.choice(list(places(tree)))
        inside = tree
        for step in way:
            inside = inside[step]
        # A copy, because a later change may be inside of it, and every case has the same ones.
        what, put = chance.random(), deepcopy(chance.choice(TREES))
        if what < 0.7:
            inside[last] = put
        elif what < 0.85:
            del inside[last]
        elif isinstance(inside, dict):
            inside[chance.choice(("$secret", "$text", "$literal", "$bytes", "withheld", "status", "more"))] = put
        else:
            inside.insert(last, put)
    return json.dumps(tree).encode()


def used(path: Path) -> None:
    """Load a cassette, and ask what it says that it was asked."""
    wiring = replaying(path)
    assert wiring.protocol is not None
    service, asking = adapter(wiring.protocol).service, Session(wiring.protocol)
    for interaction in tape.load(path).interactions:
        if interaction.direction == "provider" and interaction.method in service.methods:
            try:
                message = build(service.messages[interaction.method][0], interaction.request)
                asked = service.methods[interaction.method].call(message, asking)
                asked.native = Native(message.SerializeToString(), message)
            except (MockProviderError, AttributeError, LookupError, TypeError, ValueError):
                # The request, which only this test reads, is spoilt itself.
                continue
            with suppress(MockProviderError):
                wiring.provider(asked)  # type: ignore[misc]


@pytest.mark.trial("hostile-cassettes", pinned=60, cases=10_000)
def test_whatever_is_in_the_file_the_error_is_ours(seeds: Iterator[int], tmp_path: Path) -> None:
    """A cassette with anything changed in it is replayed, or refused with an error of ours, also where it is recovered."""
    path = tmp_path / "it.json"
    sources = [(HOUSE / name).read_bytes() for name in KEPT]
    for seed in seeds:
        chance = random.Random(seed)
        path.write_bytes(chance.choice((bytes_spoiled, tree_spoiled, tree_spoiled))(chance.choice(sources), chance))
        for use in (used, tape.recover):
            with suppress(MockProviderError):
                use(path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A small cassette with a large answer."""
    path = tmp_path / "it.json"
    with tape.record(path, Toy(), protocol="toy") as recorder:
        recorder(call(Op.GET_SCHEMA, session()), lambda _: answer(big="x" * tape.LARGE))
        recorder(call(Op.CREATE, session(), "urn:a", name="a"), lambda _: answer(id="1"))
    return path


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"id": "1"', '"id": NaN', "is torn: it breaks off after line .*1 interaction is intact"),
        ('"id": "1"', '"id": ' + "[" * 100_000 + "]" * 100_000, "is torn: it breaks off after line .*1 interaction is intact"),
        ('"id": "1"', '"id": ' + "[" * 300 + "]" * 300, "interaction 2 cannot be read: it is nested deeper than 200 levels"),
        ('"id": "1"', '"id": "\\ud800"', "is torn: it breaks off after line .*1 interaction is intact"),
        (
            '"id": "1"',
            '"id": {"$secret": "x"}',
            r'interaction 2 cannot be read: \{"\$secret":"x"\} is no placeholder of a secret',
        ),
        ('"response": {\n  "id": "1"\n }', '"status": {"code": "NOPE"}', "interaction 2 cannot be read: .*NOPE"),
        (
            '"op": "create"',
            '"op": "invent"',
            "interaction 2 cannot be read: its op 'invent' is none .* knows. Restore the file",
        ),
        (
            '"n": 2',
            '"n": 1',
            "the interactions in places 1 and 2 have the same number, n=1. Restore the file, or record it again.",
        ),
        (
            '"n": 2',
            '"n": 2,\n "parent": 7, "direction": "engine"',
            r"interaction 2 \(\w+\) was asked during interaction 7, which is not there. Restore the file",
        ),
    ],
)
def test_damage_is_named(path: Path, old: str, new: str, message: str) -> None:
    """Numbers and texts that are none, depths that nobody needs, placeholders and codes of no kind are named by their place."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(CassetteBrokenError, match=message):
        tape.load(path)


def test_what_was_asked_during_nothing(path: Path) -> None:
    """A finished file whose call is gone, during which another was asked, is refused also where a torn one would be taken."""
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"n": 2', '"n": 2, "parent": 7, "direction": "engine"'), encoding="utf-8")
    with pytest.raises(CassetteBrokenError, match="was asked during interaction 7, which is not there"):
        tape.load(path, recover=True)


@pytest.mark.parametrize("damage", [7, [1], {"resource_schemas": 7}, {"resource_schemas": {"random_pet": 3}}])
def test_damaged_trees_have_a_number(tmp_path: Path, damage: Any) -> None:
    """A schema that is none is refused with the number of its interaction and what to do, whatever reads it first."""
    interactions = json.loads((HOUSE / "terraform-random" / "terraform.json").read_text())
    schema = next(one for one in interactions if one.get("op") == "get_schema")
    schema["response"] = damage
    path = tmp_path / "it.json"
    path.write_text(json.dumps(interactions))
    with pytest.raises(CassetteBrokenError, match=rf"interaction {schema['n']} \(GetSchema\) is damaged: .*Restore the file"):
        replaying(path)


@pytest.mark.parametrize("damage", [[1], "x", {"nope": 1}, {"new_state": 3}])
def test_a_damaged_answer_has_a_number(tmp_path: Path, damage: Any) -> None:
    """An answer that is none is refused when it is asked for, with the number of its interaction and what to do."""
    interactions = json.loads((HOUSE / "terraform-random" / "terraform.json").read_text())
    create = next(one for one in interactions if one.get("op") == "create")
    create["response"] = damage
    path = tmp_path / "it.json"
    path.write_text(json.dumps(interactions))
    expected = rf"interaction {create['n']} \(ApplyResourceChange of {create['type']}\) is damaged: .*Restore the file"
    with pytest.raises(CassetteError, match=expected):
        proved(path)


def test_a_header_of_no_protocol(path: Path) -> None:
    """Where a header names a protocol that nobody has, it is to blame, and no interaction."""
    path.write_text(path.read_text().replace('"toy"', '"tfplugin9"'))
    with pytest.raises(CassetteBrokenError, match=r"its header cannot be used \(.*tfplugin9.*Restore the file"):
        replaying(path)


def test_a_blob_that_claims_a_terabyte(path: Path) -> None:
    """A large answer that claims to be larger than any is refused before there is memory for it."""
    (blob,) = (path.parent / tape.FOLDER).iterdir()
    params = zstandard.ZstdCompressionParameters.from_level(1)
    claim = zstandard.ZstdCompressor(compression_params=params).compressobj(size=2**40)
    blob.write_bytes(claim.compress(b"x") + claim.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK))
    with pytest.raises(CassetteBrokenError, match="claims to hold 1099511627776 bytes"):
        tape.replay(path, Toy())(call(Op.GET_SCHEMA, session()))


def test_a_blob_that_is_a_pipe(path: Path) -> None:
    """A large answer that is no file is refused at once, where reading it would wait for ever."""
    (blob,) = (path.parent / tape.FOLDER).iterdir()
    blob.unlink()
    os.mkfifo(blob)
    with pytest.raises(CassetteBrokenError, match="is no file, but a pipe"):
        tape.replay(path, Toy())(call(Op.GET_SCHEMA, session()))


def test_a_blob_that_is_a_pit(path: Path) -> None:
    """A large answer that is nested deeper than anybody reads is damaged."""
    (blob,) = (path.parent / tape.FOLDER).iterdir()
    blob.write_bytes(zstandard.compress(b"[" * 100_000))
    with pytest.raises(CassetteBrokenError, match="is damaged"):
        tape.replay(path, Toy())(call(Op.GET_SCHEMA, session()))
    assert blob.name.startswith(digest(msgspec.json.decode(msgspec.json.encode({"big": "x" * tape.LARGE}))))
