"""Every command: its words, its options, an example. What it does is in the modules beside this one."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from mockprovider.cli.cassette.commands import cassette
from mockprovider.cli.comparing import verify_engine
from mockprovider.cli.contract import contract
from mockprovider.cli.options import (
    FILE,
    FOLDER,
    PROTOCOL,
    Group,
    beyond_option,
    compact_option,
    contract_option,
    example,
    faults_option,
    host_option,
    ignore_option,
    named_commands,
    places_options,
    port_option,
    seed_option,
    together_option,
    types_option,
    unplayed_option,
)
from mockprovider.cli.pages import docs
from mockprovider.cli.plugin import plugin
from mockprovider.cli.schema import schema
from mockprovider.errors import DefinitionError
from mockprovider.protocols import of_family


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="mockprovider")
def main() -> None:
    """The test double for infrastructure-as-code providers.

    Fake a provider, record a real one, replay it without the cloud, and break it at a chosen call, under pulumi,
    terraform, tofu, or the engine that is built in.

    Start here: mockprovider demo
    """
    # gRPC's own lines are repeated in our messages or do not help.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")


@main.command()
@click.option("--keep", type=FOLDER, default=Path("demo-output"), show_default=True, help="Where the artefacts go.")
@click.option(
    "--engine", "engines", multiple=True, type=click.Choice(["embedded", "pulumi", "terraform"]), help="Only this one."
)
@example("  mockprovider demo --engine embedded")
def demo(*, keep: Path, engines: tuple[str, ...]) -> None:
    """Record, replay and break a real run before your eyes."""
    from mockprovider.demo import run  # noqa: PLC0415 - imports pulumi, which is slow

    sys.exit(0 if run(keep, engines, click.echo) else 1)


@main.command()
@click.argument("protocol", type=PROTOCOL)
@types_option
@port_option
@host_option
@seed_option
@faults_option
@contract_option
@click.option("--strict", is_flag=True, help="Refuse types and properties that nothing declares.")
@click.option(
    "--protocol",
    "major",
    type=int,
    metavar="N",
    help="Its version, if it has several: 5 or 6 of terraform's; 6 unless given.",
)
@example(
    "  mockprovider serve pulumi --types plugins/catalog/storage.json\n"
    "  mockprovider serve terraform --types plugins/catalog/storage.json --protocol 5"
)
def serve(
    *,
    protocol: str,
    types: tuple[Path, ...],
    plans: tuple[Path, ...],
    port: int,
    host: str,
    seed: int,
    strict: bool,
    major: int | None,
) -> None:
    """Serve the fake provider until Ctrl-C.

    What is printed first leads the engine here: a variable to export in its terminal. OpenTofu takes the terraform one, and
    neither needs an init; a configuration finds the package NAME as hashicorp/NAME or example.com/mock/NAME.
    """
    from mockprovider.cli.serving import serve_fake  # noqa: PLC0415 - grpc is slow to import

    try:
        of_family(protocol, major)
    except DefinitionError as error:
        raise click.UsageError(f"--protocol: {error}") from error
    serve_fake(protocol, types, plans=plans, host=host, port=port, seed=seed, strict=strict, major=major)


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("protocol", type=PROTOCOL)
@click.option(
    "--cassette",
    required=True,
    type=FILE,
    metavar="FILE",
    help="Where the recording goes; what is there is replaced at the end, if an engine called.",
)
@click.option("--name", default="", metavar="NAME", help="The package's name; taken from the executable's unless given.")
@click.option("--attach", default="", metavar="HOST:PORT", help="Record a provider that runs already, instead of starting one.")
@click.option(
    "--mode",
    default="all",
    show_default=True,
    metavar="MODE",
    help="none only replays FILE; once records it where it is not there; new adds what it does not hold; all and rewrite "
    "record it anew; verify compares what PROVIDER answers with it.",
)
@compact_option
@click.option("--prove", is_flag=True, help="Replay it at once; fail, and say what differs, where a replay fails.")
@places_options
@ignore_option
@together_option
@click.argument("provider", nargs=-1, metavar="[-- PROVIDER...]", type=click.UNPROCESSED)
@faults_option
@contract_option
@port_option
@host_option
@example(
    "  mockprovider record pulumi --cassette random.json -- pulumi-resource-random\n"
    "  mockprovider record terraform --compact --cassette random.json -- terraform-provider-random\n"
    "  mockprovider record terraform --cassette all.json --provider random=terraform-provider-random "
    "--provider null=terraform-provider-null"
)
def record(
    *,
    protocol: str,
    cassette: Path,
    name: str,
    attach: str,
    mode: str,
    compact: bool,
    prove: bool,
    ignore: tuple[str, ...],
    together: tuple[str, ...],
    provider: tuple[str, ...],
    plans: tuple[Path, ...],
    port: int,
    host: str,
    **places: tuple[str, ...],
) -> None:
    """Serve a real PROVIDER and record it, until Ctrl-C.

    PROVIDER is its executable with arguments of its own, after two dashes. Each engine connection gets a process of its own.
    All providers of a configuration may share one cassette, each with a --provider; what depends on each other should.
    OpenTofu is recorded as terraform. A Terraform provider is served with the protocol, 5 or 6, that it speaks.
    """
    from mockprovider.cassette.modes import mode as chosen  # noqa: PLC0415 - what is imported with it is slow
    from mockprovider.cli.recording import CommandRecording, serve_recording  # noqa: PLC0415 - grpc is slow to import
    from mockprovider.double.launchers import named  # noqa: PLC0415 - as above

    if [bool(attach), bool(provider), bool(together)].count(True) != 1 or (together and name):
        raise click.UsageError(
            "Name one provider: its command after --, or --attach HOST:PORT of one that runs already. Or name several, "
            "each with --provider NAME=COMMAND."
        )
    several = named_commands(together)
    for command in (provider, *several.values()):
        spoken, package = named(command)
        if spoken not in ("", protocol):
            raise click.UsageError(f"{package} is a {spoken} provider by its name: mockprovider record {spoken} ...")
    recording = CommandRecording(
        mode=chosen(mode),
        protocol=protocol,
        command=provider,
        attach=attach,
        name=name,
        together=several,
        compact=compact,
        places=places,
        ignore=ignore,
        prove=prove,
        plans=plans,
    )
    serve_recording(recording, cassette, host=host, port=port)


@main.command("exec", context_settings={"ignore_unknown_options": True})
@types_option
@click.option("--cassette", type=FILE, metavar="FILE", help="Replay or record this cassette, instead of the fake.")
@click.option(
    "--mode",
    metavar="MODE",
    help="none, unless given, replays the cassette; once records it where it is not there, new adds to it, all records it "
    "anew, verify compares what the providers answer with it.",
)
@together_option
@compact_option
@places_options
@ignore_option
@unplayed_option
@beyond_option
@faults_option
@contract_option
@seed_option
@click.option("--strict", is_flag=True, help="Refuse types and properties that nothing declares.")
@click.option("--protocol", type=PROTOCOL, help="What the command speaks; its name tells unless given.")
@click.option("--quiet", is_flag=True, help="Do not show the calls.")
@click.argument("command", nargs=-1, required=True, metavar="-- COMMAND...", type=click.UNPROCESSED)
@example(
    "  mockprovider exec --types plugins/catalog/storage.json -- pulumi up --yes\n"
    "  mockprovider exec --cassette random.json --faults lost.toml -- terraform apply -auto-approve\n"
    "  mockprovider exec --cassette random.json --mode once --provider random=terraform-provider-random "
    "-- terraform apply -auto-approve"
)
def exec_(
    *,
    types: tuple[Path, ...],
    cassette: Path | None,
    mode: str | None,
    together: tuple[str, ...],
    compact: bool,
    ignore: tuple[str, ...],
    unplayed: str,
    beyond: str,
    plans: tuple[Path, ...],
    seed: int,
    strict: bool,
    protocol: str | None,
    quiet: bool,
    command: tuple[str, ...],
    **places: tuple[str, ...],
) -> None:
    """Run COMMAND with a double as its provider.

    It ends with the exit code of COMMAND, or with 1 if that succeeds and a fault never fired, or if it succeeds without having
    asked for each create, update and delete of the cassette. A COMMAND that fails while it is recorded replaces no cassette.

    The double lasts as long as the command, so what a command leaves in the cloud is gone after it: a script of several
    commands is one COMMAND, too (-- sh -c "...", with --protocol).
    """
    if cassette is not None and (types or strict):
        raise click.UsageError("--cassette replays what was recorded; --types and --strict are for the fake.")
    if cassette is None and (mode or together or compact or ignore or beyond != "miss" or any(places.values())):
        raise click.UsageError(
            "--mode, --provider, --compact, --beyond, --ignore, --secret, --public and --mask go with --cassette FILE."
        )
    from mockprovider.cassette.beyond import beyond_policy  # noqa: PLC0415 - what is imported with it is slow
    from mockprovider.cassette.modes import DEFAULT  # noqa: PLC0415 - as above
    from mockprovider.cassette.modes import mode as chosen  # noqa: PLC0415 - as above
    from mockprovider.cli.executing import execute, spoken  # noqa: PLC0415 - grpc is slow to import
    from mockprovider.cli.recording import CommandRecording  # noqa: PLC0415 - as above
    from mockprovider.double.inuse import asks  # noqa: PLC0415 - as above

    beyond_policy(beyond, chosen(mode or DEFAULT))
    recording = None
    if cassette is not None and asks(chosen(mode or DEFAULT), cassette):
        if not together:
            raise click.UsageError(f"--mode {mode} asks real providers: name what {cassette} is of, --provider NAME=COMMAND.")
        recording = CommandRecording(
            mode=chosen(mode or DEFAULT),
            protocol=protocol or spoken(command[0]),
            together=named_commands(together),
            compact=compact,
            places=places,
            ignore=ignore,
            plans=plans,
            unplayed=unplayed,
            aside=True,
        )
    code = execute(
        command,
        protocol,
        types,
        cassette=cassette,
        recording=recording,
        unplayed=unplayed,
        beyond=beyond,
        ignore=ignore,
        plans=plans,
        seed=seed,
        strict=strict,
        quiet=quiet,
    )
    sys.exit(code)


@main.command()
@click.argument("file", type=FILE)
@unplayed_option
@beyond_option
@ignore_option
@faults_option
@contract_option
@port_option
@host_option
@click.option("--whole-schema", is_flag=True, help="Tell a Terraform engine of all types, also of those that were not in use.")
@example("  mockprovider replay random.json")
def replay(
    *,
    file: Path,
    unplayed: str,
    beyond: str,
    ignore: tuple[str, ...],
    plans: tuple[Path, ...],
    port: int,
    host: str,
    whole_schema: bool,
) -> None:
    """Serve the provider that FILE has recorded, until Ctrl-C.

    Of several files, all are served.

    The cassette knows for which engines it is: pulumi, or terraform and tofu. A call that was not recorded is an error, to
    the engine and here at the end; with --beyond fake, a fake answers it, and the line about the call says so. Here it is
    also said which recorded creates, updates and deletes nobody asked for.
    """
    from mockprovider.cli.serving import serve_replay  # noqa: PLC0415 - grpc is slow to import

    serve_replay(
        file, unplayed=unplayed, beyond=beyond, ignore=ignore, plans=plans, host=host, port=port, whole_schema=whole_schema
    )


@main.command(name="run")
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.argument("operation", type=click.Choice(["preview", "up", "refresh", "destroy"]))
@types_option
@click.option("--stack", default="dev", show_default=True, help="The stack's name; its settings are in Pulumi.STACK.yaml.")
@click.option("--cassette", type=FILE, metavar="FILE", help="Replay this recording instead of faking.")
@click.option("--interpreter", metavar="FILE", help="What runs Python or JavaScript, instead of what the project names.")
@click.option("--run-program", is_flag=True, help="Run the program of a refresh or destroy, too.")
@click.option("--timeout", default=300.0, show_default=True, metavar="SECONDS", help="How long it may take.")
@click.option(
    "--policy-pack",
    "policies",
    type=click.Path(path_type=Path),
    metavar="PACK",
    multiple=True,
    help="Keep to it, as under pulumi.",
)
@click.option("--diff", "details", is_flag=True, help="Show each property, as pulumi's --diff does.")
@seed_option
@example("  mockprovider run my-project up --types plugins/catalog/storage.json")
def run_(
    *,
    folder: Path,
    operation: str,
    types: tuple[Path, ...],
    stack: str,
    cassette: Path | None,
    interpreter: str | None,
    run_program: bool,
    timeout: float,
    policies: tuple[Path, ...],
    details: bool,
    seed: int,
) -> None:
    """Run a Pulumi program without pulumi.

    DIR is its folder, with Pulumi.yaml, in nodejs, python, go or yaml. It runs on the embedded engine, and the provider is the
    fake, or a recorded one.
    What the engine remembers and what the fake cloud holds is kept in DIR/.mockprovider/STACK.json for the next run.
    """
    from mockprovider.cli.running import run  # noqa: PLC0415 - imports pulumi, which is slow

    if cassette and types:
        raise click.UsageError("Give --types for the fake or --cassette for a recorded provider, not both.")
    chosen = {"interpreter": interpreter} if interpreter and (run_program or operation in ("preview", "up")) else {}
    how: dict[str, Any] = {"run_program": run_program, **chosen, "timeout": timeout, "policies": policies, "details": details}
    run(folder, operation, types, stack=stack, cassette=cassette, seed=seed, **how)


main.add_command(cassette)
main.add_command(contract)
main.add_command(docs)
main.add_command(plugin)
main.add_command(schema)
main.add_command(verify_engine)
