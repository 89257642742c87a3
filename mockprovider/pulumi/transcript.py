"""Pulumi's calls and replies as the trees that cassettes keep, and back."""

from __future__ import annotations

import base64
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from google.protobuf import any_pb2
from msgspec.structs import replace

from mockprovider.calls import Call, Native, Op, Reply, Session, Status
from mockprovider.cassette.gist import Gist
from mockprovider.errors import MissError, UnsupportedError
from mockprovider.matching import digest
from mockprovider.pulumi.configuration import CONFIG, CONFIGURED, SECRET_KEYS, secret_keys, secret_names
from mockprovider.pulumi.errors import TYPE_URL, read_status
from mockprovider.pulumi.gist import gist
from mockprovider.pulumi.log import LOGGING, SEVERITIES
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.pulumi.monitor import MONITOR
from mockprovider.pulumi.sdk import errors_pb2, provider_pb2, status_pb2
from mockprovider.pulumi.signatures import MARKS, OUTPUT, SIGNATURE, accepted
from mockprovider.pulumi.status import PUBLISH, STATUS, TOKEN
from mockprovider.urn import PROVIDERS, reference
from mockprovider.wire.methods import RpcMethod, Service
from mockprovider.wire.transcript import TableTranscript, left_out
from mockprovider.wire.trees import RAW, build, encode, tree

CAPABILITIES: Mapping[Op, frozenset[str]] = {
    # The variables repeat the arguments in plain text, also those that the arguments mark as secret.
    Op.CONFIGURE: frozenset(
        {"acceptSecrets", "acceptResources", "sends_old_inputs", "sends_old_inputs_to_delete", "variables"}
    ),
}
"""Fields about the engine itself, and repeated ones. Recordings serve engines of any age, so they are not matched."""

OFFERS: Mapping[Op, Mapping[str, bool]] = {
    Op.HANDSHAKE: {"configure_with_urn": True, "invoke_with_preview": True},
    Op.CONFIGURE: dict.fromkeys(("acceptSecrets", "acceptResources", "sends_old_inputs", "sends_old_inputs_to_delete"), True),
}
"""What an engine of today says of itself."""

BAGS = frozenset({
    *("args", "config", "inputs", "news", "object", "old_inputs", "olds", "outputs", "properties", "query"),
    *("replacement_trigger", "return", "state", "variables"),
})  # fmt: skip
"""Fields of messages that hold properties or configuration."""

WORDS = frozenset({
    *("type", "tok", "token", "version", "parent_type", "subpackage_name", "subpackage_version"),
    *("changes", "kind", "mode", "op", "result", "severity", "status", "supportedFeatures"),
    *("diffs", "replaces", "stables", "property", "property_path", "ignoreChanges", "replaceOnChanges", "hideDiffs"),
    *("additionalSecretOutputs", "configSecretKeys"),
})  # fmt: skip
"""Fields of messages with what the protocol or a schema names: types, enumerations, properties."""

DETAILS = {
    message.DESCRIPTOR.full_name: message
    for message in (
        provider_pb2.ErrorResourceInitFailed,
        provider_pb2.ConfigureErrorMissingKeys,
        errors_pb2.ErrorCause,
        errors_pb2.InputPropertiesError,
    )
}
"""The details of statuses that are recorded and redacted field by field; others are kept as bytes."""


