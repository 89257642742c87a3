"""``cassette import`` and ``cassette export``: logs that engines wrote."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from mockprovider.cassette.report import lines
from mockprovider.cassette.report.words import number_of
from mockprovider.cli.cassette.progress import progress
from mockprovider.cli.options import naming
from mockprovider.double.cassettes import deciding
from mockprovider.double.foreign import export_log, import_log, said_left_out
from mockprovider.double.reporting import from_here, reported


def import_file(log: Path, into: Path, providers: Sequence[str], places: Mapping[str, Sequence[str]], *, force: bool) -> None:
    """Make a cassette of a log, and say what is in it and what is not. Raises as ``import_log`` does."""
    with progress(f"Importing {log}"):
        imported = import_log(
            log,
            into,
            chosen=providers,
            redactor=deciding(**places),
            created_by=_again(log, into, providers, places),
            replace=force,
        )
        report = reported(into, notices=imported.notes)
    click.echo("Imported " + "\n".join(lines(report)))
    if imported.left_out:
        click.echo(said_left_out(imported.left_out))


def export_file(file: Path, into: Path, *, force: bool) -> None:
    """Write a cassette as a log, and say what it does not have. Raises as ``export_log`` does."""
    with progress(f"Exporting {file}"):
        exported = export_log(file, into, replace=force)
    click.echo(f"{from_here(into)}: {number_of(exported.calls, 'call')}, in the order of {from_here(file)}.")
    click.echo("It lacks what no cassette keeps: random seeds, addresses, proposed names, what the engine said of itself.")
    if exported.left_out:
        click.echo(said_left_out(exported.left_out))
    if exported.secrets:
        became = "became a placeholder" if exported.secrets == 1 else "became placeholders"
        click.echo(f"{number_of(exported.secrets, 'secret')} {became}, such as mockprovider-secret-1.")


def _again(log: Path, into: Path, providers: Sequence[str], places: Mapping[str, Sequence[str]]) -> str:
    """The command, without the folders of this machine."""
    chosen = [word for name in providers for word in ("--provider", name)]
    words = [log.name, "--into", into.name, *chosen, *naming(places)]
    return f"mockprovider cassette import {shlex.join(words)}"
