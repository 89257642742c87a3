"""A double on the network: one server a package, and the environment that leads real engines there."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, Protocol, Self

from msgspec import Struct

from mockprovider.calls import Call, EnginePort, Reply, Session
from mockprovider.double.remote import Remote
from mockprovider.errors import DefinitionError, PluginError
from mockprovider.schema import Package

SOURCE = "example.com/mock/{package}"
"""Terraform's source address of our packages: a neutral host, because Terraform and OpenTofu expand short ones differently."""

MAJORS = (5, 6)
"""The majors of Terraform's protocol that can be served."""


class Servable(Protocol):
    """What can be served: a ``Double``."""

    name: str
    major: int
    major_is_fixed: bool
    is_fake: bool
    packages: dict[str, Package]
    errors: list[BaseException]

    def __call__(self, call: Call) -> Reply:
        """Answer one call."""

    def open(self, protocol: str = ..., *, package: str = ..., engine: EnginePort | None = ..., peer: str = ...) -> Session:
        """The session of a new connection."""


class Address(Struct, frozen=True):
    """Where one package is served."""

    package: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class Serving:
    """A double on the network: its addresses, and the environment that leads real engines to them."""

    def __init__(self, double: Servable, protocol: str, host: str, port: int, major: int | None = None) -> None:
        if protocol not in ("pulumi", "terraform"):
            raise DefinitionError(f"There is no protocol {protocol!r}: serve 'pulumi' or 'terraform'.")
        self.double = double
        self.protocol = protocol
        self.major = _major(double, protocol, major)
        """Which of Terraform's protocols is spoken here: 5 or 6."""
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
        return reattach_environment(found, self.major)

    def client(self) -> Remote:
        """A client for engines that are Python: the double's own interface (``open``, and calling it), over the wire.

        Close it when done, or use it in a ``with`` block. Without the wire the same is the double itself.
        """
        spoken = "pulumi" if self.protocol == "pulumi" else f"tfplugin{self.major}"
        return Remote(self.double, spoken, self.addresses)

    def _start(self, package: str, port: int) -> Any:
        from mockprovider.wire.server import Endpoint, serve  # noqa: PLC0415 - grpc is slow to import

        services, protocol = _services(self.protocol, self.major)
        endpoint = Endpoint(
            services[0],
            self.double,
            lambda peer: self.double.open(protocol, package=package, peer=peer),
            self.double.errors.append,
            # What stands behind us may know RPCs that we do not; the fake does not.
            forward_unknown=not self.double.is_fake,
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


def _major(double: Servable, protocol: str, asked: int | None) -> int:
    if asked is None:
        return double.major
    if protocol == "pulumi":
        raise DefinitionError(f"major={asked} is of Terraform's protocols; Pulumi has one. Leave it out, or serve 'terraform'.")
    if asked not in MAJORS:
        raise DefinitionError(f"There is no major {asked!r} of Terraform's protocol: serve 5 or 6.")
    if double.major_is_fixed and asked != double.major:
        raise DefinitionError(
            f"What stands behind this double speaks Terraform's protocol {double.major}, and {asked} was asked for. "
            "Leave major out; only the fake speaks both."
        )
    return asked


def _services(protocol: str, major: int) -> tuple[tuple[Any, tuple[Any, ...]], str]:
    if protocol == "pulumi":
        from mockprovider.pulumi.methods import PROVIDER  # noqa: PLC0415 - imports pulumi, which is slow

        return (PROVIDER, ()), "pulumi"
    from mockprovider.terraform.methods import SERVICES  # noqa: PLC0415 - an optional dependency
    from mockprovider.terraform.plugin import controller  # noqa: PLC0415 - an optional dependency

    return (SERVICES[major], (controller(),)), f"tfplugin{major}"
