"""gRPC statuses as values: in replies, as exceptions on the serving side, and read from the errors of the calling side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import grpc

from mockprovider.calls import Failure, Reply, Status

DETAILS_KEY = "grpc-status-details-bin"
CODES: dict[str, grpc.StatusCode] = {code.name.lower(): code for code in grpc.StatusCode}
NUMBERS: dict[int, grpc.StatusCode] = {code.value[0]: code for code in grpc.StatusCode}


class StatusError(Exception):
    """Raised where an RPC is to end in a status; ``streamed`` are the messages that its stream brought before."""

    def __init__(self, status: Status, streamed: Sequence[bytes] = ()) -> None:
        super().__init__(status.message)
        self.status = status
        self.streamed = streamed


def status(code: str, message: str, details: bytes = b"") -> Status:
    """The status of a gRPC code named in lower case. Raises ``KeyError`` for a name that gRPC does not have."""
    return Status(CODES[code].value[0], message, details)


def name_of(status_: Status) -> str:
    """The status's name in lower case, ``unknown`` for a number that gRPC does not have."""
    return NUMBERS.get(status_.code, grpc.StatusCode.UNKNOWN).name.lower()


def read(error: Any) -> Status:
    """The status that a client-side ``grpc.RpcError`` stands for, with its details."""
    trailers = error.trailing_metadata() or ()
    details = next((value for key, value in trailers if key == DETAILS_KEY), b"")
    return Status(error.code().value[0], error.details() or "", details)


def failed(status_: Status) -> Reply:
    """The reply of an RPC that ended in ``status_``: the status as it is, and a failure for those who look at replies only."""
    return Reply(status=status_, failures=(Failure(status_.message, status=name_of(status_)),))
