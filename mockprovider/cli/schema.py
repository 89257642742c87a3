"""``mockprovider schema``: schemas of packages that exist, and what their providers decide beyond them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from mockprovider.cli.harvesting import judge
from mockprovider.cli.options import Group, example
from mockprovider.double.published import plugin_of, plugin_schema
from mockprovider.drivers.schemas import pulumi_schema, terraform_schema
from mockprovider.errors import MockProviderError, PluginError
from mockprovider.files import write_text


def _plugin(package: str) -> str:
    given = Path(package)
    if not given.is_file():
        # A source address, as configurations have it, ends with the name.
        name = package.rpartition("/")[2]
        return plugin_schema(plugin_of(name), name)
    if not os.access(given, os.X_OK):
        raise PluginError(f"{given} is no executable: name the provider's own, such as terraform-provider-random")
    return plugin_schema(str(given.absolute()))


def _sdk(package: str) -> str:
    from mockprovider.pulumi.installed.reading import from_sdk  # noqa: PLC0415 - only this way needs it
    from mockprovider.pulumi.schema import text  # noqa: PLC0415 - as above

    return text(from_sdk(package))


WAYS: Mapping[str, Callable[[str], str]] = {
    "plugin": _plugin,
    "pulumi": pulumi_schema,
    "sdk": _sdk,
    "terraform": lambda package: terraform_schema("terraform", package),
    "tofu": lambda package: terraform_schema("tofu", package),
}
"""What may know a package, in the order in which it is asked: those first that need no network and say most."""


@click.group(cls=Group)
def schema() -> None:
    """Schemas of packages that exist."""


@schema.command()
@click.argument("package")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write it there.")
@click.option("--from", "way", type=click.Choice([*WAYS]), help="Ask this alone; otherwise each in this order.")
@example(
    "  mockprovider schema get random -o schemas/random.json\n"
    "  mockprovider schema get ./terraform-provider-random -o random.json\n"
    "  mockprovider schema get pulumi_aws --from sdk -o aws.json"
)
def get(*, package: str, output: Path | None, way: str | None) -> None:
    """Get the schema of PACKAGE.

    It is to be committed, and served with --types FILE.

    PACKAGE is a name or source address, the path of a provider's executable, or the folder of an SDK. It is looked for as a
    plugin on PATH and in the engines' folders, by the pulumi command line, as an installed SDK, and in the Terraform
    configuration in this folder.
    """
    ways = [way] if way else _fitting(package)
    text, chosen = _first(package, ways)
    if output is None:
        click.echo(text)
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    write_text(output, text if text.endswith("\n") else f"{text}\n")
    click.echo(f"Wrote {output}: {package} as {chosen} tells it, {len(text):,} bytes. Serve it with --types {output}.")


def _fitting(package: str) -> list[str]:
    """The ways for what was named: a path says what it is."""
    given, is_path = Path(package), package.startswith((".", "~", os.sep))
    if is_path and not given.exists():
        raise PluginError(f"There is no {package}: name a provider's executable, the folder of an SDK, or a package.")
    if given.is_dir() and (is_path or os.sep in package):
        return ["sdk"]
    return ["plugin"] if given.is_file() else [*WAYS]


def _first(package: str, ways: list[str]) -> tuple[str, str]:
    reasons: dict[str, str] = {}
    for way in ways:
        try:
            return WAYS[way](package), way
        except MockProviderError as error:
            reasons[way] = str(error).strip()
    if len(reasons) == 1:
        raise PluginError(next(iter(reasons.values())))
    listed = "\n".join(f"  {way}: {reason.replace(chr(10), chr(10) + '    ')}" for way, reason in reasons.items())
    raise PluginError(
        f"Nothing here knows the package {package!r}.\n{listed}\nInstall one of these, or name the plugin's path."
    )


schema.add_command(judge)
