"""The provider's process dies.

Providers panic, and the kernel ends them where memory is short. A create that was under way has made its object, and nobody
is left to say so.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from mockprovider.calls import Call, Delivery, Handler, Reply
from mockprovider.faults.ending import ended
from mockprovider.faults.fault import Fault, FaultWorld

GONE = "the provider's process has ended (injected by mockprovider)"


class Crash(Fault, frozen=True, tag="crash"):
    """The provider's process ends at once: the call, and all others on its connection, have no answer.

    Where the engine started a plugin, that process ends. Where it is attached to a double in this process, the connections
    are cut, and nothing listens until its next run: all instances of the package are on one server, and end together. In
    process, this and all later calls of the session fail.

    Args:
        code: the exit code of a plugin process.
        words: what it writes to standard error before.
    """

    code: Annotated[int, Meta(ge=0, le=255, extra={"expected": "an exit code, 0 to 255"})] = 1
    words: str = ""

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:  # noqa: ARG002 - as all faults
        """Die."""
        return ended("unavailable", GONE, delivery=Delivery("crash", code=self.code, words=self.words))
