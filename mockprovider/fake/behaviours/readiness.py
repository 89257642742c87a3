"""Readiness: an object exists at once, but is ready later."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.document import Count, Word
from mockprovider.errors import DefinitionError
from mockprovider.fake.behaviours.world import READS, Seconds, World, given, refused, unsettled
from mockprovider.values import Value

REFUSABLE = ["update", "delete"]


class Pending(Struct, frozen=True, tag_field="kind", tag="pending"):
    """A new object's property ``name`` is ``pending``, and becomes ``ready`` at the read with the number ``reads``, or after
    ``seconds`` of the clock.

    Until then the ops in ``refuses`` (``update``, ``delete``) fail. With ``updates``, each update starts over.

    Raises ``DefinitionError`` unless exactly one of ``reads`` and ``seconds`` is given.
    """

    name: Word = "status"
    pending: Word = "creating"
    ready: Word = "available"
    reads: Count = 0
    seconds: Seconds = 0.0
    refuses: tuple[Annotated[str, Meta(extra_json_schema={"enum": REFUSABLE})], ...] = ()
    updates: bool = False

    def __post_init__(self) -> None:
        if (self.reads > 0) == (self.seconds > 0):
            raise DefinitionError("Pending becomes ready after so many reads or so many seconds: give one of the two, above 0.")
        wrong = set(self.refuses) - {*REFUSABLE}
        if wrong:
            raise DefinitionError(f"Pending refuses {sorted(wrong)}: it can refuse 'update' and 'delete'.")

    @property
    def sets(self) -> tuple[str, ...]:
        """The properties that the behaviour sets."""
        return (self.name,)

    def __call__(self, call: Call, proceed: Handler, world: World) -> Reply:
        """Set ``pending`` on create, and advance on later calls."""
        if call.op is Op.CREATE and not call.preview:
            return self._begin(call, proceed, world)
        if call.op in READS:
            self._advance(call, world, read=True)
        elif call.op in (Op.UPDATE, Op.DELETE) and not call.preview:
            return self._changed(call, proceed, world)
        return unsettled(call, proceed(call), self.sets)

    def _begin(self, call: Call, proceed: Handler, world: World) -> Reply:
        reply = proceed(given(call, **{self.name: self.pending}))
        if reply.id:
            self._note(world, reply.id, 0)
        return reply

    def _changed(self, call: Call, proceed: Handler, world: World) -> Reply:
        status = self._advance(call, world, read=False)
        if status == self.pending and call.op.value in self.refuses:
            reason = f"InvalidState: {world.type} {call.id!r} is {self.pending}. Wait until it is {self.ready}."
            return refused(reason, "failed_precondition")
        if call.op is Op.DELETE:
            return proceed(call)
        reply = proceed(given(call, **{self.name: self.pending if self.updates else status}))
        if self.updates and reply.ok:
            self._note(world, call.id, 0)
        return reply

    def _note(self, world: World, id_: str, reads: int, since: float | None = None) -> None:
        began = world.clock.now() if since is None else since
        world.cloud.note(world.type, id_, self.name, {"reads": reads, "since": began})

    def _advance(self, call: Call, world: World, *, read: bool) -> Value:
        """The property's value now."""
        with world.cloud.transaction():
            stored = world.found(call)
            status = stored.get(self.name) if stored else None
            if status != self.pending:
                return status
            noted = world.cloud.noted(world.type, call.id, self.name) or {"reads": 0, "since": world.clock.now()}
            reads = noted["reads"] + read
            self._note(world, call.id, reads, noted["since"])
            late = world.clock.now() - noted["since"] >= self.seconds if self.seconds else reads >= self.reads
            if late:
                world.cloud.settle(world.type, call.id, **{self.name: self.ready})
            return self.ready if late else status
