"""What the engine and the user asked of this process: by the executable's name, its arguments, and variables."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from mockprovider.errors import PluginError

PREFIXES = {"pulumi-resource-": "pulumi", "terraform-provider-": "terraform"}
RELAY = "MOCKPROVIDER_RELAY"
TYPES = "MOCKPROVIDER_TYPES"
CLOUD = "MOCKPROVIDER_CLOUD"
SEED = "MOCKPROVIDER_SEED"
CLOUD_FILE = Path(".mockprovider", "cloud.sqlite")
"""The cloud unless another is named: below the working directory, which engines make the program's or the root module's."""


class Asked(Struct, frozen=True):
    """What engine and user ask of a plugin process: what to serve, and how.

    ``relay`` is the address of a double's door; where it is empty, the files ``types`` say what is served, from the ``cloud``.
    ``engine`` is the address that Pulumi's engine gives.
    """

    protocol: str
    package: str
    engine: str = ""
    relay: str = ""
    types: tuple[Path, ...] = ()
    cloud: Path = CLOUD_FILE
    seed: int = 0


def read(arguments: Sequence[str], environment: Mapping[str, str]) -> Asked:
    """What was asked. ``arguments`` begin with the executable's path. Raises ``PluginError`` for a name that says nothing."""
    executable = Path(arguments[0] if arguments else "")
    protocol, package = _named(executable.name)
    given = tuple(Path(each) for each in environment.get(TYPES, "").split(os.pathsep) if each)
    return Asked(
        protocol,
        package,
        # The engine's address is always the last argument, after flags that are no business of ours.
        engine=arguments[-1] if protocol == "pulumi" and len(arguments) > 1 else "",
        relay=_relay(environment.get(RELAY, ""), package),
        types=given or (executable.absolute().with_name(f"{package}.types.json"),),
        cloud=Path(environment.get(CLOUD) or CLOUD_FILE),
        seed=_number(environment.get(SEED) or "0"),
    )


def _named(executable: str) -> tuple[str, str]:
    name = executable.removesuffix(".exe")
    for prefix, protocol in PREFIXES.items():
        package = name.removeprefix(prefix)
        if package not in ("", name):
            # Terraform's executables may end in their version.
            return protocol, package.split("_")[0]
    raise PluginError(
        f"{executable!r} is no plugin's name: engines look for pulumi-resource-NAME and terraform-provider-NAME. "
        "To make one: mockprovider plugin install pulumi NAME --into DIR"
    )


def _relay(text: str, package: str) -> str:
    """The door for a package: of ``127.0.0.1:1`` for all, or of ``cloud=127.0.0.1:1,net=127.0.0.1:2``."""
    found = dict(each.strip().rpartition("=")[::2] for each in text.split(",") if each.strip())
    return found.get(package) or found.get("", "")


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise PluginError(f"{SEED}={text!r} is no number.") from error
