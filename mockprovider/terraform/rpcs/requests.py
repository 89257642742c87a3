"""Request messages to calls and back, by the ``Shape`` of each RPC."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, TypeAlias

from google.protobuf.message import Message
from msgspec import Struct, field

from mockprovider.calls import Call, Op, Session
from mockprovider.durations import TIMEOUTS, seconds
from mockprovider.errors import MalformedError
from mockprovider.schema import Package
from mockprovider.terraform.schema.objects import Generic, ObjectSchema
from mockprovider.terraform.schema.provider import ProviderSchema, provider_schema
from mockprovider.values import Bag, Unknown

Codec: TypeAlias = ObjectSchema | Generic
NAMED = ("resource", "data", "ephemeral")
"""Payloads whose requests name a type."""


TIMED: Mapping[Op, tuple[str, str]] = {
    Op.CREATE: ("inputs", "create"),
    Op.UPDATE: ("inputs", "update"),
    Op.DELETE: ("prior", "delete"),
    Op.READ: ("prior", "read"),
    Op.INVOKE: ("inputs", "read"),
}
"""The ops whose duration a ``timeouts`` block limits: the bag that holds the block by then, and the limit's name in it."""


class Shape(Struct, frozen=True, kw_only=True):
    """How the fields of an RPC's messages map to fields of a call and a reply.

    Args:
        of: what the payloads are objects of: ``resource``, ``data``, ``ephemeral``, ``provider``, or nothing.
        bags: fields of ``Call`` to DynamicValue fields of the request.
        private: the request's field of private bytes.
        value: the answer's DynamicValue field that ``Reply.value`` becomes.
        answer_private: the answer's field of private bytes.
        answer_identity: the answer's field of the object's identity.
    """

    of: str = ""
    bags: Mapping[str, str] = field(default_factory=dict)
    private: str = ""
    value: str = ""
    answer_private: str = ""
    answer_identity: str = ""


def schema_of(session: Session) -> ProviderSchema | None:
    """The schema that the session's payloads decode with; ``None`` for a session that only forwards."""
    declared = session.schema
    if not isinstance(declared, Package):
        return declared if isinstance(declared, ProviderSchema) else None
    held: ProviderSchema | None = session.compiled
    if held is None or held.package is not declared:
        held = session.compiled = provider_schema(declared, session.protocol.version)
    return held


def codec(session: Session, of: str, name: str) -> Codec:
    """The codec for objects of a type. Raises ``MalformedError`` for a type that the schema does not have."""
    schema = schema_of(session)
    if schema is None or not of:
        return Generic(name)
    return schema.coder(of, name)


def to_call(shape: Shape, op: Op, method: str, message: Any, session: Session) -> Call:
    """The call decoded from a request. Raises ``MalformedError`` for payloads that do not fit the schema."""
    coder = codec(session, shape.of, message.type_name if shape.of in NAMED else "")
    bags: dict[str, Bag | None] = {}
    ids: list[str] = []
    for name, dynamic in shape.bags.items():
        try:
            bags[name], id_ = coder.decode(getattr(message, dynamic))
        except MalformedError as error:
            raise MalformedError(
                f"{method} of {getattr(message, 'type_name', '') or 'the provider'}, {dynamic}: {error}"
            ) from error
        ids.append(id_ if name != "inputs" else "")
    if op is Op.PLAN and bags.get("inputs") is not None:
        # Write-only values are in no plan, and cause no change.
        bags["inputs"] = coder.told(bags["inputs"] or {})
    private = getattr(message, shape.private) if shape.private else b""
    if not coder.keeps_id:
        ids.append(private.decode(errors="replace"))
    call = Call(
        op=op,
        session=session,
        method=method,
        type=coder.token,
        id=next(filter(None, ids), ""),
        inputs=bags.get("inputs"),
        prior=bags.get("prior"),
        planned=bags.get("planned"),
        private=private,
        proposed=bags.get("proposed"),
    )
    if TIMEOUTS in (call.inputs or call.prior or ()):
        call.timeout = _timeout(call)
    return call


def _timeout(call: Call) -> float:
    """How many seconds the call's ``timeouts`` block allows; 0 where it says nothing, or nothing that can be read."""
    bag, name = TIMED.get(call.op, ("extra", ""))
    limits = getattr(call, bag).get(TIMEOUTS) if name and getattr(call, bag) else None
    duration = (limits.get(name) or limits.get("default")) if isinstance(limits, Mapping) else None
    try:
        return seconds(duration) if isinstance(duration, str) else 0.0
    except MalformedError:
        # Whoever answers refuses it when it is checked.
        return 0.0


def to_request(shape: Shape, cls: type[Message], call: Call) -> Any:
    """The request message of a call. Raises ``MalformedError`` for a bag that does not fit the schema."""
    message: Any = cls()
    coder = codec(call.session, shape.of, call.type)
    if shape.of in NAMED:
        message.type_name = coder.name
    for name, dynamic in shape.bags.items():
        # In the plan of a create the id is unknown.
        planned_new = name == "planned" and call.prior is None and not call.id
        getattr(message, dynamic).msgpack = coder.encode(getattr(call, name), Unknown() if planned_new else call.id)
    if shape.private:
        setattr(message, shape.private, call.private)
    return message


def apply_call(shape: Shape, method: str, message: Any, session: Session) -> Call:
    """ApplyResourceChange: a create without a prior state, a delete without a planned state, else an update."""
    call = to_call(shape, Op.CREATE, method, message, session)
    if call.prior is not None:
        call.op = Op.DELETE if call.planned is None else Op.UPDATE
        call.timeout = _timeout(call)
    return call


def configure_call(shape: Shape, method: str, message: Any, session: Session) -> Call:
    """ConfigureProvider, which also names the session's provider instance, by a digest of the configuration."""
    # This name stays in memory: recorders make one from the redacted configuration.
    session.instance = f"config-{hashlib.sha256(message.config.SerializeToString(deterministic=True)).hexdigest()[:16]}"
    call = to_call(shape, Op.CONFIGURE, method, message, session)
    call.extra = {"terraform_version": message.terraform_version}
    return call


def configure_request(shape: Shape, cls: type[Message], call: Call) -> Any:
    """The request of a configure call."""
    message = to_request(shape, cls, call)
    message.terraform_version = call.extra.get("terraform_version", "")
    return message


def stop_call(shape: Shape, method: str, message: Any, session: Session) -> Call:
    """StopProvider cancels all calls of its session."""
    session.cancelled.set()
    return to_call(shape, Op.CANCEL, method, message, session)


def renew_call(shape: Shape, method: str, message: Any, session: Session) -> Call:
    """RenewEphemeralResource."""
    return _lasting_call(shape, Op.RENEW, method, message, session)


def close_call(shape: Shape, method: str, message: Any, session: Session) -> Call:
    """CloseEphemeralResource."""
    return _lasting_call(shape, Op.CLOSE, method, message, session)


def _lasting_call(shape: Shape, op: Op, method: str, message: Any, session: Session) -> Call:
    # The private bytes of the open answer identify the object.
    coder = codec(session, shape.of, message.type_name)
    return Call(op=op, session=session, method=method, type=coder.token, private=message.private)


def lasting_request(shape: Shape, cls: type[Message], call: Call) -> Any:
    """The request of a renew or a close."""
    message: Any = cls()
    message.type_name, message.private = codec(call.session, shape.of, call.type).name, call.private
    return message
