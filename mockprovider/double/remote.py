"""The served double as a Python engine calls it: with the double's own interface, and gRPC in between."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol, Self

from mockprovider.calls import Call, EnginePort, Reply, Session
from mockprovider.errors import DefinitionError, PluginError


class Opening(Protocol):
    """What makes sessions: a ``Double``."""

    def open(self, protocol: str = ..., *, package: str = ..., engine: EnginePort | None = ..., peer: str = ...) -> Session:
        """A new session."""


class Remote:
    """A double behind gRPC: ``open`` and call it as the double itself. Each session is a connection of its own.

    Args:
        double: makes the sessions, as this side sees them.
        protocol: what is spoken: ``pulumi``, ``tfplugin5`` or ``tfplugin6``.
        addresses: where each package is served, asked at each ``open``.
    """

    def __init__(self, double: Opening, protocol: str, addresses: Callable[[], Mapping[str, Any]]) -> None:
        from mockprovider.wire.proxy import PerSession  # noqa: PLC0415 - where nothing is served, nothing of wire is needed

        self.protocol = protocol
        self._double = double
        self._addresses = addresses
        self._targets: dict[int, str] = {}
        self._lock = threading.Lock()
        self._connections = PerSession(self._connect)

    def open(
        self, protocol: str = "", *, package: str = "", engine: EnginePort | None = None, peer: str = "in-process"
    ) -> Session:
        """A new session with the server of ``package``; of the first package, unless one is named.

        ``protocol`` need not be given. Raises ``DefinitionError`` for another than is spoken here, ``PluginError`` for a
        package that is not served.
        """
        if protocol not in ("", self.protocol):
            raise DefinitionError(
                f"{self.protocol} is spoken here, and not {protocol!r}. Serve the double in that protocol too."
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


def connect(target: str, call: Call) -> Connection:
    """The connection of the session that ``call`` opens, to ``host:port``. Raises ``PluginError`` if nobody answers there."""
    connection = Connection(target, call)
    try:
        connection.wait_ready()
    except PluginError:
        connection.close()
        raise
    return connection


class Connection:
    """One session's connection, and for Pulumi the service by which a provider reaches the engine that it serves."""

    def __init__(self, target: str, call: Call) -> None:
        from mockprovider.wire.client import Client  # noqa: PLC0415 - grpc is slow to import

        self._engine: Any = None
        if call.session.protocol == "pulumi":
            from mockprovider.pulumi.errors import read_status  # noqa: PLC0415 - imports pulumi, which is slow
            from mockprovider.pulumi.log import EngineServer  # noqa: PLC0415 - as above
            from mockprovider.pulumi.methods import PROVIDER  # noqa: PLC0415 - as above

            self._engine = EngineServer(call.session.engine) if call.session.engine else None
            back = {"engine_address": self._engine.address} if self._engine else {}
            self._client = Client(target, PROVIDER, rewrite=back, on_failure=read_status)
            return
        from mockprovider.terraform.rpcs.methods import SERVICES  # noqa: PLC0415 - an optional dependency

        self._client = Client(target, SERVICES[int(call.session.protocol.removeprefix("tfplugin"))])

    def wait_ready(self) -> None:
        """Return once the server answers. Raises ``PluginError`` if it does not in time."""
        self._client.wait_ready()

    def __call__(self, call: Call) -> Reply:
        """Make the call."""
        if call.monitor is None:
            return self._client(call)
        from mockprovider.pulumi.monitor import relayed  # noqa: PLC0415 - imports pulumi, which is slow

        return relayed(call, self._client)

    def close(self) -> None:
        """Close the connection."""
        self._client.close()
        if self._engine:
            self._engine.stop()
