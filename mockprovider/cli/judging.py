"""What a command says of the contract between the engine and what it serves: each breach as it happens, and all in a file."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from mockprovider.calls import Call, Handler, Reply
from mockprovider.cli.options import CONTRACT
from mockprovider.contract import Breach, Severity
from mockprovider.contract.report import reported
from mockprovider.double import Double
from mockprovider.errors import DefinitionError
from mockprovider.files import write_json

KEYS = frozenset({"rule", "owed_by", "severity", "call", "how"})
"""What each entry of a report has, and nothing else that people keep in files."""


@contextmanager
def judged(doubles: Sequence[Double]) -> Iterator[None]:
    """Show the breaches of the contract while the doubles are served, and write all of them to the file of ``--contract``.

    Raises ``DefinitionError`` where that file cannot be written, or is something else, before anything is served. An earlier
    report is removed then: a run that is killed leaves none.
    """
    context = click.get_current_context(silent=True)
    file: Path | None = context.meta.get(CONTRACT) if context else None
    if file:
        # An engine should not have run in vain.
        _make_way(file)
    judges = [_Judge(double) for double in doubles]
    try:
        yield
    finally:
        breaches = [breach for judge in judges for breach in judge.finish()]
        if file:
            _write(file, breaches)
        if last := _last_line(breaches):
            click.echo(last, err=True)


def _last_line(breaches: Sequence[dict[str, object]]) -> str:
    """How many rules were broken, and where one of them is told; of warnings only where there is nothing else."""
    broken = [breach for breach in breaches if breach["severity"] == Severity.ERROR]
    ids = sorted({f"{breach['rule']}" for breach in broken or breaches})
    if not ids:
        return ""
    rules = "1 rule of the contract was" if len(ids) == 1 else f"{len(ids)} rules of the contract were"
    return f"{rules} broken{'' if broken else ', which is a warning'}; mockprovider contract rules {ids[0]} tells of it."


class _Judge:
    """Follows the breaches of one double."""

    def __init__(self, double: Double) -> None:
        self._double = double
        self._shown = 0
        self._breaches: list[Breach] = []
        self._lock = threading.Lock()
        double.use(self._layer)

    def _layer(self, call: Call, proceed: Handler) -> Reply:
        self._show()
        return proceed(call)

    def _show(self) -> None:
        with self._lock:
            new, self._shown = self._double.contract.since(self._shown)
            self._breaches += new
        for breach in new:
            word = "broken" if breach.is_error else "warning"
            with suppress(OSError, ValueError):
                click.echo(self._double.contract.scrub(f"{word}: {breach.rule.id}: {breach.call}: {breach.how}"), err=True)

    def finish(self) -> list[dict[str, object]]:
        """Show the rest, and tell all."""
        self._show()
        return [reported(breach, self._double.name, self._double.contract.scrub) for breach in self._breaches]


def _make_way(file: Path) -> None:
    """Remove an earlier report. Raises ``DefinitionError`` for a file that is none, and for a place where none can be."""
    if file.exists() and not (file.is_file() and _is_report(file)):
        raise DefinitionError(f"--contract {file}: there is something else already, and it stays. Give another file.")
    if not os.access(file.parent, os.W_OK):
        raise DefinitionError(
            f"--contract {file} cannot be written: {file.parent} is no folder to write to. Give another file."
        )
    file.unlink(missing_ok=True)


def _is_report(file: Path) -> bool:
    try:
        content = json.loads(file.read_bytes() or b"[]")
    except (OSError, ValueError):
        return False
    return isinstance(content, list) and all(isinstance(breach, dict) and breach.keys() >= KEYS for breach in content)


def _write(file: Path, breaches: Sequence[dict[str, object]]) -> None:
    try:
        write_json(file, breaches)
    except OSError as error:
        # The command has ended by now, and its exit code is what counts.
        click.echo(f"--contract {file} could not be written: {error.strerror}.", err=True)
