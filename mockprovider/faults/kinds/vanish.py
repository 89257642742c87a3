"""Somebody deletes an object behind the engine's back.

Somebody deletes an object in the console, or a lifetime is over. A delete that finds nothing must be no failure.
"""

from __future__ import annotations

from typing import ClassVar

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.faults.fault import OBJECTS, Fault, FaultWorld, Phase


class Vanish(Fault, frozen=True, tag="vanish"):
    """Somebody deletes the object behind the engine's back, right before or after this call."""

    ops: ClassVar[frozenset[Op]] = OBJECTS
    phases: ClassVar[tuple[Phase, ...]] = (Phase.BEFORE, Phase.AFTER)
    of_the_fake: ClassVar[bool] = True
    idle_in_previews: ClassVar[frozenset[Op]] = frozenset({Op.CREATE})

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:
        """Remove the object, and go on."""
        reply = proceed(call) if not call.id else None
        id_ = call.id or (reply.id if reply else "")
        if world.cloud is not None and world.cloud.read(call.type, id_) is not None:
            world.cloud.vanish(call.type, id_)
        return proceed(call) if reply is None else reply
