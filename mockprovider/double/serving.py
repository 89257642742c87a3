"""A double on the network: one server a package, and the environment that leads real engines there."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, Self

from msgspec import Struct

from mockprovider.calls import Call, EnginePort, Reply, Session
from mockprovider.double.launchers import dev_overrides, install, sources
from mockprovider.double.remote import Remote
from mockprovider.errors import DefinitionError, PluginError
from mockprovider.schema import Package

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
    """Host and port at which one package is served."""

    package: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class Serving:
    """A double on the network: its addresses, and the environment that leads real engines to them."""

    def __init__(self, double: Servable, protocol: str, host: str, port: int, major: int | None = None) -> None:
        if protocol not in ("pulumi", "terraform"):
            raise DefinitionError(
                f"There is no protocol {protocol!r}: serve 'pulumi' or 'terraform', which is OpenTofu's, too."
            )
        self.double = double
        self.protocol = protocol
        self.major = _major(double, protocol, major)
        """Which of Terraform's protocols is spoken here: 5 or 6."""
        self._host = host
        self._port = port
        self._servers: dict[str, Any] = {}
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
        from mockprovider.terraform.plugin import reattach_environment  # noqa: PLC0415 - an optional dependency

        found = {source: str(each) for name, each in addresses.items() for source in sources(name)}
        return reattach_environment(found, self.major)

    @property
    def relay(self) -> str:
        """``host:port`` at which a plugin that an engine has started finds this double (``MOCKPROVIDER_RELAY``)."""
        with self._lock:
            self.addresses()
            if self._door is None:
                from mockprovider.double.relay import Door  # noqa: PLC0415 - only where an engine starts plugins

                self._door = Door(self.addresses, spoken(self.protocol, self.major), self._host)
            address: str = self._door.address
            return address

    def plugin_environment(self, folder: Path) -> dict[str, str]:
        """The variables by which an engine starts a plugin process of its own for each provider, and each is led here.

        Launchers are written into ``folder``. Where ``environment`` has the engine attach to this process, this has it do what
        it does with real providers: look for an executable, start it, shake hands, and end it.
        """
        for package in self.addresses():
            install(self.protocol, package, folder)
        if self.protocol == "pulumi":
            return {"MOCKPROVIDER_RELAY": self.relay, "PATH": os.pathsep.join([str(folder), os.environ.get("PATH", "")])}
        settings = folder / "cli.tfrc"
        settings.write_text(dev_overrides(folder, self.addresses()), encoding="utf-8")
        return {"MOCKPROVIDER_RELAY": self.relay, "TF_CLI_CONFIG_FILE": str(settings)}

    def client(self) -> Remote:
        """A client for engines that are Python: the double's own interface (``open``, and calling it), over the wire.

        Close it when done, or use it in a ``with`` block. Without the wire the same is the double itself.
        """
        return Remote(self.double, spoken(self.protocol, self.major), self.addresses)

    def _start(self, package: str, port: int) -> Any:
        from mockprovider.wire.server import serve  # noqa: PLC0415 - grpc is slow to import

        served, handlers = endpoint(
            self.double, self.protocol, self.major, package, self._introduce, identify=self._identify, on_shutdown=self._end
        )
        return serve([served], host=self._host, port=port, handlers=handlers)

    def _identify(self, peer: str) -> str:
        return self._door.identify(peer) if self._door else peer

    def _introduce(self, session: Session) -> None:
        if self._door:
            self._door.introduce(session)

    def _end(self, peer: str) -> None:
        if self._door:
            self._door.end(peer)

    def stop(self) -> None:
        """Stop serving. Safe to call again."""
        with self._lock:
            self._stopped = True
            servers, self._servers = list(self._servers.values()), {}
        for each in (self._door, *servers):
            if each is not None:
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


def joint_environment(*servings: Serving) -> dict[str, str]:
    """The variables that lead one engine to several doubles, as ``Serving.environment`` leads it to one.

    Raises ``DefinitionError`` if two of them serve a package of the same name.
    """
    joint: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    for serving in servings:
        for package in serving.addresses():
            if (serving.protocol, package) in seen:
                raise DefinitionError(f"Two doubles serve the package {package!r}, and an engine can be led to one of them.")
            seen.add((serving.protocol, package))
        for variable, value in serving.environment.items():
            joint[variable] = _both(joint[variable], value) if variable in joint else value
    return joint


def _both(one: str, other: str) -> str:
    """Two values of one variable: Terraform's are JSON objects, Pulumi's have commas between."""
    return json.dumps(json.loads(one) | json.loads(other)) if one.startswith("{") else f"{one},{other}"


def endpoint(
    double: Servable,
    protocol: str,
    major: int,
    package: str,
    introduce: Callable[[Session], None],
    *,
    identify: Callable[[str], str] = str,
    on_shutdown: Callable[[str], Any] = str,
) -> tuple[Any, tuple[Any, ...]]:
    """What serves one package of a double over gRPC: its endpoint, and the handlers beside it.

    ``introduce`` is told of each new session, ``on_shutdown`` of the address of an engine that is done.
    """
    from mockprovider.wire.server import Endpoint  # noqa: PLC0415 - grpc is slow to import

    def open_(who: str) -> Session:
        session = double.open(spoken(protocol, major), package=package, peer=who)
        introduce(session)
        return session

    service, handlers = _services(protocol, major, on_shutdown)
    made = Endpoint(
        service,
        double,
        open_,
        double.errors.append,
        # What stands behind us may know RPCs that we do not; the fake does not.
        forward_unknown=not double.is_fake,
        identify=identify,
    )
    return made, handlers


def spoken(protocol: str, major: int) -> str:
    """What a session of ``protocol`` calls it: ``pulumi``, ``tfplugin5`` or ``tfplugin6``."""
    return protocol if protocol == "pulumi" else f"tfplugin{major}"


def _services(protocol: str, major: int, on_shutdown: Callable[[str], Any]) -> tuple[Any, tuple[Any, ...]]:
    if protocol == "pulumi":
        from mockprovider.pulumi.methods import PROVIDER  # noqa: PLC0415 - imports pulumi, which is slow

        return PROVIDER, ()
    from mockprovider.terraform.methods import SERVICES  # noqa: PLC0415 - an optional dependency
    from mockprovider.terraform.plugin import controller  # noqa: PLC0415 - an optional dependency

    return SERVICES[major], (controller(on_shutdown),)
