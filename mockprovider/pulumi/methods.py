"""``pulumirpc.ResourceProvider`` as methods: how a row of ``table`` converts an RPC's messages, in both directions.

A field that is neither a field of the call nor listed in the row is in ``extra`` under its own name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from google.protobuf import struct_pb2
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from msgspec import Struct

from mockprovider.calls import NOTHING, Call, Op, Reply, Session
from mockprovider.errors import MalformedError
from mockprovider.hints import did_you_mean
from mockprovider.pulumi import schema
from mockprovider.pulumi.diff import Diff, as_diff
from mockprovider.pulumi.errors import raise_failures, read_failures
from mockprovider.pulumi.sdk import provider_pb2
from mockprovider.pulumi.signatures import accepted
from mockprovider.pulumi.structs import STREAMS, read, struct_of, write
from mockprovider.pulumi.structure import decode_tree
from mockprovider.pulumi.table import GONE, TABLE, Row
from mockprovider.pulumi.values import EVERYTHING, decode, encode_into
from mockprovider.urn import Urn
from mockprovider.wire.methods import RpcMethod, Service, service

DESCRIPTOR = provider_pb2.DESCRIPTOR.services_by_name["ResourceProvider"]

WORDS = frozenset({"urn", "name", "type", "id", "inputs", "preview", "timeout"})
ANSWER_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("properties", "return", "state", "object"), "value"),
    **{word: word for word in ("inputs", "id", "name", "version")},
}
TELLING = frozenset({Op.HANDSHAKE, Op.CONFIGURE})
"""Ops whose answers tell the session what the provider accepts."""
ANSWERED = EVERYTHING - {"outputs"}
"""What the engine accepts in answers, whatever the provider accepts (reference 3.6)."""


def _read(
    message: Message, slots: Mapping[str, _Slot], tree: Mapping[str, Any] = NOTHING
) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """The fields that are set: those that a call or reply has, and the others. ``tree`` is the message's, if it is at hand."""
    own: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for field, value in message.ListFields():
        slot = slots.get(field.name)
        if slot is not None and slot.is_scalar:
            own[slot.word] = value
            continue
        plain: Any = tuple(value) if field.is_repeated else value
        if isinstance(value, struct_pb2.Struct):
            plain = decode_tree(tree[field.name]) if tree else decode(value)
        if slot is not None and slot.word:
            own[slot.word] = read(value, slot.struct) if slot.struct else plain
        elif field.is_repeated and field.message_type and field.message_type.GetOptions().map_entry:
            extra[field.name] = {key: _urns(entry) for key, entry in value.items()}
        else:
            extra[field.name] = plain
    return own, MappingProxyType(extra)


def _urns(value: Any) -> Any:
    """The list of URNs in the message of a property's dependencies; other values stay."""
    is_list = isinstance(value, Message) and list(value.DESCRIPTOR.fields_by_name) == ["urns"]
    return tuple(value.urns) if is_list else value


Put: TypeAlias = Callable[[Message, Any, frozenset[str]], None]


class _Slot(Struct, frozen=True):
    """A field of a message and its field in a call or reply; made once, because descriptors are slow."""

    name: str
    word: str
    is_scalar: bool
    """Whether a call or reply has it, as it is in the message."""
    has_presence: bool
    struct: type[Struct] | None
    put: Put | None


def _slots(message: type[Message], words: Mapping[str, str]) -> dict[str, _Slot]:
    return {
        field.name: _Slot(
            name=field.name,
            word=words.get(field.name, ""),
            is_scalar=field.name in words and field.message_type is None and not field.is_repeated,
            has_presence=field.has_presence,
            struct=struct_of(field.message_type),
            put=_putter(field),
        )
        for field in message.DESCRIPTOR.fields
    }


