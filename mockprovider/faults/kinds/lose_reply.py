"""It is done, and nobody is told: the commonest way in which real clouds lose objects.

A load balancer cuts a connection, or a provider is restarted in between. The object exists, the engine remembers nothing of
it, and the next run makes another one.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from mockprovider.calls import Call, Delivery, Handler, Reply
from mockprovider.faults.ending import ended
from mockprovider.faults.fault import Fault, FaultWorld, Phase

HOW = {
    "unavailable": ("unavailable", "the connection to the provider was lost (injected by mockprovider)"),
    "reset": ("unavailable", "the connection to the provider was reset (injected by mockprovider)"),
    "half": ("internal", "half of the provider's answer was lost (injected by mockprovider)"),
}
"""How an answer is lost: the status that an engine in process sees, and its message."""


class LoseReply(Fault, frozen=True, tag="lose_reply"):
    """The provider does what was asked, and its answer does not arrive.

    Args:
        how: ``unavailable`` ends the call in that status; ``reset`` cuts the connection, with all other calls on it; ``half``
            sends the first half of the answer's bytes. For an answer that never comes, see ``hang``.
    """

    how: Literal["unavailable", "reset", "half"] = "unavailable"

    phases: ClassVar[tuple[Phase, ...]] = (Phase.AFTER, Phase.BEFORE, Phase.MID)

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:  # noqa: ARG002 - as all faults
        """Lose the answer."""
        whole = proceed(call) if self.how == "half" else None
        return ended(*HOW[self.how], delivery=None if self.how == "unavailable" else Delivery(self.how, of=whole))
