"""What stacks of both engines are told when they are made, checked before anything is done with it."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from typing import Any

from mockprovider.errors import DefinitionError
from mockprovider.values import Value, reveal

ARGUMENTS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "provider": (
        lambda given: all(hasattr(source, "open") for source in (given.values() if isinstance(given, Mapping) else [given])),
        "no provider: give a Double, or a mapping from the names of packages to Doubles.",
    ),
    "project": (lambda given: isinstance(given, str), "no project: give its name, or its folder as a Path."),
    "name": (lambda given: isinstance(given, str), "no name of a stack: give text, such as 'dev'."),
    "organization": (lambda given: isinstance(given, str), "no name of an organization: give text."),
    "config": (
        lambda given: isinstance(given, Mapping),
        "no configuration: give a mapping, such as {'aws:region': 'eu-west-1'}.",
    ),
    "references": (
        lambda given: isinstance(given, Mapping),
        "no mapping of stacks: give, for each name that the program uses, a Stack or its outputs as a mapping.",
    ),
    "parallel": (
        lambda given: isinstance(given, int) and given >= 1,
        "no number of steps that may run at once: give 1, which makes equal runs equal, or more.",
    ),
    "timeout": (lambda given: isinstance(given, (int, float)) and given > 0, "no time: give seconds, more than 0."),
    "on_event": (callable, "no function: give one that takes an event, such as print."),
    "policies": (
        lambda given: isinstance(given, (list, tuple)),
        "no list of policy packs: give one, of PolicyPack objects and of the folders of packs.",
    ),
}
"""Whether a value is right, and what to say of one that is not."""


def check(**given: Any) -> None:
    """Raise ``DefinitionError`` for the first of the arguments that cannot be what it is called; ``None`` is none."""
    for name, value in given.items():
        fits, complaint = ARGUMENTS[name]
        if value is not None and not fits(value):
            raise DefinitionError(f"{name}={reprlib.repr(value)} is {complaint}")


def check_settings(config: Mapping[str, Value]) -> None:
    """Raise ``DefinitionError`` for a value of the configuration that is no string."""
    for key, value in config.items():
        if not isinstance(reveal(value), str):
            raise DefinitionError(
                f"The configuration {key!r} is {value!r}; configuration values are strings (JSON for others)."
            )
