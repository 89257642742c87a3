"""Refreshes and destroys that run the program: what it registers is read or deleted, and neither created nor updated.

Components and providers are registered as always, so that what is read or deleted has the program's configuration.
"""

from __future__ import annotations

from mockprovider.engine.operation import Operation
from mockprovider.engine.registrations.decision import StepOp
from mockprovider.engine.registrations.goal import Goal
from mockprovider.engine.steps.kinds import EngineStep, Run, read_again
from mockprovider.engine.targets import Targets
from mockprovider.pulumi.stacks.state import ResourceState, copied

Planned = tuple[list[EngineStep], ResourceState]


class Revisiting:
    """What becomes of registrations there. ``left_out`` are the URNs that would be created, and are not."""

    def __init__(self, operation: Operation, run: Run, targets: Targets, left_out: set[str]) -> None:
        self._operation = operation
        self._run = run
        self._targets = targets
        self._left_out = left_out
        self.to_delete: list[ResourceState] = []
        """What a destroy has registered, and deletes in the end."""
        self.untouched: set[str] = set()
        """The URNs of the state that a refresh passed over, because they are no targets."""

    def reread(self, old: ResourceState | None, new: ResourceState) -> ResourceState | None:
        """What a refresh finds in the place of ``old``, with the options of ``new``. Raises ``CallFailedError``."""
        if old is None or not self._operation.refreshing:
            return old
        if not self._targets.include(old):
            self.untouched.add(old.urn)
            return old
        step = EngineStep(op=StepOp.REFRESH, old=old, new=new)
        if not old.custom or old.is_provider or old.pending_replacement:
            # Nothing is read. As in the real engine, which reports an update of it all the same.
            step.result, step.new = StepOp.UPDATE, copied(old)
        else:
            with self._run.ledger.under_way("", old):
                read_again(self._run, step)
        self._run.ledger.reread(old, step.new)
        self._run.note(step)
        self._review(step, old)
        return step.new

    def _review(self, step: EngineStep, old: ResourceState) -> None:
        """Take what the Read published of the views of ``old``, which go with it. Raises ``ViewsFailedError``."""
        broken = self._run.note_views(step, running=True)
        if step.new is None:
            for view in self._run.ledger.views(old.urn):
                self._run.ledger.review(view, None)
        if broken:
            raise broken

    def planned(self, goal: Goal, old: ResourceState | None, new: ResourceState) -> Planned | None:
        """The steps for ``goal`` where it is only read or deleted; ``None`` where it is registered as always."""
        managed = goal.custom and not goal.is_provider
        waiting = any(urn in self._left_out for urn in new.dependency_urns())
        if self._operation.only_refresh:
            if not (managed or waiting):
                return None
            return ([], old) if old is not None else self._passed_over(new)
        if waiting or (managed and old is None):
            new.outputs = {} if old is None else old.outputs
            return self._passed_over(new)
        self.to_delete.append(new)
        if old is None or not managed:
            return None
        new.inputs = old.inputs
        # Its views are only kept, as in the real engine.
        return [EngineStep(op=StepOp.SAME, old=old, new=new, passed_over=True)], new

    def _passed_over(self, new: ResourceState) -> Planned:
        self._left_out.add(new.urn)
        new.inputs = {}
        return [EngineStep(op=StepOp.SAME, new=new)], new
