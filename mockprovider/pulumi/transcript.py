"""Pulumi's calls and replies as the views that cassettes keep, and back."""

from __future__ import annotations

import base64
from collections.abc import Collection, Mapping
from typing import Any

from google.protobuf import any_pb2
from msgspec.structs import replace
from pulumi.runtime.proto import errors_pb2, provider_pb2, status_pb2

from mockprovider.calls import Call, Native, Op, Reply, Session, Status
from mockprovider.errors import MissError, UnsupportedError
from mockprovider.matching import digest
from mockprovider.pulumi.configuration import CONFIG, CONFIGURED, SECRET_KEYS, secret_keys, secret_names
from mockprovider.pulumi.errors import TYPE_URL, read_status
from mockprovider.pulumi.log import LOGGING, SEVERITIES
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.pulumi.monitor import MONITOR
from mockprovider.pulumi.status import PUBLISH, STATUS, TOKEN
from mockprovider.redaction import OUTPUT, SIGNATURE
from mockprovider.urn import reference
from mockprovider.wire.methods import Method, Service
from mockprovider.wire.status import StatusError
from mockprovider.wire.views import RAW, build, encode, view

CAPABILITIES: Mapping[Op, frozenset[str]] = {
    # The variables are the arguments once more, in plain text even where the arguments mark them secret.
    Op.CONFIGURE: frozenset(
        {"acceptSecrets", "acceptResources", "sends_old_inputs", "sends_old_inputs_to_delete", "variables"}
    ),
}
"""What an engine says of itself, or says twice: a recording serves engines of any age, so nothing is matched by it."""

MESSAGES = "messages"
"""Where the view of a stream has the views of its messages."""

DETAILS = {
    each.DESCRIPTOR.full_name: each
    for each in (
        provider_pb2.ErrorResourceInitFailed,
        provider_pb2.ConfigureErrorMissingKeys,
        errors_pb2.ErrorCause,
        errors_pb2.InputPropertiesError,
    )
}
"""The details of statuses that are shown and redacted field by field; any other is kept as bytes."""


class Transcript:
    """How Pulumi conversations are written down: a ``cassette.Transcriber``."""

    _service = PROVIDER

    @property
    def back(self) -> Backward:
        """How what a provider asks of its engine is written down."""
        return Backward()

    def _row(self, call: Call) -> Method | None:
        return self._service.methods.get(call.method) or (None if call.op is Op.RAW else self._service.by_op(call.op))

    def named(self, call: Call) -> Call:
        """The call with its RPC's name, which one that was made in process may lack."""
        row = None if call.method else self._row(call)
        return replace(call, method=row.name) if row else call

    def refuses(self, call: Call) -> str:
        """Why this call cannot be recorded; empty if it can."""
        row = self._row(call)
        return row.reason if row else ""

    def mutates(self, method: str) -> bool:
        """Whether the RPC changes the cloud. Of one that we do not know, nothing may be assumed."""
        row = self._service.methods.get(method)
        return row is None or row.mutates

    def type(self, call: Call) -> str:
        """The type's token."""
        return call.type

    def request(self, call: Call) -> dict[str, Any]:
        """The view of the call's request message."""
        row = self._row(call)
        if row is None:
            return _raw(call.native)
        seen = view(call.native.message if call.native else row.request(call))
        if row.op in CONFIGURED and CONFIG in seen:
            seen[SECRET_KEYS] = sorted(secret_keys(call))
        return seen

    def key(self, call: Call, request: dict[str, Any]) -> dict[str, Any]:
        """What two runs of one program share: no addresses, nothing volatile, nothing that the engine says of itself."""
        row = self._row(call)
        if row is None or row.op is Op.HANDSHAKE:
            return request if row is None else {}
        left_out = {*row.addresses, *row.volatile, *CAPABILITIES.get(row.op, ())}
        if "args" not in request:
            left_out.discard("variables")
        kept = {name: item for name, item in request.items() if name not in left_out}
        return _settled(kept) if row.op in CONFIGURED else kept

    def secrets(self, call: Call) -> Collection[str]:
        """What no value says itself: Pulumi's secrets travel marked, except in the stack's configuration."""
        return secret_names(call)

    def reply(self, reply: Reply, call: Call) -> dict[str, Any] | Status:
        """The view of the reply's answer message, or the status that it travels as."""
        row = self._row(call)
        try:
            if reply.stream is not None:
                return {MESSAGES: [_message(row, each) for each in reply.stream]}
            if row is None:
                return _raw(reply.native)
            if row.responses:
                return {MESSAGES: [view(each) for each in row.responses(reply, call)]}
            return view(reply.native.message if reply.native else row.response(reply, call))
        except StatusError as error:
            return error.status

    def restore(self, method: str, response: dict[str, Any], call: Call) -> Reply:
        """The reply of a view: the equal message, its bytes, and the decoded fields."""
        row = self._service.methods.get(method)
        if row is None and MESSAGES not in response:
            return Reply(native=Native(base64.b64decode(response[RAW])))
        if row is None or row.replies:
            return _streamed(row, response, call)
        message = build(self._service.messages[method][1], response)
        reply = row.reply(message, call)
        reply.native = Native(encode(message), message)
        return reply

    def details(self, data: bytes) -> Any:
        """A ``google.rpc.Status`` as a view, the details that we know taken apart."""
        status = status_pb2.Status.FromString(data)
        details = [_detail(each) for each in status.details]
        seen = {"code": status.code, "message": status.message, "details": details}
        return seen if self.pack(seen) == encode(status) else {RAW: base64.b64encode(data).decode()}

    def pack(self, details: Any) -> bytes:
        """The bytes of a view of details."""
        if RAW in details:
            return base64.b64decode(details[RAW])
        packed = [_pack(each) for each in details["details"]]
        return encode(status_pb2.Status(code=details["code"], message=details["message"], details=packed))

    def failed(self, status: Status, call: Call) -> Reply:
        """The reply of an RPC that ended in ``status``, with the partial state in its details."""
        return read_status(status, call)


