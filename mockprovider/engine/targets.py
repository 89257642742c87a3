"""Which resources an operation is limited to (``--target``, ``--target-dependents``), and which it must replace."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from mockprovider.engine.state import ResourceState
from mockprovider.pulumi.options import glob


class Scope(Struct, frozen=True):
    """What a user asked for: ``targets`` and ``replace`` are URNs, globs of URNs (``*`` within a part, ``**`` across parts)
    or names; with ``dependents``, what depends on targets is one, too. No targets at all mean everything.
    """

    targets: tuple[str, ...] = ()
    dependents: bool = False
    replace: tuple[str, ...] = ()


class Targets:
    """The targets of one phase of an operation. Not safe to use from two threads at once."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._patterns = [_pattern(each) for each in scope.targets]
        self._replaced = [_pattern(each) for each in scope.replace]
        self._reached: set[str] = set()
        self.dependents = scope.dependents
        """Whether what depends on a target is one, too."""

    @property
    def constrained(self) -> bool:
        """Whether there are targets."""
        return bool(self._patterns)

    def names(self, urn: str) -> bool:
        """Whether ``urn`` was asked for by itself."""
        return not self._patterns or any(each.fullmatch(urn) for each in self._patterns)

    def replaces(self, urn: str) -> bool:
        """Whether ``urn`` must be replaced."""
        return any(each.fullmatch(urn) for each in self._replaced)

    def include(self, state: ResourceState) -> bool:
        """Whether ``state`` is included, which is remembered. Ask for what it depends on before."""
        found = self.names(state.urn) or (self.dependents and not self._reached.isdisjoint(state.dependency_urns()))
        if found:
            self._reached.add(state.urn)
        return found

    def missing(self, known: Sequence[str]) -> list[str]:
        """What was asked for, and is none of the URNs ``known``. Globs may match nothing."""
        asked = [*zip(self._scope.targets, self._patterns, strict=True), *zip(self._scope.replace, self._replaced, strict=True)]
        return [text for text, pattern in asked if "*" not in text and not any(pattern.fullmatch(urn) for urn in known)]


def _pattern(target: str) -> re.Pattern[str]:
    across = [part.split("*") for part in glob(target).split("**")]
    return re.compile(".*".join("[^:]*".join(map(re.escape, within)) for within in across), re.DOTALL)
