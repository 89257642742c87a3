"""Quotas on the number of objects."""

from __future__ import annotations

from msgspec import Struct

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.cloud import Cloud
from mockprovider.document import Count
from mockprovider.errors import DefinitionError
from mockprovider.fake.behaviours.world import Status, World, check_status, refused


class Quota(Struct, frozen=True, tag_field="kind", tag="quota"):
    """Create fails with ``status`` beyond ``most`` objects of the type, or with ``everywhere`` of all types.

    It counts before the create, and again in the transaction that creates the object. So concurrent creates never exceed it,
    also in processes that share the cloud, and none of them waits. If your own function calls it, it only counts before.
    """

    most: Count
    everywhere: bool = False
    status: Status = "resource_exhausted"

    def __post_init__(self) -> None:
        check_status(self.status)
        if self.most < 0:
            raise DefinitionError(f"A quota of {self.most} is below 0. Count from 0.")

    def __call__(self, call: Call, proceed: Handler, world: World) -> Reply:
        """Refuse a create beyond the quota, or pass the call on."""
        counts = call.op is Op.CREATE and not call.preview
        return (counts and self.refusal(world.cloud, world.type)) or proceed(call)

    def refusal(self, cloud: Cloud, type_: str) -> Reply | None:
        """The failure of one more create of ``type_``; ``None`` if the quota allows it."""
        there = len(cloud.listed(None if self.everywhere else type_))
        if there < self.most:
            return None
        what = "objects" if self.everywhere else f"objects of {type_}"
        return refused(f"LimitExceeded: there are {there} {what}, and the quota is {self.most}.", self.status)
