"""RPCs beyond what the fake serves: list resources, actions, state stores. Real providers serve them, and recordings of those.

Their messages are forwarded and recorded as they are. A call has what layers ask of it, a type, a state's name, a
configuration; a reply has what went wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from google.protobuf.message import Message

from mockprovider.calls import NOTHING, Call, Failure, Op, Reply, Session
from mockprovider.paths import show
from mockprovider.terraform.proto import Proto
from mockprovider.terraform.rpcs.replies import ERROR, WARNING
from mockprovider.terraform.schema.objects import Generic
from mockprovider.wire.methods import RpcMethod

NO_ENGINE = "no engine that this version was tried with calls it"
NO_LISTS = "the fake has no list resources, and no engine that this version was tried with has a list block"
NO_STORES = "the fake keeps no engine's state: state stores are of protocol 6 and of engines newer than those that were tried"
NO_ACTIONS = "the fake has no actions, and no engine that this version was tried with calls them"

REASONS: Mapping[str, tuple[Op, str]] = {
    "GenerateResourceConfig": (Op.IMPORT, NO_ENGINE),
    "ListResource": (Op.LIST, NO_LISTS),
    "ValidateListResourceConfig": (Op.CHECK, NO_LISTS),
    "ValidateStateStoreConfig": (Op.CHECK, NO_STORES),
    "ConfigureStateStore": (Op.CONFIGURE, NO_STORES),
    "ReadStateBytes": (Op.RAW, NO_STORES),
    "WriteStateBytes": (Op.RAW, NO_STORES),
    "LockState": (Op.RAW, NO_STORES),
    "UnlockState": (Op.RAW, NO_STORES),
    "GetStates": (Op.RAW, NO_STORES),
    "DeleteState": (Op.RAW, NO_STORES),
    "PlanAction": (Op.RAW, NO_ACTIONS),
    "InvokeAction": (Op.RAW, NO_ACTIONS),
    "ValidateActionConfig": (Op.CHECK, NO_ACTIONS),
}
"""RPCs that the fake does not serve: their op, and the reason, which the engine gets in a diagnostic."""

MUTATES = frozenset({"InvokeAction", "WriteStateBytes", "LockState", "UnlockState", "DeleteState"})
"""Those that change something, so that one recorded answer answers once."""

PURE = frozenset({"ValidateListResourceConfig", "ValidateStateStoreConfig", "ValidateActionConfig"})
"""Those that touch no cloud."""

OF_STATES = frozenset({"ReadStateBytes", "WriteStateBytes", "LockState", "UnlockState", "GetStates", "DeleteState"})
"""Those about the states in a store, which an engine uses one after the other."""

ANSWERED = "answered"
"""The key of ``Reply.extra`` for the messages of a real provider's answer."""

WORDS = frozenset({"operation", "lock_id", "include_resource_object", "limit"})
"""Fields of requests that calls carry under their own names, where they are no dynamic values."""


def rows(proto: Proto) -> Iterator[RpcMethod]:
    """The rows of these RPCs, as far as the major has them."""
    for rpc in proto.service().methods:
        if rpc.name in REASONS:
            yield _row(proto, rpc)


def _row(proto: Proto, rpc: Any) -> RpcMethod:
    op, reason = REASONS[rpc.name]
    asked, answered = proto.classes(rpc.input_type), proto.classes(rpc.output_type)
    call = partial(_call, op, rpc.name)
    request = partial(_request, asked)
    return RpcMethod(
        name=rpc.name,
        op=op,
        call=call,
        request=request,
        reply=_reply,
        response=partial(_response, answered),
        reason=reason,
        diagnosed=True,
        mutates=rpc.name in MUTATES,
        pure=rpc.name in PURE,
        calls=partial(_first, call, asked) if rpc.client_streaming else None,
        requests=(lambda asked: [request(asked)]) if rpc.client_streaming else None,
        replies=_replies if rpc.server_streaming else None,
        responses=partial(_responses, answered) if rpc.server_streaming else None,
    )


def about(message: Any) -> Any:
    """The part of a request, or of a stream's first message, that says what it is about."""
    fields = message.DESCRIPTOR.fields_by_name if message is not None else ()
    return message.meta if "meta" in fields else message


def type_of(message: Any) -> str:
    """The name of the type that a request is about; empty if it is about none."""
    subject = about(message)
    return str(getattr(subject, "type_name", "") or getattr(subject, "action_type", ""))


