"""The real ``pulumi`` command line: one isolated project and stack, YAML or Python programs, results as data."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Unpack

from msgspec import Struct, field

from mockprovider.cloud import Cloud
from mockprovider.drivers.command import Environment, Finished, resolved, run
from mockprovider.drivers.events import read_log
from mockprovider.errors import PluginError
from mockprovider.pulumi import deployments
from mockprovider.pulumi.options import Options, glob, listed

Program = Mapping[str, Any] | Callable[[], Any]
"""A YAML program's ``resources``, ``outputs``, ``variables`` and ``config`` as data, or a Python function."""

SECONDS = 300.0
"""A run of the CLI that takes longer hangs; the process is then ended."""


class PulumiResult(Struct):
    """What one run of the CLI did.

    Attributes:
        exit_code: 0 for success.
        output: what the CLI printed.
        steps: every step that was done, as (op, URN), in the order in which they began.
        diagnostics: what a user was told, as (severity, message), in order.
        summary: what happened to how many of the program's own resources, counted as the CLI's own summary counts: a
            replacement once, as ``replace``. ``same``, the stack and providers are left out, as in the embedded engine's.
        outputs: the stack's outputs after an ``up``, secrets revealed.
    """

    exit_code: int
    output: str
    steps: list[tuple[str, str]] = field(default_factory=list)
    diagnostics: list[tuple[str, str]] = field(default_factory=list)
    summary: dict[str, int] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)

    @property
    def succeeded(self) -> bool:
        """Whether the CLI said so."""
        return self.exit_code == 0


