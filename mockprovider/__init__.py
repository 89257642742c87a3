"""mockprovider: the test double for infrastructure-as-code providers.

``Double`` is the provider, ``ResourceType``, ``Property`` and ``Function`` say what it serves, ``Stack`` is the embedded Pulumi
engine. In tests, the pytest fixtures ``provider`` and ``pulumi_stack`` are these two.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mockprovider.cloud import Cloud
    from mockprovider.double import Double, from_plugin, real, recording, recording_all, replaying, replaying_all
    from mockprovider.engine import Stack
    from mockprovider.errors import MockProviderError
    from mockprovider.offers import Ephemeral, ProviderFunction
    from mockprovider.pulumi.installed.reading import from_sdk
    from mockprovider.pulumi.package.reading import from_schema
    from mockprovider.schema import (
        Child,
        Component,
        Function,
        Kind,
        Method,
        Package,
        Property,
        Random,
        ResourceType,
        Step,
        Template,
    )
    from mockprovider.tape.cloudfile import SqliteStore
    from mockprovider.terraform.schema.reading import from_terraform_schema
    from mockprovider.values import UNKNOWN, Archive, Asset, Output, ResourceReference, Secret, Unknown

__all__ = [
    "UNKNOWN",
    "Archive",
    "Asset",
    "Child",
    "Cloud",
    "Component",
    "Double",
    "Ephemeral",
    "Function",
    "Kind",
    "Method",
    "MockProviderError",
    "Output",
    "Package",
    "Property",
    "ProviderFunction",
    "Random",
    "ResourceReference",
    "ResourceType",
    "Secret",
    "SqliteStore",
    "Stack",
    "Step",
    "Template",
    "Unknown",
    "from_plugin",
    "from_schema",
    "from_sdk",
    "from_terraform_schema",
    "real",
    "recording",
    "recording_all",
    "replaying",
    "replaying_all",
]

_HOMES = {
    "mockprovider.cloud": ("Cloud",),
    "mockprovider.double": ("Double", "from_plugin", "real", "recording", "recording_all", "replaying", "replaying_all"),
    "mockprovider.engine": ("Stack",),
    "mockprovider.errors": ("MockProviderError",),
    "mockprovider.pulumi.installed.reading": ("from_sdk",),
    "mockprovider.pulumi.package.reading": ("from_schema",),
    "mockprovider.offers": ("Ephemeral", "ProviderFunction"),
    "mockprovider.schema": (
        "Child",
        "Component",
        "Function",
        "Kind",
        "Method",
        "Package",
        "Property",
        "Random",
        "ResourceType",
        "Step",
        "Template",
    ),
    "mockprovider.tape.cloudfile": ("SqliteStore",),
    "mockprovider.terraform.schema.reading": ("from_terraform_schema",),
    "mockprovider.values": ("UNKNOWN", "Archive", "Asset", "Output", "ResourceReference", "Secret", "Unknown"),
}


def __getattr__(name: str) -> Any:
    # pytest imports us in every run, and most runs need none of this: each name is loaded when it is asked for.
    # Two modules, which are in no __all__: the SDK has one of that name, too.
    if name in ("pulumi", "terraform"):
        return import_module(f"{__name__}.{name}")
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)
