"""From registrations to steps: Check and Diff are asked here, one registration at a time, and ``decision`` decides."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from msgspec import Struct

from mockprovider.engine.decision import (
    KEEPS_OLD,
    STEPS,
    Decision,
    Objection,
    Op,
    RefusedError,
    decide,
    forced,
    imports,
    objections,
    prepare,
)
from mockprovider.engine.goal import Goal, alias_urns, new_state
from mockprovider.engine.graph import dependents
from mockprovider.engine.instance import identity
from mockprovider.engine.state import ResourceState
from mockprovider.engine.steps import Provider, Run, Step, import_
from mockprovider.pulumi.diff import Diff, compare, with_replace_on_changes
from mockprovider.urn import make
from mockprovider.values import UNKNOWN, Value, has_unknown


class Operation(Struct, frozen=True, kw_only=True):
    """What is being run: on which stack, how, and with which chance.

    ``number`` counts the stack's operations; it and ``seed`` make the random seeds that Check is given.
    """

    project: str
    stack: str
    preview: bool = False
    seed: int = 0
    number: int = 1

    def random_seed(self, urn: str) -> bytes:
        """Check's 32 "random" bytes: fresh for each resource and operation, and the same in each run of a test."""
        return hashlib.sha256(f"{self.seed}\0{self.number}\0{self.preview}\0{urn}".encode()).digest()


class _Case(Struct):
    """A registration on its way through the planner. An import puts what it found in the place of ``old``."""

    goal: Goal
    old: ResourceState | None
    new: ResourceState
    provider: Provider | None
    recreating: bool


REPLACING = frozenset({Decision.REPLACE, Decision.DELETE_AND_REPLACE, Decision.RESUME})


