"""What the engine and the user asked of this process: by the executable's name, its arguments, and variables."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from mockprovider.errors import PluginError
from mockprovider.protocols import ProviderProtocol, families, known, loaded, of_executable
from mockprovider.wire.starter import Starter

RELAY = "MOCKPROVIDER_RELAY"
TYPES = "MOCKPROVIDER_TYPES"
CLOUD = "MOCKPROVIDER_CLOUD"
SEED = "MOCKPROVIDER_SEED"
CLOUD_FILE = Path(".mockprovider", "cloud.sqlite")
"""The cloud unless another is named: below the working directory, which engines make the program's or the root module's."""


class PluginRequest(Struct, frozen=True):
    """What engine and user ask of a plugin process: what to serve, and how.

    ``relay`` is the address of a double's door; where it is empty, the files ``types`` say what is served, from the ``cloud``.
    ``engine`` is the engine's address, where it gives one.
    """

    protocol: ProviderProtocol
    package: str
    engine: str = ""
    relay: str = ""
    types: tuple[Path, ...] = ()
    cloud: Path = CLOUD_FILE
    seed: int = 0


def read(arguments: Sequence[str], environment: Mapping[str, str]) -> PluginRequest:
    """What was asked. ``arguments`` begin with the executable's path. Raises ``PluginError`` for a name that says nothing."""
    executable = Path(arguments[0] if arguments else "")
    identity = of_executable(executable.name)
    if identity is None:
        raise PluginError(_nameless(executable.name))
    protocol, package = identity
    types = tuple(Path(path) for path in environment.get(TYPES, "").split(os.pathsep) if path)
    return PluginRequest(
        protocol,
        package,
        engine=starter(protocol).engine_address(arguments),
        relay=_relay(environment.get(RELAY, ""), package),
        types=types or (executable.absolute().with_name(f"{package}.types.json"),),
        cloud=Path(environment.get(CLOUD) or CLOUD_FILE),
        seed=_number(environment.get(SEED) or "0"),
    )


def starter(protocol: ProviderProtocol) -> Starter:
    """What is particular about plugins of this protocol. Raises ``PluginError`` if engines start none."""
    if not protocol.starter:
        raise PluginError(f"Engines that speak {protocol.family} start no plugins: let them attach to a double instead.")
    plugin_starter: Starter = loaded(protocol.starter)()
    return plugin_starter


def _nameless(executable: str) -> str:
    prefixes = list(dict.fromkeys(protocol.executable for protocol in known() if protocol.executable))
    return (
        f"{executable!r} is no plugin's name: engines look for {' and '.join(f'{prefix}NAME' for prefix in prefixes)}. "
        f"To make one: mockprovider plugin install {next(iter(families()))} NAME --into DIR"
    )


def _relay(text: str, package: str) -> str:
    """The door for a package: of ``127.0.0.1:1`` for all, or of ``cloud=127.0.0.1:1,net=127.0.0.1:2``."""
    addresses = dict(entry.strip().rpartition("=")[::2] for entry in text.split(",") if entry.strip())
    return addresses.get(package) or addresses.get("", "")


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise PluginError(f"{SEED}={text!r} is no number.") from error
