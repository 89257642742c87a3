"""The served double as a Python engine calls it: with the double's own interface, and gRPC in between."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol, Self

from mockprovider.calls import Call, EnginePort, Reply, Session
from mockprovider.errors import DefinitionError, PluginError
from mockprovider.protocols import ProviderProtocol


class Opening(Protocol):
    """What makes sessions: a ``Double``."""

    def open(
        self, protocol: ProviderProtocol = ..., *, package: str = ..., engine: EnginePort | None = ..., peer: str = ...
    ) -> Session:
        """A new session."""


class Remote:
    """A double behind gRPC: ``open`` and call it as the double itself. Each session is a connection of its own.

    Args:
        double: makes the sessions, as this side sees them.
        protocol: what is spoken.
        addresses: where each package is served, asked at each ``open``.
    """

    def __init__(self, double: Opening, protocol: ProviderProtocol, addresses: Callable[[], Mapping[str, Any]]) -> None:
        from mockprovider.wire.proxy import PerSession  # noqa: PLC0415 - where nothing is served, nothing of wire is needed

        self.protocol = protocol
        self._double = double
        self._addresses = addresses
        self._targets: dict[int, str] = {}
        self._lock = threading.Lock()
        self._connections = PerSession(self._connect)

    def open(
        self,
        protocol: ProviderProtocol | str = "",
        *,
        package: str = "",
        engine: EnginePort | None = None,
        peer: str = "in-process",
    ) -> Session:
        """A new session with the server of ``package``; of the first package, unless one is named.

        ``protocol`` need not be given. Raises ``DefinitionError`` for another than is spoken here, ``PluginError`` for a
        package that is not served.
        """
        if protocol not in ("", self.protocol, self.protocol.name):
            raise DefinitionError(
                f"{self.protocol} is spoken here, and not {str(protocol)!r}. Serve the double in that protocol too."
            )
        addresses = self._addresses()
        if package and package not in addresses:
            raise PluginError(f"No package {package!r} is served; there is {', '.join(addresses)}. Define a type of it first.")
        name = package or next(iter(addresses))
        session = self._double.open(self.protocol, package=name, engine=engine, peer=peer)
        with self._lock:
            self._targets[session.number] = str(addresses[name])
        return session

    def __call__(self, call: Call) -> Reply:
        """Answer one call, over the wire. Raises ``PluginError`` if nobody answers, or the session was not opened here."""
        return self._connections(call)

    def _connect(self, call: Call) -> Any:
        with self._lock:
            target = self._targets.get(call.session.number)
        if target is None:
            raise PluginError(f"{call.session} was not opened here: call open() of this client first.")
        return connect(target, call)

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def connect(target: str, call: Call) -> Any:
    """The connection of the session that ``call`` opens, to ``host:port``. Raises ``PluginError`` if nobody answers there."""
    from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import

    connection = adapter(call.session.protocol).client(target, call.session)
    try:
        connection.wait_ready()
    except PluginError:
        connection.close()
        raise
    return connection
