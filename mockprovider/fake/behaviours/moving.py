"""Properties that the cloud changes itself, at every write or also at every read."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec import Struct

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.document import Word
from mockprovider.fake.behaviours.world import READS, World, given, unsettled
from mockprovider.values import Value


class Revision(Struct, frozen=True, tag_field="kind", tag="revision"):
    """The property ``name`` counts writes from 1, with ``reads`` also reads."""

    name: Word = "version"
    reads: bool = False

    @property
    def sets(self) -> tuple[str, ...]:
        """The properties whose value is the behaviour's."""
        return (self.name,)

    def __call__(self, call: Call, proceed: Handler, world: World) -> Reply:
        """Count the call, and pass it on."""
        stored = world.found(call)
        return _moved(call, proceed, world, self.name, (stored.get(self.name) or 0) + 1 if stored else 1, reads=self.reads)


class Modified(Struct, frozen=True, tag_field="kind", tag="modified"):
    """The property ``name`` is the time of the last write (with ``reads``: or read), in UTC by the clock, as ISO 8601."""

    name: Word = "lastModified"
    reads: bool = False

    @property
    def sets(self) -> tuple[str, ...]:
        """The properties whose value is the behaviour's."""
        return (self.name,)

    def __call__(self, call: Call, proceed: Handler, world: World) -> Reply:
        """Set the time, and pass the call on."""
        now = datetime.fromtimestamp(world.clock.now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return _moved(call, proceed, world, self.name, now, reads=self.reads)


def _moved(call: Call, proceed: Handler, world: World, name: str, value: Value, *, reads: bool) -> Reply:
    if call.op in (Op.CREATE, Op.UPDATE) and not call.preview:
        return proceed(given(call, **{name: value}))
    if reads and call.op in READS:
        world.cloud.settle(world.type, call.id, **{name: value})
    return unsettled(call, proceed(call), (name,))
