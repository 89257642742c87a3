"""What engines would refuse is caught first: the rules of plans, of results, and of all other answers."""

from __future__ import annotations

from typing import Any

import pytest

from mockprovider.calls import Call, Change, ChangeKind, Failure, Native, Op, Plan, Reply, Session
from mockprovider.errors import ContractError
from mockprovider.layers import send_as_is, stack
from mockprovider.offers import Ephemeral
from mockprovider.schema import Function, Kind, Package, Property, ResourceType
from mockprovider.terraform import ResourceTraits
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.rpcs.conformance import checked
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.rpcs.requests import schema_of
from mockprovider.values import UNKNOWN

RULE = Kind("object", properties={"port": Property(int), "label": Property(str)})
THING = ResourceType(
    "cloud:index:Thing",
    {
        "name": Property(str),
        "secret": Property(str, secret=True),
        "tags": Property(dict[str, str]),
        "kinds": Property(set[str]),
        "any": Property("any"),
        "note": Property(str, computed=True, optional=True),
        "made": Property(str, computed=True),
        "hidden": Property(str, write_only=True),
        "main": Property(RULE),
        "rules": Property(Kind("array", items=RULE)),
        "named": Property(Kind("map", items=RULE)),
        "spots": Property(Kind("set", items=RULE)),
    },
)
ZONE = Function("cloud:index:getZone", {"region": Property(str)}, {"zone": "zone-{region}"})
TOKEN = Ephemeral("cloud:index:Token", {"user": Property(str)}, {"secret": "s"})


@pytest.fixture(params=sorted(SERVICES))
def session(request: pytest.FixtureRequest) -> Session:
    """A session over each major, whose package is known."""
    opened = Session(f"tfplugin{request.param}")
    opened.schema = Package("cloud")
    opened.schema.add(THING, ZONE, TOKEN)
    return opened


def respond(session: Session, rpc: str, reply: Reply, name: str = "cloud_thing", typed: str = "type_name", **bags: Any) -> Any:
    """The answer to a request with these objects, in property names; raises what the check raises."""
    major = session.protocol.version
    proto = protocol(major)
    schema = schema_of(session)
    assert schema is not None
    coder = {"ReadDataSource": schema.data_source, "OpenEphemeralResource": schema.ephemeral}.get(rpc, schema.resource)(name)
    message: Any = proto.message(f"{rpc}.Request")(**{typed: name})
    for field, bag in bags.items():
        getattr(message, field).msgpack = coder.encode(bag, "t-1")
    row = SERVICES[major].methods[proto.wire_name(rpc)]
    call: Call = row.call(message, session)
    call.native = Native(message.SerializeToString(), message)
    return row.response(reply, call)


def planning(session: Session, config: Any, planned: Any, prior: Any = None, changes: tuple[Change, ...] = ()) -> Any:
    return respond(
        session,
        "PlanResourceChange",
        Reply(plan=Plan(planned, changes), id="t-1"),
        prior_state=prior,
        proposed_new_state=config,
        config=config,
    )


def applying(session: Session, planned: Any, made: Any, **fields: Any) -> Any:
    return respond(
        session,
        "ApplyResourceChange",
        Reply(value=made, id="t-1", **fields),
        prior_state=None,
        planned_state=planned,
        config=planned,
    )


def test_plans_that_are_right(session: Session) -> None:
    """What is configured, what was there before, and anything for what is computed: all of that may be planned."""
    blocks = {"main": {"port": 1}, "rules": [{"port": 1}], "named": {"a": {"port": 1}}, "spots": [{"port": 1}, {"port": 2}]}
    planning(session, {"name": "a", **blocks}, {"name": "a", "made": UNKNOWN, "note": "x", **blocks})
    planning(session, {"name": "A"}, {"name": "a", "made": "x"}, prior={"name": "a", "made": "y"})
    planning(session, {"kinds": ["b", "a"]}, {"kinds": ["a", "b"]})
    planning(session, {"name": UNKNOWN}, {"name": UNKNOWN})
    planning(session, {"any": {"a": [1]}}, {"any": {"a": [1]}})


