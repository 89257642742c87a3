"""``mockprovider contract``: the rules that engines and providers owe each other."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mockprovider.cli.options import Group, TroubleError, example
from mockprovider.contract import Allowed, Breach, chosen, page, tell
from mockprovider.contract.report import reported
from mockprovider.double.contract import contracts
from mockprovider.double.contract import rules as all_rules
from mockprovider.errors import MockProviderError

if TYPE_CHECKING:
    from mockprovider.double.afterwards import JudgedRun

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(cls=Group)
def contract() -> None:
    """The rules of engines and providers, and who breaks them."""


@contract.command()
@click.argument("rule", default="*")
@click.option("--json", "as_json", is_flag=True, help="As JSON, a list of rules.")
@example("  mockprovider contract rules\n  mockprovider contract rules 'PULUMI-CREATE-*' --json")
def rules(*, rule: str, as_json: bool) -> None:
    """List the rules with their sources, or those of RULE.

    RULE is an id, or a pattern of ids. Without RULE and --json it is the reference page of the documentation, in Markdown.
    """
    wanted = chosen(rule, all_rules())
    if as_json:
        click.echo(
            json.dumps(
                [
                    {
                        "id": one.id,
                        "owed_by": one.party.value,
                        "severity": one.severity.value,
                        "says": one.says,
                        "source": one.source,
                        "mend": one.mend,
                        "ops": sorted(op.value for op in one.ops),
                    }
                    for one in wanted
                ],
                indent=2,
            )
        )
    elif rule == "*":
        click.echo(page(contracts()), nl=False)
    else:
        click.echo("\n\n".join(f"{one.id} (owed by the {one.party})\n{one.says}\n{one.source}\n{one.mend}" for one in wanted))


@contract.command()
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE..."
)
@click.option(
    "--allow", "allowed", multiple=True, metavar="ID=REASON", help="A rule that may be broken, and why; again for each."
)
@click.option("--json", "as_json", is_flag=True, help="As JSON, a list of breaches.")
@example("  mockprovider contract check kept/journal.json\n  mockprovider contract check cassettes/*.json --json")
def check(*, files: tuple[Path, ...], allowed: tuple[str, ...], as_json: bool) -> None:
    """Judge runs that are over.

    FILE is a cassette, or the journal.json that a failed test has left.

    Exits with 1 where a rule was broken, with 2 where a file cannot be judged. Warnings are listed, and change nothing.
    A cassette tells no times: what must not happen at the same time, and what follows a cancellation, is judged only in a
    journal.
    """
    allowances = _allowances(allowed)
    runs: dict[Path, JudgedRun] = {}
    troubles: list[str] = []
    for file in files:
        try:
            runs[file] = _judged(file)
        except MockProviderError as error:
            # The others are judged all the same.
            troubles.append(str(error).rstrip())
    breaches = {file: [one for one in run.breaches if not allowances.covers(one.rule)] for file, run in runs.items()}
    if as_json:
        report = [{"file": str(file), **reported(one, "")} for file, broken in breaches.items() for one in broken]
        click.echo(json.dumps(report, indent=2))
    else:
        for file, run in runs.items():
            click.echo("\n".join(_lines(file, run, breaches[file])))
    if troubles:
        raise TroubleError("\n".join(troubles))
    sys.exit(int(any(one.is_error for broken in breaches.values() for one in broken)))


def _judged(file: Path) -> JudgedRun:
    from mockprovider.double.afterwards import judged_file  # noqa: PLC0415 - cassettes are slow to import

    return judged_file(file)


def _allowances(allowed: Iterable[str]) -> Allowed:
    allowances, known = Allowed(), [*all_rules()]
    for one in allowed:
        id_, _, because = one.partition("=")
        if not because.strip():
            raise click.UsageError(f"--allow {one}: say why, as in --allow '{id_}=the state comes from another run'.")
        try:
            allowances.allow(id_, because, known)
        except MockProviderError as error:
            raise click.UsageError(f"--allow {one}: {error}") from error
    return allowances


def _lines(file: Path, run: JudgedRun, breaches: Sequence[Breach]) -> Iterator[str]:
    yield f"{file}: {_counted(run.calls, 'call')}, {_counted(len(breaches), 'breach', 'breaches')}"
    if run.unjudged:
        yield f"  {_counted(run.unjudged, 'call')} without an answer or a message to judge"
    yield from (f"  {line}" for line in tell(breaches))


def _counted(number: int, one: str, several: str = "") -> str:
    return f"{number} {one if number == 1 else several or one + 's'}"
