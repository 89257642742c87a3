"""What a recording shows to be generated, as a table: the places where answers to equal requests differ."""

from __future__ import annotations

from typing import Any

import pytest
from cassette_toy import Toy, answer, call, recorded, secret, session
from msgspec.structs import replace

from mockprovider.calls import Call, Op, Reply, Status
from mockprovider.cassette import Cassette
from mockprovider.cassette.model import Interaction
from mockprovider.cassette.objects import GeneratedValue, Vocabulary
from mockprovider.cassette.shelf import Reader, Shelf
from mockprovider.redaction import Redactor


def learnt(*conversation: tuple[Call, Reply]) -> Vocabulary:
    """What a recording of this conversation teaches. Addresses keep equal calls in their order."""
    return of_cassette(recorded(*((replace(asked, address=f"a[{n}]"), reply) for n, (asked, reply) in enumerate(conversation))))


def of_cassette(cassette: Cassette) -> Vocabulary:
    return Shelf(cassette, {"": Reader(Toy())}).vocabulary


def short(value: GeneratedValue | None) -> str:
    """``text logs-1``, ``leaf port=80``, ``secret string=1``, or nothing."""
    return "" if value is None else f"{value.kind} {value.name}{'=' if value.name else ''}{value.value}"


def values(vocabulary: Vocabulary) -> list[list[str]]:
    """The generated values of each object."""
    return [[short(value) for value in one.values] for one in vocabulary.objects]


def create(type_: str = "A", number: int = 1, **inputs: Any) -> Call:
    return call(Op.CREATE, session(number), type_=type_, **inputs)


# One value of each answer ------------------------------------------------------------------------------------------------

VALUES: dict[str, tuple[Any, Any, list[str] | None]] = {
    "equal answers": ("logs-8d1f2a", "logs-8d1f2a", None),
    "the part that differs, in whole words": ("arn:cloud:8d1f2a:x", "arn:cloud:77c3b0:x", ["text 8d1f2a", "text 77c3b0"]),
    "a word that begins alike": ("id-ab12cd", "id-ab34ef", ["text ab12cd", "text ab34ef"]),
    "a word that ends alike": ("12abcd/x", "34abcd/x", ["text 12abcd", "text 34abcd"]),
    "a whole word": ("8d1f2a", "77c3b0", ["text 8d1f2a", "text 77c3b0"]),
    "one is the beginning of the other": ("worker-one", "worker-one-b", ["text worker-one", "text worker-one-b"]),
    "one is the beginning of the other's word": ("x-worker", "x-workers", ["text worker", "text workers"]),
    "several words that differ": ("a-1111-b-2222-c", "a-3333-b-4444-c", ["text 1111-b-2222", "text 3333-b-4444"]),
    "four with a digit": ("x-ab1d", "x-ab2e", ["text ab1d", "text ab2e"]),
    "four without a digit, in a longer text": ("x-abcd", "x-abce", ["text x-abcd", "text x-abce"]),
    "three with a digit, in a longer text": ("name-ab1", "name-ab2", ["text name-ab1", "text name-ab2"]),
    "six without a digit": ("+/abcdef", "+/abcdeg", ["text abcdef", "text abcdeg"]),
    "five without a digit": ("abcde", "abcdf", ["leaf abcde", "leaf abcdf"]),
    "four without a digit": ("abcd", "abce", ["leaf abcd", "leaf abce"]),
    "three": ("ab1", "ab2", ["leaf v=ab1", "leaf v=ab2"]),
    "one long and one short": ("abcdef", "b", ["leaf abcdef", "leaf v=b"]),
    "an empty text": ("", "abcdef", ["", ""]),
    "a small number": (80, 81, ["leaf v=80", "leaf v=81"]),
    "a large number": (1000, 1001, ["leaf 1000", "leaf 1001"]),
    "large and small": (999, -1000, ["leaf v=999", "leaf -1000"]),
    "a float": (0.5, 1000.5, ["leaf v=0.5", "leaf 1000.5"]),
    "booleans": (True, False, None),
    "a text and a number": ("8d1f2a", 8, None),
    "a text and nothing": ("8d1f2a", None, None),
    "a number and a float": (1, 2.0, None),
    "in a list": (["x", "8d1f2a"], ["x", "77c3b0"], ["text 8d1f2a", "text 77c3b0"]),
    "in a list, by its key": (["x", 1], ["x", 2], ["leaf v=1", "leaf v=2"]),
    "lists of two lengths": (["8d1f2a"], ["77c3b0", "x"], None),
    "in an object": ({"id": 5, "k": "x"}, {"id": 6, "k": "x"}, ["leaf id=5", "leaf id=6"]),
    "objects with other keys": ({"a": "8d1f2a"}, {"b": "77c3b0"}, None),
    "a shape that differs after a value": ({"a": "8d1f2a", "b": 1}, {"a": "77c3b0", "b": None}, None),
    "an object and a text": ({"a": "8d1f2a"}, "77c3b0", None),
    "secrets": (secret("generated-1"), secret("generated-2"), ["secret string=1", "secret string=2"]),
    "secret numbers": (secret(41), secret(42), ["secret number=1", "secret number=2"]),
    "a secret text and a secret number": (secret("generated-1"), secret(42), None),
    "a secret and an open text": (secret("generated-1"), "77c3b0", None),
}


