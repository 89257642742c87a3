"""``cassette prune``: folders of cassettes without what nothing needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from mockprovider.cassette.report.words import size
from mockprovider.cli.cassette.progress import progress
from mockprovider.cli.cassette.screen import Shown, ShownLine, ShownTable, in_json, sentences, show
from mockprovider.double.pruning import Pruned, PrunedItem, prune
from mockprovider.double.reporting import from_here


def prune_paths(paths: Sequence[Path], *, compact: bool, force: bool, dry_run: bool, as_json: bool) -> bool:
    """Remove what nothing needs, say what it was, and return whether all could be looked into. Raises as ``prune`` does."""
    with progress(f"Looking through {', '.join(map(str, paths))}", quiet=as_json):
        pruned = prune(paths, compact=compact, force=force, dry_run=dry_run)
    if as_json:
        click.echo(in_json(_json(pruned, dry_run=dry_run)))
    else:
        show(_told(pruned, dry_run=dry_run))
    return not pruned.trouble


def _told(pruned: Pruned, *, dry_run: bool) -> Iterator[Shown]:
    would = "Would be " if dry_run else ""
    yield from _table(f"{would}removed:".capitalize(), pruned.removed, "old")
    yield from _table(f"{would}smaller:".capitalize(), pruned.smaller, "change")
    for item in pruned.kept:
        yield from sentences(f"Kept {from_here(item.path)}: {item.what}.", "drift")
    for trouble in pruned.trouble:
        yield from sentences(trouble, "failure")
    yield ShownLine(_freed(pruned, dry_run=dry_run), "title")


def _freed(pruned: Pruned, *, dry_run: bool) -> str:
    if not (pruned.removed or pruned.smaller):
        return "There is nothing to remove."
    freed = size(abs(pruned.freed))
    if pruned.freed < 0:
        # A schema in use is in the file, and its blob was shared with others.
        return f"The files {'would take' if dry_run else 'take'} {freed} more."
    return f"{freed} {'would be' if dry_run else 'are'} free."


def _table(title: str, items: Sequence[PrunedItem], kind: str) -> Iterator[Shown]:
    if items:
        yield ShownLine(title, "title")
        rows = [(_signed(item.freed), from_here(item.path), item.what) for item in items]
        yield ShownTable(
            ("bytes", "file", "what it was" if kind == "old" else "what it has"), rows, [kind] * len(rows), ("file",)
        )


def _signed(freed: int) -> str:
    return f"{-freed:+,}"


def _json(pruned: Pruned, *, dry_run: bool) -> dict[str, object]:
    def listed(items: Sequence[PrunedItem]) -> list[dict[str, object]]:
        return [{"path": from_here(item.path), "what": item.what, "freed": item.freed} for item in items]

    return {
        "dry_run": dry_run,
        "freed": pruned.freed,
        "removed": listed(pruned.removed),
        "smaller": listed(pruned.smaller),
        "kept": listed(pruned.kept),
        "trouble": pruned.trouble,
    }
