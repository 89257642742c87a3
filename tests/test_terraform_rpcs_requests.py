"""Rows and requests field by field: what each RPC asks for, and what of a call stands where."""

from __future__ import annotations

from typing import Any

import pytest
from terraform_messages import answered, asked, opened, row, session_of, thing

from mockprovider.calls import Call, Failure, Op, Reply, Session
from mockprovider.errors import MalformedError
from mockprovider.schema import Package
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.rpcs.requests import schema_of
from mockprovider.terraform.schema.provider import provider_schema
from mockprovider.values import UNKNOWN


@pytest.fixture(params=sorted(SERVICES))
def session(request: pytest.FixtureRequest) -> Session:
    """A session over each major, whose package is known."""
    return session_of(request.param)


ROWS = {
    "GetProviderSchema": (Op.GET_SCHEMA, ""),
    "ValidateProviderConfig": (Op.CHECK_CONFIG, ""),
    "ConfigureProvider": (Op.CONFIGURE, "volatile terraform_version"),
    "ValidateResourceConfig": (Op.CHECK, ""),
    "ValidateDataResourceConfig": (Op.CHECK, ""),
    "UpgradeResourceState": (Op.UPGRADE, ""),
    "ReadResource": (Op.READ, ""),
    "PlanResourceChange": (Op.PLAN, ""),
    "ApplyResourceChange": (Op.CREATE, "mutates"),
    "ImportResourceState": (Op.IMPORT, ""),
    "MoveResourceState": (Op.MOVE, ""),
    "ReadDataSource": (Op.INVOKE, ""),
    "StopProvider": (Op.CANCEL, ""),
    "GetMetadata": (Op.GET_PLUGIN_INFO, ""),
    "GetResourceIdentitySchemas": (Op.GET_SCHEMA, ""),
    "UpgradeResourceIdentity": (Op.UPGRADE_IDENTITY, ""),
    "GetFunctions": (Op.GET_SCHEMA, ""),
    "CallFunction": (Op.FUNCTION, ""),
    "ValidateEphemeralResourceConfig": (Op.CHECK, ""),
    "OpenEphemeralResource": (Op.OPEN, "mutates"),
    "RenewEphemeralResource": (Op.RENEW, ""),
    "CloseEphemeralResource": (Op.CLOSE, ""),
    "GenerateResourceConfig": (Op.IMPORT, "no engine that"),
    "ListResource": (Op.LIST, "the fake has no list resources"),
    "ValidateListResourceConfig": (Op.CHECK, "the fake has no list resources"),
    "ValidateStateStoreConfig": (Op.CHECK, "the fake keeps no engine's state"),
    "ConfigureStateStore": (Op.CONFIGURE, "the fake keeps no engine's state"),
    **dict.fromkeys(
        ("ReadStateBytes", "WriteStateBytes", "LockState", "UnlockState", "GetStates", "DeleteState"),
        (Op.RAW, "the fake keeps no engine's state"),
    ),
    "PlanAction": (Op.RAW, "the fake has no actions"),
    "InvokeAction": (Op.RAW, "the fake has no actions"),
    "ValidateActionConfig": (Op.CHECK, "the fake has no actions"),
}


CHANGING = ("InvokeAction", "WriteStateBytes", "LockState", "UnlockState", "DeleteState")
"""Of the RPCs that only real providers serve, those that change something."""


def test_what_each_rpc_asks_for() -> None:
    """Of each RPC the table says which op it is, what of it changes from run to run, and whether it is served."""
    rows = SERVICES[6].methods
    assert set(rows) == set(ROWS)
    for name, each in rows.items():
        words = [*(["mutates"] if each.mutates else []), *(["volatile", *each.volatile] if each.volatile else [])]
        op, said = ROWS[name]
        assert (each.name, each.op) == (name, op)
        assert (each.reason or " ".join(words)).startswith(said), name
        assert each.reason or " ".join(words) == said, name
        assert bool(each.reason or words) == bool(said), name
        assert not each.reason or each.mutates == (name in CHANGING), name
        assert each.diagnosed == bool(each.reason), name


def test_refused_calls_name_their_type(session: Session) -> None:
    """What a refused RPC is about is told where its request says it, and its answer has the reason alone."""
    each = row(session, "ListResource")
    request = protocol(session.protocol.version).message("ListResource.Request")(type_name="cloud_thing")
    call = each.call(request, session)
    assert (call.op, call.type, call.method) == (Op.LIST, "cloud_thing", "ListResource")
    event: Any = each.response(Reply(failures=(Failure("no", detail="why"),)), call)
    assert [(said.severity, said.summary, said.detail) for said in event.diagnostic] == [(1, "no", "why")]
    done: Any = row(session, "InvokeAction").response(Reply(failures=(Failure("no"),)), call)
    assert [(said.severity, said.summary) for said in done.completed.diagnostics] == [(1, "no")]
    assert not row(session, "InvokeAction").response(Reply(), call).HasField("completed")  # type: ignore[attr-defined]


def test_the_id_is_that_of_what_exists(session: Session) -> None:
    """Of several ids in a request the first that is known counts, and what a configuration says is none."""
    own = thing(session, id="own")
    call = asked(session, "ApplyResourceChange", type_name="cloud_thing", prior_state=None, planned_state=own, config=own)
    assert call.id == "own"
    call = asked(session, "ValidateResourceConfig", type_name="cloud_thing", config=own)
    assert (call.id, call.inputs, call.prior, call.planned, call.private) == ("", {}, None, None, b"")
    unknown = thing(session, id=UNKNOWN)
    call = asked(session, "ApplyResourceChange", type_name="cloud_thing", prior_state=None, planned_state=unknown, config=own)
    assert call.id == ""


