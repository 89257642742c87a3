"""What a provider asked its engine during a call: its order in a recording, and how a replay repeats it."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest
from builders import Port
from cassette_toy import TYPE, Toy, header, secret, session
from msgspec.structs import replace

from mockprovider.calls import Call, Op, Reply, Status
from mockprovider.cassette import Cassette, Interaction, RecordedStatus
from mockprovider.cassette.bindings import Bindings, Pair
from mockprovider.cassette.wayback import Playing, Refused, back_of, ordered
from mockprovider.errors import MissError, UnsupportedError
from mockprovider.redaction import Redactor

# The order in a recording ------------------------------------------------------------------------------------------------

REGISTER, OUTPUTS, ENGINE, LOG, VIEWS = Op.REGISTER, Op.REGISTER_OUTPUTS, Op.ENGINE, Op.LOG, Op.VIEWS
Asked = tuple[Op, str, Any, Any]
"""Op, type, request and answer."""


def in_order(*asked: Asked, arrived: Sequence[int]) -> list[int]:
    """The positions of these calls in the recording, for an order in which they came."""
    interactions = [
        Interaction(
            n=n, session=1, op=asked[one][0], method=asked[one][0], type=asked[one][1], request=asked[one][2], id=str(one)
        )
        for n, one in enumerate(arrived, 1)
    ]
    for interaction in interactions:
        interaction.response = asked[int(interaction.id)][3]
    return [int(interaction.id) for interaction in ordered(Cassette(header()), interactions)]


def told(*messages: str, op: Op = LOG) -> list[Asked]:
    """Lines or views with these messages, of types that go down the alphabet."""
    return [(op, type_ if op is VIEWS else "", {"m": message}, {}) for type_, message in zip("CBA", messages, strict=True)]


def register(type_: str, uses: Any = None, answer: Any = None) -> Asked:
    return REGISTER, type_, {"in": uses}, {"out": answer}


ORDERS: dict[str, tuple[list[Asked], list[tuple[int, int]]]] = {
    # Calls in the order that each recording has, and which must have come before which.
    "questions, calls, outputs, lines": ([(op, "", {}, {}) for op in (ENGINE, REGISTER, OUTPUTS, LOG)], []),
    "by type": ([register(type_) for type_ in "ABC"], []),
    "by method before type": ([(Op.INVOKE, "B", {}, {}), register("A")], []),
    "after the answer that it uses": ([register("B", answer="urn:b-1"), register("A", uses="urn:b-1")], [(0, 1)]),
    "inside of a text": ([register("B", answer="urn:b-1"), register("A", uses=["to urn:b-1!"])], [(0, 1)]),
    "what is deep in an answer": ([register("B", answer=[{"b": "urn:b-1"}]), register("A", uses="urn:b-1")], [(0, 1)]),
    "a text with signs": ([register("B", answer='the "b"'), register("A", uses='see the "b"')], [(0, 1)]),
    "six letters are no coincidence": ([register("B", answer="abcdef"), register("A", uses="abcdef")], [(0, 1)]),
    "five are": ([register("A", uses="abcde"), register("B", answer="abcde")], [(1, 0)]),
    "the first letter counts": ([register("A", uses="xbcdefg"), register("B", answer="abcdefg")], [(1, 0)]),
    "the last letter counts": ([register("A", uses="abcdefx"), register("B", answer="abcdefg")], [(1, 0)]),
    "what it had itself is not new": ([register("A", uses="urn:root"), register("B", uses="urn:root", answer="urn:root")], []),
    "no later answer is used": ([register("A", uses="urn:b-1"), register("B", answer="urn:b-1")], [(0, 1)]),
    "a chain": (
        [
            register("C", answer="urn:c-1"),
            register("B", uses="urn:c-1", answer="urn:b-1"),
            register("A", uses="urn:b-1"),
            register("D"),
        ],
        [(0, 1), (1, 2)],
    ),
    "lines as they were told": (told("z", "a", "k"), [(0, 1), (1, 2)]),
    "views as they were told": (told("z", "a", "k", op=VIEWS), [(0, 1), (1, 2)]),
}


@pytest.mark.parametrize(("asked", "before"), [pytest.param(*row, id=rule) for rule, row in ORDERS.items()])
def test_the_order_of_what_was_asked(asked: list[Asked], before: list[tuple[int, int]]) -> None:
    """Whatever came first, calls to the engine are by rank, method and type, each after the answers that it uses."""
    expected = [*range(len(asked))]
    for arrived in itertools.permutations(expected):
        if all(arrived.index(one) < arrived.index(other) for one, other in before):
            assert in_order(*asked, arrived=arrived) == expected


def test_equal_calls_are_in_the_order_of_their_contents() -> None:
    """Calls that differ in their requests alone have one order, and secrets do not count for it."""
    contents = [{"name": name} for name in "abcd"]
    orders = {
        tuple(in_order(*((REGISTER, "A", request, {}) for request in contents), arrived=arrived))
        for arrived in itertools.permutations(range(4))
    }
    assert len(orders) == 1
    secrets = [(REGISTER, "A", {"p": {"$secret": number}}, {}) for number in (9, 4)]
    assert in_order(*secrets, arrived=[0, 1]) == [0, 1]
    assert in_order(*secrets, arrived=[1, 0]) == [1, 0]


def test_a_request_that_is_kept_beside_the_cassette() -> None:
    """Large requests and answers count as those in the file do."""
    cassette = Cassette(header(), blobs={"q": {"in": "urn:b-1"}, "r": {"urn": "urn:b-1"}})
    maker = Interaction(n=1, session=1, op="register", method="register", type="B", request={}, response_blob="r")
    user = Interaction(n=2, session=1, op="register", method="register", type="A", request_blob="q", response={})
    assert ordered(cassette, [user, maker]) == [maker, user]


# The replay --------------------------------------------------------------------------------------------------------------


class Room(Toy):
    """How the toy writes the way back down. Providers do not hear a version, and nothing of a method Feature is played."""

    def shown(self, tree: dict[str, Any]) -> tuple[str, str, str]:
        return tree["severity"], tree["message"], tree["urn"]

    def played(self, method: str, tree: dict[str, Any], during: Call) -> bool:
        if tree.get("callback"):
            raise UnsupportedError(f"{during} has callbacks")
        return method != "Feature"

    def asked(self, method: str, tree: dict[str, Any], during: Call) -> Call:
        return Call(op=REGISTER, method=method, session=during.session, inputs=tree)

    def heard(self, method: str, tree: dict[str, Any]) -> dict[str, Any]:
        return {key: item for key, item in tree.items() if key != "version"}

    def references(self, call: Call, method: str = "", answer: Mapping[str, Any] | None = None) -> dict[str, str]:
        if answer is None:
            return {"urn:given": "urn:given::7"}
        return {answer["urn"]: f"{answer['urn']}::{answer['id']}"} if method == "Provider" else {}

    def with_provider_ids(self, tree: Any, references: Mapping[str, str]) -> Any:
        return {**tree, "provider": references[tree["provider"]]} if "provider" in tree else tree


class Stage:
    """An engine with answers of today, and a replay of what was recorded."""

    def __init__(self, *today: Any, monitor: bool = True) -> None:
        self.port = Port()
        self.asked: list[dict[str, Any]] = []
        self._today = iter(today)
        where = session()
        where.engine = self.port
        self.call = Call(
            op=Op.CONSTRUCT, method="Construct", session=where, type=TYPE, monitor=self._answer if monitor else None
        )
        redactor = Redactor()
        redactor.marks = Room.marks
        self.bindings = Bindings(redactor.vault)
        self.playing = Playing(
            self.call,
            Room(),
            self.bindings,
            Cassette(header()),
            redactor=redactor,
            lock=threading.Lock(),  # type: ignore[arg-type]
        )

    def _answer(self, call: Call) -> Reply:
        self.asked.append(dict(call.inputs or {}))
        reply = next(self._today)
        return reply if isinstance(reply, Reply) else Reply(value=reply)

    def play(self, *recorded: Interaction, pairs: Iterable[Pair] = ()) -> None:
        self.playing.play(recorded, [*pairs])

    def mapped(self, tree: Any) -> Any:
        return self.playing.mapped(tree, registered())


def registered(response: Any = None, method: str = "Register", **request: Any) -> Interaction:
    """A recorded registration and its answer."""
    return Interaction(n=7, session=1, op="register", method=method, type="A", request=request, response=response)


def line(message: str, urn: str = "") -> Interaction:
    """A recorded line of log."""
    return Interaction(
        n=8, session=1, op="log", method="Log", request={"severity": "info", "message": message, "urn": urn}, response={}
    )


UNKNOWN = next(iter(Room.marks.unknowns))

MAPPED: dict[str, tuple[list[tuple[Any, Any]], Any, Any]] = {
    "the same": ([({"urn": "urn:a-1"}, {"urn": "urn:a-1"})], {"a": ["urn:a-1"]}, {"a": ["urn:a-1"]}),
    "another text": ([({"urn": "urn:a-1"}, {"urn": "urn:b-2"})], {"a": ["urn:a-1", 1]}, {"a": ["urn:b-2", 1]}),
    "inside of texts": ([({"id": "a-1111"}, {"id": "b-2"})], "x a-1111 a-1111", "x b-2 b-2"),
    "a text with signs": ([({"id": "a.1(1*"}, {"id": "b"})], "xa.1(1* a_1(1*", "xb a_1(1*"),
    "the longest first": ([({"a": "abcdef", "b": "abcdefgh"}, {"a": "1", "b": "2"})], "abcdefgh abcdef", "2 1"),
    "nothing is done twice": ([({"a": "abcdef", "b": "ghijkl"}, {"a": "ghijkl", "b": "x"})], "abcdef ghijkl", "ghijkl x"),
    "of several answers": ([({"a": "abcdef"}, {"a": "x"}), ({"a": "ghijkl"}, {"a": "y"})], "abcdef ghijkl", "x y"),
    "the same change twice": ([({"a": "abcdef"}, {"a": "x"}), ({"a": "abcdef"}, {"a": "x"})], "abcdef", "x"),
    "deep in an answer": ([({"a": [1, {"b": "abcdef"}]}, {"a": [1, {"b": "x"}]})], "abcdef", "x"),
    "what nobody hears": ([({"a": 1, "version": "abcdef"}, {"a": 1, "version": "ghijkl"})], "abcdef", "abcdef"),
    "no answer at all": ([(None, {})], "x", "x"),
    "a short text that is not there": ([({"a": "abcde"}, {"a": "x"})], {"k": ["abcdef", 1, None]}, {"k": ["abcdef", 1, None]}),
    "a short text that stays": ([({"a": "x"}, {"a": "x"})], "x", "x"),
    "a short text of two equal changes": ([({"a": "x", "b": "x"}, {"a": "y", "b": "y"})], "z", "z"),
    "not yet known, then as now": ([({"a": UNKNOWN}, {"a": UNKNOWN})], UNKNOWN, UNKNOWN),
    "numbers and such": ([({"a": [1, 0.5, None, True]}, {"a": [1, 0.5, None, True]})], 1, 1),
}  # fmt: skip


@pytest.mark.parametrize(("answers", "tree", "mapped"), [pytest.param(*row, id=rule) for rule, row in MAPPED.items()])
def test_what_the_engine_answers_now(answers: list[tuple[Any, Any]], tree: Any, mapped: Any) -> None:
    """Texts that the engine answered at the recording become what it answers now, in all that follows."""
    stage = Stage(*(now for _, now in answers))
    stage.play(*(registered(was) for was, _ in answers))
    assert stage.mapped(tree) == mapped


UNSURE = "may mean another"
BOTH = "was one value, and is now both"
NOT_MAPPED: dict[str, tuple[list[tuple[Any, Any]], Any, str]] = {
    "a short text": ([({"a": "abcde"}, {"a": "x"})], {"k": ["abcde"]}, UNSURE),
    "a text that is empty now": ([({"a": "abcdef"}, {"a": ""})], "abcdef", UNSURE),
    "one text that is two now": ([({"a": "abcdef", "b": "abcdef"}, {"a": "x", "b": "y"})], "", BOTH),
    "one text that is another and the same": ([({"a": "abcdef", "b": "abcdef"}, {"a": "x", "b": "abcdef"})], "", BOTH),
    "one text that is the same and another": ([({"a": "abcdef", "b": "abcdef"}, {"a": "abcdef", "b": "x"})], "", BOTH),
    "a short text that is two now": ([({"a": "x", "b": "x"}, {"a": "y", "b": "z"})], "", BOTH),
    "in two answers": ([({"a": "abcdef"}, {"a": "x"}), ({"a": "abcdef"}, {"a": "y"})], "", BOTH),
    "a number": ([({"a": {"b": [1, 1]}}, {"a": {"b": [1, 2]}})], "", r"a.b\[1\]: recorded 1, now 2"),
    "a number of another type": ([({"a": 1}, {"a": 1.0})], "", "a: recorded 1, now 1.0"),
    "a boolean for a number": ([({"a": 1}, {"a": True})], "", "a: recorded 1, now true"),
    "nothing for a text": ([({"a": "x"}, {"a": None})], "", 'a: recorded "x", now null'),
    "a text for nothing": ([({"a": None}, {"a": "x"})], "", 'a: recorded null, now "x"'),
    "another key": ([({"a": 1}, {"b": 1})], "", 'recorded {"a":1}, now {"b":1}'),
    "a longer list": ([({"a": [1]}, {"a": [1, 2]})], "", r"a: recorded \[1\], now \[1,2\]"),
    "an object for a text": ([({"a": "x"}, {"a": {"b": 1}})], "", "a: recorded"),
    "a list for an object": ([({"a": {}}, {"a": []})], "", "a: recorded"),
    "what was known": ([({"a": "abcdef"}, {"a": UNKNOWN})], "", "not known yet"),
    "what is known now": ([({"a": UNKNOWN}, {"a": "abcdef"})], "", "not known yet"),
    "a secret that is two now": ([({"a": {"$secret": 1}, "b": {"$secret": 1}}, {"a": "x", "b": "y"})], "", "b: another secret"),
    "a number for a secret": ([({"a": {"$secret": 1}}, {"a": 1})], "", "a: another secret"),
    "a text around a secret": ([({"a": {"$text": ["x", {"$secret": 1}]}}, {"a": "yz"})], "", "a: another secret"),
}


@pytest.mark.parametrize(("answers", "tree", "why"), [pytest.param(*row, id=rule) for rule, row in NOT_MAPPED.items()])
def test_what_the_provider_would_have_made_of_it(answers: list[tuple[Any, Any]], tree: Any, why: str) -> None:
    """Where nobody knows what the provider would have made of an answer, the call is refused, with the place."""
    stage = Stage(*(now for _, now in answers))
    with pytest.raises(MissError, match=why) as refused:  # noqa: PT012 - either may raise
        stage.play(*(registered(was) for was, _ in answers))
        stage.mapped(tree)
    assert "The engine answers Register of A (interaction 7) otherwise than it was recorded" in str(refused.value)


def test_later_requests_have_what_the_engine_answers_now() -> None:
    """Each request is the recorded one, with today's texts, the call's own secrets and today's providers."""
    stage = Stage({"urn": "urn:b-2", "id": "p-1"}, {}, {})
    stage.play(
        registered({"urn": "urn:a-1", "id": "p-1"}, "Provider", name="first", provider="urn:given"),
        registered({}, parent="urn:a-1", password={"$secret": 4}, provider="urn:a-1"),
        registered({}, "Feature"),
        registered({}, url={"$text": ["x:", {"$secret": 4}]}),
        pairs=[Pair(4, "string", "hush")],
    )
    assert stage.asked == [
        {"name": "first", "provider": "urn:given::7"},
        {"parent": "urn:b-2", "password": "hush", "provider": "urn:b-2::p-1"},
        {"url": "x:hush"},
    ]


