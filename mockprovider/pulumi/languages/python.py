"""Python: the program is run by the interpreter that the project names, or ours, with the SDK that this one has."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from mockprovider.errors import ProgramError
from mockprovider.pulumi.languages.project import Project
from mockprovider.pulumi.languages.running import Finish, Launch, Run, run_command

BOOTSTRAP = Path(__file__).parent / "bootstrap.py"
TOOLCHAINS = {"pip": "", "uv": ".venv"}
"""What a project's ``toolchain`` may be, with the virtual environment that it makes where none is named."""


def python(project: Project) -> Run:
    """A program for Python. Raises ``ProgramError`` if its entry file or its virtual environment is missing."""
    entry = project.entry
    if not (entry / "__main__.py").is_file() and not entry.is_file():
        raise ProgramError(f"{entry} has no __main__.py to run.")
    interpreter = project.interpreter or interpreter_of(project)

    def run(launch: Launch) -> Finish:
        settings = {
            "monitor": launch.monitor,
            "engine": launch.engine,
            "project": launch.project,
            "stack": launch.stack,
            "organization": launch.organization,
            "preview": launch.preview,
            "parallel": launch.parallel,
            "root": str(project.path),
            "entry": str(entry),
        }
        command = [interpreter, "-u", str(BOOTSTRAP), json.dumps(settings)]
        return run_command(command, project.folder, launch.variables(project.path, project.folder), launch.over)

    return run


def interpreter_of(project: Project) -> str:
    """What runs a project's Python: what it names, or ours. Raises ``ProgramError`` if that is missing."""
    toolchain = str(project.options.get("toolchain") or "pip")
    virtualenv = project.options.get("virtualenv") or TOOLCHAINS.get(toolchain)
    if virtualenv is None:
        raise ProgramError(f"{project.path}: where {toolchain!r} keeps the environment is its secret. {_GIVE}")
    if not virtualenv:
        return sys.executable
    folder = "Scripts" if os.name == "nt" else "bin"
    interpreter = project.path / virtualenv / folder / "python"
    if not interpreter.exists():
        raise ProgramError(
            f"{interpreter} does not exist: the project names {virtualenv!r} as its virtual environment. Make it first. {_GIVE}"
        )
    return str(interpreter)


_GIVE = "Or name an interpreter that has the SDK: interpreter=sys.executable (--interpreter on the command line)."
