"""Ready-made answers for what every program asks of the large providers: data files, in ``plugins/catalog/presets/``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from mockprovider.fake.answers import said_of
from mockprovider.fake.inventing.inventor import plain
from mockprovider.fake.sayings import NOTHING_SAID, Sayings, joined

FILES: Mapping[str, str] = {
    "aws": "aws",
    "aws-native": "aws",
    "awsx": "awsx",
    "gcp": "gcp",
    "google": "gcp",
    "google-beta": "gcp",
    "azure": "azure",
    "azure-native": "azure",
    "azurerm": "azure",
    "kubernetes": "kubernetes",
    "digitalocean": "digitalocean",
    "linode": "linode",
    "random": "random",
}
"""Packages, as either ecosystem calls them, to the file that says what they answer."""


def folder() -> Path:
    """Where the files are: in the package when it is installed, and in ``plugins/`` of the source."""
    installed = Path(__file__).parents[1] / "presets"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "plugins" / "catalog" / "presets"


@cache
def presets(package: str) -> Sayings:
    """What is said of a package, by its name; nothing, if there is no file for it."""
    name = FILES.get(package)
    if name is None:
        return NOTHING_SAID
    from mockprovider.fake.definitions import load  # noqa: PLC0415 - only for these packages

    file = folder() / f"{name}.json"
    said = joined(*map(said_of, load(file.read_text(encoding="utf-8"), name)))
    said.elements = {(of, plain(path)): count for (of, path), count in said.elements.items()}
    for saying in (*said.answers, *said.outputs):
        saying.origin = f"as the preset {name} says"
    return said
