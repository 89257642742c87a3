"""``mockprovider schema``: schemas of packages that exist, and what their providers decide beyond them."""

from __future__ import annotations

import click

from mockprovider.cli.harvesting import judge
from mockprovider.cli.options import Group


@click.group(cls=Group)
def schema() -> None:
    """Schemas of packages that exist."""


schema.add_command(judge)