def _write(message: Message, slots: Iterable[_Slot], source: Any, accepts: frozenset[str]) -> None:
    """Set every field of ``message`` for which ``source`` (a call or a reply) has a value."""
    extra = source.extra
    for slot in slots:
        if slot.word:
            value = getattr(source, slot.word)
            # A call's texts are never None; an empty one counts as absent.
            if value == "":
                continue
        elif extra:
            value = extra.get(slot.name)
        else:
            continue
        if value is None or not (slot.has_presence or value):
            continue
        if slot.put is None:
            setattr(message, slot.name, value)
        else:
            slot.put(message, value, accepts)


def _putter(field: Any) -> Put | None:
    """What sets this field, chosen once, because it is the same for all messages; ``None`` for one that is only set."""
    name, struct = field.name, struct_of(field.message_type)
    if struct is not None:
        return lambda message, value, _: write(getattr(message, name), value) if isinstance(value, struct) else None
    if field.is_repeated:
        return lambda message, value, _: _extend(getattr(message, name), value)
    if field.message_type is None:
        return None
    if field.message_type.full_name == "google.protobuf.Struct":
        return lambda message, value, accepts: encode_into(getattr(message, name), value, accepts)
    return lambda message, value, _: _write_message(getattr(message, name), value)


def _write_message(target: Any, value: Any) -> None:
    if isinstance(value, Mapping):
        target.CopyFrom(type(target)(**value))
        return
    # The monitor and the provider have equal messages under different names.
    target.SetInParent()
    target.MergeFromString(value.SerializeToString())


def _extend(target: Any, values: Any) -> None:
    if not isinstance(values, Mapping):
        target.extend(values)
        return
    for key, value in values.items():
        if isinstance(value, Message):
            target[key].CopyFrom(value)
        elif isinstance(value, (list, tuple)):
            target[key].urns.extend(value)
        else:
            target[key] = value


def accept(session: Session, reply: Reply) -> None:
    """Note what the provider accepts. After a successful Handshake, Configure's flags do not count (2.1)."""
    if not session.handshaken:
        session.accepts = accepted(reply.extra)


def _check_options(row: Row, call: Call, request: type[Message]) -> None:
    """Raise ``MalformedError`` for an unknown option of a call that a provider makes, which nothing else would detect."""
    for name in call.extra if row.engine_ward else ():
        if name not in request.DESCRIPTOR.fields_by_name:
            hint = did_you_mean(name, list(request.DESCRIPTOR.fields_by_name), "It has")
            raise MalformedError(f"{call.method} of {call.type} {call.name!r} has no option {name!r}. {hint}")


def _named_by(urn: str) -> dict[str, str]:
    """Type and name from the URN, for older engines that send it alone; none from other text, which proxies pass on."""
    try:
        parsed = Urn.parse(urn)
    except MalformedError:
        return {}
    return {"type": parsed.type, "name": parsed.name}


def _accepts(row: Row) -> frozenset[str] | None:
    """What the receiver of such a request accepts; ``None`` where the session says that."""
    if row.engine_ward or row.op in (Op.CONFIGURE, Op.CONSTRUCT, Op.CALL):
        return EVERYTHING
    return frozenset() if row.op in (Op.CHECK_CONFIG, Op.DIFF_CONFIG) else None


