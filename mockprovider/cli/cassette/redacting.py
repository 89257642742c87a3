"""``cassette redact``: decisions about places in finished cassettes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from mockprovider.cassette.redacting import Decisions
from mockprovider.cassette.report.words import number_of, numbered
from mockprovider.cli.cassette.progress import progress
from mockprovider.cli.cassette.screen import Shown, ShownLine, ShownTable, in_json, sentences, show
from mockprovider.double.redacting import RedactedFile, redact_all
from mockprovider.double.reporting import from_here

AGAIN = (
    "Decide the same where it is recorded (secrets=[...], --secret), or the next recording has it again. What was committed is "
    "still in git's history: revoke such a secret."
)

WITHHELD = "A secret could not be replaced where it stood in the answers of {}: these are withheld, and no replay gives them."


def values_in(file: Path) -> list[str]:
    """The lines of a file, or of standard input (``-``), each a secret; empty ones are none. Raises ``UsageError``."""
    try:
        with click.open_file(str(file), encoding="utf-8") as lines:
            values = [line.rstrip("\r\n") for line in lines]
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text in UTF-8"
        raise click.UsageError(f"--values-from: {file} cannot be read: {why}.") from error
    return [*dict.fromkeys(filter(str.strip, values))]


def redact_files(
    files: Sequence[Path], places: Mapping[str, Sequence[str]], values: Sequence[str], *, dry_run: bool, as_json: bool
) -> bool:
    """Take secrets out of cassettes, say where, and return whether all that held them is gone. Raises as ``redact`` does."""
    with progress(f"Looking through {', '.join(map(str, files))}", quiet=as_json):
        results = redact_all(files, Decisions(**places, values=values), dry_run=dry_run)
    if as_json:
        click.echo(in_json({"dry_run": dry_run, "cassettes": [*map(_json, results)]}))
    else:
        show(line for result in results for line in _told(result, dry_run=dry_run))
        missing = _missing(results, values)
        show([ShownLine(missing, "drift", whole=True)] if missing else [])
        if any(result.result.taken for result in results) and not dry_run:
            show([ShownLine(AGAIN, whole=True)])
    return not any(result.kept for result in results)


def _told(result: RedactedFile, *, dry_run: bool) -> Iterator[Shown]:
    taken, name = result.result.taken, from_here(result.path)
    would = "would be " if dry_run else ""
    if taken:
        yield ShownLine(f"{name}: secrets {would}taken out at {number_of(len(taken), 'place')}.", "title", whole=True)
        rows = [(_calls(one.interactions), one.place) for one in taken]
        yield ShownTable(("interactions", "place"), rows, ["change"] * len(rows), ("interactions",))
    elif result.result.changed:
        yield ShownLine(
            f"{name}: nothing {would}taken out; the header {'would have' if dry_run else 'has'} the decisions.", "title"
        )
    else:
        yield ShownLine(f"{name}: nothing to take out.", "title")
    yield from (line for text, kind in _sentences(result) for line in sentences(text, kind))


def _calls(interactions: Sequence[int]) -> str:
    return numbered(interactions).partition(" ")[2] if interactions else "-"


def _sentences(result: RedactedFile) -> Iterator[tuple[str, str]]:
    """What else is to be known, and what it is to the eye."""
    redacted = result.result
    yield from ((note, "drift") for note in redacted.notes)
    if redacted.withheld:
        yield WITHHELD.format(numbered(redacted.withheld)), "failure"
    if redacted.renamed:
        yield f"The names of {numbered(redacted.renamed)} held one: such a call misses on replay.", "failure"
    if result.removed:
        yield f"{number_of(len(result.removed), 'blob')} that held it {'is' if len(result.removed) == 1 else 'are'} gone.", ""
    for blob, users in result.kept.items():
        yield f"The blob {blob[:12]}… still holds it: {', '.join(users)}. Redact that, too.", "failure"
    for other in result.beside:
        yield f"{from_here(other)} is another recording of it, which may hold the same.", "drift"


def _missing(results: Sequence[RedactedFile], values: Sequence[str]) -> str:
    """What to say of values that are in none of the files; by line, since they are secrets."""
    lines = [line for line in range(1, len(values) + 1) if all(line in result.result.missing for result in results)]
    if not lines:
        return ""
    which = f"in line {lines[0]} is" if len(lines) == 1 else f"in lines {', '.join(map(str, lines))} are"
    return f"The value{'s' if len(lines) > 1 else ''} {which} nowhere."


def _json(result: RedactedFile) -> dict[str, Any]:
    redacted = result.result
    return {
        "name": from_here(result.path),
        "changed": redacted.changed,
        "taken": redacted.taken,
        "withheld": redacted.withheld,
        "renamed": redacted.renamed,
        "notes": redacted.notes,
        "missing_values": redacted.missing,
        "blobs_removed": result.removed,
        "blobs_kept": result.kept,
        "beside": [from_here(other) for other in result.beside],
    }
