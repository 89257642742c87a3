"""``cassette``: what can be done with a recording besides replaying it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from mockprovider import tape
from mockprovider.cassette import FORMAT, Sent
from mockprovider.cassette.checking import Finding, check
from mockprovider.cassette.naming import RecordedPlaces
from mockprovider.cassette.report import lines
from mockprovider.cassette.report.words import number_of, numbered
from mockprovider.double.cassettes import transcriber
from mockprovider.double.reporting import reported
from mockprovider.errors import MockProviderError
from mockprovider.hints import did_you_mean
from mockprovider.redaction import Places

STAMP = FORMAT.encode()
EMPTIED = (b"", b"[]")
"""What is left of a cassette that somebody has emptied."""
WIDEST = 100
"""So many characters of a request are shown."""


def recover(file: Path) -> None:
    """Make a recording that broke off a cassette, and say what it was waiting for. Raises as ``tape.recover`` does.

    A whole cassette stays. Of recordings beside it that broke off or failed it is said what they were waiting for.
    """
    draft = tape.draft_of(file)
    broken_off = draft if draft.exists() and not file.is_file() else file
    waiting = tape.unanswered(broken_off)
    before = file.read_bytes() if file.is_file() else b""
    cassette = tape.recover(file)
    whole = " is whole, with" if file.read_bytes() == before else " has"
    click.echo(f"{file}{whole} {number_of(len(cassette.interactions), 'call')}.")
    _say_waiting(waiting)
    for other in tape.beside(file):
        _say_beside(file, other)


def _say_beside(file: Path, other: Path) -> None:
    """What to say of another recording of a whole cassette, if it may have left something behind."""
    waiting = tape.unanswered(other)
    if other == tape.draft_of(file):
        calls = number_of(len(tape.load(other, recover=True).interactions), "call")
        click.echo(f"A later recording of it broke off after {calls}: {other}.")
        click.echo(f"To keep that, move {file} away and run this again.")
    elif waiting:
        click.echo(f"Another recording of it is {other}.")
    _say_waiting(waiting)


def _say_waiting(waiting: Sequence[Sent]) -> None:
    if waiting:
        click.echo("These had been sent when it broke off, and were not answered. What they made may exist in the cloud:")
        for sent in waiting:
            click.echo(f"  {_shown(sent)}")
        click.echo("Look there, and delete by hand what is not meant to be.")


def report_file(file: Path, *, as_json: bool) -> None:
    """Say what a cassette holds and what a replay of it will refuse. Raises as ``tape.load`` does."""
    report = reported(file)
    click.echo(json.dumps(report.to_json(), indent=1, ensure_ascii=False) if as_json else "\n".join(lines(report)))


def _shown(sent: Sent) -> str:
    request = json.dumps(sent.request, ensure_ascii=False, default=str)
    return f"{sent} {request if len(request) <= WIDEST else request[: WIDEST - 1] + '…'}"


def check_files(files: Sequence[Path], names: Sequence[str], values: Sequence[str]) -> bool:
    """Say what speaks against committing these cassettes, a line for each, and return whether nothing does.

    Other files are passed over, so that a hook may be given whatever is committed. Raises ``DefinitionError`` for what is no
    name of a place.
    """
    hidden = Places(names)
    known: set[str] = set()
    failed = [file for file in files if not _passes(file, hidden, values, known)]
    for name in hidden.unused() if known else ():
        click.echo(f"warning: --secret: {name!r} is nowhere in these files. {did_you_mean(name, known)}".rstrip())
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
        click.echo(f"{file}: {error}" if str(file) not in str(error) else str(error))
        return False
    if hidden.given:
        places = RecordedPlaces(cassette, marks)
        known.update(places.names)
        hidden.used |= {((), name) for name in hidden.given if places.at(name)}
    for finding in findings:
        click.echo(f"{file}: {_said(finding)}")
    return not any(finding.fails for finding in findings)


def _said(finding: Finding) -> str:
    where = f" ({numbered(finding.interactions)})" if finding.interactions else ""
    return f"{'' if finding.fails else 'warning: '}{finding.place}{where}: {finding.problem}."
