"""The real ``pulumi`` command line: one isolated project and stack, YAML or Python programs, results as data."""

from __future__ import annotations

import functools
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from mockprovider.cloud import Cloud
from mockprovider.drivers.checkpoints import read_checkpoint, unlock
from mockprovider.drivers.command import Breakable, Environment, Finished, RunningCommands, resolved, run
from mockprovider.drivers.flags import flags, without_program
from mockprovider.drivers.importing import ImportCommand
from mockprovider.drivers.marking import StateCommands
from mockprovider.drivers.operating import Opened, Operating
from mockprovider.drivers.outcome import PulumiResult
from mockprovider.drivers.planning import planned, planning
from mockprovider.errors import DefinitionError, PluginError, ProgramError
from mockprovider.files import make_folder
from mockprovider.pulumi.arguments import check
from mockprovider.pulumi.languages import read_project
from mockprovider.pulumi.policies import PolicyPack
from mockprovider.pulumi.stacks import deployments
from mockprovider.pulumi.stacks.options import Options
from mockprovider.values import Secret

Program = Mapping[str, Any] | Callable[[], Any] | Path | str
"""A YAML program's ``resources``, ``outputs``, ``variables`` and ``config`` as data; a Python function; a project's folder."""

SECONDS = 300.0
"""What a run of the CLI may take where nothing else is said."""

SETTINGS = frozenset({"PULUMI_BACKEND_URL", "PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE"})
"""What of an environment a new stack depends on."""