WAYS = (MONITOR, STATUS, LOGGING)
BACK = Service(
    "the way back",
    {rpc: messages for each in WAYS for rpc, messages in each.messages.items()},
    {rpc: row for each in WAYS for rpc, row in each.methods.items()},
)
"""All that a provider asks or tells an engine; no two of its services have an RPC of the same name."""


class Backward(Transcript):
    """The same for the way back: what a provider asks of the engine's monitor, and what it tells of views and logs."""

    _service = BACK

    def logged(self, session: Session, severity: str, message: str, urn: str) -> Call:
        """A line of log as a call."""
        request = LOGGING.messages["Log"][0](severity=severity.upper(), message=message, urn=urn)
        return LOGGING.methods["Log"].call(request, session)

    def shown(self, view: dict[str, Any]) -> tuple[str, str, str]:
        """Severity, message and URN of the view of a line of log."""
        line: Any = build(LOGGING.messages["Log"][0], view)
        return SEVERITIES.get(line.severity, "info"), line.message, line.urn

    def key(self, call: Call, request: dict[str, Any]) -> dict[str, Any]:
        """The request, which is played again as it is kept, without what belongs to a run: where in a program it came from, and
        the ids of providers.
        """
        return _settled(super().key(call, request))

    def heard(self, method: str, view: dict[str, Any]) -> dict[str, Any]:
        """What a provider hears in an answer: what engines of other ages say besides does not count."""
        return {name: view.get(name, empty) for name, empty in HEARD.get(method, {}).items()}

    def played(self, method: str, view: dict[str, Any], during: Call) -> bool:
        """Whether a call is made again on replay: those that only ask what the engine can do are not, and views are told to
        engines that take them.

        Raises ``UnsupportedError`` for what only the recorded provider could stand behind.
        """
        if method in CALLBACKS or view.get("transforms") or (self._service.methods.get(method) is None):
            raise UnsupportedError(
                f"{during} cannot be replayed: meanwhile the recorded provider called {method} with functions of its own, or "
                "with what this version does not know."
            )
        return method in HEARD and (method != PUBLISH or during.monitor is not None)

    def asked(self, method: str, view: dict[str, Any], during: Call) -> Call:
        """The call of a request view, made during another."""
        message: Any = build(self._service.messages[method][0], view)
        if method == PUBLISH:
            message.token = during.extra.get(TOKEN, "")
        call = self._service.methods[method].call(message, during.session)
        call.native = Native(encode(message), message)
        return call

    def with_provider_ids(self, view: Any, references: Mapping[str, str]) -> Any:
        """The request with the ids of providers back in. Raises ``MissError`` for a provider that is not there."""
        changed = dict(view)
        if changed.get("provider"):
            changed["provider"] = _reference(changed["provider"], references)
        if changed.get("providers"):
            changed["providers"] = {name: _reference(urn, references) for name, urn in changed["providers"].items()}
        return changed

    def references(self, call: Call, method: str = "", answer: Mapping[str, Any] | None = None) -> dict[str, str]:
        """The provider references that a Construct names, or that an answer to ``method`` makes, by their URNs."""
        if answer is not None:
            urn, id_ = answer.get("urn", ""), answer.get("id", "")
            return {urn: reference(urn, id_)} if method == "RegisterResource" and PROVIDERS in urn else {}
        return {each.rpartition("::")[0]: each for each in (call.extra.get("providers") or {}).values()}


