"""A library of what was recorded: what it looks up, what it takes, and what it makes of an answer."""

from __future__ import annotations

from typing import Any

import pytest
from builders import Port
from cassette_toy import TOY, TYPE, Toy, answer, call, header, recorded, secret, session
from test_cassette_wayback import Room

from mockprovider.calls import Call, Op, Reply, Status
from mockprovider.cassette import (
    Cassette,
    CassetteLayer,
    Interaction,
    Library,
    LookResult,
    Mode,
    Reader,
    RecordedStatus,
    Recorder,
)
from mockprovider.cassette.report import prove
from mockprovider.errors import CassetteBrokenError, CassetteError, DefinitionError, MissError, UnsupportedError
from mockprovider.redaction import Redactor

KEYS = ("k-8d1f2a", "k-77c3b0")


class Rooms(Toy):
    """A toy with a way back."""

    def __init__(self) -> None:
        super().__init__()
        self.back = Room()

    def refuses(self, call: Call) -> str:
        return ""


def library(cassette: Cassette, transcriber: Toy | None = None, **more: Any) -> Library:
    return Library(cassette, {"": Reader(transcriber or Toy())}, **more)


def read(number: int = 1, **inputs: Any) -> Call:
    return call(Op.READ, session(number), "urn:a", **inputs)


def taken(books: Library, asked: Call) -> Any:
    """The value of an answer that is looked for and taken."""
    return books.take(books.look(asked))().value


def test_what_is_given_again_is_counted() -> None:
    """Answers beyond those that were recorded are counted, and no others."""
    books = library(recorded((read(), answer(id="1")), (read(2), answer(id="1"))))
    for number, repeats in enumerate((0, 0, 1, 2), 1):
        taken(books, read(number))
        assert books.repeats == repeats


def test_what_was_not_asked_for() -> None:
    """Changes that nobody has asked for are unused, once each; questions are not."""
    creates = [call(Op.CREATE, session(), f"urn:{name}") for name in "ab"]
    books = library(recorded(*((one, answer()) for one in (*creates, read()))))
    assert [one.urn for one in books.unused()] == ["urn:a", "urn:b"]
    taken(books, creates[0])
    assert [one.urn for one in books.unused()] == ["urn:b"]


def test_a_call_that_is_not_held_is_missing() -> None:
    """What is missing has an outcome, a reason in words without secrets, and nothing chosen."""
    books = library(recorded((read(size=1), answer())))
    sought = books.look(read(size=2, password=secret("correct horse")))
    assert sought.outcome is LookResult.MISSING
    assert isinstance(books.why(sought), MissError)
    assert "correct horse" not in str(books.why(sought))
    with pytest.raises(LookupError):
        _ = sought.lookup.chosen


def test_readers_are_those_of_the_cassette() -> None:
    """A cassette of several providers is no single one's, and the other way round."""
    alone, both = recorded((read(), answer())), recorded((read(), answer()))
    both.header.providers = {"east": "toy", "west": "toy"}
    with pytest.raises(CassetteError, match="east, west"):
        library(both)
    with pytest.raises(CassetteError, match="one provider"):
        Library(alone, {"east": Reader(Toy())})


def test_a_type_that_the_recording_has_nothing_about() -> None:
    """Whoever asks for a type that was never recorded is told which were; of a recorded one there is nothing to say."""
    books = library(recorded((read(), answer())))
    assert "Nothing about Queue was recorded" in books.absent("Queue")
    assert TYPE in books.absent("Queue")
    assert books.absent(TYPE) == ""


def test_the_instance_of_a_session_is_named_when_it_is_configured() -> None:
    """A session that the protocol does not name has the name of its configuration, once that was answered."""

    def configure(number: int, zone: str) -> Call:
        return call(Op.CONFIGURE, session(number, ""), type_="", zone=zone)

    def look(where: Call, zone: str) -> tuple[Call, Reply]:
        return call(Op.READ, where.session), answer(zone=zone)

    east, west = configure(1, "east"), configure(2, "west")
    cassette = recorded((east, answer()), (west, answer()), look(east, "east"), look(west, "west"))
    books = library(cassette)
    for zone in ("west", "east"):
        now = configure(7, zone)
        sought = books.look(now)
        assert now.session.instance == ""
        books.take(sought)
        assert now.session.instance.startswith("config-")
        assert taken(books, call(Op.READ, now.session)) == {"zone": zone}


def test_a_named_instance_keeps_its_name() -> None:
    """What the protocol names is not named by its configuration; what was named so is named anew by another one."""
    books = library(recorded(*((call(Op.CONFIGURE, session(1, "east"), type_="", zone=zone), answer()) for zone in "ab")))
    for instance, kept in (("east", True), ("config-0123", False)):
        now = call(Op.CONFIGURE, session(7, instance), type_="", zone="a")
        books.take(books.look(now))
        assert (now.session.instance == instance) is kept


