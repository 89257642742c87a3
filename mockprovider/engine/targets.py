"""Which resources an operation is limited to (``--target``, ``--exclude``), and which it must replace."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from mockprovider.pulumi.stacks.options import pattern, unmatched
from mockprovider.pulumi.stacks.state import ResourceState
from mockprovider.urn import PREFIX


class Scope(Struct, frozen=True):
    """What a user asked for: ``targets``, ``excludes`` and ``replace`` are URNs, globs of URNs (``*`` within a part, ``**``
    across parts) or names; with ``dependents``, what depends on targets, or on what is excluded, is so, too. No targets at all
    mean everything that is not excluded.
    """

    targets: tuple[str, ...] = ()
    dependents: bool = False
    excludes: tuple[str, ...] = ()
    replace: tuple[str, ...] = ()


class Targets:
    """The targets of one phase of an operation. Not safe to use from two threads at once.

    ``through_providers`` says whether what a provider serves depends on it. To a refresh of the real engine it does not.
    """

    def __init__(self, scope: Scope, *, through_providers: bool = True) -> None:
        self._scope = scope
        self._through_providers = through_providers
        self._patterns = [pattern(name) for name in scope.targets]
        self._excluded = [pattern(name) for name in scope.excludes]
        self._replaced = [pattern(name) for name in scope.replace]
        self._reached: set[str] = set()
        self.dependents = scope.dependents
        """Whether what depends on a target is one, too."""

    @property
    def constrained(self) -> bool:
        """Whether there are targets."""
        return bool(self._patterns)

    @property
    def excluding(self) -> bool:
        """Whether something is excluded."""
        return bool(self._excluded)

    def names(self, urn: str) -> bool:
        """Whether ``urn`` was asked for by itself."""
        return not self._patterns or any(regex.fullmatch(urn) for regex in self._patterns)

    def excludes(self, urn: str) -> bool:
        """Whether ``urn`` was excluded by itself."""
        return any(regex.fullmatch(urn) for regex in self._excluded)

    def replaces(self, urn: str) -> bool:
        """Whether ``urn`` must be replaced."""
        return any(regex.fullmatch(urn) for regex in self._replaced)

    def include(self, state: ResourceState, *, implied: bool = False) -> bool:
        """Whether ``state`` is included, which is remembered; ``implied`` says that it is in any case. Ask for what it depends
        on before.
        """
        asked_for = self.excludes if self.excluding else self.names
        named = asked_for(state.urn)
        needed = state.dependency_urns(provider=self._through_providers) if self.dependents else ()
        # What is only read is never asked here, and may have been named all the same.
        reached = named or any(urn in self._reached or asked_for(urn) for urn in needed)
        if named or (reached and not (implied and self.excluding)):
            self._reached.add(state.urn)
        return implied or reached != self.excluding

    def missing(self, known: Sequence[str]) -> list[str]:
        """What is wrong with the names: those that are none of the URNs ``known``. Globs may match nothing."""
        return unmatched(self._names(), known)

    def missing_already(self, remembered: Sequence[str], *, refreshing: bool) -> list[str]:
        """What is wrong with the URNs before the program has run: as in the real engine, those to replace, and in a refresh all
        others, must be ``remembered``. Plain names may be the program's.
        """
        early = self._names() if refreshing else {"replace": self._scope.replace}
        return unmatched(
            {option: [name for name in names if name.startswith(PREFIX)] for option, names in early.items()}, remembered
        )

    def _names(self) -> dict[str, tuple[str, ...]]:
        scope = self._scope
        return {"target": scope.targets, "exclude": scope.excludes, "replace": scope.replace}
