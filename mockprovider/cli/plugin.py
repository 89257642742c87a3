"""``mockprovider plugin``: executables that real engines find and start by themselves."""

from __future__ import annotations

from pathlib import Path

import click

from mockprovider.cli.options import FILE, FOLDER, PROTOCOL, Group, example


@click.group(cls=Group)
def plugin() -> None:
    """Executables that real engines find and start by themselves."""


@plugin.command()
@click.argument("protocol", type=PROTOCOL)
@click.argument("name")
@click.option(
    "--into", required=True, type=FOLDER, help="A folder on PATH, or for dev_overrides; with --version, of many plugins."
)
@click.option(
    "--types", type=FILE, metavar="FILE", help="What it serves when no double is there to relay to; see serve --help."
)
@click.option(
    "--version", default="", metavar="VERSION", help="Install as an engine does: $PULUMI_HOME/plugins, or Terraform's mirror."
)
@click.option(
    "--source", default="", metavar="HOST/NAMESPACE/TYPE", help="Its address in a mirror; example.com/mock/NAME unless given."
)
@example("  mockprovider plugin install pulumi storage --types plugins/catalog/storage.json --into bin")
def install(*, protocol: str, name: str, into: Path, types: Path | None, version: str, source: str) -> None:
    """Make the executable by which an engine finds the package NAME."""
    from mockprovider.cli.installing import install_plugin  # noqa: PLC0415 - imports what reads types, which is slow

    if source and not version:
        raise click.UsageError("--source is an address in Terraform's mirror: it goes with terraform and --version.")
    install_plugin(protocol, name, into, types=types, version=version, source=source)
