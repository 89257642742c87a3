"""An installed SDK as a package."""

from __future__ import annotations

from pathlib import Path

from mockprovider.pulumi.installed.document import sdk_package
from mockprovider.pulumi.installed.finding import folder_of, identity_of
from mockprovider.pulumi.installed.python import PythonReader, index_sdk
from mockprovider.schema import Package


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
    return sdk_package(index_sdk(folder, name, version), PythonReader(folder, name), str(folder))
