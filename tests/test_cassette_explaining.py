"""What of an answer renaming does not explain, as a table: the path of what may have been computed from another object."""

from __future__ import annotations

from typing import Any

import pytest
from cassette_toy import Toy, answer, call, recorded, session
from msgspec.structs import replace

from mockprovider.calls import Call, Op, Reply, Status
from mockprovider.cassette import Reader
from mockprovider.cassette.objects import Pairing
from mockprovider.cassette.shelf import Shelf

KEYS = ("k-8d1f2a", "k-77c3b0")
SERIALS = ("s-11aa22bb", "s-33cc44dd")
HASH, PEM = "9f1c2ab07e", "MIIB8zCCAZ2g4f"
EXCHANGED: Pairing = ((0, 1),)
Conversation = list[tuple[Call, Reply]]


def cert(key: str, number: int = 2, **inputs: Any) -> Call:
    return call(Op.CREATE, session(number), type_="Cert", key=key, **inputs)


def unexplained(about: tuple[Call, Reply], *others: tuple[Call, Reply], pairing: Pairing = EXCHANGED) -> str:
    """What is not explained of this call's answer, of a recording that begins with two equal keys."""
    keys = [
        (call(Op.CREATE, session(), type_="Key"), answer(id=id_, of=serial)) for id_, serial in zip(KEYS, SERIALS, strict=True)
    ]
    conversation = [*keys, about, *others]
    asked = ((replace(one, address=f"a[{n}]"), reply) for n, (one, reply) in enumerate(conversation))
    shelf = Shelf(recorded(*asked, transcriber=Toy(("pin",))), {"": Reader(Toy())})
    (it,) = (one for one in shelf.calls if one.interaction.address == "a[2]")
    return shelf.opaque.unexplained(it, pairing)


PATHS: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, ""),
    "a hash": ({"md5": HASH}, "md5"),
    "deep inside": ({"a": {"b": ["x", {"c.d": HASH}]}}, 'a.b[1]["c.d"]'),
    "in the middle of a text": ({"url": f"https://cloud/{HASH}?x=1"}, "url"),
    "the first of two": ({"a": {"b": PEM}, "c": HASH}, "a.b"),
    "the object's own value": ({"id": f"x/{KEYS[0]}/y"}, ""),
    "a value of the object that the request has not": ({"serial": SERIALS[0]}, ""),
    "another object's value, which is not about this one": ({"id": KEYS[1]}, ""),
    "six letters": ({"a": "a1b2c3"}, "a"),
    "five letters": ({"a": "a1b2c"}, ""),
    "five and five": ({"a": "a1b2c-a1b2c"}, ""),
    "a word": ({"a": "available Available AVAILABLE PayPerRequest"}, ""),
    "capitals anywhere": ({"a": "qWzXvBnMk"}, "a"),
    "a number of four digits": ({"n": 1000}, "n"),
    "a number below": ({"n": 999}, ""),
    "a negative number": ({"n": -1000}, "n"),
    "a float": ({"n": 1000.5}, "n"),
    "a boolean": ({"n": True, "m": None}, ""),
    "a secret": ({"a": {"pin": "generated-secret"}}, "a.pin"),
    "a UUID of time": ({"u": "4f9b3c1e-2d6a-1b7e-9c1d-0a1b2c3d4e5f"}, ""),
    "a random UUID": ({"u": "4F9B3C1E-2D6A-4B7E-9C1D-0A1B2C3D4E5F"}, ""),
    "a UUID of the new kinds": ({"u": "4f9b3c1e-2d6a-6b7e-9c1d-0a1b2c3d4e5f 4f9b3c1e-2d6a-7b7e-8c1d-0a1b2c3d4e5f"}, ""),
    "a UUID of a name": ({"u": "4f9b3c1e-2d6a-3b7e-9c1d-0a1b2c3d4e5f"}, "u"),
    "a UUID of a hash": ({"u": "4f9b3c1e-2d6a-5b7e-9c1d-0a1b2c3d4e5f"}, "u"),
    "a UUID of another variant": ({"u": "4f9b3c1e-2d6a-4b7e-7c1d-0a1b2c3d4e5f"}, "u"),
    "a UUID in a longer number": ({"u": "4f9b3c1e-2d6a-4b7e-9c1d-0a1b2c3d4e5fa"}, "u"),
    "a UUID beside a hash": ({"u": f"4f9b3c1e-2d6a-4b7e-9c1d-0a1b2c3d4e5f {HASH}"}, "u"),
}


