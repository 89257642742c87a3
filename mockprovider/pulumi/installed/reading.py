"""An installed SDK as a package."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from msgspec import convert, to_builtins

from mockprovider.pulumi.installed.document import SdkIndex, SdkReader, sdk_package
from mockprovider.pulumi.installed.finding import dependencies, folder_of, identity_of
from mockprovider.pulumi.installed.nodejs import NodeReader, index_npm
from mockprovider.pulumi.installed.npm import MODULES, built, is_npm, npm_dependencies, npm_identity
from mockprovider.pulumi.installed.python import PythonReader, index_sdk
from mockprovider.schema import Package
from mockprovider.slices import find, keep, key_of

LEAST_FILES = 200
"""From so many files on, keeping where things are pays."""


class Ecosystem(NamedTuple):
    """How the SDKs of one language are read: which files have tokens, and who finds and reads them."""

    kind: str
    suffix: str
    places: Callable[[Path, str, str], SdkIndex]
    reader: Callable[[Path, str], SdkReader]


PYTHON = Ecosystem("python sdk", ".py", index_sdk, PythonReader)
NPM = Ecosystem("npm sdk", ".js", index_npm, NodeReader)


def from_sdk(sdk: str | Path) -> Package:
    """The package of an installed SDK.

    Args:
        sdk: the name of an installed Python SDK (``"pulumi_aws"``, or ``"aws"``), of an npm SDK in ``node_modules`` here
            or in a folder above (``"@pulumi/aws"``), or the path of an SDK's folder.

    Nothing is imported or run: the generated code says types, properties, functions, names on the wire and secrets. A type's
    file is read when the type is used. The SDKs that it builds on (``@pulumi/aws`` of ``@pulumi/awsx``) are declared where they
    are installed and nobody declared their packages, when an engine asks first. What an SDK does not say (mostly, what forces
    a replacement) is added as to any package.
    Raises ``DefinitionError`` for an SDK that is not there, and for code that Pulumi's generators do not write.
    """
    folder = folder_of(sdk)
    if is_npm(folder):
        others = npm_dependencies(folder)
        (name, version), folder, language = npm_identity(folder), built(folder), NPM
    else:
        others = dependencies(folder)
        (name, version), language = identity_of(folder), PYTHON
    files = sorted(_files(str(folder), language.suffix))
    state = "\n".join(f"{file} {size} {changed}" for file, size, changed in files)
    # A large SDK has thousands of files: what is found in them is kept as long as none of them changes.
    content = (language.kind, str(folder), name, version, state) if len(files) >= LEAST_FILES else ()
    package = sdk_package(_index(language, folder, name, version, content), language.reader(folder, name), str(folder))
    package.beside = {other: partial(from_sdk, place) for other, place in others.items() if other != name}
    whole = package.published
    if whole is not None:
        package.published = lambda: _versioned(_text(whole, content) if content else whole(), others)
    return package


def _versioned(text: str, others: Mapping[str, Path]) -> str:
    """The text with the versions of the packages that it refers to: hosts of YAML take no other schema for such a type."""
    for name, folder in others.items():
        version = (npm_identity if is_npm(folder) else identity_of)(folder)[1]
        text = text.replace(f'"/{name}/v0.0.0/schema.json#', f'"/{name}/v{version}/schema.json#')
    return text


def _index(language: Ecosystem, folder: Path, name: str, version: str, content: Sequence[str]) -> SdkIndex:
    """Where the SDK has what."""
    key = key_of(*content) if content else ""
    kept = find(key) if key else None
    if kept is not None:
        return convert(kept.root, SdkIndex)
    index = language.places(folder, name, version)
    if key:
        keep(key, to_builtins(index), {})
    return index


def _text(whole: Callable[[], str], content: Sequence[str]) -> str:
    """The text of an SDK's schema, as a program in YAML asks for it: all files are read for it, which takes minutes."""
    key = key_of("text", *content)
    kept = find(key)
    if kept is not None:
        return str(kept.root)
    text = whole()
    keep(key, text, {})
    return text


def _files(folder: str, suffix: str, inside: str = "") -> Iterator[tuple[str, int, int]]:
    """The code in a folder with its sizes and times. As texts, since the SDK of Azure has 32,000 files."""
    with os.scandir(folder) as entries:
        for entry in entries:
            name = f"{inside}{entry.name}"
            if entry.is_dir():
                yield from _files(entry.path, suffix, f"{name}/") if entry.name != MODULES else ()
            elif name.endswith(suffix):
                stat = entry.stat()
                yield name, stat.st_size, stat.st_mtime_ns
