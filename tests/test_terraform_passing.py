"""Functions, ephemeral resources, identities, moves and imports as messages: both ways, over both majors."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest

from mockprovider.calls import Call, Failure, Native, Op, Reply, Session
from mockprovider.errors import DefinitionError, MalformedError
from mockprovider.offers import Ephemeral, ProviderFunction
from mockprovider.schema import Kind, Package, Property, ResourceType
from mockprovider.terraform import ResourceTraits
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.rpcs.beyond import REASONS
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.rpcs.requests import schema_of
from mockprovider.terraform.schema.provider import ProviderSchema
from mockprovider.values import Unknown
from mockprovider.wire.methods import RpcMethod

THING = ResourceType(
    "cloud:index:Thing",
    {"accountId": Property(str), "made": Property(str, computed=True)},
    traits=[ResourceTraits(version=2, upgrades={0: dict}, identity=("id", "accountId"))],
    moved_from=("cloud_old",),
)
JOIN = ProviderFunction(
    "cloud:index:joinAll",
    {"theSeparator": str, "parts": Property("any")},
    variadic="parts",
    nullable=("theSeparator",),
    unknowns=("parts",),
    returns=list[str],
    description="Joins.",
)
ONE = ProviderFunction("cloud:index:one", {"a": str})
TOKEN = Ephemeral("cloud:index:Token", {"userName": Property(str)}, {"secretKey": "s"}, renew_after=30)


@pytest.fixture(params=sorted(SERVICES))
def session(request: pytest.FixtureRequest) -> Session:
    """A session over each major, whose package is known."""
    opened = Session(f"tfplugin{request.param}")
    opened.schema = Package("cloud")
    opened.schema.add(THING, JOIN, ONE, TOKEN, ResourceType("cloud:index:Plain", {"a": str}))
    return opened


def row(session: Session, rpc: str) -> RpcMethod:
    major = session.protocol.version
    return SERVICES[major].methods[protocol(major).wire_name(rpc)]


def message(session: Session, name: str, /, **fields: Any) -> Any:
    return protocol(session.protocol.version).message(name)(**fields)


def asked(session: Session, rpc: str, request: Any) -> Call:
    made = row(session, rpc).call(request, session)
    made.native = Native(request.SerializeToString(), request)
    return made


def answered(session: Session, rpc: str, reply: Reply, call: Call) -> Any:
    found: Any = row(session, rpc).response(reply, call)
    return type(found).FromString(found.SerializeToString())


def packed(value: Any) -> bytes:
    return bytes(msgpack.packb(value))


def test_the_schema_tells_of_everything(session: Session) -> None:
    """Functions with their parameters, ephemeral resources, identities and the capability to move are in the schema."""
    schema: Any = schema_of(session).message()  # type: ignore[union-attr]
    join = schema.functions["join_all"]
    assert [(each.name, each.type, each.allow_null_value) for each in join.parameters] == [("the_separator", b'"string"', True)]
    assert (join.variadic_parameter.type, join.variadic_parameter.allow_unknown_values) == (b'"dynamic"', True)
    assert getattr(join, "return").type == b'["list","string"]'
    block = schema.ephemeral_resource_schemas["cloud_token"].block
    assert [(each.name, each.computed) for each in block.attributes] == [("secret_key", True), ("user_name", False)]
    assert schema.server_capabilities.move_resource_state
    call = asked(session, "GetResourceIdentitySchemas", message(session, "GetResourceIdentitySchemas.Request"))
    found = answered(session, "GetResourceIdentitySchemas", Reply(), call).identity_schemas
    assert list(found) == ["cloud_thing"]
    assert {each.name: each.required_for_import for each in found["cloud_thing"].identity_attributes} == {
        "id": True,
        "account_id": True,
    }
    call = asked(session, "GetFunctions", message(session, "GetFunctions.Request"))
    assert sorted(answered(session, "GetFunctions", Reply(), call).functions) == ["join_all", "one"]


def test_metadata_is_the_schema_without_schemas(session: Session) -> None:
    """What there is by name, and the capabilities."""
    call = asked(session, "GetMetadata", message(session, "GetMetadata.Request"))
    found = answered(session, "GetMetadata", Reply(), call)
    assert [each.type_name for each in found.resources] == ["cloud_plain", "cloud_thing"]
    assert [each.type_name for each in found.ephemeral_resources] == ["cloud_token"]
    assert [each.name for each in found.functions] == ["join_all", "one"]
    assert found.server_capabilities.plan_destroy


def test_functions_both_ways(session: Session) -> None:
    """A call's arguments go by parameter, all further ones to the variadic one, and back to the same message."""
    request = message(session, "CallFunction.Request", name="join_all")
    for each in (packed("-"), packed([b'"string"', "a"]), packed([b'"number"', 1])):
        request.arguments.add(msgpack=each)
    call = asked(session, "CallFunction", request)
    assert (call.op, call.type, call.inputs) == (Op.FUNCTION, JOIN.token, {"theSeparator": "-", "parts": ["a", 1]})
    assert row(session, "CallFunction").request(call) == request
    found = answered(session, "CallFunction", Reply(value={"result": ["a"]}), call)
    assert msgpack.unpackb(found.result.msgpack) == ["a"]
    assert row(session, "CallFunction").reply(found, call) == Reply(value={"result": ["a"]})


