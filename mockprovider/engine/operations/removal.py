"""The end of an operation: what has to go is deleted, dependents before what they depend on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from mockprovider.engine.operations.course import Course
from mockprovider.engine.registrations.decision import RefusedError, StepOp, deletion
from mockprovider.engine.registrations.wording import RUN_PROGRAM, hooks_without_program, unasked_for
from mockprovider.engine.state.graph import deletion_batches, staying, transitive_dependencies
from mockprovider.engine.steps.kinds import EXPECTED, EngineStep
from mockprovider.engine.steps.planner import Planner
from mockprovider.engine.targets import Targets
from mockprovider.engine.threads import executor
from mockprovider.pulumi.stacks.state import ResourceState, copied

TOGETHER = 16
"""How many deletions the CLI has under way at once, more or less, unless it is told how many."""


class Workers(NamedTuple):
    """So many deletions run at once, in ``parallel``; so many count as begun ``together``, of which one that fails holds back
    none of the others.
    """

    parallel: int
    together: int


def delete_leftovers(
    course: Course, planner: Planner, held: Collection[int], errored: Sequence[ResourceState], workers: Workers
) -> None:
    """Delete what the program no longer has (everything, if there was no program).

    ``held`` are the identities (``id()``) of old resources that stay, because their registration failed or was skipped. What
    the ``errored`` ones need, whose steps failed, is spared.
    """
    if course.stopped:
        return
    targets = Targets(course.operation.scope)
    known = [*(resource.urn for resource in course.ledger.base), *planner.seen]
    if course.refuse_missing(targets.missing(known)) and not planner.seen:
        return
    if not course.ledger.base:
        # As in the real engine, a destroy of an empty stack also leaves what its program has registered.
        return
    condemned = _condemned(course, planner, targets, held)
    if course.stopped or not course.ensure_providers(condemned) or not _allowed(course, condemned):
        return
    course.deleted = planner.deleted | {resource.urn for resource in condemned}
    base, ledger, ours = course.ledger.base, course.ledger, planner.revisiting.to_delete
    running = course.operation.destroying or course.operation.refreshing
    whole = ledger.remaining(ours) if running else base

    def needs(resource: ResourceState) -> set[int]:
        if any(resource is registered for registered in ours):
            # Of what the program has registered, only what it needs now counts.
            return transitive_dependencies(ours, resource)
        if course.operation.refreshing:
            # What was reread has the program's dependencies now, but it spares what it needed before.
            return transitive_dependencies(base, ledger.origin(resource))
        # What is left over spares none of that in the real engine, and its state breaks, unless nothing is deleted.
        harmless = {id(registered) for registered in ours if course.preview or registered.protect}
        return transitive_dependencies(whole, resource) - harmless

    def needs_still(resource: ResourceState) -> set[int]:
        # As in the real engine, the old instance of what was reread keeps nothing if it cannot be deleted.
        return set() if ledger.origin(resource) is not resource else needs(resource)

    removal = Removal(whole, lambda resource: _delete(course, resource), needs_still, workers)
    spared = {needed for resource in errored for needed in needs(resource)}
    removal.carry_out(condemned, lambda: course.stopped, spared)


def refuse_destroy(course: Course, *, runs_program: bool) -> bool:
    """Refuse, before anything is asked, targets that the state does not have, and to delete without the program what has
    hooks for its deletion, be it a target or not. Returns whether there is any.
    """
    for message in Targets(course.operation.scope).missing([resource.urn for resource in course.ledger.base]):
        course.fail(RefusedError(message))
    if course.failed:
        return True
    for resource in () if runs_program else course.ledger.base:
        names = [*resource.resource_hooks.get("BeforeDelete", ()), *resource.resource_hooks.get("AfterDelete", ())]
        if names:
            course.fail(RefusedError(hooks_without_program(names)), resource.urn)
    if course.failed:
        course.object(RefusedError(RUN_PROGRAM))
    return course.failed


def finish_plan(course: Course) -> None:
    """If all went well, refuse what an update plan expected and did not see."""
    for urn, message in () if course.failed or course.stopped else course.plans.unseen([old.urn for old in course.ledger.base]):
        course.fail(RefusedError(message), urn)


def _allowed(course: Course, condemned: Sequence[ResourceState]) -> bool:
    """Whether the update plan, if any, allows to delete ``condemned``, the last one first, as the real engine asks."""
    doomed = {id(resource) for resource in condemned}
    last_first = [resource for resource in reversed(course.ledger.base) if id(resource) in doomed]
    try:
        course.plans.admit(EngineStep(op=deletion(resource), old=resource) for resource in last_first)
    except RefusedError as error:
        course.fail(error)
        return False
    return True


def _condemned(course: Course, planner: Planner, targets: Targets, held: Collection[int]) -> list[ResourceState]:
    """The leftovers to delete: with targets, only these and the resources that cannot stay without them."""
    leftovers = [
        resource
        for resource in course.ledger.leftovers()
        # What was deleted before a replacement, and is marked for deletion since then, is gone already.
        # Views go with their owners.
        if (id(resource) not in held or resource.delete)
        and not resource.view_of
        and not (resource.delete and planner.has_deleted(resource))
    ]
    # What failed to be registered is deleted as well, but without an id nothing can be: the real engine crashes.
    ours = [resource for resource in planner.revisiting.to_delete if resource.id or not resource.custom]
    if targets.excluding:
        # As in the real engine, what has nothing but old instances is not spared.
        spared = course.ledger.live.keys() & staying(course.ledger.base, targets.excludes, dependents=targets.dependents)
        return _without(course, planner, leftovers, spared) + [resource for resource in ours if resource.urn not in spared]
    if not targets.constrained:
        return leftovers + ours
    try:
        going = planner.dependents.going_with(targets)
    except EXPECTED as error:
        # Providers are asked what goes along, and may fail.
        course.fail(error)
        return []
    doomed = [resource for resource in leftovers + ours if resource.urn in going]
    # As in the real engine, their providers are started before a deletion that was not asked for is refused.
    if not course.ensure_providers(doomed):
        return []
    unasked = [] if targets.dependents else [resource for resource in doomed if not targets.names(resource.urn)]
    for resource in unasked:
        course.object(RefusedError(unasked_for(resource.urn)), resource.urn)
    if unasked and not course.operation.preview:
        course.stop()
        return []
    going_too = [resource for resource in ours if resource.urn in going]
    return _without(course, planner, leftovers, {resource.urn for resource in leftovers} - going) + going_too


def _without(course: Course, planner: Planner, leftovers: Sequence[ResourceState], spared: set[str]) -> list[ResourceState]:
    """The leftovers without the spared ones, which get a ``same`` step, except for old instances of what is registered."""
    for resource in leftovers:
        if resource.urn in spared and not (resource.delete and planner.has_seen(resource.urn)):
            step = EngineStep(op=StepOp.SAME, old=resource, new=copied(resource), passed_over=True)
            course.plans.admit([step])
            course.execute(step)
    return [resource for resource in leftovers if resource.urn not in spared]


def _delete(course: Course, old: ResourceState) -> bool:
    if course.called_off:
        return False
    try:
        course.execute(EngineStep(op=deletion(old), old=old))
    except RefusedError as error:
        # Nothing was changed yet, so the deletions go on, and one run reports all protected resources.
        course.object(error, old.urn, of_step=True)
        return False
    except EXPECTED as error:
        course.blame(error, old.urn)
        return False
    return True


class Removal:
    """Deletes resources of the state ``base`` in batches. ``delete`` says whether one is gone, and ``needs`` the identities
    (``id()``) of what a resource needs.
    """

    def __init__(
        self,
        base: Sequence[ResourceState],
        delete: Callable[[ResourceState], bool],
        needs: Callable[[ResourceState], set[int]],
        workers: Workers,
    ) -> None:
        self._base = base
        self._delete = delete
        self._needs = needs
        self._workers = workers

    def carry_out(self, condemned: Sequence[ResourceState], stopped: Callable[[], bool], spared: Collection[int] = ()) -> None:
        """Delete ``condemned``, except for the ``spared`` (by ``id()``), until ``stopped``. What fails spares what it needs."""
        spared = set(spared)
        for batch in deletion_batches(self._base, condemned):
            for resource in self._failures([resource for resource in batch if id(resource) not in spared], stopped):
                spared |= self._needs(resource)
            if stopped():
                return

    def _failures(self, batch: Sequence[ResourceState], stopped: Callable[[], bool]) -> list[ResourceState]:
        # Several old instances of one resource go one after the other: no provider is called for one URN twice at once.
        instances: dict[str, list[ResourceState]] = defaultdict(list)
        for resource in batch:
            instances[resource.urn].append(resource)

        def undeleted(place: int, olds: Sequence[ResourceState]) -> list[ResourceState]:
            begun = place < self._workers.together
            return [
                resource
                for number, resource in enumerate(olds)
                if (stopped() and (number or not begun)) or not self._delete(resource)
            ]

        with executor(min(self._workers.parallel, len(instances)) or 1) as pool:
            failures = list(pool.map(undeleted, range(len(instances)), instances.values()))
        return [resource for failed in failures for resource in failed]
