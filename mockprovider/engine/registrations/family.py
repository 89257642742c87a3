"""What children inherit from their parents where they say nothing themselves, and what of a family exists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from mockprovider.engine.registrations.goal import Goal
from mockprovider.pulumi.stacks.resource_options import inherited
from mockprovider.urn import PROVIDERS, parse_reference

NOBODY = Goal(type="", name="", custom=False)
"""The parent of what has none."""


class Family:
    """The goals of one operation's resources, as their children see them."""

    def __init__(self) -> None:
        self._goals: dict[str, Goal] = {}
        self._children: dict[str, dict[str, None]] = defaultdict(dict)
        self._exists: dict[str, bool] = {}

    def note(self, urn: str, goal: Goal, *, exists: bool) -> None:
        """Remember what the children of ``urn`` may inherit, and whether it has an object by now; a component needs none."""
        self._goals[urn] = goal
        self._exists[urn] = exists or not goal.custom
        self._children[goal.parent][urn] = None

    def wanting(self, urns: Iterable[str]) -> bool:
        """Whether an object is still missing of ``urns``, or of what stands below the components among them.

        As in SDKs, a custom resource stands for itself alone, and a URN that nobody registered for nothing.
        """
        frontier, seen = list(urns), set[str]()
        while frontier:
            urn = frontier.pop()
            if urn in seen or urn not in self._exists:
                continue
            seen.add(urn)
            if not self._exists[urn]:
                return True
            if not self._goals[urn].custom:
                frontier += self._children[urn]
        return False

    def provider_of(self, urn: str) -> str:
        """The provider that manages ``urn``; empty for a component of the program. Raises ``KeyError`` for an unknown one."""
        return self._goals[urn].provider

    def inside(self, parent: str, package: str) -> str:
        """The provider that the component ``parent`` has for the functions of ``package``, if it has one."""
        above = self._goals.get(parent)
        return "" if above is None or above.custom else above.providers.get(package, "")

    @property
    def goals(self) -> Mapping[str, Goal]:
        """What was registered, by URN."""
        return self._goals

    def parent(self, urn: str) -> str:
        """The URN of a resource's parent; empty where there is none."""
        goal = self._goals.get(urn)
        return goal.parent if goal else ""

    def heir(self, goal: Goal) -> Goal:
        """``goal`` with what it inherits: protection, what becomes of it, and its provider."""
        parent = self._goals.get(goal.parent)
        if goal.reads:
            return goal
        if goal.transformed:
            return _settled(goal, parent)
        if parent is None or parent.reads:
            # What is only read hands nothing down.
            return replace(goal, provider=_provider(goal, NOBODY))
        return replace(
            goal,
            provider=_provider(goal, parent),
            providers={**parent.providers, **goal.providers} if not (goal.custom or parent.custom) else goal.providers,
            **inherited(goal, parent),
        )


def _settled(goal: Goal, parent: Goal | None) -> Goal:
    """A goal whose transforms have seen what it inherits, and decided: only a component's providers are still its parent's."""
    if goal.custom or goal.remote:
        return replace(goal, provider="") if goal.is_provider else goal
    above = parent.providers if parent and not parent.custom else {}
    return replace(goal, provider="", providers={**above, **goal.providers})


def _provider(goal: Goal, parent: Goal) -> str:
    """Its own provider; else, if of its package, the one that manages the parent, default or not; else what it, or the
    component that it belongs to, has for the package.
    """
    # A component of the program itself has no provider of its own, only providers for its children.
    if not (goal.custom or goal.remote) or goal.is_provider:
        return ""
    above = parent.provider if _serves(parent.provider, goal.package) else ""
    inside = "" if parent.custom else parent.providers.get(goal.package, "")
    return goal.provider or above or goal.providers.get(goal.package, "") or inside


def _serves(provider: str, package: str) -> bool:
    return bool(provider) and parse_reference(provider)[0].type == PROVIDERS + package
