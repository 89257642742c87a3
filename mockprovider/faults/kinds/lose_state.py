"""The engine cannot write its state.

A disk is full, or the state's backend is down, after objects were made. The engine has to say what it could not write, and
its user has to bring that back.
"""

from __future__ import annotations

from typing import ClassVar

from mockprovider.calls import Call, Handler, Reply
from mockprovider.faults.fault import Fault, FaultWorld, Phase


class LoseState(Fault, frozen=True, tag="lose_state"):
    """From this call on the engine cannot write its state, as on a full disk. The call itself is answered.

    A command line may write no file any more until it ends, its own log and cache included (only Linux can do that to a
    process); what it prints is not lost, unless that goes to a file. ``pulumi`` tries again for a minute before it gives up.
    """

    phases: ClassVar[tuple[Phase, ...]] = (Phase.BEFORE, Phase.AFTER)

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:
        """Fill the disk, and go on."""
        world.engine.lose_state(call)
        return proceed(call)
