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
    """A cassette of one call, with properties in a field of its messages."""
    asked: dict[str, Any] = {"op": "create", "method": "Create", "type": TYPE, "urn": "urn:a", **more}
    trees = {"request": {"inputs": request}, "response": {"outputs": response}, "status": status}
    return Cassette(header(), [Interaction(n=asked.pop("n", 1), session=1, **trees, **asked)])


def decided(cassette: Cassette, **decisions: Any) -> Cassette:
    for name, decision in decisions.items():
        setattr(cassette.header, name, decision)
    return cassette


def findings(cassette: Cassette, **more: Any) -> list[tuple[str, bool, tuple[int, ...]]]:
    """The place of each finding, whether it fails, and the interactions that have it."""
    return [(finding.place, finding.fails, finding.interactions) for finding in check(cassette, MARKS, **more)]


def located(places: list[str], *, fails: bool) -> list[tuple[str, bool, tuple[int, ...]]]:
    """Findings at these places of the one call, or of the header."""
    return [(place, fails, () if place.startswith("the header") else (1,)) for place in places]


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


READABLE: dict[str, tuple[Cassette, dict[str, Any], list[str]]] = {
    "a marked secret": (held({"password": secret(PASSWORD)}), {}, [f"{TYPE}.password.value"]),
    "what the header declares": (decided(held({"key": PASSWORD}), secrets={TYPE: ["key"]}), {}, [f"{TYPE}.key"]),
    "what whoever checks names": (held({"key": [PASSWORD]}), {"names": ["key"]}, [f"{TYPE}.key"]),
    "a value": (held({}, {"note": f"see {PASSWORD}."}), {"values": [PASSWORD]}, [f"{TYPE}.note"]),
    "in another spelling": (held({}, {"note": quote(PASSWORD)}), {"values": [PASSWORD]}, [f"{TYPE}.note"]),
    "one of several values": (held({"a": PASSWORD}), {"values": ["something else", PASSWORD]}, [f"{TYPE}.a"]),
    "of no type": (held({"a": PASSWORD}, type=""), {"values": [PASSWORD]}, ["a"]),
    "in a message": (
        held(status=RecordedStatus(code="UNKNOWN", message=PASSWORD, details={"d": PASSWORD})),
        {"values": [PASSWORD]},
        [f"{TYPE}.d", f"{TYPE}.message"],
    ),
    "in what is beside the trees": (
        held({}, urn="urn:secret-pin-1", id="secret-pin-1", instance="secret-pin-1"),
        {"values": ["secret-pin-1"]},
        [f"{TYPE}.id", f"{TYPE}.instance", f"{TYPE}.urn"],
    ),
    "in the header": (
        decided(held(), created_by=f"record {PASSWORD}", faults=[{"reason": PASSWORD}]),
        {"values": [PASSWORD]},
        ["the header, created_by", "the header, reason"],
    ),
}


@pytest.mark.parametrize(("cassette", "more", "places"), [pytest.param(*row, id=rule) for rule, row in READABLE.items()])
def test_what_is_readable_and_declared(cassette: Cassette, more: dict[str, Any], places: list[str]) -> None:
    """What is declared secret and stands there fails, wherever it is, and its value is not told."""
    assert findings(cassette, **more) == located(places, fails=True)
    assert PASSWORD not in str(check(cassette, MARKS, **more))


def test_one_place_of_several_calls() -> None:
    """A place is told once, with the calls that have it there; a later call declares what an earlier one has."""
    calls = [held({"note": PASSWORD}), held({"note": PASSWORD}, {"note": PASSWORD}, n=2), held({"p": secret(PASSWORD)}, n=3)]
    cassette = Cassette(header(), [interaction for one in calls for interaction in one.interactions])
    assert findings(cassette) == [(f"{TYPE}.note", True, (1, 2)), (f"{TYPE}.p.value", True, (3,))]


def test_a_secret_that_is_a_key_is_not_told() -> None:
    """The place of a secret in a key is told without it."""
    (one, *_) = check(held({"by": {PASSWORD: 1}}), MARKS, values=[PASSWORD])
    assert one.fails
    assert one.place.startswith(f"{TYPE}.by")
    assert PASSWORD not in str(one)


def test_what_nobody_has_decided() -> None:
    """Each place without a decision fails, and its value stays what it is: whoever decides looks at it."""
    cassette = decided(held({"url": secret(PASSWORD)}), undecided={TYPE: ["url", "other"], "T": ["x"]})
    assert findings(cassette) == [(f"{TYPE}.url", True, ()), (f"{TYPE}.other", True, ()), ("T.x", True, ())]


ALIKE: dict[str, tuple[Cassette, list[str]]] = {
    "a known form": (held({"a": TOKEN}), [f"{TYPE}.a"]),
    "a random text": (held({"a": RANDOM}), [f"{TYPE}.a"]),
    "inside of a text": (held({"a": f"token={TOKEN}"}), [f"{TYPE}.a"]),
    "in a list": (held({"a": ["x", {"b": TOKEN}]}), [f"{TYPE}.a.b"]),
    "one of each": (held({"a": TOKEN, "b": RANDOM}), [f"{TYPE}.a", f"{TYPE}.b"]),
    "twice at one place": (held({"a": [TOKEN, TOKEN]}, {"a": TOKEN}), [f"{TYPE}.a"]),
    "in the header": (decided(held(), created_by=TOKEN), ["the header, created_by"]),
}


@pytest.mark.parametrize(("cassette", "places"), [pytest.param(*row, id=rule) for rule, row in ALIKE.items()])
def test_what_looks_like_a_secret(cassette: Cassette, places: list[str]) -> None:
    """What only looks like a secret is told by its place, and does not fail."""
    assert findings(cassette) == located(places, fails=False)


def test_a_look_alike_is_told_by_its_form() -> None:
    """A known form is told by its name, though it is random, too."""
    known, random = check(held({"a": TOKEN, "b": RANDOM}), MARKS)
    assert "a GitHub token" in known.problem
    assert "a GitHub token" not in random.problem


def test_what_fails_comes_first() -> None:
    """Readable secrets, then what is not decided, then look-alikes."""
    cassette = decided(held({"a": TOKEN, "p": PASSWORD}), undecided={TYPE: ["url"]})
    assert findings(cassette, values=[PASSWORD]) == [
        (f"{TYPE}.p", True, (1,)),
        (f"{TYPE}.url", True, ()),
        (f"{TYPE}.a", False, (1,)),
    ]
