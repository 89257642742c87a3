"""What the operations of both engines take alike: which resources they are limited to, and whether they go on after errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from mockprovider.errors import DefinitionError
from mockprovider.urn import PREFIX, SEPARATOR


class Options(TypedDict, total=False):
    """What an operation is limited to, and whether it goes on; as the CLI's flags of these names.

    ``target`` names the resources that are touched, ``replace`` those that are replaced though nothing asks for it: by name,
    URN or glob of URNs (``*`` stays within a part, ``**`` does not). With ``target_dependents`` what depends on targets is
    touched, too. With ``continue_on_error`` a resource that fails stops only what depends on it.
    """

    target: Sequence[str]
    target_dependents: bool
    replace: Sequence[str]
    continue_on_error: bool


def listed(option: str, names: Sequence[str]) -> tuple[str, ...]:
    """The ``names`` that were given for ``option``. Raises ``DefinitionError`` for what is no list of names."""
    if isinstance(names, str) or not all(isinstance(each, str) and each for each in names):
        raise DefinitionError(f"{option}={names!r} is no list of names or URNs. Write {option}=[{str(names)!r}].")
    return tuple(names)


def glob(target: str) -> str:
    """The glob of URNs that ``target`` means: itself, if it is a URN or a glob; any resource of that name otherwise."""
    return target if target.startswith(PREFIX) or "*" in target else f"**{SEPARATOR}{target}"
