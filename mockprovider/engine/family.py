"""What children inherit from their parents where they say nothing themselves."""

from __future__ import annotations

from msgspec.structs import replace

from mockprovider.engine.goal import Goal
from mockprovider.urn import PROVIDERS, parse_reference


class Family:
    """The goals of one operation's resources, as their children see them."""

    def __init__(self) -> None:
        self.goals: dict[str, Goal] = {}

    def note(self, urn: str, goal: Goal) -> None:
        """Remember what the children of ``urn`` may inherit."""
        self.goals[urn] = goal

    def parent(self, urn: str) -> str:
        """The URN of a resource's parent; empty where there is none."""
        goal = self.goals.get(urn)
        return goal.parent if goal else ""

    def heir(self, goal: Goal) -> Goal:
        """``goal`` with what it inherits: protection, what becomes of it, and its provider."""
        parent = self.goals.get(goal.parent)
        if goal.read_id:
            return goal
        if goal.transformed:
            return _settled(goal, parent)
        if parent is None:
            return replace(goal, provider=_provider(goal, Goal(type="", name="", custom=False)))
        return replace(
            goal,
            protect=parent.protect if goal.protect is None else goal.protect,
            retain_on_delete=parent.retain_on_delete if goal.retain_on_delete is None else goal.retain_on_delete,
            deleted_with=goal.deleted_with or parent.deleted_with,
            provider=_provider(goal, parent),
            providers={**parent.providers, **goal.providers} if not (goal.custom or parent.custom) else goal.providers,
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
