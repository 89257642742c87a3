"""Being a Terraform provider plugin: cookie, handshake line, TLS where it is asked for, and an end when the engine is done."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mockprovider.errors import MockProviderError, PluginError
from mockprovider.plugin.asked import Asked
from mockprovider.plugin.life import Life
from mockprovider.terraform.process.handshake import MAJORS, check_cookie, choose_major, handshake_line
from mockprovider.wire.pipes import CONNECT_SECONDS, Pipes

if TYPE_CHECKING:
    from mockprovider.double import Double

LOOPBACK = "127.0.0.1"
Join = Callable[[], socket.socket]


class TlsError(PluginError):
    """The engine asks for TLS and cannot have it, so there is no way to tell it why but the report of a crash."""


def listen(asked: Asked, life: Life, stack: ExitStack, double: Double | None) -> str:
    """Listen, and return the handshake line. Raises ``MockProviderError`` if no engine started us, or TLS cannot be had."""
    check_cookie(os.environ)
    try:
        if asked.relay and not double:
            return _relay(asked, life, stack)
        from mockprovider.plugin.serving import chosen  # noqa: PLC0415 - slow to import, and a relay needs none of it

        return _serve(asked, chosen(asked, double, stack), life, stack)
    except TlsError:
        raise
    except MockProviderError as error:
        # Of a plugin that does not start, the engine shows its user nothing; of one that answers, every word.
        from mockprovider.plugin.log import say  # noqa: PLC0415 - as above
        from mockprovider.plugin.serving import refusing  # noqa: PLC0415 - as above

        say("terraform", "error", str(error))
        return _serve(asked, refusing(asked, error, stack), life, stack)


def _relay(asked: Asked, life: Life, stack: ExitStack) -> str:
    from mockprovider.plugin.relaying import Relay  # noqa: PLC0415 - only a relay needs it

    relay = stack.enter_context(closing(Relay(asked)))
    relay.watch(life.end)
    address, certificate = _front(relay.join, stack)
    return handshake_line(int(relay.protocol.removeprefix("tfplugin")), address, certificate)


def _serve(asked: Asked, double: Double, life: Life, stack: ExitStack) -> str:
    from mockprovider.plugin.serving import serve  # noqa: PLC0415 - slow to import, and a relay needs none of it

    major = choose_major(os.environ, MAJORS)
    if not os.environ.get("PLUGIN_CLIENT_CERT"):
        return handshake_line(major, serve(asked, double, stack, major=major, socket=_path(), on_shutdown=life.end))
    inside = str(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mockprovider-")), "grpc"))
    serve(asked, double, stack, major=major, socket=inside, on_shutdown=life.end)

    def join() -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(inside)
        return connection

    return handshake_line(major, *_front(join, stack))


def _front(join: Join, stack: ExitStack) -> tuple[str, str]:
    """Listen for the engine, with TLS if it wants that, and join it with what ``join`` connects to; address and certificate."""
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
    """The path of the socket to listen at, where the engine names a folder for it; else none, and it is a port."""
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