@pytest.mark.parametrize(
    ("config", "planned", "told"),
    [
        ({"name": "a"}, {"name": "b"}, "cloud_thing.name: .* 'b' is planned, which is not what is configured, 'a'"),
        ({"name": "a"}, {"name": UNKNOWN}, "cloud_thing.name: .* an unknown value is planned"),
        ({}, {"name": "b"}, "cloud_thing.name: .* 'b' is planned for an attribute that is neither configured nor computed"),
        ({}, {"secret": "b"}, "cloud_thing.secret: .* a sensitive value is planned"),
        ({"note": "a"}, {"note": "b"}, "cloud_thing.note"),
        ({"tags": {"a": "b"}}, {"tags": {}}, "cloud_thing.tags"),
        ({"kinds": ["a"]}, {"kinds": ["b"]}, "cloud_thing.kinds"),
        ({"any": [1]}, {"any": [2]}, "cloud_thing.any"),
        ({"main": {"port": 1}}, {"main": {"port": 2}}, "cloud_thing.main.port"),
        ({"main": {"port": 1}}, {}, "cloud_thing.main: .* planned"),
        ({"rules": [{"port": 1}]}, {"rules": [{"port": 2}]}, r"cloud_thing.rules\[0\].port"),
        ({"rules": [{"port": 1}]}, {"rules": [{"port": 1}, {}]}, "cloud_thing.rules: .* 2 are planned, and 1 is configured"),
        ({"named": {"a": {}}}, {"named": {"b": {}}}, "cloud_thing.named: .* their number never changes"),
        ({"named": {"a": {"port": 1}}}, {"named": {"a": {"port": 2}}}, r'cloud_thing.named\["a"\].port'),
        ({"rules": [{"port": 1}]}, {"rules": UNKNOWN}, "cloud_thing.rules"),
        ({"rules": [{"port": 1}]}, {"rules": [UNKNOWN]}, r"cloud_thing.rules\[0\]: .* unknown"),
        ({"spots": [{"port": 1}]}, {"spots": UNKNOWN}, "cloud_thing.spots"),
        ({"rules": UNKNOWN}, {"rules": [{"port": 1}]}, "cloud_thing.rules"),
    ],
)
def test_plans_that_engines_refuse(session: Session, config: Any, planned: Any, told: str) -> None:
    """A plan that is not what is configured is an error that names type, path and rule, and no sensitive value."""
    with pytest.raises(ContractError, match=f"(?s){told}"):
        planning(session, config, planned)


def test_sets_of_objects_are_trusted_but_counted(session: Session) -> None:
    """Which element of a set became which nobody can say; nested attributes may not become more than are configured."""
    planning(session, {"spots": [{"port": 1}]}, {"spots": [{"port": 2}]})
    grown = {"spots": [{"port": 1}, {"port": 2}]}
    if session.protocol.version == 5:
        planning(session, {"spots": [{"port": 1}]}, grown)
    else:
        with pytest.raises(ContractError, match="2 elements are planned, and 1 are configured"):
            planning(session, {"spots": [{"port": 1}]}, grown)


def test_a_replacement_names_a_path_that_exists(session: Session) -> None:
    """What needs a new object is something that the object has, before or after."""
    changes = tuple(Change(path, ChangeKind.UPDATE, replaces=True) for path in ("rules[0].port", "name"))
    planning(session, {"rules": [{"port": 1}]}, {"rules": [{"port": 1}]}, changes=changes)
    with pytest.raises(ContractError, match="because of a path that is not there"):
        planning(
            session, {"rules": [{"port": 1}]}, {"rules": [{"port": 1}]}, changes=(Change("rules[3]", ChangeKind.UPDATE, True),)
        )


def test_a_failed_plan_is_not_looked_at(session: Session) -> None:
    """An engine stops at the provider's own error, and so does the check."""
    bags = {"prior_state": None, "proposed_new_state": {"name": "a"}, "config": {"name": "a"}}
    respond(session, "PlanResourceChange", Reply(failures=(Failure("no"),)), **bags)
    destroy = {"prior_state": {"name": "a"}, "proposed_new_state": None, "config": None}
    respond(session, "PlanResourceChange", Reply(plan=Plan({"name": "a"})), **destroy)


