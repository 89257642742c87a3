"""Provider plugins: how engines reattach to running ones, our services beside the provider, and how we start a real one.

All connections here are plaintext on loopback or a unix socket.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import grpc

from mockprovider.calls import Call, Reply
from mockprovider.errors import PluginError
from mockprovider.terraform.process.handshake import COOKIE, COOKIE_NAME, MAJORS, read_handshake
from mockprovider.terraform.proto import PLUGIN
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.wire.client import Client
from mockprovider.wire.process import Process

START_SECONDS = 60.0
"""The engines' timeout for the handshake line."""

SHUTDOWN_SECONDS = 2.0
"""The time after Shutdown at which engines kill a plugin."""


def reattach_environment(addresses: Mapping[str, str], major: int) -> dict[str, str]:
    """The environment with which engines use running providers: fully qualified source addresses to ``host:port``.

    ``Test`` keeps the engine from shutting the provider down, and with TCP each provider instance has its own peer address.
    """
    described = {
        source: {
            "Protocol": "grpc",
            "ProtocolVersion": major,
            "Pid": os.getpid(),
            "Test": True,
            "Addr": {"Network": "tcp", "String": address},
        }
        for source, address in sorted(addresses.items())
    }
    return {"TF_REATTACH_PROVIDERS": json.dumps(described)}


# Ours, started by an engine.


def controller(on_shutdown: Callable[[str], Any] = str) -> grpc.GenericRpcHandler:  # type: ignore[type-arg, unused-ignore]
    """The services that the plugin library needs beside the provider's.

    ``on_shutdown`` is called when the engine is done, with the engine's address.
    """

    def shutdown(_request: Any, context: Any) -> Any:
        peer = context.peer()
        # After the answer, because ending the server earlier would cut the answer off.
        if not context.add_callback(lambda: on_shutdown(peer)):
            on_shutdown(peer)
        return PLUGIN.message("Empty")()

    return _Beside(
        {
            "/plugin.GRPCController/Shutdown": grpc.unary_unary_rpc_method_handler(
                shutdown, PLUGIN.message("Empty").FromString, _serialize
            ),
            # Our output reaches the engine's log over stderr, so this stream is empty.
            "/plugin.GRPCStdio/StreamStdio": grpc.unary_stream_rpc_method_handler(
                lambda _request, _context: iter(()), None, _serialize
            ),
        }
    )


class _Beside(grpc.GenericRpcHandler):  # type: ignore[type-arg, misc, unused-ignore]
    def __init__(self, handlers: Mapping[str, Any]) -> None:
        self._handlers = handlers

    def service(self, handler_call_details: Any) -> Any:
        return self._handlers.get(handler_call_details.method)


def _serialize(message: Any) -> bytes:
    return bytes(message.SerializeToString())


# A real one, started by us.


class Running:
    """A real provider's process after its handshake. ``handshake`` has its protocol and its address.

    Args:
        command: the executable and its arguments.
        cwd: the working directory; engines start plugins in the root module's.
        env: additions to our environment; ``None`` takes a variable out.
        majors: the protocols that we offer.
        seconds: the timeout for its handshake.

    Raises ``PluginError`` if it cannot be started, ends, or prints no handshake line in time.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path | str | None = None,
        env: Mapping[str, str | None] | None = None,
        majors: Sequence[int] = MAJORS,
        seconds: float = START_SECONDS,
    ) -> None:
        offer = {
            COOKIE_NAME: COOKIE,
            "PLUGIN_PROTOCOL_VERSIONS": ",".join(map(str, majors)),
            # Without our certificate a provider serves plaintext; Python's gRPC cannot do its mutual TLS.
            "PLUGIN_CLIENT_CERT": "",
            # By default, providers log megabytes; set these variables to get them.
            "TF_LOG_SDK": "OFF",
            "TF_LOG_PROVIDER": "OFF",
        }
        self._process = Process(command, cwd=cwd, env={**offer, **(env or {})})
        try:
            self.handshake = read_handshake(self._process.line(seconds), self._process.command[0])
        except BaseException:
            self._process.stop(grace=0)
            raise
        self._channel = grpc.insecure_channel(self.handshake.target)
        self._drain = threading.Thread(target=self._read_stdio, daemon=True)
        self._drain.start()

    def _read_stdio(self) -> None:
        """Read the provider's output, so that it never blocks on printing."""
        stream = self._channel.unary_stream("/plugin.GRPCStdio/StreamStdio", None, None)(b"")
        # The stream ends with the provider; some providers do not have it.
        with contextlib.suppress(grpc.RpcError, ValueError):
            for _ in stream:
                pass

    def lives(self) -> bool:
        """Whether its process runs."""
        return self._process.running

    def witness(self, reply: Reply) -> Reply:
        """``reply`` unchanged; if it shows that the process ended, that is logged."""
        return self._process.witness(reply)

    def stop(self) -> None:
        """Ask the process to end, and kill it after a timeout. Safe to call again."""
        # A provider that ends at once may cut its answer off, and one without Shutdown is killed below.
        with contextlib.suppress(grpc.RpcError, ValueError):
            self._channel.unary_unary("/plugin.GRPCController/Shutdown", None, None)(b"", timeout=SHUTDOWN_SECONDS)
        self._process.wait(SHUTDOWN_SECONDS)
        self._channel.close()
        self._process.stop(grace=0)
        self._drain.join(SHUTDOWN_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def protocol_of(command: Sequence[str], *, env: Mapping[str, str | None] | None = None) -> int:
    """The major that a provider executable speaks; this starts it once. Raises ``PluginError`` if that fails."""
    with Running(command, env=env) as plugin:
        return plugin.handshake.major


class Plugin:
    """A real provider's process with the connection to it; calling it is a handler. Raises as ``Running`` does.

    Args:
        command: the executable and its arguments.
        call: the first call of the session that it serves; the provider must speak its protocol.
        cwd: the working directory; engines start plugins in the root module's.
        env: additions to our environment; ``None`` takes a variable out.
    """

    def __init__(
        self, command: Sequence[str], call: Call, *, cwd: Path | str | None = None, env: Mapping[str, str | None] | None = None
    ) -> None:
        wanted = call.session.protocol.version
        self._running = Running(command, cwd=cwd, env=env, majors=(wanted,))
        try:
            spoken = self._running.handshake.major
            if spoken != wanted:
                raise PluginError(
                    f"{command[0]} speaks protocol {spoken}, and the engine was promised {wanted}: serve {spoken}."
                )
            self._client = Client(self._running.handshake.target, SERVICES[wanted])
            self._client.wait_ready(is_alive=self._running.lives)
        except PluginError:
            self._running.stop()
            raise

    def __call__(self, call: Call) -> Reply:
        """Hand the call to the real provider."""
        return self._running.witness(self._client(call))

    def close(self) -> None:
        """Close the connection and end the process. Safe to call again."""
        self._client.close()
        self._running.stop()
