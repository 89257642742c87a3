"""A project's folder as a program of the real engine: unmodified, whether its language's host is installed or not."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import grpc
from msgspec import Struct

from mockprovider.drivers.hosting import client, hosting
from mockprovider.drivers.inline import language_host
from mockprovider.pulumi.languages import Finish, Launch, Project, Run, prepare
from mockprovider.pulumi.languages.hosted import host_of
from mockprovider.pulumi.sdk import engine_pb2, language_pb2
from mockprovider.wire.server import OWN_CONNECTION


class ProjectHost:
    """The language runtime of one program, which runs as it does under the embedded engine."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def Run(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802 - the RPC's name
        """Run the program to its end, or to that of the engine."""
        engine = request.args[0] if request.args else ""
        launch = Launch(
            monitor=request.monitor_address,
            engine=engine,
            project=request.project,
            stack=request.stack,
            organization=request.organization or "organization",
            preview=request.dryRun,
            parallel=request.parallel,
            config=dict(request.config),
            secret_keys=list(request.configSecretKeys),
            over=lambda: not context.is_active(),
        )
        finish = self._run(launch)
        _print(engine, finish)
        return language_pb2.RunResponse(error="" if finish.logged else finish.error, bail=finish.logged)

    def GetRequiredPackages(self, _: Any, __: Any) -> Any:  # noqa: N802 - the RPC's name
        """None: providers are attached."""
        return language_pb2.GetRequiredPackagesResponse()

    def GetRequiredPlugins(self, _: Any, __: Any) -> Any:  # noqa: N802 - the RPC's name
        """None: providers are attached."""
        return language_pb2.GetRequiredPluginsResponse()

    def About(self, _: Any, __: Any) -> Any:  # noqa: N802 - the RPC's name
        """Nothing."""
        return language_pb2.AboutResponse()


class ProjectProgram(Struct, frozen=True):
    """A project whose program the real engine is to run, and the ``PATH`` on which that looks for language hosts."""

    project: Project
    path: str

    @property
    def has_host(self) -> bool:
        """Whether the CLI finds a host for the project's language by itself."""
        return not self.project.interpreter and shutil.which(host_of(self.project.runtime), path=self.path) is not None


@contextmanager
def running(program: ProjectProgram | Callable[[], Any], settings: Path) -> Iterator[tuple[str, ...]]:
    """While the block runs, the CLI's flags for a program; ``settings`` is the settings file of the stack."""
    if callable(program):
        with language_host(program) as address:
            yield client(address)
        return
    with nullcontext("") if program.has_host else hosting(ProjectHost(prepare(program.project))) as address:
        yield (f"--cwd={program.project.path}", f"--config-file={settings}", *(client(address) if address else ()))


def adopt_settings(file: Path, project: Project, stack: str, old: str) -> None:
    """Bring a stack's settings file under the project's name, with the plain values of the project's own where it has none."""
    import yaml  # type: ignore[import-untyped]  # noqa: PLC0415 - comes with the SDK, and only projects need it

    settings: dict[str, Any] = (yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else None) or {}
    kept: Mapping[str, Any] = settings.get("config") or {}
    given = {f"{project.name}:{key.removeprefix(f'{old}:')}" if key.startswith(f"{old}:") else key: kept[key] for key in kept}
    settings["config"] = {**project.config(stack, given), **given}
    file.write_text(yaml.safe_dump(settings), encoding="utf-8")


def _print(engine: str, finish: Finish) -> None:
    """What the program printed, as its language's host would show it. An engine that is gone has no user to show it to."""
    from pulumi.runtime.proto import engine_pb2_grpc  # noqa: PLC0415 - importing pulumi takes half a second

    if not finish.output or (finish.error and not finish.logged):
        return
    line = engine_pb2.LogRequest(severity=engine_pb2.INFO, message=finish.output)
    with grpc.insecure_channel(engine, options=(OWN_CONNECTION,)) as channel, suppress(grpc.RpcError):
        engine_pb2_grpc.EngineStub(channel).Log(line)
