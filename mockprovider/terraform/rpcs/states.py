"""States from older versions, other types and elsewhere: upgrade, move and import."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from mockprovider.calls import Call, Op, Reply, Session
from mockprovider.errors import MalformedError, UnsupportedError
from mockprovider.payloads import StoredState
from mockprovider.terraform.rpcs import identities, replies
from mockprovider.terraform.rpcs.requests import Codec, Shape, codec, schema_of
from mockprovider.terraform.schema.objects import ObjectSchema
from mockprovider.terraform.traits import ResourceTraits
from mockprovider.terraform.values import statejson
from mockprovider.values import Bag

# Upgrades -----------------------------------------------------------------------------------------------------------------


def upgrade_call(shape: Shape, method: str, message: Any, session: Session) -> Call:
    """UpgradeResourceState: ``Call.prior`` is the state decoded as today's type, ``Call.stored`` its JSON and its version.

    ``prior`` is ``None`` if the type has functions, or a real provider, that upgrade this version. Raises
    ``MalformedError`` for a state that does not fit, and ``UnsupportedError`` for the flat form from before Terraform 0.12.
    """
    coder = codec(session, shape.of, message.type_name)
    raw = _parsed(message.raw_state, message.type_name)
    stored = StoredState(raw, message.version)
    declared = coder.declared
    by_function = declared is not None and declared.trait(ResourceTraits).upgrades_from(message.version)
    by_function = by_function or (_judged(session) and declared.trait(ResourceTraits).version != message.version)
    prior, id_ = (None, _own_id(raw)) if by_function else _read(coder, message.raw_state, raw)
    return Call(op=Op.UPGRADE, session=session, method=method, type=coder.token, id=id_, prior=prior, stored=stored)


def _judged(session: Session) -> bool:
    """Whether a real provider converts the states of this session."""
    schema = schema_of(session)
    return schema is not None and schema.package.judge is not None


def _parsed(state: Any, name: str) -> Any:
    if state.flatmap:
        raise UnsupportedError(
            f"The state of {name} is in the flat form from before Terraform 0.12, which is not read. "
            "Apply it once with Terraform 0.12 or later."
        )
    return statejson.parse_json(state.json or b"null")


def _read(coder: Codec, state: Any, raw: Any) -> tuple[Bag | None, str]:
    return coder.from_raw(raw) if isinstance(coder, ObjectSchema) else coder.decode_json(state.json or b"null")


def _own_id(raw: Any) -> str:
    id_ = raw.get("id") if isinstance(raw, dict) else None
    return id_ if isinstance(id_, str) else ""


def upgrade_request(shape: Shape, cls: type[Message], call: Call) -> Any:
    """The request of an upgrade call."""
    message: Any = cls()
    coder = codec(call.session, shape.of, call.type)
    message.type_name, message.version = coder.name, (call.stored or StoredState()).version
    message.raw_state.json = _state_json(coder, call)
    return message


def _state_json(coder: Codec, call: Call) -> bytes:
    attributes = call.stored.attributes if call.stored else None
    if attributes is None:
        return coder.encode_json(call.prior, call.id)
    return json.dumps(attributes, default=_plain_number).encode()


def _plain_number(value: Any) -> Any:
    # This is a Decimal, and a double may have fewer digits.
    return int(value) if value == int(value) else float(value)


def state_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:
    """The upgraded or moved state: the reply's value, or the attributes that the type's functions returned."""
    return replies.to_response(shape, cls, _from_raw(shape, reply, call), call)


def _from_raw(shape: Shape, reply: Reply, call: Call) -> Reply:
    coder = codec(call.session, shape.of, call.type)
    if reply.stored is None or not isinstance(coder, ObjectSchema):
        return reply
    value, id_ = coder.from_raw(reply.stored)
    return replace(reply, value=value, id=id_)


# Moves --------------------------------------------------------------------------------------------------------------------


def move_call(shape: Shape, method: str, message: Any, session: Session) -> Call:
    """MoveResourceState: ``Call.prior`` is the source state decoded as the target type, ``Call.stored`` its JSON and origin.

    ``prior`` is ``None`` if the target type has functions that convert.
    """
    coder = codec(session, shape.of, message.target_type_name)
    raw = _parsed(message.source_state, message.source_type_name)
    declared = coder.declared
    by_function = declared is not None and (isinstance(declared.moved_from, Mapping) or _judged(session))
    prior, id_ = (None, _own_id(raw)) if by_function else _read(coder, message.source_state, raw)
    source = message.source_type_name, message.source_provider_address
    return Call(
        op=Op.MOVE,
        session=session,
        method=method,
        type=coder.token,
        id=id_,
        prior=prior,
        private=message.source_private,
        stored=StoredState(raw, message.source_schema_version, *source),
    )


def move_request(shape: Shape, cls: type[Message], call: Call) -> Any:
    """The request of a move."""
    message: Any = cls()
    coder = codec(call.session, shape.of, call.type)
    message.target_type_name, message.source_private = coder.name, call.private
    source = call.stored or StoredState()
    message.source_type_name, message.source_provider_address = source.type, source.provider
    message.source_schema_version = source.version
    message.source_state.json = _state_json(coder, call)
    return message


# Imports ------------------------------------------------------------------------------------------------------------------


def import_call(shape: Shape, method: str, message: Any, session: Session) -> Call:
    """ImportResourceState names the object by its id, or by its identity."""
    coder = codec(session, shape.of, message.type_name)
    identity = identities.read(message.identity, coder)
    return Call(op=Op.IMPORT, session=session, method=method, type=coder.token, id=message.id, identity=identity)


def import_request(shape: Shape, cls: type[Message], call: Call) -> Any:
    """The request of an import call."""
    message: Any = cls()
    coder = codec(call.session, shape.of, call.type)
    message.type_name, message.id = coder.name, call.id
    if call.identity is not None:
        identities.fill(message.identity, Reply(identity=call.identity), coder, {}, call.id)
    return message


def import_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:
    """The imported objects, or an error that there is none."""
    coder = codec(call.session, shape.of, call.type)
    message = replies.answer(cls, reply, coder)
    if not reply.imported and reply.value is None and not reply.failures:
        diagnostic = message.diagnostics.add(severity=replies.ERROR, summary="Cannot import non-existent remote object")
        known_by = f"the id {call.id!r}" if call.id else f"the identity {dict(call.identity or {})}"
        diagnostic.detail = f"There is no {coder.name} with {known_by}."
    for one in reply.imported or (reply,):
        if one.value is not None:
            _add(message, shape, one, call)
    return message


def _add(message: Any, shape: Shape, reply: Reply, call: Call) -> None:
    as_call = replace(call, type=reply.type or call.type, id=reply.id or call.id)
    coder = codec(call.session, shape.of, as_call.type)
    imported = message.imported_resources.add(type_name=coder.name, private=replies.private_of(reply, as_call, coder))
    imported.state.msgpack = coder.encode(replies.without_write_only(reply.value, coder), as_call.id, replies.request_of(call))
    identities.fill(imported.identity, reply, coder, reply.value, as_call.id)


def import_reply(shape: Shape, message: Any, call: Call) -> Reply:
    """The first imported object; where there are more, all of them are in ``imported``."""
    failures, warnings = replies.said(message, codec(call.session, shape.of, call.type))
    imported = tuple(_imported(resource, shape, call) for resource in message.imported_resources)
    first = imported[0] if imported else Reply()
    return replace(first, failures=failures, warnings=warnings, imported=imported if len(imported) > 1 else ())


def _imported(resource: Any, shape: Shape, call: Call) -> Reply:
    coder = codec(call.session, shape.of, resource.type_name)
    value, id_ = coder.decode(resource.state)
    another = "" if coder.token == call.type else coder.token
    return Reply(value=value, id=id_ or call.id, private=resource.private, type=another)


def identity_upgrade_call(shape: Shape, method: str, message: Any, session: Session) -> Call:
    """UpgradeResourceIdentity: ``Call.stored`` is the identity's JSON in the state file."""
    coder = codec(session, shape.of, message.type_name)
    stored = StoredState(message.raw_identity.json, message.version)
    return Call(op=Op.UPGRADE_IDENTITY, session=session, method=method, type=coder.token, stored=stored)


def identity_upgrade_request(shape: Shape, cls: type[Message], call: Call) -> Any:
    """The request of an identity's upgrade."""
    message: Any = cls()
    stored = call.stored or StoredState(b"")
    message.type_name, message.version = codec(call.session, shape.of, call.type).name, stored.version
    message.raw_identity.json = stored.attributes
    return message


def identity_upgrade_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:
    """The identity under today's schema. Raises ``MalformedError`` for a type without identity."""
    coder = codec(call.session, shape.of, call.type)
    message = replies.answer(cls, reply, coder)
    if reply.failures:
        return message
    declared = coder.declared
    if not identities.identity_of(declared):
        raise MalformedError(f"{call.type} has no identity: declare it with traits=[ResourceTraits(identity=(...))].")
    identities.upgraded(message.upgraded_identity, call.stored.attributes if call.stored else b"", declared)
    return message
