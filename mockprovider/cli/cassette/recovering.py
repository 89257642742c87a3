"""``cassette recover``: what a recording that broke off has becomes a cassette."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from mockprovider import tape
from mockprovider.cassette import Sent
from mockprovider.cassette.report.words import number_of

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


def _shown(sent: Sent) -> str:
    request = json.dumps(sent.request, ensure_ascii=False, default=str)
    return f"{sent} {request if len(request) <= WIDEST else request[: WIDEST - 1] + '…'}"
