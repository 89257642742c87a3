"""What no state keeps, field by field: functions and ephemeral resources."""

from __future__ import annotations

from typing import Any

import pytest
from terraform_messages import JOIN, answered, asked, message, opened, packed, row, session_of

from mockprovider.calls import Call, Failure, Op, Reply, Session
from mockprovider.errors import MalformedError
from mockprovider.offers import ProviderFunction
from mockprovider.terraform.rpcs import ephemerals
from mockprovider.terraform.rpcs.methods import SERVICES


@pytest.fixture(params=sorted(SERVICES))
def session(request: pytest.FixtureRequest) -> Session:
    """A session over each major, whose package is known."""
    return session_of(request.param)


def test_arguments_in_the_names_of_both_sides(session: Session) -> None:
    """Objects in arguments and results have their properties' names here; a null is nothing, and no argument is a null."""
    request = message(session, "CallFunction.Request", name="join")
    request.arguments.add(msgpack=packed("a"))
    request.arguments.add(msgpack=packed({"code": None, "name": "b"}))
    call = row(session, "CallFunction").call(request, session)
    assert (call.type, call.inputs) == (JOIN.token, {"first": "a", "last": [{"name": "b"}]})
    assert row(session, "CallFunction").request(call) == request
    bare = Call(op=Op.FUNCTION, session=session, type=JOIN.token)
    request = row(session, "CallFunction").request(bare)
    assert [each.msgpack for each in request.arguments] == [b"\xc0"]
    request.arguments[0].ClearField("msgpack")
    assert row(session, "CallFunction").call(request, session).inputs == {"first": None, "last": []}
    found = answered(session, "CallFunction", Reply(value={"result": {"name": "c"}}), call)
    assert opened(found.result) == {"code": None, "name": "c"}
    assert row(session, "CallFunction").reply(found, call).value == {"result": {"name": "c"}}
    assert opened(answered(session, "CallFunction", Reply(), call).result) is None
    empty = message(session, "CallFunction.Response")
    assert row(session, "CallFunction").reply(empty, call).value == {"result": None}


@pytest.mark.parametrize(
    ("name", "parameters", "count", "told"),
    [
        ("join", None, 0, "join takes 1 arguments, these are 0"),
        ("join", None, 1, ""),
        ("join", None, 3, ""),
        ("two", {"a": str, "b": str}, 1, "two takes 2 arguments, these are 1"),
        ("two", {"a": str, "b": str}, 2, ""),
        ("two", {"a": str, "b": str}, 3, "two takes 2 arguments, these are 3"),
    ],
)
def test_how_many_arguments(session: Session, name: str, parameters: Any, count: int, told: str) -> None:
    """A function takes as many as it has parameters, and more where the last one takes all that are left."""
    if parameters:
        session.schema.add(ProviderFunction(f"cloud:index:{name}", parameters))
    request = message(session, "CallFunction.Request", name=name)
    for _ in range(count):
        request.arguments.add(msgpack=b"\xc0")
    if told:
        with pytest.raises(MalformedError, match=told):
            row(session, "CallFunction").call(request, session)
    else:
        assert row(session, "CallFunction").call(request, session).op is Op.FUNCTION


@pytest.mark.parametrize(
    ("path", "index", "back"),
    [
        ("a", 0, "a"),
        ("a.deep[3]", 0, "a"),
        ("b", 1, "b"),
        ("b[2]", 1, "b"),
        ("more", 2, "more[0]"),
        ("more[0]", 2, "more[0]"),
        ("more[2].x", 4, "more[2]"),
        ("more.x", 2, "more[0]"),
        ("nobody", None, ""),
        ("", None, ""),
    ],
)
def test_which_argument_is_wrong(session: Session, path: str, index: int | None, back: str) -> None:
    """A failure's path begins with a parameter; of the one that takes all that are left, an index follows."""
    session.schema.add(ProviderFunction("cloud:index:f", {"a": str, "b": str, "more": str}, variadic="more"))
    call = Call(op=Op.FUNCTION, session=session, type="f", native=None)
    answer = answered(session, "CallFunction", Reply(failures=(Failure("no", path), Failure("other"))), call)
    assert (answer.error.function_argument if answer.error.HasField("function_argument") else None) == index
    assert row(session, "CallFunction").reply(answer, call).failures == (Failure("no", back),)


