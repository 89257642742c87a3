"""The options that operations of both engines share: which resources they touch, and whether they continue after errors."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TypedDict

from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean
from mockprovider.urn import PREFIX, SEPARATOR

NAMING: Mapping[str, str] = {"target": "target", "exclude": "exclusion", "replace": "target"}
"""The options that name resources, and the word for such a name in messages."""


NOT_TAKEN: Mapping[str, Sequence[str]] = {
    "preview": ("continue_on_error",),
    "refresh": ("replace", "continue_on_error", "ignore_protect"),
    "destroy": ("exclude_dependents", "replace"),
}
"""The options that an operation has not, in the words of its ``--help``."""


class Options(TypedDict, total=False):
    """Options of an operation, as the CLI's flags of these names.

    ``target`` names the only resources to touch, ``exclude`` the only ones not to touch, and ``replace`` those to replace even
    without changes: by name, URN, or glob of URNs (``*`` within a part, ``**`` across parts). ``target_dependents`` and
    ``exclude_dependents`` add their dependents. With ``continue_on_error`` a failed resource stops only its dependents, and
    with ``ignore_protect`` protected resources are deleted and replaced like others.
    """

    target: Sequence[str]
    target_dependents: bool
    exclude: Sequence[str]
    exclude_dependents: bool
    replace: Sequence[str]
    continue_on_error: bool
    ignore_protect: bool


def _listed(option: str, names: Sequence[str]) -> tuple[str, ...]:
    """The ``names`` of ``option`` as a tuple. Raises ``DefinitionError`` for what is no list of names."""
    if isinstance(names, str) or not all(isinstance(name, str) and name for name in names):
        raise DefinitionError(f"{option}={names!r} is no list of names or URNs. Write {option}=[{str(names)!r}].")
    return tuple(names)


def named(options: Options, operation: str) -> dict[str, tuple[str, ...]]:
    """The names in the ``options`` of an operation, by option. Raises ``DefinitionError`` for what is no list of names, and for
    options or combinations that the CLI does not accept.
    """
    for option in options:
        if option not in Options.__annotations__:
            raise DefinitionError(
                f"{operation} takes no {option!r}. {did_you_mean(option, Options.__annotations__, 'There are')}"
            )
    given: Mapping[str, Sequence[str]] = {option: options.get(option, ()) for option in NAMING}  # type: ignore[misc]
    by_option = {option: _listed(option, names) for option, names in given.items()}
    if by_option["target"] and by_option["exclude"]:
        raise DefinitionError("target and exclude cannot be given together: name what to touch, or what to leave.")
    for option in NOT_TAKEN.get(operation, ()):
        if options.get(option):
            raise DefinitionError(f"{operation} takes no {option}, in pulumi either: leave it out.")
    return by_option


def pattern(target: str) -> re.Pattern[str]:
    """The pattern of the URNs that ``target`` selects."""
    across = [part.split("*") for part in glob(target).split("**")]
    return re.compile(".*".join("[^:]*".join(map(re.escape, within)) for within in across), re.DOTALL)


def unmatched(given: Mapping[str, Sequence[str]], urns: Collection[str]) -> list[str]:
    """A message for each of the names ``given`` by option that is none of ``urns``, with the nearest one. Globs may match
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
    """The glob of URNs that ``target`` selects: itself, if it is a URN or a glob; otherwise any resource of that name."""
    return target if target.startswith(PREFIX) or "*" in target else f"**{SEPARATOR}{target}"
