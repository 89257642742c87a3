"""The engine is interrupted.

This is Ctrl-C, or the end of a CI job, in the middle of a create. What was under way is lost unless the provider answers with
what it has made so far and the engine waits for that answer.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from mockprovider.calls import Call, Handler, Reply
from mockprovider.faults.ending import Later, stopped
from mockprovider.faults.fault import WAITING, Fault, FaultWorld, Phase

NOTICED = 5.0
"""Seconds within which an engine asks the provider to stop, if it does: Terraform in the plan of an apply does not."""


class Cancel(Fault, frozen=True, tag="cancel"):
    """The engine is interrupted at this call, as by Ctrl-C, and asks the provider to stop.

    Args:
        times: 2 for a second interrupt, which ends the engine at once.
        signal: ``interrupt`` is Ctrl-C, ``terminate`` what a service manager sends; the embedded engine has one way to be
            cancelled.
        then: what the provider does. ``obey`` ends the call with a failure, with what was made; ``forget`` with the failure
            alone; ``finish`` answers as if nothing had been asked; ``ignore`` does not answer until the double closes.
        late: how many seconds of the double's clock later it does that.
    """

    times: Literal[1, 2] = 1
    signal: Literal["interrupt", "terminate"] = "interrupt"
    then: Literal["obey", "forget", "finish", "ignore"] = "obey"
    late: Later = 0.0

    phases: ClassVar[tuple[Phase, ...]] = WAITING

    @property
    def hangs(self) -> bool:
        """It does where the provider ignores the engine."""
        return self.then == "ignore"

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:
        """Interrupt it, wait until it has asked to stop, and do what the provider does then."""
        for _ in range(self.times):
            world.engine.interrupt(call, self.signal)
            call.session.cancelled.wait(NOTICED)
        return stopped(self.then, self.late, call, proceed, world)
