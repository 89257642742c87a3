"""The policy packs of an operation: made ready before it, and ended with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from mockprovider.engine.operations.deployment import Deployment
from mockprovider.engine.policing import Policing
from mockprovider.engine.programs.requests import hashed
from mockprovider.errors import DefinitionError
from mockprovider.pulumi.policies.analyzing import PackAnalyzer
from mockprovider.pulumi.policies.declaring import PolicyPack
from mockprovider.pulumi.policies.permitting import permit
from mockprovider.pulumi.policies.starting import PolicyStack, StartedPack
from mockprovider.values import Secret, Value, reveal


@contextmanager
def policed(
    deployment: Deployment, policies: Sequence[PolicyPack | Path | str], config: Mapping[str, Value], organization: str
) -> Iterator[None]:
    """While the block runs, the operation has these policies, which look at the whole stack at its end.

    They are told the stack's ``config`` and its organization. Raises ``DefinitionError`` for what is none, and as
    ``StartedPack`` does.
    """
    if not policies:
        yield
        return
    operation = deployment.operation
    of = PolicyStack(
        project=operation.project,
        stack=operation.stack,
        organization=organization,
        preview=operation.preview,
        config={key: reveal(value) for key, value in config.items()},
        secret_keys=[key for key, value in config.items() if isinstance(value, Secret)],
    )
    with ExitStack() as ending:
        analyzers = [_analyzer(policy, deployment, of, ending) for policy in policies]
        policing = Policing(analyzers, preview=of.preview, stack=(of.stack, of.project), hashed=hashed)
        ending.callback(policing.end)
        deployment.policing = policing
        try:
            yield
            deployment.judge_stack()
        finally:
            permit(policing.remediations, deployment.sources)


def _analyzer(policy: Any, deployment: Deployment, of: PolicyStack, ending: ExitStack) -> Any:
    if isinstance(policy, PolicyPack):
        return PackAnalyzer(policy)
    if isinstance(policy, (str, Path)):
        return ending.enter_context(closing(StartedPack(policy, of, deployment)))
    raise DefinitionError(f"{policy!r} is no policy pack: give a PolicyPack, or the folder of one.")