def test_an_answer_that_is_put_off(session: Session) -> None:
    """Deferral is refused where the engine does not allow it."""
    bags = {"prior_state": None, "proposed_new_state": {"name": "a"}, "config": {"name": "a"}}
    with pytest.raises(ContractError, match="it is put off"):
        respond(session, "PlanResourceChange", Reply(plan=Plan({"name": "a"}), extra={"deferred": 1}), **bags)


def test_results_that_are_right(session: Session) -> None:
    """Known values as they were planned, and any for those that were unknown."""
    known = {"name": "a", "any": [1, {"b": None}], "spots": [{"port": 1}, {"port": 2}], "rules": [{"port": 1}]}
    applying(session, {**known, "made": UNKNOWN}, {**known, "made": "x"})
    applying(session, {"spots": [{"label": UNKNOWN}]}, {"spots": [{"label": "x"}]})
    applying(session, {"kinds": ["a", "b"]}, {"kinds": ["b", "a"]})


@pytest.mark.parametrize(
    ("planned", "made", "told"),
    [
        ({"name": "a"}, {"name": "b"}, "cloud_thing.name: .* 'a' was planned, and now it is 'b'"),
        ({"name": "a"}, {}, "cloud_thing.name: .* 'a' was planned, and now it is null"),
        ({}, {"name": "b"}, "cloud_thing.name: .* null was planned, and now it is 'b'"),
        ({"secret": "a"}, {"secret": "b"}, "cloud_thing.secret: .* another sensitive value"),
        ({"tags": {"a": "b"}}, {"tags": {}}, "cloud_thing.tags.a: .* has vanished"),
        ({"tags": {}}, {"tags": {"a": "b"}}, "cloud_thing.tags.a: .* has appeared"),
        ({"kinds": ["a"]}, {"kinds": ["b"]}, "cloud_thing.kinds: .* an element that was planned is not there"),
        ({"kinds": ["a"]}, {"kinds": ["a", "b"]}, "cloud_thing.kinds: .* an element is there that was not planned"),
        ({"rules": [{"port": 1}]}, {"rules": [{"port": 1}, {}]}, "cloud_thing.rules: .* 1 .* planned, and now there are 2"),
        ({"rules": [{"port": 1}]}, {"rules": [{"port": 2}]}, r"cloud_thing.rules\[0\].port"),
        ({"named": {"a": {}}}, {"named": {}}, "cloud_thing.named"),
        ({"main": {"port": 1}}, {}, "cloud_thing.main"),
        ({"spots": [{"port": 1}]}, {"spots": [{"port": 2}]}, "cloud_thing.spots"),
        ({"made": UNKNOWN}, {"made": UNKNOWN}, "cloud_thing.made: .* it is unknown"),
        ({"name": "a"}, None, "now absent"),
    ],
)
def test_results_that_engines_refuse(session: Session, planned: Any, made: Any, told: str) -> None:
    """A result that is not what was planned is an error that names type, path and rule, and no sensitive value."""
    with pytest.raises(ContractError, match=f"(?s){told}"):
        applying(session, planned, made)


def test_a_failed_apply_may_have_done_anything(session: Session) -> None:
    """Beside an error another value, or none, is right; an unknown one is not."""
    applying(session, {"name": "a"}, {"name": "b"}, failures=(Failure("half"),))
    applying(session, {"name": "a"}, None, failures=(Failure("no"),))
    with pytest.raises(ContractError, match="it is unknown"):
        applying(session, {"name": "a"}, {"name": UNKNOWN}, failures=(Failure("half"),))


def test_a_delete_leaves_nothing(session: Session) -> None:
    """The result of a delete is null."""
    bags = {"prior_state": {"name": "a"}, "planned_state": None, "config": None}
    respond(session, "ApplyResourceChange", Reply(), **bags)
    with pytest.raises(ContractError, match="planned to be absent"):
        respond(session, "ApplyResourceChange", Reply(id="t-1", value={"name": "a"}), **bags)


