"""One operation on a stack: registrations come in from a program, steps are carried out, the state moves on.

Registrations are planned one at a time, as the real engine does; their steps run in the threads that brought them. The
first failure stops the operation: what is under way may end, nothing new begins.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from mockprovider.calls import Reply
from mockprovider.engine.autonaming import Autonaming
from mockprovider.engine.builtin import Builtin, References
from mockprovider.engine.decision import RefusedError, StepOp, deletion
from mockprovider.engine.defaults import DefaultProviders
from mockprovider.engine.family import Family
from mockprovider.engine.goal import Goal, urn_of
from mockprovider.engine.graph import staying, transitive_dependencies
from mockprovider.engine.instance import CallFailedError, Instance, ProviderSource
from mockprovider.engine.ledger import Ledger
from mockprovider.engine.outcomes import Fate, StoppedError
from mockprovider.engine.planner import Operation, Planner
from mockprovider.engine.registry import Registry
from mockprovider.engine.removal import Removal
from mockprovider.engine.steps import KINDS, EngineStep, PartialFailureError, Run, reported
from mockprovider.engine.targets import Targets
from mockprovider.errors import MockProviderError
from mockprovider.pulumi.result import Diagnostic
from mockprovider.pulumi.state import ResourceState, State, copied
from mockprovider.urn import reference
from mockprovider.values import Bag, Value

GET_RESOURCE = "pulumi:pulumi:getResource"
EXPECTED = (CallFailedError, RefusedError, PartialFailureError, MockProviderError)
"""What can go wrong with a step; anything else is a bug of ours and is raised through."""


class Deployment:
    """One operation on a stack: registrations come in, steps are carried out, the state moves on.

    Args:
        operation: what is being run.
        state: where it starts from; not changed.
        sources: the providers.
        config: the stack's configuration by full key.
        parallel: how many deletions run at once.
        references: the outputs of the stacks that the program may refer to.
        autonaming: how objects are to be called whose names the program leaves open.
    """

    def __init__(
        self,
        operation: Operation,
        state: State,
        sources: ProviderSource | Mapping[str, ProviderSource],
        *,
        config: Mapping[str, Value],
        parallel: int = 1,
        references: References | None = None,
        autonaming: Autonaming | None = None,
    ) -> None:
        self.operation = operation
        self.diagnostics: list[Diagnostic] = []
        self.steps: list[tuple[StepOp, str]] = []
        self.counted: dict[str, int] = {}
        self.errors: list[Exception] = []
        """What made it fail, in order. ``MockProviderError``s are ours, the others are the provider's or the program's."""
        self.stack_outputs: dict[str, Value] | None = None
        self.parallel = parallel
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._defaults_turn = threading.Lock()
        self.called_off = False
        self.stopped = False
        """Whether nothing new may begin: something has failed, or the operation was called off."""
        self._registered: dict[str, ResourceState] = {}
        self.family = Family()
        self._fates: dict[str, Fate] = {}
        self._held: set[int] = set()
        self.ledger = Ledger(state, only_looks=operation.preview)
        self._registry = Registry(
            sources,
            self,
            preview=operation.preview,
            seed=operation.seed,
            remembered=self.ledger.base,
            builtin=Builtin(references),
        )
        self._run = Run(
            ledger=self.ledger,
            registry=self._registry,
            preview=operation.preview,
            log=self.log,
            object=self.object,
            note=self._note,
        )
        self._planner = Planner(operation, self._run, autonaming or Autonaming({}, organization="", project="", stack=""))
        self._defaults = DefaultProviders(config, self.ledger.base, self._register_provider)
        if state.pending:
            names = ", ".join(f"{pending.kind} {pending.resource.urn}" for pending in state.pending)
            self.log(
                "warning", f"an earlier operation was cut off, nobody knows how these ended: {names}. A refresh looks.", ""
            )

    # The way back, and what is told ----------------------------------------------------------------------------------

    def log(self, severity: str, message: str, urn: str = "") -> None:
        """Show ``message`` to the user. Debug lines are dropped: there are a dozen for each resource."""
        if severity == "debug":
            return
        with self._lock:
            self.diagnostics.append(Diagnostic(severity, message, urn))

    @property
    def failed(self) -> bool:
        """Whether anything went wrong."""
        return bool(self.errors)

    def object(self, error: Exception, urn: str = "", *, shown: bool = False) -> None:
        """Note ``error``, which makes the operation fail in the end, and go on; ``shown``: the user was told already."""
        with self._lock:
            self.errors.append(error)
            if not shown:
                self.diagnostics.append(Diagnostic("error", str(error), urn))

    def fail(self, error: Exception, urn: str = "", *, shown: bool = False) -> None:
        """Note ``error`` and stop: nothing new begins."""
        self.stopped = True
        self.object(error, urn, shown=shown)

    def stop(self) -> None:
        """Begin nothing new."""
        self.stopped = self.called_off = True

    # What programs ask for -------------------------------------------------------------------------------------------

    def register(self, goal: Goal) -> ResourceState:
        """Register, or read, a resource, and carry out what follows; ``fate`` says how it ended.

        Raises ``StoppedError`` once anything has failed, unless the operation goes on after errors.
        """
        try:
            goal = self._with_provider(self.family.heir(goal))
            with self._turn:
                self._go_on()
                steps, state = self._planner.plan(goal)
            if not self._carried_out(steps, state):
                return state
        except EXPECTED as error:
            self.fail(error, self._where(goal))
            raise StoppedError(str(error)) from error
        with self._lock:
            self._registered[state.urn] = state
            self.family.note(state.urn, goal)
        return state

    def fate(self, urn: str) -> Fate:
        """What became of the registration of ``urn``."""
        if self._planner.is_left_out(urn):
            return Fate.LEFT_OUT
        return self._fates.get(urn, Fate.DONE)

    def _carried_out(self, steps: Sequence[EngineStep], state: ResourceState) -> bool:
        if any(urn in self._fates for urn in state.dependency_urns()):
            self._give_up(steps, state, Fate.SKIPPED)
            return False
        for step in steps:
            try:
                self._execute(step)
            except EXPECTED as error:
                # The step may be about another resource: one that is deleted first, because it depends on this one.
                where = step.resource.urn
                if not self.operation.continue_on_error:
                    self.fail(error, where)
                    raise StoppedError(str(error)) from error
                self.object(error, where)
                self._give_up(steps, state, Fate.FAILED)
                return False
        return True

    def _give_up(self, steps: Sequence[EngineStep], state: ResourceState, fate: Fate) -> None:
        """Keep the old resources and their dependencies: they are no leftovers, although their registration failed."""
        kept = [step.old for step in steps if step.old is not None]
        with self._lock:
            self._fates[state.urn] = fate
            for old in kept:
                self._held |= {id(old)} | transitive_dependencies(self.ledger.base, old)

    @contextmanager
    def blaming(self, goal: Goal) -> Iterator[None]:
        """An error inside the block stops the operation. Raises ``StoppedError`` for it."""
        try:
            yield
        except EXPECTED as error:
            # An error after the stop is a consequence of it, not its cause.
            if not self.stopped:
                self.fail(error, self._where(goal))
            raise StoppedError(str(error)) from error

    def instance(self, goal: Goal) -> Instance:
        """The provider instance that ``goal`` asks for. Raises ``CallFailedError``, ``RefusedError`` or ``StoppedError``."""
        goal = self._with_provider(goal)
        self._go_on()
        return self._registry.ensure(goal.provider)

    def register_outputs(self, urn: str, outputs: dict[str, Value]) -> None:
        """The outputs of a component; those of the stack are kept until the end. Raises ``StoppedError``."""
        with self._lock:
            state = self._registered.get(urn)
        if state is None:
            error = RefusedError(f"outputs were registered for {urn!r}, which is no resource of this program")
            self.fail(error, urn)
            raise StoppedError(str(error))
        if state.is_stack:
            self.stack_outputs = outputs
        else:
            state.outputs = outputs

    def invoke(self, goal: Goal) -> Reply:
        """Call the function whose token is the goal's type. Raises ``CallFailedError``, ``RefusedError`` or
        ``StoppedError``.
        """
        if goal.type == GET_RESOURCE:
            # No provider is asked, but the state gets the default provider that a call would use.
            with self._defaults_turn:
                self._go_on()
                self._defaults.reference(goal)
            return self._get_resource(goal.inputs)
        return self.instance(goal).invoke(goal.type, goal.inputs)

    def _get_resource(self, inputs: Bag) -> Reply:
        urn = inputs.get("urn", "")
        with self._lock:
            state = self._registered.get(urn)
        if state is None:
            raise RefusedError(f"{urn!r} is no resource that this program has registered")
        return Reply(value={"urn": state.urn, "id": state.id, "state": state.outputs, "provider": state.provider})

    def _go_on(self) -> None:
        if self.stopped:
            raise StoppedError("the operation has failed already")

    def _where(self, goal: Goal) -> str:
        return urn_of(goal, self.operation.stack, self.operation.project)

    # Providers -------------------------------------------------------------------------------------------------------

    def _with_provider(self, goal: Goal) -> Goal:
        if not (goal.custom or goal.remote):
            return goal
        if goal.is_provider:
            return self._defaults.explicit(goal)
        if goal.provider:
            return goal
        with self._defaults_turn:
            self._go_on()
            return replace(goal, provider=self._defaults.reference(goal))

    def _register_provider(self, goal: Goal) -> str:
        with self.blaming(goal):
            with self._turn:
                self._go_on()
                steps, state = self._planner.plan(goal)
            for step in steps:
                self._execute(step)
        return reference(state.urn, state.id)

    # Carrying out ----------------------------------------------------------------------------------------------------

    def _execute(self, step: EngineStep) -> None:
        kind = KINDS[step.op]
        with self.ledger.under_way("" if self.operation.preview else kind.pending, step.resource):
            kind.apply(self._run, step)
        self._note(step)

    def _note(self, step: EngineStep) -> None:
        op, counts = reported(step, only_refresh=self.operation.only_refresh)
        with self._lock:
            self.steps.append((op, step.resource.urn))
            if counts:
                self.counted[op.value] = self.counted.get(op.value, 0) + 1

    def refresh(self, *, flagged_only: bool = False) -> None:
        """Read every resource of the state, or those with ``refreshBeforeUpdate``. A failure does not stop the others."""
        targets = Targets(self.operation.scope)
        flagged = [resource for resource in self.ledger.base if resource.refresh_before_update or not flagged_only]
        chosen = [resource for resource in flagged if targets.include(resource)]
        if not flagged_only and self._misses(targets):
            self.stop()
            return
        if not chosen:
            return
        if not self._ensure_providers(chosen):
            return
        for resource in chosen:
            if self.called_off:
                break
            self._refresh(resource)
        self.ledger.rebase()

    def _refresh(self, old: ResourceState) -> None:
        try:
            self._execute(EngineStep(op=StepOp.REFRESH, old=old))
        except EXPECTED as error:
            self.fail(error, old.urn)

    def _ensure_providers(self, resources: Sequence[ResourceState]) -> bool:
        for resource in resources:
            try:
                if resource.provider:
                    self._registry.ensure(resource.provider)
            except EXPECTED as error:
                self.fail(error, resource.urn)
                return False
        return True

    # The end ---------------------------------------------------------------------------------------------------------

    def delete_leftovers(self) -> None:
        """Delete what the program no longer has (everything, if there was no program): dependents before what they
        depend on.
        """
        if self.stopped:
            return
        targets = Targets(self.operation.scope)
        if self._misses(targets) and not self._planner.seen:
            return
        condemned = self._condemned(targets)
        if self.stopped or not self._ensure_providers(condemned):
            return
        self._run.deleted = self._planner.deleted | {resource.urn for resource in condemned}
        removal = Removal(self.ledger.base, self._delete, self.parallel)
        removal.carry_out(condemned, lambda: self.stopped)

    def _misses(self, targets: Targets) -> bool:
        """Whether some targets match no resource. Each of them is reported."""
        missing = targets.missing([*(resource.urn for resource in self.ledger.base), *self._planner.seen])
        for message in missing:
            self.object(RefusedError(message))
        return bool(missing)

    def _condemned(self, targets: Targets) -> list[ResourceState]:
        """The leftovers to delete: with targets, only these and the resources that cannot stay without them."""
        leftovers = [resource for resource in self.ledger.leftovers() if id(resource) not in self._held]
        if targets.excluding:
            return self._without(leftovers, staying(self.ledger.base, targets.excludes, dependents=targets.dependents))
        if not targets.constrained:
            return leftovers
        going = self._planner.going_with(targets)
        unasked = [
            resource
            for resource in leftovers
            if resource.urn in going and not targets.names(resource.urn) and not targets.dependents
        ]
        for resource in unasked:
            message = f"resource {resource.urn!r} would be deleted along with what it depends on, but is no target"
            self.object(RefusedError(f"{message}. Make it one, or take dependents along."), resource.urn)
        if unasked and not self.operation.preview:
            self.stop()
            return []
        return self._without(leftovers, {resource.urn for resource in leftovers} - going)

    def _without(self, leftovers: Sequence[ResourceState], spared: set[str]) -> list[ResourceState]:
        """The leftovers without the spared ones, which get a ``same`` step."""
        for resource in leftovers:
            if resource.urn in spared and not resource.delete:
                self._execute(EngineStep(op=StepOp.SAME, old=resource, new=copied(resource)))
        return [resource for resource in leftovers if resource.urn not in spared]

    def _delete(self, old: ResourceState) -> bool:
        if self.stopped:
            return False
        try:
            self._execute(EngineStep(op=deletion(old), old=old))
        except RefusedError as error:
            # Nothing was changed yet, so the deletions go on, and one run reports all protected resources.
            self.object(error, old.urn)
            return False
        except EXPECTED as error:
            (self.object if self.operation.continue_on_error else self.fail)(error, old.urn)
            return False
        return True

    def finish_stack(self) -> None:
        """Set the stack's outputs to the program's. After a failure, old outputs that got no new value stay."""
        stack = next((resource for resource in self._registered.values() if resource.is_stack), None)
        if stack is None:
            return
        before = next((resource.outputs for resource in self.ledger.base if resource.is_stack), {})
        outputs = self.stack_outputs
        stack.outputs = {**before, **(outputs or {})} if self.failed or outputs is None else outputs

    def close(self) -> None:
        """End the sessions of all providers."""
        self._registry.close()
