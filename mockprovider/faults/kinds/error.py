"""The provider refuses: a plain failure, with or without the effect.

Quotas, permissions and invalid values fail before anything is done. A wait that fails after the effect is the same error with
``at("after")``: the object is there, and the engine was told of a failure alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from mockprovider.calls import Call, Failure, Handler, Reply
from mockprovider.faults.ending import check_status
from mockprovider.faults.fault import REASON, Fault, FaultWorld


class Error(Fault, frozen=True, tag="error"):
    """The call fails in the protocol's own form: a status in Pulumi's, a diagnostic in Terraform's.

    Args:
        reason: what the user is shown; a diagnostic's summary.
        status: the name of the gRPC status in Pulumi's protocol; ``unknown``, as providers use, unless given.
        path: the attribute that it is about, as ``tags.name`` or ``rules[0].port``. A Pulumi Check lists such failures.
        detail: the diagnostic's second text (Terraform).
        more: further failures of the same call, as reasons.
    """

    reason: str = REASON
    status: str = ""
    path: str = ""
    detail: str = ""
    more: Sequence[str] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.status:
            check_status(self.status)

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:  # noqa: ARG002 - as all faults
        """Fail. After the effect, the object exists and the engine learns nothing of it."""
        first = Failure(self.reason, self.path, self.status or None, self.detail)
        return Reply(failures=(first, *(Failure(reason, status=self.status or None) for reason in self.more)))
