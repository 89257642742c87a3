"""The commands of ``pulumi state`` that mark resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from mockprovider.pulumi.stacks.exporting import import_state
from mockprovider.pulumi.stacks.marking import named_urns
from mockprovider.pulumi.stacks.state import ResourceStates


class StateCommands(Protocol):
    """The commands that mark resources, by name or URN. Each raises ``DefinitionError`` for what is not in the state, and
    ``ProgramError`` if the CLI fails.
    """

    def command(self, *arguments: str) -> Any:
        """Any command of the CLI."""

    def export(self) -> Mapping[str, Any]:
        """``pulumi stack export``."""

    def taint(self, *names: str) -> None:
        """``pulumi state taint``: the next up replaces these resources."""
        self._mark("taint", names)

    def untaint(self, *names: str) -> None:
        """``pulumi state untaint``: the opposite of ``taint``."""
        self._mark("untaint", names)

    def protect(self, *names: str) -> None:
        """``pulumi state protect``: these resources are not deleted."""
        self._mark("protect", names)

    def unprotect(self, *names: str) -> None:
        """``pulumi state unprotect``: the opposite of ``protect``."""
        self._mark("unprotect", names)

    def _mark(self, command: str, names: tuple[str, ...]) -> None:
        state = ResourceStates(import_state(self.export()).resources)
        self.command("state", command, *named_urns(names, state), "--yes")
