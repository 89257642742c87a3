"""Visibility: reads do not see a new object at once."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.errors import DefinitionError
from mockprovider.fake.behaviours.world import READS, World

UNSEEN = "unseen"
"""The note that counts the reads that will still not find the object."""


class Eventual(Struct, frozen=True, tag_field="kind", tag="eventual"):
    """The first ``reads`` reads after create do not find the object: eventual consistency."""

    reads: Annotated[int, Meta(extra_json_schema={"minimum": 1})] = 1

    def __post_init__(self) -> None:
        if self.reads < 1:
            raise DefinitionError(f"Eventual(reads={self.reads}) hides nothing. Give at least 1, or leave it out.")

    def __call__(self, call: Call, proceed: Handler, world: World) -> Reply:
        """Answer that there is no object, or pass the call on."""
        if call.op in READS:
            with world.cloud.transaction():
                left = world.cloud.noted(world.type, call.id, UNSEEN) or 0
                if left:
                    world.cloud.note(world.type, call.id, UNSEEN, left - 1)
                    return Reply()
        reply = proceed(call)
        if call.op is Op.CREATE and reply.id:
            world.cloud.note(world.type, reply.id, UNSEEN, self.reads)
        return reply
