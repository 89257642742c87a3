"""What an update plan allows: whether inputs, options and steps are those that were planned, in the real engine's words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct

from mockprovider.engine.registrations.decision import StepOp
from mockprovider.engine.registrations.goal import Goal
from mockprovider.engine.registrations.wording import bare, number, show
from mockprovider.pulumi.stacks.plans import ALIAS, TIMEOUTS, GoalPlan, PlanDiff
from mockprovider.pulumi.stacks.state import UNKNOWN_ID, ResourceState, Timeouts
from mockprovider.urn import parse_reference
from mockprovider.values import Bag, Secret, Value, is_unknown, same

SOFTER: Mapping[StepOp, frozenset[StepOp]] = {
    StepOp.CREATE: frozenset({StepOp.SAME, StepOp.CREATE}),
    StepOp.UPDATE: frozenset({StepOp.SAME, StepOp.UPDATE}),
    **{
        op: frozenset({StepOp.SAME, StepOp.UPDATE, op})
        for op in (StepOp.REPLACE, StepOp.CREATE_REPLACEMENT, StepOp.DELETE_REPLACED)
    },
}
"""What may be done instead of a planned step; of the others, only the step itself."""


def allows(planned: str, op: StepOp) -> bool:
    """Whether ``op`` may be done where ``planned`` was expected."""
    return op in SOFTER[StepOp(planned)] if planned in SOFTER else op == planned


class PropertyChanges(Struct, frozen=True):
    """How two bags differ: what the new one adds, deletes, changes and keeps."""

    adds: dict[str, Value]
    deletes: tuple[str, ...]
    updates: dict[str, Value]
    sames: dict[str, Value]

    @property
    def plan(self) -> PlanDiff:
        """It as a plan: what is to change."""
        return PlanDiff(dict(self.adds), self.deletes, dict(self.updates))


def difference(old: Bag, new: Bag, *, lenient: bool = False) -> PropertyChanges:
    """How ``new`` differs from ``old``, nulls counting as absent; with ``lenient`` an unknown is like anything."""
    was = {key: value for key, value in old.items() if value is not None}
    now = {key: value for key, value in new.items() if value is not None}
    common = [key for key in was if key in now]
    changed = {key for key in common if not alike(was[key], now[key], lenient=lenient)}
    gone = tuple(key for key in was if key not in now and not (lenient and key not in new and is_unknown(was[key])))
    return PropertyChanges(
        {key: value for key, value in now.items() if key not in was},
        gone,
        {key: now[key] for key in common if key in changed},
        {key: now[key] for key in common if key not in changed},
    )


def alike(one: Value, other: Value, *, lenient: bool) -> bool:
    """Whether two values are equal, secret or not included; with ``lenient`` an unknown is like anything."""
    one, other = bare(one), bare(other)
    if lenient and (is_unknown(one) or is_unknown(other)):
        return True
    if isinstance(one, Secret) or isinstance(other, Secret):
        return isinstance(one, Secret) and isinstance(other, Secret) and alike(one.value, other.value, lenient=lenient)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        changes = difference(one, other, lenient=lenient)
        return not (changes.adds or changes.deletes or changes.updates)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(alike(*pair, lenient=lenient) for pair in zip(one, other, strict=True))
    return same(one, other)


# Properties ------------------------------------------------------------------------------------------------------------


def violation(old: Bag, new: Bag, plan: PlanDiff) -> str:
    """What of the change from ``old`` to ``new`` is not as planned; empty if nothing is."""
    changes = sorted([*_unplanned(difference(old, new, lenient=True), plan), *_missing(old, new, plan)])
    return f"properties changed: {', '.join(changes)}" if changes else ""


def _unplanned(actual: PropertyChanges, plan: PlanDiff) -> Iterator[str]:
    """What is changed, and was not to be so changed."""
    for key, value in actual.adds.items():
        if key not in plan.adds or not alike(plan.adds[key], value, lenient=True):
            yield _change(key, "+", plan, value)
    for key in actual.deletes:
        # An update to an unknown value may have turned out to be none.
        if key not in plan.deletes and not (key in plan.updates and is_unknown(plan.updates[key])):
            yield _change(key, "-", plan)
    for key, value in actual.updates.items():
        # Somebody may have added, in the meantime, what was to be added.
        expected = plan.updates.get(key, plan.adds.get(key))
        if expected is None or not alike(expected, value, lenient=True):
            yield _change(key, "~", plan, value)


def _missing(old: Bag, new: Bag, plan: PlanDiff) -> Iterator[str]:
    """What was to be changed, and is not."""
    actual = difference(old, new, lenient=True)
    for planned in (plan.adds, plan.updates):
        for key, expected in planned.items():
            if key in actual.updates or (key in actual.adds and planned is plan.adds):
                continue
            if key in actual.adds:
                yield _change(key, "+", plan, actual.adds[key])
            elif key in new:
                if not alike(expected, new[key], lenient=True):
                    yield _change(key, "=", plan, new[key])
            elif not is_unknown(expected):
                yield _change(key, "-", plan)
    for key in plan.deletes:
        for sign, changes in (("+", actual.adds), ("~", actual.updates), ("=", actual.sames)):
            if key in changes and key not in actual.deletes:
                yield _change(key, sign, plan, changes[key])


def _change(key: str, sign: str, plan: PlanDiff, *actual: Value) -> str:
    """One change: the planned sign, the actual one, the key, and the values that there are."""
    expected = [bag[key] for bag in (plan.adds, plan.updates) if key in bag][:1]
    planned = "+" if key in plan.adds else "~" if key in plan.updates else "-" if key in plan.deletes else "="
    shown = "!=".join(show(value) for value in [*expected, *actual])
    return f"{planned}{sign}{key}{f'[{shown}]' if shown else ''}"


# Goals -----------------------------------------------------------------------------------------------------------------


def planned_goal(goal: Goal, changes: PlanDiff) -> GoalPlan:
    """The plan of ``goal``, whose inputs change so."""
    return GoalPlan(
        type=goal.type,
        name=goal.name,
        custom=goal.custom,
        inputs=changes,
        parent=goal.parent,
        protect=bool(goal.protect),
        dependencies=goal.dependencies,
        provider=goal.provider,
        property_dependencies=dict(goal.property_dependencies),
        delete_before_replace=goal.delete_before_replace,
        ignore_changes=goal.ignore_changes,
        additional_secret_outputs=goal.additional_secret_outputs,
        aliases=tuple(tuple(getattr(alias, field) for field in ALIAS.values()) for alias in goal.aliases),
        id=goal.import_id,
        custom_timeouts=goal.custom_timeouts,
    )


def kept_goal(old: ResourceState) -> GoalPlan:
    """The plan of a resource that no plan has: it stays as it is."""
    blank = ("", "", "", "", "", False)
    return GoalPlan(
        type=old.type,
        name=old.name,
        custom=old.custom,
        parent=old.parent,
        protect=bool(old.protect),
        dependencies=old.dependencies,
        provider=old.provider,
        property_dependencies=dict(old.property_dependencies),
        additional_secret_outputs=old.additional_secret_outputs,
        aliases=tuple((urn, *blank) for urn in old.aliases),
        custom_timeouts=old.custom_timeouts,
    )


def goal_violation(planned: GoalPlan | None, actual: GoalPlan, old: Bag, new: Bag) -> str:
    """What of the goal ``actual``, with inputs that were ``old`` and are ``new``, is not as planned; the first thing, or
    empty.
    """
    if planned is None:
        return "resource unexpectedly not deleted"
    complaints = [
        _kind(planned, actual),
        _provider(planned, actual),
        _option("parent", planned.parent, actual.parent),
        _option("protect", planned.protect, actual.protect),
        _option("deleteBeforeReplace", planned.delete_before_replace, actual.delete_before_replace),
        _option("importID", planned.id, actual.id),
        *_timeouts(planned.custom_timeouts, actual.custom_timeouts),
        _set("ignoreChanges", planned.ignore_changes, actual.ignore_changes),
        _set("additionalSecretOutputs", planned.additional_secret_outputs, actual.additional_secret_outputs),
        _set("dependencies", planned.dependencies, actual.dependencies),
        _set("aliases", [*map(_alias, planned.aliases)], [*map(_alias, actual.aliases)]),
        violation(old, new, planned.inputs),
    ]
    # What was unknown in the plan may be missing.
    complaints += [
        _set(f"dependencies for {key}", urns, actual.property_dependencies[key])
        for key, urns in planned.property_dependencies.items()
        if key in actual.property_dependencies
    ]
    return next(filter(None, complaints), "")


def _kind(planned: GoalPlan, actual: GoalPlan) -> str:
    kind = "custom" if planned.custom else "component"
    return "" if planned.custom == actual.custom else f"resource kind changed (expected {kind})"


def _provider(planned: GoalPlan, actual: GoalPlan) -> str:
    if planned.provider == actual.provider:
        return ""
    if planned.provider and actual.provider:
        (urn, id_), (other, _) = parse_reference(planned.provider), parse_reference(actual.provider)
        if urn == other and id_ == UNKNOWN_ID:
            return ""
    return f"provider changed (expected {planned.provider})"


def _option(name: str, planned: str | bool | None, actual: str | bool | None) -> str:
    if planned == actual:
        return ""
    expected = "no value" if planned is None else str(planned).lower() if isinstance(planned, bool) else planned
    return f"{name} changed (expected {expected})"


def _timeouts(planned: Timeouts, actual: Timeouts) -> Iterator[str]:
    for kind in TIMEOUTS:
        if getattr(planned, kind) != getattr(actual, kind):
            yield f"{kind} timeout changed (expected {number(getattr(planned, kind))})"


def _alias(alias: Collection[str | bool]) -> str:
    return f"{{{' '.join(str(part).lower() if isinstance(part, bool) else part for part in alias)}}}"


def _set(name: str, planned: Collection[str], actual: Collection[str]) -> str:
    added, deleted = sorted({*actual} - {*planned}), sorted({*planned} - {*actual})
    parts = [f"{what} {', '.join(names)}" for what, names in (("added", added), ("deleted", deleted)) if names]
    return f"{name} changed: {'; '.join(parts)}" if parts else ""
