"""What Terraform's providers offer beside resource types and data sources: functions of their own, and ephemeral resources.

Pulumi has neither and sees nothing of them. A ``schema.Function`` is for both ecosystems.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct, field
from msgspec.structs import force_setattr

from mockprovider.errors import DefinitionError
from mockprovider.schema import TOKEN, Kind, Package, Property, as_property, kind_of, snake_case, terraform_type_name
from mockprovider.values import Bag, Value


class ProviderFunction(Struct, frozen=True):
    """A provider function, ``provider::cloud::join("-", "a", "b")`` in a configuration: arguments in, one value out.

    Args:
        token: ``pkg:module:member``; the function's name in Terraform is the member in ``snake_case``.
        parameters: names in ``camelCase`` to ``Property`` (or a bare type), in the order of the arguments.
        returns: the type of the answer, as ``kind_of`` accepts it.
        implementation: called with the arguments in their order. Returns the value, or a ``Failure`` whose ``path`` may name
            the parameter that is wrong. Equal arguments must give equal answers: engines check that.
        variadic: the last parameter's name, if it takes all arguments that are left.
        nullable: parameters that may be null; for the others engines refuse it.
        unknowns: parameters that may be unknown; with an unknown for another the engine does not ask.
        terraform: the function's name in Terraform, where the rule does not give it.

    Raises ``DefinitionError`` for a malformed token, or for names that are no parameters.
    """

    token: str
    parameters: Mapping[str, Property] = field(default_factory=dict)
    returns: Any = str
    implementation: Callable[..., Value] = str
    variadic: str = ""
    nullable: tuple[str, ...] = ()
    unknowns: tuple[str, ...] = ()
    description: str = ""
    terraform: str = ""
    kind: Kind = Kind("string")

    def __post_init__(self) -> None:
        _check_token(self.token, "function", "cloud:index:join")
        parameters = {name: as_property(item) for name, item in self.parameters.items()}
        force_setattr(self, "parameters", parameters)
        force_setattr(self, "kind", kind_of(self.returns))
        force_setattr(self, "terraform", self.terraform or snake_case(self.token.rsplit(":", 1)[1]))
        for name in (*self.nullable, *self.unknowns, *([self.variadic] if self.variadic else [])):
            if name not in parameters:
                raise DefinitionError(
                    f"{self.token}: there is no parameter {name!r}. It has {', '.join(parameters) or 'none'}."
                )
        if self.variadic and self.variadic != list(parameters)[-1]:
            raise DefinitionError(f"{self.token}: {self.variadic!r} takes all arguments that are left, so it must come last.")

    def names(self) -> dict[str, str]:
        """The parameters' names in Terraform, by name."""
        return {name: item.terraform or snake_case(name) for name, item in self.parameters.items()}


class Ephemeral(Struct, frozen=True):
    """An ephemeral resource: opened when it is needed, renewed while it lasts, closed in the end, and never in any state.

    While it is open it is an object of the fake's cloud, so a test sees one that was never closed.

    Args:
        token: ``pkg:module:Member``.
        inputs: what a configuration sets, by name.
        returns: what it answers beside them: values and templates over the inputs and ``{id}``, or a callable given the
            inputs and ``id`` in one dict.
        renew_after: seconds after which it wants to be renewed, counted from each opening and renewal; ``None`` is never.
        terraform: its name in Terraform, where the rule does not give it.

    Raises ``DefinitionError`` for a malformed token.
    """

    token: str
    inputs: Mapping[str, Property] = field(default_factory=dict)
    returns: Mapping[str, Value] | Callable[[Bag], Bag] = field(default_factory=dict)
    renew_after: float | None = None
    description: str = ""
    terraform: str = ""
    terraform_schema: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_token(self.token, "ephemeral resource", "cloud:index:Token")
        force_setattr(self, "inputs", {name: as_property(item) for name, item in self.inputs.items()})
        force_setattr(self, "terraform", self.terraform or terraform_type_name(self.token))


Offer: TypeAlias = ProviderFunction | Ephemeral
"""What a package may hold in ``Package.offers``."""


def provider_functions(package: Package) -> dict[str, ProviderFunction]:
    """The provider functions of a package by their names in Terraform."""
    return {offer.terraform: offer for offer in package.offers.values() if isinstance(offer, ProviderFunction)}


def ephemerals(package: Package) -> dict[str, Ephemeral]:
    """The ephemeral resources of a package by their names in Terraform."""
    return {offer.terraform: offer for offer in package.offers.values() if isinstance(offer, Ephemeral)}


def _check_token(token: str, what: str, example: str) -> None:
    if not TOKEN.fullmatch(token):
        raise DefinitionError(f"{token!r} is no token of a {what}. Write it as 'package:module:member', e.g. {example!r}.")
