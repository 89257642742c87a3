"""What an operation on a stack came to: the same for the embedded engine and the real command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from mockprovider.errors import MalformedError
from mockprovider.pulumi.policies.found import PolicyRemediation, PolicyViolation, printed
from mockprovider.pulumi.stacks.exporting import export_state
from mockprovider.pulumi.stacks.extensions import Extension
from mockprovider.pulumi.stacks.state import PendingOperation, ResourceStates, State
from mockprovider.urn import Urn
from mockprovider.values import Value

FAILED = 1
"""The exit code of a failed operation."""


class Diagnostic(Struct, frozen=True):
    """What a user would be shown: ``severity`` is ``debug``, ``info``, ``warning`` or ``error``; ``urn`` may be empty."""

    severity: str
    message: str
    urn: str = ""

    def __str__(self) -> str:
        where = f"{_called(self.urn)}: " if self.urn else ""
        return f"{self.severity}: {where}{self.message}"


def _called(urn: str) -> str:
    """A resource as programs call it: behind its URN, nobody would find the message."""
    try:
        parsed = Urn.parse(urn)
    except MalformedError:
        return urn
    return f"{parsed.type} {parsed.name}"


class Result(Struct, kw_only=True):
    """The outcome of an up, preview, refresh or destroy.

    Attributes:
        outputs: the stack's outputs, secrets revealed; in a preview some may be ``UNKNOWN``.
        secret_outputs: the names of those that are secret.
        summary: what happened to how many of the program's own resources: ``{"create": 2, "update": 1}``. What stayed as
            it was is left out, as are the stack and providers, so a run that changed nothing has an empty one. A
            replacement counts once, as ``replace``. A refresh counts what it found: ``update`` (drift) or ``delete`` (gone).
        steps: every step, as ``(op, URN)``, in the order in which they ended; here the stack and providers are included.
        state: the resources afterwards, by name, type and name, or URN; in a preview, as they would be.
        pending_operations: the provider calls that were cut off, and of which nobody knows how they ended.
        diagnostics: what a user would have been shown, in order.
        policy_violations: what policies objected to, in order.
        policy_remediations: what policies changed, in order.
        policy_packs: the names and versions of the policy packs that looked.
        error: what went wrong first, ``None`` if nothing did.
        exit_code: 0 for success, as a command line ends.
        output: what a user would have read.
        plan: of a preview that was asked for one, the update plan, as ``pulumi`` writes it; secrets may be in it.
    """

    outputs: dict[str, Value] = field(default_factory=dict)
    secret_outputs: frozenset[str] = frozenset()
    summary: dict[str, int] = field(default_factory=dict)
    steps: list[tuple[str, str]] = field(default_factory=list)
    state: ResourceStates = field(default_factory=lambda: ResourceStates(()))
    pending_operations: list[PendingOperation] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    policy_violations: list[PolicyViolation] = field(default_factory=list)
    policy_remediations: list[PolicyRemediation] = field(default_factory=list)
    policy_packs: list[tuple[str, str]] = field(default_factory=list)
    error: Exception | None = None
    exit_code: int = 0
    output: str = ""
    plan: dict[str, Any] | None = None
    extensions: Mapping[str, Extension] = field(default_factory=dict)

    @property
    def succeeded(self) -> bool:
        """Whether nothing went wrong."""
        return self.error is None

    def export(self) -> dict[str, Any]:
        """The state in Pulumi's deployment format, secrets in plain text, as ``Double.audit`` takes it."""
        return export_state(State(self.state.every, tuple(self.pending_operations), extensions=self.extensions))

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {op}" for op, count in self.summary.items())
        changes = counts or "nothing changed"
        failed = f"failed after {counts}" if counts else "failed with no step completed"
        head = changes if self.succeeded else failed
        policies = printed(self.policy_packs, self.policy_violations, self.policy_remediations)
        return "\n".join([head, *map(str, self.diagnostics), *policies])
