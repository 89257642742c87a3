"""``serve``, ``record`` and ``replay``: a double on a port, told to the user, until Ctrl-C."""

from __future__ import annotations

import shlex
import signal
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mockprovider.calls import Call, Handler, Layer, Reply
from mockprovider.cassette import Recorder, Sent, modes
from mockprovider.cassette.report import lines
from mockprovider.cli.types import read_types
from mockprovider.double import (
    Double,
    RealClock,
    Serving,
    Wiring,
    attached,
    joint_environment,
    real,
    replaying_all,
)
from mockprovider.double.cassettes import deciding, drafted, using, using_all
from mockprovider.errors import CassetteError
from mockprovider.faults import load, spread
from mockprovider.journal import Entry, Side
from mockprovider.wire.machine import steady

if TYPE_CHECKING:
    from mockprovider.tape import Draft


QUIET_SECONDS = 5.0
"""After so long without a call it is said that nobody has called."""
QUIET = "No engine has called yet. It has to run with the variable above; this goes on until it does, or until Ctrl-C."
REACHED_SECONDS = 5.0
"""How long a provider that runs already may take to accept a connection."""


def serve_fake(
    protocol: str,
    types: Sequence[Path],
    *,
    plans: Sequence[Path],
    host: str,
    port: int,
    seed: int,
    strict: bool,
    major: int | None = None,
) -> None:
    """Serve the fake."""

    def say(line: str) -> None:
        click.echo(line, err=True)

    if not types:
        say("No types are declared, so any resource of the package mock is taken as it comes; --types declares some.")
    double = Double(*read_types(types, say), layers=(narrate,), seed=seed, strict=strict, clock=RealClock())
    with double, breaking([double], plans):
        _serve([double], protocol, host, port, major)
        count = len(double.cloud.objects())
        click.echo("1 object was left in the cloud." if count == 1 else f"{count} objects were left in the cloud.")


OPTIONS: Mapping[str, str] = {"secrets": "--secret", "public": "--public", "masks": "--mask"}
"""What names places, by the argument of ``recording``."""


def serve_recording(
    protocol: str,
    cassette: Path,
    command: Sequence[str],
    *,
    mode: str,
    attach: str,
    name: str,
    together: Mapping[str, Sequence[str]],
    compact: bool,
    places: Mapping[str, Sequence[str]],
    prove: bool,
    plans: Sequence[Path],
    host: str,
    port: int,
) -> None:
    """Serve a real provider, that ``command`` starts or that listens at ``attach``, and record it; or several ``together``.

    In a ``mode`` that does not record the cassette, the cassette is served instead.

    Raises ``CassetteError`` if nobody called: what was recorded before then stays. So does what was recorded now, where
    with ``prove`` it raises ``CassetteError`` because a replay fails.
    """
    chosen = modes.mode(mode)
    redactor = deciding(**places)
    draft = drafted(chosen, cassette)
    if draft is None:
        serve_replay(cassette, plans=plans, host=host, port=port, whole_schema=False)
        return
    named = [f"{OPTIONS[kind]} {shlex.quote(place)} " for kind, given in places.items() for place in given]
    named += [f"--faults {shlex.quote(_portable(str(plan)))} " for plan in plans]
    options = ("--compact " if compact else "") + ("--prove " if prove else "") + "".join(named)
    options += "--attach HOST:PORT" if attach else _providers(together) or f"-- {' '.join(map(_portable, command))}"
    made_by = f"mockprovider record {protocol} --cassette {cassette.name} {options}"
    from mockprovider.tape import unanswered  # noqa: PLC0415 - zstandard is slow to import

    lost: list[Sent] = []
    recorder: Recorder | None = None
    try:
        behind = {package: real(line, protocol, name=package) for package, line in together.items()}
        if together:
            every = using_all(chosen, draft, behind, protocol, created_by=made_by, compact=compact, redactor=redactor)
            wirings = [*every.values()]
        else:
            alone = attached(attach, protocol, name=name) if attach else real(command, protocol, name=name)
            wirings = [using(chosen, draft, alone, protocol, created_by=made_by, compact=compact, redactor=redactor)]
        recorder = wirings[0].recorder
        with doubles_of(wirings) as doubles, breaking(doubles, plans):
            if attach:
                _say_if_nobody(attach)
            _serve(doubles, protocol, host, port, quiet=QUIET)
        lost = unanswered(draft.file)
        if recorder is not None and (recorder.recorded or lost):
            cassette = _kept(draft, lost)
    finally:
        if (recorder is None or not recorder.recorded) and not unanswered(draft.file):
            draft.drop()
        draft.release()
    if recorder is None or not (recorder.recorded or lost):
        raise CassetteError(f"No engine called, so nothing was recorded into {cassette}.")
    from mockprovider.double.reporting import proved, reported  # noqa: PLC0415 - zstandard is slow to import

    click.echo("Recorded " + "\n".join(lines(reported(cassette, notices=recorder.notices))))
    if lost:
        listed = "\n".join(f"  {sent}" for sent in lost)
        raise CassetteError(
            f"It ended while these calls waited for an answer; what they made may exist in the cloud:\n{listed}\n"
            f"So what was recorded is {cassette}, and {draft.path} {'stays as it was' if draft.replaces else 'was not made'}."
        )
    if prove:
        click.echo(f"A replay of it answers all {proved(cassette)} calls as recorded.")


