"""``cassette check``: whether cassettes may be committed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from msgspec import Struct

from mockprovider import tape
from mockprovider.cassette import FORMAT
from mockprovider.cassette.aging import expired, undatable
from mockprovider.cassette.checking import Finding, check
from mockprovider.cassette.naming import RecordedPlaces
from mockprovider.cassette.report.words import numbered
from mockprovider.cli.cassette.progress import progress
from mockprovider.cli.cassette.screen import sentences, show
from mockprovider.clock import Clock
from mockprovider.double import RealClock
from mockprovider.double.opening import transcriber
from mockprovider.errors import MockProviderError
from mockprovider.hints import did_you_mean
from mockprovider.redaction import Places

STAMP = FORMAT.encode()
EMPTIED = (b"", b"[]")
"""What is left of a cassette that somebody has emptied."""


class CheckedFile(Struct):
    """What speaks against committing a file, with what that is to the eye (``failure``, ``drift``), and what could be named."""

    said: list[tuple[str, str]]
    known: set[str] = set()

    @property
    def fails(self) -> bool:
        """Whether it must not be committed."""
        return any(kind == "failure" for _, kind in self.said)


def check_files(
    files: Sequence[Path], names: Sequence[str], values: Sequence[str], *, max_age: str = "", clock: Clock | None = None
) -> bool:
    """Say what speaks against committing these cassettes, a line for each, and return whether nothing does.

    Other files are passed over, so that a hook may be given whatever is committed. ``max_age`` is how old one may be, such as
    ``90d``. Raises ``DefinitionError`` for what is no name of a place, ``MalformedError`` for what is no age.
    """
    hidden, now = Places(names), (clock or RealClock()).now()
    with progress("Checking") as line:
        checked = []
        for number, file in enumerate(files, 1):
            line(f"Checking {file} ({number} of {len(files)})")
            checked.append(_checked(file, hidden, values, max_age, now))
    show(line for one in checked for text, kind in one.said for line in sentences(text, kind))
    known = set().union(*(one.known for one in checked))
    for name in hidden.unused() if known else ():
        show(sentences(f"warning: --secret: {name!r} is nowhere in these files. {did_you_mean(name, known)}".rstrip(), "drift"))
    failed = sum(one.fails for one in checked)
    if failed:
        click.echo(f"{failed} of {len(files)} {'file' if len(files) == 1 else 'files'} must not be committed.", err=True)
    return not failed


def _checked(file: Path, hidden: Places, values: Sequence[str], max_age: str, now: float) -> CheckedFile:
    """What is said of a file; notes which of the names are used in it."""
    # A draft has no end, and it may be what somebody adds to a commit by mistake.
    if file.is_file() and STAMP not in (data := file.read_bytes()) and data.strip() not in EMPTIED:
        return CheckedFile([])
    try:
        cassette = tape.load(file, recover=file.suffix != ".json")
        marks = transcriber(cassette.header.protocol).marks
        findings = check(cassette, marks, names=hidden.given, values=values)
    except MockProviderError as error:
        return CheckedFile([(f"{file}: {error}" if str(file) not in str(error) else str(error), "failure")])
    checked = CheckedFile([(f"{file}: {_said(one)}", "failure" if one.fails else "drift") for one in findings])
    if hidden.given:
        places = RecordedPlaces(cassette, marks)
        checked.known = {*places.names}
        hidden.used |= {((), name) for name in hidden.given if places.at(name)}
    if max_age and (old := expired(cassette, max_age, now)):
        checked.said.append((f"{file}: {old}", "failure"))
    elif max_age and (why := undatable(cassette, max_age, now)):
        checked.said.append((f"{file}: warning: {why}.", "drift"))
    return checked


def _said(finding: Finding) -> str:
    where = f" ({numbered(finding.interactions)})" if finding.interactions else ""
    return f"{'' if finding.fails else 'warning: '}{finding.place}{where}: {finding.problem}."
