"""Replies to answer messages and back: values with every attribute, plans, and diagnostics that point at an attribute."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from google.protobuf.message import Message

from mockprovider.calls import Call, Change, ChangeKind, Failure, Plan, Reply
from mockprovider.errors import MalformedError, UnsupportedError
from mockprovider.paths import Path, parse, show
from mockprovider.terraform.rpcs import identities
from mockprovider.terraform.rpcs.requests import Codec, Shape, codec, schema_of
from mockprovider.terraform.schema.objects import ObjectSchema, Step
from mockprovider.terraform.traits import ResourceTraits
from mockprovider.values import Bag, Unknown, Value, same
from mockprovider.wire.status import StatusError, status

ERROR, WARNING = 1, 2
"""Numbers of ``Diagnostic.Severity`` that engines act on."""

DEFERRED = "deferred"
"""The key of ``Reply.extra`` for the number of a ``Deferred.Reason``, with which a provider defers its answer."""


def to_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:
    """The answer message of a reply. With failures and a value it has both, which is Terraform's partial state."""
    coder = codec(call.session, shape.of, call.type)
    message = answer(cls, reply, coder)
    if shape.value:
        value = without_write_only(reply.value, coder)
        getattr(message, shape.value).msgpack = coder.encode(value, reply.id or call.id, request_of(call))
    if shape.answer_private:
        setattr(message, shape.answer_private, private_of(reply, call, coder))
    if shape.answer_identity:
        identities.fill(getattr(message, shape.answer_identity), reply, coder, reply.value, reply.id or call.id)
    return _flagged(message, reply, coder)


def without_write_only(value: Bag | None, coder: Codec) -> Bag | None:
    """``value`` without write-only properties, which no plan and no state may hold."""
    return None if value is None else coder.told(value)


def _flagged(message: Any, reply: Reply, coder: Codec) -> Any:
    """``message`` with ``deferred`` and ``legacy_type_system``, where it has these fields."""
    fields = message.DESCRIPTOR.fields_by_name
    if DEFERRED in reply.extra and "deferred" in fields:
        message.deferred.reason = reply.extra[DEFERRED]
    if "legacy_type_system" in fields:
        declared = coder.declared
        message.legacy_type_system = declared is not None and declared.trait(ResourceTraits).legacy_type_system
    return message


def private_of(reply: Reply, call: Call, coder: Codec) -> bytes:
    """The private bytes of an answer. They hold the object's id if its state has no attribute for it."""
    return reply.private or (b"" if coder.keeps_id else (reply.id or call.id).encode())


def to_reply(shape: Shape, message: Any, call: Call) -> Reply:
    """The reply decoded from an answer."""
    coder = codec(call.session, shape.of, call.type)
    failures, warnings = said(message, coder)
    value, id_ = coder.decode(getattr(message, shape.value)) if shape.value else (None, "")
    private = getattr(message, shape.answer_private) if shape.answer_private else b""
    return Reply(value=value, id=id_, failures=failures, warnings=warnings, private=private)


def prepared_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:
    """The answer to ValidateProviderConfig. Major 5 returns the configuration: providers once filled in defaults there."""
    message = to_response(shape, cls, reply, call)
    if "prepared_config" in cls.DESCRIPTOR.fields_by_name:
        coder = codec(call.session, shape.of, call.type)
        message.prepared_config.msgpack = coder.encode(call.inputs, like=request_of(call))
    return message


def plan_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:
    """The planned state (null for a destroy), and the paths that force a replacement."""
    coder = codec(call.session, shape.of, call.type)
    message = answer(cls, reply, coder)
    if reply.failures or reply.plan is None or call.inputs is None:
        message.planned_state.msgpack = coder.encode(None)
    else:
        keeps_id = call.prior is not None and not reply.plan.replaces
        id_ = (reply.id or call.id) if keeps_id else Unknown()
        planned = without_write_only(reply.plan.planned, coder)
        message.planned_state.msgpack = coder.encode(planned, id_, request_of(call))
        identities.fill(message.planned_identity, reply, coder, planned, id_)
        for change in reply.plan.changes:
            if change.replaces:
                _point(message.requires_replace.add(), coder.steps(parse(change.path)))
    message.planned_private = reply.private
    return _flagged(message, reply, coder)


def plan_reply(shape: Shape, message: Any, call: Call) -> Reply:
    """The neutral plan in an answer: the attributes that differ between prior and planned state."""
    reply = to_reply(shape, message, call)
    if not reply.ok or reply.value is None:
        return reply
    coder = codec(call.session, shape.of, call.type)
    replacing = {show(coder.path(_steps(path))) for path in message.requires_replace}
    prior, planned = call.prior or {}, reply.value
    changed = {show((name,)): name for name in sorted(prior.keys() | planned.keys())}
    changes = [
        Change(path, _kind(prior.get(name), planned.get(name)), path in replacing)
        for path, name in changed.items()
        if not same(prior.get(name), planned.get(name))
    ]
    deeper = [Change(path, ChangeKind.UPDATE, replaces=True) for path in sorted(replacing - changed.keys())]
    reply.plan = Plan(planned, (*changes, *deeper))
    return reply


def _kind(before: Any, after: Any) -> ChangeKind:
    if before is None:
        return ChangeKind.ADD
    return ChangeKind.DELETE if after is None else ChangeKind.UPDATE


