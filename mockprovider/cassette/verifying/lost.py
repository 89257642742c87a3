"""What the recorded provider made, and today's did not: calls about it are not asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mockprovider.calls import Op
from mockprovider.cassette.model import Interaction
from mockprovider.cassette.verifying.correspondence import SMALLEST
from mockprovider.cassette.verifying.generated import STANDS_ALONE, is_id, leaves, looks_made_up
from mockprovider.matching import digest


class Lost:
    """The objects that are missing today, each with the reason."""

    def __init__(self) -> None:
        self._urns: dict[tuple[str, str], str] = {}
        self._values: dict[Any, str] = {}
        self._parts: dict[str, str] = {}

    def add(self, interaction: Interaction, response: Any, reason: str) -> None:
        """What this interaction made is missing."""
        if interaction.op != Op.CREATE:
            return
        if interaction.urn:
            self._urns[interaction.provider, interaction.urn] = reason
        given = {value for _, value in leaves(interaction.request)}
        for key, value in leaves(response):
            if value not in given and looks_made_up(value, key) and _stands_alone(value):
                self._values[value] = reason
        for part in _parts(response):
            self._parts[digest(part)] = reason

    def needed(self, interaction: Interaction, request: Any) -> str:
        """Why a call cannot be asked: what it is about, or what its request needs, is missing; empty if nothing is."""
        if interaction.op != Op.CREATE and (reason := self._urns.get((interaction.provider, interaction.urn))):
            return reason
        if not self._values and not self._parts:
            return ""
        values = (self._values.get(value, "") for _, value in leaves(request))
        parts = (self._parts.get(digest(part), "") for part in _parts(request))
        return next(filter(None, (*values, *parts)), "")


def _stands_alone(value: Any) -> bool:
    return not isinstance(value, str) or len(value) >= STANDS_ALONE


def _parts(tree: Any) -> Iterator[dict[str, Any]]:
    """The objects in a tree that have an id: each is one thing of the cloud."""
    if isinstance(tree, dict):
        if len(tree) >= SMALLEST and any(is_id(key) and isinstance(value, (str, int)) for key, value in tree.items()):
            yield tree
        for subtree in tree.values():
            yield from _parts(subtree)
    elif isinstance(tree, list):
        for subtree in tree:
            yield from _parts(subtree)