def test_a_functions_failure_names_its_argument(session: Session) -> None:
    """A failure's path is the number of the argument, and the way back; one that leads nowhere is left out."""
    request = message(session, "CallFunction.Request", name="join_all")
    request.arguments.add(msgpack=packed("-"))
    call = asked(session, "CallFunction", request)
    for path, index in (("theSeparator", 0), ("parts", 1), ("parts[2]", 3)):
        found = answered(session, "CallFunction", Reply(failures=(Failure("no", path, detail="why"),)), call)
        assert (found.error.text, found.error.function_argument) == ("no: why", index)
        expected = "parts[0]" if path == "parts" else path
        assert row(session, "CallFunction").reply(found, call).failures == (Failure("no: why", expected),)
    found = answered(session, "CallFunction", Reply(failures=(Failure("no", "elsewhere"),)), call)
    assert not found.error.HasField("function_argument")


@pytest.mark.parametrize(
    ("name", "count", "told"),
    [("one", 2, "one takes 1 arguments, these are 2"), ("join_all", 0, "takes 1"), ("on", 0, "Did you mean 'one'?")],
)
def test_calls_that_fit_no_function(session: Session, name: str, count: int, told: str) -> None:
    """Too few or too many arguments, and a name that nobody declared, are errors."""
    request = message(session, "CallFunction.Request", name=name)
    for _ in range(count):
        request.arguments.add(msgpack=packed("a"))
    with pytest.raises(MalformedError, match=told):
        asked(session, "CallFunction", request)


def test_functions_without_a_schema(session: Session) -> None:
    """A proxy sees arguments by number and passes them on."""
    bare = Session(session.protocol)
    request = message(session, "CallFunction.Request", name="anything")
    request.arguments.add(msgpack=packed("a"))
    call = asked(bare, "CallFunction", request)
    assert (call.type, call.inputs) == ("anything", {"0": "a"})
    assert row(bare, "CallFunction").request(call) == request
    found = answered(bare, "CallFunction", Reply(value={"result": "b"}), call)
    assert row(bare, "CallFunction").reply(found, call) == Reply(value={"result": "b"})


