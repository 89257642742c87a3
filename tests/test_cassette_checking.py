"""Whether a cassette may be committed, as a table: where what is found stands, and whether it fails."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from cassette_toy import TYPE, header, secret

from mockprovider.cassette import Cassette, Interaction, RecordedStatus
from mockprovider.cassette.checking import check
from mockprovider.pulumi.signatures import MARKS

PASSWORD = "correct horse battery"
TOKEN = "ghp_" + "a1B2" * 9
RANDOM = "kT9bX2zQ8vW4mR7pL1nJ6sD3fG5hY0c"


def held(request: Any = None, response: Any = None, *, status: RecordedStatus | None = None, **more: Any) -> Cassette:
    """A cassette of one call, with the bags that it asked and was answered with."""
    request, response = ({"properties": bag} if isinstance(bag, dict) else bag for bag in (request, response))
    asked = {"op": "create", "method": "Create", "type": TYPE, "urn": "urn:a", **more}
    return Cassette(header(), [Interaction(n=1, session=1, request=request, response=response, status=status, **asked)])


def decided(cassette: Cassette, **decisions: Any) -> Cassette:
    for name, decision in decisions.items():
        setattr(cassette.header, name, decision)
    return cassette


def findings(cassette: Cassette, **more: Any) -> list[tuple[str, bool]]:
    """The place of each finding, and whether it fails."""
    return [(finding.place, finding.fails) for finding in check(cassette, MARKS, **more)]


CLEAN: dict[str, tuple[Cassette, dict[str, Any]]] = {
    "ordinary words": (held({"name": "logs", "sizes": [1, None]}, {"arn": "arn:cloud:logs"}), {}),
    "a placeholder": (held({"password": secret({"$secret": 1})}), {}),
    "a schema, which is published": (held({}, {"text": f"{TOKEN} {PASSWORD}"}, op="get_schema"), {"values": [PASSWORD]}),
    "what is decided to be public": (decided(held({"password": secret(PASSWORD)}), public={TYPE: ["password"]}), {}),
    "a name of another type": (held({"password": PASSWORD}), {"names": ["cloud:index:Other.password"]}),
}


@pytest.mark.parametrize(("cassette", "more"), [pytest.param(*row, id=rule) for rule, row in CLEAN.items()])
def test_what_may_be_committed(cassette: Cassette, more: dict[str, Any]) -> None:
    """Of a cassette in which no secret is readable there is nothing to say."""
    assert findings(cassette, **more) == []


OF = f"{TYPE}."
READABLE: dict[str, tuple[Cassette, dict[str, Any], list[str]]] = {
    "a marked secret": (held({"password": secret(PASSWORD)}), {}, [f"{OF}password.value"]),
    "what the header declares": (decided(held({"key": PASSWORD}), secrets={TYPE: ["key"]}), {}, [f"{OF}key"]),
    "what whoever checks names": (held({"key": [PASSWORD]}), {"names": ["key"]}, [f"{OF}key"]),
    "a value": (held({}, {"note": f"see {PASSWORD}."}), {"values": [PASSWORD]}, [f"{OF}note"]),
    "in another spelling": (
        held({}, {"note": quote(PASSWORD)}),
        {"values": [PASSWORD]},
        [f"{OF}note"],
    ),
    "one of several values": (held({"a": PASSWORD}), {"values": ["something else", PASSWORD]}, [f"{OF}a"]),
    "in a message": (
        held(status=RecordedStatus(code="UNKNOWN", message=PASSWORD, details={"d": PASSWORD})),
        {"values": [PASSWORD]},
        [f"{OF}d", f"{OF}message"],
    ),
    "in what is beside the trees": (
        held({}, urn="urn:secret-pin-1", id="secret-pin-1", instance="secret-pin-1"),
        {"values": ["secret-pin-1"]},
        [f"{OF}id", f"{OF}instance", f"{OF}urn"],
    ),
    "in the header": (
        decided(held(), created_by=f"record {PASSWORD}", faults=[{"reason": PASSWORD}]),
        {"values": [PASSWORD]},
        ["the header, created_by", "the header, reason"],
    ),
    "declared by a later call": (
        Cassette(header(), [*held({"note": PASSWORD}).interactions, *held({"p": secret(PASSWORD)}).interactions]),
        {},
        [f"{OF}note", f"{OF}p.value"],
    ),
}


@pytest.mark.parametrize(("cassette", "more", "places"), [pytest.param(*row, id=rule) for rule, row in READABLE.items()])
def test_what_is_readable_and_declared(cassette: Cassette, more: dict[str, Any], places: list[str]) -> None:
    """What is declared secret and stands there fails, wherever it is, and its value is not told."""
    found = check(cassette, MARKS, **more)
    assert [(one.place, one.fails) for one in found] == [(place, True) for place in places]
    assert PASSWORD not in str(found)


def test_a_secret_that_is_a_key_is_not_told() -> None:
    """The place of a secret in a key is told without it."""
    (one, *_) = check(held({"by": {PASSWORD: 1}}), MARKS, values=[PASSWORD])
    assert one.fails
    assert one.place.startswith(f"{OF}by")
    assert PASSWORD not in str(one)


def test_what_nobody_has_decided() -> None:
    """Each place without a decision fails, and its value stays what it is: whoever decides looks at it."""
    cassette = decided(held({"url": secret(PASSWORD)}), undecided={TYPE: ["url", "other"], "T": ["x"]})
    assert findings(cassette) == [(f"{TYPE}.url", True), (f"{TYPE}.other", True), ("T.x", True)]


ALIKE: dict[str, tuple[Cassette, list[str]]] = {
    "a known form": (held({"a": TOKEN}), [f"{OF}a"]),
    "a random text": (held({"a": RANDOM}), [f"{OF}a"]),
    "inside of a text": (held({"a": f"token={TOKEN}"}), [f"{OF}a"]),
    "in a list": (held({"a": ["x", {"b": TOKEN}]}), [f"{OF}a.b"]),
    "in a key with dots": (held({"a.b": TOKEN}), [f"{OF}a.b"]),
    "one of each": (held({"a": TOKEN, "b": RANDOM}), [f"{OF}a", f"{OF}b"]),
    "twice is once": (held({"a": TOKEN}, {"a": TOKEN, "c": TOKEN}), [f"{OF}a", f"{OF}c"]),
    "in the header": (decided(held(), created_by=TOKEN), ["the header, created_by"]),
}


@pytest.mark.parametrize(("cassette", "places"), [pytest.param(*row, id=rule) for rule, row in ALIKE.items()])
def test_what_looks_like_a_secret(cassette: Cassette, places: list[str]) -> None:
    """What only looks like a secret is told once a property, and does not fail."""
    assert findings(cassette) == [(place, False) for place in places]


def test_a_look_alike_is_told_by_its_form() -> None:
    """A known form is told by its name, though it is random, too."""
    known, random = check(held({"a": TOKEN, "b": RANDOM}), MARKS)
    assert "a GitHub token" in known.problem
    assert "a GitHub token" not in random.problem


def test_what_fails_comes_first() -> None:
    """Readable secrets, then what is not decided, then look-alikes."""
    cassette = decided(held({"a": TOKEN, "p": PASSWORD}), undecided={TYPE: ["url"]})
    assert findings(cassette, values=[PASSWORD]) == [(f"{OF}p", True), (f"{TYPE}.url", True), (f"{OF}a", False)]
