"""The phase before the program: what exists is read into the state."""

from __future__ import annotations

from mockprovider.engine.course import EXPECTED, Course
from mockprovider.engine.decision import StepOp
from mockprovider.engine.steps import EngineStep
from mockprovider.engine.targets import Targets
from mockprovider.pulumi.state import ResourceState


def refresh(course: Course, *, flagged_only: bool, program_follows: bool) -> None:
    """Read every resource of the state, or those with ``refreshBeforeUpdate``. A failure does not stop the others."""
    targets = Targets(course.operation.scope, through_providers=False)
    remembered = [resource.urn for resource in course.ledger.base]
    if program_follows:
        missing = targets.missing_already(remembered, refreshing=bool(remembered) and not flagged_only)
    else:
        missing = [] if flagged_only else targets.missing(remembered)
    if course.refuse_missing(missing):
        course.stop()
        return
    flagged = [resource for resource in course.ledger.base if resource.refresh_before_update or not flagged_only]
    chosen = [resource for resource in flagged if targets.include(resource)]
    # As in the real engine, nobody starts the providers of what is only reached by way of a target.
    if not flagged or not course.ensure_providers([resource for resource in chosen if targets.names(resource.urn)]):
        return
    for resource in chosen:
        if course.called_off:
            break
        _refresh_one(course, resource, known=targets.names(resource.urn))
    course.ledger.rebase()


def _refresh_one(course: Course, old: ResourceState, *, known: bool) -> None:
    try:
        if not known and old.custom and not old.is_provider:
            course.registry.loaded(old)
        course.execute(EngineStep(op=StepOp.REFRESH, old=old))
    except EXPECTED as error:
        course.fail(error, old.urn)