def make_method(name: str, row: Row, request: type[Message], response: type[Message]) -> RpcMethod:
    """The method of one RPC, from its row and its two messages."""
    words = {field: field for field in WORDS if field in request.DESCRIPTOR.fields_by_name} | dict(row.renames)
    answers = {field: word for field, word in ANSWER_WORDS.items() if field in response.DESCRIPTOR.fields_by_name}
    request_slots, response_slots = _slots(request, words), _slots(response, answers)

    def call(message: Message, session: Session) -> Call:
        own, extra = _read(message, request_slots)
        if "type" in words and own.get("urn") and not own.get("type"):
            own |= _named_by(own["urn"])
        if row.op is Op.CONFIGURE:
            session.instance = own.get("urn", "")
        return Call(op=row.op, session=session, method=name, extra=extra, **own)

    accepts = _accepts(row)

    def to_request(call: Call) -> Message:
        _check_options(row, call, request)
        message = request()
        _write(message, request_slots.values(), call, call.session.accepts if accepts is None else accepts)
        return message

    def reply(message: Message, call: Call, tree: Mapping[str, Any] = NOTHING) -> Reply:
        own, extra = _read(message, response_slots, tree)
        decoded = Reply(extra=extra, **own)
        if row.op in TELLING:
            accept(call.session, decoded)
            call.session.handshaken |= row.op is Op.HANDSHAKE
        return read_failures(decoded)

    def to_response(reply: Reply, call: Call) -> Message:
        message = response()
        raise_failures(reply, call, message)
        _write(message, response_slots.values(), reply, ANSWERED)
        return message

    def check_response(reply: Reply, call: Call) -> Message:
        # With unset inputs, the engine's assertion fails at a later create (2.7).
        message = to_response(reply, call)
        message.inputs.SetInParent()  # type: ignore[attr-defined]
        return message

    def diff_response(reply: Reply, call: Call) -> Message:
        message = response()
        raise_failures(reply, call, message)
        write_diff(as_diff(reply), message)
        return message

    def diff_reply(message: Message, call: Call, tree: Mapping[str, Any] = NOTHING) -> Reply:
        answer = reply(message, call, tree)
        answer.extra = {**answer.extra, "diff": read_diff(message)}
        return answer

    def schema_response(reply: Reply, call: Call) -> Message:
        return response(schema=schema.text(reply.described)) if reply.described else to_response(reply, call)

    special: dict[Op, Any] = {
        Op.CHECK: check_response,
        Op.CHECK_CONFIG: check_response,
        Op.DIFF: diff_response,
        Op.DIFF_CONFIG: diff_response,
        Op.GET_SCHEMA: schema_response,
    }
    return RpcMethod(
        name=name,
        op=row.op,
        call=call,
        request=to_request,
        reply=diff_reply if row.op in (Op.DIFF, Op.DIFF_CONFIG) else reply,
        reread=diff_reply if row.op in (Op.DIFF, Op.DIFF_CONFIG) else reply,
        response=special.get(row.op, to_response),
        opens=row.opens,
        addresses=row.addresses,
        volatile=row.volatile,
        mutates=row.mutates,
        pure=row.pure,
        timeless=row.op not in TELLING,
        reason=row.reason,
        **STREAMS.get(row.op, {}),
    )


def write_diff(diff: Diff, message: Any) -> None:
    """Fill a ``DiffResponse``."""
    message.replaces.extend(diff.replaces)
    message.stables.extend(diff.stables)
    message.deleteBeforeReplace = diff.delete_before_replace
    message.changes = diff.changes
    message.diffs.extend(diff.diffs)
    message.hasDetailedDiff = diff.has_detailed
    for path, (kind, input_diff) in diff.detailed.items():
        message.detailedDiff[path].kind = kind
        message.detailedDiff[path].inputDiff = input_diff


def read_diff(message: Any) -> Diff:
    """The content of a ``DiffResponse``."""
    return Diff(
        changes=message.changes,
        replaces=tuple(message.replaces),
        stables=tuple(message.stables),
        delete_before_replace=message.deleteBeforeReplace,
        diffs=tuple(message.diffs),
        detailed={path: (diff.kind, diff.inputDiff) for path, diff in message.detailedDiff.items()},
        has_detailed=message.hasDetailedDiff,
    )


def _service() -> Service:
    rows = [
        make_method(rpc.name, TABLE[rpc.name], GetMessageClass(rpc.input_type), GetMessageClass(rpc.output_type))
        for rpc in DESCRIPTOR.methods
        if rpc.name in TABLE
    ]
    return service(DESCRIPTOR, GetMessageClass, rows, GONE)


PROVIDER = _service()
"""``pulumirpc.ResourceProvider``, every RPC of it."""
