"""``pulumirpc.Analyzer`` over a policy pack of this process: one method an RPC, from message to message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from google.protobuf import empty_pb2
from msgspec.structs import replace

from mockprovider.pulumi.policies.declaring import (
    PolicyPack,
    PolicyResource,
    PolicyRule,
    ResourcePolicy,
    StackPolicy,
    UnknownPropertyError,
    watched,
)
from mockprovider.pulumi.sdk import analyzer_pb2, plugin_pb2
from mockprovider.pulumi.values import decode, encode
from mockprovider.values import Secret, Value, has_secret, reveal, same

ACCEPTS = frozenset({"secrets"})
"""What engines send analyzers beside plain values."""


class PackAnalyzer:
    """A pack as engines call it. Methods have the RPCs' names, take their messages, and raise what a policy raises."""

    def __init__(self, pack: PolicyPack) -> None:
        self._pack = pack

    def Handshake(self, _: Any) -> Any:  # noqa: N802 - the RPC's name
        """Nothing to agree on."""
        return analyzer_pb2.AnalyzerHandshakeResponse()

    def ConfigureStack(self, _: Any) -> Any:  # noqa: N802 - the RPC's name
        """Nothing: a pack of this process has its configuration."""
        return analyzer_pb2.AnalyzerStackConfigureResponse()

    def Configure(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Take levels and settings."""
        config: dict[str, Any] = dict(self._pack.config)
        for name, settings in request.policyConfig.items():
            level = analyzer_pb2.EnforcementLevel.Name(settings.enforcementLevel).lower()
            config[name] = {**decode(settings.properties), "enforcementLevel": level}
        self._pack = replace(self._pack, config=config)
        return empty_pb2.Empty()

    def Cancel(self, _: Any) -> Any:  # noqa: N802 - the RPC's name
        """Nothing: policies are functions, which end by themselves."""
        return empty_pb2.Empty()

    def GetPluginInfo(self, _: Any) -> Any:  # noqa: N802 - the RPC's name
        """The pack's version."""
        return plugin_pb2.PluginInfo(version=self._pack.version)

    def GetAnalyzerInfo(self, _: Any) -> Any:  # noqa: N802 - the RPC's name
        """What the pack has."""
        info = analyzer_pb2.AnalyzerInfo(
            name=self._pack.name, displayName=self._pack.name, version=self._pack.version, supportsConfig=True
        )
        for policy in self._pack.policies:
            info.policies.add(
                name=policy.name,
                displayName=policy.name,
                description=policy.description,
                enforcementLevel=_level(self._pack.level(policy)),
                policy_type=analyzer_pb2.PolicyType.Value(policy.kind),
                severity=_severity(policy.severity),
            )
        return info

    def Analyze(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Check one resource."""
        response = analyzer_pb2.AnalyzeResponse()
        for policy in self._pack.of(ResourcePolicy):
            if policy.check is not None:
                self._check(policy, _resource(request, self._pack.settings(policy)), response)
        return response

    def AnalyzeStack(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Check all resources of the stack."""
        response = analyzer_pb2.AnalyzeResponse()
        for policy in self._pack.of(StackPolicy):
            settings = self._pack.settings(policy)
            self._check(policy, [_resource(resource, settings) for resource in request.resources], response)
        return response

    def _check(self, policy: Any, looked_at: Any, response: Any) -> None:
        own = "" if isinstance(looked_at, list) else looked_at.urn

        def report(message: str = "", urn: str = "", severity: str = "") -> None:
            lines = [line for line in (policy.description, message) if line]
            about = urn or own, severity or policy.severity
            self._object(response, policy, "\n".join(lines) or policy.name, about, self._pack.level(policy))

        try:
            policy.check(looked_at, report)
        except UnknownPropertyError as error:
            message = f"can't run policy {policy.name!r} during preview: {error}"
            self._object(response, policy, message, (own, policy.severity), "advisory")

    def _object(self, response: Any, policy: PolicyRule, message: str, about: tuple[str, str], level: str) -> None:
        urn, severity = about
        response.diagnostics.add(
            policyName=policy.name,
            policyPackName=self._pack.name,
            policyPackVersion=self._pack.version,
            description=policy.description,
            message=message,
            urn=urn,
            enforcementLevel=_level(level),
            severity=_severity(severity),
        )

    def Remediate(self, request: Any) -> Any:  # noqa: N802 - the RPC's name
        """Change one resource, policy after policy."""
        response = analyzer_pb2.RemediateResponse()
        bag: dict[str, Value] = decode(request.properties)
        for policy in self._remediating():
            resource = replace(_resource(request, self._pack.settings(policy)), props=watched(reveal(bag)))
            remediation = analyzer_pb2.Remediation(
                policyName=policy.name,
                policyPackName=self._pack.name,
                policyPackVersion=self._pack.version,
                description=policy.description,
            )
            try:
                wanted = policy.remediate(resource)
            except UnknownPropertyError as error:
                remediation.diagnostic = f"can't run policy {policy.name!r} during preview: {error}"
                response.remediations.append(remediation)
                continue
            if wanted is None or dict(wanted) == reveal(bag):
                continue
            bag = {name: _kept(value, bag.get(name)) for name, value in wanted.items()}
            remediation.properties.CopyFrom(encode(bag, ACCEPTS))
            response.remediations.append(remediation)
        return response

    def _remediating(self) -> Iterator[Any]:
        for policy in self._pack.of(ResourcePolicy):
            if policy.remediate is not None and self._pack.level(policy) == "remediate":
                yield policy


def _kept(value: Value, before: Value) -> Value:
    """``value``, secret where it is what was secret before, at every depth."""
    if isinstance(before, Secret):
        return before if same(value, before) else value
    if isinstance(value, Mapping) and isinstance(before, Mapping):
        return {name: _kept(item, before.get(name)) for name, item in value.items()}
    if isinstance(value, (list, tuple)) and isinstance(before, (list, tuple)):
        # An element may have moved, and what was hidden stays so wherever it is now.
        hidden = [item for item in before if has_secret(item)]
        earlier = [*before, *(None for _ in value)]
        return [
            next((old for old in hidden if same(item, reveal(old))), None) or _kept(item, earlier[at])
            for at, item in enumerate(value)
        ]
    return value


def _resource(message: Any, settings: Mapping[str, Any]) -> PolicyResource:
    """An ``AnalyzeRequest``, or an ``AnalyzerResource`` of a stack."""
    whole = message.DESCRIPTOR.name == "AnalyzerResource"
    of = message.propertyDependencies.items() if whole else ()
    return PolicyResource(
        type=message.type,
        urn=message.urn,
        name=message.name,
        props=watched(reveal(decode(message.properties))),
        options=message.options,
        provider=_provider(message.provider) if message.HasField("provider") else None,
        config=settings,
        parent=message.parent if whole else message.options.parent,
        dependencies=tuple(message.dependencies) if whole else (),
        property_dependencies={name: tuple(sources.urns) for name, sources in of},
    )


def _provider(message: Any) -> PolicyResource:
    props = watched(reveal(decode(message.properties)))
    return PolicyResource(type=message.type, urn=message.urn, name=message.name, props=props)


def _level(level: str) -> Any:
    return analyzer_pb2.EnforcementLevel.Value(level.upper())


def _severity(severity: str) -> Any:
    return analyzer_pb2.PolicySeverity.Value(f"POLICY_SEVERITY_{severity.upper() or 'UNSPECIFIED'}")
