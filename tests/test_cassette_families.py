"""Families of equal objects: told apart by what renaming explains or by address, else refused, always and with the reason."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from cassette_toy import Toy, answer, call, recorded, replayer, session
from msgspec.structs import replace

from mockprovider.calls import Call, Op, Reply
from mockprovider.cassette import Cassette, CassetteLayer
from mockprovider.cassette.library import Library
from mockprovider.cassette.modes import LookResult
from mockprovider.cassette.objects import Assignment, Link, RecordedObject
from mockprovider.cassette.objects.explaining import WORD
from mockprovider.cassette.recorder import WITHHELD
from mockprovider.cassette.rehearsal import rehearsed
from mockprovider.cassette.shelf import Reader, Shelf
from mockprovider.errors import AmbiguousError, MissError
from mockprovider.redaction import Redactor

KEYS = ("k-8d1f2a", "k-77c3b0", "k-e05a91")
PEMS = ("MIIB8zCCAZ2g4f", "MIIC0jCCAbqg77", "MIIDdzCCAl+g90")
Conversation = list[tuple[Call, Reply]]


def create(type_: str, number: int = 1, address: str = "", **inputs: Any) -> Call:
    return replace(call(Op.CREATE, session(number), type_=type_, **inputs), address=address)


def keys(count: int = 2, number: int = 1, *, addressed: bool = False) -> Conversation:
    """So many equal keys."""
    return [(create("Key", number, f"key.k[{n}]" if addressed else ""), answer(id=KEYS[n], size=2048)) for n in range(count)]


def made(replay: CassetteLayer, count: int, number: int = 1) -> list[str]:
    """The ids of so many keys of a replay."""
    return [dict(replay(create("Key", number)).value or {})["id"] for _ in range(count)]


# What an answer may hold -------------------------------------------------------------------------------------------------

ANSWERS = {
    "nothing": ({}, True),
    "the key itself": ({"key": KEYS[0]}, True),
    "text with the key": ({"url": f"https://{KEYS[0]}.cloud/x"}, True),
    "what was asked for": ({"name": "common-name-1"}, True),
    "a word": ({"status": "available", "kind": "PayPerRequest", "class": "STANDARD"}, True),
    "a flag and a small number": ({"on": True, "port": 443, "none": None}, True),
    "a time": ({"since": "2026-11-21T04:00:01Z"}, True),
    "a random UUID": ({"uuid": "4f9b3c1e-2d6a-4b7e-9c1d-0a1b2c3d4e5f"}, True),
    "a certificate": ({"pem": PEMS[0]}, False),
    "a hash": ({"md5": "9dd4e461268c8034f5c8564e155c67a6"}, False),
    "a fingerprint beside the key": ({"arn": f"arn:{KEYS[0]}:9f1c2ab07e"}, False),
    "a large number": ({"serial": 8178120756434964236}, False),
    "a UUID made of a name": ({"uuid": "4f9b3c1e-2d6a-5b7e-9c1d-0a1b2c3d4e5f"}, False),
    "letters that no one writes": ({"hash": "qWzXvBnMkLpO"}, False),
    "a failure with a hash": (Reply(status=None, failures=()), True),
}


@pytest.mark.parametrize(("content", "explained"), [pytest.param(*row, id=name) for name, row in ANSWERS.items()])
def test_what_renaming_explains(content: Any, explained: bool) -> None:
    """Of two equal keys one has a certificate: what could have been computed from the key makes the family refused."""
    reply = content if isinstance(content, Reply) else answer(**content)
    cassette = recorded(*keys(), (create("Cert", 2, name="common-name-1", key=KEYS[0]), reply))
    for _ in range(3):
        replay = replayer(cassette)
        if not explained:
            with pytest.raises(AmbiguousError, match="nothing says which of these objects this one is"):
                replay(create("Key"))
            continue
        one, other = made(replay, 2)
        told = dict(replay(create("Cert", 2, name="common-name-1", key=other)).value or {})
        assert KEYS[0] not in str(told), "the answer is about the other key"
        assert set(told.values()) <= {*dict(reply.value or {}).values(), other, f"https://{other}.cloud/x"}
        assert one == KEYS[0]


def test_what_others_have_too_was_computed_from_none() -> None:
    """A checksum that the answers about both keys have is no reason to refuse; one that only one of them has is."""
    for other, tellable in (("9dd4e461268c8034", True), ("77aa01bc55de0912", False)):
        files = [
            (create("File", 2, name=f"f{n}", key=KEYS[n]), answer(md5=md5)) for n, md5 in enumerate(("9dd4e461268c8034", other))
        ]
        replay = replayer(recorded(*keys(), *files))
        if tellable:
            one, two = made(replay, 2)
            assert replay(create("File", 2, name="f1", key=one)).value == {"md5": "9dd4e461268c8034"}
            assert replay(create("File", 2, name="f0", key=two)).value == {"md5": "9dd4e461268c8034"}
        else:
            with pytest.raises(AmbiguousError, match=r"Interaction \d \(Create of File, session 2\) is about one"):
                replay(create("Key"))


def test_each_has_its_own() -> None:
    """Where each equal key has a certificate from an equal request, every replay finds the one of each key."""
    certs = [(create("Cert", 2, key=key), answer(pem=pem)) for key, pem in zip(KEYS, PEMS, strict=True)]
    right = dict(zip(KEYS, PEMS, strict=True))
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        replay = replayer(recorded(*keys(3), *certs))
        ids = made(replay, 3)
        for key in (ids[n] for n in order):
            assert replay(create("Cert", 2, key=key)).value == {"pem": right[key]}


def test_the_refusal_says_why_and_the_way_out() -> None:
    """The message names the family, the answer that is the reason, its place, and what to do."""
    cassette = recorded(*keys(), (create("Cert", 2, key=KEYS[1]), answer(pem=PEMS[0])))
    with pytest.raises(AmbiguousError) as caught:
        replayer(cassette)(create("Key"))
    message = str(caught.value)
    assert "recorded 2 times with equal requests (interactions 1, 2)" in message
    assert "pem may have been computed from the object that it was recorded for" in message
    assert "one resource at a time" in message
    assert "Or give the resources inputs that differ." in message


def test_a_secret_of_one_of_them_is_named_as_the_reason() -> None:
    """What binds an answer to one object may be a secret in it: the message says so, and not that it was computed."""
    cert = create("Cert", 2, key=KEYS[1]), answer(pass_phrase="generated-and-secret")
    cassette = recorded(*keys(), cert, redactor=Redactor(["pass_phrase"]))
    with pytest.raises(AmbiguousError, match="pass_phrase is a secret of the object that it was recorded for") as caught:
        replayer(cassette)(create("Key"))
    assert "computed" not in str(caught.value)


def test_a_withheld_answer_of_one_of_them_is_named_as_the_reason() -> None:
    """Where one of several equal creates has no answer, since it could not be recorded, the message says which and why."""
    declared = call(Op.CONFIGURE, session(), type_="", token="hunter2-very-secret"), answer()
    one, other = (create("Key"), answer(id=KEYS[0], **{"hunter2-very-secret": 1})), (create("Key"), answer(id=KEYS[1]))
    cassette = recorded(declared, one, other, redactor=Redactor(["token"]))
    number = next(interaction.n for interaction in cassette.interactions if interaction.withheld)
    with pytest.raises(AmbiguousError) as caught:
        replayer(cassette)(create("Key"))
    message = str(caught.value)
    assert "recorded twice with equal requests (interactions 2, 3), and not every answer was kept:" in message
    assert f"that of interaction {number} was withheld, because {WITHHELD}." in message
    assert ("told apart" in message, "hunter2" in message) == (False, False)


# Addresses ---------------------------------------------------------------------------------------------------------------


def test_an_address_tells_equal_objects_apart() -> None:
    """With addresses on both sides, each object has the values that were recorded at its address, in any order."""
    cassette = recorded(*keys(3, addressed=True), (create("Cert", 2, key=KEYS[1]), answer(pem=PEMS[0])))
    for order in ([2, 1, 0], [1, 0, 2]):
        replay = replayer(cassette)
        ids = {n: dict(replay(create("Key", address=f"key.k[{n}]")).value or {})["id"] for n in order}
        assert ids == dict(enumerate(KEYS))
        assert replay(create("Cert", 2, key=ids[1])).value == {"pem": PEMS[0]}


def test_an_address_is_never_required() -> None:
    """Objects that can be told apart anyway are found under addresses that were never recorded, and without any."""
    cassette = recorded(*keys(2, addressed=True), (create("Use", 2, name="u", key=KEYS[1]), answer()))
    for addresses in (['key.k["a"]', 'key.k["b"]'], ["", ""]):
        replay = replayer(cassette)
        ids = [dict(replay(create("Key", address=address)).value or {})["id"] for address in addresses]
        assert sorted(ids) == sorted(KEYS[:2])
        assert replay(create("Use", 2, name="u", key=ids[0])).ok


def test_objects_that_need_an_address_are_refused_at_another() -> None:
    """What only an address can tell apart is refused under an address that was never recorded."""
    cassette = recorded(*keys(2, addressed=True), (create("Cert", 2, key=KEYS[1]), answer(pem=PEMS[0])))
    with pytest.raises(AmbiguousError, match="nothing says which") as caught:
        replayer(cassette)(create("Key", address='key.k["a"]'))
    assert 'recorded at key.k[0], key.k[1]; this one is at key.k["a"], which was not recorded' in str(caught.value)


def test_a_read_is_answered_for_its_address() -> None:
    """Equal questions with different answers at one time are told apart by the addresses that they were recorded with."""
    reads = [
        (replace(call(Op.READ, session(), type_="Zone", name="x"), address=f"zone.z[{n}]"), answer(zone=n)) for n in range(2)
    ]
    replay = replayer(recorded(*reads))
    asked = [replace(call(Op.READ, session(), type_="Zone", name="x"), address=f"zone.z[{n}]") for n in (1, 0)]
    assert [replay(one).value for one in asked] == [{"zone": 1}, {"zone": 0}]
    with pytest.raises(AmbiguousError):
        replayer(recorded(*reads))(call(Op.READ, session(), type_="Zone", name="x"))


# How many ----------------------------------------------------------------------------------------------------------------


def test_one_more_than_recorded_is_refused() -> None:
    """Applied, destroyed and applied again with one pet: two pets in one session are one more than there ever were."""
    gone = (call(Op.DELETE, session(2), type_="Key", id=KEYS[0]), answer())
    cassette = recorded(*keys(1), gone, (create("Key", 3), answer(id=KEYS[1], size=2048)))
    replay = replayer(cassette)
    assert made(replay, 1) == [KEYS[0]]
    with pytest.raises(MissError, match="but in no session more often than this session has asked already"):
        replay(create("Key"))
    assert replay(call(Op.DELETE, session(2), type_="Key", id=KEYS[0])).ok
    assert made(replay, 1, number=3) == [KEYS[1]]


def test_equal_answers_are_not_given_more_often_either() -> None:
    """What is answered alike each time is not one object more than recorded in a session, either."""
    twice = [(create("File", number, name="f"), answer(path="f")) for number in (1, 2)]
    replay = replayer(recorded(*twice))
    assert replay(create("File", name="f")).ok
    with pytest.raises(MissError, match="recorded twice"):
        replay(create("File", name="f"))
    assert replay(create("File", 2, name="f")).ok


# Two families, in any order ----------------------------------------------------------------------------------------------


def pairs(count: int, **more: Any) -> Cassette:
    """Two families of equal objects, and what binds one of each together."""
    pets = [(create("Pet"), answer(id=f"pet-{n}a{n}b{n}c")) for n in range(count)]
    bonds = [
        (create("Bond", 2, key=KEYS[n], pet=f"pet-{n}a{n}b{n}c", **more), answer(url=f"{KEYS[n]}/pet-{n}a{n}b{n}c"))
        for n in range(count)
    ]
    return recorded(*keys(count), *pets, *bonds)


@pytest.mark.trial("two-families", pinned=20, cases=2000)
def test_two_families_are_bound_in_any_order(seeds: Iterator[int]) -> None:
    """Any key may be bound to any pet, as long as each is bound once; the answer is about these two."""
    cassette = pairs(3)
    for seed in seeds:
        chance = random.Random(seed)
        replay = replayer(cassette)
        ids = made(replay, 3)
        pets = [dict(replay(create("Pet")).value or {})["id"] for _ in range(3)]
        chance.shuffle(ids)
        chance.shuffle(pets)
        for key, pet in zip(ids, pets, strict=True):
            assert replay(create("Bond", 2, key=key, pet=pet)).value == {"url": f"{key}/{pet}"}
        with pytest.raises(MissError):
            replay(create("Bond", 2, key=ids[0], pet=pets[1]))


def test_an_object_is_bound_once() -> None:
    """A key that is bound to one pet is not bound to a second one as well: no recorded key was."""
    replay = replayer(pairs(2))
    one, _ = made(replay, 2)
    pets = [dict(replay(create("Pet")).value or {})["id"] for _ in range(2)]
    assert replay(create("Bond", 2, key=one, pet=pets[1])).ok
    with pytest.raises(MissError):
        replay(create("Bond", 2, key=one, pet=pets[0]))


# The parts ---------------------------------------------------------------------------------------------------------------


def test_rehearsing_changes_nothing() -> None:
    """A family can be rehearsed again and again: the recording on the shelf is as it was."""
    cassette = recorded(*keys(), (create("Cert", 2, key=KEYS[1]), answer(pem=PEMS[0])))
    shelf = Shelf(cassette, {"": Reader(Toy())})
    (family,) = shelf.families
    refused = [rehearsed(shelf, family) for _ in range(2)]
    assert [one.outcome for one in refused if one is not None] == [LookResult.MISSING] * 2
    library = Library(cassette, {"": Reader(Toy())})
    assert len(library.unused()) == 3


WRITTEN = ("available", "STANDARD", "PayPerRequest", "Standard", "deadbeef")
MADE_UP = ("qWzXvBnM", "a1b2c3", "9f1c2ab07e", "MIIB8zCC", "sha256x")


@pytest.mark.parametrize("word", [*WRITTEN, *MADE_UP])
def test_words_that_somebody_wrote(word: str) -> None:
    """Words of one case and in CamelCase need no explanation; with digits, or with capitals anywhere, they do."""
    assert bool(WORD.fullmatch(word)) == (word in WRITTEN)


def objects(*kins: int) -> list[RecordedObject]:
    """Objects of these kins, all made at one time."""
    return [RecordedObject(number, number, 1, kin, kin, (), (), {}) for number, kin in enumerate(kins)]


def test_a_settled_object_is_nobody_elses() -> None:
    """Once one live object stands for a recorded one, the others of its kin do not, and the last one follows by itself."""
    assignment = Assignment(objects(0, 0, 0))
    for live in range(3):
        assert assignment.link(Link([live], lambda: [(0,), (1,), (2,)]), telling=False, born=live)
    assert assignment.link(Link([0], lambda: [(2,)]), telling=True)
    assert assignment.link(Link([1], lambda: [(0,), (2,)]), telling=True)
    assert [assignment.role(live) for live in range(3)] == [2, 0, 1]


def test_a_child_follows_its_parent() -> None:
    """What a parent stands for says what its child stands for, whichever is told first."""
    assignment = Assignment(objects(0, 0, 2, 2))
    for live in (0, 1):
        assignment.link(Link([live], lambda: [(0,), (1,)]), telling=False, born=live)
        assignment.link(Link([live, live + 2], lambda: [(0, 2), (1, 3)]), telling=False, born=live + 2)
    assert assignment.link(Link([2], lambda: [(3,)]), telling=True)
    assert [assignment.role(live) for live in range(4)] == [1, 0, 3, 2]


def test_a_contradiction_leaves_no_trace() -> None:
    """What no assignment explains is refused, and whatever is linked in a trial is forgotten: all stays as it was."""
    assignment = Assignment(objects(0, 0, 2, 2))
    for live in (0, 1):
        assignment.link(Link([live], lambda: [(0,), (1,)]), telling=False, born=live)
        assignment.link(Link([live, live + 2], lambda: [(0, 2), (1, 3)]), telling=False, born=live + 2)
    with assignment.trial():
        assert assignment.link(Link([0], lambda: [(1,)]), telling=True)
        assert assignment.role(3) == 2
        assert not assignment.link(Link([3], lambda: [(3,)]), telling=True)
        assert assignment.role(3) == 2
    assert [assignment.role(live) for live in range(4)] == [None] * 4
    assert assignment.is_open(range(4))
    assert assignment.link(Link([3], lambda: [(3,)]), telling=True)
    assert assignment.role(0) == 0