def test_states_are_known(session: Session) -> None:
    """Nothing that is read, upgraded or asked for is unknown, and data is there or fails."""
    with pytest.raises(ContractError, match=r"cloud_thing.made: this answer to ReadResource breaks the contract"):
        respond(session, "ReadResource", Reply(id="t-1", value={"made": UNKNOWN}), current_state={"name": "a"})
    with pytest.raises(ContractError, match=r"cloud_thing.made: .* unknown"):
        respond(session, "ImportResourceState", Reply(id="t-1", value={"made": UNKNOWN}))
    with pytest.raises(ContractError, match=r"cloud_thing.made: this answer to UpgradeResourceState breaks the contract"):
        respond(session, "UpgradeResourceState", Reply(id="t-1", value={"made": UNKNOWN}))
    with pytest.raises(ContractError, match=r"made: this answer to MoveResourceState breaks the contract"):
        respond(session, "MoveResourceState", Reply(id="t-1", value={"made": UNKNOWN}), typed="target_type_name")
    with pytest.raises(ContractError, match=r"cloud_zone.zone: .* unknown"):
        respond(session, "ReadDataSource", Reply(value={"zone": UNKNOWN}), "cloud_zone", config={"region": "a"})
    with pytest.raises(ContractError, match=r"cloud_zone: .* no object, and no error"):
        respond(session, "ReadDataSource", Reply(), "cloud_zone", config={"region": "a"})
    with pytest.raises(ContractError, match=r"cloud_token.user"):
        respond(session, "OpenEphemeralResource", Reply(value={"user": "b"}), "cloud_token", config={"user": "a"})


def test_the_old_type_system_is_forgiven(session: Session) -> None:
    """With the legacy type system engines only log wrong plans and results, so they are no errors."""
    from msgspec.structs import replace  # noqa: PLC0415 - of no use elsewhere

    session.schema.add(replace(THING, traits=[ResourceTraits(legacy_type_system=True)]))
    assert planning(session, {"name": "a"}, {"name": "b"}).legacy_type_system
    assert applying(session, {"name": "a"}, {"name": "b"}).legacy_type_system


def test_what_is_written_only_is_never_told(session: Session) -> None:
    """A write-only value reaches the provider, and is in no answer."""
    assert b"secret!" not in planning(session, {"hidden": "secret!"}, {"hidden": "secret!"}).planned_state.msgpack
    assert b"secret!" not in applying(session, {}, {"hidden": "secret!"}).new_state.msgpack


def test_wrong_answers_may_be_sent_on_purpose(session: Session) -> None:
    """Behind the layer that says so, and with a reply that says so, nothing is checked."""
    handler = stack([send_as_is], lambda _: Reply(value={"name": "b"}, id="t-1"))
    reply = handler(Call(op=Op.CREATE, session=session))
    assert applying(session, {"name": "a"}, {"name": "b"}, unchecked=reply.unchecked).new_state.msgpack


def judged(session: Session, rpc: str, asked: dict[str, Any], answered: dict[str, Any]) -> str:
    """What is said of an answer of any making, as it is on the wire; nothing of one that conforms."""
    schema = schema_of(session)
    assert schema is not None
    coder = {"ReadDataSource": schema.data_source, "OpenEphemeralResource": schema.ephemeral}.get(rpc, schema.resource)
    name = {"ReadDataSource": "cloud_zone", "OpenEphemeralResource": "cloud_token"}.get(rpc, "cloud_thing")
    proto = protocol(session.protocol.version)
    request, message = proto.message(f"{rpc}.Request")(), proto.message(f"{rpc}.Response")()
    request_name = "target_type_name" if rpc == "MoveResourceState" else "type_name"
    for part, fields in ((request, {request_name: name, **asked}), (message, answered)):
        for field, value in fields.items():
            fill(part, field, value, coder(name))
    row = SERVICES[session.protocol.version].methods[rpc]
    call = row.call(request, session)
    call.native = Native(request.SerializeToString(), request)
    _, shape, cls = row.response.args  # type: ignore[attr-defined]
    try:
        assert checked(lambda *_: message, shape, cls, Reply(), call) is message
    except ContractError as error:
        return str(error).partition(". Mend")[0]
    return ""


