"""Requests and answers of Terraform's protocol by hand, to a package that has everything."""

from __future__ import annotations

from typing import Any

import msgpack

from mockprovider.calls import Call, Native, Reply, Session
from mockprovider.offers import Ephemeral, ProviderFunction
from mockprovider.schema import Function, Kind, Package, Property, ResourceType
from mockprovider.terraform import ResourceTraits
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.values import UNKNOWN
from mockprovider.wire.methods import RpcMethod

PIN = Kind("object", properties={"code": Property(str, write_only=True), "name": Property(str)})
THING = ResourceType(
    "cloud:index:Thing",
    {"displayName": Property(str), "pin": Property(str, write_only=True), "pins": Property(Kind("array", items=PIN))},
    traits=[ResourceTraits(identity=("id", "displayName"))],
)
OLD = ResourceType("cloud:index:Old", {"a": Property(str)}, traits=[ResourceTraits(legacy_type_system=True)])
NAMELESS = ResourceType(
    "cloud:index:Nameless",
    {"a": Property(str)},
    traits=[ResourceTraits(schema={"version": 0, "block": {"attributes": {"a": {"type": "string", "optional": True}}}})],
)
ZONE = Function("cloud:index:getZone", {"region": Property(str)}, {"zone": "zone-{region}"})
KEPT = Function(
    "cloud:index:getKept",
    {"size": Property(int)},
    {"size": 1, "serial": 2},
    terraform_schema={
        "block": {
            "attributes": {
                "size": {"type": "number", "optional": True, "computed": True},
                "serial": {"type": "number", "computed": True},
            }
        }
    },
)
ANY = Function("cloud:index:getAny", {"key": Property(str)}, dict)
JOIN = ProviderFunction(
    "cloud:index:joinAll", {"first": str, "last": Property(PIN)}, returns=PIN, variadic="last", terraform="join"
)
TOKEN = Ephemeral("cloud:index:Token", {"user": Property(str)}, {"secret": "s"})


def session_of(major: int) -> Session:
    """A session over a major, whose package is known."""
    opened = Session(f"tfplugin{major}")
    opened.schema = Package("cloud", config={"region": Property(str)})
    opened.schema.add(THING, OLD, NAMELESS, ZONE, KEPT, ANY, JOIN, TOKEN)
    return opened


def row(session: Session, rpc: str) -> RpcMethod:
    """The row of an RPC by its name in major 6."""
    major = session.protocol.version
    return SERVICES[major].methods[protocol(major).wire_name(rpc)]


def message(session: Session, name: str, /, **fields: Any) -> Any:
    """A message; a dict or ``None`` is a DynamicValue."""
    made: Any = protocol(session.protocol.version).message(name)()
    for field, value in fields.items():
        if isinstance(value, (dict, type(None))):
            getattr(made, field).msgpack = packed(value)
        else:
            setattr(made, field, value)
    return made


def packed(value: Any) -> bytes:
    """The msgpack of a value as an engine writes it."""
    return bytes(msgpack.packb(value, default=lambda _: msgpack.ExtType(0, b"\0")))


def asked(session: Session, rpc: str, **fields: Any) -> Call:
    """The call that a request with these fields makes."""
    request = message(session, f"{rpc}.Request", **fields)
    call = row(session, rpc).call(request, session)
    call.native = Native(request.SerializeToString(), request)
    return call


def answered(session: Session, rpc: str, reply: Reply, call: Call) -> Any:
    """The answer that a reply makes."""
    return row(session, rpc).response(reply, call)


def opened(dynamic: Any) -> Any:
    """What a DynamicValue holds."""
    return msgpack.unpackb(dynamic.msgpack, ext_hook=lambda code, data: UNKNOWN)


def thing(session: Session, **attributes: Any) -> dict[str, Any]:
    """A thing as the session's major has it: in major 5 its pins are blocks, of which there are none."""
    return {"display_name": None, "id": None, "pin": None, "pins": [] if session.protocol.version == 5 else None, **attributes}
