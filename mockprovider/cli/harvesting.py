"""``mockprovider schema judge``: what a real provider decides, as a types file that needs no plugin."""

from __future__ import annotations

from pathlib import Path

import click

from mockprovider.cli.options import example
from mockprovider.fake.definitions import dump
from mockprovider.files import write_json


@click.command()
@click.argument("plugin")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where the types file goes.",
)
@click.option("--only", multiple=True, metavar="TYPE", help="This type alone, by its name in Terraform; again for each.")
@click.option("--protocol", default="", metavar="NAME", help="What it speaks, where its executable's name does not tell.")
@click.option("--name", default="", metavar="NAME", help="The package's name; taken from the executable's unless given.")
@example(
    "  mockprovider schema judge terraform-provider-random -o random.types.json\n"
    "  mockprovider schema judge ./terraform-provider-aws --only aws_vpc --only aws_subnet -o aws.types.json"
)
def judge(*, plugin: str, output: Path, only: tuple[str, ...], protocol: str, name: str) -> None:
    """Ask the real provider PLUGIN what only it knows.

    That is what forces a replacement, the defaults, and which values it accepts.

    PLUGIN is an executable on PATH, or a path. It is asked offline, without credentials, and nothing is made. The file has the
    schema and the answers, is committed, and needs no plugin from then on: serve it with --types FILE.
    """
    from mockprovider.double import from_plugin  # noqa: PLC0415 - grpc is slow to import

    package = from_plugin(plugin, protocol, name=name)
    # Before all types of a large provider are asked, and not after it.
    output.parent.mkdir(parents=True, exist_ok=True)
    try:
        harvested = package.judge.harvest(only, lambda line: click.echo(line, err=True))
    finally:
        package.judge.close()
    write_json(output, dump([harvested]))
    click.echo(f"Wrote {output}: {len(harvested.resources)} types of {harvested.name}. Serve it with --types {output}.")
