"""The handshake line of a started plugin, written and read (reference 1.1, 1.2). Imports nothing slow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from mockprovider.errors import PluginError

MAJORS = (5, 6)
"""The supported majors of the provider protocol."""

COOKIE_NAME = "TF_PLUGIN_MAGIC_COOKIE"
COOKIE = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"
"""The value that engines set to show a plugin that it was not started by hand; a constant of the protocol, not a secret."""

CORE = "1"
"""The version of the handshake line itself."""

# Our plugin, started by an engine.


def check_cookie(environment: Mapping[str, str]) -> None:
    """Raises ``PluginError`` unless an engine started this process."""
    if environment.get(COOKIE_NAME) != COOKIE:
        raise PluginError(
            "This is a Terraform provider plugin: terraform and tofu start it, it does nothing by itself. "
            "To serve a double to an engine, run: mockprovider serve terraform"
        )


def choose_major(environment: Mapping[str, str], served: Iterable[int] = MAJORS) -> int:
    """The highest major that the engine offers and we serve; our lowest if there is none."""
    offered = {version.strip() for version in environment.get("PLUGIN_PROTOCOL_VERSIONS", "").split(",")}
    both = [major for major in served if str(major) in offered]
    return max(both) if both else min(served)


def handshake_line(major: int, address: str, certificate: str = "") -> str:
    """The line that a started plugin prints before anything else, without its newline.

    ``address`` is ``host:port`` or ``unix:path``; ``certificate`` is the server's for TLS, as ``tls.Identity`` has it.
    """
    network, place = ("unix", address.removeprefix("unix:")) if address.startswith("unix:") else ("tcp", address)
    return f"{CORE}|{major}|{network}|{place}|grpc|{certificate}"


# A real provider, started by us.


class Handshake(Struct, frozen=True):
    """A plugin's handshake: the major of its protocol, and its address in gRPC's form."""

    major: int
    target: str


def read_handshake(line: str, name: str) -> Handshake:
    """The handshake in a line; ``name`` is the plugin's name in errors. Raises ``PluginError`` for any other line."""
    parts = line.strip().split("|")
    if len(parts) < 4:
        raise PluginError(
            f"{name} is no Terraform provider: its first line must look like 1|5|unix|ADDRESS|grpc, and is {line!r}."
        )
    core, major, network, address, *rest = parts
    if core != CORE:
        raise PluginError(f"{name} speaks version {core} of the plugin handshake, this is version {CORE}: {line!r}.")
    if (rest[0] if rest else "netrpc") != "grpc":
        raise PluginError(
            f"{name} does not speak gRPC, but {rest[0] if rest else 'netrpc'!r}: it is from before Terraform 0.12."
        )
    if not major.isdecimal() or int(major) not in MAJORS:
        raise PluginError(f"{name} speaks protocol {major}; known are {', '.join(map(str, MAJORS))}.")
    if network not in ("unix", "tcp"):
        raise PluginError(f"{name} listens on a network of kind {network!r}; known are unix and tcp.")
    if len(rest) > 1 and rest[1]:
        raise PluginError(f"{name} serves TLS although nobody asked for it; only plaintext is spoken here.")
    return Handshake(int(major), f"unix:{address}" if network == "unix" else address)