def test_secrets_of_an_answer_are_bound() -> None:
    """A secret that the engine answers now stands for the recorded one from then on, and is in no message."""
    placeholder = {**secret({"$secret": 1})}
    stage = Stage({"p": secret("correct horse"), "t": "to correct horse"}, {"n": "correct horse"})
    with pytest.raises(MissError) as refused:
        stage.play(registered({"p": placeholder, "t": {"$text": ["to ", {"$secret": 1}]}}), registered({"n": 1}))
    assert stage.bindings.filled({"$secret": 1}) == "correct horse"
    assert "correct horse" not in str(refused.value)


BUSY = Reply(status=Status(14, "busy"))


def refused_then(**kept: Any) -> Interaction:
    """A registration that has no answer in the recording."""
    return replace(registered(), **kept)


def test_what_the_engine_refused_it_may_refuse() -> None:
    """A refusal that was recorded is one now, and the provider goes on as it did."""
    stage = Stage(BUSY, {})
    stage.play(refused_then(status=RecordedStatus(code="UNAVAILABLE")), registered({}))
    assert len(stage.asked) == 2


def test_what_the_engine_refuses_now_ends_the_call() -> None:
    """A refusal that was not recorded is the answer of the call."""
    with pytest.raises(Refused) as refused:
        Stage(BUSY).play(registered({}))
    assert refused.value.reply is BUSY


