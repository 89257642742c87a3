"""Policies in one operation: each registration is remediated and analyzed once it is checked, the whole stack at the end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from google.protobuf import empty_pb2

from mockprovider.engine.registrations.decision import RefusedError
from mockprovider.engine.registrations.goal import Goal
from mockprovider.errors import PluginError
from mockprovider.pulumi.policies.analyzing import ACCEPTS
from mockprovider.pulumi.policies.declaring import SEVERITIES
from mockprovider.pulumi.policies.found import PolicyRemediation, PolicyViolation
from mockprovider.pulumi.sdk import analyzer_pb2
from mockprovider.pulumi.stacks.state import ResourceState
from mockprovider.pulumi.values import decode, encode
from mockprovider.urn import make
from mockprovider.values import Archive, Asset, Bag, Value, map_value
from mockprovider.wire.pool import DaemonExecutor, settled

T = TypeVar("T")
HIDDEN = "__"
"""How the names of properties begin that analyzers are not shown."""


class PoliciesBrokenError(RefusedError):
    """A mandatory policy was broken. The user was told so by the violation."""


class Policing:
    """The policy packs of one operation, and what they found.

    Args:
        analyzers: the packs, as objects with the methods of ``pulumirpc.Analyzer``.
        preview: whether nothing is refused yet, so that all violations are seen.
        stack: the names of stack and project.
        hashed: gives assets and archives their hashes.
    """

    def __init__(
        self, analyzers: Sequence[Any], *, preview: bool, stack: tuple[str, str], hashed: Callable[[Any], Any]
    ) -> None:
        self._analyzers = analyzers
        self._preview = preview
        self._root = str(make(*stack, None, "pulumi:pulumi:Stack", f"{stack[1]}-{stack[0]}"))
        self._hashed = hashed
        self._infos = [analyzer.GetAnalyzerInfo(empty_pb2.Empty()) for analyzer in analyzers]
        self.violations: list[PolicyViolation] = []
        self.remediations: list[PolicyRemediation] = []
        self._cancelled = False
        self._lock = threading.Lock()

    @property
    def packs(self) -> list[tuple[str, str]]:
        """Names and versions."""
        return [(info.name, info.version) for info in self._infos]

    @property
    def found(self) -> dict[str, Any]:
        """What a result says of it."""
        return {
            "policy_packs": self.packs,
            "policy_violations": list(self.violations),
            "policy_remediations": list(self.remediations),
        }

    # Single resources ------------------------------------------------------------------------------------------------

    def judge(self, new: ResourceState, goal: Goal, provider: ResourceState | None) -> bool:
        """Remediate, and then analyze, the checked inputs of ``new``.

        Returns whether it breaks mandatory policies in a preview; otherwise that raises ``PoliciesBrokenError``. Raises
        ``RefusedError`` for a policy that fails to run.
        """
        for analyzer, info in zip(self._analyzers, self._infos, strict=True):
            self._remediate(analyzer, info, new, goal, provider)
        shown = {name: value for name, value in new.inputs.items() if not name.startswith(HIDDEN)}
        request = _request(new, shown, goal, provider)
        answers = self._all(lambda analyzer: _analyzed("failed to run policy", analyzer.Analyze, request))
        if self._cancelled:
            raise RefusedError("the operation was cancelled while policies looked at this resource")
        broken = self._note_all(answers, lambda _: new.urn)
        if broken and not self._preview:
            raise PoliciesBrokenError(f"resource {new.urn} is invalid: it breaks a mandatory policy")
        return broken

    def _remediate(self, analyzer: Any, info: Any, new: ResourceState, goal: Goal, provider: ResourceState | None) -> None:
        request = _request(new, new.inputs, goal, provider)
        for remediation in _asked("failed to run remediation", analyzer.Remediate, request).remediations:
            named = {
                "policy": remediation.policyName,
                "pack": remediation.policyPackName,
                "version": info.version or remediation.policyPackVersion,
            }
            with self._lock:
                if remediation.diagnostic:
                    message = remediation.diagnostic
                    self.violations.append(PolicyViolation(**named, level="advisory", message=message, urn=new.urn))
                    continue
                # What comes back has lost the hashes of its assets, or has assets of its own.
                after = map_value(decode(remediation.properties), self._with_hash)
                self.remediations.append(PolicyRemediation(**named, urn=new.urn, before=new.inputs, after=after))
                new.inputs = after

    def _with_hash(self, value: Value) -> Value:
        return self._hashed(value) if isinstance(value, (Asset, Archive)) else value

    # The whole stack -------------------------------------------------------------------------------------------------

    def judge_stack(self, resources: Sequence[ResourceState], goals: Mapping[str, Goal]) -> bool:
        """Analyze the resources of the stack, with their outputs. Returns whether mandatory policies are broken.

        Raises ``RefusedError`` for a policy that fails to run.
        """
        by_urn = {resource.urn: resource for resource in resources}
        request = analyzer_pb2.AnalyzeStackRequest()
        for resource in resources:
            request.resources.append(_stack_resource(resource, goals.get(resource.urn), by_urn.get(resource.provider_urn)))
        answers = self._all(lambda analyzer: _analyzed("failed to analyze resources", analyzer.AnalyzeStack, request))
        return self._note_all(answers, lambda urn: urn if urn in by_urn else self._root)

    def _note_all(self, answers: Sequence[Any], place: Callable[[str], str]) -> bool:
        """Note all violations; returns whether a mandatory one is among them. Raises the first error of a pack, after that."""
        broken = False
        for info, answer in zip(self._infos, answers, strict=True):
            for diagnostic in () if isinstance(answer, RefusedError) else answer.diagnostics:
                broken |= self._note(info, diagnostic, place(diagnostic.urn))
        for answer in answers:
            if isinstance(answer, RefusedError):
                raise answer
        return broken

    def _note(self, info: Any, diagnostic: Any, urn: str) -> bool:
        """Note a violation; returns whether it is mandatory."""
        level = analyzer_pb2.EnforcementLevel.Name(diagnostic.enforcementLevel).lower()
        declared = {policy.name: policy.severity for policy in info.policies}
        severity = diagnostic.severity or declared.get(diagnostic.policyName, 0)
        violation = PolicyViolation(
            policy=diagnostic.policyName,
            pack=diagnostic.policyPackName,
            version=info.version or diagnostic.policyPackVersion,
            # What no remediation could remedy is an error.
            level="mandatory" if level == "remediate" else level,
            message=diagnostic.message,
            urn=urn,
            severity=SEVERITIES[severity],
        )
        with self._lock:
            self.violations.append(violation)
        return violation.mandatory

    def _all(self, ask: Callable[[Any], T]) -> list[T]:
        """The answers of all packs, none of which waits for another."""
        if len(self._analyzers) == 1:
            return [ask(self._analyzers[0])]
        pool = DaemonExecutor(len(self._analyzers) or 1, "mockprovider-policies")
        try:
            return [settled(future) for future in [pool.submit(ask, analyzer) for analyzer in self._analyzers]]
        finally:
            pool.shutdown(wait=False)

    def cancel(self) -> None:
        """Ask all packs to end what they do. One that cannot hear it ends with the operation."""
        self._cancelled = True
        for analyzer in self._analyzers:
            with suppress(PluginError):
                analyzer.Cancel(empty_pb2.Empty())

    def end(self) -> None:
        """The packs are about to end: nobody is asked any more."""
        self._analyzers = ()


def _analyzed(what: str, method: Callable[[Any], Any], request: Any) -> Any:
    """What a pack answers, or the error that it ends with: it hides nothing of what others say."""
    try:
        return _asked(what, method, request)
    except RefusedError as error:
        return error


def _asked(what: str, method: Callable[[Any], Any], request: Any) -> Any:
    try:
        return method(request)
    except Exception as error:  # a policy may raise anything
        raise RefusedError(f"{what}: {error}") from error


def _request(new: ResourceState, bag: Bag, goal: Goal, provider: ResourceState | None) -> Any:
    request = analyzer_pb2.AnalyzeRequest(
        type=new.type, urn=new.urn, name=new.name, properties=encode(bag, ACCEPTS), options=_options(new, goal)
    )
    _provide(request, provider)
    return request


def _stack_resource(resource: ResourceState, goal: Goal | None, provider: ResourceState | None) -> Any:
    shown = {name: value for name, value in resource.outputs.items() if not name.startswith(HIDDEN)}
    message = analyzer_pb2.AnalyzerResource(
        type=resource.type,
        urn=resource.urn,
        name=resource.name,
        properties=encode(shown, ACCEPTS),
        options=_options(resource, goal),
        parent=resource.parent,
        dependencies=resource.dependencies,
    )
    for name, urns in resource.property_dependencies.items():
        if urns:
            message.propertyDependencies[name].urns.extend(urns)
    _provide(message, provider)
    return message


def _provide(message: Any, provider: ResourceState | None) -> None:
    if provider is not None:
        message.provider.type, message.provider.urn, message.provider.name = provider.type, provider.urn, provider.name
        shown = {name: value for name, value in provider.inputs.items() if not name.startswith(HIDDEN)}
        message.provider.properties.CopyFrom(encode(shown, ACCEPTS))


def _options(resource: ResourceState, goal: Goal | None) -> Any:
    before = goal.delete_before_replace if goal else None
    timeouts = resource.custom_timeouts
    return analyzer_pb2.AnalyzerResourceOptions(
        protect=bool(resource.protect),
        ignoreChanges=resource.ignore_changes,
        deleteBeforeReplace=bool(before),
        deleteBeforeReplaceDefined=before is not None,
        additionalSecretOutputs=resource.additional_secret_outputs,
        aliases=resource.aliases,
        customTimeouts=analyzer_pb2.AnalyzerResourceOptions.CustomTimeouts(
            create=timeouts.create, update=timeouts.update, delete=timeouts.delete, read=timeouts.read
        ),
        parent=resource.parent,
    )


def of_stack(resources: Iterable[ResourceState]) -> list[ResourceState]:
    """Those that the stack has now: what waits for its deletion is left out."""
    return [resource for resource in resources if not (resource.delete or resource.pending_replacement)]
