"""Package schemas that were read before: checked once, and then read a type at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockprovider.document import Node
from mockprovider.ondemand import OnDemand
from mockprovider.pulumi.package.reader import SECTIONS, PackageReader
from mockprovider.schema import Package
from mockprovider.slices import LEAST, Slices, find, keep, key_of

KIND = "pulumi package"
PARTS = (*SECTIONS, "components", "methods")
"""What is kept in slices; the tokens of components and methods are kept in the order of the schema."""


def kept_package(text: str, origin: str) -> Package | None:
    """The package of a schema that was kept; ``None`` if it was not. Its types are read when they are used."""
    kept = find(key_of(KIND, text)) if len(text) >= LEAST else None
    if kept is None:
        return None
    lazy = {section: _lazy(kept, section) for section in SECTIONS}
    reader = PackageReader(Node({**kept.root["root"], **lazy}, origin), {})
    package = reader.package_on_demand(kept.root["components"], kept.root["methods"], kept.root["spelled"])
    package.schema = text if kept.root["json"] else kept.decoded("text", "")
    return package


def _lazy(kept: Slices, section: str) -> OnDemand[Any]:
    return OnDemand(kept.sections[section], lambda key: kept.decoded(section, key))


def keep_package(text: str, document: Mapping[str, Any], package: Package) -> None:
    """Keep what a schema was read as."""
    if len(text) < LEAST:
        return
    is_json = package.schema is text
    root = {
        "root": {key: value for key, value in document.items() if key not in SECTIONS},
        "components": [*package.components],
        "methods": [*package.methods],
        "spelled": {token: resource.terraform for token, resource in package.resources.items()},
        "json": is_json,
    }
    sections = {section: document.get(section) or {} for section in SECTIONS}
    keep(key_of(KIND, text), root, {**sections, "text": {} if is_json else {"": package.schema}})
