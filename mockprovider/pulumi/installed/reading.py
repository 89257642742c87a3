"""An installed SDK as a package."""

from __future__ import annotations

from pathlib import Path

from msgspec import convert, to_builtins

from mockprovider.pulumi.installed.document import SdkIndex, sdk_package
from mockprovider.pulumi.installed.finding import folder_of, identity_of
from mockprovider.pulumi.installed.python import PythonReader, index_sdk
from mockprovider.schema import Package
from mockprovider.slices import find, keep, key_of

KIND = "python sdk"
LEAST_FILES = 200
"""From so many files on, keeping where things are pays."""


def from_sdk(sdk: str | Path) -> Package:
    """The package of an installed SDK.

    Args:
        sdk: the name of an installed Python SDK (``"pulumi_aws"``, or ``"aws"``), or the path of its folder.

    Nothing is imported or run: the generated code says types, properties, functions, names on the wire and secrets. A type's
    file is read when the type is used. What an SDK does not say (mostly, what forces a replacement) is added as to any package.
    Raises ``DefinitionError`` for an SDK that is not there, and for code that Pulumi's generators do not write.
    """
    folder = folder_of(sdk)
    name, version = identity_of(folder)
    return sdk_package(_index(folder, name, version), PythonReader(folder, name), str(folder))


def _index(folder: Path, name: str, version: str) -> SdkIndex:
    """Where the SDK has what: kept, since a large one has thousands of files, and as long as none of them changes."""
    files = [(path.relative_to(folder).as_posix(), path.stat()) for path in sorted(folder.rglob("*.py"))]
    state = "\n".join(f"{file} {stat.st_size} {stat.st_mtime_ns}" for file, stat in files)
    key = key_of(KIND, str(folder), name, version, state)
    kept = find(key) if len(files) >= LEAST_FILES else None
    if kept is not None:
        return convert(kept.root, SdkIndex)
    index = index_sdk(folder, name, version)
    if len(files) >= LEAST_FILES:
        keep(key, to_builtins(index), {})
    return index
