"""Answers field by field: what of a reply stands where, and what an answer is read as."""

from __future__ import annotations

import pytest
from terraform_messages import answered, asked, message, opened, packed, row, session_of, thing

from mockprovider.calls import Call, Change, ChangeKind, Failure, Plan, Reply, Session
from mockprovider.errors import UnsupportedError
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.rpcs.requests import schema_of
from mockprovider.values import UNKNOWN, Secret


@pytest.fixture(params=sorted(SERVICES))
def session(request: pytest.FixtureRequest) -> Session:
    """A session over each major, whose package is known."""
    return session_of(request.param)


def reading(session: Session, name: str = "cloud_thing") -> Call:
    state = thing(session, id="t-1") if name == "cloud_thing" else {"a": None, "id": "t-1"}
    return asked(session, "ReadResource", type_name=name, current_state=state)


def test_an_answer_has_the_id_of_the_reply_or_else_the_calls(session: Session) -> None:
    """The id stands in the state and in the identity."""
    for id_, expected in (("t-2", "t-2"), ("", "t-1")):
        found = answered(session, "ReadResource", Reply(id=id_, value={"displayName": "a"}), reading(session))
        assert opened(found.new_state) == thing(session, id=expected, display_name="a")
        assert opened(found.new_identity.identity_data) == {"display_name": "a", "id": expected}


def test_identities_are_told_where_they_are_known(session: Session) -> None:
    """An identity that the reply tells wins, also over nothing; one that is not wholly known is none yet."""
    told = Reply(id="t-1", value={}, identity={"id": "x", "displayName": Secret("b")})
    assert opened(answered(session, "ReadResource", told, reading(session)).new_identity.identity_data) == {
        "display_name": "b",
        "id": "x",
    }
    gone = answered(session, "ReadResource", Reply(identity={"id": "x", "displayName": "b"}), reading(session))
    assert not gone.new_identity.identity_data.msgpack
    call = asked(
        session,
        "PlanResourceChange",
        type_name="cloud_thing",
        prior_state=thing(session, id="t-1"),
        proposed_new_state=thing(session, display_name="a"),
        config=thing(session, display_name="a"),
    )
    kept = answered(session, "PlanResourceChange", Reply(id="t-9", plan=Plan({"displayName": "a"})), call)
    assert opened(kept.planned_identity.identity_data) == {"display_name": "a", "id": "t-9"}
    assert opened(kept.planned_state)["id"] == "t-9"
    kept = answered(session, "PlanResourceChange", Reply(plan=Plan({"displayName": "a"})), call)
    assert opened(kept.planned_state)["id"] == "t-1"
    change = Change("displayName", ChangeKind.ADD, replaces=True)
    replaced = answered(session, "PlanResourceChange", Reply(id="t-9", plan=Plan({"displayName": "a"}, (change,))), call)
    assert not replaced.planned_identity.identity_data.msgpack
    assert opened(replaced.planned_state)["id"] == UNKNOWN
    assert not answered(session, "ReadResource", Reply(value={}), reading(session, "cloud_old")).HasField("new_identity")


def test_what_an_answer_says_beside_its_value(session: Session) -> None:
    """A type that is to be forgiven says so in plans and applies; an answer that is put off says why."""
    for name, legacy in (("cloud_old", True), ("cloud_thing", False)):
        made = {"a": None, "id": UNKNOWN} if legacy else thing(session, id=UNKNOWN)
        states = {"prior_state": None, "planned_state": made, "config": {**made, "id": None}}
        call = asked(session, "ApplyResourceChange", type_name=name, **states)
        assert answered(session, "ApplyResourceChange", Reply(id="a", value={}), call).legacy_type_system is legacy
        call = asked(
            session,
            "PlanResourceChange",
            type_name=name,
            prior_state=None,
            proposed_new_state=states["config"],
            config=states["config"],
        )
        assert answered(session, "PlanResourceChange", Reply(plan=Plan({})), call).legacy_type_system is legacy
    call = reading(session)
    call.native.message.client_capabilities.deferral_allowed = True  # type: ignore[union-attr]
    put_off = answered(session, "ReadResource", Reply(value={}, extra={"deferred": 2}), call)
    assert put_off.deferred.reason == 2
    assert not answered(session, "ReadResource", Reply(value={}), call).HasField("deferred")
    checked = asked(session, "ValidateResourceConfig", type_name="cloud_thing", config=thing(session))
    assert not answered(session, "ValidateResourceConfig", Reply(extra={"deferred": 2}), checked).ByteSize()


def test_failures_and_warnings_both_ways(session: Session) -> None:
    """Errors are failures with path and detail, all else warnings, whose details follow their summaries."""
    call = reading(session)
    reply = Reply(failures=(Failure("a", "displayName", detail="b"), Failure("c")), warnings=("d",))
    found = answered(session, "ReadResource", reply, call)
    assert [(each.severity, each.summary, each.detail, each.HasField("attribute")) for each in found.diagnostics] == [
        (1, "a", "b", True),
        (1, "c", "", False),
        (2, "d", "", False),
    ]
    found.diagnostics.add(severity=2, summary="e", detail="f")
    found.diagnostics.add(severity=0, summary="g").attribute.steps.add()
    back = row(session, "ReadResource").reply(found, call)
    assert (back.failures, back.warnings) == (reply.failures, ("d", "e: f", "g"))