class Planner:
    """Turns registrations into steps. Not safe to use from two threads at once: the engine takes one registration at a time."""

    def __init__(self, operation: Operation, run: Run) -> None:
        self._operation = operation
        self._run = run
        self._ledger = run.ledger
        self._adopted: dict[str, str] = {}
        self._planned: dict[str, ResourceState] = {}
        self._replaced: set[str] = set()
        self._deleted: set[str] = set()
        self._condemned: set[int] = set()

    @property
    def deleted(self) -> set[str]:
        """The URNs that were deleted before replacement, and not registered again yet."""
        return self._deleted

    def plan(self, goal: Goal) -> tuple[list[Step], ResourceState]:
        """The steps that ``goal`` asks for, and the state that it will be answered with once they are done.

        Raises ``RefusedError`` or ``CallFailedError``.
        """
        urn = self._urn(goal)
        old = self._old(urn, goal)
        new = new_state(goal, urn)
        new.refresh_before_update = bool(old and old.refresh_before_update)
        if new.is_provider and urn in self._adopted:
            self._run.registry.alias(urn, self._adopted[urn])
        self._planned[urn] = new
        return self._read(goal, old, new) if goal.read_id else self._register(goal, old, new)

    # Identity --------------------------------------------------------------------------------------------------------

    def _urn(self, goal: Goal) -> str:
        urn = str(make(self._operation.stack, self._operation.project, goal.parent or None, goal.type, goal.name))
        if urn in self._planned:
            raise RefusedError(f"duplicate resource URN {urn!r}: two resources of one type and parent need different names")
        if goal.parent and goal.parent not in self._planned:
            raise RefusedError(f"could not find the parent resource {goal.parent!r} of {urn!r}")
        return urn

    def _old(self, urn: str, goal: Goal) -> ResourceState | None:
        found = self._ledger.live.get(urn)
        if found is not None:
            return found
        taken = set(self._adopted.values())
        for alias in alias_urns(goal, self._operation.stack, self._operation.project, self._adopted):
            found = self._ledger.live.get(alias)
            if found is None:
                continue
            if alias in self._planned or alias in taken:
                raise RefusedError(
                    f"{urn!r} is aliased to {alias!r}, which another resource of this program is or claims to be"
                )
            self._adopted[urn] = alias
            self._ledger.rename(alias, urn)
            return found
        return None

    # Reading ---------------------------------------------------------------------------------------------------------

    def _read(self, goal: Goal, old: ResourceState | None, new: ResourceState) -> tuple[list[Step], ResourceState]:
        self._run.provider(new)
        if old is not None and not old.external and old.id != goal.read_id:
            self._replaced.add(new.urn)
            steps = [Step(op=Op.READ_REPLACEMENT, old=old, new=new, keep_old=True), Step(op=Op.REPLACE, old=old, new=new)]
            return steps, new
        return [Step(op=Op.READ, old=old, new=new)], new

    # Registering -----------------------------------------------------------------------------------------------------

    def _register(self, goal: Goal, old: ResourceState | None, new: ResourceState) -> tuple[list[Step], ResourceState]:
        case = _Case(goal, old, new, self._run.provider(new), recreating=new.urn in self._deleted)
        before = self._import(case) if imports(old, goal) else []
        self._check(case)
        diff = None
        if case.old is not None and not case.recreating and not case.old.external:
            diff = self._diff(case, case.old)
        decision = decide(case.old, goal, diff, recreating=case.recreating)
        if before and decision is Decision.SAME and case.old is not None:
            self._planned[case.old.urn] = case.old
            return before, case.old
        return before + self._steps(decision, case, diff or Diff()), case.new

    def _import(self, case: _Case) -> list[Step]:
        """Import now: Check and Diff compare with what was imported, so it cannot wait for its turn among the steps."""
        new, replacing = case.new, case.old is not None and not case.recreating
        step = Step(op=Op.IMPORT_REPLACEMENT if replacing else Op.IMPORT, old=case.old, new=new, keep_old=replacing)
        with self._ledger.under_way("" if self._run.preview else "importing", new):
            import_(self._run, step)
        done = [Step(op=step.op, old=case.old, new=new, result=step.op)]
        replaced = [Step(op=Op.REPLACE, old=case.old, new=new)] if replacing else []
        case.old, case.new = new, new_state(case.goal, new.urn)
        self._planned[new.urn] = case.new
        return done + replaced

    def _check(self, case: _Case) -> None:
        prepared = prepare(case.old, case.goal, recreating=case.recreating)
        if prepared.not_ignored:
            paths = ", ".join(prepared.not_ignored)
            self._run.log("info", f"cannot ignore changes in added or removed elements of the path: {paths}", case.new.urn)
        case.new.inputs = prepared.inputs
        if case.provider is not None:
            case.new.inputs = self._checked(case.provider, case.new, prepared.old_inputs, prepared.inputs)

    def _checked(
        self, provider: Provider, new: ResourceState, olds: dict[str, Value] | None, news: dict[str, Value]
    ) -> dict[str, Value]:
        checked = provider.check(new.urn, olds, news, self._operation.random_seed(new.urn))
        if checked.failures:
            lines = [f"{new.type}.{path}: {reason}" if path else reason for path, reason in checked.failures]
            raise RefusedError(f"resource {new.name!r} is invalid: " + "; ".join(lines))
        return checked.inputs

    def _diff(self, case: _Case, old: ResourceState) -> Diff:
        goal, new = case.goal, case.new
        if not self._run.preview and has_unknown(goal.replacement_trigger):
            raise RefusedError(f"the replacement trigger of {new.urn!r} is unknown, which only a preview may hold")
        wanted = forced(old, goal, self._replaced, provider_replaced=self._provider_replaced(old, new))
        if wanted is not None:
            return wanted
        if case.provider is None:
            diff = compare(old.inputs, new.inputs)
        else:
            diff = case.provider.diff(identity(old, urn=new.urn, ignore_changes=goal.ignore_changes), new.inputs)
        return with_replace_on_changes(diff, goal.replace_on_changes, init_errors=bool(old.init_errors))

    def _provider_replaced(self, old: ResourceState, new: ResourceState) -> bool:
        if old.provider == new.provider:
            return False
        if not old.provider or not new.provider:
            return True
        if self._adopted.get(new.provider_urn) == old.provider_urn:
            return False
        before, now = self._ledger.live.get(old.provider_urn), self._planned.get(new.provider_urn)
        if before is None or now is None:
            return False
        # The *new* provider tells whether it can go on with what the old one made.
        return self._run.registry.diff_config(new.provider, now.inputs, before).wants_replacement

    # Steps -----------------------------------------------------------------------------------------------------------

    def _steps(self, decision: Decision, case: _Case, diff: Diff) -> list[Step]:
        before: list[Step] = []
        if decision in REPLACING and case.old is not None:
            before = self._prepare_replacement(decision, case, case.old, diff)
        if decision is Decision.RECREATE:
            self._deleted.discard(case.new.urn)
            self._replaced.add(case.new.urn)
        keep = decision in KEEPS_OLD
        return before + [
            Step(
                op=op, old=case.old, new=None if op is Op.DELETE_REPLACED else case.new, keep_old=keep, before_replace=not keep
            )
            for op in STEPS[decision]
        ]

    def _prepare_replacement(self, decision: Decision, case: _Case, old: ResourceState, diff: Diff) -> list[Step]:
        self._object(objections(old, case.goal, diff), case.new.urn)
        self._replaced.add(case.new.urn)
        if case.provider is not None:
            # Defaults and generated names of the old object must not carry over, so Check sees the raw inputs alone.
            case.new.inputs = self._checked(case.provider, case.new, None, case.goal.inputs)
        if decision is Decision.REPLACE:
            return []
        self._run.provider(old)
        return self._delete_dependents(old, case.new.urn)

    def _object(self, found: Sequence[Objection], urn: str) -> None:
        if found and not self._run.preview:
            raise RefusedError(found[0].message)
        for each in found:
            if each.severity == "error":
                self._run.object(RefusedError(each.message), urn)
            else:
                self._run.log(each.severity, each.message, urn)

    def _delete_dependents(self, old: ResourceState, urn: str) -> list[Step]:
        steps = []
        for each in reversed(self._dependent_replacements(old) + self._replaced_with(urn)):
            if id(each) in self._condemned:
                continue
            if each.protect and not each.delete:
                raise RefusedError(
                    f"unable to replace resource {each.urn!r} as part of replacing {urn!r}: it is protected. "
                    "Remove `protect` from it."
                )
            self._condemned.add(id(each))
            self._deleted.add(each.urn)
            steps.append(Step(op=Op.DELETE if each.delete else Op.DELETE_REPLACED, old=each, before_replace=not each.delete))
        return steps

    def _dependent_replacements(self, root: ResourceState) -> list[ResourceState]:
        """What must be deleted before ``root`` can be: found by asking Diff with the inputs that come from it unknown."""
        found: list[ResourceState] = []
        urns = {root.urn}
        for each in dependents(self._ledger.base, root, lambda urn: urn in self._planned or urn in self._deleted):
            if each.custom and not each.external and self._goes_with(each, urns):
                found.append(each)
                urns.add(each.urn)
        return found

    def _goes_with(self, each: ResourceState, urns: set[str]) -> bool:
        if each.provider_urn in urns:
            self._run.provider(each)
            return True
        unknown = {key for key, deps in each.property_dependencies.items() if not urns.isdisjoint(deps)}
        if unknown.isdisjoint(each.inputs):
            return False
        if each.is_provider:
            self._run.registry.same(each.urn, each.id, each.inputs)
        provider = self._run.manager(each)
        inputs = {key: UNKNOWN if key in unknown else value for key, value in each.inputs.items()}
        diff = provider.diff(identity(each, ignore_changes=each.ignore_changes), inputs)
        return with_replace_on_changes(diff, each.replace_on_changes, init_errors=False).wants_replacement

    def _replaced_with(self, urn: str) -> list[ResourceState]:
        return [
            each
            for each in self._ledger.base
            if urn in each.replace_with and each.urn not in self._planned and each.urn not in self._deleted
        ]
