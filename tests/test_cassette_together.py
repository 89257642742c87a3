"""Several providers in one recording: kept apart where they differ, and matched jointly where one depends on another."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from cassette_toy import TOY, Toy, answer, call, secret, session
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from test_cassette_casting import Cloud, Life, check

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.cassette import FORMAT, VERSION, Cassette, CassetteLayer, Header, Library, Mode, Reader, Recorder
from mockprovider.cassette.compacting import without_repeats
from mockprovider.errors import CassetteError, MissError
from mockprovider.matching import encode
from mockprovider.redaction import Redactor

NAMES = ("east", "west")


def header(*names: str) -> Header:
    return Header(format=FORMAT, version=VERSION, protocol="toy", providers=dict.fromkeys(names, "toy"))


def recorder(*names: str, redactor: Redactor | None = None) -> Recorder:
    """What records these providers together."""
    return Recorder({name: Toy() for name in names}, header(*names), redactor=redactor)


def replaying(cassette: Cassette) -> dict[str, CassetteLayer]:
    """The layers of the providers of one replay."""
    library = Library(cassette, {name: Reader(Toy()) for name in cassette.header.spoken})
    return {name: CassetteLayer(Mode.NONE, library, None, name) for name in cassette.header.spoken}


def test_sessions_with_one_number_are_different_ones() -> None:
    """Each double numbers its sessions itself; in the recording no two have the same number, and each says whose it is."""
    both = recorder(*NAMES)
    for name in NAMES:
        for number in (1, 2):
            both(call(Op.CREATE, session(number), f"urn:{name}{number}"), lambda _: answer(), name)
    cassette = both.close()

    assert [(one.number, one.provider) for one in cassette.header.sessions] == [
        (1, "east"),
        (2, "east"),
        (3, "west"),
        (4, "west"),
    ]
    assert [(one.session, one.provider, one.urn) for one in cassette.interactions] == [
        (1, "east", "urn:east1"),
        (2, "east", "urn:east2"),
        (3, "west", "urn:west1"),
        (4, "west", "urn:west2"),
    ]


def test_equal_questions_to_two_providers() -> None:
    """A question is answered with what that provider answered, also where the other one was asked the same."""
    both = recorder(*NAMES)
    for name in NAMES:
        both(call(Op.INVOKE, session(), zone="a"), lambda _, name=name: answer(by=name), name)  # type: ignore[misc]
    replay = replaying(both.close())

    for name in reversed(NAMES):
        assert replay[name](call(Op.INVOKE, session(), zone="a")).value == {"by": name}


def test_a_miss_is_about_the_own_provider() -> None:
    """What another provider was asked is not the nearest call, and does not answer."""
    both = recorder(*NAMES)
    both(call(Op.INVOKE, session(), zone="a"), lambda _: answer(), "east")
    both(call(Op.INVOKE, session(), zone="far"), lambda _: answer(), "west")
    with pytest.raises(MissError, match='zone: recorded "far", now "a"'):
        replaying(both.close())["west"](call(Op.INVOKE, session(), zone="a"))


def threads(name: str) -> list[list[tuple[Call, Reply]]]:
    """What one provider is asked: resources side by side, each in its order."""
    where = session(1)
    return [
        [
            (call(op, where, f"urn:{one}", password=secret(f"{name}-{one}-secret")), answer(of=name))
            for op in (Op.CREATE, Op.READ)
        ]
        for one in "cab"
    ]


def interleaved(chance: random.Random) -> bytes:
    """The finished recording of both providers, their calls mixed by chance."""
    both = recorder(*NAMES)
    waiting = [(name, list(thread)) for name in NAMES for thread in threads(name)]
    while waiting:
        name, thread = chance.choice(waiting)
        asked, reply = thread.pop(0)
        both(asked, lambda _, reply=reply: reply, name)  # type: ignore[misc]
        waiting = [one for one in waiting if one[1]]
    return encode([both.close().header, both.close().interactions])


@given(st.integers(), st.integers())
def test_two_parallel_recordings_are_equal(one: int, other: int) -> None:
    """However the calls of two providers were mixed, the recording is the same bytes."""
    assert interleaved(random.Random(one)) == interleaved(random.Random(other))


def test_the_recording_ends_with_its_last_provider() -> None:
    """Ending one provider leaves the other one recorded; ending the last one ends the recording, with the faults of each."""
    both = recorder(*NAMES)
    both(call(Op.CREATE, session(), "urn:a"), lambda _: answer(), "east")
    both.end("east", ["a fault"])
    both.end("east", ["a fault"])
    both(call(Op.CREATE, session(), "urn:b"), lambda _: answer(), "west")
    both.end("west")

    assert both.close().header.faults == {"east": ["a fault"]}
    with pytest.raises(CassetteError, match="after the recording"):
        both(call(Op.CREATE, session(), "urn:c"), lambda _: answer(), "west")


def test_a_secret_of_one_provider_is_hidden_in_another() -> None:
    """What one provider was told in secret is a placeholder in the calls of all, and one value on replay."""
    both = recorder(*NAMES)
    password = "correct horse battery"
    both(call(Op.CREATE, session(), "urn:a", password=secret(password)), lambda _: answer(), "east")
    both(call(Op.CREATE, session(), "urn:b", url=f"db://{password}"), lambda _: answer(url=f"db://{password}"), "west")
    cassette = both.close()
    assert password.encode() not in encode(cassette.interactions)

    replay = replaying(cassette)
    replay["east"](call(Op.CREATE, session(), "urn:a", password=secret("another horse")))
    reply = replay["west"](call(Op.CREATE, session(), "urn:b", url="db://another horse"))
    assert reply.value == {"url": "db://another horse"}


def test_compacting_keeps_the_questions_of_each_provider() -> None:
    """A repeated question is dropped where the same provider was asked it, and not where another one was."""
    both = recorder(*NAMES)
    for name in (*NAMES, *NAMES):
        both(call(Op.INVOKE, session(), zone="a"), lambda _: answer(), name)
    kept = without_repeats(both.close(), Toy().mutates).interactions
    assert [(one.n, one.provider) for one in kept] == [(1, "east"), (2, "west")]


def test_the_part_of_a_provider() -> None:
    """One provider's interactions are a cassette of that provider; a cassette of one provider is its own part."""
    both = recorder(*NAMES)
    for name in NAMES:
        both(call(Op.CREATE, session(), f"urn:{name}"), lambda _: answer(), name)
    cassette = replace(both.close(), header=replace(both.close().header, providers={"east": "toy", "west": "other"}))
    part = cassette.part("west")

    assert (part.header.provider, part.header.protocol) == ("west", "other")
    assert [one.urn for one in part.interactions] == ["urn:west"]
    alone = Cassette(Header(format=FORMAT, version=VERSION, protocol="toy"))
    assert alone.part("") is alone


