"""Running as a Terraform provider plugin: cookie, handshake line, TLS on request, and an end when the engine is done."""

from __future__ import annotations

import json
import os
import socket
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mockprovider.errors import MockProviderError, PluginError
from mockprovider.protocols import by_name
from mockprovider.terraform.process.handshake import COOKIE_NAME, MAJORS, check_cookie, choose_major, handshake_line
from mockprovider.wire.pipes import CONNECT_SECONDS, Pipes
from mockprovider.wire.starter import LOOPBACK, PluginHost, Starter

Join = Callable[[], socket.socket]


class TlsError(PluginError):
    """The engine asks for TLS, which is not available; only a crash report can tell it the reason."""


class TerraformStarter(Starter):
    """Terraform's plugins share the terminal with the engine, which handles Ctrl-C (reference 1.5)."""

    ends_on_interrupt = False

    def listen(self, host: PluginHost) -> str:
        """Listen, and return the handshake line. Raises ``PluginError`` if no engine started us, or TLS is not available."""
        check_cookie(os.environ)
        try:
            return _relay(host) if host.relays else _serve(host)
        except TlsError:
            raise
        except MockProviderError as error:
            # The engine shows its user nothing of a plugin that fails to start, but every answer of one that runs.
            print(self.log_line("error", str(error)), file=sys.stderr, flush=True)
            host.refuse(error)
            return _serve(host)

    def log_line(self, level: str, message: str) -> str:
        """JSON with the level and message for the engine's log.

        All values are strings, because any other kind under one of these keys crashes Terraform (reference 1.5).
        """
        stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return json.dumps({"@level": level, "@message": message, "@module": "mockprovider", "@timestamp": stamp})

    def last_words(self, error: MockProviderError) -> str:
        """The error as a crash, because Terraform shows its user a plugin's output only then (reference 1.5)."""
        return f"panic: {error}" if os.environ.get(COOKIE_NAME) else str(error)


def _relay(host: PluginHost) -> str:
    relay = host.relay()
    address, certificate = _front(relay.join, host.stack)
    return handshake_line(by_name(relay.protocol).version, address, certificate)


def _serve(host: PluginHost) -> str:
    major = choose_major(os.environ, MAJORS)
    if not os.environ.get("PLUGIN_CLIENT_CERT"):
        return handshake_line(major, host.serve(major, _path(), host.end))
    inside = str(Path(host.stack.enter_context(tempfile.TemporaryDirectory(prefix="mockprovider-")), "grpc"))
    host.serve(major, inside, host.end)

    def join() -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(inside)
        return connection

    return handshake_line(major, *_front(join, host.stack))


def _front(join: Join, stack: ExitStack) -> tuple[str, str]:
    """Listen for the engine, with TLS on request, and join it with what ``join`` connects to; address and certificate."""
    wanted = os.environ.get("PLUGIN_CLIENT_CERT", "")
    certificate = ""
    wrap: Callable[[socket.socket], socket.socket] = _plain
    if wanted:
        from mockprovider.terraform.process.tls import Identity  # noqa: PLC0415 - an optional dependency

        try:
            identity = Identity(wanted)
        except PluginError as error:
            raise TlsError(str(error)) from error
        certificate, wrap = identity.certificate, _wrapper(identity)
    listener, address = _listener(stack)

    def pair(engine: socket.socket) -> tuple[socket.socket, socket.socket]:
        return wrap(engine), join()

    stack.enter_context(Pipes(listener, pair, refused=lambda error: print(f"[ERROR] {error}", file=sys.stderr)))
    return address, certificate


def _plain(connection: socket.socket) -> socket.socket:
    return connection


def _wrapper(identity: Any) -> Callable[[socket.socket], socket.socket]:
    def wrap(connection: socket.socket) -> socket.socket:
        connection.settimeout(CONNECT_SECONDS)
        wrapped: socket.socket = identity.context.wrap_socket(connection, server_side=True)
        wrapped.settimeout(None)
        return wrapped

    return wrap


def _path() -> str:
    """The path of the unix socket, if the engine gives a folder for it; else empty, for a port."""
    folder = os.environ.get("PLUGIN_UNIX_SOCKET_DIR", "")
    return str(Path(folder, f"plugin{os.getpid()}")) if folder else ""


def _listener(stack: ExitStack) -> tuple[socket.socket, str]:
    path = _path()
    if not path:
        listener = socket.create_server((LOOPBACK, 0))
        return listener, f"{LOOPBACK}:{listener.getsockname()[1]}"
    listener = socket.socket(socket.AF_UNIX)
    try:
        listener.bind(path)
    except OSError as error:
        listener.close()
        raise PluginError(
            f"Cannot listen at {path}: {error}. PLUGIN_UNIX_SOCKET_DIR must be a folder with a short path."
        ) from error
    stack.callback(Path(path).unlink, missing_ok=True)
    listener.listen()
    return listener, f"unix:{path}"
