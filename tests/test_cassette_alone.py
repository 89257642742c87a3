"""What a replay decides on a short way, and makes once: it is what it would decide, and make, each time."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cassette_toy import Toy, answer, call, header, secret, session
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from strategies import exact, plain_values

from mockprovider.calls import Call, Op, Reply
from mockprovider.cassette import Cassette, CassetteLayer, Library, Mode, Reader, Recorder, replay
from mockprovider.cassette.matching import Matching
from mockprovider.double import Double, recording, replaying
from mockprovider.errors import CassetteBrokenError, MockProviderError
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.pulumi.signatures import SIGNATURE
from mockprovider.wire.late import LateReply

TYPE = "cloud:index:Bucket"
ANSWERS = (answer(id="1"), answer(id="2"), answer(id="one-of-a-kind-1f3870be274f"), answer())
REPEATS = ({}, {"Create": "always"}, {"Read": "recorded"})
STRICT = Matching(order="strict")


def kept(conversation: list[tuple[Call, Reply]], matching: Matching) -> Cassette:
    """The cassette of a conversation."""
    recorder = Recorder(Toy(), replace(header(), matching=matching.data))
    for asked, reply in conversation:
        recorder(asked, lambda _, reply=reply: reply)
    return recorder.close()


def told(cassette: Cassette, calls: list[Call], matching: Matching) -> list[Any]:
    """What a replay says to each call, and how far it has come by then."""
    layer = CassetteLayer(Mode.NONE, Library(cassette, {"": Reader(Toy())}, matching=matching), None)
    library = layer.library
    assert library is not None
    said: list[Any] = []
    for asked in calls:
        try:
            reply = layer(asked)
        except MockProviderError as error:
            said.append(f"{type(error).__name__}: {error}")
        else:
            said.append((reply.value, reply.native, reply.status))
        said.append((library.tally(), [one.n for one in library.unused()], dict(library._replay.used)))
    return said


def some_call(chance: random.Random) -> Call:
    """A call of few words, so that many are equal."""
    op = chance.choice((Op.CREATE, Op.READ, Op.READ, Op.UPDATE, Op.DELETE, Op.IMPORT))
    password = chance.choice((None, None, None, "hunter-two", "correct-horse"))
    return call(
        op,
        session(chance.randint(1, 3), chance.choice(("east", "east", "west"))),
        chance.choice(("", "urn:a", "urn:b")),
        preview=chance.random() < 0.1,
        size=chance.choice((1, 1, 2)),
        **({} if password is None else {"password": secret(password)}),
    )


@pytest.mark.trial("lone-calls", pinned=100, cases=2000)
@pytest.mark.parametrize("strict", [False, True])
def test_a_call_that_is_alone(strict: bool, seeds: Iterator[int]) -> None:
    """Whatever was recorded and is asked, a replay decides about lone calls as it does about any."""
    for seed in seeds:
        chance = random.Random(seed)
        conversation = [(some_call(chance), chance.choice(ANSWERS)) for _ in range(chance.randint(1, 8))]
        asked = [one for one, _ in conversation]
        repeat = {name: word for name, word in chance.choice(REPEATS).items() if name in {one.method for one in asked}}
        matching = STRICT if strict else Matching(repeat=repeat)
        calls = [chance.choice((*asked, *asked, some_call(chance))) for _ in range(20)]
        cassette = kept(conversation, matching)
        said = told(cassette, calls, matching)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(replay, "alone", lambda *_, **__: None)
            assert told(cassette, calls, matching) == said


def asked_of(double: Double, number: int) -> Call:
    """A read of an object."""
    name = f"b{number}"
    urn = f"urn:pulumi:dev::shop::{TYPE}::{name}"
    return Call(op=Op.READ, session=double.open(), method="Read", type=TYPE, name=name, urn=urn, id=name, inputs={})


@given(st.lists(st.dictionaries(st.sampled_from("abc"), plain_values, max_size=3), min_size=1, max_size=3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_what_is_given_again(tmp_path: Path, objects: list[dict[str, Any]]) -> None:
    """An answer that is given again is the first one, which says what its message says: its bytes, message and fields."""
    path = tmp_path / "it.json"
    path.unlink(missing_ok=True)
    with Double(provider=recording(path, lambda asked: Reply(id=asked.id, value=objects[int(asked.id[1:])]))) as double:
        for number in range(len(objects)):
            double(asked_of(double, number))
    with Double(provider=replaying(path)) as double:
        for number in range(len(objects)):
            first, again = double(asked_of(double, number)), double(asked_of(double, number))
            last = double(asked_of(double, number))
            assert isinstance(again, LateReply)
            read = PROVIDER.by_op(Op.READ).reply(first.native.message, asked_of(double, number))
            assert (first.id, exact(first.value), first.extra) == (read.id, exact(read.value), read.extra)
            assert (again.native.data, again.native.message) == (first.native.data, first.native.message)
            assert (again.id, exact(again.value), again.extra) == (first.id, exact(first.value), first.extra)
            again.value.clear()
            again.native.message.Clear()
            assert (exact(last.value), last.native.message) == (exact(first.value), first.native.message)


def test_an_answer_that_cannot_be_read_is_refused_when_it_is_given(tmp_path: Path) -> None:
    """A value whose signature nobody knows breaks the call that it answers, and not whoever reads the answer later."""
    path = tmp_path / "it.json"
    with Double(provider=recording(path, lambda asked: Reply(id=asked.id, value={"inner": {"kind": "unknown"}}))) as double:
        double(asked_of(double, 0))
    path.write_text(path.read_text().replace('"kind"', f'"{SIGNATURE}"'))
    with Double(provider=replaying(path)) as double, pytest.raises(CassetteBrokenError, match="is damaged"):
        double(asked_of(double, 0))
