"""What hooks are about: what was, or is to be, done to a resource; and the hooks that a program has registered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from mockprovider.pulumi.stacks.state import ResourceState

KINDS: Mapping[str, str] = {
    "before_create": "BeforeCreate",
    "after_create": "AfterCreate",
    "before_update": "BeforeUpdate",
    "after_update": "AfterUpdate",
    "before_delete": "BeforeDelete",
    "after_delete": "AfterDelete",
    "on_error": "OnError",
}
"""The kinds of hooks: the field of a registration, and the name in the state."""


class Hook(Struct, frozen=True):
    """A hook that the program registered. ``call`` takes a request, and fills and returns an answer.

    ``on_dry_run`` says whether previews call it, too, ``ignore_errors`` that its failure is only a warning.
    """

    name: str
    call: Callable[[Any, Any], Any]
    accepts: frozenset[str]
    on_dry_run: bool = False
    ignore_errors: bool = False


class Occasion(Struct, frozen=True):
    """What hooks are called about: the ``op`` (``create``, ``update`` or ``delete``), and the resource before and after."""

    op: str
    old: ResourceState | None = None
    new: ResourceState | None = None

    @property
    def resource(self) -> ResourceState:
        """The resource whose hooks are called."""
        resource = self.new or self.old
        if resource is None:
            raise ValueError(f"{self.op} is about no resource")
        return resource

    def bound(self, when: str) -> tuple[str, tuple[str, ...]]:
        """The kind of the hooks ``before`` or ``after`` it, as the state spells it, and their names."""
        kind = KINDS[f"{when}_{self.op}"]
        return kind, self.resource.resource_hooks.get(kind, ())
