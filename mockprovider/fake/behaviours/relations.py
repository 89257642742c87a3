"""Relations between objects: those that need others, and those that others need."""

from __future__ import annotations

from msgspec import Struct

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.document import Word
from mockprovider.fake.behaviours.world import World, refused
from mockprovider.paths import show
from mockprovider.values import Value, has_unknown, reveal

SHOWN = 3
"""The largest number of ids in a message."""


class Holds(Struct, frozen=True, tag_field="kind", tag="holds"):
    """Delete fails while objects of ``type`` have this object's ``of`` in their property ``by``: a bucket that is not empty."""

    type: Word
    by: Word
    of: Word = "id"

    @property
    def uses(self) -> tuple[str, ...]:
        """The properties that it needs."""
        return () if self.of == "id" else (self.of,)

    def __call__(self, call: Call, proceed: Handler, world: World) -> Reply:
        """Refuse the call, or pass it on."""
        stored = world.found(call) if call.op is Op.DELETE else None
        if stored is None:
            return proceed(call)
        key = stored.id if self.of == "id" else stored.get(self.of)
        held = [other.id for other in world.cloud.listed(self.type) if key in _several(other.get(self.by))]
        if not held:
            return proceed(call)
        some = ", ".join(held[:SHOWN]) + (", ..." if len(held) > SHOWN else "")
        reason = f"NotEmpty: {world.type} {call.id!r} still holds {len(held)} of {self.type} ({some}). Delete them first."
        return refused(reason, "failed_precondition")


class References(Struct, frozen=True, tag_field="kind", tag="references"):
    """Create and update fail unless an object of ``type`` exists whose ``to`` is the value of the property ``name``.

    Each element of a list must have such an object.
    """

    name: Word
    type: Word
    to: Word = "id"

    @property
    def uses(self) -> tuple[str, ...]:
        """The properties that it needs."""
        return (self.name,)

    def __call__(self, call: Call, proceed: Handler, world: World) -> Reply:
        """Refuse the call, or pass it on."""
        if call.op not in (Op.CREATE, Op.UPDATE) or call.preview:
            return proceed(call)
        wanted = (call.inputs or {}).get(self.name)
        there = [other.id if self.to == "id" else other.get(self.to) for other in world.cloud.listed(self.type)]
        for key in () if has_unknown(wanted) else _several(wanted):
            if key not in there:
                reason = f"NotFound: {self.name} of {world.type} names {self.type} {key!r}, which is not there."
                return refused(reason, "not_found", show((self.name,)))
        return proceed(call)


def _several(value: Value) -> list[Value]:
    plain = reveal(value)
    return list(plain) if isinstance(plain, (list, tuple)) else [] if plain is None else [plain]
