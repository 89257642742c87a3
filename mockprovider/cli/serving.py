"""``serve`` and ``replay``, and what they share with others: a double on a port, told to the user, until Ctrl-C."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import click

from mockprovider.calls import Call, Handler, Layer, Reply
from mockprovider.cli.judging import judged
from mockprovider.cli.types import read_types
from mockprovider.double import (
    Double,
    RealClock,
    Serving,
    Wiring,
    joint_environment,
    replaying_all,
)
from mockprovider.faults import load, spread
from mockprovider.journal import Entry, Side
from mockprovider.wire.machine import steady

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
        serve([double], protocol, host, port, major)
        count = len(double.cloud.objects())
        click.echo("1 object was left in the cloud." if count == 1 else f"{count} objects were left in the cloud.")


def serve_replay(
    cassette: Path,
    *,
    plans: Sequence[Path],
    host: str,
    port: int,
    whole_schema: bool,
    unplayed: str = "fail",
    beyond: str = "miss",
    ignore: Sequence[str] = (),
) -> None:
    """Serve the recorded providers, and say in the end which recorded changes nobody asked for, unless that is allowed."""
    wirings = [
        *replaying_all(
            cassette, whole_schema=whole_schema, unplayed=unplayed, beyond=beyond, matching={"ignore": ignore}
        ).values()
    ]
    with doubles_of(wirings) as doubles, breaking(doubles, plans):
        serve(doubles, wirings[0].protocol.family if wirings[0].protocol else "", host, port)
        for double in doubles:
            double.raise_errors()
        say_made_up(doubles)
        say_unplayed(cassette, doubles)


def say_made_up(doubles: Sequence[Double]) -> None:
    """Say how many calls a fake answered, past the end of the cassette."""
    if count := sum(len(double.made_up) for double in doubles):
        calls = "1 call was" if count == 1 else f"{count} calls were"
        click.echo(f"{calls} answered by a fake, past the end of the cassette.", err=True)


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


def say_if_nobody(target: str) -> None:
    """Say at once if nothing listens where the provider is said to run: else only the engine's first call would tell."""
    host, _, port = target.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=REACHED_SECONDS).close()
    except (OSError, OverflowError) as error:
        click.echo(f"Nothing listens at {target} yet ({error}). Start the provider before the engine calls.", err=True)


def serve(doubles: Sequence[Double], protocol: str, host: str, port: int, major: int | None = None, *, quiet: str = "") -> None:
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
        with judged(doubles), ExitStack() as ending:
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
