"""Slowness: what takes time, and more of it than it may."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import Call, Failure, Handler, Op, Reply
from mockprovider.errors import DefinitionError
from mockprovider.fake.behaviours.world import Seconds, World


class Slow(Struct, frozen=True, tag_field="kind", tag="slow"):
    """Each op takes so many seconds of the clock. One that takes longer than its timeout fails when that is over, and one
    during which the engine asks the provider to stop fails at once, with the status ``cancelled``.

    The timeout is what the engine says, else the type's ``timeouts``, else there is none. What a create or an update was about
    is done all the same: the failure comes with the object's state, so that the engine knows of it.
    """

    create: Seconds = 0.0
    read: Seconds = 0.0
    update: Seconds = 0.0
    delete: Seconds = 0.0

    def __post_init__(self) -> None:
        if min(self.create, self.read, self.update, self.delete) < 0:
            raise DefinitionError(f"{self!r} takes less than no time. Give seconds of at least 0.")

    def __call__(self, call: Call, proceed: Handler, world: World) -> Reply:
        """Let time pass, and pass on."""
        seconds: float = getattr(self, call.op.value, 0.0) if call.op in TIMED and not call.preview else 0.0
        wrong = _waited(call, world, seconds) if seconds else None
        if wrong is None:
            return proceed(call)
        if call.op in (Op.READ, Op.DELETE):
            return Reply(failures=(wrong,))
        reply = proceed(call)
        return replace(reply, failures=(*reply.failures, wrong))


TIMED = frozenset({Op.CREATE, Op.READ, Op.UPDATE, Op.DELETE})


def _waited(call: Call, world: World, seconds: float) -> Failure | None:
    """Let ``seconds`` pass: why the call fails, if it was called off or took too long."""
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
