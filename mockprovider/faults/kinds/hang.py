"""The call is not answered until somebody ends it.

An API that accepts a connection and never answers stops a deployment until somebody ends it. What the engine does when it is
asked to stop meanwhile decides whether the object is remembered.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.faults.ending import Later, stopped
from mockprovider.faults.fault import WAITING, Fault, FaultWorld, Phase


class Hang(Fault, frozen=True, tag="hang"):
    """The call hangs. No clock moves: it ends when the engine is cancelled or dies, or at the driver's limit.

    Args:
        then: what becomes of it when the engine asks the provider to stop. ``obey`` ends it with a failure, with what was made;
            ``forget`` with the failure alone; ``finish`` answers as if nothing had been asked; ``ignore`` goes on hanging until
            the double closes.
        late: how many seconds of the double's clock later it does that.
    """

    then: Literal["obey", "forget", "finish", "ignore"] = "obey"
    late: Later = 0.0

    phases: ClassVar[tuple[Phase, ...]] = WAITING

    @property
    def hangs(self) -> bool:
        """It does."""
        return True

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:
        """Hang."""
        # A call that is Cancel itself has set that event already.
        then = "ignore" if call.op is Op.CANCEL else self.then
        if then != "ignore":
            call.session.cancelled.wait()
        return stopped(then, self.late, call, proceed, world)
