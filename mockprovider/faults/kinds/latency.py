"""The call takes its time, on the double's clock."""

from __future__ import annotations

from typing import ClassVar

from mockprovider.calls import Call, Handler, Reply
from mockprovider.errors import DefinitionError
from mockprovider.faults.ending import given_up
from mockprovider.faults.fault import WAITING, Fault, FaultWorld, Phase


class Latency(Fault, frozen=True, tag="latency"):
    """The call takes ``seconds`` of the double's clock, which moves without waiting unless it was given another one.

    With a timeout from the engine (Pulumi's ``customTimeouts``) the call ends when that is over; it ends at once when
    the engine asks the provider to stop. Both are failures, and what was done by then is reported with them.

    Args:
        seconds: how long.
    """

    seconds: float

    phases: ClassVar[tuple[Phase, ...]] = WAITING

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.seconds, (int, float)) or isinstance(self.seconds, bool) or not self.seconds > 0:
            raise DefinitionError(f"latency({self.seconds!r}): give seconds above 0.")

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:
        """Wait, and go on."""
        limit = call.timeout or self.seconds
        if world.clock.wait(min(self.seconds, limit), call.session.cancelled):
            return given_up(call, world, "cancelled", f"{call.op.value} was cancelled before it was done")
        if self.seconds <= limit:
            return proceed(call)
        reason = f"{call.op.value} was not done after {limit:g} s; it takes {self.seconds:g} s"
        return given_up(call, world, "deadline_exceeded", reason)