def test_a_withheld_answer_is_refused_when_it_is_taken() -> None:
    """An answer that was withheld is found, and refused with its number and reason."""
    cassette = recorded((read(), answer()))
    cassette.interactions[0].response = None
    cassette.interactions[0].withheld = "it was not to be had"
    books = library(cassette)
    sought = books.look(read())
    assert sought.outcome is LookResult.FOUND
    with pytest.raises(UnsupportedError, match=r"interaction 1.*it was not to be had"):
        books.take(sought)


@pytest.mark.parametrize("details", [b"", b"\x00\x01"])
def test_a_failure_has_its_details(details: bytes) -> None:
    """A recorded failure comes back with the details that it had, or without any."""
    status = Status(5, "gone", details)
    books = library(recorded((read(), Reply(status=status))))
    assert books.take(books.look(read()))().status == status


def test_a_blob_is_given_as_it_is() -> None:
    """An answer that stands beside the cassette is given as it is there."""
    cassette = recorded((read(), answer(size=1)))
    cassette.interactions[0].response = None
    cassette.interactions[0].response_blob = "b"
    assert taken(library(Cassette(cassette.header, cassette.interactions, {"b": {"size": 7}})), read()) == {"size": 7}


class Named(Toy):
    """A toy whose instances say of which package they are."""

    def is_for(self, instance: str, package: str) -> bool:
        return instance.startswith(f"{package}:")


@pytest.mark.parametrize(("package", "told"), [("dns", "of dns"), ("cloud", "of cloud"), ("", None)])
def test_the_package_of_a_session_chooses(package: str, told: str | None) -> None:
    """Of different answers at one time, that of a session is meant which became a provider of the same package."""
    conversation = []
    for number, name in enumerate(("dns", "cloud"), 1):
        where = session(number, "")
        conversation.append((call(Op.HANDSHAKE, where, type_=""), answer(a=f"of {name}")))
        later = session(number, f"{name}:provider")
        conversation.append((call(Op.CONFIGURE, later, type_="", of=name), answer()))
    books = library(recorded(*conversation), Named())
    asked = call(Op.HANDSHAKE, session(9, ""), type_="")
    asked.session.schema = type("Schema", (), {"name": package})() if package else None
    sought = books.look(asked)
    if told is None:
        assert sought.outcome is LookResult.AMBIGUOUS
    else:
        assert books.take(sought)().value == {"a": told}


@pytest.mark.parametrize("stumbles", [ZeroDivisionError, AttributeError, KeyError, RecursionError, TypeError, ValueError])
def test_what_a_protocol_stumbles_over_is_damage(stumbles: type[Exception]) -> None:
    """An answer that its protocol cannot read is damaged, with its number; a proof says so, too."""

    class Stumbling(Toy):
        def restore(self, method: str, response: dict[str, Any], call: Call) -> Reply:
            raise stumbles("over it")

    books = library(recorded((read(), answer())), Stumbling())
    with pytest.raises(CassetteBrokenError, match=r"interaction 1 .*over it"):
        books.take(books.look(read()))()


def test_a_placeholder_of_no_kind_is_damage() -> None:
    """A placeholder that nobody can fill is damage of the answer that has it."""
    cassette = recorded((read(), answer()))
    cassette.interactions[0].response = {"a": {"$text": ["x", {"$secret": 1, "as": "nothing"}]}}
    books = library(cassette)
    sought = books.look(read())
    with pytest.raises(CassetteBrokenError, match="interaction 1 "):
        books.take(sought)


# What was asked of the engine --------------------------------------------------------------------------------------------


def component(*inner: Interaction, response: Any = None, type_: str = TYPE) -> Cassette:
    """A recording of a construction, during which this was asked."""
    outer = Interaction(n=1, session=1, op="construct", method="Construct", instance="east", type=type_, request={})
    outer.response = response or {}
    return Cassette(header(), [outer, *inner], name="the recording")


def inner(op: str, method: str, request: Any, response: Any = None, **more: Any) -> Interaction:
    return Interaction(
        n=2, session=1, op=op, method=method, direction="engine", parent=1, request=request, response=response or {}, **more
    )


def construct(answers: Any = None) -> Call:
    where = session()
    where.engine = Port()
    return Call(op=Op.CONSTRUCT, method="Construct", session=where, type=TYPE, inputs={}, monitor=lambda _: answers)


def test_what_was_asked_is_asked_again() -> None:
    """A component's answer has what the engine answers now, and the engine's refusal is the answer of the call."""
    cassette = component(inner("register", "Register", {}, {"urn": "urn:then"}), response={"child": "urn:then"})
    assert taken(library(cassette, Rooms()), construct(answer(urn="urn:now"))) == {"child": "urn:now"}
    refusal = Reply(status=Status(14, "busy"))
    books = library(cassette, Rooms())
    assert books.take(books.look(construct(refusal)))() is refusal


def test_a_protocol_that_has_no_way_back() -> None:
    """What was asked of the engine cannot be replayed by a protocol without a way back."""

    class Deaf(Toy):
        def refuses(self, call: Call) -> str:
            return ""

    books = library(component(inner("register", "Register", {})), Deaf())
    with pytest.raises(UnsupportedError, match="asked its engine"):
        books.take(books.look(construct()))()


