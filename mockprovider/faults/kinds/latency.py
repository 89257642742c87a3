"""The call takes its time, on the double's clock.

Databases and clusters take most of an hour. The time is the double's: a create of 45 minutes takes milliseconds, and fails
where the operation's timeout is shorter.
"""

from __future__ import annotations

from typing import ClassVar

from mockprovider.calls import Call, Handler, Reply
from mockprovider.durations import shown
from mockprovider.faults.ending import Seconds, waited
from mockprovider.faults.fault import WAITING, Fault, FaultWorld, Phase


class Latency(Fault, frozen=True, tag="latency"):
    """The call takes ``seconds`` of the double's clock, which moves without waiting unless it was given another one.

    The call ends when its timeout is over: that of Pulumi's ``customTimeouts`` or Terraform's block ``timeouts``, else the
    declared type's. It ends at once when the engine asks the provider to stop. Both are failures, and what was done by then is
    reported with them.

    Args:
        seconds: how long.
        reason: what the provider says when the timeout is over, instead of Go's "context deadline exceeded".
    """

    seconds: Seconds
    reason: str = ""

    phases: ClassVar[tuple[Phase, ...]] = WAITING

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:
        """Wait, and go on."""

        def late(limit: float) -> str:
            takes = f"{call.op.value} takes {shown(self.seconds)}, and its timeout is {shown(limit)}"
            return self.reason or f"context deadline exceeded: {takes}"

        return waited(self.seconds, late, call, world) or proceed(call)
