"""Recording, slot by slot: what is noted before a call goes out, what is kept of it, and what is done at the end."""

from __future__ import annotations

from typing import Any

import pytest
from builders import Port
from cassette_toy import TYPE, Opened, Toy, answer, call, header, secret, session
from msgspec.structs import replace

from mockprovider.calls import Call, Op, Reply, Session, Status
from mockprovider.cassette import Cassette, Interaction, Memory, Recorder, Sent
from mockprovider.errors import CassetteError
from mockprovider.matching import encode
from mockprovider.redaction import Redactor

HUSH = "correct horse"


class Sink(Memory):
    """A sink that keeps what it was given, and moves what is large to its blobs."""

    def __init__(self, *large: str) -> None:
        super().__init__()
        self.sent: list[Sent] = []
        self.notes: list[int] = []
        self.kept: list[Interaction] = []
        self.finished: list[Cassette] = []
        self.readied = 0
        self._blobs: dict[str, Any] = {}
        self.blobs = self._blobs
        self._large = large

    def ready(self) -> None:
        self.readied += 1

    def sending(self, sent: Sent) -> int:
        self.sent.append(sent)
        return 40 + len(self.sent)

    def append(self, interaction: Interaction, note: int = 0) -> Interaction:
        for field in self._large:
            name = f"blob-{len(self._blobs)}"
            self._blobs[name] = getattr(interaction, field)
            interaction = replace(interaction, **{field: None, f"{field}_blob": name})
        self.kept.append(interaction)
        self.notes.append(note)
        return interaction

    def finish(self, cassette: Cassette, *, failed: bool = False) -> None:
        self.finished.append(cassette)


def create(urn: str = "", **inputs: Any) -> Call:
    return call(Op.CREATE, session(), urn, **inputs)


def recorder(sink: Sink | None = None, transcriber: Toy | None = None, **more: Any) -> Recorder:
    return Recorder(transcriber or Toy(), header(), sink, **more)


# Before a call goes out --------------------------------------------------------------------------------------------------


def test_the_note_of_a_change() -> None:
    """A change is noted with what it is about and its request without secrets, and its answer is kept under that note."""
    sink = Sink()
    asked = replace(create("urn:a", size=1, password=secret(HUSH)), id="id-1", name="logs", address="b[0]")
    recorder(sink)(asked, lambda _: answer())
    assert sink.sent == [
        Sent(
            op="create",
            method="Create",
            type=TYPE,
            urn="urn:a",
            address="b[0]",
            name="logs",
            id="id-1",
            instance="east",
            request={"size": 1, "password": secret({"$secret": 1})},
        )
    ]
    assert (sink.notes, sink.readied) == ([41], 0)


@pytest.mark.parametrize("asked", [call(Op.READ, session()), call(Op.CREATE, session(), preview=True)])
def test_what_changes_nothing_is_not_noted(asked: Call) -> None:
    """Of a question, and of a preview, there is no note; but it is not asked where nothing could be kept."""
    sink = Sink()
    recorder(sink)(asked, lambda _: answer())
    assert (sink.sent, sink.notes, sink.readied) == ([], [0], 1)


def test_the_note_has_no_secret() -> None:
    """Names, ids, addresses, URNs and instances of a note have no secret that is known by then."""
    sink = Sink()
    record = recorder(sink)
    record(create(password=secret(HUSH)), lambda _: answer())
    where = session(1, f"urn:{HUSH}")
    record(
        replace(call(Op.CREATE, where, f"urn:a:{HUSH}"), id=HUSH, name=f"for {HUSH}", address=f'b["{HUSH}"]'),
        lambda _: answer(),
    )
    assert HUSH.encode() not in encode(sink.sent)
    noted = sink.sent[1]
    assert (noted.id, noted.address) == ("", "")
    assert noted.urn.startswith("urn:a:")
    assert noted.name.startswith("for ")
    assert noted.instance.startswith("urn:")


def test_a_note_names_its_provider() -> None:
    """Of several providers that are recorded together, the note says whose call it is."""
    sink = Sink()
    both = Recorder({"east": Toy(), "west": Toy()}, header(), sink)
    both(create(), lambda _: answer(), "west")
    assert [(sent.provider, kept.provider) for sent, kept in zip(sink.sent, sink.kept, strict=True)] == [("west", "west")]


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        (Sent(op="create", method="M"), "create"),
        (Sent(op="create", method="M", type="T"), "create T"),
        (Sent(op="delete", method="M", type="T", name="n", id="i-1"), "delete T n i-1"),
        (Sent(op="delete", method="M", id="i-1"), "delete i-1"),
    ],
)
def test_a_note_in_words(sent: Sent, text: str) -> None:
    """A note says what was asked of what, as far as it is known."""
    assert str(sent) == text


