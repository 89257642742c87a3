"""``serve``, ``record`` and ``replay``: a double on a port, told to the user, until Ctrl-C."""

from __future__ import annotations

import shlex
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import click

from mockprovider.calls import Call, Handler, Reply
from mockprovider.cassette.report import lines
from mockprovider.cli.types import read_types
from mockprovider.double import Double, RealClock, Serving, Wiring, attached, real, recording, replaying
from mockprovider.double.cassettes import deciding
from mockprovider.errors import CassetteError
from mockprovider.journal import Entry, Side
from mockprovider.protocols import ProviderProtocol


def serve_fake(
    protocol: str, types: Sequence[Path], *, host: str, port: int, seed: int, strict: bool, major: int | None = None
) -> None:
    """Serve the fake."""

    def say(line: str) -> None:
        click.echo(line, err=True)

    if not types:
        say("No types are declared, so any resource of the package mock is taken as it comes; --types declares some.")
    double = Double(*read_types(types, say), layers=(narrate,), seed=seed, strict=strict, clock=RealClock())
    with double:
        _serve(double, protocol, host, port, major)
        count = len(double.cloud.objects())
        click.echo("1 object was left in the cloud." if count == 1 else f"{count} objects were left in the cloud.")


OPTIONS: Mapping[str, str] = {"secrets": "--secret", "public": "--public", "masks": "--mask"}
"""What names places, by the argument of ``recording``."""


def serve_recording(
    protocol: str,
    cassette: Path,
    command: Sequence[str],
    *,
    attach: str,
    name: str,
    compact: bool,
    places: Mapping[str, Sequence[str]],
    prove: bool,
    host: str,
    port: int,
) -> None:
    """Serve a real provider, that ``command`` starts or that listens at ``attach``, and record it.

    Raises ``CassetteError`` if nobody called it: what was recorded before then stays. So does what was recorded now, where
    with ``prove`` it raises ``CassetteError`` because a replay fails.
    """
    behind = attached(attach, protocol, name=name) if attach else real(command, protocol, name=name)
    named = [f"{OPTIONS[kind]} {shlex.quote(place)} " for kind, given in places.items() for place in given]
    options = ("--compact " if compact else "") + ("--prove " if prove else "") + "".join(named)
    options += "--attach HOST:PORT" if attach else f"-- {' '.join(map(_portable, command))}"
    created_by = f"mockprovider record {protocol} --cassette {cassette.name} {options}"
    from mockprovider.tape import Draft  # noqa: PLC0415 - zstandard is slow to import

    draft = Draft(cassette)
    wiring = recording(draft, behind, protocol, created_by=created_by, compact=compact, redactor=deciding(**places))
    recorder = wiring.recorder
    try:
        with Double(provider=wiring, layers=(narrate,)) as double:
            _serve(double, protocol, host, port)
        if recorder is not None and recorder.recorded:
            draft.keep()
    finally:
        if recorder is None or not recorder.recorded:
            draft.drop()
        draft.release()
    if recorder is None or not recorder.recorded:
        raise CassetteError(f"No engine called, so nothing was recorded into {cassette}.")
    from mockprovider.double.reporting import proved, reported  # noqa: PLC0415 - zstandard is slow to import

    click.echo("Recorded " + "\n".join(lines(reported(cassette, notices=recorder.notices))))
    if prove:
        click.echo(f"A replay of it answers all {proved(cassette)} calls as recorded.")


def serve_replay(cassette: Path, *, host: str, port: int, whole_schema: bool) -> None:
    """Serve a recorded provider."""
    wiring: Wiring = replaying(cassette, whole_schema=whole_schema)
    with Double(provider=wiring, layers=(narrate,)) as double:
        _serve(double, wiring.protocol or "", host, port)
        double.raise_errors()


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


def _serve(double: Double, protocol: ProviderProtocol | str, host: str, port: int, major: int | None = None) -> None:
    # Scripts end us by a signal, which works like Ctrl-C from the first printed line on.
    # Not a ``threading.Event``: the signal may interrupt its ``wait`` while that holds the lock, which would deadlock.
    ended: list[int] = []
    previous = {
        signum: signal.signal(signum, lambda number, _: ended.append(number)) for signum in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        with double.serve(protocol, host=host, port=port, major=major) as serving:
            _tell(serving)
            variables = " ".join(serving.environment)
            while not ended:
                time.sleep(0.05)
    finally:
        for signum, handler in previous.items():
            signal.signal(signum, handler)
    if variables:
        click.echo(f"\nIn the terminal of the engine:\n\n  unset {variables}\n")


def _tell(serving: Serving) -> None:
    for name, address in serving.addresses().items():
        click.echo(f"Serving {name} at {address}. Ctrl-C ends it.")
    if serving.environment:
        click.echo("In the terminal of the engine:\n")
    for variable, value in serving.environment.items():
        click.echo(f"  export {variable}='{value}'")
    click.echo("")