def _kept(draft: Draft, lost: Sequence[Sent]) -> Path:
    """Where the recording is now: what ended in the middle of a call is not put in the place of a cassette."""
    if lost:
        return draft.put_by()
    draft.keep()
    return draft.path


def _providers(together: Mapping[str, Sequence[str]]) -> str:
    """The options that name several providers."""
    commands = (f"{name}={shlex.join(map(_portable, command))}" for name, command in together.items())
    return " ".join(f"--provider {shlex.quote(command)}" for command in commands)


def serve_replay(
    cassette: Path, *, plans: Sequence[Path], host: str, port: int, whole_schema: bool, unplayed: str = "fail"
) -> None:
    """Serve the recorded providers, and say in the end which recorded changes nobody asked for, unless that is allowed."""
    wirings = [*replaying_all(cassette, whole_schema=whole_schema, unplayed=unplayed).values()]
    with doubles_of(wirings) as doubles, breaking(doubles, plans):
        _serve(doubles, wirings[0].protocol.family if wirings[0].protocol else "", host, port)
        for double in doubles:
            double.raise_errors()
        say_unplayed(cassette, doubles)


def say_unplayed(cassette: Path, doubles: Sequence[Double]) -> bool:
    """Say which recorded changes nobody asked for: whether there are any."""
    unplayed = [line for double in doubles for line in double.unplayed]
    if unplayed:
        listed = "\n".join(f"  {line}" for line in unplayed)
        click.echo(f"{cassette} holds changes that nobody asked for:\n{listed}", err=True)
        click.echo("Record it again, or allow it: --unplayed allow.", err=True)
    return bool(unplayed)


@contextmanager
def doubles_of(wirings: Sequence[Wiring], layers: tuple[Layer, ...] | None = None) -> Iterator[list[Double]]:
    """A double for each provider, which are closed in the end."""
    with ExitStack() as ending:
        yield [
            ending.enter_context(Double(provider=wiring, layers=(narrate,) if layers is None else layers)) for wiring in wirings
        ]


@contextmanager
def breaking(doubles: Sequence[Double], plans: Sequence[Path]) -> Iterator[list[str]]:
    """Give each double the fault plans, and say in the end which of their faults fired nowhere, and why: the list, once filled.

    Raises ``DefinitionError`` for a plan that cannot be read, or cannot fire.
    """
    rules = [rule for plan in plans for rule in spread(load(plan), {double.name: double.faults for double in doubles})]
    complaints: list[str] = []
    yield complaints
    # Each of several doubles has the rules that name none, and one may fire anywhere.
    fired = [rule.data for rule in rules if not rule.complaint]
    for rule in rules:
        if rule.data not in fired:
            fired.append(rule.data)
            complaints.append(rule.complaint)
            click.echo(rule.complaint, err=True)


def narrate(call: Call, proceed: Handler) -> Reply:
    """A layer that shows each call as it ends."""
    entry = Entry(0, Side.PROVIDER, call)
    entry.reply = proceed(call)
    # Nobody may be there to read it any more, which is no reason to fail the engine's call.
    with suppress(OSError, ValueError):
        click.echo(str(entry).split(maxsplit=1)[1], err=True)
    return entry.reply


def _portable(part: str) -> str:
    # The command is kept in the cassette, where paths of this machine are of no use.
    return Path(part).name if "/" in part else part


def _say_if_nobody(target: str) -> None:
    """Say at once if nothing listens where the provider is said to run: else only the engine's first call would tell."""
    host, _, port = target.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=REACHED_SECONDS).close()
    except (OSError, OverflowError) as error:
        click.echo(f"Nothing listens at {target} yet ({error}). Start the provider before the engine calls.", err=True)


def _serve(
    doubles: Sequence[Double], protocol: str, host: str, port: int, major: int | None = None, *, quiet: str = ""
) -> None:
    """Serve the doubles until a signal comes; say ``quiet`` once if nobody has called for a while."""
    # Scripts end us by a signal, which works like Ctrl-C from the first printed line on.
    # Not a ``threading.Event``: the signal may interrupt its ``wait`` while that holds the lock, which would deadlock.
    ended: list[int] = []
    previous = {
        signum: signal.signal(signum, lambda number, _: ended.append(number)) for signum in (signal.SIGINT, signal.SIGTERM)
    }
    # A port of the user's choice can serve one provider; further ones take free ports.
    ports = (port, *(0 for _ in doubles[1:]))
    try:
        with ExitStack() as ending:
            servings = [
                ending.enter_context(double.serve(protocol, host=host, port=one, major=major))
                for double, one in zip(doubles, ports, strict=True)
            ]
            _tell(servings)
            variables = " ".join(joint_environment(*servings))
            silent = steady() + QUIET_SECONDS
            while not ended:
                time.sleep(0.05)
                if quiet and steady() >= silent:
                    if not any(len(double.journal) for double in doubles):
                        click.echo(quiet, err=True)
                    quiet = ""
    finally:
        for signum, handler in previous.items():
            signal.signal(signum, handler)
    if variables:
        click.echo(f"\nIn the terminal of the engine:\n\n  unset {variables}\n")


def _tell(servings: Sequence[Serving]) -> None:
    for name, address in (served for serving in servings for served in serving.addresses().items()):
        click.echo(f"Serving {name} at {address}. Ctrl-C ends it.")
    environment = joint_environment(*servings)
    if environment:
        click.echo("In the terminal of the engine:\n")
    for variable, value in environment.items():
        click.echo(f"  export {variable}='{value}'")
    click.echo("")