# What is kept ------------------------------------------------------------------------------------------------------------


def test_the_slots_of_a_call() -> None:
    """Each slot of an interaction is the call's own; those that say nothing stay empty."""
    sink = Sink()
    record = recorder(sink)
    record.phase = "up"
    record(call(Op.READ, session(3, "east", preview=True), "urn:a", preview=True, x=1), lambda _: answer(y=2))
    assert sink.kept == [
        Interaction(
            n=1,
            session=1,
            op="read",
            method="Read",
            phase="up",
            instance="east",
            type=TYPE,
            urn="urn:a",
            preview=True,
            request={"x": 1},
            response={"y": 2},
        )
    ]
    assert record.recorded == 1
    assert [one.preview for one in record.close().header.sessions] == [True]


IDS = {
    "of the call": ("call-id", "reply-id", "call-id"),
    "of the answer": ("", "reply-id", "reply-id"),
    "neither": ("", "", ""),
    "a secret": (HUSH, "", ""),
    "around a secret": (f"x-{HUSH}", "", ""),
}


@pytest.mark.parametrize(("asked", "answered", "kept"), [pytest.param(*row, id=rule) for rule, row in IDS.items()])
def test_the_id_that_is_kept(asked: str, answered: str, kept: str) -> None:
    """An interaction has the call's id, or that which the answer gave, unless a secret is in it."""
    sink = Sink()
    recorder(sink)(replace(create(p=secret(HUSH)), id=asked), lambda _: Reply(id=answered, value={}))
    assert sink.kept[0].id == kept


DETAILS: dict[str, tuple[Toy, Status, tuple[str, Any, Any]]] = {
    "none": (Toy(), Status(5, "gone"), ("NOT_FOUND", "gone", None)),
    "as base64": (Toy(), Status(5, "gone", b"\x00"), ("NOT_FOUND", "gone", "AA==")),
    "as a tree": (Opened(), Status(5, "gone", b'{"a":1}'), ("NOT_FOUND", "gone", {"a": 1})),
    "with a secret": (Opened(), Status(99, HUSH, encode({"a": HUSH})), ("99", {"$secret": 1}, {"a": {"$secret": 1}})),
}


@pytest.mark.parametrize(("transcriber", "status", "kept"), [pytest.param(*row, id=rule) for rule, row in DETAILS.items()])
def test_the_status_that_is_kept(transcriber: Toy, status: Status, kept: tuple[str, Any, Any]) -> None:
    """A failure is kept with its code's name, its message and its details, without secrets."""
    sink = Sink()
    recorder(sink, transcriber)(create(p=secret(HUSH)), lambda _: Reply(status=status))
    failed = sink.kept[0].status
    assert failed is not None
    assert sink.kept[0].response is None
    assert (failed.code, failed.message, failed.details) == kept
    assert HUSH.encode() not in encode(failed)


@pytest.mark.parametrize(
    ("stream", "status", "withheld"), [((), None, False), (None, Status(14), False), ((answer(),), Status(14), True)]
)
def test_a_stream_that_broke_off(stream: tuple[Reply, ...] | None, status: Status | None, withheld: bool) -> None:
    """A stream that ended in a failure after some of its messages is withheld, with the reason."""
    sink = Sink()
    recorder(sink)(create(), lambda _: Reply(value={}, stream=stream, status=status))
    (kept,) = sink.kept
    assert ("broke off" in kept.withheld) is withheld
    assert not withheld or (kept.response, kept.status) == (None, None)


def test_sessions_are_numbered_as_they_come() -> None:
    """Each session has a number of its own, whatever the engine calls it, and keeps it."""
    sink = Sink()
    record = recorder(sink)
    for number in (7, 3, 7, 9):
        record(call(Op.READ, session(number)), lambda _: answer())
    assert [one.session for one in sink.kept] == [1, 2, 1, 3]
    assert [one.n for one in sink.kept] == [1, 2, 3, 4]


# The way back ------------------------------------------------------------------------------------------------------------


class Back(Toy):
    """How the toy writes down what a provider asks its engine, and logs."""

    def logged(self, session: Session, severity: str, message: str, urn: str) -> Call:
        return Call(op=Op.LOG, method="Log", session=session, urn=urn, inputs={"severity": severity, "message": message})


class Talking(Toy):
    """A toy whose providers ask and log."""

    def __init__(self) -> None:
        super().__init__()
        self.back = Back()

    def refuses(self, call: Call) -> str:
        return ""


def construct(**more: Any) -> Call:
    where = session()
    where.engine = more.pop("engine", None)
    return Call(op=Op.CONSTRUCT, method="Construct", session=where, type=TYPE, inputs={}, **more)


