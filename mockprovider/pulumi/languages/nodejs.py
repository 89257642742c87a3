"""JavaScript and TypeScript: the program is run by the SDK that npm has installed beside it."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mockprovider.errors import PluginError, ProgramError
from mockprovider.pulumi.languages.places import cache_folder
from mockprovider.pulumi.languages.project import Project
from mockprovider.pulumi.languages.running import Finish, Launch, Run, run_command

PRELOADED = Path(__file__).with_name("inspect.cjs")
"""What runs before the program: a repair of how Node.js shows errors."""

RUNNER = Path("node_modules", "@pulumi", "pulumi", "cmd", "run")


def nodejs(project: Project) -> Run:
    """A program for Node.js. Raises ``PluginError`` without ``node``, ``ProgramError`` where its packages are not installed."""
    node = project.interpreter or shutil.which("node")
    if not node:
        raise PluginError(f"{project.path} is a project for Node.js, and there is no 'node' on PATH. Install Node.js.")
    runner = _runner(project)
    arguments = _arguments(project.options.get("nodeargs"))

    def run(launch: Launch) -> Finish:
        # One word: where the SDK sees "--require", it takes no ES module in TypeScript.
        command = [node, *arguments, f"--require={PRELOADED}", str(runner), *_flags(project, launch), project.program]
        variables = {**launch.variables(project.path, project.folder), **_settings(project.options)}
        return run_command(command, project.folder, variables, launch.over)

    return run


def _runner(project: Project) -> Path:
    """The SDK's own way to run a program, as ``require`` would find it from the program's folder."""
    for folder in (project.folder, *project.folder.parents):
        if (folder / RUNNER).exists():
            return folder / RUNNER
    raise ProgramError(
        f"The SDK of {project.folder} is not installed: there is no {RUNNER} in it or above. Run `npm ci` or `npm install`."
    )


def _arguments(given: Any) -> Sequence[str]:
    return shlex.split(given) if isinstance(given, str) else [str(argument) for argument in given or ()]


def _flags(project: Project, launch: Launch) -> list[str]:
    flags = {
        "monitor": launch.monitor,
        "engine": launch.engine,
        "organization": launch.organization,
        "project": launch.project,
        "stack": launch.stack,
        "root-directory": project.path,
        "pwd": project.folder,
        "parallel": launch.parallel,
    }
    return [*(f"--{name}={value}" for name, value in flags.items()), *(["--dry-run"] if launch.preview else [])]


def _settings(options: Mapping[str, Any]) -> dict[str, str]:
    settings = {
        "PULUMI_NODEJS_TYPESCRIPT": "false" if options.get("typescript") is False else "true",
        # What ts-node has compiled would otherwise stay in the machine's temporary folder.
        "TS_NODE_CACHE_DIRECTORY": str(cache_folder("ts-node")),
    }
    if options.get("tsconfig"):
        settings["PULUMI_NODEJS_TSCONFIG_PATH"] = str(options["tsconfig"])
    return settings
