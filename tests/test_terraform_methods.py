"""The table of methods: complete, the same for both majors, and right in both directions."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest

from mockprovider.calls import Call, Change, ChangeKind, Failure, Native, Op, Plan, Reply, Session
from mockprovider.errors import MalformedError, UnsupportedError
from mockprovider.layers import unchecked
from mockprovider.payloads import StoredState
from mockprovider.schema import Function, Kind, Package, Property, ResourceType
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.rpcs.beyond import REASONS
from mockprovider.terraform.rpcs.methods import PROVIDER5, PROVIDER6, SERVICES
from mockprovider.terraform.rpcs.requests import NAMED, Shape
from mockprovider.values import UNKNOWN, Unknown
from mockprovider.wire.methods import RpcMethod

RULES = Property(Kind("array", items=Kind("object", properties={"fromPort": Property(int)})))
UNSET = msgpack.packb({"display_name": None, "id": None, "rules": None})


def package() -> Package:
    made = Package("cloud", config={"region": Property(str)})
    made.add(
        ResourceType("cloud:index:Bucket", {"displayName": str, "rules": RULES}),
        Function("cloud:index:getZone", {"region": Property(str)}, {"zone": "zone-{region}"}),
        Function("cloud:index:lookup", {"key": Property(str)}, dict),
    )
    return made


@pytest.fixture(params=sorted(SERVICES))
def major(request: pytest.FixtureRequest) -> int:
    """Each major of the protocol."""
    number: int = request.param
    return number


@pytest.fixture
def session(major: int) -> Session:
    """A session that knows its package."""
    opened = Session(f"tfplugin{major}")
    opened.schema = package()
    return opened


def row(session: Session, name: str) -> RpcMethod:
    major = session.protocol.version
    return SERVICES[major].methods[protocol(major).wire_name(name)]


def request(session: Session, name: str, **fields: Any) -> Any:
    """A request; a dict is a DynamicValue, packed as the engine would."""
    message: Any = protocol(session.protocol.version).message(f"{name}.Request")()
    for field, value in fields.items():
        if isinstance(value, dict) or value is None:
            getattr(message, field).msgpack = packed(spoken(session, value))
        else:
            setattr(message, field, value)
    return message


def packed(value: Any) -> bytes:
    return bytes(msgpack.packb(value, default=lambda _: msgpack.ExtType(0, b"\0")))


def bucket(**attributes: Any) -> dict[str, Any]:
    return {"display_name": None, "id": None, "rules": None, **attributes}


def spoken(session: Session, value: Any) -> Any:
    """A bucket as the session's major has it: rules are nested blocks in major 5, of which there are none, never a null."""
    unwritten = isinstance(value, dict) and "rules" in value and value["rules"] is None
    return {**value, "rules": []} if unwritten and session.protocol.version == 5 else value


def call(session: Session, name: str, **fields: Any) -> Call:
    message = request(session, name, **fields)
    made = row(session, name).call(message, session)
    made.native = Native(message.SerializeToString(), message)
    return made


def answer(session: Session, name: str, reply: Reply, made: Call) -> Any:
    """The response message, after a trip over the wire."""
    message = row(session, name).response(reply, made)
    return type(message).FromString(message.SerializeToString())


def unpacked(dynamic: Any) -> Any:
    return msgpack.unpackb(dynamic.msgpack, ext_hook=lambda code, data: UNKNOWN)


@pytest.mark.parametrize("service", SERVICES.values(), ids=lambda each: each.name)
def test_every_rpc_has_a_row_or_a_reason(service: Any) -> None:
    """No RPC of the descriptor is without a row, and no row without an RPC; a refused one says why."""
    assert service.methods.keys() == service.messages.keys()
    assert {name for name, each in service.methods.items() if each.reason} == REASONS.keys() & service.messages.keys()


def test_the_majors_are_one_table() -> None:
    """Each of major 5's rows is one of major 6's, under its own name, asking for the same."""
    five = protocol(5)
    for name, each in PROVIDER6.methods.items():
        other = PROVIDER5.methods.get(five.wire_name(name))
        if other is not None:
            assert (other.op, other.mutates, other.volatile, other.reason) == (
                each.op,
                each.mutates,
                each.volatile,
                each.reason,
            )
    assert len(PROVIDER5.methods) == 28