def test_what_is_asked_of_the_engine_is_kept_with_its_call() -> None:
    """What a provider asks during a call has that call's number, its phase, and the direction of the engine."""
    sink = Sink()
    record = recorder(sink, Talking())
    record.phase = "up"
    asked: list[Call] = []

    def engine(inner: Call) -> Reply:
        asked.append(inner)
        return answer(urn="urn:x")

    def provider(outer: Call) -> Reply:
        record.phase = "later"
        assert outer.monitor is not None
        inner = Call(op=Op.REGISTER, method="Register", session=outer.session, type="T", inputs={"p": secret(HUSH)})
        assert outer.monitor(inner).value == {"urn": "urn:x"}
        return answer(done=True)

    record(construct(monitor=engine), provider)
    rows = [(one.n, one.method, one.direction, one.parent, one.phase, one.response) for one in sink.kept]
    assert rows == [
        (2, "Register", "engine", 1, "up", {"urn": "urn:x"}),
        (1, "Construct", "provider", None, "up", {"done": True}),
    ]
    assert sink.kept[0].request == {"p": secret({"$secret": 1})}
    assert len(asked) == 1


def test_lines_of_a_call_are_kept_after_it() -> None:
    """What was logged during a call is kept behind it, also where the call was refused; the engine hears it at once."""
    sink, port = Sink(), Port()
    record = recorder(sink, Talking())
    asked = construct(engine=port)

    def provider(outer: Call) -> Reply:
        assert outer.session.engine is not None
        outer.session.engine.log("info", "hello", "urn:x")
        return answer()

    record(asked, provider)
    asked.session.engine.log("info", "late")  # type: ignore[union-attr]
    assert [(one.n, one.method, one.parent, one.request) for one in sink.kept] == [
        (1, "Construct", None, {}),
        (2, "Log", 1, {"severity": "info", "message": "hello"}),
        (3, "Log", 1, {"severity": "info", "message": "late"}),
    ]
    assert (sink.kept[1].urn, sink.kept[1].instance) == ("urn:x", "east")
    assert [text for _, text, _ in port.told] == ["hello", "late"]


def test_a_session_is_listened_to_once() -> None:
    """A session's second call uses the listener that its first one has put in place."""
    sink, port = Sink(), Port()
    record = recorder(sink, Talking())
    asked = construct(engine=port)
    record(asked, lambda _: answer())
    listener = asked.session.engine
    record(asked, lambda _: answer())
    assert asked.session.engine is listener is not port
    silent = construct()
    record(silent, lambda _: answer())
    assert silent.session.engine is None


def test_what_a_provider_raises_ends_its_call() -> None:
    """A call that raised is over: what is logged later is not its own, and is kept with nobody."""
    sink, port = Sink(), Port()
    record = recorder(sink, Talking())
    asked = construct(engine=port)

    def provider(_: Call) -> Reply:
        raise CassetteError("no")

    with pytest.raises(CassetteError):
        record(asked, provider)
    asked.session.engine.log("info", "late")  # type: ignore[union-attr]
    assert sink.kept == []
    assert [text for _, text, _ in port.told] == ["late"]


# At the end --------------------------------------------------------------------------------------------------------------


def test_the_end_of_a_recording() -> None:
    """The sink is given the finished cassette once, and closing again gives it again; a late line of log is dropped."""
    sink = Sink()
    seen: list[Cassette] = []
    record = recorder(sink, Talking(), finishing=lambda cassette: seen.append(cassette) or cassette)
    asked = construct(engine=Port())
    with record as same:
        assert same is record
        record(asked, lambda _: answer())
    assert sink.finished == seen == [record.close()]
    asked.session.engine.log("info", "late")  # type: ignore[union-attr]
    assert record.recorded == 1
    with pytest.raises(CassetteError, match="had ended"):
        record(construct(), lambda _: answer())


def test_a_recording_that_cannot_be_finished() -> None:
    """Where the sink cannot keep the cassette, each closing says so, and it is not tried twice."""
    sink = Sink()
    tried = []

    def finish(cassette: Cassette, *, failed: bool = False) -> None:
        tried.append(cassette)
        raise CassetteError("the disk is full")

    sink.finish = finish  # type: ignore[method-assign]
    record = recorder(sink)
    record(create(), lambda _: answer())
    for _ in range(2):
        with pytest.raises(CassetteError, match="the disk is full"):
            record.close()
    assert len(tried) == 1


FAULTS: dict[str, tuple[tuple[str, ...], dict[str, Any], Any]] = {
    "of one provider": (("",), {"": ["f"]}, ["f"]),
    "none": (("",), {"": []}, None),
    "of two": (("a", "b"), {"a": ["f"], "b": ["g"]}, {"a": ["f"], "b": ["g"]}),
    "of one of two": (("a", "b"), {"b": ["g"], "a": []}, {"b": ["g"]}),
    "of neither": (("a", "b"), {"b": [], "a": None}, None),
}


