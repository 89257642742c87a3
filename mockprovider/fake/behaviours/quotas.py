"""Quotas: how many objects there may be."""

from __future__ import annotations

from msgspec import Struct

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.cloud import Cloud
from mockprovider.document import Count
from mockprovider.errors import DefinitionError
from mockprovider.fake.behaviours.world import Status, World, check_status, refused


class Quota(Struct, frozen=True, tag_field="kind", tag="quota"):
    """At most ``most`` objects of the type, or with ``everywhere`` of all types: create fails beyond, with ``status``.

    It counts before anything is done, and again in the step that makes the object. So creates at the same time never exceed it,
    in processes that share the cloud, too, and nobody waits. One that a function of yours calls counts beforehand alone.
    """

    most: Count
    everywhere: bool = False
    status: Status = "resource_exhausted"

    def __post_init__(self) -> None:
        check_status(self.status)
        if self.most < 0:
            raise DefinitionError(f"A quota of {self.most} is below 0. Count from 0.")

    def __call__(self, call: Call, proceed: Handler, world: World) -> Reply:
        """Refuse a create for which there is no room, or pass on."""
        counts = call.op is Op.CREATE and not call.preview
        return (counts and self.refusal(world.cloud, world.type)) or proceed(call)

    def refusal(self, cloud: Cloud, type_: str) -> Reply | None:
        """Why one more object of ``type_`` cannot be made; ``None`` if there is room."""
        there = len(cloud.objects(None if self.everywhere else type_))
        if there < self.most:
            return None
        what = "objects" if self.everywhere else f"objects of {type_}"
        return refused(f"LimitExceeded: there are {there} {what}, and the quota is {self.most}.", self.status)