@pytest.mark.parametrize("service", SERVICES.values(), ids=lambda each: each.name)
def test_rows_name_fields_that_are_there(service: Any) -> None:
    """Each field that a row names is one of its messages, and each word of a call that it fills is one that calls have."""
    for name, each in service.methods.items():
        if each.reason:
            continue
        asked, answered, _ = service.messages[name]
        shape: Shape = each.reply.args[0]
        assert shape.of in ("", "provider", *NAMED), name
        assert shape.bags.keys() <= set(Call.__struct_fields__), name
        assert {*shape.bags.values(), shape.private} - {""} <= set(asked.DESCRIPTOR.fields_by_name), name
        told = {shape.value, shape.answer_private, shape.answer_identity} - {""}
        assert told <= set(answered.DESCRIPTOR.fields_by_name), name
        has_type = "type_name" in asked.DESCRIPTOR.fields_by_name or "target_type_name" in asked.DESCRIPTOR.fields_by_name
        assert (shape.of in NAMED) == has_type, name


def test_an_op_leads_to_the_row_that_serves_it() -> None:
    """Looking a row up by op gives one that is served, where there is one."""
    assert {op: PROVIDER6.by_op(op).name for op in (Op.CONFIGURE, Op.CHECK, Op.GET_SCHEMA, Op.CREATE, Op.INVOKE)} == {
        Op.CONFIGURE: "ConfigureProvider",
        Op.CHECK: "ValidateResourceConfig",
        Op.GET_SCHEMA: "GetProviderSchema",
        Op.CREATE: "ApplyResourceChange",
        Op.INVOKE: "ReadDataSource",
    }


@pytest.mark.parametrize("service", SERVICES.values(), ids=lambda each: each.name)
def test_refused_rows_still_translate(service: Any) -> None:
    """A row with a reason names its type and its op, so that a refusal and a journal can say what was asked."""
    for name, each in service.methods.items():
        if each.reason:
            made = each.call(service.messages[name][0](), Session("tfplugin6"))
            assert (made.op, made.method) == (each.op, name)
            assert each.response(Reply(), made) == service.messages[name][1]()
            assert each.request(made) == service.messages[name][0]()
            assert each.reply(service.messages[name][1](), made) == Reply()


def test_a_check_is_a_call_in_our_names(session: Session) -> None:
    """Validation asks for a check of the configuration, with token and property names, nulls left out, unknowns kept."""
    made = call(
        session,
        "ValidateResourceConfig",
        type_name="cloud_bucket",
        config=bucket(display_name=UNKNOWN, rules=[{"from_port": 1}, {"from_port": None}]),
    )
    assert (made.op, made.type, made.id) == (Op.CHECK, "cloud:index:Bucket", "")
    assert made.inputs == {"displayName": Unknown("string"), "rules": [{"fromPort": 1}, {}]}


def test_failures_point_at_their_attribute(session: Session) -> None:
    """A failure is an error diagnostic with the attribute's path, a warning a warning; paths that lead nowhere are left out."""
    made = call(session, "ValidateResourceConfig", type_name="cloud_bucket", config=bucket())
    failures = (
        Failure("bad port", "rules[1].fromPort", detail="It is odd."),
        Failure("bad", "what[ever"),
        Failure("bad", "x.y"),
    )
    found = answer(session, "ValidateResourceConfig", Reply(failures=failures, warnings=("careful",)), made).diagnostics
    assert [(each.severity, each.summary, each.detail) for each in found] == [
        (1, "bad port", "It is odd."),
        (1, "bad", ""),
        (1, "bad", ""),
        (2, "careful", ""),
    ]
    assert [str(getattr(step, step.WhichOneof("selector"))) for step in found[0].attribute.steps] == ["rules", "1", "from_port"]
    assert not any(each.HasField("attribute") for each in found[1:])


