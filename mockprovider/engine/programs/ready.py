"""What may be given as a program, checked and made ready before an operation begins."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

from mockprovider.engine.programs.inline import Ended, Environment, Program, run_program
from mockprovider.errors import DefinitionError
from mockprovider.pulumi.languages import Project, Run, by_command, prepare

Given: TypeAlias = Program | Path | str
"""A function without arguments, or the folder of a project in any language."""


class Ready(Struct, frozen=True):
    """A program that is ready: ``run`` takes it to its end in an environment, and may be called again.

    Relative paths of its assets are below ``directory``.
    """

    run: Callable[[Environment], Ended]
    directory: str = "."


def refuse_several(program: object, command: object, cwd: object, interpreter: object) -> None:
    """Raise ``DefinitionError`` for a word that the program it is about is not there for: it would be passed over."""
    if command is not None and program is not None:
        raise DefinitionError(f"A program and command={command!r} cannot be given together: only one of them would run.")
    if command is None and cwd is not None:
        raise DefinitionError(f"cwd={str(cwd)!r} is the folder of a command, and there is none: give command=[...], too.")
    if interpreter is not None and (command is not None or callable(program)):
        raise DefinitionError(f"interpreter={str(interpreter)!r} is what runs a project's folder, and no function or command.")


def of_function(program: object) -> Ready:
    """A Python function. Raises ``DefinitionError`` for what cannot be called without arguments."""
    if not callable(program):
        raise DefinitionError(
            f"{program!r} is no program: give a function without arguments, the folder of a Pulumi project, or command=[...]."
        )
    if needed := _needed(program):
        raise DefinitionError(
            f"The program {getattr(program, '__name__', program)!r} needs arguments ({', '.join(needed)}), and is called "
            "without any. Bind them first: functools.partial, or a lambda."
        )
    return Ready(lambda environment: run_program(program, environment))


def of_project(project: Project) -> Ready:
    """The program of a project. Raises as ``pulumi.languages.prepare`` does."""
    return Ready(_outside(prepare(project)), str(project.folder))


def of_command(command: Sequence[str], cwd: Path | str | None) -> Ready:
    """Whatever a command starts. Raises ``DefinitionError`` if it is none."""
    return Ready(_outside(by_command(command, cwd)), str(Path(cwd or ".").resolve()))


@contextmanager
def leading_to(provider: Any) -> Iterator[Mapping[str, str]]:
    """While the block runs, a stack's doubles are served; gives the variables that lead to them whoever needs their schemas."""
    sources = list(provider.values()) if isinstance(provider, Mapping) else [provider]
    with ExitStack() as ending:
        servings = [ending.enter_context(source.serve("pulumi")) for source in sources if hasattr(source, "serve")]
        variables = [serving.environment for serving in servings]
        names = dict.fromkeys(name for environment in variables for name in environment)
        yield {name: ",".join(environment[name] for environment in variables if name in environment) for name in names}


def _outside(run: Run) -> Callable[[Environment], Ended]:
    def outside(environment: Environment) -> Ended:
        from mockprovider.engine.programs.outside import run_outside  # noqa: PLC0415 - imports pulumi, which is slow

        return run_outside(run, environment)

    return outside


def _needed(program: Callable[[], Any]) -> list[str]:
    try:
        parameters = inspect.signature(program).parameters.values()
    except (TypeError, ValueError):
        # Some builtins do not say what they take.
        return []
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [
        parameter.name for parameter in parameters if parameter.default is parameter.empty and parameter.kind not in variable
    ]
