"""Pulumi package schemas as packages: text or data, read whole or kept from before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mockprovider.document import Node
from mockprovider.errors import DefinitionError
from mockprovider.pulumi.package.kept import keep_package, kept_package
from mockprovider.pulumi.package.reader import PackageReader, Sources
from mockprovider.pulumi.package.text import read_text
from mockprovider.schema import Package


def from_schema(source: str | Mapping[str, Any], origin: str = "schema", *, packages: Sources | None = None) -> Package:
    """The package that a Pulumi package schema describes.

    Args:
        source: the schema's text, in JSON or YAML, or the same as data.
        origin: the file's name, for error messages.
        packages: schemas of other packages by name, for references to their types; without one, these are ``any``.

    GetSchema answers the schema as it was read (in JSON), until something is added to the package. A large text is checked
    once; after that its types are read when they are used, from the cache (``slices``).
    Raises ``DefinitionError`` that names the origin, the place in it, what stands there, and what should.
    """
    kept = kept_package(source, origin) if isinstance(source, str) and not packages else None
    if kept is not None:
        return kept
    document = read_text(source, origin) if isinstance(source, str) else source
    root = Node(document, origin)
    try:
        package = PackageReader(root, packages or {}).package()
    except RecursionError as error:
        raise DefinitionError(f"{origin}: nested too deeply to be read. A schema needs some dozens of levels.") from error
    is_json = isinstance(source, str) and source.lstrip().startswith("{")
    package.schema = source if isinstance(source, str) and is_json else json.dumps(root.plain())
    if isinstance(source, str) and not packages:
        keep_package(source, document, package)
    return package


def is_schema(document: Any) -> bool:
    """Whether parsed JSON looks like a package schema, and not like a types file."""
    return isinstance(document, Mapping) and "name" in document and not {"mockprovider", "packages"} & document.keys()
