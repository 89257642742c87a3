"""A program's run: what it is given to speak to, and what becomes of how it ends."""

from __future__ import annotations

from collections.abc import Mapping

from mockprovider.engine.operations.deployment import Deployment
from mockprovider.engine.programs.ending import blamed
from mockprovider.engine.programs.inline import Environment
from mockprovider.engine.programs.ready import Ready, leading_to
from mockprovider.engine.providers.instance import ProviderSource
from mockprovider.values import Secret, Value, reveal


def run_to_its_end(
    program: Ready,
    deployment: Deployment,
    *,
    config: Mapping[str, Value],
    organization: str,
    provider: ProviderSource | Mapping[str, ProviderSource],
    parallel: int,
) -> None:
    """Run ``program`` against a monitor of ``deployment``, which fails if the program does."""
    from mockprovider.engine.programs.monitor import Engine, EngineMonitor  # noqa: PLC0415 - imports pulumi, which is slow

    plain = {key: reveal(value) for key, value in config.items()}
    secret_keys = frozenset(key for key, value in config.items() if isinstance(value, Secret))
    environment = Environment(
        monitor=EngineMonitor(deployment, plain, secret_keys, organization, program.directory),
        engine=Engine(deployment),
        project=deployment.operation.project,
        stack=deployment.operation.stack,
        organization=organization,
        preview=deployment.operation.preview,
        parallel=parallel,
        config=plain,
        secret_keys=secret_keys,
        over=lambda: deployment.stopped,
        providers=lambda: leading_to(provider),
    )
    try:
        ended = program.run(environment)
    finally:
        environment.monitor.callbacks.close()
    if ended.output:
        deployment.log("info", ended.output)
    if ended.error is None:
        return
    if ended.quiet and deployment.failed:
        deployment.cut_short |= not deployment.stopped
    else:
        deployment.fail(blamed(ended), shown=ended.shown)
