"""The door for plugins that engines start: each says who it is, and is then joined with a package's server."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from mockprovider.calls import Delivery, Session
from mockprovider.errors import MockProviderError, PluginError
from mockprovider.protocols import ProviderProtocol
from mockprovider.wire.pipes import Pipes, connect, hang_up, hear, say

GREETING = 1
"""The version of what a plugin and this door say to each other."""


class Caller(Struct, frozen=True):
    """A plugin process: its name, which no other has, and the address of the engine that started it, where it was told."""

    process: str
    engine: str = ""


def _port(peer: str) -> int:
    port = peer.rpartition(":")[2]
    return int(port) if port.isdecimal() else 0


class Door:
    """Listens for the plugin processes of engines; each asks for one package by name and is joined with its server.

    Args:
        addresses: where each package is served, asked for each plugin.
        protocol: what is spoken there.
        host: where to listen.
    """

    def __init__(self, addresses: Callable[[], Mapping[str, Any]], protocol: ProviderProtocol, host: str) -> None:
        self._addresses = addresses
        self._protocol = protocol
        self._callers: dict[int, Caller] = {}
        self._joined: dict[int, socket.socket] = {}
        self._staying: dict[str, tuple[socket.socket, socket.socket]] = {}
        self._lock = threading.Lock()
        listener = socket.create_server((host, 0))
        self.address = f"{host}:{listener.getsockname()[1]}"
        """``host:port``."""
        self._pipes = Pipes(listener, self._pair, ended=self._forget)

    def _pair(self, connection: socket.socket) -> tuple[socket.socket, socket.socket] | None:
        words = hear(connection)
        try:
            return self._answer(connection, words)
        except MockProviderError as error:
            say(connection, {"error": str(error)})
            return None

    def _answer(self, connection: socket.socket, words: Mapping[str, Any]) -> tuple[socket.socket, socket.socket]:
        if words.get("mockprovider") != GREETING:
            raise PluginError("The plugin and the double are of different versions of mockprovider. Install one for both.")
        address = self._find(str(words.get("package")), str(words.get("protocol")))
        caller = Caller(str(words.get("process")), str(words.get("engine") or ""))
        if words.get("wants") == "stay":
            # A relay cannot read the bytes that it joins. This connection ends when the engine is done.
            outside, inside = socket.socketpair()
            with self._lock:
                self._staying[caller.process] = (outside, inside)
        else:
            inside = connect(address)
            with self._lock:
                self._callers[inside.getsockname()[1]] = caller
                self._joined[inside.getsockname()[1]] = inside
        say(connection, {"protocol": self._protocol.name})
        return connection, inside

    def _find(self, package: str, protocol: str) -> str:
        served = self._protocol.family
        if protocol != served:
            raise PluginError(f"The double serves {served} here, and a plugin of {protocol} asks for it. Serve that, too.")
        addresses = self._addresses()
        if package not in addresses:
            packages = ", ".join(addresses)
            raise PluginError(f"The double serves no package {package!r}; there is {packages}. Define a type of it first.")
        return str(addresses[package])

    def _forget(self, _: socket.socket, inside: socket.socket) -> None:
        with self._lock:
            if inside.family == socket.AF_UNIX:
                ended = [process for process, (_, other) in self._staying.items() if other is inside]
                for process in ended:
                    self._staying.pop(process)[0].close()
            else:
                # Before it is closed: the port may be reused at once, and not only by plugins.
                self._callers.pop(inside.getsockname()[1], None)
                self._joined.pop(inside.getsockname()[1], None)

    def identify(self, peer: str) -> str:
        """Who speaks from the gRPC address ``peer``: the name of a plugin process, or ``peer`` itself."""
        caller = self._caller(peer)
        return f"plugin {caller.process}" if caller else peer

    def _caller(self, peer: str) -> Caller | None:
        with self._lock:
            return self._callers.get(_port(peer))

    def introduce(self, session: Session) -> None:
        """Note in the session of a plugin process which engine has started it, as ``engine_address``."""
        with self._lock:
            engine = next(
                (caller.engine for caller in self._callers.values() if session.peer == f"plugin {caller.process}"), ""
            )
        if engine:
            session.engine_address = engine

    def cut(self, peer: str, delivery: Delivery) -> bool:
        """Cut the connection of the plugin that speaks from ``peer``, or have its process crash: whether there is one."""
        caller = self._caller(peer)
        if caller is None:
            return False
        with self._lock:
            staying, joined = self._staying.get(caller.process), self._joined.get(_port(peer))
            if delivery.how == "crash" and staying:
                say(staying[0], {"crash": {"code": delivery.code, "words": delivery.words}})
            elif joined is not None:
                hang_up(joined)
        return True

    def end(self, peer: str) -> None:
        """The engine at ``peer`` is done with its plugin."""
        caller = self._caller(peer)
        with self._lock:
            staying = self._staying.get(caller.process) if caller else None
            if staying:
                say(staying[0], {"over": True})

    def stop(self) -> None:
        """Stop listening, and end the joined connections. Safe to call again."""
        self._pipes.stop()
