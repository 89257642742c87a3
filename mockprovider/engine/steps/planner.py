"""From registrations to steps: Check and Diff are asked here, one registration at a time, and ``decision`` decides."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.engine.operation import Operation
from mockprovider.engine.policing import PoliciesBrokenError, Policing
from mockprovider.engine.providers.resource_calls import identity
from mockprovider.engine.registrations.autonaming import Autonaming
from mockprovider.engine.registrations.decision import (
    KEEPS_OLD,
    STEPS,
    Decision,
    InputsRefusedError,
    Objection,
    RefusedError,
    StepOp,
    complaint,
    decide,
    forced,
    imports,
    objections,
    prepare,
)
from mockprovider.engine.registrations.goal import Goal, new_state
from mockprovider.engine.registrations.identities import Identities
from mockprovider.engine.registrations.wording import changed_provider, irreplaceable, left_out, quoted
from mockprovider.engine.steps.dependents import Dependents, with_replacements
from mockprovider.engine.steps.kinds import EXPECTED, EngineStep, ImportFailedError, ResourceProvider, Run, import_
from mockprovider.engine.steps.revisiting import Revisiting
from mockprovider.engine.targets import Targets
from mockprovider.pulumi.diff import Diff, compare
from mockprovider.pulumi.stacks.state import ResourceState, copied
from mockprovider.values import Value, has_unknown

UNASKED = (
    "The provider for this resource has inputs that are not known during preview.\n"
    "This preview may not correctly represent the changes that will be applied during an update."
)


class _Case(Struct):
    """A registration on its way through the planner. An import puts what it found in the place of ``old``; ``replaced`` says
    that the user wants it replaced.
    """

    goal: Goal
    old: ResourceState | None
    new: ResourceState
    provider: ResourceProvider | None
    recreating: bool
    replaced: bool


REPLACING = frozenset({Decision.REPLACE, Decision.DELETE_AND_REPLACE, Decision.RESUME})


class Planner:
    """Turns registrations into steps. Not safe to use from two threads at once: the engine takes one registration at a time."""

    def __init__(self, operation: Operation, run: Run, autonaming: Autonaming) -> None:
        self._autonaming = autonaming
        self._operation = operation
        self._run = run
        self._ledger = run.ledger
        self._identities = Identities(operation.stack, operation.project, run.ledger)
        self._replaced: set[str] = set()
        self._deleted: set[str] = set()
        self._condemned: set[int] = set()
        self.dependents = Dependents(run, self._identities, self._deleted)
        self._targets = Targets(operation.scope)
        self._left_out: set[str] = set()
        self.revisiting = Revisiting(operation, run, self._targets, self._left_out)

    @property
    def seen(self) -> list[str]:
        """The URNs that were registered."""
        return list(self._identities.registered)

    def is_left_out(self, urn: str) -> bool:
        """Whether ``urn`` is new and skipped, because it is no target or is excluded."""
        return urn in self._left_out

    @property
    def deleted(self) -> set[str]:
        """The URNs that were deleted before replacement, and not registered again yet."""
        return self._deleted

    def has_deleted(self, resource: ResourceState) -> bool:
        """Whether this run has deleted ``resource`` already, because of the replacement of another."""
        return id(resource) in self._condemned

    def plan(self, goal: Goal) -> tuple[list[EngineStep], ResourceState]:
        """The steps that ``goal`` asks for, and the state that it will be answered with once they are done.

        Raises ``RefusedError`` or ``CallFailedError``.
        """
        urn = self._identities.urn(goal)
        goal = self._named(goal, urn)
        known = self._identities.recognize(urn, goal)
        old, new = known.old, new_state(goal, urn, known.alias)
        new.refresh_before_update = bool(old and old.refresh_before_update)
        if known.alias:
            self._run.registry.alias(urn, known.alias)
        self._identities.registered[urn] = new
        if goal.reads:
            return self._read(goal, old, new)
        old = self.revisiting.reread(old, new)
        if self._operation.only_refresh or self._operation.destroying:
            planned = self.revisiting.planned(goal, old, new)
            if planned is not None:
                self._identities.registered[urn] = planned[1]
                return planned
        included = self._targets.include(new, implied=new.is_provider or new.is_stack)
        before = self._preceding(new, included=included)
        if included:
            steps, state = self._register(goal, old, new, known.refusal)
            self._run.plans.admit(steps, self._identities.claimants)
            self._refuse_left_out(new)
            return before + steps, state
        if known.refusal:
            raise known.refusal
        steps, state = self._pass_over(goal, old, new)
        if old is not None:
            self._run.plans.goal(goal, urn, old, old.inputs, self._seed(urn))
        self._run.plans.admit(steps)
        return before + steps, state

    def _preceding(self, new: ResourceState, *, included: bool) -> list[EngineStep]:
        """The steps that keep what ``new`` needs, where the program names it without registering it, as of an earlier run."""
        urn, _, id_ = new.provider.rpartition("::")
        provider = self._ledger.live.get(urn)
        unseen = [provider] if provider is not None and provider.id == id_ else []
        if included and self._targets.constrained:
            unseen += [self._ledger.live[needed] for needed in new.dependency_urns() if needed in self._ledger.live]
        steps: list[EngineStep] = []
        for resource in unseen:
            if not self._identities.is_settled(resource.urn):
                steps += self._unchanged(resource)
        return steps

    def _named(self, goal: Goal, urn: str) -> Goal:
        """``goal``, with delete-before-replace where its name has no random part and so is still in use."""
        custom = goal.custom and not goal.is_provider and not goal.reads
        naming = self._autonaming.of(urn, b"") if custom else None
        return replace(goal, delete_before_replace=True) if naming and naming.fixed else goal

    # Reading ---------------------------------------------------------------------------------------------------------

    def _read(self, goal: Goal, old: ResourceState | None, new: ResourceState) -> tuple[list[EngineStep], ResourceState]:
        if not goal.read_id:
            raise RefusedError(f"Expected an ID for {new.urn}: nothing can be read without one")
        self._run.provider(new)
        if old is not None and not old.external and old.id != goal.read_id:
            self._replaced.add(new.urn)
            steps = [
                EngineStep(op=StepOp.READ_REPLACEMENT, old=old, new=new, keep_old=True),
                EngineStep(op=StepOp.REPLACE, old=old, new=new),
            ]
            return steps, new
        if self._operation.destroying:
            self.revisiting.to_delete.append(new)
        return [EngineStep(op=StepOp.READ, old=old, new=new)], new

    # Targets ---------------------------------------------------------------------------------------------------------

    def _pass_over(self, goal: Goal, old: ResourceState | None, new: ResourceState) -> tuple[list[EngineStep], ResourceState]:
        """No target, or excluded: it stays as it is, or is not created.

        As in the real engine, it is imported all the same, and what this run has deleted, or was only read, is created with
        the inputs that it had.
        """
        recreating = new.urn in self._deleted
        if imports(old, goal):
            case = _Case(goal, old, new, self._run.provider(new), recreating=recreating, replaced=False)
            self._import(case)
            old, recreating = case.old, False
        if old is not None and (recreating or old.external):
            new.inputs = old.inputs
            case = _Case(goal, old, new, self._run.provider(new), recreating=recreating, replaced=False)
            return self._steps(decide(old, goal, recreating=recreating), case, Diff()), new
        if old is None:
            self._left_out.add(new.urn)
            new.inputs = {}
            return [EngineStep(op=StepOp.SAME, new=new)], new
        if old.provider and self._run.registry.get(old.provider) is None:
            raise RefusedError(changed_provider(old.provider, new.urn))
        steps = self._unchanged(old)
        self._identities.registered[new.urn] = steps[-1].resource
        return steps, steps[-1].resource

    def _unchanged(self, old: ResourceState) -> list[EngineStep]:
        """The steps that keep ``old`` unchanged, its name too, after those of its dependencies that this run has not seen."""
        new = copied(old)
        self._identities.registered[old.urn] = new
        steps = []
        for dependency in old.dependency_urns():
            before = self._ledger.live.get(dependency)
            if before is not None and not self._identities.is_settled(dependency):
                steps += self._unchanged(before)
        return [*steps, EngineStep(op=StepOp.SAME, old=old, new=new, passed_over=True)]

    def has_seen(self, urn: str) -> bool:
        """Whether the program has registered ``urn`` of the state, under this name or another, and it was no target left."""
        return self._identities.is_settled(urn) and urn not in self.revisiting.untouched

    def _refuse_left_out(self, new: ResourceState) -> None:
        # The parent is named before what else is missing, and the provider after it; a preview names all.
        for urn in (new.parent, *new.dependency_urns(parent=False, provider=False), *new.dependency_urns()):
            if urn not in self._left_out:
                continue
            error = RefusedError(left_out(new.urn, urn, excluded=self._targets.excluding))
            if not self._run.preview:
                raise error
            self._run.object(error, new.urn)
            self._left_out.discard(urn)

    # Registering -----------------------------------------------------------------------------------------------------

    def _register(
        self, goal: Goal, old: ResourceState | None, new: ResourceState, refusal: RefusedError | None
    ) -> tuple[list[EngineStep], ResourceState]:
        replaced = old is not None and (old.taint or self._targets.replaces(new.urn))
        case = _Case(goal, old, new, self._run.provider(new), recreating=new.urn in self._deleted, replaced=replaced)
        imported = imports(old, goal)
        if imported:
            self._import(case)
        self._check(case)
        if refusal:
            raise refusal
        if not self._run.plans.idle:
            self._keep_to_plan(case, imported=imported)
        if self._run.policing:
            self._police(self._run.policing, case)
        try:
            diff = self._diff(case, case.old) if case.old and not (case.recreating or case.old.external) else None
            decision = decide(case.old, case.goal, diff, recreating=case.recreating)
            if not (imported and decision is Decision.SAME):
                return self._steps(decision, case, diff or Diff()), case.new
        except EXPECTED as error:
            if not imported:
                raise
            self._run.fail(error, new.urn)  # As in the real engine, the program is told all the same that the import is there.
        self._identities.registered[new.urn] = state = case.old or case.new
        return [], state

    def _keep_to_plan(self, case: _Case, *, imported: bool) -> None:
        anew = case.recreating or case.replaced or bool(case.old and case.old.external)
        seed = self._seed(case.new.urn)
        goes_on = imported or case.recreating
        self._run.plans.goal(case.goal, case.new.urn, case.old, case.new.inputs, seed, anew=anew, goes_on=goes_on)

    def _seed(self, urn: str) -> bytes:
        return self._run.plans.seed(urn, self._operation.random_seed(urn))

    def _import(self, case: _Case) -> None:
        """Import now: Check and Diff compare with what was imported, so it cannot wait for its turn among the steps."""
        new, replacing = case.new, case.old is not None and not case.recreating
        step = EngineStep(
            op=StepOp.IMPORT_REPLACEMENT if replacing else StepOp.IMPORT, old=case.old, new=new, keep_old=replacing
        )
        self._run.plans.importing(case.goal, new.urn, self._seed(new.urn))
        with self._ledger.under_way("" if self._run.preview else "importing", new):
            try:
                import_(self._run, step)
            except EXPECTED as error:
                raise ImportFailedError(step, error) from error
        self._run.plans.done(new)
        self._run.note(step)
        if replacing:
            self._run.note(EngineStep(op=StepOp.REPLACE, old=case.old, new=new))
        case.old = new
        # As in the real engine, an update that follows at once forgets the trigger.
        case.goal = replace(case.goal, replacement_trigger=None)
        kept = {"aliases": new.aliases, "refresh_before_update": new.refresh_before_update}
        case.new = copied(new_state(case.goal, new.urn), **kept)
        self._identities.registered[new.urn] = case.new

    def _check(self, case: _Case) -> None:
        prepared = prepare(case.old, case.goal, recreating=case.recreating or case.replaced)
        if prepared.not_ignored:
            paths = quoted(", ".join(prepared.not_ignored))
            self._run.log("info", f"cannot ignore changes in added or removed elements of the path: {paths}", case.new.urn)
        case.new.inputs = prepared.inputs
        if case.provider is not None:
            case.new.inputs = self._checked(case.provider, case.new, prepared.old_inputs, prepared.inputs)

    def _police(self, policing: Policing, case: _Case) -> None:
        provider = self._identities.registered.get(case.new.provider_urn)
        if policing.judge(case.new, case.goal, provider):
            self._run.object(PoliciesBrokenError(f"resource {case.new.urn} breaks a mandatory policy"), case.new.urn)

    def _checked(
        self, provider: ResourceProvider, new: ResourceState, olds: dict[str, Value] | None, news: dict[str, Value]
    ) -> dict[str, Value]:
        seed = self._seed(new.urn)
        naming = None if new.is_provider else self._autonaming.of(new.urn, seed)
        if naming and naming.insisted and not provider.names:
            message = f"{new.type} resource has a custom autonaming setting, and its provider does not heed such settings"
            self._run.log("warning", message, new.urn)
        checked = provider.check(new.urn, olds, news, seed, naming.options if naming else None)
        if checked.failures:
            raise InputsRefusedError([complaint(new, path, reason, news) for path, reason in checked.failures])
        return checked.inputs

    def _diff(self, case: _Case, old: ResourceState) -> Diff:
        goal, new = case.goal, case.new
        if not self._run.preview and has_unknown(goal.replacement_trigger):
            raise RefusedError(f"replacement trigger contains unknowns for {new.urn}: only a preview may hold them")
        wanted = forced(
            old, goal, self._replaced, provider_replaced=lambda: self._provider_replaced(old, new), asked_for=case.replaced
        )
        if wanted is not None:
            return wanted
        if case.provider is None:
            diff = compare(old.inputs, new.inputs)
        else:
            diff = case.provider.diff(identity(old, urn=new.urn, ignore_changes=goal.ignore_changes), new.inputs)
            if not case.provider.known:
                self._run.log("warning", UNASKED, new.urn)
        return with_replacements(diff, goal.replace_on_changes, init_errors=bool(old.init_errors))

    def _provider_replaced(self, old: ResourceState, new: ResourceState) -> bool:
        if old.provider == new.provider:
            return False
        if not old.provider or not new.provider:
            return True
        if self._identities.adopted.get(new.provider_urn) == old.provider_urn:
            return False
        before, now = self._ledger.live.get(old.provider_urn), self._identities.registered.get(new.provider_urn)
        if before is None or now is None:
            return False
        # The *new* provider decides whether it can manage the old provider's objects.
        return self._run.registry.diff_config(new.provider, now.inputs, before).wants_replacement

    # Steps -----------------------------------------------------------------------------------------------------------

    def _steps(self, decision: Decision, case: _Case, diff: Diff) -> list[EngineStep]:
        before: list[EngineStep] = []
        if decision in REPLACING and case.old is not None:
            before = self._prepare_replacement(decision, case, case.old, diff)
        if decision is Decision.RECREATE:
            self._deleted.discard(case.new.urn)
            self._replaced.add(case.new.urn)
        keep = decision in KEEPS_OLD
        return before + [
            EngineStep(
                op=op,
                old=case.old,
                new=None if op is StepOp.DELETE_REPLACED else case.new,
                keep_old=keep,
                before_replace=not keep,
                diff=diff,
            )
            for op in STEPS[decision]
        ]

    def _prepare_replacement(self, decision: Decision, case: _Case, old: ResourceState, diff: Diff) -> list[EngineStep]:
        against = objections(old, case.new, case.goal, diff, ignore_protect=self._operation.ignore_protect)
        self._object(against, case.new.urn)
        self._replaced.add(case.new.urn)
        if case.provider is not None and not case.replaced:
            # Defaults and generated names of the old object must not carry over, so Check sees the raw inputs alone.
            case.new.inputs = self._checked(case.provider, case.new, None, case.goal.inputs)
        if decision is Decision.REPLACE:
            return []
        self._run.provider(old)
        return self._delete_dependents(old, case.new.urn)

    def _object(self, against: Sequence[Objection], urn: str) -> None:
        if against and not self._run.preview:
            raise RefusedError(against[0].message)
        for objection in against:
            if objection.severity == "error":
                self._run.object(RefusedError(objection.message), urn)
            else:
                self._run.log(objection.severity, objection.message, urn)

    def _delete_dependents(self, old: ResourceState, urn: str) -> list[EngineStep]:
        steps = []
        for resource in reversed(self.dependents.of(old) + self.dependents.replaced_with(urn)):
            if id(resource) in self._condemned:
                continue
            if resource.protect and not resource.delete and not self._operation.ignore_protect:
                raise RefusedError(irreplaceable(resource.urn, urn))
            self._condemned.add(id(resource))
            self._deleted.add(resource.urn)
            steps.append(
                EngineStep(
                    op=StepOp.DELETE if resource.delete else StepOp.DELETE_REPLACED,
                    old=resource,
                    before_replace=not resource.delete,
                )
            )
        return steps
