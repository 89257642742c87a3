"""Update plans: what a preview says that an up will do, in the format of ``pulumi preview --save-plan``."""

from __future__ import annotations

import base64
import binascii
import json
import reprlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from mockprovider.errors import MalformedError, UnsupportedError
from mockprovider.files import read_text
from mockprovider.hints import SHOWN
from mockprovider.pulumi.stacks.state import Timeouts
from mockprovider.pulumi.values import from_plain, to_plain
from mockprovider.values import Value, reveal

HOW = "`pulumi preview --save-plan=FILE --show-secrets`, or by preview(save_plan=FILE)"
TIMEOUTS = ("create", "update", "delete", "read")
ALIAS: Mapping[str, str] = {
    "URN": "urn",
    "Name": "name",
    "Type": "type",
    "Project": "project",
    "Stack": "stack",
    "Parent": "parent",
    "NoParent": "no_parent",
}
"""The keys of an alias, in their order, and what each is here."""


class PlanDiff(Struct):
    """How properties are to change. An unknown value stands for any value, and for none."""

    adds: dict[str, Value] = field(default_factory=dict)
    deletes: tuple[str, ...] = ()
    updates: dict[str, Value] = field(default_factory=dict)


class GoalPlan(Struct, kw_only=True):
    """What a program is to ask for: options as they are, inputs and outputs as changes. Aliases are their fields as text."""

    type: str
    name: str
    custom: bool = True
    inputs: PlanDiff = field(default_factory=PlanDiff)
    outputs: PlanDiff = field(default_factory=PlanDiff)
    parent: str = ""
    protect: bool = False
    dependencies: tuple[str, ...] = ()
    provider: str = ""
    property_dependencies: dict[str, tuple[str, ...]] = field(default_factory=dict)
    delete_before_replace: bool | None = None
    ignore_changes: tuple[str, ...] = ()
    additional_secret_outputs: tuple[str, ...] = ()
    aliases: tuple[tuple[str | bool, ...], ...] = ()
    id: str = ""
    custom_timeouts: Timeouts = Timeouts()


class ResourcePlan(Struct):
    """What is to become of one resource: ``goal`` (``None`` if it is only deleted), the ops of its ``steps`` in their order,
    what its outputs may be, and the seed of its Check.
    """

    goal: GoalPlan | None = None
    steps: list[str] = field(default_factory=list)
    outputs: dict[str, Value] | None = None
    seed: bytes = b""


class UpdatePlan(Struct):
    """What is to become of each resource, by URN, with the stack's settings at the time."""

    resources: dict[str, ResourcePlan] = field(default_factory=dict)
    config: dict[str, Value] = field(default_factory=dict)


def written(plan: UpdatePlan) -> dict[str, Any]:
    """``plan`` as ``pulumi`` saves it, secrets in plain text. Settings that are secret are left out: no engine reads them."""
    config = {key: value for key, value in plan.config.items() if value == reveal(value)}
    return {
        "manifest": {"time": "0001-01-01T00:00:00Z", "magic": "", "version": ""},
        **({"config": config} if config else {}),
        "resourcePlans": {urn: _resource(resource) for urn, resource in sorted(plan.resources.items())},
    }


def save(plan: Mapping[str, Any], path: Path) -> None:
    """Write a plan that was ``written`` to a file, secrets in plain text."""
    path.write_text(json.dumps(plan, indent=4) + "\n", encoding="utf-8")


def read(source: Mapping[str, Any] | Path | str) -> UpdatePlan:
    """The plan in ``source``, a file or its parsed JSON.

    Raises:
        MalformedError: it is no update plan.
        UnsupportedError: its secrets are encrypted.
    """
    plan: Any = _parsed(Path(source)) if isinstance(source, (str, Path)) else source
    what = str(source) if isinstance(source, (str, Path)) else "The plan"
    resources = plan.get("resourcePlans", {}) if isinstance(plan, Mapping) and "manifest" in plan else None
    if not isinstance(resources, Mapping):
        raise MalformedError(f"{what} is no update plan: {_shape(plan)}. Save one by {HOW}.")
    try:
        return UpdatePlan(
            {urn: _read_resource(resource) for urn, resource in resources.items()}, dict(plan.get("config") or {})
        )
    except UnsupportedError as error:
        raise UnsupportedError(f"{what} has secrets that only the stack's own key opens. Save it by {HOW}.") from error
    except (KeyError, TypeError, AttributeError, ValueError, binascii.Error) as error:
        raise MalformedError(f"{what} is no update plan, for {error!r}. Save one by {HOW}.") from error