def _call(op: Op, method: str, message: Any, session: Session) -> Call:
    fields, subject, type_ = message.DESCRIPTOR.fields_by_name, about(message), type_of(message)
    config = message.config if "config" in fields else None
    call = Call(op=op, session=session, method=method, type=type_, id=getattr(subject, "state_id", ""))
    if method in OF_STATES:
        # An engine uses a store in an order, and what one call changes another lists: as the calls about a URN.
        call.urn = type_
    call.inputs = Generic(type_).decode(config)[0] if config is not None else None
    words = {field.name: value for field, value in message.ListFields() if field.name in WORDS and not field.message_type}
    call.limit = words.pop("limit", 0)
    call.extra = words
    return call


def _first(call: Any, cls: type[Message], messages: Sequence[Any], session: Session) -> Call:
    """The call of a stream, of which only the first message says what it is about."""
    asked: Call = call(messages[0] if messages else cls(), session)
    return asked


def _request(cls: type[Message], call: Call) -> Any:
    message: Any = cls()
    fields, subject = cls.DESCRIPTOR.fields_by_name, about(message)
    type_field = "action_type" if "action_type" in fields else "type_name"
    given = {type_field: call.type, "state_id": call.id}
    for name, value in given.items():
        if value and name in subject.DESCRIPTOR.fields_by_name:
            setattr(subject, name, value)
    for word, value in {"limit": call.limit, **call.extra}.items():
        if word in WORDS and word in fields and not fields[word].message_type:
            setattr(message, word, value)
    if "config" in fields and call.inputs is not None:
        message.config.msgpack = Generic.encode(call.inputs)
    return message


def _reply(message: Any, call: Call) -> Reply:
    return _replies([message], call)


def _replies(messages: Sequence[Any], call: Call) -> Reply:  # noqa: ARG001 - one signature for all rows
    said = [diagnostic for message in messages for diagnostic in diagnostics(message)]
    failures = (Failure(one.summary, show(_path(one.attribute)), detail=one.detail) for one in said if one.severity == ERROR)
    warnings = (": ".join(filter(None, (one.summary, one.detail))) for one in said if one.severity == WARNING)
    answered = {ANSWERED: tuple(messages)} if any(message.ByteSize() for message in messages) else NOTHING
    return Reply(failures=tuple(failures), warnings=tuple(warnings), extra=answered)


def diagnostics(message: Any) -> Any:
    """The diagnostics in an answer, or in a message of a stream: all of these have a place for them."""
    fields = message.DESCRIPTOR.fields_by_name
    if "completed" in fields:
        return message.completed.diagnostics if message.HasField("completed") else ()
    return next((getattr(message, name) for name in ("diagnostics", "diagnostic") if name in fields), ())


def _path(path: Any) -> tuple[str | int, ...]:
    return tuple(getattr(step, step.WhichOneof("selector")) for step in path.steps if step.WhichOneof("selector"))


def _responses(cls: type[Message], reply: Reply, call: Call) -> list[Message]:
    """What the provider answered, where this is its answer, changed; what it did not say itself is said in the last message."""
    answered = reply.extra.get(ANSWERED, ())
    messages: list[Any] = [type(message).FromString(message.SerializeToString()) for message in answered]
    decoded = _replies(messages, call)
    failures = [failure for failure in reply.failures if failure not in decoded.failures]
    warnings = [warning for warning in reply.warnings if warning not in decoded.warnings]
    if not failures and not warnings:
        return messages
    if not messages or "completed" not in cls.DESCRIPTOR.fields_by_name:
        messages.append(cls())
    _add(messages[-1], failures, warnings)
    return messages


def _response(cls: type[Message], reply: Reply, call: Call) -> Message:
    """The same of an answer that is one message."""
    whole = cls()
    for message in _responses(cls, reply, call):
        whole.MergeFrom(message)
    return whole


def _add(message: Any, failures: Sequence[Failure], warnings: Sequence[str]) -> None:
    if "completed" in message.DESCRIPTOR.fields_by_name:
        message.completed.SetInParent()
    into = diagnostics(message)
    for failure in failures:
        into.add(severity=ERROR, summary=failure.reason, detail=failure.detail)
    for warning in warnings:
        into.add(severity=WARNING, summary=warning)
