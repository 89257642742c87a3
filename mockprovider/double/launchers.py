"""Small executables that engines find by name and start: each runs ``mockprovider.plugin`` (reference 1.1 and 1.7)."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from mockprovider.errors import DefinitionError
from mockprovider.protocols import ProviderProtocol, of_executable, of_family

EXECUTABLE = 0o755


def install(
    protocol: ProviderProtocol | str, name: str, into: Path, *, types: str = "", version: str = "", source: str = ""
) -> Path:
    """Write a launcher for the package ``name`` where an engine looks for one, and return its path.

    Without ``version`` it goes straight into the folder ``into``, for ``PATH`` or ``dev_overrides``. With one, ``into`` is what
    holds many: ``$PULUMI_HOME/plugins``, or Terraform's filesystem mirror, there under ``source``
    (``example.com/mock/NAME`` unless given). ``types`` is the text of the types file that is put beside it.

    The text of a launcher is the same each time, because Terraform keeps checksums. Raises ``DefinitionError`` for a name,
    version or source that cannot be one.
    """
    from mockprovider.wire.adapter import adapter  # noqa: PLC0415 - grpc is slow to import

    _check(name, version)
    path = adapter(of_family(protocol)).launcher(name, into, version, source)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -P -m mockprovider.plugin "$0" "$@"\n', encoding="utf-8")
    path.chmod(EXECUTABLE)
    if types:
        beside(path, name).write_text(types, encoding="utf-8")
    return path


def named(command: Sequence[str]) -> tuple[str, str]:
    """A provider's protocol and package, by the engines' rule for its executable's name; empty where that follows none."""
    for part in command:
        identity = of_executable(Path(part).name)
        if identity:
            return identity[0].family, identity[1]
    return "", ""


def beside(executable: Path, name: str) -> Path:
    """The types file that a launcher looks for beside itself."""
    return executable.with_name(f"{name}.types.json")


def _check(name: str, version: str) -> None:
    if not name or not all(mark.isalnum() or mark == "-" for mark in name):
        raise DefinitionError(f"{name!r} cannot be a plugin's name: letters, digits and dashes alone.")
    if version and not re.fullmatch(r"\d+\.\d+\.\d+([-+][\w.+-]+)?", version):
        raise DefinitionError(f"{version!r} is no version: write three numbers, such as 1.0.0.")