class PulumiTranscript(TableTranscript):
    """Records Pulumi's calls: a ``cassette.Transcriber``."""

    marks = replace(MARKS, wrappers=BAGS, words=WORDS)

    def __init__(self, service: Service = PROVIDER, *, without: Mapping[Op, frozenset[str]] = MappingProxyType({})) -> None:
        super().__init__(service)
        ops = {*CAPABILITIES, *without}
        self._unsaid = {op: CAPABILITIES.get(op, frozenset()) | without.get(op, frozenset()) for op in ops}
        """Fields of requests that are not compared: about the engine itself, or unknown to the recorded one."""
        self._accepts: set[bool] = set()
        self._untold = False

    @property
    def openly(self) -> bool:
        """Whether the provider accepts no secrets, and the engine has not said which of the values that it sends are some."""
        return self._untold and self._accepts == {False}

    def reply(self, reply: Reply, call: Call) -> dict[str, Any] | Status:
        """The tree of the reply's answer message, or the status that it travels as."""
        if call.op in (Op.HANDSHAKE, Op.CONFIGURE) and reply.ok:
            self._accepts.add("secrets" in accepted(reply.extra))
        self._untold |= bool(call.urn and call.inputs) and call.secrets is None
        return super().reply(reply, call)

    @property
    def back(self) -> Backward:
        """The transcript of a provider's calls to its engine."""
        return Backward(BACK)

    def request(self, call: Call) -> dict[str, Any]:
        """The tree of the call's request message."""
        seen = super().request(call)
        if call.op in CONFIGURED and CONFIG in seen:
            seen[SECRET_KEYS] = sorted(secret_keys(call))
        return seen

    def key(self, call: Call, request: dict[str, Any]) -> dict[str, Any]:
        """The part of a request that two runs of one program share: no addresses, volatile fields, or engine capabilities."""
        if call.op is Op.HANDSHAKE:
            return {}
        kept = super().key(call, request)
        if said := self._unsaid.get(call.op):
            kept = left_out(kept, said if "args" in request else said - {"variables"})
        return _settled(kept) if call.op in CONFIGURED else kept

    def offers(self, row: RpcMethod) -> Mapping[str, Any]:
        """What an engine of today says of itself."""
        return OFFERS.get(row.op, {})

    def secrets(self, call: Call) -> Collection[str]:
        """The secrets in the stack's configuration, and those that the engine knows and sends openly; others are marked."""
        return [*secret_names(call), *(call.secrets or ())]

    def is_for(self, instance: str, package: str) -> bool:
        """Whether a provider's URN is for ``package``."""
        return f"::{PROVIDERS}{package}::" in instance

    def details(self, data: bytes) -> Any:
        """A ``google.rpc.Status`` as a tree, with the fields of known details."""
        status = status_pb2.Status.FromString(data)
        details = [_detail(detail) for detail in status.details]
        seen = {"code": status.code, "message": status.message, "details": details}
        return seen if self.pack(seen) == encode(status) else {RAW: base64.b64encode(data).decode()}

    def pack(self, details: Any) -> bytes:
        """The bytes of a tree of details."""
        if RAW in details:
            return base64.b64decode(details[RAW])
        packed = [_pack(detail) for detail in details["details"]]
        return encode(status_pb2.Status(code=details["code"], message=details["message"], details=packed))

    def failed(self, status: Status, call: Call) -> Reply:
        """The reply of an RPC that ended in ``status``, with the partial state in its details."""
        return read_status(status, call)

    def gist(self, op: str, request: Mapping[str, Any], response: Mapping[str, Any]) -> Gist:
        """What a recorded answer comes to."""
        return gist(op, request, response)


WAYS = (MONITOR, STATUS, LOGGING)
BACK = Service(
    "the way back",
    {rpc: messages for way in WAYS for rpc, messages in way.messages.items()},
    {rpc: row for way in WAYS for rpc, row in way.methods.items()},
)
"""All RPCs from providers to engines; no two of its services have an RPC of the same name."""