def test_a_failure_is_a_diagnostic_whatever_its_status(session: Session) -> None:
    """A failure that names the gRPC status of another protocol is a diagnostic here: engines show it with its resource."""
    made = call(session, "ReadResource", type_name="cloud_bucket", current_state=bucket(id="b-1"))
    said = row(session, "ReadResource").response(Reply(failures=(Failure("down", status="unavailable"),)), made)
    assert [each.summary for each in said.diagnostics] == ["down"]


def test_configure_makes_an_instance(session: Session) -> None:
    """Configuring tells the provider instance by its configuration, and not by the engine's version."""
    first = call(session, "ConfigureProvider", config={"region": "north"}, terraform_version="1.11.4")
    assert (first.op, first.inputs, first.extra) == (Op.CONFIGURE, {"region": "north"}, {"terraform_version": "1.11.4"})
    north = session.instance
    call(session, "ConfigureProvider", config={"region": "north"}, terraform_version="1.12.0")
    assert session.instance == north != ""
    call(session, "ConfigureProvider", config={"region": "south"}, terraform_version="1.12.0")
    assert session.instance != north
    assert answer(session, "ConfigureProvider", Reply(), first).diagnostics == []


def test_reads_say_what_exists(session: Session) -> None:
    """A read brings state, id and private bytes; its answer carries every attribute, or a null for what is gone."""
    made = call(
        session, "ReadResource", type_name="cloud_bucket", current_state=bucket(id="b-1", display_name="x"), private=b"p"
    )
    assert (made.op, made.id, made.prior, made.private) == (Op.READ, "b-1", {"displayName": "x"}, b"p")
    found = answer(session, "ReadResource", Reply(id="b-1", value={"displayName": "y"}, private=b"q"), made)
    assert (unpacked(found.new_state), found.private) == (spoken(session, bucket(id="b-1", display_name="y")), b"q")
    assert answer(session, "ReadResource", Reply(), made).new_state.msgpack == b"\xc0"


def test_plans_are_projected(session: Session) -> None:
    """The neutral plan becomes a planned state, and the paths of what needs a new object."""
    made = call(
        session,
        "PlanResourceChange",
        type_name="cloud_bucket",
        prior_state=bucket(id="b-1", display_name="x", rules=[{"from_port": 1}]),
        proposed_new_state=bucket(id="b-1", display_name="y", rules=[{"from_port": 2}]),
        config=bucket(display_name="y", rules=[{"from_port": 2}]),
        prior_private=b"p",
    )
    assert (made.op, made.id, made.private) == (Op.PLAN, "b-1", b"p")
    assert made.inputs == {"displayName": "y", "rules": [{"fromPort": 2}]}
    assert made.proposed == {"displayName": "y", "rules": [{"fromPort": 2}]}
    planned = {"displayName": "y", "rules": [{"fromPort": 2}]}
    kept = Plan(planned, (Change("displayName", ChangeKind.UPDATE),))
    found = answer(session, "PlanResourceChange", Reply(plan=kept, id="b-1", private=b"q"), made)
    assert unpacked(found.planned_state) == bucket(id="b-1", display_name="y", rules=[{"from_port": 2}])
    assert (found.planned_private, len(found.requires_replace)) == (b"q", 0)
    replaced = Plan(planned, (Change("rules[0].fromPort", ChangeKind.UPDATE, replaces=True),))
    found = answer(session, "PlanResourceChange", Reply(plan=replaced, id="b-1"), made)
    assert unpacked(found.planned_state)["id"] == UNKNOWN
    assert [step.WhichOneof("selector") for step in found.requires_replace[0].steps] == [
        "attribute_name",
        "element_key_int",
        "attribute_name",
    ]


def test_a_create_plans_an_unknown_id(session: Session) -> None:
    """What does not exist yet has no id to plan."""
    made = call(
        session, "PlanResourceChange", type_name="cloud_bucket", prior_state=None, proposed_new_state=bucket(), config=bucket()
    )
    assert (made.prior, made.inputs) == (None, {})
    found = answer(session, "PlanResourceChange", Reply(plan=Plan({})), made)
    assert unpacked(found.planned_state) == spoken(session, bucket(id=UNKNOWN))


