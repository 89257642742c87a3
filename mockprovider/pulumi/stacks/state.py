"""What the engine remembers: resources in an order in which each stands after what it depends on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from mockprovider.pulumi.stacks.extensions import Extension
from mockprovider.pulumi.stacks.resource_options import RememberedOptions, Timeouts, urns
from mockprovider.urn import PROVIDERS, STACK_TYPE, Urn
from mockprovider.values import Value

UNKNOWN_ID = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""The id that a new provider resource has in a preview, and any id that is not known yet."""


class ResourceState(RememberedOptions, kw_only=True, eq=False):
    """One resource as the engine remembers it; the fields are those of Pulumi's deployment format, with the remembered options.

    ``delete`` marks the old instance of a replacement whose deletion is still to come, ``pending_replacement`` one that is
    deleted and not yet created anew. One with ``taint`` is replaced by the next up. One with ``view_of``
    is a part of that resource, without calls of its own. ``created`` and ``modified`` are times as
    RFC 3339 has them, empty where nobody knows. Two states are equal only if they are one: several instances may share a URN.
    """

    urn: str
    type: str
    custom: bool = False
    id: str = ""
    inputs: dict[str, Value] = field(default_factory=dict)
    outputs: dict[str, Value] = field(default_factory=dict)
    external: bool = False
    delete: bool = False
    pending_replacement: bool = False
    init_errors: list[str] = field(default_factory=list)
    aliases: tuple[str, ...] = ()
    """The URN under which it was known before, until that is forgotten."""
    refresh_before_update: bool = False
    view_of: str = ""
    extension_ref: str = ""
    """The reference of the extension that it is of, among the ``extensions`` of the state."""
    taint: bool = False
    created: str = ""
    modified: str = ""
    extra: dict[str, Any] = field(default_factory=dict)
    """What an imported deployment said beyond these fields; exported again as it was."""

    @property
    def name(self) -> str:
        """The name that the program gave it."""
        return Urn.parse(self.urn).name

    @property
    def is_provider(self) -> bool:
        """Whether it is a provider resource."""
        return self.type.startswith(PROVIDERS)

    @property
    def is_stack(self) -> bool:
        """Whether it is the root stack."""
        return self.type == STACK_TYPE

    @property
    def provider_urn(self) -> str:
        """The URN of its provider resource, or an empty string."""
        return self.provider.rpartition("::")[0]

    def dependency_urns(self, *, parent: bool = True, provider: bool = True) -> Iterator[str]:
        """The URNs of everything that must exist before it, with ``parent`` and ``provider`` or without; may repeat."""
        return urns(self, parent=parent, provider=provider)


class PendingOperation(Struct, frozen=True):
    """A provider call that was running when the engine had to stop; how it ended is unknown."""

    kind: str
    """``creating``, ``updating``, ``deleting``, ``reading`` or ``importing``."""
    resource: ResourceState


class State(Struct, frozen=True):
    """A stack's state: the resources, and the operations that were cut off."""

    resources: tuple[ResourceState, ...] = ()
    pending: tuple[PendingOperation, ...] = ()
    secrets_providers: Mapping[str, Any] = field(default_factory=dict)
    """How a CLI encrypts this state's secrets; exported as it was imported."""
    plugins: Mapping[str, str] = field(default_factory=dict)
    """The versions of the plugins that an imported state was made with, by package."""
    extensions: Mapping[str, Extension] = field(default_factory=dict)
    """The extensions that resources are of, by their references."""

    def live(self) -> dict[str, ResourceState]:
        """The resources by URN, without old instances that wait for their deletion."""
        return {resource.urn: resource for resource in self.resources if not resource.delete}


class ResourceStates(Mapping[str, ResourceState]):
    """A state's resources, looked up by the name that the program gave them, by type and name, or by URN.

    Iterates over URNs, old instances of replacements left out (they are in ``every``).
    """

    def __init__(self, resources: Sequence[ResourceState]) -> None:
        self.every = tuple(resources)
        """All of them, also old instances that wait for their deletion."""
        self._live = {resource.urn: resource for resource in resources if not resource.delete}

    def __getitem__(self, key: str | tuple[str, str]) -> ResourceState:
        """The resource of this name, type and name (``state["aws:s3/bucket:Bucket", "site"]``), or URN.

        Raises ``KeyError`` with the names there are, or with the types and URNs that share the name.
        """
        __tracebackhide__ = True
        if isinstance(key, str) and key in self._live:
            return self._live[key]
        type_, name = ("", key) if isinstance(key, str) else key
        named = [resource for resource in self._live.values() if resource.name == name and type_ in ("", resource.type)]
        plain = [resource for resource in named if not resource.is_provider and not resource.is_stack]
        matches = plain or named
        if len(matches) == 1:
            return matches[0]
        types = {resource.type for resource in matches}
        if len(types) > 1:
            keys = ", ".join(f"[{type_!r}, {name!r}]" for type_ in sorted(types))
            raise KeyError(f"{name!r} is the name of several resources; say the type, too: {keys}")
        if matches:
            urns = ", ".join(resource.urn for resource in matches)
            raise KeyError(f"{name!r} is the name of several resources of one type; use a URN: {urns}")
        raise KeyError(f"there is no resource {key!r}; there are: {', '.join(sorted(self.names())) or 'none'}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._live)

    def __len__(self) -> int:
        return len(self._live)

    def names(self) -> set[str]:
        """The names of the program's own resources: neither the stack nor providers."""
        return {resource.name for resource in self._live.values() if not resource.is_provider and not resource.is_stack}

    def __repr__(self) -> str:
        return f"ResourceStates({', '.join(f'{resource.name}={resource.type}' for resource in self._live.values())})"


def copied(state: ResourceState, **changes: Any) -> ResourceState:
    """A new instance of ``state`` with ``changes``."""
    return replace(state, **changes)


__all__ = ["UNKNOWN_ID", "PendingOperation", "ResourceState", "ResourceStates", "State", "Timeouts", "copied"]
