"""A package whose provider has a method, as the bridged packages of today have, and a program that calls it."""

from __future__ import annotations

from typing import Any

import pulumi

from mockprovider.pulumi.package.reading import from_schema
from mockprovider.schema import Package

METHOD = "pulumi:providers:cloud/terraformConfig"
SCHEMA: dict[str, Any] = {
    "name": "cloud",
    "provider": {"inputProperties": {"region": {"type": "string"}}, "methods": {"terraformConfig": METHOD}},
    "functions": {
        METHOD: {
            "inputs": {"properties": {"__self__": {"type": "ref", "$ref": "#/provider"}}, "required": ["__self__"]},
            "outputs": {
                "properties": {"result": {"additionalProperties": {"$ref": "pulumi.json#/Any"}, "type": "object"}},
                "required": ["result"],
            },
        }
    },
}


def package() -> Package:
    """The package."""
    return from_schema(SCHEMA)


class CloudProvider(pulumi.ProviderResource):
    """The provider, as an SDK has it."""

    def __init__(self, name: str, region: str) -> None:
        super().__init__("cloud", name, {"region": region})

    def terraform_config(self) -> pulumi.Output[Any]:
        """The method."""
        return pulumi.runtime.call(METHOD, {"__self__": self}, self)


def program() -> None:
    """Two providers, each asked for its own."""
    for name, region in (("here", "eu"), ("there", "us")):
        pulumi.export(name, CloudProvider(name, region).terraform_config())
