"""A read finds nothing.

Clouds that are consistent only after a while answer 404 for seconds after a create. An engine that believes the first read
forgets the object, and the next run makes a second one. With ``times`` it is absent for the first reads alone.
"""

from __future__ import annotations

from typing import ClassVar

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.faults.fault import READS, Fault, FaultWorld, Phase


class NotFound(Fault, frozen=True, tag="absent"):
    """A read finds nothing, although the object exists: an eventually consistent cloud. The first reads, with ``times``."""

    ops: ClassVar[frozenset[Op]] = READS
    phases: ClassVar[tuple[Phase, ...]] = (Phase.REPLY,)

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:  # noqa: ARG002 - as all faults
        """Answer that there is nothing."""
        proceed(call)
        return Reply()