def test_secrets_of_the_engines_answers_are_filled_in() -> None:
    """A secret that the engine answers during the call is in the call's answer."""
    cassette = component(
        inner("register", "Register", {}, {"p": {"$secret": 1}}), response={"url": {"$text": ["db:", {"$secret": 1}]}}
    )
    assert taken(library(cassette, Rooms()), construct(answer(p="correct horse"))) == {"url": "db:correct horse"}


@pytest.mark.parametrize(("op", "renamed"), [("log", True), ("views", True), ("register", False)])
def test_reports_about_an_object_have_its_values(op: str, renamed: bool) -> None:
    """What was reported about a generated object is reported of the one in its place; what was asked is asked as it was."""
    creates = [
        Interaction(n=n, session=1, op="create", method="Create", instance="east", type="Key", request={}, response={"id": id_})
        for n, id_ in enumerate(KEYS, 1)
    ]
    use = Interaction(
        n=3, session=2, op="create", method="Create", instance="east", type="Use", request={"key": KEYS[0], "name": "u"}
    )
    use.response = {}
    told = inner(op, "Told", {"severity": "info", "message": f"made {KEYS[0]}", "urn": ""})
    told.parent, told.n, told.session = 3, 4, 2
    books = library(Cassette(header(), [*creates, use, told]), Rooms())
    ids = [taken(books, call(Op.CREATE, session(), type_="Key"))["id"] for _ in KEYS]
    assert sorted(ids) == sorted(KEYS)
    heard: list[Any] = []
    where = session(2)
    where.engine = Port()
    asked = call(Op.CREATE, where, type_="Use", name="u", key=KEYS[1])
    asked.monitor = lambda one: heard.append(one.inputs) or answer()
    assert taken(books, asked) == {}
    messages = [text for _, text, _ in where.engine.told] + [one["message"] for one in heard]
    assert messages == [f"made {KEYS[1] if renamed else KEYS[0]}"]


def test_what_cannot_be_asked_again_fails_the_proof() -> None:
    """A proof asks no engine, and says what could not be asked; lines of log need nothing."""

    def proof(cassette: Cassette) -> list[str]:
        return [one.message for one in prove(library(cassette, Rooms()), lambda one: session(one.number))]

    assert proof(component(inner("register", "Register", {"a": 1}))) == []
    assert proof(component(inner("log", "Log", {"callback": True}))) == []
    (message,) = proof(component(inner("register", "Register", {"callback": True})))
    assert "has callbacks" in message


# The layer ---------------------------------------------------------------------------------------------------------------


def test_what_needs_no_recording_is_answered_by_the_reader() -> None:
    """A call that needs no recording gets the reader's answer, whatever was recorded, and moves nothing."""
    books = Library(recorded((read(), answer(a=1))), {"": Reader(Toy(), unrecorded=lambda _: Reply())})
    layer = CassetteLayer(Mode.NONE, books, None)
    assert layer(read()) == Reply()
    assert books.repeats == 0


@pytest.mark.parametrize("mode", [Mode.NONE, Mode.VERIFY])
def test_a_mode_that_needs_a_cassette(mode: Mode) -> None:
    """Where there is no cassette, a mode that replays refuses, and says that it is to be recorded first."""
    with pytest.raises(MissError, match="no cassette yet"):
        CassetteLayer(mode, None, None)(read())


def test_a_layer_that_has_nowhere_to_record_to() -> None:
    """Without a recorder, or a provider, nothing can be recorded."""
    with pytest.raises(DefinitionError, match=r"'all' would record .*nowhere to"):
        CassetteLayer(Mode.ALL, None, None)(read(), lambda _: answer())
    with pytest.raises(DefinitionError, match="stands in front of none"):
        CassetteLayer(Mode.ALL, None, Recorder(Toy(), header()))(read())


def test_a_session_of_another_protocol() -> None:
    """A call is refused where its session speaks another protocol than its provider did."""
    cassette = recorded((read(), answer()))
    cassette.header.protocol = "other"
    with pytest.raises(CassetteError, match=f"over other, and the engine speaks {TOY.name}"):
        library(cassette).look(read())


def test_the_decisions_of_a_header_hold_on_replay() -> None:
    """What the recording declared secret is so in messages, and what it masked is not compared."""
    cassette = recorded(
        (read(pin="correct horse", at="then", size=1), answer(at="then")), redactor=Redactor(["pin"], masks=["at"])
    )
    books = library(cassette)
    assert taken(books, read(pin="today's horse", at="now", size=1)) == {"at": "now"}
    sought = books.look(read(pin="today's horse", at="now", size=2))
    assert "today's horse" not in str(books.why(sought))


def test_a_failure_that_the_engine_gives_is_kept_as_recorded() -> None:
    """A question that was refused at the recording is refused now, and the call has its recorded answer."""
    refused = inner("register", "Register", {})
    refused.response, refused.status = None, RecordedStatus(code="UNAVAILABLE", message="busy")
    cassette = component(refused, response={"child": "none"})
    assert taken(library(cassette, Rooms()), construct(Reply(status=Status(14, "busy")))) == {"child": "none"}