def _shape(plan: Any) -> str:
    if not isinstance(plan, Mapping):
        return f"it holds {reprlib.repr(plan)}"
    if "deployment" in plan:
        return "it is an exported stack"
    return f"it has no 'manifest', its keys are {', '.join(map(str, list(plan)[:SHOWN]))}" if plan else "it is empty"


def expected(source: Mapping[str, Any] | Path | str | None) -> UpdatePlan | None:
    """The plan in ``source``, if there is one. Raises as ``read``."""
    return None if source is None else read(source)


def _parsed(path: Path) -> Any:
    text = read_text(path, "update plan", f"Save one by {HOW}.")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise MalformedError(f"{path} is no update plan: {error}. Save one by {HOW}.") from error


# Writing ---------------------------------------------------------------------------------------------------------------


def _resource(resource: ResourcePlan) -> dict[str, Any]:
    outputs = None if resource.outputs is None else to_plain(resource.outputs, plaintext_secrets=True)
    plain = {"goal": resource.goal and _goal(resource.goal), "steps": resource.steps}
    seed = base64.b64encode(resource.seed).decode()
    return {**_without_empty(plain), "state": outputs, **_without_empty({"seed": seed})}


def _goal(goal: GoalPlan) -> dict[str, Any]:
    further = {
        "parent": goal.parent,
        "dependencies": list(goal.dependencies),
        "provider": goal.provider,
        "propertyDependencies": {key: list(urns) for key, urns in goal.property_dependencies.items()},
        "ignoreChanges": list(goal.ignore_changes),
        "additionalSecretOutputs": list(goal.additional_secret_outputs),
        "structuredAliases": [dict(zip(ALIAS, alias, strict=True)) for alias in goal.aliases],
        "id": goal.id,
    }
    first = goal.delete_before_replace
    return {
        "type": goal.type,
        "name": goal.name,
        "custom": goal.custom,
        "inputDiff": _diff(goal.inputs),
        "outputDiff": _diff(goal.outputs),
        "protect": goal.protect,
        **_without_empty(further),
        **({} if first is None else {"deleteBeforeReplace": first}),
        "customTimeouts": _without_empty({key: getattr(goal.custom_timeouts, key) for key in TIMEOUTS}),
    }


def _diff(diff: PlanDiff) -> dict[str, Any]:
    return _without_empty(
        {
            "adds": to_plain(diff.adds, plaintext_secrets=True),
            "deletes": list(diff.deletes),
            "updates": to_plain(diff.updates, plaintext_secrets=True),
        }
    )


def _without_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value}


# Reading ---------------------------------------------------------------------------------------------------------------


def _read_resource(plain: Mapping[str, Any]) -> ResourcePlan:
    goal = plain.get("goal")
    return ResourcePlan(
        _read_goal(goal) if goal else None,
        list(plain.get("steps") or ()),
        _read_bag(plain["state"]) if plain.get("state") is not None else None,
        base64.b64decode(plain.get("seed") or ""),
    )


def _read_goal(plain: Mapping[str, Any]) -> GoalPlan:
    timeouts = plain.get("customTimeouts") or {}
    return GoalPlan(
        type=plain["type"],
        name=plain["name"],
        custom=plain["custom"],
        inputs=_read_diff(plain.get("inputDiff") or {}),
        outputs=_read_diff(plain.get("outputDiff") or {}),
        parent=plain.get("parent", ""),
        protect=bool(plain.get("protect")),
        dependencies=tuple(plain.get("dependencies") or ()),
        provider=plain.get("provider", ""),
        property_dependencies={key: tuple(urns or ()) for key, urns in (plain.get("propertyDependencies") or {}).items()},
        delete_before_replace=plain.get("deleteBeforeReplace"),
        ignore_changes=tuple(plain.get("ignoreChanges") or ()),
        additional_secret_outputs=tuple(plain.get("additionalSecretOutputs") or ()),
        aliases=tuple(tuple(alias[key] for key in ALIAS) for alias in plain.get("structuredAliases") or ()),
        id=plain.get("id", ""),
        custom_timeouts=Timeouts(**{key: float(timeouts.get(key) or 0) for key in TIMEOUTS}),
    )


def _read_diff(plain: Mapping[str, Any]) -> PlanDiff:
    return PlanDiff(_read_bag(plain.get("adds")), tuple(plain.get("deletes") or ()), _read_bag(plain.get("updates")))


def _read_bag(plain: Any) -> dict[str, Value]:
    bag = from_plain(plain or {})
    if not isinstance(bag, dict):
        raise TypeError(f"{plain!r} is no map of properties")
    return bag
