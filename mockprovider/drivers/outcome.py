"""What a run of the real ``pulumi`` came to, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mockprovider.drivers.command import Finished
from mockprovider.drivers.events import Log
from mockprovider.errors import ProgramError
from mockprovider.pulumi.result import FAILED, Diagnostic, Result
from mockprovider.pulumi.stacks.exporting import import_state
from mockprovider.pulumi.stacks.state import ResourceStates
from mockprovider.values import Secret, reveal


class PulumiResult(Result):
    """What one run of the CLI did: a ``Result`` as the embedded engine's, with these differences.

    ``steps`` are in the order in which they began. A preview has no ``outputs``, and its ``state`` is what it was before.
    ``output`` is what the CLI printed.
    """


def outcome(
    operation: str, finished: Finished, log: Log, exported: Mapping[str, Any], problems: Sequence[str] = ()
) -> PulumiResult:
    """The result of an operation that has ended, with the state that the stack has ``exported`` since.

    One that has ``problems`` has failed, whatever the CLI itself says.
    """
    diagnostics = [*(Diagnostic("error", problem) for problem in problems), *log.diagnostics]
    exit_code = finished.exit_code or (FAILED if problems else 0)
    state = import_state(exported)
    stack = next((resource for resource in state.resources if resource.is_stack and operation != "preview"), None)
    outputs = stack.outputs if stack else {}
    output = finished.stdout + finished.stderr
    return PulumiResult(
        outputs=reveal(outputs),
        secret_outputs=frozenset(name for name, value in outputs.items() if isinstance(value, Secret)),
        summary=log.summary,
        steps=log.steps,
        state=ResourceStates(state.resources),
        pending_operations=list(state.pending),
        extensions=state.extensions,
        diagnostics=diagnostics,
        policy_violations=log.violations,
        policy_remediations=log.remediations,
        policy_packs=log.packs,
        error=_error(diagnostics, output) if exit_code else None,
        exit_code=exit_code,
        output=output,
    )


def _error(diagnostics: Sequence[Diagnostic], output: str) -> ProgramError:
    """What a failed run is about: what the user was told first, or else all of it."""
    return ProgramError(next((diagnostic.message for diagnostic in diagnostics if diagnostic.severity == "error"), output))
