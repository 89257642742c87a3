"""The options of operations as flags of the ``pulumi`` command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mockprovider.pulumi.stacks.options import Options, glob


def flags(**given: Any) -> tuple[str, ...]:
    """Command-line flags: nothing for what is false, one for each item of a list."""
    arguments = []
    for name, value in given.items():
        if value is True:
            arguments.append(f"--{name}")
        elif value:
            arguments += [f"--{name}={item}" for item in (value if isinstance(value, list) else [value])]
    return tuple(arguments)


def scope(options: Options, names: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Which resources an operation is about, as ``flags`` takes it."""
    scoped: dict[str, Any] = {option: [glob(name) for name in values] for option, values in names.items()}
    for option in ("target_dependents", "exclude_dependents", "continue_on_error", "ignore_protect"):
        scoped[option.replace("_", "-")] = options.get(option, False)
    return scoped


def without_program(*, preview: bool) -> tuple[str, ...]:
    """The flags of an operation that runs no program, and shows no preview before."""
    return ("--preview-only",) if preview else ("--yes", "--skip-preview")
