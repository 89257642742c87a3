"""``cassette verify``: what a provider of today answers differently."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from mockprovider import tape
from mockprovider.cassette.verifying import Verification, left_lines, lines
from mockprovider.cli.cassette.progress import progress
from mockprovider.cli.options import TroubleError
from mockprovider.double import Wiring, attached, real
from mockprovider.double.verifying import verification
from mockprovider.errors import MockProviderError
from mockprovider.protocols import by_name

SAME, DIFFERENT = range(2)
"""Exit codes."""


def verify_file(
    file: Path,
    commands: Mapping[str, Sequence[str]],
    *,
    attach: str = "",
    secrets: Mapping[int, str],
    masks: Sequence[str],
    as_json: bool,
) -> int:
    """Ask providers what a cassette holds, say what they answer differently, and return the exit code.

    ``commands`` start the providers, by their names in the cassette; else one listens at ``attach``.
    """
    try:
        behind = _providers(file, commands, attach)
        with verification(file, behind, secrets=secrets, masks=masks) as play:
            _play(play, quiet=as_json)
    except MockProviderError as error:
        raise TroubleError(str(error).rstrip()) from error
    verified = play.verified
    click.echo(json.dumps(verified.to_json(), indent=1, ensure_ascii=False) if as_json else "\n".join(lines(verified)))
    return SAME if verified.same else DIFFERENT


def _providers(file: Path, commands: Mapping[str, Sequence[str]], attach: str) -> dict[str, Wiring]:
    """The providers to ask, which speak what the cassette was recorded over."""
    header = tape.load(file).header
    spoken = by_name(header.protocol)
    if attach:
        return {"": attached(attach, spoken.family, major=spoken.version or None)}
    return {name: real(command, spoken.family, name=name) for name, command in commands.items()}


def _play(play: Verification, *, quiet: bool) -> None:
    """Ask everything. Where that breaks off, say what was made and is left."""
    try:
        with progress("Asking", quiet=quiet) as line:
            for number, _ in enumerate(play.play(), 1):
                line(f"Asking: {number} of {len(play)} calls have an answer")
    except KeyboardInterrupt:
        _say_left(play)
        raise TroubleError(f"It was interrupted after {len(play.verified.calls)} of {len(play)} calls.") from None
    except MockProviderError:
        _say_left(play)
        raise


def _say_left(play: Verification) -> None:
    for line in left_lines(play.verified):
        click.echo(line, err=True)
    if play.asking:
        click.echo(f"What this was to make may exist, too: {play.asking}", err=True)