class Backward(PulumiTranscript):
    """The transcript of the way back: a provider's calls to the engine's monitor, its views and its log."""

    def logged(self, session: Session, severity: str, message: str, urn: str) -> Call:
        """A line of log as a call."""
        request = LOGGING.messages["Log"][0](severity=severity.upper(), message=message, urn=urn)
        return LOGGING.methods["Log"].call(request, session)

    def shown(self, tree: dict[str, Any]) -> tuple[str, str, str]:
        """Severity, message and URN of the tree of a line of log."""
        line: Any = build(LOGGING.messages["Log"][0], tree)
        return SEVERITIES.get(line.severity, "info"), line.message, line.urn

    def key(self, call: Call, request: dict[str, Any]) -> dict[str, Any]:
        """The request, which is repeated on replay, without its position in the program and the ids of providers."""
        return _settled(super().key(call, request))

    def heard(self, method: str, tree: dict[str, Any]) -> dict[str, Any]:
        """The fields of an answer that providers use; those of other engine versions are ignored."""
        return {name: tree.get(name, empty) for name, empty in HEARD.get(method, {}).items()}

    def played(self, method: str, tree: dict[str, Any], during: Call) -> bool:
        """Whether a call is repeated on replay. Those about the engine's features are not, and views are only published to
        engines that accept them.

        Raises ``UnsupportedError`` for calls that need the recorded provider, such as those with callbacks.
        """
        if method in CALLBACKS or tree.get("transforms") or (self._service.methods.get(method) is None):
            raise UnsupportedError(
                f"{during} cannot be replayed: meanwhile the recorded provider called {method} with functions of its own, or "
                "with what this version does not know."
            )
        return method in HEARD and (method != PUBLISH or during.monitor is not None)

    def asked(self, method: str, tree: dict[str, Any], during: Call) -> Call:
        """The call of a request tree during another call."""
        message: Any = build(self._service.messages[method][0], tree)
        if method == PUBLISH:
            message.token = during.extra.get(TOKEN, "")
        call = self._service.methods[method].call(message, during.session)
        call.native = Native(encode(message), message)
        return call

    def with_provider_ids(self, tree: Any, references: Mapping[str, str]) -> Any:
        """The request with the ids of providers restored. Raises ``MissError`` for an unknown provider."""
        changed = dict(tree)
        if changed.get("provider"):
            changed["provider"] = _reference(changed["provider"], references)
        if changed.get("providers"):
            changed["providers"] = {name: _reference(urn, references) for name, urn in changed["providers"].items()}
        return changed

    def references(self, call: Call, method: str = "", answer: Mapping[str, Any] | None = None) -> dict[str, str]:
        """The provider references in a Construct, or in an answer to ``method``, by their URNs."""
        if answer is not None:
            urn, id_ = answer.get("urn", ""), answer.get("id", "")
            return {urn: reference(urn, id_)} if method == "RegisterResource" and PROVIDERS in urn else {}
        return {provider.rpartition("::")[0]: provider for provider in (call.extra.get("providers") or {}).values()}


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


def _settled(tree: dict[str, Any]) -> dict[str, Any]:
    """A tree without what differs between runs: the ids in provider references, which are new UUIDs in each stack, and the
    order of dependencies, which are sets.
    """
    changed = {name: _in_order(item) for name, item in tree.items()}
    if changed.get("provider"):
        changed["provider"] = changed["provider"].rpartition("::")[0]
    if changed.get("providers"):
        changed["providers"] = {name: provider.rpartition("::")[0] for name, provider in changed["providers"].items()}
    if "dependencies" in changed:
        changed["dependencies"] = sorted(changed["dependencies"], key=digest)
    return changed


# Sorted by digest, because a text with a placeholder is an object.


def _in_order(tree: Any) -> Any:
    if isinstance(tree, list):
        return [_in_order(item) for item in tree]
    if not isinstance(tree, dict):
        return tree
    ordered = {key: _in_order(item) for key, item in tree.items()}
    unordered = "dependencies" if tree.get(SIGNATURE) == OUTPUT else "urns" if tree.keys() == {"urns"} else ""
    if isinstance(ordered.get(unordered), list):
        ordered[unordered] = sorted(ordered[unordered], key=digest)
    return ordered


def _reference(urn: str, references: Mapping[str, str]) -> str:
    if urn not in references:
        raise MissError(
            f"The recording uses the provider {urn} here, and this run has brought only {', '.join(references) or 'none'}. "
            "Give the component the providers that were recorded."
        )
    return references[urn]


def _detail(packed: any_pb2.Any) -> dict[str, Any]:
    cls = DETAILS.get(packed.TypeName())
    if cls is None:
        return {"type": packed.type_url, RAW: base64.b64encode(packed.value).decode()}
    return {"type": packed.type_url, "value": tree(cls.FromString(packed.value))}


def _pack(detail: Mapping[str, Any]) -> any_pb2.Any:
    if RAW in detail:
        return any_pb2.Any(type_url=detail["type"], value=base64.b64decode(detail[RAW]))
    cls = DETAILS[detail["type"].removeprefix(TYPE_URL)]
    return any_pb2.Any(type_url=detail["type"], value=encode(build(cls, detail["value"])))
