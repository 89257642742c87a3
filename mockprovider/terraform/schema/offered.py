"""The schemas of what a package offers beside resource types and data sources."""

from __future__ import annotations

from typing import Any

from mockprovider.offers import ProviderFunction, provider_functions
from mockprovider.schema import Package
from mockprovider.terraform.schema.objects import type_of_kind
from mockprovider.terraform.schema.published import fill_published_functions
from mockprovider.terraform.values.types import type_json


def fill_functions(into: Any, package: Package) -> None:
    """Fill the map of Function messages in a schema's answer."""
    for name, declared in provider_functions(package).items():
        made = into[name]
        made.description = made.summary = declared.description
        getattr(made, "return").type = type_json(type_of_kind(declared.kind))
        for each in declared.parameters:
            _fill_parameter(made.variadic_parameter if each == declared.variadic else made.parameters.add(), declared, each)
    fill_published_functions(into, package.terraform_schema)


def _fill_parameter(into: Any, declared: ProviderFunction, name: str) -> None:
    item = declared.parameters[name]
    into.name, into.description = declared.names()[name], item.description
    into.type = type_json(type_of_kind(item.kind))
    into.allow_null_value, into.allow_unknown_values = name in declared.nullable, name in declared.unknowns
