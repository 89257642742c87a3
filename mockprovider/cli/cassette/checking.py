"""``cassette check``: whether cassettes may be committed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from mockprovider import tape
from mockprovider.cassette import FORMAT
from mockprovider.cassette.checking import Finding, check
from mockprovider.cassette.naming import RecordedPlaces
from mockprovider.cassette.report.words import numbered
from mockprovider.cli.cassette.screen import sentences, show
from mockprovider.double.cassettes import transcriber
from mockprovider.errors import MockProviderError
from mockprovider.hints import did_you_mean
from mockprovider.redaction import Places

STAMP = FORMAT.encode()
EMPTIED = (b"", b"[]")
"""What is left of a cassette that somebody has emptied."""


def check_files(files: Sequence[Path], names: Sequence[str], values: Sequence[str]) -> bool:
    """Say what speaks against committing these cassettes, a line for each, and return whether nothing does.

    Other files are passed over, so that a hook may be given whatever is committed. Raises ``DefinitionError`` for what is no
    name of a place.
    """
    hidden = Places(names)
    known: set[str] = set()
    failed = [file for file in files if not _passes(file, hidden, values, known)]
    for name in hidden.unused() if known else ():
        show(sentences(f"warning: --secret: {name!r} is nowhere in these files. {did_you_mean(name, known)}".rstrip(), "drift"))
    if failed:
        click.echo(f"{len(failed)} of {len(files)} {'file' if len(files) == 1 else 'files'} must not be committed.", err=True)
    return not failed


def _passes(file: Path, hidden: Places, values: Sequence[str], known: set[str]) -> bool:
    """Whether a file may be committed; notes which of the names are used in it, and adds what could be named."""
    # A draft has no end, and it may be what somebody adds to a commit by mistake.
    if file.is_file() and STAMP not in (data := file.read_bytes()) and data.strip() not in EMPTIED:
        return True
    try:
        cassette = tape.load(file, recover=file.suffix != ".json")
        marks = transcriber(cassette.header.protocol).marks
        findings = check(cassette, marks, names=hidden.given, values=values)
    except MockProviderError as error:
        show(sentences(f"{file}: {error}" if str(file) not in str(error) else str(error), "failure"))
        return False
    if hidden.given:
        places = RecordedPlaces(cassette, marks)
        known.update(places.names)
        hidden.used |= {((), name) for name in hidden.given if places.at(name)}
    for finding in findings:
        show(sentences(f"{file}: {_said(finding)}", "failure" if finding.fails else "drift"))
    return not any(finding.fails for finding in findings)


def _said(finding: Finding) -> str:
    where = f" ({numbered(finding.interactions)})" if finding.interactions else ""
    return f"{'' if finding.fails else 'warning: '}{finding.place}{where}: {finding.problem}."
