"""What an instance is asked about a resource, and what comes of it."""

from __future__ import annotations

from typing import Any, Protocol

from msgspec import Struct, field

from mockprovider.calls import Call, Reply
from mockprovider.pulumi.stacks.state import ResourceState
from mockprovider.values import Value


class Checked(Struct, frozen=True):
    """What Check answered: inputs, and failures as ``(property, reason)``."""

    inputs: dict[str, Value]
    failures: tuple[tuple[str, str], ...] = ()


class Outcome(Struct, frozen=True):
    """What a create, read or update left behind. ``outputs`` is ``None`` where there is no object (any more)."""

    id: str = ""
    outputs: dict[str, Value] | None = None
    inputs: dict[str, Value] | None = None
    init_errors: tuple[str, ...] = ()
    refresh_before_update: bool = False
    past_errors: tuple[str, ...] = ()
    """The initialization errors of earlier attempts."""


class ViewsTaker(Protocol):
    """The way back of a call: a handler, and what the request says of it."""

    @property
    def extra(self) -> dict[str, Any]:
        """Further fields of the request."""

    def __call__(self, call: Call) -> Reply:
        """Take what is published."""


class ResourceIdentity(Struct, frozen=True):
    """Which resource a call is about."""

    urn: str
    id: str = ""
    timeout: float = 0.0
    ignore_changes: tuple[str, ...] = ()
    old_inputs: dict[str, Value] = field(default_factory=dict)
    old_outputs: dict[str, Value] = field(default_factory=dict)
    views: ViewsTaker | None = None
    """What takes the views that are published during the call."""

    @property
    def way_back(self) -> dict[str, Any]:
        """The fields of a call during which views may be published."""
        return {} if self.views is None else {"monitor": self.views, "extra": self.views.extra}


def identity(state: ResourceState, timeout: float = 0.0, **changes: Any) -> ResourceIdentity:
    """The identity of a remembered resource, with its remembered bags."""
    fields = {"urn": state.urn, "id": state.id, "old_inputs": state.inputs, "old_outputs": state.outputs, **changes}
    return ResourceIdentity(timeout=timeout, **fields)
