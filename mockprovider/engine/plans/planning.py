"""Update plans during an operation: one is kept to, another is made."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Protocol

from mockprovider.engine.plans.constraints import allows, difference, goal_violation, kept_goal, planned_goal, violation
from mockprovider.engine.registrations.decision import RefusedError, StepOp
from mockprovider.engine.registrations.goal import Goal
from mockprovider.pulumi.stacks.plans import ResourcePlan, UpdatePlan
from mockprovider.pulumi.stacks.state import ResourceState
from mockprovider.values import Bag


class Proposed(Protocol):
    """A step before it is done."""

    op: StepOp

    @property
    def resource(self) -> ResourceState:
        """What it is about."""


class Planning:
    """The plans of one operation: ``expected`` is kept to, and with ``making`` what happens becomes the plan in ``resources``.

    Every method that says so raises ``RefusedError``, in the real engine's words, for what ``expected`` does not allow.
    """

    def __init__(self, expected: UpdatePlan | None = None, *, making: bool = False) -> None:
        self._expected = expected
        self._steps = {urn: list(resource.steps) for urn, resource in (expected.resources if expected else {}).items()}
        self.making = making
        self.resources: dict[str, ResourcePlan] = {}
        self._lock = threading.Lock()

    @property
    def idle(self) -> bool:
        """Whether there is nothing to do."""
        return self._expected is None and not self.making

    def seed(self, urn: str, otherwise: bytes) -> bytes:
        """The seed of the Check of ``urn``: the plan's own, or else another one."""
        planned = self._expected.resources.get(urn) if self._expected else None
        return (planned and planned.seed) or otherwise

    def goal(
        self,
        goal: Goal,
        urn: str,
        old: ResourceState | None,
        inputs: Bag,
        seed: bytes,
        *,
        anew: bool = False,
        goes_on: bool = False,
    ) -> None:
        """Take ``goal``, with its checked ``inputs``. ``anew`` says that old inputs do not count, ``goes_on`` that the resource
        has a plan, and steps in it, already. Raises ``RefusedError``.
        """
        if self.making:
            changes = difference({} if old is None or anew else old.inputs, inputs).plan
            resource = self.resources.setdefault(urn, ResourcePlan()) if goes_on else ResourcePlan()
            resource.goal, resource.seed = planned_goal(goal, changes), seed
            self.resources[urn] = resource
        if self._expected is None:
            return
        before = old.inputs if old is not None else {}
        planned = self._expected.resources.get(urn)
        if planned is None and old is None:
            # Creating it is refused later on.
            return
        expected = planned.goal if planned else kept_goal(old) if old else None
        actual = planned_goal(goal, difference(before, inputs).plan)
        if complaint := goal_violation(expected, actual, before, inputs):
            raise RefusedError(f"resource {urn} violates plan: {complaint}")

    def importing(self, goal: Goal, urn: str, seed: bytes) -> None:
        """Take ``goal``, which is to be imported: what changes follows from what is found."""
        if self.making:
            self.resources[urn] = ResourcePlan(planned_goal(goal, difference({}, {}).plan), seed=seed)

    def admit(self, steps: Iterable[Proposed], aliases: Mapping[str, str] | None = None) -> None:
        """Let ``steps`` be done; ``aliases`` are the new URNs of resources by their old ones. Raises ``RefusedError``."""
        for step in () if self.idle else steps:
            urn = step.resource.urn
            self._refuse(step.op, urn)
            if self.making:
                self._note(step.op, (aliases or {}).get(urn, urn))

    def _refuse(self, op: StepOp, urn: str) -> None:
        if self._expected is None:
            return
        remaining = self._steps.get(urn)
        if remaining is None:
            if op is not StepOp.SAME:
                raise RefusedError(f"{op} is not allowed by the plan: no steps were expected for this resource")
            return
        if not remaining:
            raise RefusedError(f"{op} is not allowed by the plan: no more steps were expected for this resource")
        # It counts as tried, allowed or not.
        planned = remaining.pop(0)
        if not allows(planned, op):
            raise RefusedError(f"{op} is not allowed by the plan: this resource is constrained to {planned}")

    def _note(self, op: StepOp, urn: str) -> None:
        if urn not in self.resources and op is StepOp.SAME:
            return
        self.resources.setdefault(urn, ResourcePlan()).steps.append(op.value)

    def done(self, new: ResourceState, *, none_yet: bool = False) -> None:
        """Note the outputs that a step came to; an empty bag of a resource that has ``none_yet`` is none."""
        with self._lock:
            if new.urn in self.resources:
                self.resources[new.urn].outputs = new.outputs or (None if none_yet else {})

    def outputs(self, urn: str, old: Bag, new: Bag) -> None:
        """Take the outputs of a component or the stack. Raises ``RefusedError``."""
        if self._expected is not None:
            planned = self._expected.resources.get(urn)
            if planned is None:
                raise RefusedError(f"no plan for resource {urn}")
            if planned.goal is not None and (complaint := violation(old, new, planned.goal.outputs)):
                raise RefusedError(f"resource violates plan: {complaint}")
        resource = self.resources.get(urn)
        if resource is not None and resource.goal is not None:
            resource.goal.outputs, resource.outputs = difference(old, new).plan, dict(new)

    def unseen(self, remembered: Collection[str]) -> Iterator[tuple[str, str]]:
        """URN and message of each resource with planned steps that were not done. That one to be deleted is gone is fine."""
        for urn, steps in self._steps.items():
            if steps and (steps != [StepOp.DELETE] or urn in remembered):
                yield urn, f"expected resource operations for {urn} but none were seen"
