"""One operation on a stack: registrations come in from a program, steps are carried out, the state moves on.

Registrations are planned one at a time, as the real engine does; their steps run in the threads that brought them. The
first failure stops the operation: what is under way may end, nothing new begins.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from mockprovider.calls import Reply
from mockprovider.engine.operation import Operation
from mockprovider.engine.operations.course import Course
from mockprovider.engine.operations.events import EventTeller
from mockprovider.engine.operations.older_states import migrated
from mockprovider.engine.operations.refreshing import refresh, refresh_leftovers
from mockprovider.engine.operations.removal import TOGETHER, Workers, delete_leftovers, refuse_destroy
from mockprovider.engine.outcomes import Fate, StoppedError
from mockprovider.engine.plans.planning import Planning
from mockprovider.engine.policing import PoliciesBrokenError, of_stack
from mockprovider.engine.providers.builtin import References
from mockprovider.engine.providers.defaults import TOKEN, DefaultProviders
from mockprovider.engine.providers.instance import Instance, ProviderSource
from mockprovider.engine.registrations.autonaming import Autonaming
from mockprovider.engine.registrations.decision import RefusedError, StepOp
from mockprovider.engine.registrations.family import Family
from mockprovider.engine.registrations.goal import Goal, urn_of
from mockprovider.engine.steps.kinds import EXPECTED, EngineStep, ImportFailedError
from mockprovider.engine.steps.planner import Planner
from mockprovider.pulumi.stacks.state import ResourceState, State
from mockprovider.urn import reference
from mockprovider.values import Bag, Secret, Value, reveal

GET_RESOURCE = "pulumi:pulumi:getResource"
UNRESOLVED = Reply()
"""The answer to a function that depends on what does not exist yet: nobody was asked, and nothing is known."""


class Deployment(Course):
    """One operation on a stack: registrations come in, steps are carried out, the state moves on.

    Args:
        operation: what is being run.
        state: where it starts from; not changed.
        sources: the providers.
        config: the stack's configuration by full key.
        parallel: how many deletions run at once; one by default, but then as many count as begun as the CLI would have.
        references: the outputs of the stacks that the program may refer to.
        autonaming: how objects are to be called whose names the program leaves open.
        plans: the update plans to keep to, and to make.
        telling: what tells others of what happens.
    """

    def __init__(
        self,
        operation: Operation,
        state: State,
        sources: ProviderSource | Mapping[str, ProviderSource],
        *,
        config: Mapping[str, Value],
        parallel: int | None = None,
        references: References | None = None,
        autonaming: Autonaming | None = None,
        plans: Planning | None = None,
        telling: EventTeller | None = None,
    ) -> None:
        super().__init__(operation, migrated(state, operation, config), sources, references, plans=plans, telling=telling)
        # As the real engine, which shows those of one or two letters, since they may be part of any word.
        secrets = {reveal(value) for value in config.values() if isinstance(value, Secret)}
        self.hidden = sorted((secret for secret in secrets if len(str(secret)) > 2), key=len, reverse=True)
        self.stack_outputs: dict[str, Value] | None = None
        self.parallel = parallel or 1
        self._workers = Workers(self.parallel, parallel or TOGETHER)
        self._turn = threading.Lock()
        self._defaults_turn = threading.Lock()
        self._registered: dict[str, ResourceState] = {}
        self.family = Family()
        self._fates: dict[str, Fate] = {}
        self._held: set[int] = set()
        self._cleared = False
        self._completed: set[str] = set()
        self._errored: list[ResourceState] = []
        self._planner = Planner(operation, self, autonaming or Autonaming({}, organization="", project="", stack=""))
        self.defaults = DefaultProviders(
            config, self.ledger.base, self._register_provider, named_by_version=operation.named_by_version
        )
        self._unclear = state.pending

    # What programs ask for -------------------------------------------------------------------------------------------

    def register(self, goal: Goal) -> ResourceState:
        """Register, or read, a resource, and carry out what follows; ``fate`` says how it ended.

        Raises ``StoppedError`` once anything has failed, unless the operation goes on after errors.
        """
        try:
            goal = self._with_provider(self.family.heir(goal), self._where)
            with self._turn:
                self._go_on()
                steps, state = self._planner.plan(goal)
            carried_out = self._carried_out(steps, state)
            self.family.note(state.urn, goal, exists=bool(state.id))
            if not carried_out:
                return state
        except ImportFailedError as failed:
            for phase in ("begun", "failed"):
                self.telling.step(phase, failed.step, failed.step.op.value)
            self.blame(failed.error, self._where(goal))
            if not self.operation.continue_on_error:
                raise StoppedError(str(failed.error)) from failed
            # As in the real engine, what it was to take the place of goes.
            self._give_up([], failed.step.resource, Fate.FAILED)
            return failed.step.resource
        except EXPECTED as error:
            self.fail(error, self._where(goal))
            raise StoppedError(str(error)) from error
        with self._lock:
            self._registered[state.urn] = state
        return state

    def refuse(self, goal: Goal) -> None:
        """Raise ``RefusedError`` for the mistake in ``goal``, once its default provider is there, as the real engine does."""
        self._with_provider(self.family.heir(goal))
        raise RefusedError(goal.mistake)

    def fate(self, urn: str) -> Fate:
        """What became of the registration of ``urn``."""
        if self._planner.is_left_out(urn):
            return Fate.LEFT_OUT
        return self._fates.get(urn, Fate.DONE)

    def _carried_out(self, steps: Sequence[EngineStep], state: ResourceState) -> bool:
        if any(urn in self._fates for urn in state.dependency_urns(provider=False)):
            self._give_up(steps, state, Fate.SKIPPED)
            return False
        for step in steps:
            if self.stopped and step is not steps[0]:
                # What would follow never begins. Where only the report of a replacement is left, the program gets its answer.
                if step.op is not StepOp.REPLACE or step is not steps[-1]:
                    self._go_on()
                break
            try:
                self.execute(step)
            except EXPECTED as error:
                # The step may be about another resource: one that is deleted first, because it depends on this one.
                where = step.resource.urn
                self.blame(error, where)
                if not self.operation.continue_on_error:
                    raise StoppedError(str(error)) from error
                self._give_up(steps, state, Fate.FAILED)
                # What is new counts in a destroy alone, which deletes it in the end.
                failing = (step.old, step.new if self.operation.destroying else None)
                self._errored += [resource for resource in failing if resource is not None]
                return False
        return True

    def _give_up(self, steps: Sequence[EngineStep], state: ResourceState, fate: Fate) -> None:
        """Keep what is remembered of it: that is no leftover, although its registration failed."""
        names = {state.urn, *state.aliases}
        with self._lock:
            self._fates[state.urn] = fate
            self._held |= {id(step.old) for step in steps if step.old is not None and step.old.urn in names}

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
        """The provider instance that ``goal`` asks for. Raises ``CallFailedError``, ``RefusedError`` or ``StoppedError``.

        As in the real engine, only what it constructs makes it one with an extension.
        """
        goal = self._with_provider(goal)
        self._go_on()
        return self.registry.ensure(goal.provider, goal.extension if goal.remote else "")

    def register_outputs(self, urn: str, outputs: dict[str, Value]) -> None:
        """The outputs of a component; those of the stack are kept until the end. Raises ``StoppedError``."""
        with self._lock:
            state, again = self._registered.get(urn), urn in self._completed
            self._completed.add(urn)
        if state is None or (again and not state.is_stack):
            why = "which is no resource of this program" if state is None else "which has registered its outputs already"
            error = RefusedError(f"outputs were registered for {urn!r}, {why}")
            self.fail(error, urn)
            raise StoppedError(str(error))
        if state.is_stack:
            self.stack_outputs = outputs
            return
        try:
            self.plans.outputs(urn, self._outputs_before(urn), outputs)
        except RefusedError as error:
            self.fail(error, urn)
            raise StoppedError(str(error)) from error
        state.outputs = outputs
        self.complete(urn)

    def _outputs_before(self, urn: str) -> dict[str, Value]:
        old = self.ledger.live.get(urn)
        return old.outputs if old is not None else {}

    def invoke(self, goal: Goal) -> Reply:
        """Call the function whose token is the goal's type; ``UNRESOLVED`` where it depends on what does not exist yet.

        Raises ``CallFailedError``, ``RefusedError`` or ``StoppedError``.
        """
        if goal.type == GET_RESOURCE:
            # No provider is asked, but the state gets the default provider that a call would use.
            with self._defaults_turn:
                self._go_on()
                self.defaults.reference(goal)
            return self._get_resource(goal.inputs)
        inside = goal.provider or self.family.inside(goal.parent, goal.package)
        instance = self.instance(replace(goal, provider=inside) if inside else goal)
        return UNRESOLVED if self.family.wanting(goal.dependencies) else instance.invoke(goal.type, goal.inputs, self.hidden)

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

    def _with_provider(self, goal: Goal, naming: Callable[[Goal], str] = TOKEN) -> Goal:
        if not (goal.custom or goal.remote):
            return goal
        if goal.is_provider:
            return self.defaults.explicit(goal)
        if goal.provider:
            return goal
        with self._defaults_turn:
            self._go_on()
            return replace(goal, provider=self.defaults.reference(goal, naming))

    def _register_provider(self, goal: Goal) -> str:
        with self.blaming(goal):
            with self._turn:
                self._go_on()
                steps, state = self._planner.plan(goal)
            for step in steps:
                self.execute(step)
        return reference(state.urn, state.id)

    # The other phases ------------------------------------------------------------------------------------------------

    def refresh(self, *, flagged_only: bool = False, program_follows: bool = False) -> None:
        """Read every resource of the state, or those with ``refreshBeforeUpdate``. A failure does not stop the others."""
        flagged = any(resource.refresh_before_update for resource in self.ledger.base)
        if self._unclear and flagged_only and not flagged and not self.preview:
            # As in the real engine, an operation that looks at objects, or changes none, does not warn.
            names = ", ".join(f"{pending.kind} {pending.resource.urn}" for pending in self._unclear)
            self.log(
                "warning", f"an earlier operation was cut off, nobody knows how these ended: {names}. A refresh looks.", ""
            )
        refresh(self, flagged_only=flagged_only, program_follows=program_follows)

    def refuse_destroy(self, *, runs_program: bool) -> bool:
        """Note an error for each reason why a destroy cannot begin. Returns whether there is any."""
        return refuse_destroy(self, runs_program=runs_program)

    def wind_up(self) -> None:
        """Delete, or in a refresh read, what the program has not registered; a destroy deletes everything. It is done once."""
        with self._lock:
            again, self._cleared = self._cleared, True
        if again:
            return
        if self.operation.only_refresh:
            refresh_leftovers(self, self._planner)
        else:
            delete_leftovers(self, self._planner, self._held, self._errored, self._workers)

    def judge_stack(self) -> None:
        """Have the policies look at the whole stack, if nothing but what policies told a preview went wrong."""
        broken = (error for error in self.errors if not isinstance(error, PoliciesBrokenError))
        if self.policing is None or self.stopped or any(broken):
            return
        self.finish_stack()
        try:
            resources = of_stack(self.ledger.snapshot().resources)
            if self.policing.judge_stack(resources, self.family.goals):
                self.fail(PoliciesBrokenError("the stack breaks a mandatory policy"), of_step=True)
        except EXPECTED as error:
            self.fail(error)

    def finish_stack(self) -> None:
        """Set the stack's outputs to the program's. After a failure, old outputs that got no new value stay."""
        stack = next((resource for resource in self._registered.values() if resource.is_stack), None)
        if stack is None:
            return
        before = next((resource.outputs for resource in self.ledger.base if resource.is_stack), {})
        outputs = self.stack_outputs
        whole = {**before, **(outputs or {})} if self.failed or outputs is None else outputs
        try:
            if outputs is not None:
                self.plans.outputs(stack.urn, before, whole)
        except RefusedError as error:
            self.fail(error, stack.urn)
            return
        stack.outputs = whole