def test_the_plan_of_a_destroy_is_null(session: Session) -> None:
    """Whatever the provider says, destroying plans to nothing; so does a plan that failed."""
    gone = call(
        session,
        "PlanResourceChange",
        type_name="cloud_bucket",
        prior_state=bucket(id="b-1"),
        proposed_new_state=None,
        config=None,
    )
    assert answer(session, "PlanResourceChange", Reply(plan=Plan({})), gone).planned_state.msgpack == b"\xc0"
    made = call(
        session, "PlanResourceChange", type_name="cloud_bucket", prior_state=None, proposed_new_state=bucket(), config=bucket()
    )
    failed = answer(session, "PlanResourceChange", Reply(failures=(Failure("no"),)), made)
    assert (failed.planned_state.msgpack, failed.diagnostics[0].summary) == (b"\xc0", "no")


@pytest.mark.parametrize(
    ("prior", "planned", "op"),
    [
        (None, bucket(display_name="x", id=UNKNOWN), Op.CREATE),
        (bucket(id="b-1"), bucket(id="b-1", display_name="x"), Op.UPDATE),
        (bucket(id="b-1"), None, Op.DELETE),
    ],
)
def test_nulls_tell_which_change_is_applied(session: Session, prior: Any, planned: Any, op: Op) -> None:
    """Apply is a create without prior state, a delete without planned state, and an update with both."""
    config = None if planned is None else bucket(display_name="x")
    made = call(
        session,
        "ApplyResourceChange",
        type_name="cloud_bucket",
        prior_state=prior,
        planned_state=planned,
        config=config,
        planned_private=b"p",
    )
    assert (made.op, made.private, made.id) == (op, b"p", "b-1" if prior else "")
    assert (made.prior is None, made.planned is None, made.inputs is None) == (prior is None, planned is None, config is None)


def test_a_half_made_object_is_an_error_with_a_state(session: Session) -> None:
    """Failures and a value at once are an error diagnostic beside the new state, which the engine taints."""
    made = call(
        session,
        "ApplyResourceChange",
        type_name="cloud_bucket",
        prior_state=None,
        planned_state=bucket(id=UNKNOWN),
        config=bucket(),
    )
    found = answer(session, "ApplyResourceChange", Reply(id="b-1", value={}, failures=(Failure("half"),)), made)
    assert (unpacked(found.new_state), found.diagnostics[0].summary) == (spoken(session, bucket(id="b-1")), "half")
    assert answer(session, "ApplyResourceChange", Reply(failures=(Failure("no"),)), made).new_state.msgpack == b"\xc0"


def test_states_are_upgraded_from_json(session: Session) -> None:
    """An upgrade brings the state file's JSON and its version; attributes of another age do not matter."""
    message = request(session, "UpgradeResourceState", type_name="cloud_bucket", version=2)
    message.raw_state.json = b'{"id": "b-1", "display_name": "x", "colour": "red"}'
    made = row(session, "UpgradeResourceState").call(message, session)
    assert (made.op, made.id, made.prior, made.stored) == (
        Op.UPGRADE,
        "b-1",
        {"displayName": "x"},
        StoredState({"id": "b-1", "display_name": "x", "colour": "red"}, version=2),
    )
    found = answer(session, "UpgradeResourceState", Reply(value=made.prior, id=made.id), made)
    assert unpacked(found.upgraded_state) == spoken(session, bucket(id="b-1", display_name="x"))
    message.raw_state.flatmap["id"] = "b-1"
    with pytest.raises(UnsupportedError, match=r"flat form from before Terraform 0.12"):
        row(session, "UpgradeResourceState").call(message, session)


def test_imports_find_by_id(session: Session) -> None:
    """An import names an id; what exists is one imported resource, what does not is an error that says so."""
    made = call(session, "ImportResourceState", type_name="cloud_bucket", id="b-1")
    assert (made.op, made.id, made.type) == (Op.IMPORT, "b-1", "cloud:index:Bucket")
    found = answer(session, "ImportResourceState", Reply(value={"displayName": "x"}, id="b-1", private=b"p"), made)
    (one,) = found.imported_resources
    expected = spoken(session, bucket(id="b-1", display_name="x"))
    assert (one.type_name, unpacked(one.state), one.private) == ("cloud_bucket", expected, b"p")
    none = answer(session, "ImportResourceState", Reply(), made)
    assert len(none.imported_resources) == 0
    assert none.diagnostics[0].detail == "There is no cloud_bucket with the id 'b-1'."


