"""Quotas: how many objects there may be."""

from __future__ import annotations

from msgspec import Struct

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.errors import DefinitionError
from mockprovider.fake.behaviours.world import World, check_status, refused


class Quota(Struct, frozen=True, tag_field="kind", tag="quota"):
    """At most ``most`` objects of the type, or with ``everywhere`` of all types: create fails beyond, with ``status``.

    Others wait while it counts and creates, so behaviours that take time belong before it.
    """

    most: int
    everywhere: bool = False
    status: str = "resource_exhausted"

    def __post_init__(self) -> None:
        check_status(self.status)
        if self.most < 0:
            raise DefinitionError(f"A quota of {self.most} is below 0. Count from 0.")

    def __call__(self, call: Call, proceed: Handler, world: World) -> Reply:
        """Count, and create, as one."""
        if call.op is not Op.CREATE or call.preview:
            return proceed(call)
        with world.cloud.transaction():
            there = len(world.cloud.objects(None if self.everywhere else world.type))
            if there < self.most:
                return proceed(call)
        what = "objects" if self.everywhere else f"objects of {world.type}"
        return refused(f"LimitExceeded: there are {there} {what}, and the quota is {self.most}.", self.status)
