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
    chosen = [resource for resource in flagged if targets.include(resource) and not resource.view_of]
    if not chosen or not course.ensure_providers(chosen):
        return
    for resource in chosen:
        if course.called_off:
            break
        _refresh_one(course, resource)
    course.ledger.rebase()


def _refresh_one(course: Course, old: ResourceState) -> None:
    try:
        course.execute(EngineStep(op=StepOp.REFRESH, old=old))
    except EXPECTED as error:
        course.fail(error, old.urn)