def test_each_provider_speaks_its_own_protocol() -> None:
    """A session is refused where it does not speak the protocol of its own provider."""
    both = recorder(*NAMES)
    both(call(Op.CREATE, session(), "urn:a"), lambda _: answer(), "east")
    cassette = both.close()
    replay = replaying(replace(cassette, header=replace(cassette.header, providers={"east": TOY.name, "west": "other"})))

    assert replay["east"](call(Op.CREATE, session(), "urn:a")).ok
    with pytest.raises(CassetteError, match="recorded over other, and the engine speaks toy"):
        replay["west"](call(Op.CREATE, session(), "urn:a"))


# Equal objects of one provider, and what others made of them --------------------------------------------------------------


def owner(asked: Call) -> str:
    """Objects are the first provider's, and what hangs on them is by turns the second's and the first's."""
    return "west" if asked.type in ("Same", "Own", "Last") else "east"


def lived(layers: dict[str, Handler], order: random.Random, *, later: bool) -> dict[str, dict[str, object]]:
    """A life whose calls go to the provider that owns their type."""
    return Life(lambda asked: layers[owner(asked)](asked), order, later=later).run()


@pytest.mark.trial("equal-creates-together", pinned=10, cases=1000)
@pytest.mark.parametrize("later", [True, False])
def test_dependents_of_another_provider_replay_in_any_order(later: bool, seeds: Iterator[int]) -> None:
    """Ten equal objects, and chains that go from provider to provider: in any order each stays one object, and all is used."""
    cloud, both = Cloud(opaque=not later), recorder(*NAMES)
    live = lived(
        {name: lambda asked, name=name: both(asked, cloud, name) for name in NAMES},  # type: ignore[misc]
        random.Random("live"),
        later=later,
    )
    cassette = both.close()
    for seed in seeds:
        replay = replaying(cassette)
        check(lived({**replay}, random.Random(seed), later=later), live)
        library = replay["east"].library
        assert library is not None
        assert library.unused() == []
        assert library.repeats == 0
