"""``exec``: a command in a shell, led to a double that lasts as long as it does."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mockprovider.cli.judging import judged
from mockprovider.cli.options import SPEAKS
from mockprovider.cli.serving import breaking, doubles_of, narrate, say_made_up, say_unplayed
from mockprovider.cli.types import read_types
from mockprovider.double import Double, RealClock, joint_environment, replaying_all
from mockprovider.double.inuse import drafted
from mockprovider.drivers.command import RunningCommand
from mockprovider.drivers.sources import unasked
from mockprovider.errors import DefinitionError
from mockprovider.wire.owned import OwnedProcess
from mockprovider.wire.pool import STEP

if TYPE_CHECKING:
    from mockprovider.cli.recording import CommandRecording


def execute(
    command: Sequence[str],
    protocol: str | None,
    types: Sequence[Path],
    *,
    cassette: Path | None,
    recording: CommandRecording | None,
    unplayed: str,
    beyond: str,
    ignore: Sequence[str],
    plans: Sequence[Path],
    seed: int,
    strict: bool,
    quiet: bool,
) -> int:
    """Run ``command`` with a double as its provider: its exit code, or 1 if it is 0 and a fault never fired.

    With a ``cassette``, that is replayed, or recorded where the mode of ``recording`` says so; what a command that fails has
    recorded replaces nothing. It is also 1 if it is 0 and a recorded change was never asked for, unless ``unplayed`` allows it.
    ``beyond`` says what answers calls that a replayed cassette does not hold.

    Raises ``DefinitionError`` where it cannot be run.
    """
    layers = () if quiet else (narrate,)
    draft = drafted(recording.mode, cassette) if recording and cassette else None
    with ExitStack() as ending:
        if recording and cassette and draft:
            doubles = ending.enter_context(recording.into(draft, recording.executing(cassette, command), layers))
            family = recording.protocol
        elif recording and cassette:
            doubles = ending.enter_context(recording.beside(cassette, layers))
            family = recording.protocol
        elif cassette is not None:
            wirings = [*replaying_all(cassette, unplayed=unplayed, beyond=beyond, matching={"ignore": ignore}).values()]
            doubles = ending.enter_context(doubles_of(wirings, layers))
            family = wirings[0].protocol.family if wirings[0].protocol else ""
        else:
            fake = Double(*read_types(types), layers=layers, seed=seed, strict=strict, clock=RealClock())
            doubles = [ending.enter_context(fake)]
            family = protocol or spoken(command[0])
        unfired = ending.enter_context(breaking(doubles, plans))
        servings = [ending.enter_context(double.serve(family)) for double in doubles]
        with judged(doubles):
            environment = joint_environment(*servings)
            code = _run(command, {**os.environ, **environment}, doubles)
        if code and cassette is None and not any(double.journal.entries() for double in doubles):
            click.echo(unasked(environment), err=True, nl=False)
        for double in doubles:
            double.raise_errors()
        say_made_up(doubles)
        missed = cassette is not None and not code and say_unplayed(cassette, doubles)
        if draft and (code or missed):
            raise SystemExit(code or 1)
    return code or int(bool(unfired) or missed)


def spoken(executable: str) -> str:
    """The protocol of an engine that is known by name. Raises ``UsageError`` for another command."""
    name = Path(executable).name
    if name not in SPEAKS:
        raise click.UsageError(f"{name} is none of {', '.join(SPEAKS)}: say what it speaks, --protocol pulumi or terraform.")
    return SPEAKS[name]


def _run(command: Sequence[str], environment: Mapping[str, str], doubles: Sequence[Double]) -> int:
    """Run it in the foreground, and return its exit code. What Ctrl-C means is for the command to decide.

    A terminal sends Ctrl-C to the command, too. Where there is none, the command has a session of its own, and is sent what we
    are sent: Ctrl-C with all its group, as a terminal does, so that a script's ``pulumi`` hears of it.
    """
    terminal = _has_terminal()
    process: subprocess.Popen[bytes] | None = None
    early: list[int] = []

    def pass_on(signum: int, _: object = None) -> None:
        if signum == signal.SIGINT and terminal:
            return
        if process is None:
            early.append(signum)
        elif process.returncode is None:
            with suppress(ProcessLookupError):
                (os.killpg if signum == signal.SIGINT else os.kill)(process.pid, signum)

    with ExitStack() as ending:
        # Before the command is there, which may be quicker than we are. Handlers and not SIG_IGN, which it would inherit.
        for signum in (signal.SIGINT, signal.SIGTERM):
            ending.callback(signal.signal, signum, signal.signal(signum, pass_on))
        try:
            process = ending.enter_context((subprocess.Popen if terminal else OwnedProcess)(command, env=environment))
        except OSError as error:
            raise DefinitionError(f"{command[0]!r} cannot be run: {error.strerror}. Install it, or give its path.") from error
        for number in early:
            pass_on(number)
        for double in doubles:
            ending.enter_context(double.engines.entered(RunningCommand(process)))
        code = None
        while code is None:
            # In steps: a signal that arrives just before a wait begins is heard when that wait ends.
            with suppress(subprocess.TimeoutExpired):
                code = process.wait(STEP)
    return code if code >= 0 else 128 - code


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True
