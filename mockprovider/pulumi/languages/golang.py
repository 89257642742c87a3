"""Go: the program is built into a folder of ours, unless the project names a binary, and run as the language host runs it."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from mockprovider.errors import PluginError, ProgramError
from mockprovider.pulumi.languages.places import cache_folder
from mockprovider.pulumi.languages.project import Project
from mockprovider.pulumi.languages.running import Finish, Launch, Run, after, run_command

BUILDING = 600.0
"""Seconds that a program may take to be built; the first time, that is the whole SDK."""


def go(project: Project) -> Run:
    """A program in Go. Raises ``PluginError`` without ``go``, ``ProgramError`` for a named binary that is not there.

    It is built here, before the time of an operation begins. What does not compile is a failed run, as under ``pulumi``.
    """
    named = project.options.get("binary")
    if named:
        binary, built = _named(project, str(named)), Finish()
    else:
        binary = cache_folder("go", hashlib.sha256(str(project.entry).encode()).hexdigest()[:16]) / "program"
        built = _build(project, binary)

    def run(launch: Launch) -> Finish:
        if built.error:
            return built
        return run_command([str(binary)], project.folder, launch.variables(project.path, project.folder), launch.over)

    return run


def _named(project: Project, name: str) -> Path:
    binary = project.path / name
    if not binary.is_file():
        raise ProgramError(f"{binary} does not exist: the project names {name!r} as its binary. Build it first.")
    return binary


def _build(project: Project, binary: Path) -> Finish:
    """How building ended. Go itself finds out whether anything has changed since it was built last."""
    compiler = shutil.which("go")
    if not compiler:
        raise PluginError(f"{project.path} is a project in Go, and there is no 'go' on PATH. Install Go, or name a 'binary'.")
    built = run_command([compiler, "build", "-o", str(binary), project.program], project.folder, os.environ, after(BUILDING))
    return Finish(error=f"{project.folder} does not compile.\n{built.output}") if built.error else built
