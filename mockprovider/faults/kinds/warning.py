"""The provider does what was asked, and warns.

Deprecations and values that will be ignored are warnings, and a run that has some has succeeded.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.faults.fault import ANSWERS, REASON, Fault, FaultWorld, Phase


class Warned(Fault, frozen=True, tag="warning"):
    """Terraform's answer has a warning beside its value. Pulumi's protocol has no warnings: there it is a line of the log.

    Args:
        reason: what the user is shown.
    """

    reason: str = REASON

    ops: ClassVar[frozenset[Op]] = ANSWERS
    phases: ClassVar[tuple[Phase, ...]] = (Phase.REPLY,)

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:  # noqa: ARG002 - as all faults
        """Warn."""
        reply = proceed(call)
        if call.session.engine is not None:
            call.session.engine.log("warning", self.reason, call.urn)
        return replace(reply, warnings=(*reply.warnings, self.reason), native=None, stream=None)
