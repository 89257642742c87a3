"""States on the way between types, versions and hands, by upgrade, move and import."""

from __future__ import annotations

from typing import Any

import pytest
from terraform_messages import answered, asked, message, opened, packed, row, session_of, thing

from mockprovider.calls import Call, Failure, Native, Op, Reply, Session
from mockprovider.errors import MalformedError
from mockprovider.payloads import StoredState
from mockprovider.schema import Package, ResourceType
from mockprovider.terraform import ResourceTraits
from mockprovider.terraform.rpcs.methods import SERVICES


@pytest.fixture(params=sorted(SERVICES))
def session(request: pytest.FixtureRequest) -> Session:
    """A session over each major, whose package is known."""
    return session_of(request.param)


def test_an_upgrade_without_a_state(session: Session) -> None:
    """No JSON is a null; what has no text for an id has none."""
    call = asked(session, "UpgradeResourceState", type_name="cloud_thing", version=3)
    assert (call.prior, call.id, call.stored) == (None, "", StoredState(None, 3))
    request: Any = row(session, "UpgradeResourceState").request(Call(op=Op.UPGRADE, session=session, type="cloud:index:Thing"))
    assert (request.type_name, request.version, request.raw_state.json) == ("cloud_thing", 0, b"null")
    prior = Call(op=Op.UPGRADE, session=session, type="cloud:index:Thing", prior={"displayName": "a"}, id="t-1")
    assert b'"id": "t-1"' in row(session, "UpgradeResourceState").request(prior).raw_state.json  # type: ignore[attr-defined]
    bare = Session(session.protocol.name)
    assert asked(bare, "UpgradeResourceState", type_name="cloud_thing").prior is None


@pytest.mark.parametrize(
    ("version", "by_function", "prior", "id_"),
    [(0, True, None, "b-1"), (1, True, None, "b-1"), (2, False, {"a": "x"}, "b-1"), (3, False, {"a": "x"}, "b-1")],
)
def test_which_states_are_upgraded_by_functions(version: int, by_function: bool, prior: Any, id_: str) -> None:
    """States of an older version go to the functions as they are; those of today's are read."""
    traits = ResourceTraits(version=2, upgrades={0: dict})
    session = Session("tfplugin6")
    session.schema = Package("cloud")
    session.schema.add(ResourceType("cloud:index:Box", {"a": str}, traits=[traits]))
    request = message(session, "UpgradeResourceState.Request", type_name="cloud_box", version=version)
    request.raw_state.json = b'{"id": "b-1", "a": "x"}'
    call = row(session, "UpgradeResourceState").call(request, session)
    assert (call.prior, call.id, traits.upgrades_from(version)) == (prior, id_, by_function)
    request.raw_state.json = b'{"id": 7}' if by_function else b'{"id": null}'
    assert row(session, "UpgradeResourceState").call(request, session).id == ""
    request.raw_state.json = b"null"
    assert row(session, "UpgradeResourceState").call(request, session).id == ""


def test_numbers_of_a_state_stay_numbers(session: Session) -> None:
    """Whole numbers are written whole, others as floats, in a state that goes on as it came."""
    bare = Session(session.protocol.name)
    request = message(bare, "UpgradeResourceState.Request", type_name="cloud_thing", version=1)
    request.raw_state.json = b'{"a": 2.0, "b": 0.1, "c": 12345678901234567890.0}'
    known = row(session, "UpgradeResourceState").call(request, session)
    assert row(session, "UpgradeResourceState").request(known).raw_state.json == (  # type: ignore[attr-defined]
        b'{"a": 2, "b": 0.1, "c": 12345678901234567890}'
    )


def test_what_a_state_becomes(session: Session) -> None:
    """The attributes that functions made win over a value; without a schema they say nothing."""
    call = asked(session, "UpgradeResourceState", type_name="cloud_thing")
    reply = Reply(stored={"id": "t-2", "display_name": "b"}, value={"displayName": "a"}, id="t-1")
    assert opened(answered(session, "UpgradeResourceState", reply, call).upgraded_state) == thing(
        session, id="t-2", display_name="b"
    )
    bare = Session(session.protocol.name)
    lost = answered(bare, "UpgradeResourceState", reply, asked(bare, "UpgradeResourceState", type_name="cloud_thing"))
    assert opened(lost.upgraded_state) == {"displayName": "a"}


def test_moves_without_a_state(session: Session) -> None:
    """A move of a call that was made in Python names its target, and what it knows of the source."""
    each = row(session, "MoveResourceState")
    request: Any = each.request(Call(op=Op.MOVE, session=session, type="cloud:index:Thing", private=b"p"))
    assert (request.target_type_name, request.source_private, request.source_type_name) == ("cloud_thing", b"p", "")
    assert (request.source_schema_version, request.source_state.json) == (0, b"null")
    stored = StoredState({"a": 1}, 3, "cloud_old", "example.com/mock/cloud")
    request = each.request(Call(op=Op.MOVE, session=session, type="cloud:index:Thing", stored=stored))
    assert (request.source_type_name, request.source_provider_address) == ("cloud_old", "example.com/mock/cloud")
    assert (request.source_schema_version, request.source_state.json) == (3, b'{"a": 1}')


