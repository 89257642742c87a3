"""What a header keeps of the decisions about places, what a replay takes of it, and what is said of them."""

from __future__ import annotations

from typing import Any

import pytest
from cassette_toy import TYPE, Opened, Toy, answer, call, header, recorded, secret, session

from mockprovider.calls import Call, Op, Reply, Status
from mockprovider.cassette import Cassette, Interaction
from mockprovider.cassette.decided import note_decisions, notices, take_decisions
from mockprovider.matching import encode
from mockprovider.redaction import Redactor

SHOWN = "https://queue.example.com/1"


def create(**inputs: Any) -> Call:
    return call(Op.CREATE, session(), **inputs)


def redactor(**names: Any) -> Redactor:
    deciding = Redactor(names.pop("secrets", ()), **names)
    deciding.marks = Toy.marks
    return deciding


def hidden(deciding: Redactor, **inputs: Any) -> Any:
    """A request as this redactor hides it."""
    names = deciding.names(TYPE)
    deciding.learn([inputs], names)
    return deciding.hide(inputs, names).tree


def test_a_header_says_what_was_decided() -> None:
    """Names are kept by type, each under its own kind."""
    head = header()
    note_decisions(head, redactor(secrets=["a", f"{TYPE}.b"], public=["c"], masks=[f"{TYPE}.d"]), [TYPE, TYPE, ""])
    assert (head.secrets, head.public, head.masks, head.undecided) == (
        {"*": ["a"], TYPE: ["b"]},
        {"*": ["c"]},
        {TYPE: ["d"]},
        {},
    )


def test_a_replay_decides_as_the_recording_did() -> None:
    """Declared places are secret, decided ones readable, and masked ones not compared."""
    cassette = recorded((create(name="x"), answer()))
    cassette.header.secrets, cassette.header.public, cassette.header.masks = {TYPE: ["pin"]}, {"*": ["url"]}, {"*": ["at"]}
    deciding = redactor()
    take_decisions(deciding, cassette)
    assert hidden(deciding, pin="correct horse", name="y") == {"pin": {"$secret": 1}, "name": "y"}
    assert hidden(deciding, url=secret("readable-url")) == {"url": secret("readable-url")}
    names = deciding.names(TYPE)
    assert deciding.compared({"at": 1, "b": 2}, names) == deciding.compared({"at": 9, "b": 2}, names)


def test_what_the_recording_shows_is_no_secret_of_a_replay() -> None:
    """A text that stands readable in a recorded request is readable on replay, wherever it was."""
    asked = Interaction(n=1, session=1, op="create", method="Create", type=TYPE, request={"url": SHOWN})
    beside = Interaction(n=1, session=1, op="create", method="Create", type=TYPE, request_blob="b")
    for cassette in (Cassette(header(), [asked]), Cassette(header(), [beside], {"b": {"url": SHOWN}})):
        deciding = redactor()
        take_decisions(deciding, cassette)
        assert hidden(deciding, other=secret(SHOWN)) == {"other": secret(SHOWN)}
    assert hidden(redactor(), other=secret(SHOWN)) == {"other": secret({"$secret": 1})}


SAID: dict[str, tuple[dict[str, Any], dict[str, Any], list[tuple[str, str]]]] = {
    # What was named, what was asked for, and of each notice the kind and the name that it is about.
    "nothing was named": ({}, {"a": "x"}, []),
    "what is there": ({"secrets": ["a"], "masks": ["c"]}, {"a": "correct horse", "c": 1}, []),
    "a secret that is nowhere": ({"secrets": ["b"]}, {"a": "x"}, [("secrets", "'b' is nowhere")]),
    "a public place that is nowhere": ({"public": ["b"]}, {"a": "x"}, [("public", "'b' is nowhere")]),
    "a mask that is nowhere": ({"masks": ["b"]}, {"a": "x"}, [("masks", "'b' is nowhere")]),
    "what nobody declared secret": ({"public": ["a"]}, {"a": "x"}, [("public", "'a' needs no decision")]),
    "a mask of nothing": ({"masks": ["a"]}, {"a": None}, [("masks", "'a' has no value")]),
    "a public place with another's secret": (
        {"public": ["a"], "secrets": ["b"]},
        {"a": "see correct horse", "b": "correct horse"},
        [("public", "'a' holds the secret of")],
    ),
}


@pytest.mark.parametrize(("named", "inputs", "said"), [pytest.param(*row, id=rule) for rule, row in SAID.items()])
def test_what_is_said_of_decisions(named: dict[str, Any], inputs: dict[str, Any], said: list[tuple[str, str]]) -> None:
    """A name that is nowhere, or changes nothing, is told with the reason, and no other is."""
    deciding = redactor(**named)
    cassette = recorded((create(fields=inputs), answer()), redactor=deciding)
    lines = notices(deciding, cassette)
    assert len(lines) == len(said)
    for line, (kind, words) in zip(lines, said, strict=True):
        assert line.startswith(f"{kind}: {words}")


def test_a_name_that_was_met_in_a_failure() -> None:
    """A name that hid something in a failure's details is in the recording, though no message has such a place."""
    deciding = redactor(secrets=["pin"])
    failed = Reply(status=Status(2, "half made", encode({"pin": "correct horse"})))
    cassette = recorded((create(), failed), transcriber=Opened(), redactor=deciding)
    assert b"correct horse" not in encode(cassette.interactions)
    assert notices(deciding, cassette) == []


@pytest.mark.parametrize(("openly", "names", "count"), [(True, [], 1), (False, [], 0), (True, ["a"], 0)])
def test_secrets_that_may_have_come_openly(openly: bool, names: list[str], count: int) -> None:
    """That secrets may have come without a mark is said where nobody has named any."""
    deciding = redactor(secrets=names)
    cassette = recorded((create(a="correct horse"), answer()), redactor=deciding)
    assert len(notices(deciding, cassette, openly=openly)) == count
    assert notices(deciding, cassette) == []
