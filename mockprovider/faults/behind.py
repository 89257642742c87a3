"""What happens behind the engine's back: the object changes in the cloud, right before or after a call about it."""

from __future__ import annotations

from typing import ClassVar

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.cloud import Cloud
from mockprovider.faults.fault import Fault, FaultWorld


class Behind(Fault, frozen=True):
    """Somebody else is at work on the object, if it exists."""

    of_the_fake: ClassVar[bool] = True
    idle_in_previews: ClassVar[frozenset[Op]] = frozenset({Op.CREATE})

    def happen(self, cloud: Cloud, type_: str, id_: str) -> None:
        """What somebody does to it."""
        raise NotImplementedError

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:
        """Have it happen, and go on; where the call itself makes the object, right after it."""
        reply = proceed(call) if not call.id else None
        id_ = call.id or (reply.id if reply else "")
        if world.cloud is not None and world.cloud.read(call.type, id_) is not None:
            self.happen(world.cloud, call.type, id_)
        return proceed(call) if reply is None else reply