def test_moves_by_function() -> None:
    """A type with functions that convert gets the other's state as it is."""
    session = Session("tfplugin6")
    session.schema = Package("cloud")
    session.schema.add(ResourceType("cloud:index:Box", {"a": str}, moved_from={"cloud_old": dict}))
    request = message(session, "MoveResourceState.Request", target_type_name="cloud_box", source_type_name="cloud_old")
    request.source_state.json = b'{"id": "b-1", "a": {"no": "text"}}'
    call = row(session, "MoveResourceState").call(request, session)
    assert (call.id, call.prior) == ("b-1", None)
    assert call.stored == StoredState({"id": "b-1", "a": {"no": "text"}}, 0, "cloud_old")


def test_imports_that_find_nothing(session: Session) -> None:
    """What does not exist is an error that says by what it was looked for; a failure says it itself."""
    call = asked(session, "ImportResourceState", type_name="cloud_thing", id="t-1")
    found = answered(session, "ImportResourceState", Reply(), call)
    assert [(each.severity, each.summary, each.detail) for each in found.diagnostics] == [
        (1, "Cannot import non-existent remote object", "There is no cloud_thing with the id 't-1'.")
    ]
    request = message(session, "ImportResourceState.Request", type_name="cloud_thing")
    request.identity.identity_data.msgpack = packed({"display_name": "a", "id": None})
    call = row(session, "ImportResourceState").call(request, session)
    assert call.identity == {"displayName": "a"}
    call.native = Native(request.SerializeToString(), request)
    found = answered(session, "ImportResourceState", Reply(), call)
    assert found.diagnostics[0].detail == "There is no cloud_thing with the identity {'displayName': 'a'}."
    failed = answered(session, "ImportResourceState", Reply(failures=(Failure("no"),)), call)
    assert [each.summary for each in failed.diagnostics] == ["no"]
    assert not failed.imported_resources


def test_imports_of_the_asked_object(session: Session) -> None:
    """An object that is imported has the id of the reply, or that which was asked for, and no write-only value."""
    call = asked(session, "ImportResourceState", type_name="cloud_thing", id="t-1")
    [found] = answered(session, "ImportResourceState", Reply(value={"pin": "1"}, private=b"p"), call).imported_resources
    assert (found.type_name, found.private, opened(found.state)) == ("cloud_thing", b"p", thing(session, id="t-1"))
    assert opened(found.identity.identity_data) == {"display_name": None, "id": "t-1"}
    [found] = answered(session, "ImportResourceState", Reply(value={}, id="t-2"), call).imported_resources
    assert opened(found.state)["id"] == "t-2"
    several = (Reply(value={}, id="t-2"), Reply(), Reply(value={}, id="t-3", type="cloud:index:Old"))
    answer = answered(session, "ImportResourceState", Reply(imported=several), call)
    assert not answer.diagnostics
    found = answer.imported_resources
    assert [(each.type_name, opened(each.state)["id"]) for each in found] == [("cloud_thing", "t-2"), ("cloud_old", "t-3")]


def test_imports_are_read(session: Session) -> None:
    """One object is the reply itself, several are in it, and none is an empty one."""
    each = row(session, "ImportResourceState")
    call = asked(session, "ImportResourceState", type_name="cloud_thing", id="t-1")
    answer = message(session, "ImportResourceState.Response")
    assert each.reply(answer, call) == Reply()
    answer.imported_resources.add(type_name="cloud_thing", private=b"p").state.msgpack = packed(thing(session))
    assert each.reply(answer, call) == Reply(value={}, id="t-1", private=b"p")
    answer.imported_resources.add(type_name="cloud_old").state.msgpack = packed({"a": "x", "id": "o-1"})
    answer.diagnostics.add(severity=2, summary="hm")
    back = each.reply(answer, call)
    assert (back.id, back.warnings) == ("t-1", ("hm",))
    assert [(one.id, one.type, one.value) for one in back.imported] == [
        ("t-1", "", {}),
        ("o-1", "cloud:index:Old", {"a": "x"}),
    ]


def test_upgrades_of_identities(session: Session) -> None:
    """An identity's JSON is read by today's schema; a failure says why it is not; a type without one has none."""
    each = row(session, "UpgradeResourceIdentity")
    request: Any = each.request(Call(op=Op.UPGRADE_IDENTITY, session=session, type="cloud:index:Thing"))
    assert (request.type_name, request.version, request.raw_identity.json) == ("cloud_thing", 0, b"")
    call = asked(session, "UpgradeResourceIdentity", type_name="cloud_thing", version=2)
    assert call.stored == StoredState(b"", 2)
    found = answered(session, "UpgradeResourceIdentity", Reply(), call)
    assert found.upgraded_identity.identity_data.msgpack == b"\xc0"
    failed = answered(session, "UpgradeResourceIdentity", Reply(failures=(Failure("no"),)), call)
    assert (len(failed.diagnostics), failed.HasField("upgraded_identity")) == (1, False)
    for known, name in ((session, "cloud_old"), (Session(session.protocol.name), "cloud_thing")):
        with pytest.raises(MalformedError, match="has no identity"):
            answered(known, "UpgradeResourceIdentity", Reply(), asked(known, "UpgradeResourceIdentity", type_name=name))
