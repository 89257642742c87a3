"""The call itself fails: a gRPC status, in any protocol.

A panic that gRPC catches, a deadline that is over, or an RPC that an older provider does not have. Engines take it for a
broken plugin and say so, other than for a refusal of the cloud.
"""

from __future__ import annotations

from mockprovider.calls import Call, Handler, Reply
from mockprovider.faults.ending import check_status, ended, read_bytes
from mockprovider.faults.fault import REASON, Fault, FaultWorld


class RpcError(Fault, frozen=True, tag="rpc_error"):
    """The RPC ends in a gRPC status, which engines take for a broken plugin and not for a provider's refusal.

    Args:
        status: the name of the gRPC status.
        message: its message.
        details: the bytes of ``grpc-status-details-bin``, in hexadecimal digits.
    """

    status: str = "internal"
    message: str = REASON
    details: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_status(self.status)
        read_bytes(self.details)

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:  # noqa: ARG002 - as all faults
        """Fail, without the provider or without its answer."""
        return ended(self.status, self.message, read_bytes(self.details))
