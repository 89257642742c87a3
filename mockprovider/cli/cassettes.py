"""``cassette``: what can be done with a recording besides replaying it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from mockprovider import tape
from mockprovider.cassette import FORMAT, Sent
from mockprovider.cassette.checking import Finding, check
from mockprovider.cassette.report import lines
from mockprovider.double.cassettes import transcriber
from mockprovider.double.reporting import reported
from mockprovider.errors import MockProviderError

STAMP = FORMAT.encode()
WIDEST = 100
"""So many characters of a request are shown."""


def recover(file: Path) -> None:
    """Make a recording that broke off a cassette, and say what it was waiting for. Raises as ``tape.recover`` does."""
    draft = tape.draft_of(file)
    broken_off = draft if draft.exists() else file
    waiting = tape.unanswered(broken_off)
    before = file.read_bytes() if file.is_file() else b""
    count = len(tape.recover(file).interactions)
    calls = "1 call" if count == 1 else f"{count} calls"
    if file.read_bytes() == before:
        click.echo(f"{file} is whole, with {calls}.")
        if broken_off != file:
            click.echo(f"A later recording of it broke off: mockprovider cassette recover {draft}")
            return
    else:
        click.echo(f"{file} has {calls}.")
    if waiting:
        click.echo("These had been sent when it broke off, and were not answered. What they made may exist in the cloud:")
        for sent in waiting:
            click.echo(f"  {_shown(sent)}")


def report_file(file: Path, *, as_json: bool) -> None:
    """Say what a cassette holds and what a replay of it will refuse. Raises as ``tape.load`` does."""
    report = reported(file)
    click.echo(json.dumps(report.to_json(), indent=1, ensure_ascii=False) if as_json else "\n".join(lines(report)))


def _shown(sent: Sent) -> str:
    request = json.dumps(sent.request, ensure_ascii=False, default=str)
    return f"{sent} {request if len(request) <= WIDEST else request[: WIDEST - 1] + '…'}"


def check_files(files: Sequence[Path], names: Sequence[str], values: Sequence[str]) -> bool:
    """Say what speaks against committing these cassettes, a line for each, and return whether nothing does.

    Other files are passed over, so that a hook may be given whatever is committed.
    """
    failed = [file for file in files if not _passes(file, names, values)]
    if failed:
        click.echo(f"{len(failed)} of {len(files)} {'file' if len(files) == 1 else 'files'} must not be committed.", err=True)
    return not failed


def _passes(file: Path, names: Sequence[str], values: Sequence[str]) -> bool:
    # A draft has no end, and it may be what somebody adds to a commit by mistake.
    if file.is_file() and STAMP not in file.read_bytes():
        return True
    try:
        cassette = tape.load(file, recover=file.suffix != ".json")
        findings = check(cassette, transcriber(cassette.header.protocol).marks, names=names, values=values)
    except MockProviderError as error:
        click.echo(f"{file}: {error}" if str(file) not in str(error) else str(error))
        return False
    for finding in findings:
        click.echo(f"{file}: {_said(finding)}")
    return not any(finding.fails for finding in findings)


def _said(finding: Finding) -> str:
    return f"{'' if finding.fails else 'warning: '}{finding.place}: {finding.problem}."