def test_an_argument_beyond_the_last_is_the_last(session: Session) -> None:
    """A number that no parameter has, as a provider may err, points at the last one; without a schema at none."""
    session.schema.add(ProviderFunction("cloud:index:f", {"a": str, "b": str}))
    answer = message(session, "CallFunction.Response")
    answer.error.text, answer.error.function_argument = "no", 7
    call = Call(op=Op.FUNCTION, session=session, type="cloud:index:f")
    assert row(session, "CallFunction").reply(answer, call).failures == (Failure("no", "b"),)
    call.session = Session(session.protocol.name)
    assert row(session, "CallFunction").reply(answer, call).failures == (Failure("no"),)
    found = answered(session, "CallFunction", Reply(failures=(Failure("no", "a"),)), call)
    assert not found.error.HasField("function_argument")


def test_functions_are_named_either_way(session: Session) -> None:
    """A function answers to its name and its token; one that nobody declared is told with the nearest."""
    for name in ("join", JOIN.token):
        assert row(session, "CallFunction").request(Call(op=Op.FUNCTION, session=session, type=name)).name == "join"  # type: ignore[attr-defined]
    with pytest.raises(MalformedError, match=r"provider function 'jion' in 'cloud'\. Did you mean 'join'"):
        row(session, "CallFunction").request(Call(op=Op.FUNCTION, session=session, type="jion"))


def test_functions_of_a_proxy(session: Session) -> None:
    """Without a schema arguments are numbered, none is a null, and results are as msgpack tells them."""
    bare = Session(session.protocol.name)
    request = message(bare, "CallFunction.Request", name="any")
    request.arguments.add(msgpack=packed({"a": 1}))
    request.arguments.add()
    call = row(bare, "CallFunction").call(request, bare)
    assert call.inputs == {"0": {"a": 1}, "1": None}
    again = row(bare, "CallFunction").request(call)
    assert (again.name, [each.msgpack for each in again.arguments]) == ("any", [packed({"a": 1}), b"\xc0"])  # type: ignore[attr-defined]
    answer = message(bare, "CallFunction.Response")
    assert row(bare, "CallFunction").reply(answer, call).value == {"result": None}
    assert opened(answered(bare, "CallFunction", Reply(), call).result) is None


def test_when_to_renew(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """A time of renewal is that of the clock on the wall and so much later, to the nanosecond; none is none."""
    monkeypatch.setattr(ephemerals, "wall_ns", lambda: 1_700_000_000_123_456_789)
    opening = asked(session, "OpenEphemeralResource", type_name="cloud_token", config={"secret": None, "user": "a"})
    found = answered(session, "OpenEphemeralResource", Reply(value={"secret": "s"}, private=b"p", renew_after=1.5), opening)
    assert (found.renew_at.seconds, found.renew_at.nanos) == (1_700_000_001, 623_456_789)
    assert (opened(found.result), found.private) == ({"secret": "s", "user": "a"}, b"p")
    back = row(session, "OpenEphemeralResource").reply(found, opening)
    assert (back.renew_after, back.private, back.value) == (1.5, b"p", {"user": "a", "secret": "s"})
    assert ephemerals.undated(found, {"a": 1}) == {"a": 1, "renew_at": {"after_seconds": 1.5}}
    assert ephemerals.dated({"a": 1, "renew_at": {"after_seconds": 1.5}}) == {
        "a": 1,
        "renew_at": {"seconds": 1_700_000_001, "nanos": 623_456_789},
    }
    found.renew_at.FromNanoseconds(1_700_000_000_123_456_789 + 1_234_567_890)
    assert ephemerals.undated(found, {})["renew_at"] == {"after_seconds": 1.235}
    never = answered(session, "OpenEphemeralResource", Reply(failures=(Failure("no"),)), opening)
    assert (never.HasField("renew_at"), never.HasField("private"), never.HasField("result")) == (False, False, False)
    assert row(session, "OpenEphemeralResource").reply(never, opening).renew_after is None
    at_once = answered(session, "OpenEphemeralResource", Reply(value={}, renew_after=0), opening)
    assert at_once.renew_at.seconds == 1_700_000_000
    renewing = asked(session, "RenewEphemeralResource", type_name="cloud_token", private=b"p")
    assert answered(session, "RenewEphemeralResource", Reply(renew_after=2), renewing).renew_at.seconds == 1_700_000_002
    assert ephemerals.undated(answered(session, "RenewEphemeralResource", Reply(), renewing), {}) == {}
    assert ephemerals.undated(message(session, "ReadResource.Response"), {"renew_at": 1}) == {"renew_at": 1}
    for kept in ({}, {"renew_at": {"seconds": 5}}, {"renew_at": "soon"}):
        assert ephemerals.dated(kept) is kept
    with pytest.raises(MalformedError, match=r"renew_at.after_seconds: a number of seconds is needed, this is 'soon'"):
        ephemerals.dated({"renew_at": {"after_seconds": "soon"}})