def test_a_plan_is_read_without_guessing(session: Session) -> None:
    """What is added, changed or gone is a change; what is the same is none; a plan that is gone or failed is no plan."""
    call = asked(
        session,
        "PlanResourceChange",
        type_name="cloud_thing",
        prior_state=thing(session, id="t-1", display_name="a", pins=[{"code": None, "name": "x"}]),
        proposed_new_state=thing(session),
        config=thing(session),
    )
    answer = message(session, "PlanResourceChange.Response")
    answer.planned_state.msgpack = packed(thing(session, id="t-1", display_name="b", pin="1"))
    path = answer.requires_replace.add()
    path.steps.add(attribute_name="display_name")
    plan = row(session, "PlanResourceChange").reply(answer, call).plan
    assert plan is not None
    assert plan.changes == (
        Change("displayName", ChangeKind.UPDATE, replaces=True),
        Change("pin", ChangeKind.ADD),
        Change("pins", ChangeKind.DELETE),
    )
    answer.planned_state.msgpack = b"\xc0"
    assert row(session, "PlanResourceChange").reply(answer, call).plan is None
    answer.planned_state.msgpack = packed(thing(session))
    answer.diagnostics.add(severity=1, summary="no")
    assert row(session, "PlanResourceChange").reply(answer, call).plan is None


def test_data_sources_answer_with_their_arguments(session: Session) -> None:
    """An answer wins over an argument, unless a published schema says that arguments stay; a callable's is ``result``."""
    zone = asked(session, "ReadDataSource", type_name="cloud_zone", config={"region": "a", "zone": None})
    assert opened(answered(session, "ReadDataSource", Reply(value={"zone": "z", "region": "b"}), zone).state) == {
        "region": "b",
        "zone": "z",
    }
    kept = asked(session, "ReadDataSource", type_name="cloud_kept", config={"size": 5, "serial": None})
    assert opened(answered(session, "ReadDataSource", Reply(value={"size": 1, "serial": 2}), kept).state) == {
        "serial": 2,
        "size": 5,
    }
    kept = asked(session, "ReadDataSource", type_name="cloud_kept", config={"size": None, "serial": None})
    assert opened(answered(session, "ReadDataSource", Reply(value={"size": 1, "serial": 2}), kept).state)["size"] == 1
    any_ = asked(session, "ReadDataSource", type_name="cloud_any", config={"key": "k", "result": None})
    assert opened(answered(session, "ReadDataSource", Reply(value={"a": 1}), any_).state)["result"][1] == {"a": 1}


def test_schemas_beside_failures_and_warnings(session: Session) -> None:
    """A schema is told beside what went wrong; without one, only a failure is."""
    call = asked(session, "GetProviderSchema")
    plain = answered(session, "GetProviderSchema", Reply(), call)
    assert plain is schema_of(session).message()  # type: ignore[union-attr]
    for reply, severity in ((Reply(warnings=("hm",)), 2), (Reply(failures=(Failure("hm"),)), 1)):
        found = answered(session, "GetProviderSchema", reply, call)
        assert [(each.severity, each.summary) for each in found.diagnostics] == [(severity, "hm")]
        assert set(found.resource_schemas) == set(plain.resource_schemas)
        assert not plain.diagnostics
    bare = Session(session.protocol.name)
    lost = asked(bare, "GetProviderSchema")
    assert answered(bare, "GetProviderSchema", Reply(failures=(Failure("no"),)), lost).diagnostics[0].summary == "no"
    with pytest.raises(UnsupportedError):
        answered(bare, "GetProviderSchema", Reply(warnings=("hm",)), lost)
    for rpc in ("GetMetadata", "GetResourceIdentitySchemas", "GetFunctions"):
        assert not answered(bare, rpc, Reply(), asked(bare, rpc)).ByteSize()
        failed = answered(bare, rpc, Reply(failures=(Failure("no", detail="why"),)), asked(bare, rpc))
        assert [(each.severity, each.summary, each.detail) for each in failed.diagnostics] == [(1, "no", "why")]


def test_metadata_names_everything(session: Session) -> None:
    """All sections by name, in order, with the capabilities of the schema."""
    found = answered(session, "GetMetadata", Reply(), asked(session, "GetMetadata"))
    assert [each.type_name for each in found.resources] == ["cloud_nameless", "cloud_old", "cloud_thing"]
    assert [each.type_name for each in found.data_sources] == ["cloud_any", "cloud_kept", "cloud_zone"]
    assert [each.type_name for each in found.ephemeral_resources] == ["cloud_token"]
    assert [each.name for each in found.functions] == ["join"]
    assert found.server_capabilities == schema_of(session).message().server_capabilities  # type: ignore[union-attr]


def test_identity_schemas(session: Session) -> None:
    """Each attribute has a type and is required; an id that is no property says what it is."""
    found = answered(session, "GetResourceIdentitySchemas", Reply(), asked(session, "GetResourceIdentitySchemas"))
    assert list(found.identity_schemas) == ["cloud_thing"]
    schema = found.identity_schemas["cloud_thing"]
    assert schema.version == 0
    assert [(each.name, each.type, each.required_for_import, each.description) for each in schema.identity_attributes] == [
        ("display_name", b'"string"', True, ""),
        ("id", b'"string"', True, "The object's identifier, chosen by the provider."),
    ]


def test_several_things_go_wrong_while_stopping(session: Session) -> None:
    """All of it is one text."""
    found = answered(session, "StopProvider", Reply(failures=(Failure("a"), Failure("b"))), asked(session, "StopProvider"))
    assert found.Error == "a; b"
