"""States on the way between types, versions and hands: upgrade, move and import."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from mockprovider.calls import Call, Op, Reply, Session
from mockprovider.errors import MalformedError, UnsupportedError
from mockprovider.terraform.rpcs import identities, replies
from mockprovider.terraform.rpcs.requests import Codec, Shape, codec
from mockprovider.terraform.schema.objects import ObjectSchema
from mockprovider.terraform.traits import ResourceTraits
from mockprovider.terraform.values import statejson
from mockprovider.values import Bag

RAW = "raw"
"""The key of ``Call.extra`` and ``Reply.extra`` for a state in Terraform's own names, as the state file has it."""

IMPORTED = "imported"
"""The key of ``Reply.extra`` for several imported objects: replies with ``extra["type"]``, a token, where it is another's."""


# Upgrades -----------------------------------------------------------------------------------------------------------------


def upgrade_call(shape: Shape, method: str, message: Any, session: Session) -> Call:
    """UpgradeResourceState brings the state file's JSON. Raises ``UnsupportedError`` for the form of before Terraform 0.12.

    ``Call.prior`` is the state as far as it fits today's type; the whole of it, with its version, is in ``Call.extra``. Raises
    ``MalformedError`` if it does not fit, unless the type has functions that upgrade it.
    """
    coder = codec(session, shape.of, message.type_name)
    raw = _parsed(message.raw_state, message.type_name)
    extra = {"version": message.version, RAW: raw}
    declared = coder.declared
    by_function = declared is not None and declared.trait(ResourceTraits).upgrades_from(message.version)
    prior, id_ = (None, _own_id(raw)) if by_function else _read(coder, message.raw_state, raw)
    return Call(op=Op.UPGRADE, session=session, method=method, type=coder.token, id=id_, prior=prior, extra=extra)


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
    found = raw.get("id") if isinstance(raw, dict) else None
    return found if isinstance(found, str) else ""


def upgrade_request(shape: Shape, cls: type[Message], call: Call) -> Any:
    """The request of an upgrade call."""
    message: Any = cls()
    coder = codec(call.session, shape.of, call.type)
    message.type_name, message.version = coder.name, call.extra.get("version", 0)
    message.raw_state.json = _state_json(coder, call)
    return message


def _state_json(coder: Codec, call: Call) -> bytes:
    raw = call.extra.get(RAW)
    return coder.encode_json(call.prior, call.id) if raw is None else json.dumps(raw, default=_plain_number).encode()


def _plain_number(value: Any) -> Any:
    # What is no JSON is a decimal here, and a double may be less than it.
    return int(value) if value == int(value) else float(value)


def state_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:
    """The upgraded or moved state: the reply's value, or the attributes that functions made."""
    return replies.to_response(shape, cls, _from_raw(shape, reply, call), call)


def _from_raw(shape: Shape, reply: Reply, call: Call) -> Reply:
    coder = codec(call.session, shape.of, call.type)
    if RAW not in reply.extra or not isinstance(coder, ObjectSchema):
        return reply
    value, id_ = coder.from_raw(reply.extra[RAW])
    return replace(reply, value=value, id=id_)


# Moves --------------------------------------------------------------------------------------------------------------------


def move_call(shape: Shape, method: str, message: Any, session: Session) -> Call:
    """MoveResourceState brings another type's state. ``Call.prior`` is what of it fits the type that it shall become; nothing,
    if that type has functions that convert.

    Where it comes from is in ``Call.extra``: ``source_type``, ``source_provider``, ``source_version``, and ``raw``.
    """
    coder = codec(session, shape.of, message.target_type_name)
    raw = _parsed(message.source_state, message.source_type_name)
    declared = coder.declared
    by_function = declared is not None and isinstance(declared.moved_from, Mapping)
    prior, id_ = (None, _own_id(raw)) if by_function else _read(coder, message.source_state, raw)
    extra = {
        "source_type": message.source_type_name,
        "source_provider": message.source_provider_address,
        "source_version": message.source_schema_version,
        RAW: raw,
    }
    return Call(
        op=Op.MOVE,
        session=session,
        method=method,
        type=coder.token,
        id=id_,
        prior=prior,
        private=message.source_private,
        extra=extra,
    )


def move_request(shape: Shape, cls: type[Message], call: Call) -> Any:
    """The request of a move."""
    message: Any = cls()
    coder = codec(call.session, shape.of, call.type)
    message.target_type_name, message.source_private = coder.name, call.private
    message.source_type_name = call.extra.get("source_type", "")
    message.source_provider_address = call.extra.get("source_provider", "")
    message.source_schema_version = call.extra.get("source_version", 0)
    message.source_state.json = _state_json(coder, call)
    return message


