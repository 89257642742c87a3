"""What the operations of both engines take alike: which resources they are limited to, and whether they go on after errors."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TypedDict

from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean
from mockprovider.urn import PREFIX, SEPARATOR

NAMING: Mapping[str, str] = {"target": "target", "exclude": "exclusion", "replace": "target"}
"""The options that name resources, and what messages call a name in them."""


class Options(TypedDict, total=False):
    """Options of an operation, as the CLI's flags of these names.

    ``target`` names the only resources to touch, ``exclude`` the only ones not to touch, and ``replace`` those to replace
    although nothing changed: by name, URN, or glob of URNs (``*`` within a part, ``**`` across parts). ``target_dependents``
    and ``exclude_dependents`` add their dependents. With ``continue_on_error`` a failed resource stops only its dependents.
    """

    target: Sequence[str]
    target_dependents: bool
    exclude: Sequence[str]
    exclude_dependents: bool
    replace: Sequence[str]
    continue_on_error: bool


def _listed(option: str, names: Sequence[str]) -> tuple[str, ...]:
    """The ``names`` that were given for ``option``. Raises ``DefinitionError`` for what is no list of names."""
    if isinstance(names, str) or not all(isinstance(name, str) and name for name in names):
        raise DefinitionError(f"{option}={names!r} is no list of names or URNs. Write {option}=[{str(names)!r}].")
    return tuple(names)


def named(options: Options, operation: str) -> dict[str, tuple[str, ...]]:
    """The names in the ``options`` of an operation, by option. Raises ``DefinitionError`` for what is no list of names, and for
    options that the CLI does not take, or not together.
    """
    given: Mapping[str, Sequence[str]] = {option: options.get(option, ()) for option in NAMING}  # type: ignore[misc]
    by_option = {option: _listed(option, names) for option, names in given.items()}
    if by_option["target"] and by_option["exclude"]:
        raise DefinitionError("target and exclude cannot be given together: name what to touch, or what to leave.")
    if operation == "destroy" and options.get("exclude_dependents"):
        raise DefinitionError("destroy takes no exclude_dependents: name all that is to stay.")
    return by_option


def pattern(target: str) -> re.Pattern[str]:
    """The URNs that ``target`` means."""
    across = [part.split("*") for part in glob(target).split("**")]
    return re.compile(".*".join("[^:]*".join(map(re.escape, within)) for within in across), re.DOTALL)


def unmatched(given: Mapping[str, Sequence[str]], urns: Collection[str]) -> list[str]:
    """What is wrong with the names ``given`` by option: each that is none of ``urns``, and what is nearest. Globs may match
    nothing.
    """
    return [
        f"the {NAMING[option]} {name!r} could not be found: neither the state nor the program has it. {_nearest(name, urns)}"
        for option, names in given.items()
        for name in names
        if "*" not in name and not any(map(pattern(name).fullmatch, urns))
    ]


def _nearest(name: str, urns: Collection[str]) -> str:
    known = set(urns) if name.startswith(PREFIX) else {urn.rpartition(SEPARATOR)[2] for urn in urns}
    return did_you_mean(name, known, "There is")


def glob(target: str) -> str:
    """The glob of URNs that ``target`` means: itself, if it is a URN or a glob; any resource of that name otherwise."""
    return target if target.startswith(PREFIX) or "*" in target else f"**{SEPARATOR}{target}"