@pytest.mark.parametrize(("one", "other", "generated"), [pytest.param(*row, id=rule) for rule, row in VALUES.items()])
def test_what_differs_was_generated(one: Any, other: Any, generated: list[str] | None) -> None:
    """Where the answers to two equal requests differ is what was generated, if they have one shape."""
    vocabulary = learnt((create(), answer(v=one)), (create(), answer(v=other)))
    assert values(vocabulary) == ([] if generated is None else [[value] for value in generated])


def test_of_three_answers_all_must_be_alike() -> None:
    """One value is the same as in another answer, and is one that both objects have; one answer of another shape spoils all."""
    two = [(create(), answer(id=name)) for name in ("8d1f2a", "77c3b0")]
    assert values(learnt(*two, (create(), answer(id="8d1f2a")))) == [["text 8d1f2a"], ["text 77c3b0"], ["text 8d1f2a"]]
    assert values(learnt(*two, (create(), answer(id="e05a91", more=1)))) == []
    assert values(learnt(*two, (create(), answer(id=7)))) == []
    assert values(learnt(*two, (create(), answer(id="x")))) == [["leaf 8d1f2a"], ["leaf 77c3b0"], ["leaf id=x"]]


def test_each_place_that_differs_is_a_slot() -> None:
    """An object has a value for each place, in the order of the sorted keys, with its path; blank is what the answers share."""
    replies = [answer(id=name, tags=["x", {"n": n}], kind="k") for n, name in enumerate(("8d1f2a", "77c3b0"))]
    one, other = learnt(*((create(), reply) for reply in replies)).objects
    assert one.places == (("id",), ("tags", 1, "n"))
    assert [[short(value) for value in both.values] for both in (one, other)] == [
        ["text 8d1f2a", "leaf n=0"],
        ["text 77c3b0", "leaf n=1"],
    ]
    assert one.blank == other.blank == {"id": "\0", "kind": "k", "tags": ["x", {"n": "\0"}]}
    assert [(both.number, both.place, both.wave, both.kin, both.family) for both in (one, other)] == [
        (0, 0, 1, 0, 0),
        (1, 1, 1, 0, 0),
    ]


def test_what_was_asked_for_was_not_generated() -> None:
    """A choice among what the request has is no generated value, of all answers; a secret's number is no text of it."""
    zones = ["east-1234", "west-1234", 4321]
    assert values(learnt(*((create(zones=zones), answer(zone=zone)) for zone in ("east-1234", "south-777")))) == [[""], [""]]
    assert values(learnt(*((create(zones=zones), answer(zone=zone)) for zone in ("south-777", "east-1234")))) == [[""], [""]]
    assert values(learnt(*((create(zones=zones), answer(zone=zone)) for zone in (4321, 1234)))) == [[""], [""]]
    secrets = [answer(v=secret(f"generated-{n}")) for n in (1, 2)]
    assert values(learnt(*((create(n=[1, 2]), reply) for reply in secrets))) == [["secret string=1"], ["secret string=2"]]


# Who makes an object -----------------------------------------------------------------------------------------------------

NAMES = "8d1f2a", "77c3b0"
PACKED = {"$msgpack": "eA=="}


def two(*asked: Call, **more: Any) -> list[tuple[Call, Reply]]:
    """Two calls that were answered with different names."""
    return [(one, answer(id=name, **more)) for one, name in zip(asked, NAMES, strict=True)]


TWINS = two(create(), create())

MAKERS: dict[str, tuple[list[tuple[Call, Reply]], int]] = {
    "creates": (TWINS, 2),
    "updates": (two(*[call(Op.UPDATE, session())] * 2), 2),
    "questions, which make nothing": (two(*[call(Op.READ, session())] * 2), 0),
    "creates with a URN, which tells them apart": (two(*[call(Op.CREATE, session(), "urn:a")] * 2), 0),
    "beside any call with a URN": ([*TWINS, (call(Op.READ, session(), "urn:a"), answer())], 0),
    "one create": (TWINS[:1], 0),
    "unequal requests": (two(create(n=1), create(n=2)), 0),
    "of two types": (two(create("A"), create("B")), 0),
    "of two methods": (two(create(), call(Op.UPDATE, session(), type_="A")), 0),
    "of two provider instances": (two(*(call(Op.CREATE, session(number, f"i{number}")) for number in (1, 2))), 0),
    "a failure, which made nothing": ([*TWINS[:1], (create(), Reply(status=Status(2, NAMES[1])))], 0),
    "beside one that failed": ([*TWINS, (create(), Reply(status=Status(2, "busy")))], 2),
    "bytes that nobody can open": (two(create(), create(), raw=PACKED), 0),
    "one of them with bytes": ([*TWINS, (create(), answer(id="e05a91", raw=PACKED))], 2),
    "two sessions after each other": (two(create(number=1), create(number=2)), 2),
    "two sessions at one time": ([*two(create(number=1), create(number=2)), (create(number=1), answer(id="e05a91"))], 0),
}