def test_data_sources_invoke_functions(session: Session) -> None:
    """Reading a data source invokes the function; its state is the arguments and the result."""
    made = call(session, "ReadDataSource", type_name="cloud_zone", config={"region": "north", "zone": None})
    assert (made.op, made.type, made.inputs) == (Op.INVOKE, "cloud:index:getZone", {"region": "north"})
    found = answer(session, "ReadDataSource", Reply(value={"zone": "zone-north"}), made)
    assert unpacked(found.state) == {"region": "north", "zone": "zone-north"}
    callable_ = call(session, "ReadDataSource", type_name="cloud_lookup", config={"key": "k", "result": None})
    found = answer(session, "ReadDataSource", Reply(value={"any": "thing"}), callable_)
    assert unpacked(found.state) == {"key": "k", "result": [b'["object",{"any":"string"}]', {"any": "thing"}]}
    failed = answer(session, "ReadDataSource", Reply(failures=(Failure("no", "region"),)), made)
    assert (failed.HasField("state"), failed.diagnostics[0].attribute.steps[0].attribute_name) == (False, "region")


def test_the_schema_is_the_packages(session: Session, major: int) -> None:
    """GetProviderSchema answers with the session's package; one without a package cannot."""
    made = call(session, "GetProviderSchema")
    found = answer(session, "GetProviderSchema", Reply(), made)
    assert set(found.resource_schemas) == {"cloud_bucket"}
    failed = answer(session, "GetProviderSchema", Reply(failures=(Failure("no"),), warnings=("hm",)), made)
    assert [each.summary for each in failed.diagnostics] == ["no", "hm"]
    bare = Session(f"tfplugin{major}")
    with pytest.raises(UnsupportedError, match="no package to describe"):
        row(bare, "GetProviderSchema").response(Reply(), call(bare, "GetProviderSchema"))


def test_a_checked_provider_configuration_comes_back(session: Session, major: int) -> None:
    """Major 5 answers with the configuration, as it was; major 6 has no place for it."""
    made = call(session, "ValidateProviderConfig", config={"region": "north"})
    found = answer(session, "ValidateProviderConfig", Reply(), made)
    if major == 5:
        assert unpacked(found.prepared_config) == {"region": "north"}
    else:
        assert found.ByteSize() == 0


def test_identity_schemas_are_none(session: Session) -> None:
    """An engine that asks for identities is told that there are none, which is no error."""
    made = call(session, "GetResourceIdentitySchemas")
    assert answer(session, "GetResourceIdentitySchemas", Reply(), made).ByteSize() == 0


def test_stop_is_a_cancel(session: Session) -> None:
    """Stop asks for a cancel, and what went wrong is its text."""
    made = call(session, "StopProvider")
    assert made.op is Op.CANCEL
    message = answer(session, "StopProvider", Reply(failures=(Failure("busy"),)), made)
    assert message.Error == "busy"
    assert row(session, "StopProvider").reply(message, made).failures == (Failure("busy"),)
    assert row(session, "StopProvider").reply(type(message)(), made).ok


def test_undeclared_types_are_refused(session: Session) -> None:
    """A request for a type that nobody declared is an error with the nearest that somebody did."""
    with pytest.raises(MalformedError, match=r"Did you mean 'cloud_bucket'"):
        call(session, "ReadResource", type_name="cloud_bukket", current_state=None)