class PulumiCli:
    """One project with one stack under the real CLI, in a folder of its own, with its own home and a file backend.

    Args:
        folder: an empty folder to work in.
        environment: what leads the CLI to its providers (``Serving.environment``), or a function to ask at each run.
        project: the project's name.
        stack: the stack's name.
        binary: the CLI, looked up on ``PATH``.
        backend: where stacks are kept, of its own unless given; stacks of one backend can refer to each other.

    Raises ``PluginError`` if there is no such CLI.
    """

    def __init__(
        self,
        folder: Path,
        environment: Environment = dict,
        *,
        project: str = "project",
        stack: str = "dev",
        binary: str = "pulumi",
        backend: Path | None = None,
    ) -> None:
        found = shutil.which(binary)
        if found is None:
            raise PluginError(f"There is no {binary!r} on PATH. tools/build-engines builds one; put its bin folder on PATH.")
        self.binary = found
        self.folder = folder
        self.project = project
        self.stack = stack
        self._environment = environment
        self._runs = 0
        self.backend = backend or folder / "backend"
        for each in (folder / "home", self.backend):
            each.mkdir(parents=True, exist_ok=True)
        self._write_project({})
        self.command("stack", "init", stack)

    @property
    def environment(self) -> dict[str, str]:
        """The CLI's environment: nothing of the user's account, no network, no waiting for input."""
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
        preview: bool = False,
        refresh: bool = False,
        plan: Path | None = None,
        expect_failure: bool = False,
        arguments: tuple[str, ...] = (),
        **options: Unpack[Options],
    ) -> PulumiResult:
        """``pulumi up``, without a preview before it unless asked.

        Args:
            program: a Python function, or a YAML program as data.
            preview: preview first.
            refresh: refresh first.
            plan: an update plan that ``preview(save_plan=...)`` saved; an up that would do something else fails.
            expect_failure: it is to fail; succeeding is the error then.
            arguments: further ones of the CLI, as they are.
            options: ``target``, ``target_dependents``, ``replace`` and ``continue_on_error``, as ``Options`` says.

        Raises ``ProgramError``, with the CLI's output, if it failed (or did not, where it was to).
        """
        given = _flags(**{"skip-preview": not preview, "refresh": refresh, "plan": plan}, **_scope(options))
        return self._operate(("up", "--yes", *given, *arguments), program, expect_failure=expect_failure)

    def preview(
        self,
        program: Program,
        *,
        refresh: bool = False,
        save_plan: Path | None = None,
        expect_failure: bool = False,
        arguments: tuple[str, ...] = (),
        **options: Unpack[Options],
    ) -> PulumiResult:
        """``pulumi preview``; ``save_plan`` is where to save the update plan. Other arguments and errors as for ``up``."""
        given = _flags(**{"refresh": refresh, "save-plan": save_plan}, **_scope(options))
        return self._operate(("preview", *given, *arguments), program, expect_failure=expect_failure)

    def refresh(
        self,
        program: Program | None = None,
        *,
        preview: bool = False,
        expect_failure: bool = False,
        arguments: tuple[str, ...] = (),
        **options: Unpack[Options],
    ) -> PulumiResult:
        """``pulumi refresh``, or only its preview; the program counts only for the project's settings. Others as for ``up``."""
        return self._without_program("refresh", program, preview, expect_failure, (*_flags(**_scope(options)), *arguments))

    def destroy(
        self,
        *,
        preview: bool = False,
        refresh: bool = False,
        expect_failure: bool = False,
        arguments: tuple[str, ...] = (),
        **options: Unpack[Options],
    ) -> PulumiResult:
        """``pulumi destroy``, or only its preview. Arguments and errors as for ``up``."""
        given = (*_flags(refresh=refresh, **_scope(options)), *arguments)
        return self._without_program("destroy", None, preview, expect_failure, given)

    def import_resource(
        self, type_: str, name: str, id_: str, *, protect: bool = True, expect_failure: bool = False
    ) -> PulumiResult:
        """``pulumi import``: take the existing object ``id_`` into the state, as a resource that no program has yet.

        The CLI's generated code is not asked for: no language host answers for it. Errors as for ``up``.
        """
        given = _flags(**{"skip-preview": True, "generate-code": "false", "protect": str(protect).lower()})
        command = ("import", "--yes", *given, type_, name, id_)
        return self._operate(command, {}, expect_failure=expect_failure)

    def export(self, *, show_secrets: bool = True) -> dict[str, Any]:
        """``pulumi stack export`` as data; with ``show_secrets``, secrets are in plain text."""
        shown = ("--show-secrets",) if show_secrets else ()
        exported: dict[str, Any] = json.loads(self.command("stack", "export", *shown).stdout)
        return exported

    def import_(self, deployment: Mapping[str, Any] | Path, *, cloud: Cloud | Mapping[str, Cloud] | None = None) -> None:
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
        if cloud is not None:
            deployments.adopt(exported, cloud)

    def config(self, **settings: str) -> None:
        """``pulumi config set`` for each; write ``:`` of a key as ``__``."""
        for key, value in settings.items():
            self.command("config", "set", key.replace("__", ":"), value)

    def command(self, *arguments: str, expect_failure: bool = False) -> Finished:
        """Any other command of the CLI. Raises ``ProgramError`` with its output if it fails and was not expected to."""
        command = [
            self.binary,
            *arguments,
            "--non-interactive",
            *(("--stack", self.stack) if arguments[:2] != ("stack", "init") else ()),
        ]
        return run(command, cwd=self.folder, env=self.environment, seconds=SECONDS, expect_failure=expect_failure)

    def _rename(self, project: str, stack: str) -> None:
        if (project, stack) == (self.project, self.stack):
            return
        settings = self.folder / f"Pulumi.{self.stack}.yaml"
        self.project, self.stack = project, stack
        self._write_project({})
        if settings.exists():
            # With the settings goes the salt of their secrets.
            settings.rename(self.folder / f"Pulumi.{stack}.yaml")
        self.command("stack", "init", stack)

    def _without_program(
        self, operation: str, program: Program | None, preview: bool, expect_failure: bool, arguments: tuple[str, ...]
    ) -> PulumiResult:
        how = ("--preview-only",) if preview else ("--yes", "--skip-preview")
        return self._operate((operation, *how, *arguments), program or {}, expect_failure=expect_failure)

    # Inside ----------------------------------------------------------------------------------------------------------

    def _operate(self, arguments: tuple[str, ...], program: Program, *, expect_failure: bool) -> PulumiResult:
        self._runs += 1
        events = self.folder / f"events-{self._runs}.json"
        logged = ("--event-log", str(events))
        if callable(program):
            from mockprovider.drivers.inline import language_host  # noqa: PLC0415 - imports pulumi, which is slow

            self._write_project(None)
            with language_host(program) as address:
                client = (f"--client={address}", "--exec-kind=auto.inline")
                finished = self.command(*arguments, *logged, *client, expect_failure=expect_failure)
        else:
            self._write_project(program)
            finished = self.command(*arguments, *logged, expect_failure=expect_failure)
        return self._result(finished, events, arguments[0])

    def _write_project(self, program: Mapping[str, Any] | None) -> None:
        runtime = "python" if program is None else "yaml"
        content = {"name": self.project, "runtime": runtime, **(program or {})}
        # JSON is YAML, and needs no library to write.
        (self.folder / "Pulumi.yaml").write_text(json.dumps(content, indent=1), encoding="utf-8")

    def _result(self, finished: Finished, events: Path, operation: str) -> PulumiResult:
        log = read_log(events.read_text(encoding="utf-8").splitlines() if events.exists() else ())
        result = PulumiResult(finished.exit_code, finished.stdout + finished.stderr, log.steps, log.diagnostics, log.summary)
        # The CLI writes secrets into it in plain text.
        events.unlink(missing_ok=True)
        if operation == "up":
            result.outputs = json.loads(self.command("stack", "output", "--json", "--show-secrets").stdout)
        return result


def _scope(options: Options) -> dict[str, Any]:
    flags: Mapping[str, Any] = {
        "target": [glob(each) for each in listed("target", options.get("target", ()))],
        "target-dependents": options.get("target_dependents", False),
        "replace": [glob(each) for each in listed("replace", options.get("replace", ()))],
        "continue-on-error": options.get("continue_on_error", False),
    }
    return dict(flags)


def _flags(**flags: Any) -> tuple[str, ...]:
    """Command-line flags: nothing for what is false, one for each item of a list."""
    found = []
    for name, value in flags.items():
        if value is True:
            found.append(f"--{name}")
        elif value:
            found += [f"--{name}={each}" for each in (value if isinstance(value, list) else [value])]
    return tuple(found)