@pytest.mark.parametrize(("conversation", "count"), [pytest.param(*row, id=rule) for rule, row in MAKERS.items()])
def test_who_makes_objects(conversation: list[tuple[Call, Reply]], count: int) -> None:
    """Objects are what equal requests to one provider instance made, where nothing else tells them apart."""
    assert len(learnt(*conversation).objects) == count


def test_plans_make_objects() -> None:
    """The answer to a plan may hold a generated name already."""
    plans = [
        Interaction(n=n, session=1, op="plan", method="Plan", type="A", request={}, response={"name": name})
        for n, name in enumerate(NAMES, 1)
    ]
    cassette = recorded()
    cassette.interactions.extend(plans)
    assert len(of_cassette(cassette).objects) == 2


# Kins and families -------------------------------------------------------------------------------------------------------


def test_what_was_made_from_objects_is_of_one_kin() -> None:
    """Requests that are equal but for generated values make one kin of several families, and so on for what hangs on that."""
    makes = [(create(), answer(id=name)) for name in NAMES]
    children = [(create("B", parent=name), answer(id=f"b-{name[::-1]}", of=f"a:{name}")) for name in NAMES]
    leaves = [(create("C", top=f"x/b-{name[::-1]}/y"), answer(serial=4000 + n)) for n, name in enumerate(NAMES)]
    vocabulary = learnt(*makes, *children, *leaves)
    assert [(one.number, one.kin, one.family) for one in vocabulary.objects] == [
        (0, 0, 0),
        (1, 0, 0),
        (2, 2, 2),
        (3, 2, 3),
        (4, 4, 4),
        (5, 4, 5),
    ]
    names = [[f"text {name}"] for name in NAMES]
    assert values(vocabulary) == [*names, *([f"text {name[::-1]}"] for name in NAMES), ["leaf 4000"], ["leaf 4001"]]


def test_two_kins_at_once() -> None:
    """Objects of two kins that are learnt at once have each a number of their own."""
    makes = [(create(type_), answer(id=f"{type_}-{name}")) for type_ in "AB" for name in NAMES]
    vocabulary = learnt(*makes)
    assert [(one.number, one.kin, one.family) for one in vocabulary.objects] == [(0, 0, 0), (1, 0, 0), (2, 2, 2), (3, 2, 2)]


def test_objects_of_two_times_are_two_families() -> None:
    """What one request made in an earlier and in a later session is of one kin and of two families."""
    names = ("a11111", "b22222", "c33333")
    vocabulary = learnt(*((create(number=number), answer(id=name)) for number, name in zip((1, 1, 2), names, strict=True)))
    assert [(one.wave, one.kin, one.family) for one in vocabulary.objects] == [(1, 0, 0), (1, 0, 0), (2, 0, 2)]


def test_a_text_around_an_earlier_value_is_not_generated() -> None:
    """A text with a parent's value in it and a short remainder of its own is no value: it will differ in a replay."""
    makes = [(create(), answer(id=name)) for name in NAMES]
    for ends, generated in ((("a", "b"), ["", ""]), (("abcdef", "ghijkl"), ["text abcdef", "text ghijkl"])):
        children = [(create("B", parent=name), answer(url=f"{name}/{end}")) for name, end in zip(NAMES, ends, strict=True)]
        vocabulary = learnt(*makes, *children)
        assert sorted(short(one.values[0]) for one in vocabulary.objects if one.kin == 2) == generated


def test_values_by_chance() -> None:
    """A value that stands in an answer to a request without it, and was not generated there, identifies nothing."""
    makes = [(create(), answer(id=name, at=at)) for name, at in zip(NAMES, ("04:00:01", "04:00:02"), strict=True)]
    elsewhere = (create("B", name="x"), answer(at="04:00:01"))
    brought = (create("B", name="y", at="04:00:02"), answer(at="04:00:02"))
    assert {short(value) for value in learnt(*makes, elsewhere, brought).common} == {"text 04:00:01"}
    assert learnt(*makes, brought).common == set()


def test_a_secret_of_a_name() -> None:
    """Secrets that are declared by name are generated values, too."""
    users = [(create(), answer(password=f"generated-{n}")) for n in range(2)]
    cassette = recorded(*users, redactor=Redactor(names=["password"]))
    assert values(of_cassette(cassette)) == [["secret string=1"], ["secret string=2"]]
