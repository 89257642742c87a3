"""A served table and bare gRPC callers, for the tests of the wire."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import grpc

from mockprovider.calls import Handler, Session
from mockprovider.pulumi.methods import PROVIDER
from mockprovider.wire.server import Endpoint, Served, serve

SECONDS = 60
"""How long a call may take before the test fails instead of hanging."""

UNKNOWN_FIELD = b"\xfa\x7f\x05extra"
"""Field 2047, that no message of ours declares."""


class Wire:
    """Servers and connections of one test. ``errors`` are those that endpoints told of, ``sessions`` those that opened."""

    def __init__(self) -> None:
        self.errors: list[BaseException] = []
        self.sessions: list[Session] = []
        self._closing: list[Callable[[], Any]] = []

    def serve(self, handler: Handler, **options: Any) -> Served:
        """Serve the Pulumi provider's table with ``handler`` behind it."""
        served = serve([self.endpoint(handler, **options)])
        self.later(served.stop)
        return served

    def endpoint(self, handler: Handler, **options: Any) -> Endpoint:
        """An endpoint that notes its sessions and errors here."""
        return Endpoint(PROVIDER, handler, self.open, self.errors.append, **options)

    def open(self, peer: str) -> Session:
        """A new session."""
        session = Session("pulumi", len(self.sessions) + 1, peer)
        self.sessions.append(session)
        return session

    def connect(self, served: Served) -> Connection:
        """A connection of its own: channels of one process would otherwise share one."""
        connection = Connection(served.address)
        self.later(connection.close)
        return connection

    def later(self, close: Callable[[], Any]) -> None:
        """Call ``close`` at the end of the test."""
        self._closing.append(close)

    def close(self) -> None:
        """End everything, the last first."""
        while self._closing:
            self._closing.pop()()


class Connection:
    """A bare gRPC channel: bytes in, bytes out."""

    def __init__(self, address: str) -> None:
        unlimited = [(f"grpc.max_{way}_message_length", -1) for way in ("send", "receive")]
        options = (("grpc.use_local_subchannel_pool", 1), *unlimited)
        self._channel = grpc.insecure_channel(address, options=options)
        self.close = self._channel.close

    def start(self, rpc: str, data: bytes = b"", service: str = PROVIDER.name) -> Any:
        """Begin a call; its ``result()`` is the answer's bytes."""
        return self._channel.unary_unary(f"/{service}/{rpc}", None, None).future(data, timeout=SECONDS)

    def call(self, rpc: str, data: bytes = b"", service: str = PROVIDER.name) -> bytes:
        """The answer's bytes. Raises ``grpc.RpcError``."""
        answered: bytes = self.start(rpc, data, service).result()
        return answered

    def ask(self, rpc: str, **fields: Any) -> Any:
        """The message that a provider answers a message of these fields with. Raises ``grpc.RpcError``."""
        asked, answered, _ = PROVIDER.messages[rpc]
        return answered.FromString(self.call(rpc, asked(**fields).SerializeToString()))

    def read(self, rpc: str, data: bytes, service: str, *, stream: bool) -> bytes:
        """The bytes of an answer, all messages of a stream. Raises ``grpc.RpcError``."""
        if not stream:
            return self.call(rpc, data, service)
        return b"".join(self._channel.unary_stream(f"/{service}/{rpc}", None, None)(data, timeout=SECONDS))

    def failure(self, rpc: str, data: bytes = b"", service: str = PROVIDER.name) -> grpc.RpcError:
        """The error with which a call ends."""
        error: grpc.RpcError = self.start(rpc, data, service).exception()
        assert error is not None, f"{rpc} succeeded"
        return error