def test_ephemeral_resources_both_ways(session: Session) -> None:
    """What is opened comes with its arguments, its private bytes, and when it is due; renewals and ends go by those bytes."""
    request = message(session, "OpenEphemeralResource.Request", type_name="cloud_token")
    request.config.msgpack = packed({"secret_key": None, "user_name": "me"})
    call = asked(session, "OpenEphemeralResource", request)
    assert (call.op, call.type, call.inputs) == (Op.OPEN, TOKEN.token, {"userName": "me"})
    reply = Reply(value={"secretKey": "s"}, private=b"t-1", renew_after=30)
    found = answered(session, "OpenEphemeralResource", reply, call)
    assert msgpack.unpackb(found.result.msgpack) == {"secret_key": "s", "user_name": "me"}
    back = row(session, "OpenEphemeralResource").reply(found, call)
    assert (back.value, back.private) == ({"userName": "me", "secretKey": "s"}, b"t-1")
    assert 0 < (back.renew_after or 0) <= 30
    for rpc, op in (("RenewEphemeralResource", Op.RENEW), ("CloseEphemeralResource", Op.CLOSE)):
        request = message(session, f"{rpc}.Request", type_name="cloud_token", private=b"t-1")
        call = asked(session, rpc, request)
        assert (call.op, call.private) == (op, b"t-1")
        assert row(session, rpc).request(call) == request
    assert not answered(session, "CloseEphemeralResource", Reply(), call).diagnostics
    with pytest.raises(MalformedError, match="Nobody declared the ephemeral resource 'cloud_toke'"):
        asked(session, "CloseEphemeralResource", message(session, "CloseEphemeralResource.Request", type_name="cloud_toke"))


def thing(**attributes: Any) -> bytes:
    return packed({"account_id": None, "id": None, "made": None, **attributes})


def test_identities_go_with_the_object(session: Session) -> None:
    """What is read has the identity that its value says, or that the reply says; a type without one has none."""
    request = message(session, "ReadResource.Request", type_name="cloud_thing")
    request.current_state.msgpack = thing(id="t-1")
    call = asked(session, "ReadResource", request)
    found = answered(session, "ReadResource", Reply(id="t-1", value={"accountId": "a"}), call)
    assert msgpack.unpackb(found.new_identity.identity_data.msgpack) == {"account_id": "a", "id": "t-1"}
    told = {"id": "t-2", "accountId": "b"}
    found = answered(session, "ReadResource", Reply(id="t-1", value={"accountId": "a"}, identity=told), call)
    assert msgpack.unpackb(found.new_identity.identity_data.msgpack) == {"account_id": "b", "id": "t-2"}
    assert not answered(session, "ReadResource", Reply(), call).HasField("new_identity")
    unknown = Reply(id="t-1", value={"accountId": "a"}, identity={"id": Unknown(), "accountId": "b"})
    assert not answered(session, "ReadResource", unknown, call).new_identity.identity_data.msgpack


def test_identities_are_imported_and_upgraded(session: Session) -> None:
    """An import may name the object by its identity, and an old identity becomes what today's schema says."""
    request = message(session, "ImportResourceState.Request", type_name="cloud_thing")
    request.identity.identity_data.msgpack = packed({"account_id": "a", "id": "t-1"})
    call = asked(session, "ImportResourceState", request)
    assert (call.id, call.identity) == ("", {"id": "t-1", "accountId": "a"})
    assert row(session, "ImportResourceState").request(call) == request
    old = message(session, "UpgradeResourceIdentity.Request", type_name="cloud_thing", version=0)
    old.raw_identity.json = b'{"id": "t-1", "gone": 1}'
    call = asked(session, "UpgradeResourceIdentity", old)
    assert row(session, "UpgradeResourceIdentity").request(call) == old
    found = answered(session, "UpgradeResourceIdentity", Reply(), call)
    assert msgpack.unpackb(found.upgraded_identity.identity_data.msgpack) == {"account_id": None, "id": "t-1"}
    old.type_name = "cloud_plain"
    call = asked(session, "UpgradeResourceIdentity", old)
    with pytest.raises(MalformedError, match="has no identity"):
        answered(session, "UpgradeResourceIdentity", Reply(), call)


def test_several_imported_objects(session: Session) -> None:
    """An import may bring several objects, also of other types, both ways."""
    request = message(session, "ImportResourceState.Request", type_name="cloud_thing", id="t-1")
    call = asked(session, "ImportResourceState", request)
    one = Reply(id="t-1", value={"accountId": "a"}, private=b"p")
    other = Reply(id="p-1", value={"a": "b"}, type="cloud:index:Plain")
    found = answered(session, "ImportResourceState", Reply(imported=(one, other)), call)
    assert [each.type_name for each in found.imported_resources] == ["cloud_thing", "cloud_plain"]
    assert found.imported_resources[0].identity.identity_data.msgpack == packed({"account_id": "a", "id": "t-1"})
    back = row(session, "ImportResourceState").reply(found, call)
    assert (back.id, back.value, back.private) == ("t-1", {"accountId": "a"}, b"p")
    assert [(imported.id, imported.type) for imported in back.imported] == [
        ("t-1", ""),
        ("p-1", "cloud:index:Plain"),
    ]


