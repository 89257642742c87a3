"""How a provider's failures travel in Pulumi's protocol: as check failures, as partial state, or as a status (reference 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf import any_pb2
from google.protobuf.message import DecodeError, Message
from pulumi.runtime.proto import errors_pb2, provider_pb2, status_pb2

from mockprovider.calls import Call, Failure, Op, Reply, Status
from mockprovider.pulumi.table import MISSING_KEYS
from mockprovider.pulumi.values import EVERYTHING, decode, encode
from mockprovider.wire.status import StatusError, failed, name_of, status

TYPE_URL = "type.googleapis.com/"
PARTIAL = frozenset({Op.CREATE, Op.UPDATE, Op.READ})
"""The ops whose half-made object the engine keeps (``ErrorResourceInitFailed``)."""


def raise_failures(reply: Reply, call: Call, message: Any) -> None:
    """Put a reply's failures where the protocol has them: into ``message``, or raise ``StatusError``."""
    if not reply.failures:
        return
    listed = "failures" in message.DESCRIPTOR.fields_by_name and all(each.status is None for each in reply.failures)
    if listed:
        for each in reply.failures:
            message.failures.add(property=each.path, reason=each.reason)
        return
    if reply.partial and call.op in PARTIAL:
        raise StatusError(_init_failed(reply))
    first = reply.failures[0]
    wrong = call.op is Op.CONSTRUCT and all(each.status is None for each in reply.failures)
    code, message = (
        first.status or ("invalid_argument" if wrong else "unknown"),
        "; ".join(each.reason for each in reply.failures),
    )
    details = _input_errors(reply, code, message) if wrong else _missing_keys(reply, code, message)
    raise StatusError(status(code, message, details))


def _input_errors(reply: Reply, code: str, message: str) -> bytes:
    """Construct has no list of failures; what is wrong with a component's inputs travels as a detail (reference 5.2)."""
    kind = errors_pb2.InputPropertiesError
    found = [kind.PropertyError(property_path=each.path, reason=each.reason) for each in reply.failures]
    return pack(status(code, "").code, message, kind(errors=found))


def _missing_keys(reply: Reply, code: str, message: str) -> bytes:
    missing = reply.extra.get(MISSING_KEYS)
    if not missing:
        return b""
    kind = provider_pb2.ConfigureErrorMissingKeys
    keys = [kind.MissingKey(name=name, description=description) for name, description in missing.items()]
    return pack(status(code, "").code, message, kind(missingKeys=keys))


def _init_failed(reply: Reply) -> Status:
    reasons = [each.reason for each in reply.failures]
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
    for each in details:
        holder = any_pb2.Any()
        holder.Pack(each, type_url_prefix=TYPE_URL)
        packed.append(holder)
    return bytes(status_pb2.Status(code=code, message=message, details=packed).SerializeToString(deterministic=True))


def read_failures(reply: Reply) -> Reply:
    """``reply`` with the check failures that its message listed."""
    extra = dict(reply.extra)
    # Taken out, or an answer made of this reply would tell each failure twice.
    reply.failures = tuple(Failure(each.reason, each.property) for each in extra.pop("failures", ()))
    reply.extra = extra
    return reply


def _details(status_: Status) -> Sequence[any_pb2.Any]:
    try:
        found: Sequence[any_pb2.Any] = status_pb2.Status.FromString(status_.details).details
    except DecodeError:
        # Some providers put other things there. The status itself is still good, and its bytes are handed on as they are.
        return ()
    return found


def read_status(status_: Status, call: Call) -> Reply:
    """The reply of an RPC that ended in a status: with the partial state that its details hold, if they do."""
    reply = failed(status_)
    for detail in _details(status_):
        found, missing = provider_pb2.ErrorResourceInitFailed(), provider_pb2.ConfigureErrorMissingKeys()
        wrong = errors_pb2.InputPropertiesError()
        if call.op in PARTIAL and detail.Unpack(found):
            reply.id = found.id
            reply.value = decode(found.properties)
            reply.inputs = decode(found.inputs) if found.HasField("inputs") else None
            reply.extra = {"refresh_before_update": True} if found.refresh_before_update else {}
            reply.failures = tuple(map(Failure, found.reasons))
        elif detail.Unpack(wrong):
            reply.failures = tuple(Failure(each.reason, each.property_path) for each in wrong.errors)
        elif detail.Unpack(missing):
            code = name_of(status_)
            reply.failures = tuple(
                Failure(f"missing configuration key {key.name!r}", key.name, code) for key in missing.missingKeys
            )
            reply.extra = {MISSING_KEYS: {key.name: key.description for key in missing.missingKeys}}
    return reply
