"""``cassette report``: what a cassette holds, and what a replay of it will refuse."""

from __future__ import annotations

import json
from pathlib import Path

import click

from mockprovider.cassette.report import lines
from mockprovider.cli.cassette.progress import progress
from mockprovider.cli.cassette.screen import sentences, show
from mockprovider.double.reporting import reported


def report_file(file: Path, *, as_json: bool) -> None:
    """Say what a cassette holds and what a replay of it will refuse. Raises as ``tape.load`` does."""
    with progress(f"Reading {file}", quiet=as_json):
        report = reported(file)
    if as_json:
        click.echo(json.dumps(report.to_json(), indent=1, ensure_ascii=False))
        return
    first, *others = lines(report)
    show([*sentences(first, "title"), *(line for other in others for line in sentences(other))])