REQUESTS = {
    "ValidateProviderConfig": {"config": {"region": "x"}},
    "ConfigureProvider": {"config": {"region": None}, "terraform_version": "1.11.4"},
    "ValidateResourceConfig": {"type_name": "cloud_bucket", "config": bucket(display_name=UNKNOWN)},
    "ValidateDataResourceConfig": {"type_name": "cloud_zone", "config": {"region": "x", "zone": None}},
    "ReadResource": {"type_name": "cloud_bucket", "current_state": bucket(id="b"), "private": b"p"},
    "PlanResourceChange": {
        "type_name": "cloud_bucket",
        "prior_state": None,
        "proposed_new_state": bucket(display_name="x"),
        "config": bucket(display_name="x"),
        "prior_private": b"p",
    },
    "ApplyResourceChange": {
        "type_name": "cloud_bucket",
        "prior_state": bucket(id="b"),
        "planned_state": None,
        "config": None,
        "planned_private": b"p",
    },
    "ImportResourceState": {"type_name": "cloud_bucket", "id": "b"},
    "ReadDataSource": {"type_name": "cloud_zone", "config": {"region": "x", "zone": None}},
    "GetProviderSchema": {},
    "StopProvider": {},
}


@pytest.mark.parametrize("known", [True, False], ids=["schema", "generic"])
@pytest.mark.parametrize("name", REQUESTS)
def test_a_call_makes_the_request_that_made_it(session: Session, name: str, *, known: bool) -> None:
    """Requests survive being turned into calls and back, with a schema and, in Terraform's own names, without one."""
    if not known:
        session.schema = None
    message = request(session, name, **REQUESTS[name])
    each = row(session, name)
    again: Any = each.request(each.call(message, session))
    if name in ("PlanResourceChange", "ApplyResourceChange", "ReadResource") and known:
        # The id is beside the bags here, so that planned and proposed objects get it too.
        assert each.call(again, session) == each.call(message, session)
    else:
        assert again == message


def test_an_upgrade_makes_the_request_that_made_it(session: Session) -> None:
    """An upgrade's request comes back equal as JSON, with a schema and without."""
    message = request(session, "UpgradeResourceState", type_name="cloud_bucket", version=1)
    message.raw_state.json = b'{"id": "b-1", "display_name": "x", "rules": null}'
    each = row(session, "UpgradeResourceState")
    for schema in (session.schema, None):
        session.schema = schema
        made = each.call(message, session)
        assert each.call(each.request(made), session) == made


def test_a_reply_makes_the_answer_that_made_it(session: Session) -> None:
    """Answers survive being turned into replies: values, plans, private bytes, diagnostics with their paths."""
    made = call(session, "ReadResource", type_name="cloud_bucket", current_state=bucket(id="b-1"))
    reply = Reply(
        value={"displayName": "x"},
        id="b-1",
        failures=(Failure("bad", "rules[0].fromPort", detail="d"),),
        warnings=("careful",),
        private=b"p",
    )
    assert row(session, "ReadResource").reply(answer(session, "ReadResource", reply, made), made) == reply
    imported = call(session, "ImportResourceState", type_name="cloud_bucket", id="b-1")
    for each in (Reply(value={}, id="b-1", private=b"p"), Reply(failures=(Failure("no"),))):
        assert (
            row(session, "ImportResourceState").reply(answer(session, "ImportResourceState", each, imported), imported) == each
        )


def test_a_planned_state_is_read_as_a_neutral_plan(session: Session) -> None:
    """What differs between prior and planned state are the plan's changes, and replaced paths say so, also deep ones."""
    made = call(
        session,
        "PlanResourceChange",
        type_name="cloud_bucket",
        prior_state=bucket(id="b-1", display_name="x", rules=[{"from_port": 1}]),
        proposed_new_state=bucket(),
        config=bucket(),
    )
    changes = (
        Change("displayName", ChangeKind.DELETE, replaces=True),
        Change("rules", ChangeKind.UPDATE),
        Change("rules[0].fromPort", ChangeKind.UPDATE, replaces=True),
    )
    plan = Plan({"rules": [{"fromPort": 2}]}, changes)
    message = answer(session, "PlanResourceChange", unchecked(Reply(plan=plan, id="b-1")), made)
    assert row(session, "PlanResourceChange").reply(message, made).plan == plan
    failed = answer(session, "PlanResourceChange", Reply(failures=(Failure("no"),)), made)
    assert row(session, "PlanResourceChange").reply(failed, made) == Reply(failures=(Failure("no"),))