HEARD: Mapping[str, Mapping[str, Any]] = {
    "RegisterResource": {"urn": "", "id": "", "object": {}},
    "RegisterResourceOutputs": {},
    "ReadResource": {"urn": "", "properties": {}},
    "Invoke": {"return": {}, "failures": []},
    "Call": {"return": {}, "failures": []},
    "RegisterPackage": {"ref": ""},
    PUBLISH: {},
}
CALLBACKS = frozenset({"RegisterStackTransform", "RegisterStackInvokeTransform", "RegisterResourceHook", "RegisterErrorHook"})
PROVIDERS = "pulumi:providers:"


def _settled(view: dict[str, Any]) -> dict[str, Any]:
    """A view without what differs from run to run: the ids in provider references, which are fresh UUIDs in each stack, and the
    order of dependencies, which are sets.
    """
    changed = {name: _in_order(item) for name, item in view.items()}
    if changed.get("provider"):
        changed["provider"] = changed["provider"].rpartition("::")[0]
    if changed.get("providers"):
        changed["providers"] = {name: each.rpartition("::")[0] for name, each in changed["providers"].items()}
    if "dependencies" in changed:
        changed["dependencies"] = sorted(changed["dependencies"], key=digest)
    return changed


# Sorted by digest, because a text with a placeholder in it is no text.


def _in_order(view: Any) -> Any:
    if isinstance(view, list):
        return [_in_order(item) for item in view]
    if not isinstance(view, dict):
        return view
    found = {key: _in_order(item) for key, item in view.items()}
    unordered = "dependencies" if view.get(SIGNATURE) == OUTPUT else "urns" if view.keys() == {"urns"} else ""
    if isinstance(found.get(unordered), list):
        found[unordered] = sorted(found[unordered], key=digest)
    return found


def _reference(urn: str, references: Mapping[str, str]) -> str:
    if urn not in references:
        raise MissError(
            f"The recording uses the provider {urn} here, and this run has brought only {', '.join(references) or 'none'}. "
            "Give the component the providers that were recorded."
        )
    return references[urn]


def _raw(native: Native | None) -> dict[str, Any]:
    return {RAW: base64.b64encode(native.data if native else b"").decode()}


def _message(row: Method | None, native: Native) -> dict[str, Any]:
    return view(native.message) if row else _raw(native)


def _streamed(row: Method | None, response: Mapping[str, Any], call: Call) -> Reply:
    if row is None or row.replies is None:
        return Reply(stream=tuple(Native(base64.b64decode(each[RAW])) for each in response[MESSAGES]))
    messages = [build(PROVIDER.messages[row.name][1], each) for each in response[MESSAGES]]
    reply = row.replies(messages, call)
    reply.stream = tuple(Native(encode(each), each) for each in messages)
    return reply


def _detail(packed: any_pb2.Any) -> dict[str, Any]:
    cls = DETAILS.get(packed.TypeName())
    if cls is None:
        return {"type": packed.type_url, RAW: base64.b64encode(packed.value).decode()}
    return {"type": packed.type_url, "value": view(cls.FromString(packed.value))}


def _pack(detail: Mapping[str, Any]) -> any_pb2.Any:
    if RAW in detail:
        return any_pb2.Any(type_url=detail["type"], value=base64.b64decode(detail[RAW]))
    cls = DETAILS[detail["type"].removeprefix(TYPE_URL)]
    return any_pb2.Any(type_url=detail["type"], value=encode(build(cls, detail["value"])))
