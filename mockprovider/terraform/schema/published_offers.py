"""Published provider functions as offers of a package: what they answer is generated."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from mockprovider.document import Node
from mockprovider.fake.computing import generated
from mockprovider.offers import ProviderFunction
from mockprovider.schema import Property, camel_case, snake_case
from mockprovider.terraform.schema.attributes import kind_of_type, read_type
from mockprovider.values import Value


def read_function(package: str, name: str, node: Node) -> ProviderFunction:
    """One provider function. Raises ``DefinitionError`` for types that are none."""
    members = node.members(needed=("return_type",))
    parameters, nullable = _parameters(members)
    variadic = ""
    if "variadic_parameter" in members and members["variadic_parameter"].value is not None:
        variadic = _parameter(members["variadic_parameter"], parameters, nullable)
    kind = kind_of_type(read_type(members["return_type"]))
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


def _parameters(members: Mapping[str, Node]) -> tuple[dict[str, Property], list[str]]:
    found: dict[str, Property] = {}
    nullable: list[str] = []
    for each in members["parameters"].items() if "parameters" in members and members["parameters"].value is not None else ():
        _parameter(each, found, nullable)
    return found, nullable


def _parameter(node: Node, found: dict[str, Property], nullable: list[str]) -> str:
    members = node.members(needed=("name", "type"))
    wanted = members["name"].text(empty=False)
    name = camel_case(wanted) if camel_case(wanted) not in found else wanted
    description = str(node.value.get("description") or "")
    regular = snake_case(name) == wanted
    found[name] = Property(
        kind_of_type(read_type(members["type"])), description=description, terraform="" if regular else wanted
    )
    if "is_nullable" in members and members["is_nullable"].flag():
        nullable.append(name)
    return name
