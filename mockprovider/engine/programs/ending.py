"""How an operation ended, as its caller is told."""

from __future__ import annotations

from mockprovider.engine.operations.deployment import Deployment
from mockprovider.engine.programs.inline import Ended
from mockprovider.engine.registrations.decision import RefusedError
from mockprovider.errors import MockProviderError, ProgramError
from mockprovider.pulumi.result import FAILED, Result
from mockprovider.pulumi.stacks.exporting import dangling
from mockprovider.pulumi.stacks.state import ResourceStates, State
from mockprovider.values import Secret, reveal


def blamed(ended: Ended) -> ProgramError:
    """Why a program failed, as an error of its own."""
    if isinstance(ended.error, ProgramError):
        return ended.error
    error = ProgramError(f"The program raised {type(ended.error).__name__}: {ended.error}\n{ended.trace}")
    error.__cause__ = ended.error
    return error


def result_of(deployment: Deployment, state: State) -> Result:
    """What an operation came to that has left ``state``."""
    deployment.sum_up()
    complaint = "" if deployment.preview else dangling(state.resources)
    if complaint:
        # As in the real engine, what was done is remembered all the same.
        deployment.object(RefusedError(f"failed to verify snapshot: {complaint}"))
    outputs = next((resource.outputs for resource in state.resources if resource.is_stack), {})
    ours = [
        error for error in deployment.errors if isinstance(error, MockProviderError) and not isinstance(error, ProgramError)
    ]
    error = next(iter([*ours, *deployment.errors]), None)
    result = Result(
        outputs=reveal(outputs),
        secret_outputs=frozenset(name for name, value in outputs.items() if isinstance(value, Secret)),
        summary=dict(deployment.counted),
        steps=[(op.value, urn) for op, urn in deployment.steps],
        state=ResourceStates(state.resources),
        pending_operations=list(state.pending),
        extensions=state.extensions,
        diagnostics=list(deployment.diagnostics),
        **(deployment.policing.found if deployment.policing else {}),
        error=error,
        exit_code=FAILED if error else 0,
    )
    result.output = str(result)
    return result


def judged(result: Result, what: str, *, expect_failure: bool) -> Result:
    """``result``, unless it is an error for who asked: of ours always, and a failure or success that was not expected."""
    if isinstance(result.error, MockProviderError) and not isinstance(result.error, ProgramError):
        raise result.error
    if result.succeeded and expect_failure:
        raise ProgramError(f"The {what} was expected to fail, and succeeded: {result}")
    if result.error is not None and not expect_failure:
        cause = result.error.__cause__ if isinstance(result.error, ProgramError) else result.error
        raise ProgramError(f"The {what} {result}") from cause
    return result
