"""Which remembered resource a registration is: by its URN, or by an alias that nothing else of this run claims."""

from __future__ import annotations

from msgspec import Struct

from mockprovider.engine.registrations.decision import RefusedError
from mockprovider.engine.registrations.goal import Goal, alias_urns
from mockprovider.engine.registrations.wording import claimed, duplicate
from mockprovider.engine.state.ledger import Ledger
from mockprovider.pulumi.stacks.state import ResourceState
from mockprovider.urn import make


class Recognized(Struct, frozen=True):
    """What is remembered of a registration, under which ``alias`` if not under its own URN, and what speaks against that."""

    old: ResourceState | None = None
    alias: str = ""
    refusal: RefusedError | None = None


class Identities:
    """The URNs of one run: those that were registered, and the aliases under which their old states were found."""

    def __init__(self, stack: str, project: str, ledger: Ledger) -> None:
        self._stack = stack
        self._project = project
        self._ledger = ledger
        self.registered: dict[str, ResourceState] = {}
        """The states of the URNs that were registered, and of those that stay because of them."""
        self.adopted: dict[str, str] = {}
        """By URN, the alias under which its old state was found."""
        self.claimants: dict[str, str] = {}
        """The other way round: by alias, the URN that has taken it."""

    def urn(self, goal: Goal) -> str:
        """The URN of ``goal``. Raises ``RefusedError`` if it is taken, or its parent is not there."""
        urn = str(make(self._stack, self._project, goal.parent or None, goal.type, goal.name))
        if urn in self.registered:
            raise RefusedError(duplicate(urn))
        if goal.parent and goal.parent not in self.registered:
            raise RefusedError(f"could not find parent resource {goal.parent} of {urn}")
        return urn

    def recognize(self, urn: str, goal: Goal) -> Recognized:
        """What is remembered of ``goal``. As in the real engine, what is refused is still checked by its provider first."""
        refusal = _claimed(urn, urn, self.claimants.get(urn))
        old = self._ledger.live.get(urn)
        if old is not None:
            return Recognized(old, refusal=refusal)
        for alias in alias_urns(goal, self._stack, self._project, self.adopted):
            old = self._ledger.live.get(alias)
            if old is not None:
                # As the real engine says it: the one that has the name already is not named.
                taken = urn if alias in self.registered else self.claimants.get(alias)
                self.adopted[urn], self.claimants[alias] = alias, urn
                return Recognized(old, alias, _claimed(urn, alias, taken) or refusal)
        return Recognized(refusal=refusal)

    def is_settled(self, urn: str) -> bool:
        """Whether this run knows already what becomes of ``urn``, under this name or another."""
        return urn in self.registered or urn in self.claimants


def _claimed(urn: str, alias: str, claimant: str | None) -> RefusedError | None:
    if claimant is None:
        return None
    return RefusedError(claimed(urn, alias, claimant))
