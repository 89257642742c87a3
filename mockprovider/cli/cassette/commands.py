"""Every command of ``mockprovider cassette``: words, options, an example. What it does is in the modules beside this one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from mockprovider.cli.options import FILE, TroubleError, example, named_commands, places_options


@click.group()
def cassette() -> None:
    """Recordings, besides replaying them."""


@cassette.command()
@click.argument("file", type=FILE)
@example("  mockprovider cassette recover random.json")
def recover(*, file: Path) -> None:
    """Keep what a recording that broke off has.

    Where there is no cassette FILE yet, what was recorded for it becomes one. The calls that change the cloud and had been sent
    without an answer are listed.
    """
    from mockprovider.cli.cassette import recovering  # noqa: PLC0415 - zstandard is slow to import

    recovering.recover(file)


@cassette.command()
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@click.option("--secret", "secrets", multiple=True, metavar="PATH", help="One more property that is secret; see record --help.")
@click.option(
    "--value-env",
    "variables",
    multiple=True,
    metavar="NAME",
    help="An environment variable whose value is looked for in every spelling; may be given again.",
)
@click.option("--max-age", default="", metavar="AGE", help="How old a cassette may be, such as 90d; an older one fails.")
@example(
    "  mockprovider cassette check cassettes/*.json\n"
    "  mockprovider cassette check --value-env AWS_SECRET_ACCESS_KEY cassettes/*.json"
)
def check(*, files: tuple[Path, ...], secrets: tuple[str, ...], variables: tuple[str, ...], max_age: str) -> None:
    """Say whether cassettes may be committed.

    It fails (exit code 1) on a declared secret that is readable, and on places that nobody has decided to be secret or public.
    It warns of what looks like a credential. No value is ever shown. Files that are no cassettes are passed over.
    """
    from mockprovider.cli.cassette.checking import check_files  # noqa: PLC0415 - zstandard is slow to import

    missing = [name for name in variables if not os.environ.get(name)]
    if missing:
        raise click.UsageError(f"--value-env: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not set or empty.")
    if max_age:
        _check_age(max_age)
    sys.exit(0 if check_files(files, secrets, [os.environ[name] for name in variables], max_age=max_age) else 1)


def _check_age(text: str) -> None:
    from mockprovider.durations import age  # noqa: PLC0415 - only where an age is given
    from mockprovider.errors import MalformedError  # noqa: PLC0415 - as above

    try:
        age(text)
    except MalformedError as error:
        raise click.UsageError(f"--max-age: {error}") from error


@cassette.command()
@click.argument("file", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="All of it, as JSON; mockprovider docs cassettes has the fields.")
@example("  mockprovider cassette report random.json")
def report(*, file: Path, as_json: bool) -> None:
    """Say what a cassette holds, and what a replay of it will refuse.

    Calls and sizes, where secrets were taken out (never their values), equal objects that a replay cannot tell apart, what was
    withheld: a line or two, and one more with the way out for each thing that is wrong.
    """
    from mockprovider.cli.cassette.reporting import report_file  # noqa: PLC0415 - zstandard is slow to import

    report_file(file, as_json=as_json)


json_option = click.option(
    "--json", "as_json", is_flag=True, help="The same as JSON; mockprovider docs cassettes has the fields."
)
dry_run_option = click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")


@cassette.command()
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@places_options
@click.option(
    "--values-from",
    "source",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Values that are secret wherever they stand, one a line; - is standard input.",
)
@dry_run_option
@json_option
@example(
    "  mockprovider cassette redact users.json --secret users_user.note\n"
    "  printenv DB_PASSWORD | mockprovider cassette redact cassettes/*.json --values-from -"
)
def redact(*, files: tuple[Path, ...], source: Path | None, dry_run: bool, as_json: bool, **places: tuple[str, ...]) -> None:
    """Take secrets out of finished cassettes.

    A cassette becomes what it would be had it been recorded with these options: each value is gone in every spelling, also from
    URNs, ids, errors and blobs, and a replay takes whatever an engine sends in its place. Nothing is written unless all of it
    can be done. It ends with 1 where a blob still holds a value, because another cassette uses it.
    """
    from mockprovider.cli.cassette.redacting import redact_files, values_in  # noqa: PLC0415 - zstandard is slow to import

    if source is None and not any(places.values()):
        raise click.UsageError("Say what is secret: --secret NAME, or --values-from FILE; or --public NAME, --mask NAME.")
    values = values_in(source) if source is not None else []
    sys.exit(0 if redact_files(files, places, values, dry_run=dry_run, as_json=as_json) else 1)


@cassette.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE|FOLDER...")
@click.option("--no-compact", is_flag=True, help="Leave the cassettes themselves as they are.")
@click.option("--force", is_flag=True, help="Also what may be the only trace of something in a cloud, or the only recording.")
@dry_run_option
@json_option
@example("  mockprovider cassette prune --dry-run cassettes\n  mockprovider cassette prune cassettes")
def prune(*, paths: tuple[Path, ...], no_compact: bool, force: bool, dry_run: bool, as_json: bool) -> None:
    """Remove what no cassette needs.

    In folders, and those below them: what recordings have left that failed or broke off, locks that nobody holds, and blobs
    that no file there names. Cassettes lose what record --compact leaves out: questions that were asked again, and schemas of
    types that are not in use. What is being recorded is left alone. It ends with 1 where a file cannot be read.
    """
    from mockprovider.cli.cassette.pruning import prune_paths  # noqa: PLC0415 - zstandard is slow to import

    sys.exit(0 if prune_paths(paths, compact=not no_compact, force=force, dry_run=dry_run, as_json=as_json) else 1)


@cassette.command()
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@dry_run_option
@json_option
@example("  mockprovider cassette migrate cassettes/*.json")
def migrate(*, files: tuple[Path, ...], dry_run: bool, as_json: bool) -> None:
    """Write cassettes as this version does.

    Older format versions and spellings replay without this. A cassette that an edit by hand or a merge left out of order is put
    in order. One that is as this version writes it stays, byte for byte. It ends with 1 where a file cannot be migrated.
    """
    from mockprovider.cli.cassette.migrating import migrate_files  # noqa: PLC0415 - zstandard is slow to import

    sys.exit(0 if migrate_files(files, dry_run=dry_run, as_json=as_json) else 1)


force_option = click.option("--force", is_flag=True, help="Replace what is there.")


@cassette.command("import")
@click.argument("log", type=FILE)
@click.option("--into", required=True, type=FILE, metavar="FILE", help="The cassette.")
@click.option(
    "--provider",
    "providers",
    multiple=True,
    metavar="NAME",
    help="Of several providers in the log, one that is kept; may be given again.",
)
@places_options
@force_option
@example("  mockprovider cassette import grpc.json --into random.json")
def import_(*, log: Path, into: Path, providers: tuple[str, ...], force: bool, **places: tuple[str, ...]) -> None:
    """Make a cassette of a log that an engine wrote.

    LOG is what pulumi writes with PULUMI_DEBUG_GRPC=LOG. Kept are the calls of its providers that were answered; the rest is
    counted. Secrets that the log marks are taken out, and those that a schema in it declares.
    """
    from mockprovider.cli.cassette.foreign import import_file  # noqa: PLC0415 - zstandard is slow to import

    import_file(log, into, providers, places, force=force)


@cassette.command()
@click.argument("file", type=FILE)
@click.option("--into", required=True, type=FILE, metavar="LOG", help="The log.")
@force_option
@example("  mockprovider cassette export random.json --into grpc.json")
def export(*, file: Path, into: Path, force: bool) -> None:
    """Write a cassette as a log that an engine would have written.

    The log has the form of pulumi's PULUMI_DEBUG_GRPC, for tools that read it. Secrets in it are placeholders.
    """
    from mockprovider.cli.cassette.foreign import export_file  # noqa: PLC0415 - zstandard is slow to import

    export_file(file, into, force=force)


@cassette.command()
@click.argument("file", type=FILE)
@click.option("--timeline", is_flag=True, help="The story of the run: what happened in each session, the rest folded.")
@click.option("--call", "number", type=int, metavar="N", help="One call whole: its request and what was answered.")
@click.option("--op", "ops", multiple=True, metavar="OP", help="Only calls of this op, such as create; may be given again.")
@click.option("--type", "types", multiple=True, metavar="TEXT", help="Only types with this in them; may be given again.")
@click.option(
    *("--resource", "--urn", "resources"),
    multiple=True,
    metavar="TEXT",
    help="Only resources with this in their name, URN, address or id; may be given again.",
)
@click.option("--failed", is_flag=True, help="Only calls that failed.")
@click.option("--json", "as_json", is_flag=True, help="The same as JSON; mockprovider docs cassettes has the fields.")
@example(
    "  mockprovider cassette show random.json\n"
    "  mockprovider cassette show --timeline random.json\n"
    "  mockprovider cassette show --op update --resource logs random.json"
)
def show(
    *,
    file: Path,
    timeline: bool,
    number: int | None,
    ops: tuple[str, ...],
    types: tuple[str, ...],
    resources: tuple[str, ...],
    failed: bool,
    as_json: bool,
) -> None:
    """Show the calls of a cassette, or of a recording that broke off.

    A line for each call: what it asked for, about what, and what it came to. Secrets stay placeholders.
    """
    from mockprovider.cassette.telling import CallFilter  # noqa: PLC0415 - msgspec's structs take a while to import
    from mockprovider.cli.cassette.showing import show_file  # noqa: PLC0415 - zstandard is slow to import

    wanted = CallFilter(ops, types, resources, failed)
    if number is not None and (timeline or wanted != CallFilter((), (), ())):
        raise click.UsageError("--call shows one call whole; --timeline and the filters are about many.")
    show_file(file, wanted, timeline=timeline, number=number, as_json=as_json)


@cassette.command()
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="All of it, as JSON; mockprovider docs cassettes has the fields.")
@example("  mockprovider cassette diff cassettes/random.json random-2.json")
def diff(*, old: Path, new: Path, as_json: bool) -> None:
    """Show how the cassette NEW differs from OLD.

    Calls are paired by resource, method and order. Ids that are others everywhere in the same way are no difference. It ends
    with 0 where nothing differs, with 1 where something does, and with 2 where a file cannot be read.
    """
    from mockprovider.cli.cassette.diffing import diff_files  # noqa: PLC0415 - zstandard is slow to import
    from mockprovider.errors import MockProviderError  # noqa: PLC0415 - as above

    try:
        equal = diff_files(old, new, as_json=as_json)
    except MockProviderError as error:
        raise TroubleError(str(error).rstrip()) from error
    sys.exit(0 if equal else 1)


@cassette.command(context_settings={"ignore_unknown_options": True})
@click.argument("file", type=FILE)
@click.option("--attach", default="", metavar="HOST:PORT", help="Ask a provider that runs already, instead of starting one.")
@click.option(
    "--provider",
    "together",
    multiple=True,
    metavar="NAME=COMMAND",
    help="One of several providers that share the cassette: its name there, and its command; may be given again.",
)
@click.option(
    "--secret-env",
    "secrets",
    multiple=True,
    metavar="N=NAME",
    help="The environment variable with today's value of the cassette's secret number N; may be given again.",
)
@click.option("--mask", "masks", multiple=True, metavar="PATH", help="A property that differs each time and does not count.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="All of it, also the equal calls, as JSON; mockprovider docs cassettes has the fields.",
)
@click.argument("provider", nargs=-1, metavar="[-- PROVIDER...]", type=click.UNPROCESSED)
@example(
    "  mockprovider cassette verify random.json -- terraform-provider-random\n"
    "  mockprovider cassette verify users.json --secret-env 1=DB_PASSWORD -- pulumi-resource-users"
)
def verify(
    *,
    file: Path,
    attach: str,
    together: tuple[str, ...],
    secrets: tuple[str, ...],
    masks: tuple[str, ...],
    as_json: bool,
    provider: tuple[str, ...],
) -> None:
    """Ask a real PROVIDER all of it again, and list what differs.

    What it makes is real, and is deleted where the recording deletes it; what is left is listed. The exit code is 0 where all
    answers are the same, 1 where some differ, and 2 where the calls could not be asked. Ids, times and generated passwords that
    are other ones, consistently, are no difference.
    """
    from mockprovider.cli.cassette.verifying import verify_file  # noqa: PLC0415 - grpc is slow to import

    if [bool(attach), bool(provider), bool(together)].count(True) != 1:
        raise click.UsageError(
            "Name the provider: its command after --, or --attach HOST:PORT of one that runs already. Or name several, each "
            "with --provider NAME=COMMAND."
        )
    values = dict(map(_secret, secrets))
    commands = named_commands(together) or ({"": list(provider)} if provider else {})
    sys.exit(verify_file(file, commands, attach=attach, secrets=values, masks=masks, as_json=as_json))


def _secret(text: str) -> tuple[int, str]:
    """The number and the value of a ``--secret-env``."""
    number, _, name = text.partition("=")
    if not (number.isdecimal() and name):
        raise click.UsageError(f"--secret-env: {text!r} is no N=NAME, such as 1=DB_PASSWORD.")
    if not os.environ.get(name):
        raise click.UsageError(f"--secret-env: {name} is not set or empty.")
    return int(number), os.environ[name]
