"""Which languages run, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from mockprovider.errors import DefinitionError, UnsupportedError
from mockprovider.pulumi.languages.golang import go
from mockprovider.pulumi.languages.hosted import hosted
from mockprovider.pulumi.languages.nodejs import nodejs
from mockprovider.pulumi.languages.project import Project
from mockprovider.pulumi.languages.python import python
from mockprovider.pulumi.languages.running import Finish, Launch, Run, run_command

LANGUAGES: Mapping[str, Callable[[Project], Run]] = {
    "nodejs": nodejs,
    "python": python,
    "go": go,
    "yaml": hosted,
}
"""What makes a program ready, by the runtime that ``Pulumi.yaml`` names."""


def prepare(project: Project) -> Run:
    """The project's program, ready to be run. Raises ``UnsupportedError`` for a language that does not run here."""
    language = LANGUAGES.get(project.runtime)
    if language is None:
        raise UnsupportedError(
            f"{project.path / 'Pulumi.yaml'}: the runtime is {project.runtime!r}; projects run here in {', '.join(LANGUAGES)}. "
            "A program that is built already runs in any language by its command: up(command=[...], cwd=...)."
        )
    return language(project)


def by_command(command: Sequence[str], cwd: str | Path | None = None) -> Run:
    """A program that is started by a command in ``cwd``, and finds monitor and engine by the variables of language hosts.

    Raises ``DefinitionError`` for no command, or no folder.
    """
    if isinstance(command, str) or not command or not all(isinstance(word, (str, Path)) for word in command):
        raise DefinitionError(
            f"command={command!r} is no command: give a list of its words, such as ['dotnet', 'bin/infra.dll']."
        )
    folder = Path(cwd or ".").resolve()
    if not folder.is_dir():
        raise DefinitionError(f"cwd={str(cwd)!r} is no folder.")
    words = [str(word) for word in command]

    def run(launch: Launch) -> Finish:
        return run_command(words, folder, launch.variables(folder, folder), launch.over)

    return run
