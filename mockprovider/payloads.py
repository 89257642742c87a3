"""What single ops ask and answer beside the words that all calls share: naming, a parameter, a stored state, a list."""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct

PROPOSE, ENFORCE, DISABLE = range(3)
"""The modes of ``NamingOptions``, by Pulumi's numbers."""


class NamingOptions(Struct, frozen=True):
    """How an engine wants a resource named to which the program gave no name. ``mode`` says whether the
    name is proposed, enforced, or none may be made up.
    """

    proposed_name: str = ""
    mode: int = PROPOSE


class ParameterArgs(Struct, frozen=True):
    """What a command line parameterizes a package with: ``args`` are its words."""

    args: tuple[str, ...] = ()


class ParameterValue(Struct, frozen=True):
    """What an SDK or a state kept of a parameter: its bytes, and the name and version of the package that it makes."""

    name: str = ""
    version: str = ""
    value: bytes = b""


class StoredState(Struct, frozen=True):
    """A state as a state file has it, on its way to today's type.

    Args:
        attributes: the parsed JSON, in the protocol's own names; an identity's is its JSON as bytes.
        version: the version of the schema that it was written by.
        type, provider: the type that it was a state of, and that type's provider, where these are others.
    """

    attributes: Any = None
    version: int = 0
    type: str = ""
    provider: str = ""


class ListedObject(Struct, frozen=True):
    """An object that exists. ``name`` is empty where it has none."""

    id: str = ""
    name: str = ""


class ListComputed(Struct, frozen=True):
    """What a list says that depends on something unknown."""


class ListContinues(Struct, frozen=True):
    """There are more objects: ask again with this token."""

    continuation_token: str = ""


Listed: TypeAlias = ListedObject | ListComputed | ListContinues
