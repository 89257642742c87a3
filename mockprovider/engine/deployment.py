"""One operation on a stack: registrations come in from a program, steps are carried out, the state moves on.

Registrations are planned one at a time, as the real engine does; their steps run in the threads that brought them. The
first failure stops the operation: what is under way may end, nothing new begins.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import Reply
from mockprovider.engine.decision import Op, RefusedError, deletion
from mockprovider.engine.defaults import DefaultProviders, Requested, with_plugin
from mockprovider.engine.goal import Goal
from mockprovider.engine.graph import deletion_batches, repaired, transitive_dependencies
from mockprovider.engine.instance import CallFailedError, ProviderSource
from mockprovider.engine.ledger import Ledger
from mockprovider.engine.planner import Operation, Planner
from mockprovider.engine.registry import Registry
from mockprovider.engine.state import ResourceState, State
from mockprovider.engine.steps import KINDS, PartialFailureError, Run, Step
from mockprovider.engine.threads import executor
from mockprovider.errors import MockProviderError, UnsupportedError
from mockprovider.urn import reference
from mockprovider.values import Bag, Value

GET_RESOURCE = "pulumi:pulumi:getResource"
EXPECTED = (CallFailedError, RefusedError, PartialFailureError, MockProviderError)
"""What can go wrong with a step; anything else is a bug of ours and is raised through."""


class Diagnostic(Struct, frozen=True):
    """What a user would be shown: ``severity`` is ``debug``, ``info``, ``warning`` or ``error``."""

    severity: str
    message: str
    urn: str = ""

    def __str__(self) -> str:
        where = f"{self.urn}: " if self.urn else ""
        return f"{self.severity}: {where}{self.message}"


class StoppedError(Exception):
    """The operation has failed, so nothing more is registered: to the program the monitor has gone away."""


class Deployment:
    """One operation.

    Args:
        operation: what is being run.
        state: where it starts from; not changed.
        sources: the providers.
        config: the stack's configuration by full key.
        parallel: how many deletions run at once.
    """

    def __init__(
        self,
        operation: Operation,
        state: State,
        sources: ProviderSource | Mapping[str, ProviderSource],
        *,
        config: Mapping[str, Value],
        parallel: int = 1,
    ) -> None:
        self.operation = operation
        self.diagnostics: list[Diagnostic] = []
        self.steps: list[tuple[Op, str]] = []
        self.counted: dict[str, int] = {}
        self.errors: list[Exception] = []
        """What made it fail, in order. ``MockProviderError``s are ours, the others are the provider's or the program's."""
        self.stack_outputs: dict[str, Value] | None = None
        self._parallel = parallel
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._defaults_turn = threading.Lock()
        self.stopped = False
        """Whether nothing new may begin: something has failed, or the operation was called off."""
        self._registered: dict[str, ResourceState] = {}
        self.ledger = Ledger(state)
        self._registry = Registry(sources, self, preview=operation.preview, seed=operation.seed, remembered=self.ledger.base)
        self._run = Run(
            ledger=self.ledger, registry=self._registry, preview=operation.preview, log=self.log, object=self.object
        )
        self._planner = Planner(operation, self._run)
        self._defaults = DefaultProviders(config, self.ledger.base, self._register_provider)
        if state.pending:
            names = ", ".join(f"{each.kind} {each.resource.urn}" for each in state.pending)
            self.log(
                "warning", f"an earlier operation was cut off, nobody knows how these ended: {names}. A refresh looks.", ""
            )

    # The way back, and what is told ----------------------------------------------------------------------------------

    def log(self, severity: str, message: str, urn: str = "") -> None:
        """Show ``message`` to the user."""
        with self._lock:
            self.diagnostics.append(Diagnostic(severity, message, urn))

    @property
    def failed(self) -> bool:
        """Whether anything went wrong."""
        return bool(self.errors)

    def object(self, error: Exception, urn: str = "") -> None:
        """Note ``error``, which makes the operation fail in the end, and go on."""
        with self._lock:
            self.errors.append(error)
            self.diagnostics.append(Diagnostic("error", str(error), urn))

    def fail(self, error: Exception, urn: str = "") -> None:
        """Note ``error`` and stop: nothing new begins."""
        self.stopped = True
        self.object(error, urn)

    def stop(self) -> None:
        """Begin nothing new."""
        self.stopped = True

    # What programs ask for -------------------------------------------------------------------------------------------

    def register(self, goal: Goal) -> ResourceState:
        """Register, or read, a resource, and carry out what follows. Raises ``StoppedError`` once anything has failed."""
        try:
            goal = self._with_provider(goal)
            with self._turn:
                self._go_on()
                steps, state = self._planner.plan(goal)
            for step in steps:
                self._execute(step)
        except EXPECTED as error:
            self.fail(error, self._where(goal))
            raise StoppedError(str(error)) from error
        with self._lock:
            self._registered[state.urn] = state
        return state

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
            return self._get_resource(goal.inputs)
        goal = self._with_provider(goal)
        self._go_on()
        return self._registry.ensure(goal.provider).invoke(goal.type, goal.inputs)

    def _get_resource(self, inputs: Bag) -> Reply:
        urn = inputs.get("urn", "")
        with self._lock:
            state = self._registered.get(urn)
        if state is None:
            raise RefusedError(f"{urn!r} is no resource that this program has registered")
        return Reply(value={"urn": state.urn, "id": state.id, "state": state.outputs})

    def _go_on(self) -> None:
        if self.stopped:
            raise StoppedError("the operation has failed already")

    def _where(self, goal: Goal) -> str:
        return f"{goal.type} {goal.name}"

    # Providers -------------------------------------------------------------------------------------------------------

    def _with_provider(self, goal: Goal) -> Goal:
        if not goal.custom:
            return goal
        if goal.package == "pulumi":
            raise UnsupportedError(
                f"{goal.type} is built into the real engine, and not yet into this one. Pass in what it would give instead."
            )
        if goal.is_provider:
            return self._with_version(goal)
        if goal.provider:
            return goal
        with self._defaults_turn:
            self._go_on()
            return replace(goal, provider=self._defaults.reference(goal))

    def _with_version(self, goal: Goal) -> Goal:
        wanted = Requested(goal.package, goal.version, goal.plugin_download_url)
        if not wanted.url:
            # An explicit provider that does not say gets the same plugin as the package's default one.
            wanted = self._defaults.normalized(wanted)
        return replace(goal, inputs=with_plugin(goal.inputs, wanted))

    def _register_provider(self, goal: Goal) -> str:
        with self._turn:
            self._go_on()
            steps, state = self._planner.plan(goal)
        for step in steps:
            self._execute(step)
        return reference(state.urn, state.id)

    # Carrying out ----------------------------------------------------------------------------------------------------

    def _execute(self, step: Step) -> None:
        kind = KINDS[step.op]
        resource = step.resource
        if step.result is None:
            with self.ledger.under_way("" if self.operation.preview else kind.pending, resource):
                kind.apply(self._run, step)
        op = step.result or step.op
        with self._lock:
            self.steps.append((op, resource.urn))
            if kind.counts and op is not Op.SAME and not resource.is_provider and not resource.is_stack:
                self.counted[op.value] = self.counted.get(op.value, 0) + 1

    def refresh(self, *, flagged_only: bool = False) -> None:
        """Read every resource of the state, or those that asked for it (``refreshBeforeUpdate``); failures are
        noted, all are tried.
        """
        chosen = [each for each in self.ledger.base if each.refresh_before_update or not flagged_only]
        if not chosen:
            return
        if not flagged_only:
            # What was being created may exist under an id that nobody knows, which no read can tell.
            self.ledger.forget_pending(keep="creating")
        if not self._ensure_providers(chosen):
            return
        found = {id(each): self._refreshed(each) for each in chosen}
        left = [found.get(id(each), each) for each in self.ledger.base]
        parents = {each.urn: each.parent for each in self.ledger.base}
        self.ledger.rebase(repaired([each for each in left if each is not None], parents))

    def _refreshed(self, old: ResourceState) -> ResourceState | None:
        step = Step(op=Op.REFRESH, old=old)
        try:
            self._execute(step)
        except EXPECTED as error:
            self.fail(error, old.urn)
            return old
        return step.new

    def _ensure_providers(self, resources: Sequence[ResourceState]) -> bool:
        for each in resources:
            try:
                if each.provider:
                    self._registry.ensure(each.provider)
            except EXPECTED as error:
                self.fail(error, each.urn)
                return False
        return True

    # The end ---------------------------------------------------------------------------------------------------------

    def delete_leftovers(self) -> None:
        """Delete what the program no longer has (everything, if there was no program): dependents before what they
        depend on.
        """
        condemned = self.ledger.leftovers()
        if self.stopped or not self._ensure_providers(condemned):
            return
        self._run.deleted = self._planner.deleted | {each.urn for each in condemned}
        spared: set[int] = set()
        for batch in deletion_batches(self.ledger.base, condemned):
            chosen = [each for each in batch if id(each) not in spared]
            failures = self._delete_batch(chosen)
            for each in failures:
                spared |= transitive_dependencies(self.ledger.base, each)
            if self.stopped:
                return

    def _delete_batch(self, batch: Sequence[ResourceState]) -> list[ResourceState]:
        with executor(min(self._parallel, len(batch)) or 1) as pool:
            outcomes = list(pool.map(self._delete, batch))
        return [each for each, done in zip(batch, outcomes, strict=True) if not done]

    def _delete(self, old: ResourceState) -> bool:
        if self.stopped:
            return False
        try:
            self._execute(Step(op=deletion(old), old=old))
        except RefusedError as error:
            # A protected resource touches nothing, so the others may go on, and all are told in one run.
            self.object(error, old.urn)
            return False
        except EXPECTED as error:
            self.fail(error, old.urn)
            return False
        return True

    def finish_stack(self) -> None:
        """Settle the stack's outputs: the program's; after a failure those of before stay where it gave no new ones."""
        stack = next((each for each in self._registered.values() if each.is_stack), None)
        if stack is None:
            return
        before = next((each.outputs for each in self.ledger.base if each.is_stack), {})
        given = self.stack_outputs
        stack.outputs = {**before, **(given or {})} if self.failed or given is None else given

    def close(self) -> None:
        """End the sessions of all providers."""
        self._registry.close()
