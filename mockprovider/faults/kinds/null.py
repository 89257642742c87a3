"""An answer says nothing.

A provider's read after its create finds nothing, and it answers with an empty object. An id that is not in the answer is
lost.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.faults.fault import ANSWERS, Fault, FaultWorld, Phase


class Null(Fault, frozen=True, tag="null"):
    """The answer has no value and no id, and no failure either."""

    ops: ClassVar[frozenset[Op]] = ANSWERS
    phases: ClassVar[tuple[Phase, ...]] = (Phase.REPLY,)

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:  # noqa: ARG002 - as all faults
        """Answer nothing."""
        return replace(proceed(call), value=None, id="", inputs=None, plan=None, unchecked=True, native=None)
