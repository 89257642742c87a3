"""A recording as a replay looks things up in it: which calls are equal, alike, about objects, and what their answers share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from cassette_toy import TYPE, Toy, answer, call, header, recorded, secret, session
from msgspec.structs import replace

from mockprovider.calls import Call, Op, Reply, Status
from mockprovider.cassette import Cassette, Interaction, Reader
from mockprovider.cassette.objects import MARK
from mockprovider.cassette.recorded import RecordedCall, Where
from mockprovider.cassette.shelf import Alike, Shelf, where_of

KEYS = ("k-8d1f2a", "k-77c3b0", "k-e05a91")


def shelved(*conversation: tuple[Call, Reply]) -> Shelf:
    """A recording on the shelf; addresses keep its calls in their order."""
    asked = ((replace(one, address=f"a[{n}]"), reply) for n, (one, reply) in enumerate(conversation))
    return on_shelf(recorded(*asked))


def on_shelf(cassette: Cassette) -> Shelf:
    return Shelf(cassette, {"": Reader(Toy())})


def create(type_: str = "Key", number: int = 1, **inputs: Any) -> Call:
    return call(Op.CREATE, session(number), type_=type_, **inputs)


def read(number: int = 2, **inputs: Any) -> Call:
    return call(Op.READ, session(number), type_="Key", **inputs)


def keys(count: int = 2) -> list[tuple[Call, Reply]]:
    return [(create(), answer(id=id_, kind="k")) for id_ in KEYS[:count]]


def keys_of(shelf: Shelf) -> Iterable[tuple[Where, str]]:
    return dict.fromkeys((one.where, one.digest) for one in shelf.calls)


def only(shelf: Shelf) -> RecordedCall:
    (one,) = shelf.calls
    return one


# One call ----------------------------------------------------------------------------------------------------------------

SECRETS: dict[str, tuple[Call, Reply, tuple[bool, bool]]] = {
    "without": (create(name="a"), answer(id="1"), (False, False)),
    "in the request": (create(p=secret("correct horse")), answer(id="1"), (True, False)),
    "in the answer": (create(), answer(p=secret("correct horse")), (False, True)),
    "in the status": (create(p=secret("correct horse")), Reply(status=Status(2, "no correct horse")), (True, True)),
}


@pytest.mark.parametrize(("asked", "reply", "expected"), [pytest.param(*row, id=rule) for rule, row in SECRETS.items()])
def test_where_a_call_has_secrets(asked: Call, reply: Reply, expected: tuple[bool, bool]) -> None:
    """A call knows whether its request and its answer have placeholders; those with one in the request are listed."""
    shelf = shelved((asked, reply))
    one = only(shelf)
    assert (one.secret, one.filled) == expected
    there = shelf.there(one.where)
    assert there.with_secrets == ([one] if one.secret else [])
    assert (there.by_digest, shelf.asked_with((one.where, one.digest))) == ({one.digest: [one]}, [one])


@pytest.mark.parametrize(
    ("asked", "once"),
    [(create(), True), (read(), False), (call(Op.CREATE, session(), preview=True), False), (call(Op.DELETE, session()), True)],
)
def test_what_answers_once(asked: Call, once: bool) -> None:
    """What changes the cloud answers once, unless it was previewed."""
    assert only(shelved((asked, answer()))).once is once


@pytest.mark.parametrize(
    ("op", "instance"),
    [("create", "east"), ("read", "east"), ("get_schema", ""), ("configure", ""), ("cancel", ""), ("raw", "east")],
)
def test_what_a_call_is_looked_up_by(op: str, instance: str) -> None:
    """Provider, instance, method, type and URN; what means the same on every instance is looked up without."""
    interaction = Interaction(n=1, session=1, op=op, method="M", provider="p", instance="east", type="T", urn="urn:a")
    assert where_of(interaction) == ("p", instance, "M", "T", "urn:a")


def test_a_call_has_the_time_of_its_session() -> None:
    """Place, wave and preview are those of the finished recording."""
    asked = [call(Op.READ, session(number, preview=preview)) for number, preview in ((1, True), (2, False))]
    shelf = shelved(*((one, answer()) for one in asked))
    assert [(one.place, one.wave, one.preview) for one in shelf.calls] == [(0, 1, True), (1, 2, False)]


def test_what_is_in_sets_is_in_order() -> None:
    """Requests and answers are compared with their sets in order, and kept as they were."""
    seen = []

    def arrange(method: str, type_: str, tree: Any) -> Any:
        seen.append((method, type_))
        return {**tree, "set": sorted(tree["set"])} if isinstance(tree, dict) and "set" in tree else tree

    conversation = [(create(set=order), answer(set=order)) for order in (["b", "a"], ["a", "b"])]
    shelf = Shelf(recorded(*conversation), {"": Reader(Toy(), arrange)})
    one, other = shelf.calls
    assert (one.digest, one.answer, one.request) == (other.digest, other.answer, {"set": ["a", "b"]})
    assert {str(both.interaction.request["set"]) for both in (one, other)} == {"['b', 'a']", "['a', 'b']"}
    assert {*seen} == {("Create", "Key")}
    assert shelf.arranged(one, {"set": ["d", "c"]}) == {"set": ["c", "d"]}


def test_what_is_masked_is_not_compared() -> None:
    """Requests and answers are compared without what is masked in them."""
    conversation = [(create(at=at), answer(at=at)) for at in (1, 2)]
    cassette = recorded(*conversation)
    shelf = Shelf(cassette, {"": Reader(Toy())}, lambda type_, tree: {**tree, "at": type_})
    assert [(one.request, one.answer) for one in shelf.calls] == [({"at": "Key"}, shelf.calls[0].answer)] * 2


def test_what_goes_through_requests_sees_all_of_them() -> None:
    """A request in which sets, masks or matchers find damage is refused when a cassette is opened, asked for or not."""
    cassette = recorded((create(set=[1]), answer()))

    def refuse(*_: Any) -> Any:
        raise ValueError("no set")

    for reader, more in (
        (Reader(Toy(), refuse), {}),
        (Reader(Toy()), {"compared": refuse}),
        (Reader(Toy()), {"asked": refuse}),
    ):
        with pytest.raises(ValueError, match="no set"):
            Shelf(cassette, {"": reader}, **more)


def test_only_the_requests_of_a_place_are_looked_at() -> None:
    """Where nothing goes through requests, those are looked at that stand where a call is looked up."""
    shelf = shelved((create(name="a"), answer(id="1")), (read(id="1"), answer(id="1")))
    one, other = shelf.calls
    assert [*shelf.there(one.where).by_digest.values()] == [[one]]
    assert (one._asked is None, other._asked is None) == (False, True)
    assert shelf.there(("", "", "Nothing", "", "")).by_digest == {}


# During a call -----------------------------------------------------------------------------------------------------------


def during(*inner: tuple[str, Any], n: int = 1) -> list[Interaction]:
    """A call, and what was asked of the engine meanwhile."""
    return [
        Interaction(n=n, session=1, op="create", method="Create", type="Key", request={"n": n}, response={}),
        *(
            Interaction(n=n + m, session=1, op=op, method=op, direction="engine", parent=n, request=request, response={})
            for m, (op, request) in enumerate(inner, 1)
        ),
    ]


def answer_of(*inner: tuple[str, Any]) -> str:
    return only(on_shelf(Cassette(header(), during(*inner)))).answer


def test_what_was_asked_of_the_engine_belongs_to_its_call() -> None:
    """Calls to the engine are no calls to be answered, and are listed with the call during which they were made."""
    shelf = on_shelf(
        Cassette(header(), [*during(("register", {"a": 1}), ("log", {"m": 1})), *during(("register", {"a": 2}), n=7)])
    )
    assert [one.interaction.method for one in shelf.calls] == ["Create", "Create"]
    first, second = (one.interaction.n for one in shelf.calls)
    assert {n: [inner.method for inner in asked] for n, asked in shelf.asked.items()} in (
        {first: ["register", "log"], second: ["register"]},
        {first: ["register"], second: ["register", "log"]},
    )


def test_answers_are_equal_where_the_same_was_asked_meanwhile() -> None:
    """Two answers that are alike differ if the provider asked its engine for other things; what it logged does not count."""
    assert answer_of() == answer_of(("log", {"m": 1})) == answer_of(("log", {"m": 2}))
    assert answer_of(("register", {"a": 1})) == answer_of(("register", {"a": 1}), ("log", {"m": 2}))
    assert len({answer_of(), answer_of(("register", {"a": 1})), answer_of(("register", {"a": 2}))}) == 3


# Equal calls -------------------------------------------------------------------------------------------------------------

EQUAL: dict[str, tuple[list[tuple[Call, Reply]], list[int]]] = {
    "one call": ([(create(), answer())], [1]),
    "equal calls": ([(create(), answer())] * 3, [3]),
    "different requests": ([(create(n=n), answer()) for n in (1, 2)], [1, 1]),
    "different answers": ([(create(n=1), answer(n=n, ok=True)) for n in (True, False)], []),
    "a secret in the request": ([(create(p=secret("correct horse")), answer())] * 2, []),
    "a secret in the answer": ([(create(), answer(p=secret("correct horse")))] * 2, []),
    "what made objects": (keys(), []),
    "what is about objects": ([*keys(), (read(id=KEYS[0]), answer())], [1]),
}


@pytest.mark.parametrize(("conversation", "counts"), [pytest.param(*row, id=rule) for rule, row in EQUAL.items()])
def test_of_equal_calls_only_the_number_counts(conversation: list[tuple[Call, Reply]], counts: list[int]) -> None:
    """Calls with equal requests and answers are equal, if they have no secrets and made no objects."""
    shelf = shelved(*conversation)
    groups = [equal for key in keys_of(shelf) if (equal := shelf.equal(key))]
    assert [len(equal.calls) for equal in groups] == counts
    listed = [one for equal in groups for one in equal.calls]
    assert [shelf.equal_to(one) is not None for one in shelf.calls] == [one in listed for one in shelf.calls]


def test_equal_calls_by_time() -> None:
    """Equal calls are counted by time, and the most that one session asked."""
    shelf = shelved(*((create(number=number), answer()) for number in (1, 1, 2, 3, 3, 3)))
    (equal,) = (group for key in keys_of(shelf) if (group := shelf.equal(key)))
    assert {wave: len(calls) for wave, calls in equal.by_wave.items()} == {1: 2, 2: 1, 3: 3}
    assert equal.most == 3


# Calls about objects -----------------------------------------------------------------------------------------------------


def alike_of(*conversation: tuple[Call, Reply]) -> Alike:
    """The one group of calls about objects of a recording."""
    (group,) = shelved(*conversation).alike.values()
    return group


def reads(*about: int, **more: Any) -> list[tuple[Call, Reply]]:
    return [(read(id=KEYS[n]), answer(id=KEYS[n], **more)) for n in about]


ALIKE: dict[str, tuple[list[tuple[Call, Reply]], tuple[bool, bool]]] = {
    "of each object": (reads(0, 1), (True, True)),
    "of some": (reads(0), (False, True)),
    "of each, twice": (reads(0, 1, 0), (True, True)),
    "with other answers": ([*reads(0), *reads(1, size=2)], (True, False)),
    "with a failure": ([*reads(0), (read(id=KEYS[1]), Reply(status=Status(2, "no")))], (True, False)),
    "with answers that differ in secrets": ([*reads(0, p=secret("secret-1")), *reads(1, p=secret("secret-2"))], (True, True)),
}


@pytest.mark.parametrize(("asked", "expected"), [pytest.param(*row, id=rule) for rule, row in ALIKE.items()])
def test_calls_that_are_alike(asked: list[tuple[Call, Reply]], expected: tuple[bool, bool]) -> None:
    """Calls that are equal but for generated values cover their objects or not, and have one answer or not."""
    group = alike_of(*keys(), *asked)
    assert (group.covers, group.uniform) == expected


def test_objects_of_another_time_need_not_be_covered() -> None:
    """A group covers its objects if it is about all that were made at the time of one of them."""
    later = create(number=3), answer(id=KEYS[2], kind="k")
    assert alike_of(*keys(), later, *reads(0, 1)).covers
    assert alike_of(*keys(), later, *reads(2)).covers
    assert not alike_of(*keys(), later, *reads(0, 2)).covers


def test_how_calls_about_objects_are_found() -> None:
    """A group is found by values in their order, by objects in their order, and by objects in any order."""
    asked = [(read(one=KEYS[one], other=KEYS[other]), answer(n=n)) for n, (one, other) in enumerate(((0, 1), (1, 0), (0, 1)))]
    shelf = shelved(*keys(), *asked)
    (group,) = shelf.alike.values()
    places = [marked.call.place for marked in group.calls]
    assert {key: [marked.call.place for marked in calls] for key, calls in group.by_objects.items()} == {(0, 1): places}
    assert sorted(group.by_order) == [(0, 1), (1, 0)]
    assert len(group.by_values) == 2
    first = group.by_order[0, 1]
    assert first.call.place == min(marked.call.place for marked in group.calls if marked.objects == (0, 1))
    assert shelf.about == {marked.call.place: marked.objects for marked in group.calls}
    assert shelf.group == dict.fromkeys(places, group)


def test_calls_with_equal_contents() -> None:
    """Calls about objects are equal if their requests and answers are; bytes in an answer cannot be replaced."""
    asked = [(read(id=KEYS[0]), answer(n=n)) for n in (1, 1, 2)]
    group = alike_of(*keys(), *asked, (read(id=KEYS[1]), answer(n=1)), (read(id=KEYS[1]), answer(**{"$raw": "eA=="})))
    assert len({marked.content for marked in group.calls}) == 4
    assert [marked.verbatim for marked in group.calls].count(True) == 1


def test_a_recording_without_objects() -> None:
    """Without generated values there are no groups."""
    assert shelved((create(), answer(id="1")), (read(id="1"), answer())).alike == {}


def test_answers_without_what_was_generated() -> None:
    """The answers that made equal objects are equal, generated values apart, and others are what they are."""
    shelf = shelved(*keys(), (read(id="x"), answer(n=1)), (read(id="y"), Reply(status=Status(2, "no"))))
    one, other, plain, failed = shelf.calls
    assert shelf.blank(one) == shelf.blank(other) == {"id": MARK, "kind": "k"}
    assert shelf.answer(one) == shelf.answer(other) != one.answer
    assert (shelf.blank(plain), shelf.answer(plain)) == ({"n": 1}, plain.answer)
    assert shelf.blank(failed) == {"message": "no", "details": None}
    assert shelf.blank_digest(one) == shelf.blank_digest(other) != shelf.blank_digest(plain)


def test_kins_and_families() -> None:
    """Objects are listed by kin, and by what made them at one time."""
    shelf = shelved(*keys(), (create(number=3), answer(id=KEYS[2], kind="k")))
    assert shelf.kins == {0: [0, 1, 2]}
    assert {family: [one.number for one in members] for family, members in shelf.families.items()} == {0: [0, 1], 2: [2]}
    assert {place: one.number for place, one in shelf.made.items()} == {0: 0, 1: 1, 2: 2}


def test_a_urn_tells_objects_apart() -> None:
    """Where any call has a URN, nothing is learnt to be generated."""
    assert shelved(*keys(), (call(Op.READ, session(), "urn:a", TYPE), answer())).made == {}


def test_the_instances_of_sessions() -> None:
    """Each session's instance is known by its number."""
    shelf = shelved((call(Op.READ, session(1, "east")), answer()), (call(Op.READ, session(2, "west")), answer()))
    assert shelf.instances == {1: "east", 2: "west"}
