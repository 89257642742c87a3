"""Protection against deletion."""

from __future__ import annotations

from msgspec import Struct

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.document import Word
from mockprovider.fake.behaviours.world import World, refused


class Protected(Struct, frozen=True, tag_field="kind", tag="protected"):
    """Delete fails while the object's property ``name`` is true; an update can switch it off."""

    name: Word = "deletionProtection"

    @property
    def uses(self) -> tuple[str, ...]:
        """The properties that it needs."""
        return (self.name,)

    def __call__(self, call: Call, proceed: Handler, world: World) -> Reply:
        """Refuse the call, or pass it on."""
        stored = world.found(call) if call.op is Op.DELETE else None
        if stored is None or stored.get(self.name) is not True:
            return proceed(call)
        reason = f"DeletionProtected: {world.type} {call.id!r} stays while {self.name} is true. Switch that off first."
        return refused(reason, "failed_precondition")
