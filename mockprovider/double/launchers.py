"""Small executables that engines find by name and start: each runs ``mockprovider.plugin`` (reference 1.1 and 1.7)."""

from __future__ import annotations

import json
import platform
import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from mockprovider.errors import DefinitionError

SOURCE = "example.com/mock/{package}"
"""Terraform's source address of our packages: a neutral host, because Terraform and OpenTofu expand short ones differently."""

PREFIXES = {"pulumi": "pulumi-resource-", "terraform": "terraform-provider-"}
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
EXECUTABLE = 0o755


def install(protocol: str, name: str, into: Path, *, types: str = "", version: str = "", source: str = "") -> Path:
    """Write a launcher for the package ``name`` where an engine looks for one, and return its path.

    Without ``version`` it goes straight into the folder ``into``, for ``PATH`` or ``dev_overrides``. With one, ``into`` is what
    holds many: ``$PULUMI_HOME/plugins``, or Terraform's filesystem mirror, there under ``source``
    (``example.com/mock/NAME`` unless given). ``types`` is the text of the types file that is put beside it.

    The text of a launcher is the same each time, because Terraform keeps checksums. Raises ``DefinitionError`` for a name,
    version or source that cannot be one.
    """
    _check(protocol, name, version, source)
    folder = _folder(protocol, name, into, version, source)
    folder.mkdir(parents=True, exist_ok=True)
    suffix = f"_v{version}" if version and protocol == "terraform" else ""
    path = folder / f"{PREFIXES[protocol]}{name}{suffix}"
    path.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -P -m mockprovider.plugin "$0" "$@"\n', encoding="utf-8")
    path.chmod(EXECUTABLE)
    if types:
        beside(path, name).write_text(types, encoding="utf-8")
    return path


def named(command: Sequence[str]) -> tuple[str, str]:
    """A provider's protocol and package, by the engines' rule for its executable's name; empty where that follows none."""
    for part in command:
        file = Path(part).name.removesuffix(".exe")
        for protocol, prefix in PREFIXES.items():
            if file.startswith(prefix):
                return protocol, file.removeprefix(prefix).split("_")[0]
    return "", ""


def beside(executable: Path, name: str) -> Path:
    """The types file that a launcher looks for beside itself."""
    return executable.with_name(f"{name}.types.json")


def _check(protocol: str, name: str, version: str, source: str) -> None:
    if protocol not in PREFIXES:
        raise DefinitionError(f"There is no protocol {protocol!r}: install a plugin for 'pulumi' or 'terraform'.")
    if not name or not all(mark.isalnum() or mark == "-" for mark in name):
        raise DefinitionError(f"{name!r} cannot be a plugin's name: letters, digits and dashes alone.")
    if version and not re.fullmatch(r"\d+\.\d+\.\d+([-+][\w.+-]+)?", version):
        raise DefinitionError(f"{version!r} is no version: write three numbers, such as 1.0.0.")
    if source and (protocol == "pulumi" or len(source.split("/")) != 3):
        raise DefinitionError(f"{source!r} is no source address of a Terraform provider: write HOST/NAMESPACE/TYPE.")


def _folder(protocol: str, name: str, into: Path, version: str, source: str) -> Path:
    if not version:
        return into
    if protocol == "pulumi":
        return into / f"resource-{name}-v{version}"
    return into / (source or SOURCE.format(package=name)) / version / this_machine()


def sources(package: str) -> tuple[str, ...]:
    """The source addresses of a package: a neutral one, and those of a configuration that names none."""
    from mockprovider.terraform.process.plugin import sources as unnamed  # noqa: PLC0415 - an optional dependency

    return (SOURCE.format(package=package), *unnamed(package))


def this_machine() -> str:
    """The operating system and machine as Terraform's mirrors spell them: ``linux_amd64``."""
    machine = platform.machine().lower()
    return f"{platform.system().lower()}_{MACHINES.get(machine, machine)}"


def dev_overrides(folder: Path, packages: Iterable[str]) -> str:
    """A CLI configuration file by which Terraform and OpenTofu find the launchers in ``folder``, without ``init``."""
    lines = [f"    {json.dumps(source)} = {json.dumps(str(folder))}\n" for name in packages for source in sources(name)]
    return f"disable_checkpoint = true\nprovider_installation {{\n  dev_overrides {{\n{''.join(lines)}  }}\n}}\n"


def mirror(folder: Path) -> str:
    """A CLI configuration file by which ``init`` finds the launchers in ``folder``, and asks no registry."""
    found = f"provider_installation {{\n  filesystem_mirror {{\n    path = {json.dumps(str(folder))}\n  }}\n}}\n"
    return f"disable_checkpoint = true\n{found}"
