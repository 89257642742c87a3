"""What exists is read into the state: before the program, or after it what it has not registered."""

from __future__ import annotations

from mockprovider.engine.operations.course import Course
from mockprovider.engine.registrations.decision import StepOp
from mockprovider.engine.steps.kinds import EXPECTED, EngineStep
from mockprovider.engine.steps.planner import Planner
from mockprovider.engine.targets import Targets
from mockprovider.pulumi.stacks.state import ResourceState


def refresh(course: Course, *, flagged_only: bool, program_follows: bool) -> None:
    """Read every resource of the state, or those with ``refreshBeforeUpdate``. A failure does not stop the others."""
    targets = Targets(course.operation.scope, through_providers=False)
    remembered = [resource.urn for resource in course.ledger.base]
    operation = course.operation
    if program_follows and not (operation.only_refresh or operation.destroying):
        looking = not flagged_only or any(resource.refresh_before_update for resource in course.ledger.base)
        missing = targets.missing_already(remembered, refreshing=bool(remembered) and looking)
    else:
        missing = targets.missing(remembered) if not flagged_only else []
    if course.refuse_missing(missing):
        course.cut_short = True
        course.stop()
        return
    if operation.program_refreshes:
        return
    flagged = [resource for resource in course.ledger.base if resource.refresh_before_update or not flagged_only]
    chosen = [resource for resource in flagged if targets.include(resource) and not resource.view_of]
    # As in the real engine, nobody starts the providers of what is only reached by way of a target.
    if not flagged or not course.ensure_providers([resource for resource in chosen if targets.names(resource.urn)]):
        return
    for resource in chosen:
        if course.called_off:
            break
        _refresh_one(course, resource, known=targets.names(resource.urn))
    course.ledger.rebase()


def refresh_leftovers(course: Course, planner: Planner) -> None:
    """Read what the program has not registered, once it has ended."""
    targets = Targets(course.operation.scope)
    if course.stopped or course.refuse_missing(targets.missing([resource.urn for resource in course.ledger.base])):
        return
    # Views are read with their owners.
    left = (resource for resource in course.ledger.leftovers() if not resource.view_of)
    unseen = [resource for resource in left if not planner.has_seen(resource.urn)]
    chosen = [resource for resource in unseen if targets.names(resource.urn) and not targets.excludes(resource.urn)]
    if not course.ensure_providers(chosen):
        return
    for resource in chosen:
        if course.called_off:
            break
        _refresh_one(course, resource, known=True)
    course.ledger.rebuild()


def _refresh_one(course: Course, old: ResourceState, *, known: bool) -> None:
    try:
        if not known and old.custom and not old.is_provider:
            course.registry.loaded(old)
        course.execute(EngineStep(op=StepOp.REFRESH, old=old))
    except EXPECTED as error:
        course.fail(error, old.urn, of_step=True)
