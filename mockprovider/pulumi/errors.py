"""A provider's failures in Pulumi's protocol: check failures, partial state, or a status (reference 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf import any_pb2
from google.protobuf.message import DecodeError, Message

from mockprovider.calls import STATUS_NAMES, Call, Failure, Op, Reply, Status
from mockprovider.pulumi.sdk import errors_pb2, provider_pb2, status_pb2
from mockprovider.pulumi.table import MISSING_KEYS
from mockprovider.pulumi.values import EVERYTHING, decode, encode
from mockprovider.wire.status import StatusError, failed, name_of, status

TYPE_URL = "type.googleapis.com/"
PARTIAL = frozenset({Op.CREATE, Op.UPDATE, Op.READ})
"""The ops whose half-made object the engine keeps (``ErrorResourceInitFailed``)."""

GO_NAMES = tuple({"ok": "OK", "cancelled": "Canceled"}.get(name, name.title().replace("_", "")) for name in STATUS_NAMES)
"""gRPC's statuses as Go spells them, each at its number."""


def rpc_error(number: int, message: str) -> str:
    """A failed RPC as Go's gRPC writes it, which is how the real engine logs each, and tells some of them."""
    return f"rpc error: code = {GO_NAMES[number] if number < len(GO_NAMES) else f'Code({number})'} desc = {message}"


def raise_failures(reply: Reply, call: Call, message: Any) -> None:
    """Put a reply's failures into ``message``, or raise ``StatusError`` if the protocol has no field for them."""
    if not reply.failures:
        return
    listed = "failures" in message.DESCRIPTOR.fields_by_name and all(failure.status is None for failure in reply.failures)
    if listed:
        for failure in reply.failures:
            message.failures.add(property=failure.path, reason=failure.reason)
        return
    if reply.partial and call.op in PARTIAL:
        raise StatusError(_init_failed(reply))
    first = reply.failures[0]
    wrong = call.op is Op.CONSTRUCT and all(failure.status is None for failure in reply.failures)
    code, message = (
        first.status or ("invalid_argument" if wrong else "unknown"),
        "; ".join(failure.reason for failure in reply.failures),
    )
    details = _input_errors(reply, code, message) if wrong else _missing_keys(reply, code, message)
    raise StatusError(status(code, message, details))


def _input_errors(reply: Reply, code: str, message: str) -> bytes:
    """Construct has no list of failures, so failures of a component's inputs are a status detail (reference 5.2)."""
    kind = errors_pb2.InputPropertiesError
    errors = [kind.PropertyError(property_path=failure.path, reason=failure.reason) for failure in reply.failures]
    return pack(status(code, "").code, message, kind(errors=errors))


def _missing_keys(reply: Reply, code: str, message: str) -> bytes:
    missing = reply.extra.get(MISSING_KEYS)
    if not missing:
        return b""
    kind = provider_pb2.ConfigureErrorMissingKeys
    keys = [kind.MissingKey(name=name, description=description) for name, description in missing.items()]
    return pack(status(code, "").code, message, kind(missingKeys=keys))


def _init_failed(reply: Reply) -> Status:
    reasons = [failure.reason for failure in reply.failures]
    refresh = bool(reply.extra.get("refresh_before_update"))
    detail = provider_pb2.ErrorResourceInitFailed(id=reply.id, reasons=reasons, refresh_before_update=refresh)
    detail.properties.CopyFrom(encode(reply.value or {}, EVERYTHING - {"outputs"}))
    if reply.inputs is not None:
        detail.inputs.CopyFrom(encode(reply.inputs, EVERYTHING - {"outputs"}))
        detail.inputs.SetInParent()
    message = "; ".join(reasons)
    # The code does not matter once this detail is there; Unknown is what providers use (5.2).
    return status("unknown", message, pack(2, message, detail))


def pack(code: int, message: str, *details: Message) -> bytes:
    """The bytes of ``grpc-status-details-bin``: a ``google.rpc.Status`` with ``details``."""
    packed = []
    for detail in details:
        holder = any_pb2.Any()
        holder.Pack(detail, type_url_prefix=TYPE_URL)
        packed.append(holder)
    return bytes(status_pb2.Status(code=code, message=message, details=packed).SerializeToString(deterministic=True))


def read_failures(reply: Reply) -> Reply:
    """``reply`` with the check failures of its message."""
    extra = dict(reply.extra)
    # They are removed from extra, or an answer made from this reply would have each failure twice.
    reply.failures = tuple(Failure(failure.reason, failure.property) for failure in extra.pop("failures", ()))
    reply.extra = extra
    return reply


def _details(status_: Status) -> Sequence[any_pb2.Any]:
    try:
        details: Sequence[any_pb2.Any] = status_pb2.Status.FromString(status_.details).details
    except DecodeError:
        # Some providers put other data there. The status itself is valid, and its bytes are forwarded unchanged.
        return ()
    return details


def read_status(status_: Status, call: Call) -> Reply:
    """The reply of an RPC that ended in a status, with the partial state in its details, if there is any."""
    reply = failed(status_)
    for detail in _details(status_):
        init_failed, missing_keys = provider_pb2.ErrorResourceInitFailed(), provider_pb2.ConfigureErrorMissingKeys()
        wrong_inputs = errors_pb2.InputPropertiesError()
        if call.op in PARTIAL and detail.Unpack(init_failed):
            reply.id = init_failed.id
            reply.value = decode(init_failed.properties)
            reply.inputs = decode(init_failed.inputs) if init_failed.HasField("inputs") else None
            reply.extra = {"refresh_before_update": True} if init_failed.refresh_before_update else {}
            reply.failures = tuple(map(Failure, init_failed.reasons))
        elif detail.Unpack(wrong_inputs):
            reply.failures = tuple(Failure(error.reason, error.property_path) for error in wrong_inputs.errors)
        elif detail.Unpack(missing_keys):
            code = name_of(status_)
            reply.failures = tuple(
                Failure(f"missing configuration key {key.name!r}", key.name, code) for key in missing_keys.missingKeys
            )
            reply.extra = {MISSING_KEYS: {key.name: key.description for key in missing_keys.missingKeys}}
    return reply
