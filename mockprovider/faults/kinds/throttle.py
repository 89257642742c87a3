"""The cloud is asked too often, and has the provider wait.

Every cloud limits how often it may be asked, and providers try again after a pause. A provider that gives up in the wait
after a create loses what it has made.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from mockprovider.calls import Call, Handler, Reply
from mockprovider.durations import shown
from mockprovider.faults.ending import Later, given_up, waited
from mockprovider.faults.fault import Fault, FaultWorld, Phase


class Throttle(Fault, frozen=True, tag="throttle"):
    """The cloud refuses what the provider asks. It tries again after 1, 2, 4, ... seconds of the double's clock, as SDKs do.

    Then the call goes on, unless its timeout is over by then. It ends at once when the engine asks the provider to stop.

    Args:
        retries: how often the provider tries again.
        seconds: how long it waits the first time; each time twice as long.
        gives_up: whether the last try is refused, too, and the call fails with the status ``resource_exhausted``.
        reason: what the cloud says.
    """

    retries: Annotated[int, Meta(ge=0, le=30, extra={"expected": "how often a provider tries again, up to 30 times"})] = 3
    seconds: Later = 1.0
    gives_up: bool = False
    reason: str = "ThrottlingException: Rate exceeded"

    phases: ClassVar[tuple[Phase, ...]] = (Phase.BEFORE, Phase.AFTER, Phase.MID)

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:
        """Be refused, wait, and go on or give up."""
        wait = self.seconds * (2**self.retries - 1)

        def late(limit: float) -> str:
            return f"{self.reason} (context deadline exceeded after {shown(limit)})"

        if over := waited(wait, late, call, world):
            return over
        if self.gives_up:
            return given_up(call, world, "resource_exhausted", f"{self.reason} (after {self.retries} retries)")
        return proceed(call)
