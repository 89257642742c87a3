"""What children inherit from their parents where they say nothing themselves."""

from __future__ import annotations

from msgspec.structs import replace

from mockprovider.engine.goal import Goal


class Family:
    """The goals of one operation's resources, as their children see them."""

    def __init__(self) -> None:
        self._goals: dict[str, Goal] = {}

    def note(self, urn: str, goal: Goal) -> None:
        """Remember what the children of ``urn`` may inherit."""
        self._goals[urn] = goal

    def heir(self, goal: Goal) -> Goal:
        """``goal`` with what it inherits: protection, what becomes of it, and below components their providers."""
        parent = self._goals.get(goal.parent)
        if parent is None or goal.read_id:
            return goal
        managed = (goal.custom or goal.remote) and not goal.is_provider
        provider = parent.providers.get(goal.package, "") if managed and not parent.custom else ""
        return replace(
            goal,
            protect=parent.protect if goal.protect is None else goal.protect,
            retain_on_delete=parent.retain_on_delete if goal.retain_on_delete is None else goal.retain_on_delete,
            deleted_with=goal.deleted_with or parent.deleted_with,
            provider=goal.provider or provider,
            providers={**parent.providers, **goal.providers} if not (goal.custom or parent.custom) else goal.providers,
        )
