"""The double: the one place that wires a provider, its layers, its cloud and its doors together."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any, Self

from msgspec import Struct

from mockprovider.calls import Call, EnginePort, Handler, Layer, Reply, Session
from mockprovider.cloud import Cloud
from mockprovider.errors import DefinitionError, PluginError
from mockprovider.fake import Fake
from mockprovider.faults import Faults
from mockprovider.journal import Journal, Side
from mockprovider.layers import stack
from mockprovider.schema import Function, Package, ResourceType

SOURCE = "example.com/mock/{package}"
"""Terraform's source address of our packages: a neutral host, because Terraform and OpenTofu expand short ones differently."""


class RealClock:
    """The machine's own time."""

    def now(self) -> float:
        """Seconds since the Unix epoch."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


class Double:
    """A provider's test double: what it serves, what exists, what happened, and what shall go wrong.

    Args:
        definitions: resource types, functions and packages that it serves.
        provider: what answers behind the layers; the fake, unless a real provider or a recording takes its place.
        layers: further layers directly in front of ``provider``, outermost first (a recorder is one).
        seed: of all that is generated; equal seeds give equal ids.
        strict: the fake refuses types that nobody declared.
        cloud: the fake's objects; a new, empty one unless given.
        name: the package that it is attached as where nothing is declared.
    """

    def __init__(
        self,
        *definitions: ResourceType | Function | Package,
        provider: Handler | None = None,
        layers: tuple[Layer, ...] = (),
        seed: int = 0,
        strict: bool = False,
        cloud: Cloud | None = None,
        name: str = "mock",
    ) -> None:
        self.name = name
        self.seed = seed
        self.packages: dict[str, Package] = {}
        self.cloud = cloud or Cloud(seed=seed)
        self.journal = Journal()
        self.faults = Faults()
        self.errors: list[BaseException] = []
        """Our own errors that an engine was told as a status; ``raise_errors`` raises the first."""
        self._served: list[Serving] = []
        self._sessions = 0
        self._lock = threading.Lock()
        self.define(*definitions)
        self._provider = provider or Fake(self.packages, self.cloud, strict=strict)
        chain = (self.journal.at(Side.ENGINE), self.faults.layer, self.journal.at(Side.PROVIDER), *layers)
        self._handler = stack(chain, self._provider)

    def define(self, *definitions: ResourceType | Function | Package) -> None:
        """Serve these too. A type or function belongs to the package that its token names; a later one replaces an earlier."""
        for each in definitions:
            if isinstance(each, Package):
                self.packages[each.name] = each
            elif isinstance(each, (ResourceType, Function)):
                name = each.token.split(":", 1)[0]
                self.packages.setdefault(name, Package(name)).add(each)
            else:
                raise DefinitionError(f"{each!r} is no definition: give a ResourceType, a Function or a Package.")

    def __call__(self, call: Call) -> Reply:
        """Answer one call, through all layers: the in-process client of the engines that are Python."""
        return self._handler(call)

    def open(
        self, protocol: str = "pulumi", *, package: str = "", engine: EnginePort | None = None, peer: str = "in-process"
    ) -> Session:
        """A new session, as a new connection opens one. ``engine`` is the way back to whoever calls."""
        with self._lock:
            self._sessions += 1
            session = Session(protocol, self._sessions, peer, engine)
        session.schema = self.packages.get(package) or (next(iter(self.packages.values()), None) if not package else None)
        return session

    def serve(self, protocol: str = "pulumi", *, host: str = "127.0.0.1", port: int = 0) -> Serving:
        """Serve over gRPC, on loopback unless told otherwise: one server a package, found through ``environment``.

        ``protocol`` is ``pulumi`` or ``terraform``; ``port`` 0 takes free ones. Raises ``PluginError`` if the port is taken.
        """
        serving = Serving(self, protocol, host, port)
        self._served.append(serving)
        return serving

    def raise_errors(self) -> None:
        """Raise the first of our own errors that an engine was told as a status, so that a test cannot miss it."""
        if self.errors:
            raise self.errors[0]

    def close(self) -> None:
        """Stop serving and end what was started. Safe to call again."""
        served, self._served = self._served, []
        for each in served:
            each.stop()
        close = getattr(self._provider, "close", None)
        if close is not None:
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Address(Struct, frozen=True):
    """Where one package is served."""

    package: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class Serving:
    """A double on the network: its addresses, and the environment that leads real engines to them."""

    def __init__(self, double: Double, protocol: str, host: str, port: int) -> None:
        if protocol not in ("pulumi", "terraform"):
            raise DefinitionError(f"There is no protocol {protocol!r}: serve 'pulumi' or 'terraform'.")
        self.double = double
        self.protocol = protocol
        self._host = host
        self._port = port
        self._servers: dict[str, Any] = {}
        self._stopped = False
        self._lock = threading.Lock()
        if port or double.packages:
            self.addresses()

    def addresses(self) -> Mapping[str, Address]:
        """Where each package is served; packages declared since the last look are served from now on.

        Raises ``PluginError`` once it has been stopped.
        """
        with self._lock:
            if self._stopped:
                raise PluginError("This double no longer serves here. Call serve() again for a new address.")
            for package in list(self.double.packages) or [self.double.name]:
                if package not in self._servers:
                    # A port of the user's choice can serve one package; further ones take free ports.
                    self._servers[package] = self._start(package, 0 if self._servers else self._port)
            return {package: Address(package, each.host, each.port) for package, each in self._servers.items()}

    @property
    def address(self) -> str:
        """``host:port`` of the first package."""
        return str(next(iter(self.addresses().values())))

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables by which a real engine finds this double."""
        addresses = self.addresses()
        if self.protocol == "pulumi":
            from mockprovider.pulumi.plugin import attach_environment  # noqa: PLC0415 - imports pulumi, which is slow

            return attach_environment({package: each.port for package, each in addresses.items()})
        from mockprovider.terraform.plugin import reattach_environment, sources  # noqa: PLC0415 - an optional dependency

        # Under a neutral address, and under those of a configuration that names none.
        found = {SOURCE.format(package=name): str(each) for name, each in addresses.items()}
        found |= {source: str(each) for name, each in addresses.items() for source in sources(name)}
        return reattach_environment(found)

    def _start(self, package: str, port: int) -> Any:
        from mockprovider.wire.server import Endpoint, serve  # noqa: PLC0415 - grpc is slow to import

        services, protocol = _services(self.protocol)
        endpoint = Endpoint(
            services[0],
            self.double,
            lambda peer: self.double.open(protocol, package=package, peer=peer),
            self.double.errors.append,
        )
        return serve([endpoint], host=self._host, port=port, handlers=services[1])

    def stop(self) -> None:
        """Stop serving. Safe to call again."""
        with self._lock:
            self._stopped = True
            servers, self._servers = list(self._servers.values()), {}
        for each in servers:
            each.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _services(protocol: str) -> tuple[tuple[Any, tuple[Any, ...]], str]:
    if protocol == "pulumi":
        from mockprovider.pulumi.methods import PROVIDER  # noqa: PLC0415 - imports pulumi, which is slow

        return (PROVIDER, ()), "pulumi"
    from mockprovider.terraform.methods import PROVIDER6  # noqa: PLC0415 - an optional dependency
    from mockprovider.terraform.plugin import controller  # noqa: PLC0415 - an optional dependency

    return (PROVIDER6, (controller(),)), "tfplugin6"
