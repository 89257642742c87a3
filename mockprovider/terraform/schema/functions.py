"""Provider functions: their schema messages, and published functions as offers that return generated values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from mockprovider.document import Node
from mockprovider.fake.computing import generated
from mockprovider.offers import ProviderFunction, provider_functions
from mockprovider.schema import Package, Property, camel_case, snake_case
from mockprovider.terraform.schema.declared import place_of_kind
from mockprovider.terraform.schema.properties import kind_of_place, read_type
from mockprovider.terraform.schema.published import type_in
from mockprovider.terraform.schema.tree import place_of
from mockprovider.terraform.values.types import type_json
from mockprovider.values import Value

# As messages ------------------------------------------------------------------------------------------------------------


def fill_functions(into: Any, package: Package) -> None:
    """Fill the map of Function messages in a schema answer. A published schema is sent as it is."""
    for name, declared in provider_functions(package).items():
        _fill_declared(into[name], declared)
    for name, published in (package.terraform_schema.get("functions") or {}).items():
        into[name].Clear()
        _fill_published(into[name], published)


def _fill_declared(into: Any, declared: ProviderFunction) -> None:
    into.description = into.summary = declared.description
    getattr(into, "return").type = type_json(place_of_kind(declared.kind).type)
    for name, item in declared.parameters.items():
        parameter = into.variadic_parameter if name == declared.variadic else into.parameters.add()
        parameter.name, parameter.description = declared.names()[name], item.description
        parameter.type = type_json(place_of_kind(item.kind).type)
        parameter.allow_null_value, parameter.allow_unknown_values = name in declared.nullable, name in declared.unknowns


def _fill_published(into: Any, published: Mapping[str, Any]) -> None:
    for word in ("summary", "description", "deprecation_message"):
        setattr(into, word, published.get(word) or "")
    getattr(into, "return").type = _type_bytes(published["return_type"])
    for parameter in published.get("parameters") or ():
        _fill_parameter(into.parameters.add(), parameter)
    if published.get("variadic_parameter"):
        _fill_parameter(into.variadic_parameter, published["variadic_parameter"])


def _fill_parameter(into: Any, published: Mapping[str, Any]) -> None:
    into.name, into.description = published.get("name") or "", published.get("description") or ""
    into.type = _type_bytes(published["type"])
    into.allow_null_value = published.get("is_nullable", False)


def _type_bytes(spelled: Any) -> bytes:
    return type_json(type_in(spelled))


# As offers --------------------------------------------------------------------------------------------------------------


def read_function(package: str, name: str, node: Node) -> ProviderFunction:
    """One provider function. Raises ``DefinitionError`` for invalid types."""
    members = node.members(needed=("return_type",))
    parameters: dict[str, Property] = {}
    nullable: list[str] = []
    if "parameters" in members and members["parameters"].value is not None:
        for parameter in members["parameters"].items():
            _read_parameter(parameter, parameters, nullable)
    variadic = ""
    if "variadic_parameter" in members and members["variadic_parameter"].value is not None:
        variadic = _read_parameter(members["variadic_parameter"], parameters, nullable)
    kind = kind_of_place(place_of(read_type(members["return_type"])))
    return ProviderFunction(
        f"{package}:index:{camel_case(name)}",
        parameters,
        returns=kind,
        implementation=_answering(lambda of: generated(kind, name, of)),
        variadic=variadic,
        nullable=tuple(nullable),
        description=str(node.value.get("summary") or ""),
        terraform=name,
    )


def _answering(make: Callable[[str], Value]) -> Callable[..., Value]:
    # Equal arguments must give equal answers.
    return lambda *arguments: make(json.dumps(arguments, sort_keys=True, default=repr))


def _read_parameter(node: Node, parameters: dict[str, Property], nullable: list[str]) -> str:
    members = node.members(needed=("name", "type"))
    wanted = members["name"].text(empty=False)
    name = camel_case(wanted) if camel_case(wanted) not in parameters else wanted
    while name in parameters:
        name += "_"
    parameters[name] = Property(
        kind_of_place(place_of(read_type(members["type"]))),
        description=str(node.value.get("description") or ""),
        terraform="" if snake_case(name) == wanted else wanted,
    )
    if "is_nullable" in members and members["is_nullable"].flag():
        nullable.append(name)
    return name