@pytest.mark.parametrize(("names", "ended", "kept"), [pytest.param(*row, id=rule) for rule, row in FAULTS.items()])
def test_the_faults_in_the_header(names: tuple[str, ...], ended: dict[str, Any], kept: Any) -> None:
    """The plan that each provider was recorded under is in the header, by the provider's name where there are several."""
    head = header()
    head.providers = dict.fromkeys(names, "toy") if names != ("",) else {}
    sink = Sink()
    record = Recorder({name: Toy() for name in names}, head, sink)
    for name, faults in ended.items():
        assert sink.finished == []
        record.end(name, faults)
    assert [cassette.header.faults for cassette in sink.finished] == [kept]


@pytest.mark.parametrize("large", [(), ("response",), ("request",), ("request", "response")], ids="-".join)
def test_what_is_declared_late_is_taken_out_of_what_was_written(large: tuple[str, ...]) -> None:
    """A value that a later call marks is gone from earlier requests and answers, in the file and beside it."""
    sink = Sink(*large)
    record = recorder(sink)
    record(create("urn:a", note=HUSH), lambda _: answer(text=f"a {HUSH}"))
    record(create("urn:b", note="x"), lambda _: answer(text="y"))
    record(create("urn:c"), lambda _: answer(p=secret(HUSH)))
    first, second, _third = record.close().interactions
    assert (first.request_blob, first.response_blob) == ("", "")
    assert first.request == {"note": {"$secret": 1}}
    assert first.response == {"text": {"$text": ["a ", {"$secret": 1}]}}
    assert bool(second.request_blob) is ("request" in large)
    assert bool(second.response_blob) is ("response" in large)


def test_what_is_declared_by_name_late() -> None:
    """A property that is declared while it is recorded is taken out of earlier calls of its type, too."""
    record = recorder()
    record(create("urn:a", pin="1234"), lambda _: answer(pin=1234))
    record.declare({TYPE: ["pin"]})
    record(call(Op.CREATE, session(), "urn:b", "Other", pin="1234"), lambda _: answer())
    one, other = record.close().interactions
    assert (one.request, one.response) == ({"pin": {"$secret": 1}}, {"pin": {"$secret": 2, "kind": "number"}})
    assert other.request == {"pin": "1234"}
    assert record.close().header.secrets == {TYPE: ["pin"]}


@pytest.mark.parametrize("large", [(), ("response",)], ids=["file", "blob"])
def test_a_secret_in_bytes_is_withheld_late(large: tuple[str, ...]) -> None:
    """An answer with bytes in which a secret turns out to be, is withheld at the end."""
    packed = Toy().details(f"..{HUSH}..".encode())
    record = recorder(Sink(*large))
    record(create("urn:a"), lambda _: answer(**{"$raw": packed}))
    record(create("urn:b"), lambda _: answer(p=secret(HUSH)))
    first, _ = record.close().interactions
    assert (first.response, first.response_blob, first.status) == (None, "", None)
    assert "cannot be redacted" in first.withheld


def test_names_and_addresses_are_cleaned_late() -> None:
    """Ids, addresses, URNs and instances of earlier calls lose a secret that is known at the end."""
    record = recorder()
    record(replace(create(f"urn:{HUSH}"), id=HUSH, address=f'b["{HUSH}"]'), lambda _: answer())
    record(replace(create("urn:b"), id="plain", address="b[1]"), lambda _: answer(p=secret(HUSH)))
    cassette = record.close()
    assert HUSH.encode() not in encode(cassette.interactions)
    kept = {one.urn: (one.id, one.address) for one in cassette.interactions}
    assert kept.pop("urn:b") == ("plain", "b[1]")
    assert [*kept.values()] == [("", "")]


def test_what_a_provider_says_of_itself_stays() -> None:
    """A schema stays as it is, and the question for it loses its secrets."""
    record = recorder()
    asked = call(Op.GET_SCHEMA, session(), type_="", note=HUSH)
    record(asked, lambda _: answer(text=HUSH))
    record(create(), lambda _: answer(p=secret(HUSH)))
    (schema,) = (one for one in record.close().interactions if one.op == "get_schema")
    assert (schema.request, schema.response) == ({"note": {"$secret": 1}}, {"text": HUSH})


@pytest.mark.parametrize(("openly", "names", "told"), [(False, [], 0), (True, [], 1), (True, ["password"], 0)])
def test_what_may_have_come_openly(openly: bool, names: list[str], told: int) -> None:
    """Of a provider that accepts no secrets it is told that they may be readable, unless somebody has named some."""
    toy = Toy()
    toy.openly = openly
    record = recorder(None, toy, redactor=Redactor(names=names))
    record(create(password="x"), lambda _: answer())
    record.close()
    assert len(record.notices) == told
