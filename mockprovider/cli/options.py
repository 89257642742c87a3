"""The options and the manners that commands share."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click

from mockprovider.errors import MockProviderError, extra_hint
from mockprovider.protocols import families

SPEAKS = {"pulumi": "pulumi", "terraform": "terraform", "tofu": "terraform"}
"""The protocol of the engines that are known by name."""


class FamilyChoice(click.Choice):  # type: ignore[type-arg] # generic in newer versions of click alone
    """A protocol; an engine's name stands for the one that it speaks."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The protocol's name."""
        return super().convert(SPEAKS.get(value, value), param, ctx)


PROTOCOL = FamilyChoice(list(families()))
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)

PORT = click.IntRange(0, 65535)

NAMED = "A property that is secret, such as password or aws_ssm_parameter.value; may be given again, as may the next two."

port_option = click.option("--port", type=PORT, default=0, metavar="N", help="Port to serve at; a free one unless given.")
host_option = click.option("--host", default="127.0.0.1", show_default=True, metavar="HOST", help="Address to serve at.")
seed_option = click.option("--seed", default=0, metavar="N", help="Seed of all that is generated, such as ids; 0 unless given.")
types_option = click.option(
    "--types",
    multiple=True,
    type=FILE,
    metavar="FILE",
    help="What declares resource types: a types file, a Pulumi package schema, a Terraform provider schema, or a cassette "
    "with a schema in it; may be given again. mockprovider docs resource-types has the format.",
)


CONTRACT = "mockprovider.contract"
"""Where click's context keeps the file of ``--contract``."""


def _keep_contract(context: click.Context, _: click.Parameter, file: Path | None) -> None:
    context.meta[CONTRACT] = file


contract_option = click.option(
    "--contract",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    expose_value=False,
    callback=_keep_contract,
    help="Write the breaches of the contract to this file, as JSON; they are shown as they happen in any case.",
)

faults_option = click.option(
    "--faults",
    "plans",
    multiple=True,
    type=FILE,
    metavar="PLAN",
    help="Faults to inject: a plan in JSON or TOML, as mockprovider docs faults describes it; may be given again.",
)


unplayed_option = click.option(
    "--unplayed",
    default="fail",
    metavar="POLICY",
    help="allow: say nothing of recorded creates, updates and deletes that nobody asked for.",
)


beyond_option = click.option(
    "--beyond",
    default="miss",
    metavar="POLICY",
    help="fake: a fake answers what the cassette does not hold, from its schema and with the objects that it gave out.",
)
ignore_option = click.option(
    "--ignore",
    multiple=True,
    metavar="PATH",
    help="A place in requests that does not count, as a miss shows it; * is any one step, ** any number.",
)
compact_option = click.option("--compact", is_flag=True, help="Keep repeated questions once, and of schemas the types in use.")
together_option = click.option(
    "--provider",
    "together",
    multiple=True,
    metavar="NAME=COMMAND",
    help="A provider to record, or one of several that share the cassette: the package's name and its command.",
)


def places_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What is decided about places while something is recorded."""
    for option in (
        click.option(
            "--mask", "masks", multiple=True, metavar="PATH", help="What differs each time and does not count on replay."
        ),
        click.option("--public", multiple=True, metavar="PATH", help="What stays readable although it is declared secret."),
        click.option("--secret", "secrets", multiple=True, metavar="PATH", help=NAMED),
    ):
        command = option(command)
    return command


PLACES: Mapping[str, str] = {"secrets": "--secret", "public": "--public", "masks": "--mask"}
"""The options that name places, by the argument of ``recording``."""


def naming(places: Mapping[str, Sequence[str]]) -> list[str]:
    """The words of a command line that name these places."""
    return [word for kind, names in places.items() for name in names for word in (PLACES[kind], name)]


def named_commands(together: Sequence[str]) -> dict[str, list[str]]:
    """The command line of each ``--provider``, by its name. Raises ``UsageError`` for what is no such thing."""
    several = dict(map(_provider, together))
    if len(several) < len(together):
        raise click.UsageError("--provider: two of them have one name.")
    return several


def _provider(text: str) -> tuple[str, list[str]]:
    name, _, line = text.partition("=")
    try:
        command = shlex.split(line)
    except ValueError as error:
        raise click.UsageError(f"--provider: {line!r} is no command line: {error}.") from error
    if not name or not command:
        raise click.UsageError(f"--provider: write NAME=COMMAND, such as random=terraform-provider-random, not {text!r}.")
    return name, command


class TroubleError(click.ClickException):
    """What kept a comparison from being made: the command ends as diff(1) does then, 1 being that something differs."""

    exit_code = 2


class Group(click.Group):
    """Turns our errors into one clear message, whatever command raised them."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except MockProviderError as error:
            raise click.ClickException(str(error).rstrip()) from error
        except ModuleNotFoundError as error:
            if not extra_hint(error):
                raise
            raise click.ClickException(f"{extra_hint(error)}.") from error
        except OSError as error:
            # An error with a file name is about that file; one without may be a bug of ours.
            if error.filename is None:
                raise
            raise click.ClickException(f"{error.filename}: {error.strerror}.") from error


def example(text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put an example under a command's help, as it is typed."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        command.__doc__ = f"{cleandoc(command.__doc__ or '')}\n\n\b\nExample:\n{text}"
        return command

    return decorate