def test_where_a_state_has_no_id_private_bytes_do(session: Session) -> None:
    """A type whose published schema has no id is known by its private bytes, both ways."""
    call = asked(session, "ReadResource", type_name="cloud_nameless", current_state={"a": "x"}, private=b"n-1")
    assert (call.id, call.private, call.prior) == ("n-1", b"n-1", {"a": "x"})
    assert answered(session, "ReadResource", Reply(value={"a": "y"}, id="n-2"), call).private == b"n-2"
    assert answered(session, "ReadResource", Reply(value={"a": "y"}), call).private == b"n-1"
    assert answered(session, "ReadResource", Reply(value={"a": "y"}, id="n-2", private=b"p"), call).private == b"p"
    assert asked(session, "ReadResource", type_name="cloud_nameless", current_state=None, private=b"\xff").id == "\ufffd"
    named = asked(session, "ReadResource", type_name="cloud_thing", current_state=thing(session, id="t-1"), private=b"p")
    assert (named.id, answered(session, "ReadResource", Reply(value={}), named).private) == ("t-1", b"")


def test_a_plan_is_asked_for_without_what_is_only_written(session: Session) -> None:
    """Write-only values are in no plan, and reach a check and an apply."""
    config = thing(session, pin="1", pins=[{"code": "2", "name": "a"}])
    states = {"prior_state": None, "proposed_new_state": config}
    call = asked(session, "PlanResourceChange", type_name="cloud_thing", config=config, **states)
    assert call.inputs == {"pins": [{"name": "a"}]}
    call = asked(session, "PlanResourceChange", type_name="cloud_thing", config=thing(session), **states)
    assert call.inputs == {}
    call = asked(
        session, "PlanResourceChange", type_name="cloud_thing", config=None, prior_state=config, proposed_new_state=None
    )
    assert (call.inputs, call.proposed) == (None, None)
    call = asked(session, "ValidateResourceConfig", type_name="cloud_thing", config=config)
    assert call.inputs == {"pin": "1", "pins": [{"code": "2", "name": "a"}]}


def test_what_does_not_fit_names_the_rpc_and_the_field(session: Session) -> None:
    """A payload of another type is an error that says whose it is."""
    with pytest.raises(MalformedError, match=r"^ReadResource of cloud_thing, current_state: object: there is no attribute 'a'"):
        asked(session, "ReadResource", type_name="cloud_thing", current_state={"a": 1})
    rpc = row(session, "ConfigureProvider").name
    with pytest.raises(MalformedError, match=rf"^{rpc} of the provider, config: "):
        asked(session, "ConfigureProvider", config={"a": 1})


def test_requests_of_python_calls(session: Session) -> None:
    """What is to be made has no id yet, what exists has its own, and private bytes go where the RPC has a place."""
    each = row(session, "ApplyResourceChange")
    new = Call(op=Op.CREATE, session=session, type="cloud:index:Thing", inputs={}, planned={"displayName": "x"}, private=b"p")
    request: Any = each.request(new)
    assert (request.type_name, request.planned_private, opened(request.prior_state)) == ("cloud_thing", b"p", None)
    assert opened(request.planned_state) == thing(session, display_name="x", id=UNKNOWN)
    assert opened(request.config) == thing(session)
    new.id = "t-1"
    assert opened(each.request(new).planned_state)["id"] == "t-1"  # type: ignore[attr-defined]
    new.id, new.prior = "", {}
    assert opened(each.request(new).planned_state)["id"] is None  # type: ignore[attr-defined]
    plan = Call(op=Op.PLAN, session=session, type="cloud:index:Thing", inputs={}, proposed={"displayName": "y"})
    assert opened(row(session, "PlanResourceChange").request(plan).proposed_new_state) == thing(  # type: ignore[attr-defined]
        session, display_name="y"
    )


def test_an_instance_is_known_by_its_configuration(session: Session) -> None:
    """The name of an instance is a digest of its whole configuration, and the engine's version is told beside."""
    call = asked(session, "ConfigureProvider", config={"region": "north"}, terraform_version="1.11.4")
    assert session.instance.startswith("config-")
    assert len(session.instance) == len("config-") + 16
    assert row(session, "ConfigureProvider").request(call) == call.native.message  # type: ignore[union-attr]
    bare = Call(op=Op.CONFIGURE, session=session, inputs={})
    assert row(session, "ConfigureProvider").request(bare).terraform_version == ""  # type: ignore[attr-defined]


def test_a_session_compiles_its_package_once(session: Session) -> None:
    """A session's schema is compiled once, anew for another package, and is shared by what has the same package."""
    package = session.schema
    first = schema_of(session)
    assert first is schema_of(session)
    assert first is provider_schema(package, session.protocol.version)
    assert first is not provider_schema(package, 11 - session.protocol.version)
    session.schema = Package("cloud")
    assert schema_of(session) is not first
    session.schema = first
    assert schema_of(session) is first
    session.schema = None
    assert schema_of(session) is None
    assert provider_schema(Package("a"), 6) is not provider_schema(Package("a"), 6)