def fill(message: Any, field: str, value: Any, coder: Any) -> None:
    """Set a field: paths, diagnostics and imported objects by what is in them, bags as they travel."""
    if field == "requires_replace":
        for steps in value:
            path = message.requires_replace.add()
            for step in steps:
                path.steps.add(**{"element_key_int" if isinstance(step, int) else "attribute_name": step})
    elif field == "imported_resources":
        for bag in value:
            message.imported_resources.add(type_name=coder.name).state.msgpack = coder.encode(bag, "t-1")
    elif field == "severity":
        message.diagnostics.add(severity=value, summary="no")
    elif isinstance(value, dict) and field.startswith(("client", "deferred")):
        getattr(message, field).SetInParent()
        for inner, flag in value.items():
            setattr(getattr(message, field), inner, flag)
    elif isinstance(value, (dict, type(None))):
        getattr(message, field).msgpack = coder.encode(value, "t-1")
    else:
        setattr(message, field, value)


A, B = {"name": "a"}, {"name": "b"}
NEW = {"prior_state": None, "config": A}
GONE = {"prior_state": A, "config": None}
LISTED = {"rules": [{"port": 1}], "tags": {"x": "y"}}
ERROR, WARNING = 1, 2


@pytest.mark.parametrize(
    ("rpc", "asked", "answered", "refused"),
    [
        ("PlanResourceChange", NEW, {"planned_state": A}, ""),
        ("PlanResourceChange", NEW, {"planned_state": B}, "cloud_thing.name: 'b' is planned"),
        ("PlanResourceChange", NEW, {}, "cloud_thing: it is configured, and planned for absence"),
        ("PlanResourceChange", NEW, {"planned_state": B, "severity": ERROR}, ""),
        ("PlanResourceChange", NEW, {"planned_state": B, "severity": WARNING}, "cloud_thing.name: 'b' is planned"),
        ("PlanResourceChange", NEW, {"planned_state": {**A, "hidden": "x"}}, "cloud_thing.hidden: a write-only attribute"),
        # What an old SDK gets wrong is forgiven, but for what it plans instead of nothing.
        ("PlanResourceChange", NEW, {"planned_state": B, "legacy_type_system": True}, ""),
        ("PlanResourceChange", GONE, {"planned_state": None, "legacy_type_system": True}, ""),
        ("PlanResourceChange", GONE, {"planned_state": A, "legacy_type_system": True}, "cloud_thing: nothing is configured"),
        # A replacement is asked for because of what was there, or will be.
        (
            "PlanResourceChange",
            {"prior_state": LISTED, "config": {}},
            {"planned_state": {}, "requires_replace": [("rules", 0, "port"), ("tags", "x"), ("name",), ()]},
            "",
        ),
        (
            "PlanResourceChange",
            {"prior_state": None, "config": LISTED},
            {"planned_state": LISTED, "requires_replace": [("rules", 0, "port")]},
            "",
        ),
        (
            "PlanResourceChange",
            {"prior_state": {}, "config": LISTED},
            {"planned_state": LISTED, "requires_replace": [("rules", 1)]},
            "cloud_thing.rules.1: a replacement is asked for",
        ),
        (
            "PlanResourceChange",
            NEW,
            {"planned_state": A, "requires_replace": [("nobody",)]},
            "cloud_thing.nobody: a replacement",
        ),
        (
            "PlanResourceChange",
            NEW,
            {"planned_state": A, "requires_replace": [("name", "x")]},
            "cloud_thing.name.x: a replacement",
        ),
        # Deferral.
        ("PlanResourceChange", NEW, {"planned_state": A, "deferred": {}}, "cloud_thing: it is put off"),
        (
            "PlanResourceChange",
            {**NEW, "client_capabilities": {"deferral_allowed": True}},
            {"planned_state": A, "deferred": {}},
            "",
        ),
        ("PlanResourceChange", NEW, {"planned_state": A, "deferred": {}, "severity": ERROR}, ""),
        ("ReadResource", {}, {"new_state": A, "deferred": {}}, "cloud_thing: it is put off"),
        # An apply keeps what was planned; a failed one keeps nothing, and is known all the same.
        ("ApplyResourceChange", {"planned_state": A}, {"new_state": A}, ""),
        ("ApplyResourceChange", {"planned_state": A}, {"new_state": B}, "cloud_thing.name: 'a' was planned"),
        ("ApplyResourceChange", {"planned_state": A}, {}, "cloud_thing: it was planned, and is now absent"),
        ("ApplyResourceChange", {"planned_state": A}, {"new_state": B, "severity": ERROR}, ""),
        ("ApplyResourceChange", {"planned_state": A}, {"new_state": B, "legacy_type_system": True}, ""),
        (
            "ApplyResourceChange",
            {"planned_state": A},
            {"new_state": {"name": UNKNOWN}, "legacy_type_system": True},
            "cloud_thing.name: it is unknown",
        ),
        (
            "ApplyResourceChange",
            {"planned_state": A},
            {"new_state": {**A, "hidden": "x"}, "severity": ERROR},
            "cloud_thing.hidden: a write-only attribute",
        ),
        # All other states.
        ("ReadResource", {"current_state": A}, {"new_state": B}, ""),
        ("ReadResource", {"current_state": A}, {}, ""),
        ("ReadResource", {}, {"new_state": {"made": UNKNOWN}}, "cloud_thing.made: it is unknown"),
        ("ReadResource", {}, {"new_state": {"hidden": "x"}}, "cloud_thing.hidden: a write-only attribute"),
        ("UpgradeResourceState", {}, {"upgraded_state": {"hidden": "x"}}, "cloud_thing.hidden: a write-only attribute"),
        ("MoveResourceState", {}, {"target_state": {"hidden": "x"}}, "cloud:index:Thing.hidden: a write-only attribute"),
        ("ImportResourceState", {}, {"imported_resources": [A, B]}, ""),
        ("ImportResourceState", {}, {"imported_resources": [A, {"made": UNKNOWN}]}, "cloud_thing.made: it is unknown"),
        ("ReadDataSource", {"config": {}}, {"state": {}}, ""),
        ("ReadDataSource", {"config": {}}, {}, "cloud_zone: there is no object, and no error that says why"),
        ("ReadDataSource", {"config": {}}, {"severity": ERROR}, ""),
        ("ReadDataSource", {"config": {}}, {"state": {"zone": UNKNOWN}}, "cloud_zone.zone: it is unknown"),
        ("OpenEphemeralResource", {"config": {"user": "a"}}, {"result": {"user": "a", "secret": "s"}}, ""),
        ("OpenEphemeralResource", {"config": {"user": "a"}}, {"result": {"user": "b"}}, "cloud_token.user: 'b' is planned"),
        ("OpenEphemeralResource", {"config": {"user": "a"}}, {"result": {"user": "b"}, "severity": ERROR}, ""),
    ],
)
def test_what_engines_look_at(
    session: Session, rpc: str, asked: dict[str, Any], answered: dict[str, Any], refused: str
) -> None:
    """Each kind of answer has its own rules; an error beside it, the old type system and deferral each lift some of them."""
    said = judged(session, rpc, asked, answered)
    problem = f"this answer to {rpc} breaks the contract: "
    assert said.replace(problem, "").startswith(refused)
    assert bool(said) == bool(refused)
    assert not said or problem in said


def test_calls_of_python_and_answers_without_a_schema_are_not_judged(session: Session) -> None:
    """Only what answers an engine's own message is judged, and only where the type's schema is known."""
    major = session.protocol.version
    _, shape, cls = SERVICES[major].methods["ReadResource"].response.args  # type: ignore[attr-defined]
    schema = schema_of(session)
    assert schema is not None
    message: Any = cls()
    message.new_state.msgpack = schema.resource("cloud_thing").encode({"made": UNKNOWN}, "t-1")
    call = Call(op=Op.READ, session=session, method="ReadResource", type="cloud_thing")
    assert checked(lambda *_: message, shape, cls, Reply(), call) is message
    call.native = Native(b"", protocol(major).message("ReadResource.Request")())
    with pytest.raises(ContractError):
        checked(lambda *_: message, shape, cls, Reply(), call)
    call.session = Session(session.protocol.name)
    assert checked(lambda *_: message, shape, cls, Reply(), call) is message
