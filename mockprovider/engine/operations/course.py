"""The course of one operation: the state on its way, the providers, what is told, and whether anything more may begin."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence

from msgspec import structs

from mockprovider.engine.hooks.calling import Hooks
from mockprovider.engine.hooks.occasions import Occasion
from mockprovider.engine.operation import Operation
from mockprovider.engine.operations.events import EventTeller
from mockprovider.engine.plans.planning import Planning
from mockprovider.engine.policing import PoliciesBrokenError, Policing
from mockprovider.engine.providers.builtin import Builtin, References
from mockprovider.engine.providers.instance import ProviderSource
from mockprovider.engine.providers.registry import Registry
from mockprovider.engine.registrations.decision import InputsRefusedError, RefusedError, StepOp
from mockprovider.engine.state.ledger import Ledger
from mockprovider.engine.steps.kinds import (
    EXPECTED,
    KINDS,
    EngineStep,
    Run,
    StepKind,
    ViewsFailedError,
    mark_secrets,
    reported,
)
from mockprovider.engine.steps.viewing import remember
from mockprovider.pulumi.result import Diagnostic
from mockprovider.pulumi.stacks.state import ResourceState, State

ID_IS_OPEN = "The 'id' property cannot be made secret. See pulumi/pulumi#2717 for more details."


class Course(Run):
    """One operation while it lasts, as its phases share it. Thread-safe.

    The first failure stops it: what is under way may end, nothing new begins.

    Args:
        operation: what is being run.
        state: where it starts from; not changed.
        sources: the providers.
        references: the outputs of the stacks that the program may refer to.
        plans: the update plans to keep to, and to make.
        telling: what tells others of what happens.
    """

    def __init__(
        self,
        operation: Operation,
        state: State,
        sources: ProviderSource | Mapping[str, ProviderSource],
        references: References | None = None,
        *,
        plans: Planning | None = None,
        telling: EventTeller | None = None,
    ) -> None:
        self.operation = operation
        self.telling = telling or EventTeller()
        self.preview = operation.preview
        self.hidden: Sequence[str] = ()
        """What no diagnostic shows: secrets of the configuration, longer ones first."""
        self.moment = operation.moment
        self.ignores_protection = operation.ignore_protect
        self.policing: Policing | None = None
        self.sources = list(sources.values()) if isinstance(sources, Mapping) else [sources]
        self.plans = plans or Planning()
        self.deleted: Collection[str] = ()
        self.diagnostics: list[Diagnostic] = []
        self.steps: list[tuple[StepOp, str]] = []
        self.counted: dict[str, int] = {}
        self.errors: list[Exception] = []
        """What made it fail, in order. ``MockProviderError``s are ours, the others are the provider's or the program's."""
        self.cut_short = False
        """Whether a name that nothing has, a refused registration or a failed program was the first to stop the operation."""
        self.closing = ""
        """What the real engine says after that it failed: nothing, but in an import."""
        self.called_off = False
        self.stopped = False
        """Whether nothing new may begin: something has failed, or the operation was called off."""
        self._lock = threading.Lock()
        self.hooks = Hooks()
        self.incomplete: dict[str, Occasion] = {}
        """What was done about components that have not registered their outputs yet, and have hooks."""
        self.ledger = Ledger(state, only_looks=operation.preview)
        self.registry = Registry(
            sources,
            self,
            preview=operation.preview,
            seed=operation.seed,
            remembered=self.ledger.base,
            builtin=Builtin(references),
            ends=operation.ends_providers,
            extensions=self.ledger.extensions,
        )

    # What is told ----------------------------------------------------------------------------------------------------

    def log(self, severity: str, message: str, urn: str = "") -> None:
        """Show ``message`` to the user. Debug lines are dropped: there are a dozen for each resource."""
        if severity == "debug":
            return
        self._show(Diagnostic(severity, message, urn))

    @property
    def failed(self) -> bool:
        """Whether anything went wrong."""
        return bool(self.errors)

    def object(self, error: Exception, urn: str = "", *, shown: bool = False, of_step: bool = False) -> None:
        """Note ``error``, which makes the operation fail in the end, and go on; ``shown``: the user was told already."""
        # What failed of a view is said of the view, as in the real engine.
        urn = error.urn if isinstance(error, ViewsFailedError) and error.urn else urn
        with self._lock:
            self.errors.append(error)
        # A policy's violation has been told as such.
        if not (shown or isinstance(error, PoliciesBrokenError)):
            opening = "Preview failed: " if of_step and self.preview else ""
            for message in error.complaints if isinstance(error, InputsRefusedError) else (str(error),):
                self._show(Diagnostic("error", opening + message, urn))

    def _show(self, diagnostic: Diagnostic) -> None:
        for secret in self.hidden:
            if secret in diagnostic.message:
                diagnostic = structs.replace(diagnostic, message=diagnostic.message.replace(secret, "[secret]"))
        with self._lock:
            self.diagnostics.append(diagnostic)
        self.telling.diagnostic(diagnostic)

    def fail(self, error: Exception, urn: str = "", *, shown: bool = False, of_step: bool = False) -> None:
        """Note ``error``, which a step ended with or not, and stop: nothing new begins."""
        self.cut_short |= not (of_step or self.stopped)
        self.stopped = True
        self.object(error, urn, shown=shown, of_step=of_step)

    def blame(self, error: Exception, urn: str = "", *, after: bool = False) -> None:
        """Note ``error`` of a step, or of a hook ``after`` one, and stop unless the operation is to go on after errors."""
        self.stopped |= not self.operation.continue_on_error
        self.object(error, urn, of_step=not after)

    def sum_up(self) -> None:
        """Say in the end that it failed, where the real engine does: what cuts an operation short speaks for itself."""
        if self.failed and not self.cut_short:
            self.log("error", f"{'preview' if self.preview else 'update'} failed{self.closing}")

    def stop(self) -> None:
        """Begin nothing new."""
        self.stopped = self.called_off = True

    def refuse_missing(self, messages: Sequence[str]) -> bool:
        """Note what is wrong with names that match no resource. Returns whether there are any."""
        for message in messages:
            self.object(RefusedError(message))
        return bool(messages)

    # Carrying out ----------------------------------------------------------------------------------------------------

    def execute(self, step: EngineStep) -> None:
        """Carry out ``step``. Raises one of ``EXPECTED``."""
        kind = KINDS[step.op]
        self.telling.step("begun", step, step.op.value)
        broken = None
        try:
            with self.ledger.under_way("" if self.preview else kind.pending, step.resource):
                try:
                    if kind.hooked and (step.was if kind.hooked == "delete" else step.resource).resource_hooks:
                        self._with_hooks(step, kind)
                    else:
                        kind.apply(self, step)
                finally:
                    if step.new is not None and step.op is not StepOp.REPLACE:
                        mark_secrets(step.new)
                    if step.views:
                        broken = self.note_views(step)
        except EXPECTED:
            self.telling.step("failed", step, step.op.value)
            raise
        if self.plans.making and step.new is not None:
            # A component that has just been made or changed has none until the program registers them.
            self.plans.done(step.new, none_yet=not step.new.custom and step.op is not StepOp.SAME)
        if step.new is not None and step.op is not StepOp.REPLACE and "id" in step.new.additional_secret_outputs:
            self.log("warning", ID_IS_OPEN, step.new.urn)
        self.note(step)
        if broken:
            raise broken

    def _with_hooks(self, step: EngineStep, kind: StepKind) -> None:
        op = kind.hooked
        # To a replacement's creation there is nothing old.
        occasion = Occasion(op, None if op == "create" else step.old, None if op == "delete" else step.new)
        if op == "update":
            step.resource.id = step.was.id
        self.hooks.before(self, occasion)
        kind.apply(self, step)
        if occasion.resource.custom or op == "delete":
            self.hooks.after(self, occasion)
        elif step.op in (StepOp.CREATE, StepOp.UPDATE):
            # A component is complete only when it has registered its outputs.
            self.incomplete[step.resource.urn] = occasion

    def complete(self, urn: str) -> None:
        """The component ``urn`` has registered its outputs."""
        occasion = self.incomplete.pop(urn, None)
        if occasion is not None:
            self.hooks.after(self, occasion)

    def note(self, step: EngineStep) -> None:
        """Note a step that was carried out."""
        op, counts = reported(step, only_refresh=self.operation.only_refresh)
        with self._lock:
            self.steps.append((op, step.resource.urn))
            if counts:
                self.counted[op.value] = self.counted.get(op.value, 0) + 1
        self.telling.step("done", step, op.value)

    def note_views(self, step: EngineStep, *, running: bool = False, shown: bool = True) -> ViewsFailedError | None:
        """Take the steps of views that were published during ``step``, and note them. Returns what failed of them.

        ``running`` says that the program runs, and ``step`` has read what it registers; what is not ``shown`` is no step.
        """
        broken: list[str] = []
        urn = ""
        refreshing = step.op is StepOp.REFRESH
        behind = step.old if refreshing or not self.ledger.has(step.new) else None
        for change in step.views:
            view = change.new or change.old
            if change.error or view is None:
                broken.append(change.error or "a view step was published about nothing")
                urn = urn or (view.urn if view else "")
                continue
            # What is only read again is news to a refresh alone.
            if running:
                self.ledger.review(change.old, change.new)
            elif refreshing or change.op is not StepOp.REFRESH:
                remember(self.ledger, change, behind=behind)
            op = StepOp.REFRESH if refreshing else change.op
            result = change.op if refreshing else None
            news = change.op is not StepOp.REFRESH
            if shown:
                self.note(EngineStep(op=op, old=change.old, new=change.new, result=result, news=news))
        return ViewsFailedError("; ".join(broken), urn) if broken else None

    def ensure_providers(self, resources: Sequence[ResourceState]) -> bool:
        """Have the providers of ``resources``; if one cannot be had, the operation has failed, and ``False`` is returned."""
        for resource in resources:
            try:
                if resource.provider:
                    self.registry.ensure(resource.provider)
            except EXPECTED as error:
                self.fail(error, resource.urn)
                return False
        return True

    def close(self) -> None:
        """End the sessions of all providers, and what policies are doing."""
        if self.policing is not None:
            self.policing.cancel()
        self.registry.close()
