"""The real ``pulumi`` command line: one isolated project and stack, YAML or Python programs, results as data."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from mockprovider.drivers.command import Environment, Finished, resolved, run
from mockprovider.errors import PluginError

Program = Mapping[str, Any] | Callable[[], Any]
"""A YAML program's ``resources``, ``outputs``, ``variables`` and ``config`` as data, or a Python function."""

SECONDS = 300.0
"""A run of the CLI that takes longer hangs; the process is then ended."""


class PulumiResult(Struct):
    """What one run of the CLI did. ``steps`` are (op, urn), ``diagnostics`` (severity, message), both in order."""

    exit_code: int
    output: str
    steps: list[tuple[str, str]] = field(default_factory=list)
    diagnostics: list[tuple[str, str]] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)

    @property
    def succeeded(self) -> bool:
        """Whether the CLI said so."""
        return self.exit_code == 0

    @property
    def summary(self) -> dict[str, int]:
        """How often each op was done to resources other than the stack and providers; ``same`` is left out."""
        counted = (op for op, urn in self.steps if op != "same" and not _is_scaffold(urn))
        return dict(Counter(counted))


class PulumiCli:
    """One project with one stack under the real CLI, in a folder of its own, with its own home and a file backend.

    Args:
        folder: an empty folder to work in.
        environment: what leads the CLI to its providers (``Serving.environment``), or a function to ask at each run.
        project: the project's name.
        stack: the stack's name.
        binary: the CLI, looked up on ``PATH``.

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
        for each in ("home", "backend"):
            (folder / each).mkdir(parents=True, exist_ok=True)
        self._write_project({})
        self.command("stack", "init", stack)

    @property
    def environment(self) -> dict[str, str]:
        """The CLI's environment: nothing of the user's account, no network, no waiting for input."""
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("PULUMI_")},
            "PULUMI_HOME": str(self.folder / "home"),
            "PULUMI_BACKEND_URL": (self.folder / "backend").as_uri(),
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
        self, program: Program, *, preview: bool = False, expect_failure: bool = False, arguments: tuple[str, ...] = ()
    ) -> PulumiResult:
        """``pulumi up``, without a preview before it unless asked."""
        skip = () if preview else ("--skip-preview",)
        return self._operate(("up", "--yes", *skip, *arguments), program, expect_failure=expect_failure)

    def preview(self, program: Program, *, expect_failure: bool = False, arguments: tuple[str, ...] = ()) -> PulumiResult:
        """``pulumi preview``."""
        return self._operate(("preview", *arguments), program, expect_failure=expect_failure)

    def refresh(self, program: Program | None = None, *, expect_failure: bool = False) -> PulumiResult:
        """``pulumi refresh``; the program counts only for the project's settings."""
        return self._operate(("refresh", "--yes", "--skip-preview"), program or {}, expect_failure=expect_failure)

    def destroy(self, *, expect_failure: bool = False) -> PulumiResult:
        """``pulumi destroy``."""
        return self._operate(("destroy", "--yes", "--skip-preview"), {}, expect_failure=expect_failure)

    def export(self, *, show_secrets: bool = True) -> dict[str, Any]:
        """``pulumi stack export`` as data; with ``show_secrets``, secrets are in plain text."""
        shown = ("--show-secrets",) if show_secrets else ()
        exported: dict[str, Any] = json.loads(self.command("stack", "export", *shown).stdout)
        return exported

    def import_(self, deployment: Mapping[str, Any]) -> None:
        """``pulumi stack import``."""
        path = self.folder / "import.json"
        path.write_text(json.dumps(deployment), encoding="utf-8")
        self.command("stack", "import", "--file", str(path))

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
        result = PulumiResult(finished.exit_code, finished.stdout + finished.stderr)
        for line in events.read_text(encoding="utf-8").splitlines() if events.exists() else ():
            event = json.loads(line)
            if (step := event.get("resourcePreEvent")) is not None:
                result.steps.append((step["metadata"]["op"], step["metadata"]["urn"]))
            elif (said := event.get("diagnosticEvent")) is not None and said["severity"] != "debug":
                result.diagnostics.append((said["severity"], said["message"]))
        # The CLI writes secrets into it in plain text.
        events.unlink(missing_ok=True)
        if operation == "up":
            result.outputs = json.loads(self.command("stack", "output", "--json", "--show-secrets").stdout)
        return result


def _is_scaffold(urn: str) -> bool:
    type_ = urn.split("::")[2] if urn.count("::") > 2 else urn
    return type_ == "pulumi:pulumi:Stack" or "pulumi:providers:" in type_
