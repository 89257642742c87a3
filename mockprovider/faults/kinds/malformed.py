"""An answer is no message.

A provider of another version, or a proxy between, sends bytes that are none of the protocol. The effect is done by then.
"""

from __future__ import annotations

from typing import ClassVar

from mockprovider.calls import Call, Delivery, Handler, Reply
from mockprovider.faults.ending import ended, read_bytes
from mockprovider.faults.fault import Fault, FaultWorld, Phase


class Malformed(Fault, frozen=True, tag="malformed"):
    """The answer is no message of the protocol.

    Args:
        data: the bytes that are sent instead, in hexadecimal digits.
    """

    data: str = "ffffffff"

    phases: ClassVar[tuple[Phase, ...]] = (Phase.REPLY,)

    def __post_init__(self) -> None:
        super().__post_init__()
        read_bytes(self.data)

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:  # noqa: ARG002 - as all faults
        """Answer these bytes."""
        proceed(call)
        garbage = Delivery("bytes", data=read_bytes(self.data))
        return ended("internal", "the provider's answer is no message (injected by mockprovider)", delivery=garbage)
