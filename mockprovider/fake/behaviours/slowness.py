"""Slowness: what takes time, and more of it than it may."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import Call, Failure, Handler, Op, Reply
from mockprovider.errors import DefinitionError
from mockprovider.fake.behaviours.world import World


class Slow(Struct, frozen=True, tag_field="kind", tag="slow"):
    """Each op takes so many seconds of the clock. One that takes longer than its timeout fails when that is over.

    The timeout is what the engine says, else the type's ``timeouts``, else there is none. What a create or an update was about
    is done all the same: the failure comes with the object's state, so that the engine knows of it.
    """

    create: float = 0.0
    read: float = 0.0
    update: float = 0.0
    delete: float = 0.0

    def __post_init__(self) -> None:
        if min(self.create, self.read, self.update, self.delete) < 0:
            raise DefinitionError(f"{self!r} takes less than no time. Give seconds of at least 0.")

    def __call__(self, call: Call, proceed: Handler, world: World) -> Reply:
        """Let time pass, and pass on."""
        seconds: float = getattr(self, call.op.value, 0.0) if call.op in TIMED and not call.preview else 0.0
        limit = world.timeout(call)
        if not limit or seconds <= limit:
            if seconds:
                world.clock.sleep(seconds)
            return proceed(call)
        world.clock.sleep(limit)
        late = Failure(
            f"Timeout: {call.op.value} of {world.type} was not done after {limit:g} s.",
            status="deadline_exceeded",
            detail=f"It takes {seconds:g} s. Raise the timeout, or look whether it is done later.",
        )
        if call.op in (Op.READ, Op.DELETE):
            return Reply(failures=(late,))
        reply = proceed(call)
        return replace(reply, failures=(*reply.failures, late))


TIMED = frozenset({Op.CREATE, Op.READ, Op.UPDATE, Op.DELETE})