def test_moves_both_ways(session: Session) -> None:
    """A move brings what fits of the other type's state, and where it comes from."""
    request = message(
        session,
        "MoveResourceState.Request",
        source_type_name="cloud_old",
        source_provider_address="example.com/mock/cloud",
        source_schema_version=4,
        target_type_name="cloud_thing",
        source_private=b"p",
    )
    request.source_state.json = b'{"id": "t-1", "account_id": "a", "gone": 2.5}'
    call = asked(session, "MoveResourceState", request)
    assert (call.op, call.type, call.id, call.prior) == (Op.MOVE, THING.token, "t-1", {"accountId": "a"})
    assert call.stored is not None
    assert (call.private, call.stored.type, call.stored.version) == (b"p", "cloud_old", 4)
    assert row(session, "MoveResourceState").request(call) == request
    found = answered(session, "MoveResourceState", Reply(id="t-1", value={"accountId": "a"}, private=b"q"), call)
    assert found.target_state.msgpack == thing(id="t-1", account_id="a")
    assert (found.target_private, bool(found.target_identity.identity_data.msgpack)) == (b"q", True)


def test_upgrades_by_function(session: Session) -> None:
    """With functions a state that no longer fits is handed over raw, and what they make of it is the answer."""
    request = message(session, "UpgradeResourceState.Request", type_name="cloud_thing", version=1)
    request.raw_state.json = b'{"id": "t-1", "account_id": {"no": "text"}}'
    call = asked(session, "UpgradeResourceState", request)
    assert call.stored is not None
    assert (call.id, call.prior, call.stored.attributes) == ("t-1", None, {"id": "t-1", "account_id": {"no": "text"}})
    assert row(session, "UpgradeResourceState").request(call).version == 1
    found = answered(session, "UpgradeResourceState", Reply(stored={"id": "t-1", "account_id": "a"}), call)
    assert found.upgraded_state.msgpack == thing(id="t-1", account_id="a")


def test_stop_tells_the_session(session: Session) -> None:
    """After a stop all that waits in the session knows that nobody wants it any more."""
    assert not session.cancelled.is_set()
    asked(
        session, "StopProvider", message(session, "StopProvider.Request" if session.protocol.version == 6 else "Stop.Request")
    )
    assert session.cancelled.is_set()


@pytest.mark.parametrize("service", SERVICES.values(), ids=lambda each: each.name)
def test_refusals_are_diagnostics(service: Any) -> None:
    """Each RPC that is known and not served says why in its answer, where engines look for it."""
    for name in REASONS.keys() & service.methods.keys():
        each = service.methods[name]
        call = each.call(service.messages[name][0](), Session("tfplugin6"))
        answer = each.response(Reply(failures=(Failure(each.reason),)), call)
        assert each.reason.encode() in answer.SerializeToString(), name


@pytest.mark.parametrize("major", sorted(SERVICES))
def test_write_only_properties_where_terraform_has_none(major: int) -> None:
    """Inside of a set, or of what travels as one value, nothing can be write-only: an error that says where."""
    inner = Kind("object", properties={"key": Property(str, write_only=True)})
    for kind in (Kind("set", items=inner), Kind("array", items=Kind("array", items=inner))):
        package = Package("cloud")
        package.add(ResourceType("cloud:index:Thing", {"theKeys": Property(kind)}))
        with pytest.raises(DefinitionError, match="cannot have write-only properties in 'the_keys'"):
            ProviderSchema(package, major).message()
    package = Package("cloud")
    package.add(ResourceType("cloud:index:Thing", {"theKeys": Property(Kind("array", items=inner))}))
    schema: Any = ProviderSchema(package, major).message()
    block = schema.resource_schemas["cloud_thing"].block
    keys = block.block_types[0].block if major == 5 else next(e for e in block.attributes if e.name == "the_keys").nested_type
    assert keys.attributes[0].write_only
