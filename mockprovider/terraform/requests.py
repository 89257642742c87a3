"""Request messages to calls and back, by one description of each RPC's fields."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, TypeAlias

from google.protobuf.message import Message
from msgspec import Struct, field

from mockprovider.calls import Call, Op, Session
from mockprovider.errors import UnsupportedError
from mockprovider.schema import Package
from mockprovider.terraform.objects import Generic, ObjectSchema
from mockprovider.terraform.schema import ProviderSchema
from mockprovider.values import Bag

Codec: TypeAlias = ObjectSchema | Generic
SCHEMA = "terraform.schema"
"""Where a session keeps its package's compiled schema, in ``Session.extra``."""


class Shape(Struct, frozen=True, kw_only=True):
    """Which fields of an RPC's messages are which fields of a call and a reply.

    Args:
        of: what the payloads are objects of: ``resource``, ``data``, ``provider``, or nothing.
        bags: fields of ``Call`` to DynamicValue fields of the request; ``proposed`` goes to ``Call.extra``.
        private: the request's field of private bytes.
        value: the answer's DynamicValue field that ``Reply.value`` becomes.
        answer_private: the answer's field of private bytes.
    """

    of: str = ""
    bags: Mapping[str, str] = field(default_factory=dict)
    private: str = ""
    value: str = ""
    answer_private: str = ""


def schema_of(session: Session) -> ProviderSchema | None:
    """The schema that the session's payloads decode with; ``None`` for a session that only forwards."""
    declared = session.schema
    if not isinstance(declared, Package):
        return declared if isinstance(declared, ProviderSchema) else None
    held: ProviderSchema | None = session.extra.get(SCHEMA)
    if held is None or held.package is not declared:
        held = session.extra[SCHEMA] = ProviderSchema(declared, 5 if session.protocol == "tfplugin5" else 6)
    return held


def codec(session: Session, of: str, name: str) -> Codec:
    """What encodes and decodes objects of a type. Raises ``MalformedError`` for a type that the schema does not have."""
    schema = schema_of(session)
    if schema is None or not of:
        return Generic(name)
    if of == "provider":
        return schema.provider
    return schema.resource(name) if of == "resource" else schema.data_source(name)


def to_call(shape: Shape, op: Op, method: str, message: Any, session: Session) -> Call:
    """The call that a request asks for. Raises ``MalformedError`` for payloads that do not fit the schema."""
    coder = codec(session, shape.of, message.type_name if shape.of in ("resource", "data") else "")
    bags: dict[str, Bag | None] = {}
    ids: list[str] = []
    for name, dynamic in shape.bags.items():
        bags[name], id_ = coder.decode(getattr(message, dynamic))
        ids.append(id_ if name != "inputs" else "")
    return Call(
        op=op,
        session=session,
        method=method,
        type=coder.token,
        id=next(filter(None, ids), ""),
        inputs=bags.get("inputs"),
        prior=bags.get("prior"),
        planned=bags.get("planned"),
        private=getattr(message, shape.private) if shape.private else b"",
        extra={"proposed": bags["proposed"]} if "proposed" in bags else {},
    )


def to_request(shape: Shape, cls: type[Message], call: Call) -> Any:
    """The request that a call makes. Raises ``MalformedError`` for a bag that does not fit the schema."""
    message: Any = cls()
    coder = codec(call.session, shape.of, call.type)
    if shape.of in ("resource", "data"):
        message.type_name = coder.name
    for name, dynamic in shape.bags.items():
        bag = call.extra.get("proposed") if name == "proposed" else getattr(call, name)
        getattr(message, dynamic).msgpack = coder.encode(bag, call.id)
    if shape.private:
        setattr(message, shape.private, call.private)
    return message


def apply_call(shape: Shape, method: str, message: Any, session: Session) -> Call:
    """ApplyResourceChange is three ops: which one, the nulls among its states tell."""
    call = to_call(shape, Op.CREATE, method, message, session)
    if call.prior is not None:
        call.op = Op.DELETE if call.planned is None else Op.UPDATE
    return call


def configure_call(shape: Shape, method: str, message: Any, session: Session) -> Call:
    """ConfigureProvider also makes its session a provider instance, known by a digest of the configuration."""
    # A recorder gives it a name of its own, made of the redacted configuration: this one stays in memory.
    session.instance = f"config-{hashlib.sha256(message.config.SerializeToString(deterministic=True)).hexdigest()[:16]}"
    call = to_call(shape, Op.CONFIGURE, method, message, session)
    call.extra = {"terraform_version": message.terraform_version}
    return call


def configure_request(shape: Shape, cls: type[Message], call: Call) -> Any:
    """The request of a configure call."""
    message = to_request(shape, cls, call)
    message.terraform_version = call.extra.get("terraform_version", "")
    return message


def upgrade_call(shape: Shape, method: str, message: Any, session: Session) -> Call:
    """UpgradeResourceState brings the state file's JSON. Raises ``UnsupportedError`` for the form of before Terraform 0.12."""
    if message.raw_state.flatmap:
        raise UnsupportedError(
            f"The state of {message.type_name} is in the flat form from before Terraform 0.12, which is not read. "
            "Apply it once with Terraform 0.12 or later."
        )
    coder = codec(session, shape.of, message.type_name)
    prior, id_ = coder.decode_json(message.raw_state.json or b"null")
    extra = {"version": message.version}
    return Call(op=Op.UPGRADE, session=session, method=method, type=coder.token, id=id_, prior=prior, extra=extra)


def upgrade_request(shape: Shape, cls: type[Message], call: Call) -> Any:
    """The request of an upgrade call."""
    message = to_request(shape, cls, call)
    message.version = call.extra.get("version", 0)
    message.raw_state.json = codec(call.session, shape.of, call.type).encode_json(call.prior, call.id)
    return message


def import_call(shape: Shape, method: str, message: Any, session: Session) -> Call:
    """ImportResourceState names the object by id alone."""
    call = to_call(shape, Op.IMPORT, method, message, session)
    call.id = message.id
    return call


def import_request(shape: Shape, cls: type[Message], call: Call) -> Any:
    """The request of an import call."""
    message = to_request(shape, cls, call)
    message.id = call.id
    return message
