"""What an operation came to."""

from __future__ import annotations

from msgspec import Struct

from mockprovider.engine.outcomes import Diagnostic
from mockprovider.engine.state import ResourceStates
from mockprovider.values import Value


class Result(Struct, kw_only=True):
    """The outcome of an up, preview, refresh or destroy.

    Attributes:
        outputs: the stack's outputs, secrets revealed; in a preview some may be ``UNKNOWN``.
        secret_outputs: the names of those that are secret.
        summary: what happened to how many of the program's own resources: ``{"create": 2, "update": 1}``. What stayed as
            it was is left out, as are the stack and providers, so a run that changed nothing has an empty one. A
            replacement counts once, as ``replace``. A refresh counts what it found: ``update`` (drift) or ``delete`` (gone).
        steps: every step, as ``(op, URN)``, in the order in which they ended; here the stack and providers are included.
        state: the resources afterwards, by name or URN; in a preview, as they would be.
        diagnostics: what a user would have been shown, in order.
        error: what went wrong first, ``None`` if nothing did.
    """

    outputs: dict[str, Value]
    secret_outputs: frozenset[str]
    summary: dict[str, int]
    steps: list[tuple[str, str]]
    state: ResourceStates
    diagnostics: list[Diagnostic]
    error: Exception | None = None

    @property
    def succeeded(self) -> bool:
        """Whether nothing went wrong."""
        return self.error is None

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {op}" for op, count in self.summary.items())
        changes = counts or "nothing changed"
        failed = f"failed after {counts}" if counts else "failed before anything was changed"
        head = changes if self.succeeded else failed
        return "\n".join([head, *map(str, self.diagnostics)])
