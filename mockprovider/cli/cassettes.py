"""``cassette``: what can be done with a recording besides replaying it."""

from __future__ import annotations

import json
from pathlib import Path

import click

from mockprovider import tape
from mockprovider.cassette import Sent

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


def _shown(sent: Sent) -> str:
    request = json.dumps(sent.request, ensure_ascii=False, default=str)
    return f"{sent} {request if len(request) <= WIDEST else request[: WIDEST - 1] + '…'}"
