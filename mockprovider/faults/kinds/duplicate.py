"""The request arrives twice, as after a retry that nobody needed.

A connection that breaks after the request was sent has clients ask again. Without an idempotency token a create is done
twice, and one of the two objects is nobody's.
"""

from __future__ import annotations

from typing import ClassVar

from mockprovider.calls import EFFECTS, Call, Handler, Op, Reply
from mockprovider.faults.fault import Fault, FaultWorld, Phase


class Duplicate(Fault, frozen=True, tag="duplicate"):
    """The provider does the same twice, and the engine gets the second answer. A create leaves two objects."""

    ops: ClassVar[frozenset[Op]] = EFFECTS
    phases: ClassVar[tuple[Phase, ...]] = (Phase.REPLY,)
    idle_in_previews: ClassVar[frozenset[Op]] = EFFECTS

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:  # noqa: ARG002 - as all faults
        """Ask twice."""
        proceed(call)
        return proceed(call)
