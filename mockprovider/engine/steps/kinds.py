"""The steps that an operation is made of: what each asks of the provider, and what it makes of the state."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Protocol

from msgspec import Struct, field

from mockprovider.engine.hooks.calling import Hooks
from mockprovider.engine.hooks.occasions import Occasion
from mockprovider.engine.outcomes import CallbackFailedError
from mockprovider.engine.plans.planning import Planning
from mockprovider.engine.policing import Policing
from mockprovider.engine.providers.instance import CallFailedError
from mockprovider.engine.providers.outgoing import with_secrets
from mockprovider.engine.providers.registry import Registry
from mockprovider.engine.providers.resource_calls import Checked, Outcome, ResourceIdentity, identity
from mockprovider.engine.registrations.decision import RefusedError, StepOp, calls_delete
from mockprovider.engine.registrations.wording import listed, undeletable
from mockprovider.engine.state.ledger import Ledger
from mockprovider.engine.steps.viewing import ViewChange, ViewListener, gone
from mockprovider.errors import MockProviderError
from mockprovider.payloads import NamingOptions
from mockprovider.pulumi.diff import Changes, Diff
from mockprovider.pulumi.stacks.state import UNKNOWN_ID, ResourceState, copied
from mockprovider.values import Bag, same


class ResourceProvider(Protocol):
    """What manages a resource: an instance, or the registry for provider resources."""

    names: bool
    known: bool

    def check(self, urn: str, olds: Bag | None, news: Bag, seed: bytes, autonaming: NamingOptions | None = None) -> Checked:
        """Validate the inputs."""

    def diff(self, of: ResourceIdentity, news: Bag) -> Diff:
        """Compare old and new."""

    def create(self, of: ResourceIdentity, inputs: Bag) -> Outcome:
        """Create the object."""

    def update(self, of: ResourceIdentity, inputs: Bag) -> Outcome:
        """Update the object."""

    def read(self, of: ResourceIdentity, inputs: Bag | None, state: Bag | None) -> Outcome:
        """Read the object."""

    def delete(self, of: ResourceIdentity) -> None:
        """Delete the object."""


class EngineStep(Struct, kw_only=True):
    """One step: ``old`` becomes ``new``.

    ``keep_old`` marks the old instance for deletion at the end instead of dropping it; ``result`` is the op that a refresh
    came to; ``news`` says whether a summary is to count it. What is ``passed_over``, because it is no target, is only kept.
    ``diff`` is what was answered to Diff, for who is told of the step.
    """

    op: StepOp
    old: ResourceState | None = None
    new: ResourceState | None = None
    keep_old: bool = False
    before_replace: bool = False
    result: StepOp | None = None
    news: bool = True
    passed_over: bool = False
    diff: Diff | None = None
    views: list[ViewChange] = field(default_factory=list)
    """What its provider has published, or what follows for views without that."""

    @property
    def resource(self) -> ResourceState:
        """The state that the step is about: the new one where there is one."""
        return self.was if self.new is None else self.new

    @property
    def was(self) -> ResourceState:
        """The old state of a step that has one by its kind."""
        if self.old is None:
            raise ValueError(f"a step {self.op} is about something old")
        return self.old


class Run(Protocol):
    """What steps work with: one operation while it is carried out."""

    ledger: Ledger
    registry: Registry
    hooks: Hooks
    preview: bool
    moment: str
    """When it is."""
    ignores_protection: bool
    policing: Policing | None
    """The policies of the operation, if it has any."""
    plans: Planning
    deleted: Collection[str]
    """The URNs that this run deletes, for those that are ``deletedWith`` them."""

    def log(self, severity: str, message: str, urn: str = "") -> None:
        """Show ``message`` to the user."""

    def object(self, error: Exception, urn: str = "") -> None:
        """Note what makes the run fail in the end, though it goes on."""

    def fail(self, error: Exception, urn: str = "", *, shown: bool = False, of_step: bool = False) -> None:
        """Note what makes the run fail, and stop it."""

    def blame(self, error: Exception, urn: str = "", *, after: bool = False) -> None:
        """Note what makes the run fail in the end; it goes on only where it is to continue after errors."""

    def note(self, step: EngineStep) -> None:
        """Note a step that was carried out."""

    def note_views(self, step: EngineStep, *, running: bool = False) -> ViewsFailedError | None:
        """Take the steps of views that were published during ``step``, and note them. Returns what failed of them.

        ``running`` says that the program runs, and ``step`` has read what it registers.
        """

    def manager(self, state: ResourceState) -> ResourceProvider:
        """What manages ``state``, a custom resource. Raises ``CallFailedError`` if it cannot be had."""
        return self.registry if state.is_provider else self.registry.ensure(state.provider, state.extension_ref)

    def provider(self, state: ResourceState) -> ResourceProvider | None:
        """What manages ``state``; ``None`` for components. Raises ``CallFailedError`` if it cannot be had."""
        return self.manager(state) if state.custom else None


def listening(run: Run, step: EngineStep, owner: ResourceState) -> ViewListener | None:
    """What takes the views that the provider of ``owner`` publishes during ``step``."""
    if owner.is_provider:
        return None
    shows_old = step.op not in (StepOp.CREATE, StepOp.CREATE_REPLACEMENT, StepOp.IMPORT, StepOp.IMPORT_REPLACEMENT)
    listener = ViewListener(run.ledger, owner, shows_old=shows_old and owner is step.old)
    step.views = listener.steps
    return listener


class PartialFailureError(Exception):
    """The object exists and is in the state, with its initialization errors; the step failed all the same."""


class ViewsFailedError(PartialFailureError):
    """What a provider published of a view of the object says that it failed; the first one is ``urn``."""

    def __init__(self, reason: str, urn: str) -> None:
        super().__init__(reason)
        self.urn = urn


EXPECTED = (CallFailedError, RefusedError, PartialFailureError, CallbackFailedError, MockProviderError)
"""What can go wrong with a step; anything else is a bug of ours and is raised through."""


class ImportFailedError(Exception):
    """An import, the one step that is carried out while its registration is planned, failed because of ``error``."""

    def __init__(self, step: EngineStep, error: Exception) -> None:
        super().__init__(str(error))
        self.step = step
        self.error = error


def same_(run: Run, step: EngineStep) -> None:
    """New checked inputs, old id and outputs, no RPC; a provider is configured with its *old* inputs.

    A new resource that is no target is left out of the state.
    """
    if step.old is None:
        return
    new, old = step.resource, step.was
    new.id, new.outputs = old.id, old.outputs
    new.created, new.modified = old.created, old.modified
    new.refresh_before_update = old.refresh_before_update
    # A provider that is passed over is configured once something needs it.
    if new.is_provider and not step.passed_over:
        run.registry.same(new.urn, new.id, old.inputs)
    run.ledger.finish(old)
    run.ledger.add(new)
    if not step.passed_over:
        step.views = [ViewChange(StepOp.SAME, view, copied(view)) for view in run.ledger.views(old.urn)]


def create(run: Run, step: EngineStep) -> None:
    """Create; the old instance of a replacement is marked for deletion, or dropped where it has been deleted before."""
    new = step.resource
    provider = run.provider(new)
    replaced = step.old.id if step.old and new.is_provider else ""
    of = ResourceIdentity(new.urn, replaced, new.custom_timeouts.create, views=listening(run, step, new))
    outcome = Outcome(outputs={})
    if provider:
        outcome = run.hooks.tried(run, Occasion("create", new=new), lambda: provider.create(of, new.inputs))
    new.created = new.modified = run.moment
    _take(new, outcome)
    _settle(run, step)
    new.init_errors.extend(outcome.past_errors)


def update(run: Run, step: EngineStep) -> None:
    """Update; after a partial failure the *old* inputs are remembered, so that the next run compares with those."""
    new, old = step.resource, step.was
    new.id = old.id
    new.created, new.modified = old.created, old.modified
    provider = run.provider(new)
    if provider:
        new.modified = run.moment
        views = listening(run, step, old)
        of = identity(old, new.custom_timeouts.update, urn=new.urn, ignore_changes=new.ignore_changes, views=views)
        outcome = run.hooks.tried(run, Occasion("update", old, new), lambda: provider.update(of, new.inputs))
        _take(new, outcome)
        if outcome.init_errors:
            new.inputs = old.inputs
    run.ledger.finish(old)
    run.ledger.add(new)
    _fail_if_partial(new)
    if provider:
        new.init_errors.extend(outcome.past_errors)


def delete(run: Run, step: EngineStep) -> None:
    """Delete, where the provider is to be asked at all; a preview asks nothing."""
    old = step.was
    if old.protect and not run.ignores_protection and step.op in (StepOp.DELETE, StepOp.DISCARD):
        raise RefusedError(undeletable(old.urn))
    if not run.preview and calls_delete(old, run.deleted):
        # As in the real engine, nobody starts the provider of what is only replaced with another resource.
        provider = run.registry if old.is_provider else run.registry.loaded(old)
        of = identity(old, old.custom_timeouts.delete, views=listening(run, step, old))
        run.hooks.tried(run, Occasion("delete", old), lambda: provider.delete(of))
    else:
        step.views = gone(run.ledger.views(old.urn))
    if step.before_replace:
        old.pending_replacement = True
    else:
        run.ledger.finish(old)


def drop(run: Run, step: EngineStep) -> None:
    """Forget a resource that an earlier run deleted for a replacement that the program no longer asks for."""
    run.ledger.finish(step.was)


def announce(run: Run, step: EngineStep) -> None:
    """A replacement as a whole: its parts are steps of their own."""


def read(run: Run, step: EngineStep) -> None:
    """Read what the program ``get``s; it becomes external, and is never updated or deleted."""
    new = step.resource
    outcome = Outcome(outputs={})
    if new.id != UNKNOWN_ID:
        # The same bag is sent as inputs and as state: providers have always received it as state.
        of = ResourceIdentity(new.urn, new.id, views=listening(run, step, new))
        outcome = run.manager(new).read(of, new.inputs, new.inputs)
        if outcome.outputs is None:
            raise RefusedError(f"resource {new.id!r} does not exist")
    asked = new.id
    _take(new, outcome)
    mark_secrets(new)
    new.id = outcome.id or asked
    if step.old is not None:
        unchanged = same(step.old.inputs, new.inputs) and same(step.old.outputs, new.outputs)
        new.created, new.modified = step.old.created, step.old.modified if unchanged else run.moment
    # As in the CLI's summary, a first read and an unchanged one do not count, and one that hides a value does.
    step.news = step.old is not None and not same(step.old.outputs, new.outputs, as_secret=True)
    _settle(run, step)


def import_(run: Run, step: EngineStep) -> None:
    """Read by id alone what the option ``import`` names; its inputs become the old inputs of the Check and Diff that follow."""
    new = step.resource
    of = ResourceIdentity(new.urn, new.import_id, views=listening(run, step, new))
    outcome = run.manager(new).read(of, None, None)
    if outcome.outputs is None:
        raise RefusedError(f"resource {new.import_id!r} does not exist")
    if outcome.inputs is None:
        raise RefusedError(f"provider does not support importing resources; the Read of {new.type} answered no inputs")
    # What is secret in the program's inputs says nothing of what is read.
    new.inputs = outcome.inputs
    _take(new, outcome)
    mark_secrets(new)
    new.id = outcome.id or new.import_id
    new.created = new.modified = run.moment
    if step.old is not None and step.keep_old:
        step.old.delete = True
    run.ledger.add(new)
    if broken := run.note_views(step):
        raise broken


def refresh(run: Run, step: EngineStep) -> None:
    """Read, then Diff the other way round: what was read stands for the old side, the remembered inputs for the new one."""
    read_again(run, step)
    run.ledger.found(step.was, step.new)


def read_again(run: Run, step: EngineStep) -> None:
    """Read what a step is about, which becomes its ``new``, with the options and provider that ``new`` had before, if any."""
    old, wanted = step.was, step.new or step.was
    step.result, step.new = StepOp.SAME, old
    if not old.custom or old.is_provider or old.pending_replacement:
        return
    provider = run.manager(wanted)
    of = identity(old, old.custom_timeouts.read, urn=wanted.urn, views=listening(run, step, old))
    actual = provider.read(of, old.inputs, old.outputs)
    if not actual.id or actual.outputs is None:
        step.result, step.new = StepOp.DELETE, None
        return
    if actual.init_errors:
        reasons = "".join(f"\n* {reason}" for reason in actual.init_errors)
        run.log("warning", f"Refreshed resource is in an unhealthy state:{reasons}", wanted.urn)
    inputs = old.inputs if actual.inputs is None else actual.inputs
    new = copied(wanted, id=actual.id, inputs=inputs, refresh_before_update=actual.refresh_before_update)
    new.init_errors = list(actual.init_errors)
    new.outputs = actual.outputs
    if not (same(inputs, old.inputs) and same(actual.outputs, old.outputs)):
        new.modified = run.moment
    if old.external:
        changed = not same(actual.outputs, old.outputs)
    else:
        # Its secrets are marked afterwards, as in the real engine.
        changed = provider.diff(identity(new, ignore_changes=old.ignore_changes), old.inputs).changes == Changes.SOME
    mark_secrets(new)
    step.new, step.result = new, StepOp.UPDATE if changed else StepOp.SAME


class StepKind(Struct, frozen=True):
    """What a kind of step does, whether it counts in the summary, how a snapshot calls it while it is under way, and the op
    around which hooks are called.
    """

    apply: Callable[[Run, EngineStep], None]
    counts: bool = True
    pending: str = ""
    hooked: str = ""


KINDS: Mapping[StepOp, StepKind] = {
    StepOp.SAME: StepKind(same_),
    StepOp.CREATE: StepKind(create, pending="creating", hooked="create"),
    StepOp.UPDATE: StepKind(update, pending="updating", hooked="update"),
    StepOp.DELETE: StepKind(delete, pending="deleting", hooked="delete"),
    StepOp.REPLACE: StepKind(announce),
    StepOp.CREATE_REPLACEMENT: StepKind(create, counts=False, pending="creating", hooked="create"),
    StepOp.DELETE_REPLACED: StepKind(delete, counts=False, pending="deleting", hooked="delete"),
    StepOp.READ: StepKind(read, pending="reading"),
    StepOp.READ_REPLACEMENT: StepKind(read, counts=False, pending="reading"),
    StepOp.REFRESH: StepKind(refresh),
    StepOp.DISCARD: StepKind(delete, hooked="delete"),
    StepOp.DISCARD_REPLACED: StepKind(delete, counts=False, hooked="delete"),
    StepOp.REMOVE_PENDING_REPLACE: StepKind(drop, counts=False),
    StepOp.IMPORT: StepKind(import_, pending="importing"),
    StepOp.IMPORT_REPLACEMENT: StepKind(import_, counts=False, pending="importing"),
}
"""Every kind of step there is."""


def reported(step: EngineStep, *, only_refresh: bool) -> tuple[StepOp, bool]:
    """What a step that was carried out is called, and whether a summary counts it."""
    # The ops of refresh steps are reported only where the whole operation is a refresh.
    telling = step.op is not StepOp.REFRESH or only_refresh
    op = (step.result or step.op) if telling else step.op
    news = KINDS[step.op].counts and telling and step.news and op is not StepOp.SAME
    return op, news and not step.resource.is_provider and not step.resource.is_stack


def _take(new: ResourceState, outcome: Outcome) -> None:
    new.id = outcome.id
    new.outputs = outcome.outputs or {}
    new.init_errors = list(outcome.init_errors)
    new.refresh_before_update = outcome.refresh_before_update


def mark_secrets(new: ResourceState) -> None:
    """Mark what is secret among the outputs of a step, as the real engine does once the step's hooks have seen them."""
    new.outputs = with_secrets(new.outputs, new.inputs, new.additional_secret_outputs)


def _settle(run: Run, step: EngineStep) -> None:
    """Remember what the step made; what it replaces is kept to be deleted later, or is gone already."""
    if step.old is not None:
        if step.keep_old:
            step.old.delete = True
        else:
            run.ledger.finish(step.old)
    run.ledger.add(step.resource)
    _fail_if_partial(step.resource)


def _fail_if_partial(new: ResourceState) -> None:
    if new.init_errors:
        raise PartialFailureError(listed(new.init_errors))
