"""``plugin install``: a launcher where an engine looks for one, and what to tell the engine."""

from __future__ import annotations

import os
from pathlib import Path

import click

from mockprovider.cli.types import read_types
from mockprovider.double.launchers import dev_overrides, install, mirror
from mockprovider.errors import DefinitionError


def install_plugin(protocol: str, name: str, into: Path, *, types: Path | None, version: str, source: str) -> None:
    """Install, and say how the engine finds it. Raises ``DefinitionError`` for types that declare another package."""
    text = ""
    if types is not None:
        there = [each.name for each in read_types([types])]
        if name not in there:
            raise DefinitionError(
                f"{types} declares {', '.join(there)}, and no package {name!r}. Install that, or change the file."
            )
        text = types.read_text(encoding="utf-8")
    into = into.absolute()
    made = install(protocol, name, into, types=text, version=version, source=source)
    click.echo(f"Installed {made}.")
    if not text:
        click.echo(
            f"It relays to the double that MOCKPROVIDER_RELAY names, or serves {name}.types.json, if you put that beside it."
        )
    click.echo(_advice(protocol, name, into, version))


def _advice(protocol: str, name: str, into: Path, version: str) -> str:
    if protocol == "terraform":
        settings = mirror(into) if version else dev_overrides(into, [name])
        after = "Then run init." if version else "There is no init to run."
        return f"In the file that TF_CLI_CONFIG_FILE names:\n\n{settings}\n{after}"
    if version:
        return f"pulumi finds it if {into} is the folder plugins of its home (PULUMI_HOME, or ~/.pulumi)."
    return f"pulumi finds it on PATH:\n\n  export PATH='{into}{os.pathsep}'\"$PATH\""
