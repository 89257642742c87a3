"""``verify-engine``: the embedded engine beside the logs of real ones."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mockprovider.cli.options import FILE, TroubleError, example, seed_option
from mockprovider.errors import MockProviderError

if TYPE_CHECKING:
    from mockprovider.engine.verifying import EngineVerdict

SAME, DIFFERENT = range(2)
"""Exit codes."""

SHOWN = 20
"""So many differences of a log are shown, unless all are asked for."""


@click.command("verify-engine")
@click.argument("logs", nargs=-1, required=True, type=FILE, metavar="LOG...")
@click.option("--mutants", default=0, metavar="N", help="Also change each log in N ways, and fail where that is not noticed.")
@seed_option
@click.option("--all", "show_all", is_flag=True, help="Show all differences, and not only the first 20 of each log.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@example("  PULUMI_DEBUG_GRPC=$PWD/run.json pulumi up --yes\n  mockprovider verify-engine run.json")
def verify_engine(*, logs: tuple[Path, ...], mutants: int, seed: int, show_all: bool, as_json: bool) -> None:
    """Compare the embedded engine with logs of pulumi.

    LOG is what pulumi writes with PULUMI_DEBUG_GRPC=LOG. What the program asked in it is asked of the embedded engine,
    what providers answered is answered, and each call that differs in presence, order or any field is listed. What engines
    of the log's age did not send is excused. Exits with 1 where something differs, with 2 where a log cannot be read.
    """
    sys.exit(verify_engine_by(logs, mutants=mutants, seed=seed, show_all=show_all, as_json=as_json))


def verify_engine_by(logs: Sequence[Path], *, mutants: int, seed: int, show_all: bool, as_json: bool) -> int:
    """Compare the embedded engine with logs, say what differs, and return the exit code."""
    verdicts = {log: _verdict(log) for log in logs}
    missed = [f"{log}: {what}" for log in logs for what in _unnoticed(log, verdicts[log], mutants, seed)]
    if as_json:
        click.echo(
            json.dumps({"logs": [_as_json(log, verdict) for log, verdict in verdicts.items()], "unnoticed": missed}, indent=1)
        )
    else:
        for log, verdict in verdicts.items():
            _show(log, verdict, show_all=show_all)
        for line in missed:
            click.echo(f"not noticed: {line}")
        if mutants:
            click.echo(f"{mutants * len(logs)} changed logs, {len(missed)} not noticed")
        click.echo(_summary(verdicts))
    return DIFFERENT if missed or any(verdict.differences for verdict in verdicts.values()) else SAME


def _verdict(log: Path) -> EngineVerdict:
    from mockprovider.engine.verifying import verify_log  # noqa: PLC0415 - imports pulumi, which is slow

    try:
        return verify_log(log.read_bytes())
    except OSError as error:
        raise TroubleError(f"{log} cannot be read: {error.strerror}.") from error
    except MockProviderError as error:
        raise TroubleError(f"{log}: {str(error).rstrip()}") from error


def _unnoticed(log: Path, verdict: EngineVerdict, mutants: int, seed: int) -> list[str]:
    """The changes of a log after which there are no more differences than before."""
    from mockprovider.engine.verifying import mutated_logs, verify_log  # noqa: PLC0415 - as above

    changed = mutated_logs(log.read_bytes(), mutants, seed) if mutants else ()
    return [what for what, data in changed if len(verify_log(data).differences) <= len(verdict.differences)]


def _show(log: Path, verdict: EngineVerdict, *, show_all: bool) -> None:
    older = f", as engines before {verdict.since} and chance account for" if verdict.since else ", as chance accounts for"
    click.echo(
        f"{log}: {verdict.operations} operations, {verdict.calls} provider calls, {verdict.fields} fields compared, "
        f"{verdict.excused} excused{older}, {len(verdict.differences)} differences"
    )
    for words, count in verdict.left_out.items():
        if count:
            click.echo(f"  left out: {count} {words}", file=sys.stderr)
    shown = verdict.differences if show_all else verdict.differences[:SHOWN]
    for difference in shown:
        click.echo(f"  {difference}")
    if len(shown) < len(verdict.differences):
        click.echo(f"  and {len(verdict.differences) - len(shown)} more, which --all shows")


def _summary(verdicts: Mapping[Path, EngineVerdict]) -> str:
    calls, fields = (sum(getattr(verdict, name) for verdict in verdicts.values()) for name in ("calls", "fields"))
    differences = sum(len(verdict.differences) for verdict in verdicts.values())
    return f"{len(verdicts)} logs, {calls} provider calls, {fields} fields, {differences} differences"


def _as_json(log: Path, verdict: EngineVerdict) -> dict[str, object]:
    return {
        "log": str(log),
        "operations": verdict.operations,
        "calls": verdict.calls,
        "fields": verdict.fields,
        "excused": verdict.excused,
        "since": verdict.since,
        "left_out": {words: count for words, count in verdict.left_out.items() if count},
        "differences": [
            {"operation": one.operation, "call": one.call, "field": one.field, "said": one.said} for one in verdict.differences
        ],
    }