class PulumiCli(Operating, ImportCommand, StateCommands):
    """One project with one stack under the real CLI, in a folder of its own, with its own home and a file backend.

    Args:
        folder: an empty folder to work in.
        environment: the variables that lead the CLI to its providers (``Serving.environment``), or a function that gives them.
        project: the project's name.
        stack: the stack's name.
        binary: the CLI, looked up on ``PATH``.
        backend: the folder of the stacks, by default its own; stacks of one backend can refer to each other.
        doubles: the doubles of this process that ``environment`` leads to, whose faults may interrupt and kill the CLI.
        timeout: seconds that a run of the CLI may take; one that takes longer hangs, and its process is ended.
        policies: what may not be in the stack: policy packs, as Python objects or as the folders of ``pulumi policy``.

    Raises ``PluginError`` if there is no such CLI, ``MockProviderError`` if the folder cannot be made.
    """

    def __init__(
        self,
        folder: Path,
        environment: Environment = dict,
        *,
        project: str | None = None,
        stack: str = "dev",
        binary: str = "pulumi",
        backend: Path | None = None,
        doubles: Sequence[Breakable] = (),
        timeout: float = SECONDS,
        policies: Sequence[PolicyPack | Path | str] = (),
    ) -> None:
        check(project=project, name=stack, timeout=timeout, policies=policies)
        executable = shutil.which(binary)
        if executable is None:
            raise PluginError(
                f"There is no {binary!r} on PATH. Install it, or build one with tools/build-engines of a checkout."
            )
        self.binary = executable
        self.folder = folder.absolute()
        self.project = project or "project"
        self._named = project is not None
        self.stack = stack
        self.timeout = timeout
        self.policies = policies
        self._environment = environment
        self._doubles = doubles
        self._runs = 0
        self._running = RunningCommands(doubles)
        self.backend = (backend or self.folder / "backend").absolute()
        for directory in (folder / "home", self.backend):
            make_folder(directory)
        self._write_project({})
        settings = {name: value for name, value in resolved(environment).items() if name in SETTINGS}
        if backend is None and "PULUMI_BACKEND_URL" not in settings:
            for name, content in _new_stack(executable, self.project, stack, tuple(sorted(settings.items()))).items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content)
        else:
            self.command("stack", "init", stack)

    @property
    def environment(self) -> dict[str, str]:
        """The CLI's environment: without the user's account, network or prompts."""
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("PULUMI_")},
            "PULUMI_HOME": str(self.folder / "home"),
            "PULUMI_BACKEND_URL": self.backend.as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": "mockprovider",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            # The event log, our source of steps, is a flag that exists only for those who debug.
            "PULUMI_DEBUG_COMMANDS": "true",
            "NO_COLOR": "1",
            **resolved(self._environment),
        }

    # Operations ------------------------------------------------------------------------------------------------------

    def up(
        self,
        program: Program,
        *,
        interpreter: Path | str | None = None,
        preview: bool = False,
        refresh: bool = False,
        run_program: bool = False,
        plan: Mapping[str, Any] | Path | str | None = None,
        expect_failure: bool = False,
        arguments: tuple[str, ...] = (),
        **options: Unpack[Options],
    ) -> PulumiResult:
        """``pulumi up``, by default without a preview before it.

        Args:
            program: a Python function, a YAML program as data, or the folder of a project in any language. A driver that was
                told no project becomes that of the first folder: of its name, with the plain values of its settings file.
            interpreter: what runs a project's Python or JavaScript, instead of what the project names.
            preview: preview first.
            refresh: refresh first.
            run_program: refresh what the program registers as it does, with the provider that it has there, instead of first.
            plan: an update plan that a preview of either engine made, as data or its file; what would do something else fails.
            expect_failure: return the result of a failure, and raise ``ProgramError`` for a success.
            arguments: further ones of the CLI, as they are.
            options: targets, exclusions, replacements and ``continue_on_error``: see ``Options``. Where the state does not
                have what is excluded, a preview finds out whether the program has.

        Raises ``ProgramError``, with the CLI's output, if it failed or succeeded against ``expect_failure``, and if the options
        name a resource that does not exist, which the CLI itself passes over; ``DefinitionError`` for what is no program.
        """
        with planned(plan, self.folder) as path:
            opened, chosen = self._opened(program, interpreter), flags(**{"refresh": refresh, "run-program": run_program})
            looking = self._excludes_something_new(options)
            if looking and (refused := self._refused(opened, options, ("preview", *chosen, *arguments))):
                if expect_failure:
                    return refused
                raise ProgramError(f"pulumi up was not run, because its preview failed:\n{refused.error}\n{refused.output}")
            command = ("up", "--yes", *flags(**{"skip-preview": looking or not preview, "plan": path}), *chosen, *arguments)
            return self._operate(command, opened, options, expect_failure=expect_failure)

    def preview(
        self,
        program: Program,
        *,
        interpreter: Path | str | None = None,
        refresh: bool = False,
        run_program: bool = False,
        save_plan: Path | str | bool = False,
        expect_failure: bool = False,
        arguments: tuple[str, ...] = (),
        **options: Unpack[Options],
    ) -> PulumiResult:
        """``pulumi preview``. Other arguments and errors as for ``up``.

        With ``save_plan`` the result has the update ``plan``; if it is a path, the plan is saved there.
        """
        with planning(save_plan, self.folder) as path:
            command = ("preview", *flags(**{"refresh": refresh, "run-program": run_program, "save-plan": path}), *arguments)
            result = self._operate(command, self._opened(program, interpreter), options, expect_failure=expect_failure)
            result.plan = json.loads(path.read_text(encoding="utf-8")) if path and path.exists() else None
        return result

    def refresh(
        self,
        program: Program | None = None,
        *,
        run_program: bool = False,
        interpreter: Path | str | None = None,
        preview: bool = False,
        expect_failure: bool = False,
        arguments: tuple[str, ...] = (),
        **options: Unpack[Options],
    ) -> PulumiResult:
        """``pulumi refresh``, or only its preview. ``run_program`` runs ``program``, which else gives only its
        project's settings. The rest is as for ``up``.
        """
        chosen = (*without_program(preview=preview), *flags(**{"run-program": run_program}))
        opened = self._opened(program or {}, interpreter)
        return self._operate(("refresh", *chosen, *arguments), opened, options, expect_failure=expect_failure)

    def destroy(
        self,
        program: Program | None = None,
        *,
        run_program: bool = False,
        interpreter: Path | str | None = None,
        preview: bool = False,
        refresh: bool = False,
        expect_failure: bool = False,
        arguments: tuple[str, ...] = (),
        **options: Unpack[Options],
    ) -> PulumiResult:
        """``pulumi destroy``, or only its preview; ``program`` as for ``refresh``. Arguments and errors as for ``up``."""
        chosen = (*without_program(preview=preview), *flags(**{"run-program": run_program, "refresh": refresh}))
        opened = self._opened(program or {}, interpreter)
        return self._operate(("destroy", *chosen, *arguments), opened, options, expect_failure=expect_failure)

    def export(self, *, show_secrets: bool = True) -> dict[str, Any]:
        """``pulumi stack export`` as data; with ``show_secrets``, secrets are in plain text."""
        if kept := read_checkpoint(self.backend, self.project, self.stack):
            return dict(kept)
        shown = ("--show-secrets",) if show_secrets else ()
        exported: dict[str, Any] = json.loads(self.command("stack", "export", *shown).stdout)
        return exported

    def import_(self, deployment: Mapping[str, Any] | Path | str, *, cloud: Cloud | Mapping[str, Cloud] | None = None) -> None:
        """``pulumi stack import``, under the names of the project and the stack that were exported.

        Secrets are encrypted with this stack's own key, whatever the deployment says of another. Arguments and errors as for
        the embedded ``Stack.import_``; ``ProgramError`` if the CLI does not take it.
        """
        exported = deployments.load(deployment)
        deployments.refuse_ciphertext(exported)
        self._rename(*(deployments.identity(exported) or (self.project, self.stack)))
        key = self.export()["deployment"]["secrets_providers"]
        path = self.folder / "import.json"
        path.write_text(
            json.dumps({**exported, "deployment": {**exported["deployment"], "secrets_providers": key}}), encoding="utf-8"
        )
        try:
            self.command("stack", "import", "--file", str(path))
        finally:
            # It holds secrets in plain text.
            path.unlink()
        deployments.announce(exported, self._doubles)
        if cloud is not None:
            deployments.adopt(exported, cloud)

    def config(self, **settings: str | Secret) -> None:
        """``pulumi config set`` for each, encrypted for a ``Secret``; write ``:`` of a key as ``__``."""
        for key, value in settings.items():
            secret = ("--secret",) if isinstance(value, Secret) else ()
            text = value.value if isinstance(value, Secret) else value
            self.command("config", "set", *secret, key.replace("__", ":"), text)

    def command(self, *arguments: str, expect_failure: bool = False) -> Finished:
        """Any other command of the CLI. Raises ``ProgramError`` with its output if it fails and was not expected to."""
        command = [
            self.binary,
            *arguments,
            "--non-interactive",
            *(("--stack", self.stack) if arguments[:2] != ("stack", "init") else ()),
        ]
        if arguments[0] == "state" or arguments[:2] == ("stack", "import"):
            deployments.announce(None, self._doubles)
        return run(
            command,
            cwd=self.folder,
            env=self.environment,
            seconds=self.timeout,
            expect_failure=expect_failure,
            # What operations print has no secrets in it.
            keep="--event-log" in arguments,
            running=self._running,
            tidy=lambda pid: unlock(self.backend, pid),
        )

    def close(self) -> None:
        """End the engine, with all that it started, where a thread still runs one. Safe to call again."""
        self._running.close()

    def _rename(self, project: str, stack: str) -> None:
        if (project, stack) == (self.project, self.stack):
            return
        settings = self._settings
        self._named = True
        self.project, self.stack = project, stack
        self._write_project({})
        if settings.exists():
            # The settings file also holds the salt of the stack's secrets.
            settings.rename(self._settings)
        self.command("stack", "init", stack)

    # Inside ----------------------------------------------------------------------------------------------------------

    def _opened(self, program: Program, interpreter: Path | str | None = None) -> Opened:
        """A program, checked; this becomes the driver of its project."""
        if not isinstance(program, (str, Path)):
            return program
        from mockprovider.drivers.projects import ProjectProgram, adopt_settings  # noqa: PLC0415 - imports pulumi, which is slow

        project = read_project(program, interpreter=interpreter)
        if self._named and project.name != self.project:
            raise DefinitionError(f"{program} is the project {project.name!r}, and this is a stack of {self.project!r}.")
        if not self._named:
            self._named, old = True, self.project
            self._rename(project.name, self.stack)
            adopt_settings(self._settings, project, self.stack, old)
        return ProjectProgram(project, self.environment.get("PATH", ""))

    @property
    def _settings(self) -> Path:
        return self.folder / f"Pulumi.{self.stack}.yaml"

    def _run(self, command: tuple[str, ...], program: Opened, *, expect_failure: bool) -> Finished:
        if isinstance(program, Mapping):
            self._write_project(program)
            return self.command(*command, expect_failure=expect_failure)
        self._write_project(None)
        from mockprovider.drivers.projects import running  # noqa: PLC0415 - imports pulumi, which is slow

        with running(program, self._settings) as further:
            return self.command(*command, *further, expect_failure=expect_failure)

    def _write_project(self, program: Mapping[str, Any] | None) -> None:
        runtime = "python" if program is None else "yaml"
        content = {"name": self.project, "runtime": runtime, **(program or {})}
        # JSON is YAML, and needs no library to write.
        (self.folder / "Pulumi.yaml").write_text(json.dumps(content, indent=1), encoding="utf-8")


@functools.cache
def _new_stack(binary: str, project: str, stack: str, settings: tuple[tuple[str, str], ...]) -> Mapping[str, bytes]:
    """The files of a new stack, by place. Deriving a key takes the CLI half a second, so it does so once."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        backend = folder / "backend"
        PulumiCli(folder, dict(settings), project=project, stack=stack, binary=binary, backend=backend)
        files = [*backend.rglob("*"), folder / f"Pulumi.{stack}.yaml"]
        return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files if file.is_file()}
