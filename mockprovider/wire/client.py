"""Connect to a provider that somebody serves, and call it as a handler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import grpc

from mockprovider.calls import Call, Native, Op, Reply, Status
from mockprovider.errors import PluginError
from mockprovider.wire.methods import Method, Service
from mockprovider.wire.server import OPTIONS, decode
from mockprovider.wire.status import failed, read

READY_SECONDS = 10.0
"""How long Pulumi's engine waits for a provider's port to answer; we give real providers the same."""


class Client:
    """A provider on the other side of a gRPC connection; calling it is a handler.

    A call that came over a wire is forwarded as the bytes that it came in, except the fields that name
    addresses; one that was made here is encoded by its row. RPCs that have no row go through raw.

    Args:
        target: ``host:port`` or ``unix:path``.
        service: the protocol's table.
        rewrite: new values for address fields (``{"engine_address": "127.0.0.1:1234"}``).
        on_failure: reads a status's details into a reply, for protocols that put state there.
    """

    def __init__(
        self,
        target: str,
        service: Service,
        *,
        rewrite: Mapping[str, str] | None = None,
        on_failure: Callable[[Status, Call], Reply] | None = None,
    ) -> None:
        self.target = target
        self.service = service
        self._rewrite = rewrite or {}
        self._on_failure = on_failure or (lambda status, _: failed(status))
        # Servers tell sessions apart by their connections, and gRPC would let all channels of a process share one.
        self._channel = grpc.insecure_channel(target, options=(*OPTIONS, ("grpc.use_local_subchannel_pool", 1)))
        self._stubs: dict[str, Any] = {}

    def wait_ready(self, seconds: float = READY_SECONDS) -> None:
        """Return once the provider answers. Raises ``PluginError`` if it does not within ``seconds``."""
        try:
            grpc.channel_ready_future(self._channel).result(timeout=seconds)
        except grpc.FutureTimeoutError as error:
            raise PluginError(
                f"Nothing answers at {self.target} after {seconds:g} s. Is the provider still running?"
            ) from error

    def __call__(self, call: Call) -> Reply:
        """Make the call over the wire; a status that comes back is a reply with ``status`` set."""
        row = self.service.methods.get(call.method) or (None if call.op is Op.RAW else self.service.by_op(call.op))
        rpc = row.name if row else call.method
        try:
            answer: bytes = self._stub(rpc)(self._request(row, call))
        except grpc.RpcError as error:
            return self._on_failure(read(error), call)
        if row is None:
            return Reply(native=Native(answer))
        message = decode(self.service.messages[rpc][1], answer, rpc)
        reply = row.reply(message, call)
        reply.native = Native(answer, message)
        return reply

    def _stub(self, rpc: str) -> Any:
        stub = self._stubs.get(rpc)
        if stub is None:
            stub = self._stubs[rpc] = self._channel.unary_unary(f"/{self.service.name}/{rpc}", None, None)
        return stub

    def _request(self, row: Method | None, call: Call) -> bytes:
        if row is None:
            return call.native.data if call.native else b""
        moved = {field: self._rewrite[field] for field in row.addresses if field in self._rewrite}
        if call.native is not None and not moved:
            return call.native.data
        message = type(call.native.message).FromString(call.native.data) if call.native else row.request(call)
        for field, address in moved.items():
            setattr(message, field, address)
        return bytes(message.SerializeToString(deterministic=True))

    def close(self) -> None:
        """Close the connection."""
        self._channel.close()
