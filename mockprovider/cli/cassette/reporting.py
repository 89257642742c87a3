"""``cassette report``: what a cassette holds, and what a replay of it will refuse."""

from __future__ import annotations

import json
from pathlib import Path

import click

from mockprovider.cassette.report import lines
from mockprovider.double.reporting import reported


def report_file(file: Path, *, as_json: bool) -> None:
    """Say what a cassette holds and what a replay of it will refuse. Raises as ``tape.load`` does."""
    report = reported(file)
    click.echo(json.dumps(report.to_json(), indent=1, ensure_ascii=False) if as_json else "\n".join(lines(report)))
