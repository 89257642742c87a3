"""A read answers the past.

A cache or a read replica answers what was true before. A refresh that believes it undoes what it knows.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.faults.fault import Fault, FaultWorld, Phase


class StaleRead(Fault, frozen=True, tag="stale"):
    """A read answers what the engine remembers, and not what exists by now."""

    ops: ClassVar[frozenset[Op]] = frozenset({Op.READ})
    phases: ClassVar[tuple[Phase, ...]] = (Phase.REPLY,)

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:  # noqa: ARG002 - as all faults
        """Answer the past."""
        reply = proceed(call)
        if call.prior is None:
            return reply
        inputs = reply.inputs if call.prior_inputs is None else call.prior_inputs
        return replace(reply, id=reply.id or call.id, value=call.prior, inputs=inputs, native=None)
