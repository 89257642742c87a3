"""A double on the network: one server a package, and the environment that leads real engines there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Protocol, Self

from msgspec import Struct

from mockprovider.calls import Call, Delivery, EnginePort, Reply, Session
from mockprovider.double.declared import DeclaredPackages
from mockprovider.double.launchers import install
from mockprovider.double.remote import Remote
from mockprovider.errors import DefinitionError, PluginError
from mockprovider.protocols import ProviderProtocol


class Servable(Protocol):
    """What can be served: a ``Double``."""

    name: str
    is_fake: bool
    packages: DeclaredPackages
    errors: list[BaseException]

    def __call__(self, call: Call) -> Reply:
        """Answer one call."""

    def open(
        self, protocol: ProviderProtocol = ..., *, package: str = ..., engine: EnginePort | None = ..., peer: str = ...
    ) -> Session:
        """The session of a new connection."""


class Address(Struct, frozen=True):
    """Host and port at which one package is served."""

    package: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class Serving:
    """A double on the network: its addresses, and the environment that leads real engines to them."""

    def __init__(self, double: Servable, protocol: ProviderProtocol, host: str, port: int) -> None:
        from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import

        self.double = double
        self.protocol = protocol
        """What is spoken here."""
        self._adapter = adapter(protocol)
        self._host = host
        self._port = port
        self._servers: dict[str, Any] = {}
        self._abandoned: list[Any] = []
        self._crashed: dict[str, int] = {}
        """The ports of packages whose provider has crashed: it is started there again when somebody asks where it is."""
        self._stopped = False
        self._door: Any = None
        self._lock = threading.RLock()
        if port or double.packages:
            self.addresses()

    def addresses(self) -> Mapping[str, Address]:
        """Where each package is served; packages declared since the last look are served from now on.

        Raises ``PluginError`` once it has been stopped.
        """
        with self._lock:
            if self._stopped:
                raise PluginError("This double no longer serves here. Call serve() again for a new address.")
            for package in self.double.packages.offered or [self.double.name]:
                if package not in self._servers:
                    # A port of the user's choice can serve one package; further ones take free ports.
                    port = 0 if self._servers else self._port
                    self._servers[package] = self._start(package, self._crashed.pop(package, port))
            return {package: Address(package, server.host, server.port) for package, server in self._servers.items()}

    @property
    def address(self) -> str:
        """``host:port`` of the first package."""
        return str(next(iter(self.addresses().values())))

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables by which a real engine finds this double."""
        return self._adapter.environment({name: str(address) for name, address in self._named().items()})

    def _named(self) -> dict[str, Address]:
        """The addresses, by every name by which an engine may look for a package."""
        addresses, declared = self.addresses(), self.double.packages
        others = {
            other: address
            for package, address in addresses.items()
            if package in declared
            for other in self._adapter.other_names(declared[package])
        }
        return {**addresses, **others}

    @property
    def relay(self) -> str:
        """``host:port`` at which a plugin that an engine has started finds this double (``MOCKPROVIDER_RELAY``)."""
        with self._lock:
            self.addresses()
            if self._door is None:
                from mockprovider.double.relay import Door  # noqa: PLC0415 - only where an engine starts plugins

                self._door = Door(self.addresses, self.protocol, self._host)
            address: str = self._door.address
            return address

    def plugin_environment(self, folder: Path) -> dict[str, str]:
        """The variables by which an engine starts a plugin process of its own for each provider, and each is led here.

        Launchers are written into ``folder``. Where ``environment`` has the engine attach to this process, this has it do what
        it does with real providers: look for an executable, start it, shake hands, and end it.
        """
        packages = self.addresses()
        for package in packages:
            install(self.protocol, package, folder)
        return {"MOCKPROVIDER_RELAY": self.relay, **self._adapter.started_environment(folder, self._named())}

    def client(self) -> Remote:
        """A client for engines that are Python: the double's own interface (``open``, and calling it), over the wire.

        Close it when done, or use it in a ``with`` block. Without the wire the same is the double itself.
        """
        return Remote(self.double, self.protocol, self.addresses)

    def _start(self, package: str, port: int) -> Any:
        from mockprovider.wire.server import serve  # noqa: PLC0415 - grpc is slow to import

        served, handlers = endpoint(
            self.double, self.protocol, package, self._introduce, identify=self._identify, on_shutdown=self._end
        )
        served.cut = partial(self._cut, package)
        return serve([served], host=self._host, port=port, handlers=handlers)

    def _cut(self, package: str, peer: str, delivery: Delivery) -> None:
        """Carry out what a fault makes of a connection: it is cut, or the provider at its end is gone until its next start."""
        if self._door and self._door.cut(peer, delivery):
            return
        with self._lock:
            server = self._servers.pop(package, None)
            if server is None:
                return
            server.abandon()
            self._abandoned.append(server)
            self._crashed[package] = server.port
            if delivery.how == "reset":
                self.addresses()

    def _identify(self, peer: str) -> str:
        return self._door.identify(peer) if self._door else peer

    def _introduce(self, session: Session) -> None:
        if self._door:
            self._door.introduce(session)

    def _end(self, peer: str) -> None:
        if self._door:
            self._door.end(peer)

    def joined(self, one: str, other: str) -> str:
        """Two values of one variable of ``environment`` as one."""
        return self._adapter.joined(one, other)

    def stop(self) -> None:
        """Stop serving. Safe to call again."""
        with self._lock:
            self._stopped = True
            servers, self._servers = [*self._abandoned, *self._servers.values()], {}
        for server in (self._door, *servers):
            if server is not None:
                server.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def joint_environment(*servings: Serving) -> dict[str, str]:
    """The variables that lead one engine to several doubles, as ``Serving.environment`` leads it to one.

    Raises ``DefinitionError`` if two of them serve a package of the same name.
    """
    joint: dict[str, str] = {}
    seen: set[tuple[ProviderProtocol, str]] = set()
    for serving in servings:
        for package in serving.addresses():
            if (serving.protocol, package) in seen:
                raise DefinitionError(f"Two doubles serve the package {package!r}, and an engine can be led to one of them.")
            seen.add((serving.protocol, package))
        for variable, value in serving.environment.items():
            joint[variable] = serving.joined(joint[variable], value) if variable in joint else value
    return joint


def endpoint(
    double: Servable,
    protocol: ProviderProtocol,
    package: str,
    introduce: Callable[[Session], None],
    *,
    identify: Callable[[str], str] = str,
    on_shutdown: Callable[[str], Any] = str,
) -> tuple[Any, tuple[Any, ...]]:
    """What serves one package of a double over gRPC: its endpoint, and the handlers beside it.

    ``introduce`` is told of each new session, ``on_shutdown`` of the address of an engine that is done.
    """
    from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import
    from mockprovider.wire.server import Endpoint  # noqa: PLC0415 - as above

    edge = adapter(protocol)

    def open_(peer: str) -> Session:
        session = double.open(protocol, package=package, peer=peer)
        introduce(session)
        return session

    package_endpoint = Endpoint(
        edge.service,
        double,
        open_,
        double.errors.append,
        # A real provider may know RPCs that we do not; the fake does not.
        forward_unknown=not double.is_fake,
        identify=identify,
    )
    return package_endpoint, edge.beside(on_shutdown)