@pytest.mark.parametrize(
    ("was", "error", "why"),
    [
        (refused_then(status=RecordedStatus(code="UNAVAILABLE")), MissError, "the engine refused it when it was recorded"),
        (refused_then(withheld="it was not to be had"), MissError, "it was not to be had"),
        (registered({}, callback=True), UnsupportedError, "callbacks"),
    ],
)
def test_what_cannot_be_played(was: Interaction, error: type[Exception], why: str) -> None:
    """What the provider made of an answer that it did not get, or is not there, nobody knows."""
    with pytest.raises(error, match=why):
        Stage({}).play(was)


def test_a_call_without_a_way_back() -> None:
    """A call that brought no way back is refused where the provider registered something, and answered where it only logged."""
    stage = Stage(monitor=False)
    stage.play(line("hello"))
    with pytest.raises(UnsupportedError, match="no way back"):
        stage.play(registered({}))
    assert stage.port.told == [("info", "hello", "")]


def test_lines_have_what_the_engine_answers_now() -> None:
    """A line of log is shown with today's texts and secrets; what cannot be mapped stays as it was, for people."""
    stage = Stage({"urn": "urn:b-2", "zone": "y"})
    stage.play(line("before urn:a-1", "urn:a-1"), registered({"urn": "urn:a-1", "zone": "x"}))
    stage.play(line("after urn:a-1", "urn:a-1"), line("x"), pairs=[])
    hush = line("")
    hush.request["message"] = {"$text": ["in ", {"$secret": 4}]}
    stage.play(hush, pairs=[Pair(4, "string", "hush")])
    assert stage.port.told == [
        ("info", "before urn:a-1", "urn:a-1"),
        ("info", "after urn:b-2", "urn:b-2"),
        ("info", "x", ""),
        ("info", "in hush", ""),
    ]
    stage.call.session.engine = None
    stage.play(line("nobody listens"))
    assert len(stage.port.told) == 4


def test_a_protocol_without_a_way_back() -> None:
    """A transcriber has a way back, or none."""
    assert back_of(Toy()) is None
    toy = Toy()
    toy.back = Room()  # type: ignore[attr-defined]
    assert back_of(toy) is toy.back  # type: ignore[attr-defined]