def data_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:
    """A data source's state: its arguments and its function's values."""
    coder = codec(call.session, shape.of, call.type)
    message = answer(cls, reply, coder)
    if reply.value is not None:
        value = {coder.result: reply.value} if isinstance(coder, ObjectSchema) and coder.result else reply.value
        message.state.msgpack = coder.encode(answered(call, value, coder), like=request_of(call))
    return message


def answered(call: Call, value: Bag, coder: Codec) -> dict[str, Value]:
    """The arguments with the returned values. Under a published schema, arguments that are set keep their values."""
    given = call.inputs or {}
    keeps = isinstance(coder, ObjectSchema) and coder.published
    return {**given, **value, **(given if keeps else {})}


def schema_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:  # noqa: ARG001 - as all rows
    """The schema of the session's package, with the reply's failures and warnings.

    Raises ``UnsupportedError`` if there is neither a schema nor a failure.
    """
    schema = schema_of(call.session)
    if schema is None and not reply.failures:
        raise UnsupportedError(
            "This session has no package to describe: give the server one, or a provider that answers itself."
        )
    if schema is not None and not (reply.failures or reply.warnings):
        return schema.message()
    message = answer(cls, reply, codec(call.session, "", ""))
    if schema is not None:
        message.MergeFrom(schema.message())
    return message


def kept_answer(response: Callable[..., Message], shape: Shape, cls: type[Message], reply: Reply, call: Call) -> bytes | None:
    """The bytes of a ``response`` about all types that is kept on disk; ``None`` where there is nothing to keep."""
    schema = schema_of(call.session)
    if schema is None or reply.failures or reply.warnings:
        return None
    return schema.encoded(call.method, lambda: response(shape, cls, reply, call))


def metadata_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:  # noqa: ARG001 - as all rows
    """The names of all types and functions, without schemas."""
    message = answer(cls, reply, codec(call.session, "", ""))
    schema = schema_of(call.session)
    if schema is None:
        return message
    whole: Any = schema.message()
    message.server_capabilities.CopyFrom(whole.server_capabilities)
    sections = {"resources": "resource", "data_sources": "data_source", "ephemeral_resources": "ephemeral_resource"}
    for section, kind in sections.items():
        for name in sorted(getattr(whole, f"{kind}_schemas")):
            getattr(message, section).add(type_name=name)
    for name in sorted(whole.functions):
        message.functions.add(name=name)
    return message


def identities_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:
    """The identity schemas of all types. OpenTofu asks every provider; most have none."""
    message = answer(cls, reply, codec(call.session, shape.of, call.type))
    schema = schema_of(call.session)
    if schema is not None:
        identities.fill_schemas(message, schema.package.resources)
    return message


def stop_response(shape: Shape, cls: type[Message], reply: Reply, call: Call) -> Any:  # noqa: ARG001 - as all rows
    """The failures of a stop as text, which engines do not read."""
    message: Any = cls()
    message.Error = "; ".join(failure.reason for failure in reply.failures)
    return message


def stop_reply(shape: Shape, message: Any, call: Call) -> Reply:  # noqa: ARG001 - as all rows
    """The reply to a stop."""
    return Reply(failures=(Failure(message.Error),) if message.Error else ())


def request_of(call: Call) -> Any:
    """The request message that is answered; ``None`` for a call that was made in Python."""
    return call.native.message if call.native else None


def answer(cls: type[Message], reply: Reply, coder: Codec) -> Any:
    """A new answer with the reply's failures and warnings. If it has no diagnostics, a failure ends the RPC in a status."""
    message: Any = cls()
    if "diagnostics" in cls.DESCRIPTOR.fields_by_name:
        _diagnose(message, reply, coder)
    else:
        _raise_failure(reply)
    return message


def _raise_failure(reply: Reply) -> None:
    for failure in reply.failures:
        raise StatusError(status(failure.status or "failed_precondition", failure.reason))


def _diagnose(message: Any, reply: Reply, coder: Codec) -> None:
    for failure in reply.failures:
        diagnostic = message.diagnostics.add(severity=ERROR, summary=failure.reason, detail=failure.detail)
        steps = _attribute_steps(failure.path, coder)
        if steps:
            _point(diagnostic.attribute, steps)
    for warning in reply.warnings:
        message.diagnostics.add(severity=WARNING, summary=warning)


def _attribute_steps(path: str, coder: Codec) -> list[Step]:
    try:
        return coder.steps(parse(path))
    except MalformedError:
        # A path that is no path points nowhere, but the failure's message is still shown.
        return []


def _point(path: Any, steps: Iterable[Step]) -> None:
    for selector, value in steps:
        path.steps.add(**{selector: value})


def _steps(path: Any) -> Path:
    return tuple(getattr(step, step.WhichOneof("selector")) for step in path.steps if step.WhichOneof("selector"))


def said(message: Any, coder: Codec) -> tuple[tuple[Failure, ...], tuple[str, ...]]:
    """The failures and the warnings in an answer."""
    failures = tuple(_failures(message, coder))
    warnings = tuple(
        f"{diagnostic.summary}: {diagnostic.detail}" if diagnostic.detail else diagnostic.summary
        for diagnostic in message.diagnostics
        if diagnostic.severity != ERROR
    )
    return failures, warnings


def _failures(message: Any, coder: Codec) -> Iterator[Failure]:
    for diagnostic in message.diagnostics:
        if diagnostic.severity == ERROR:
            yield Failure(diagnostic.summary, show(coder.path(_steps(diagnostic.attribute))), detail=diagnostic.detail)