# Imports ------------------------------------------------------------------------------------------------------------------


def import_call(shape: Shape, method: str, message: Any, session: Session) -> Call:
    """ImportResourceState names the object by its id, or by its identity, which is in ``Call.extra``."""
    coder = codec(session, shape.of, message.type_name)
    identity = identities.read(message.identity, coder)
    extra = {} if identity is None else {identities.IDENTITY: identity}
    return Call(op=Op.IMPORT, session=session, method=method, type=coder.token, id=message.id, extra=extra)


def import_request(shape: Shape, cls: type[Message], call: Call) -> Any:
    """The request of an import call."""
    message: Any = cls()
    coder = codec(call.session, shape.of, call.type)
    message.type_name, message.id = coder.name, call.id
    identity = call.extra.get(identities.IDENTITY)
    if identity is not None:
        identities.fill(message.identity, Reply(extra={identities.IDENTITY: identity}), coder, {}, call.id)
    return message


def import_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:
    """The imported objects, or an error that there is none."""
    coder = codec(call.session, shape.of, call.type)
    message = replies.answer(cls, reply, coder)
    several = reply.extra.get(IMPORTED)
    if several is None and reply.value is None and not reply.failures:
        diagnostic = message.diagnostics.add(severity=replies.ERROR, summary="Cannot import non-existent remote object")
        known_by = f"the id {call.id!r}" if call.id else f"the identity {dict(call.extra.get(identities.IDENTITY, {}))}"
        diagnostic.detail = f"There is no {coder.name} with {known_by}."
    for each in [reply] if several is None else several:
        if each.value is not None:
            _add(message, shape, each, call)
    return message


def _add(message: Any, shape: Shape, reply: Reply, call: Call) -> None:
    as_call = replace(call, type=reply.extra.get("type", call.type), id=reply.id or call.id)
    coder = codec(call.session, shape.of, as_call.type)
    made = message.imported_resources.add(type_name=coder.name, private=replies.private_of(reply, as_call, coder))
    made.state.msgpack = coder.encode(replies.told(reply.value, coder), as_call.id, replies.request_of(call))
    identities.fill(made.identity, reply, coder, reply.value, as_call.id)


def import_reply(shape: Shape, message: Any, call: Call) -> Reply:
    """The first imported object; where there are more, all of them are in ``extra["imported"]``."""
    failures, warnings = replies.said(message, codec(call.session, shape.of, call.type))
    found = [_imported(each, shape, call) for each in message.imported_resources]
    first = found[0] if found else Reply()
    extra = {IMPORTED: found} if len(found) > 1 else {}
    return replace(first, failures=failures, warnings=warnings, extra=extra)


def _imported(made: Any, shape: Shape, call: Call) -> Reply:
    coder = codec(call.session, shape.of, made.type_name)
    value, id_ = coder.decode(made.state)
    return Reply(value=value, id=id_ or call.id, private=made.private, extra={"type": coder.token})


def identity_upgrade_call(shape: Shape, method: str, message: Any, session: Session) -> Call:
    """UpgradeResourceIdentity brings the state file's JSON of an identity."""
    coder = codec(session, shape.of, message.type_name)
    extra = {"version": message.version, "raw_identity": message.raw_identity.json}
    return Call(op=Op.UPGRADE_IDENTITY, session=session, method=method, type=coder.token, extra=extra)


def identity_upgrade_request(shape: Shape, cls: type[Message], call: Call) -> Any:
    """The request of an identity's upgrade."""
    message: Any = cls()
    message.type_name, message.version = codec(call.session, shape.of, call.type).name, call.extra.get("version", 0)
    message.raw_identity.json = call.extra.get("raw_identity", b"")
    return message


def identity_upgrade_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:
    """The identity as today's schema has it. Raises ``MalformedError`` for a type that has none."""
    coder = codec(call.session, shape.of, call.type)
    message = replies.answer(cls, reply, coder)
    if reply.failures:
        return message
    declared = coder.declared
    if declared is None or not identities.identity_of(declared):
        raise MalformedError(f"{call.type} has no identity: declare it with traits=[ResourceTraits(identity=(...))].")
    identities.upgraded(message.upgraded_identity, call.extra["raw_identity"], declared)
    return message