@pytest.mark.parametrize(("content", "path"), [pytest.param(*row, id=rule) for rule, row in PATHS.items()])
def test_what_is_opaque(content: dict[str, Any], path: str) -> None:
    """Runs of letters and digits that nobody writes, large numbers and secrets are opaque; what chance made is not."""
    assert unexplained((cert(KEYS[0]), answer(**content))) == path


def test_what_the_request_had() -> None:
    """What was asked for was not computed from the object."""
    assert unexplained((cert(KEYS[0], given=[HASH, 123456]), answer(md5=HASH, n=123456, other=PEM))) == "other"


def test_a_failure_is_an_answer() -> None:
    """The message and the details of a failure may be about the object, too."""
    assert unexplained((cert(KEYS[0]), Reply(status=Status(2, f"no {HASH}")))) == "message"
    assert unexplained((cert(KEYS[0]), Reply(status=Status(2, "no", b"9f1c2ab07e77")))) == "details"
    assert unexplained((cert(KEYS[0]), Reply(status=Status(2, "no")))) == ""


ABOUT = (cert(KEYS[0]), answer(md5=HASH))
OTHERS: dict[str, tuple[Conversation, bool]] = {
    "nobody": ([], False),
    "about the other object": ([(cert(KEYS[1]), answer(of=HASH))], True),
    "about nothing": ([(cert("none"), answer(of=HASH))], True),
    "about the same object": ([(cert(KEYS[0], 3), answer(of=HASH))], False),
    "about both objects": ([(cert(KEYS[0], 3, other=KEYS[1]), answer(of=HASH))], False),
    "about the same, and the other": ([(cert(KEYS[0], 3), answer(of=HASH)), (cert(KEYS[1]), answer(of=HASH))], True),
    "with another word": ([(cert(KEYS[1]), answer(of=PEM))], False),
    "as a part of a word": ([(cert(KEYS[1]), answer(of=f"x{HASH}"))], False),
    "who was given it": ([(cert(KEYS[1], given=HASH), answer(of=HASH))], False),
    "in a failure": ([(cert(KEYS[1]), Reply(status=Status(2, f"no {HASH}")))], True),
}


@pytest.mark.parametrize(("others", "explained"), [pytest.param(*row, id=rule) for rule, row in OTHERS.items()])
def test_what_others_have(others: Conversation, explained: bool) -> None:
    """A word is explained if an answer about something else has it, to a request that had it not."""
    assert (unexplained(ABOUT, *others) == "") is explained


def test_what_others_made() -> None:
    """The answer that made an object is about that object: what is in it says nothing of others that have it."""
    made = (call(Op.CREATE, session(), type_="Key", n=1), answer(id="k-e05a91", md5=HASH))
    assert unexplained(ABOUT, made) == "", "it is about a key of its own"
    twins = [
        (call(Op.CREATE, session(), type_="Twin", key=KEYS[0]), answer(id=id_, md5=HASH)) for id_ in ("t-aaaa11", "t-bbbb22")
    ]
    assert unexplained(ABOUT, *twins) == "md5", "they were made from the same key"


def test_an_object_in_its_own_place() -> None:
    """Where nothing was exchanged, all is explained."""
    assert unexplained(ABOUT, pairing=((0, 0),)) == ""
    assert unexplained(ABOUT, pairing=((0, 0), (1, 1))) == ""
