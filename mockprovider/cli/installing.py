"""``plugin install``: a launcher where an engine looks for one, and what to tell the engine."""

from __future__ import annotations

from pathlib import Path

import click

from mockprovider.cli.types import read_types
from mockprovider.double.launchers import install
from mockprovider.errors import DefinitionError
from mockprovider.protocols import of_family
from mockprovider.wire.adapter import adapter


def install_plugin(protocol: str, name: str, into: Path, *, types: Path | None, version: str, source: str) -> None:
    """Install, and say how the engine finds it. Raises ``DefinitionError`` for types that declare another package."""
    text = ""
    if types is not None:
        declared = [package.name for package in read_types([types])]
        if name not in declared:
            raise DefinitionError(
                f"{types} declares {', '.join(declared)}, and no package {name!r}. Install that, or change the file."
            )
        text = types.read_text(encoding="utf-8")
    into = into.absolute()
    plugin = install(protocol, name, into, types=text, version=version, source=source)
    click.echo(f"Installed {plugin}.")
    if not text:
        click.echo(
            f"It relays to the double that MOCKPROVIDER_RELAY names, or serves {name}.types.json, if you put that beside it."
        )
    click.echo(adapter(of_family(protocol)).advice(name, into, version))
