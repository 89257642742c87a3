"""The engine dies.

A CI job is killed, or a laptop's battery is empty. Pulumi has noted what was under way, and its lock stays; Terraform's state
knows nothing of it.
"""

from __future__ import annotations

from mockprovider.calls import Call, Handler, Reply
from mockprovider.faults.ending import ended
from mockprovider.faults.fault import Fault, FaultWorld


class KillEngine(Fault, frozen=True, tag="kill_engine"):
    """The engine dies at this call: it gets no answer, and writes no state any more."""

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:  # noqa: ARG002 - as all faults
        """Kill it."""
        world.engine.kill(call)
        return ended("cancelled", "the engine was killed (injected by mockprovider)")
