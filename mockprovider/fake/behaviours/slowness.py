"""Slowness: ops that take time, and may exceed their timeout."""

from __future__ import annotations

from math import inf

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import Call, Failure, Handler, Op, Reply
from mockprovider.errors import DefinitionError
from mockprovider.fake.behaviours.world import Seconds, World


class Slow(Struct, frozen=True, tag_field="kind", tag="slow"):
    """Each op takes that many seconds of the clock. It fails when its timeout is over, or at once, with the status
    ``cancelled``, when the engine asks the provider to stop.

    The timeout is the engine's, else the type's; without either there is none. A create or an update is done all the same: the
    failure comes with the object's state, so that the engine knows the object.
    """

    create: Seconds = 0.0
    read: Seconds = 0.0
    update: Seconds = 0.0
    delete: Seconds = 0.0

    def __post_init__(self) -> None:
        if not all(0 <= seconds < inf for seconds in (self.create, self.read, self.update, self.delete)):
            raise DefinitionError(f"{self!r} takes no time that there is. Give seconds, 0 or more.")

    def __call__(self, call: Call, proceed: Handler, world: World) -> Reply:
        """Wait, and pass the call on."""
        seconds: float = getattr(self, call.op.value, 0.0) if not call.preview else 0.0
        wrong = _waited(call, world, seconds) if seconds else None
        if wrong is None:
            return proceed(call)
        if call.op in (Op.READ, Op.DELETE):
            return Reply(failures=(wrong,))
        reply = proceed(call)
        return replace(reply, failures=(*reply.failures, wrong))


def _waited(call: Call, world: World, seconds: float) -> Failure | None:
    """Wait for ``seconds``; the failure, if the call was cancelled or took too long."""
    limit = world.timeout(call)
    if world.clock.wait(min(seconds, limit or seconds), call.session.cancelled):
        reason = f"Cancelled: {call.op.value} of {world.type} was not done when the engine asked to stop."
        return Failure(reason, status="cancelled", detail="Look with a refresh whether it was done all the same.")
    if not limit or seconds <= limit:
        return None
    return Failure(
        f"Timeout: {call.op.value} of {world.type} was not done after {limit:g} s.",
        status="deadline_exceeded",
        detail=f"It takes {seconds:g} s. Raise the timeout, or look whether it is done later.",
    )
