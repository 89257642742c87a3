"""``cassette migrate``: cassettes of older versions, written as those of today."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from mockprovider.cli.cassette.progress import progress
from mockprovider.cli.cassette.screen import ShownLine, in_json, sentences, show
from mockprovider.double.migrating import MigratedFile, migrate
from mockprovider.double.reporting import from_here
from mockprovider.errors import MockProviderError


def migrate_files(files: Sequence[Path], *, dry_run: bool, as_json: bool) -> bool:
    """Write cassettes as this version does, say what changed, and return whether all could be."""
    with progress("Migrating", quiet=as_json) as line:
        results = []
        for file in dict.fromkeys(files):
            line(f"Migrating {file}")
            results.append(_migrated(file, dry_run=dry_run))
    if as_json:
        click.echo(in_json({"dry_run": dry_run, "cassettes": [*map(_json, results)]}))
    else:
        show(line for result in results for line in _told(result, dry_run=dry_run))
    return not any(error for _, _, error in results)


def _migrated(file: Path, *, dry_run: bool) -> tuple[Path, MigratedFile | None, str]:
    """What became of a file, or why nothing did: the others are migrated nevertheless."""
    try:
        return file, migrate(file, dry_run=dry_run), ""
    except MockProviderError as error:
        return file, None, str(error).rstrip()


def _told(result: tuple[Path, MigratedFile | None, str], *, dry_run: bool) -> Iterator[ShownLine]:
    file, migrated, error = result
    if migrated is None:
        yield from sentences(error, "failure")
    elif migrated.changes:
        yield from sentences(
            f"{from_here(file)}: {'would be ' if dry_run else ''}rewritten: {'; '.join(migrated.changes)}.", "change"
        )
    else:
        yield from sentences(f"{from_here(file)}: it is as this version writes it.")


def _json(result: tuple[Path, MigratedFile | None, str]) -> dict[str, object]:
    file, migrated, error = result
    if migrated is None:
        return {"name": from_here(file), "error": error}
    return {"name": from_here(file), "version": migrated.version, "changes": migrated.changes}
