"""A double served by this process itself: one that a script gives, or one of the types that files declare."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, NoReturn

from mockprovider.calls import Call, Session
from mockprovider.cli.types import read_types
from mockprovider.cloud import Cloud
from mockprovider.double import Double, RealClock
from mockprovider.double.serving import endpoint
from mockprovider.errors import DefinitionError, MockProviderError
from mockprovider.plugin.asked import RELAY, TYPES, PluginRequest, starter
from mockprovider.plugin.log import narrating, say
from mockprovider.protocols import of_family
from mockprovider.schema import Package
from mockprovider.tape.cloudfile import SqliteStore


def chosen(asked: PluginRequest, double: Double | None, stack: ExitStack) -> Double:
    """What to serve: the ``double`` that a script of the user's gives, or what files declare; it ends with ``stack``.

    Raises ``DefinitionError`` if it has no such package, and as ``declared`` does.
    """
    if double is None:
        return declared(asked, stack)
    stack.enter_context(double)
    if double.packages and asked.package not in double.packages.offered:
        served = ", ".join(double.packages.offered)
        raise DefinitionError(
            f"This executable is asked for the package {asked.package!r}, and its double has {served}. Engines go by the "
            "executable's name: give it that of a package, or define a type of the one that it is asked for."
        )
    return double


def declared(asked: PluginRequest, stack: ExitStack) -> Double:
    """A double of the types that the files declare; it ends with ``stack``.

    Raises ``DefinitionError`` if a file is missing or broken or declares something else, ``MockProviderError`` if the cloud
    cannot be opened.
    """
    missing = [str(path) for path in asked.types if not path.exists()]
    if missing:
        raise DefinitionError(
            f"There is no types file {', '.join(missing)}. Put one there, name one in {TYPES}, or a running double in {RELAY}."
        )
    packages = read_types(asked.types)
    if asked.package not in {package.name for package in packages}:
        offered = ", ".join(package.name for package in packages) or "nothing"
        files = ", ".join(map(str, asked.types))
        raise DefinitionError(f"{files} declares {offered}, and no package {asked.package!r}, which this plugin is asked for.")
    cloud = stack.enter_context(SqliteStore(asked.cloud))
    log = starter(asked.protocol)
    say(log, "debug", f"The cloud is {asked.cloud.absolute()}.")
    return stack.enter_context(
        Double(*packages, layers=(narrating(log),), cloud=Cloud(cloud, asked.seed), seed=asked.seed, clock=RealClock())
    )


def refusing(asked: PluginRequest, error: MockProviderError, stack: ExitStack) -> Double:
    """A double that answers every call with ``error``."""

    def refuse(_: Call) -> NoReturn:
        raise error

    return stack.enter_context(Double(Package(asked.package), provider=refuse))


def serve(
    asked: PluginRequest, double: Double, stack: ExitStack, *, version: int, socket: str, on_shutdown: Callable[[str], Any]
) -> str:
    """Serve the package on loopback, or at a unix ``socket``, until ``stack`` ends; where, as gRPC spells it."""
    from mockprovider.wire.server import serve as serve_grpc  # noqa: PLC0415 - imported once the types are known to be good

    def introduce(session: Session) -> None:
        if asked.engine:
            session.engine_address = asked.engine

    protocol = of_family(asked.protocol.family, version or None)
    served, handlers = endpoint(double, protocol, asked.package, introduce, on_shutdown=on_shutdown)
    address = stack.enter_context(serve_grpc([served], handlers=handlers, socket=socket)).address
    say(starter(asked.protocol), "debug", f"Serving {asked.package} at {address}.")
    return address
