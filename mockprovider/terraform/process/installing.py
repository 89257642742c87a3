"""The places where Terraform and OpenTofu look for provider executables, and the settings for these places."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable
from pathlib import Path

SOURCE = "example.com/mock/{package}"
"""The source address of our packages, with a neutral host, because Terraform and OpenTofu expand short ones differently."""

REGISTRIES = ("registry.terraform.io", "registry.opentofu.org")
"""The registries of Terraform and OpenTofu for a provider without a source, which is under ``hashicorp`` there."""

MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


def sources(package: str) -> tuple[str, ...]:
    """The source addresses of a package: a neutral one, and those of a configuration without ``required_providers``.

    Of an address those are this one, under both registries unless it is of another host.
    """
    if "/" in package:
        *host, namespace, name = package.lower().split("/")
        hosts = host if host and host[0] not in REGISTRIES else REGISTRIES
        return tuple(f"{host}/{namespace}/{name}" for host in hosts)
    return (SOURCE.format(package=package), *(f"{registry}/hashicorp/{package}" for registry in REGISTRIES))


def this_machine() -> str:
    """The operating system and machine as in mirrors: ``linux_amd64``."""
    machine = platform.machine().lower()
    return f"{platform.system().lower()}_{MACHINES.get(machine, machine)}"


def dev_overrides(folder: Path, packages: Iterable[str]) -> str:
    """A CLI configuration file with which Terraform and OpenTofu use the launchers in ``folder`` without ``init``."""
    lines = [f"    {json.dumps(source)} = {json.dumps(str(folder))}\n" for name in packages for source in sources(name)]
    return f"disable_checkpoint = true\nprovider_installation {{\n  dev_overrides {{\n{''.join(lines)}  }}\n}}\n"


def mirror(folder: Path) -> str:
    """A CLI configuration file with which ``init`` uses the launchers in ``folder`` and no registry."""
    installation = f"provider_installation {{\n  filesystem_mirror {{\n    path = {json.dumps(str(folder))}\n  }}\n}}\n"
    return f"disable_checkpoint = true\n{installation}"
