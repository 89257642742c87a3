"""Declarations of what providers are asked to run, besides resources: functions, components and methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import force_setattr

from mockprovider.errors import DefinitionError
from mockprovider.properties import TOKEN, Property, declared_properties, secret_paths
from mockprovider.values import Bag, Value


class Function(Struct, frozen=True):
    """A function (Pulumi invoke, Terraform data source): token, declared inputs, and what it returns.

    Args:
        token: its token, ``pkg:module:member``.
        inputs: its arguments by name.
        returns: values and templates over the arguments (``"zone-{region}"``), or a callable given the arguments.
        outputs: what it returns, by name, as declared: what ``returns`` leaves out is the argument of that name, or generated.
        terraform: the data source's name, where the rule does not give it.
        terraform_schema: the data source's schema as it was published.
    """

    token: str
    inputs: Mapping[str, Property] = field(default_factory=dict)
    returns: Mapping[str, Value] | Callable[[Bag], Bag] = field(default_factory=dict)
    outputs: Mapping[str, Property] = field(default_factory=dict)
    terraform: str = ""
    terraform_schema: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not TOKEN.fullmatch(self.token):
            raise DefinitionError(
                f"{self.token!r} is no function token. Write it as 'package:module:member', e.g. 'cloud:index:getZone'."
            )
        force_setattr(self, "inputs", declared_properties(self.token, self.inputs))
        force_setattr(self, "outputs", declared_properties(self.token, self.outputs))

    @property
    def secrets(self) -> dict[str, frozenset[str]]:
        """What it declares secret of its arguments and results, by token and, where one is given, the data source's name."""
        paths = frozenset({*secret_paths(self.inputs), *secret_paths(self.outputs)})
        return dict.fromkeys(filter(None, (self.token, self.terraform)), paths)


class Child(Struct, frozen=True):
    """A child of a component: its type, the template of its name, and its properties, with templates over the component's
    inputs, ``{name}`` (the component's name), and what earlier children are: ``{logs.arn}``, ``{logs.id}``, ``{logs.urn}``.
    """

    type: str
    properties: Mapping[str, Value] = field(default_factory=dict)
    name: str = ""
    """Without one: ``{name}-`` and the key under which the component has it."""


class Component(Struct, frozen=True):
    """A component: a resource that is made of others, which the provider registers with the engine (Pulumi's Construct).

    Args:
        token: its type token, ``pkg:module:Member``.
        inputs: what a program sets, by name.
        outputs: what it shows; a ``computed`` template may name inputs and children (``Property(str, computed="{logs.arn}")``).
        children: its children as data, by a key for templates, registered in this order.
        construct: a function instead of, or after, them: it is given a ``pulumi.components.Site`` and may return outputs.
    """

    token: str
    inputs: Mapping[str, Property] = field(default_factory=dict)
    outputs: Mapping[str, Property] = field(default_factory=dict)
    children: Mapping[str, Child] = field(default_factory=dict)
    construct: Callable[[Any], Bag | None] | None = None
    description: str = ""

    def __post_init__(self) -> None:
        if not TOKEN.fullmatch(self.token):
            raise DefinitionError(f"{self.token!r} is no type token. Write it as 'package:module:Member'.")
        force_setattr(self, "inputs", declared_properties(self.token, self.inputs))
        force_setattr(self, "outputs", declared_properties(self.token, self.outputs))


class Method(Struct, frozen=True):
    """A method of a component or resource (Pulumi's Call), declared by the token ``pkg:module:Type/method``.

    ``returns`` is a bag of values and templates over the arguments and the receiver's properties (``{self.url}``), or a
    callable given a ``pulumi.components.Called``.
    """

    token: str
    inputs: Mapping[str, Property] = field(default_factory=dict)
    returns: Mapping[str, Value] | Callable[[Any], Bag | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (TOKEN.fullmatch(self.token) and self.receiver and self.name):
            raise DefinitionError(f"{self.token!r} is no method's token. Write it as 'package:module:Type/method'.")
        force_setattr(self, "inputs", declared_properties(self.token, self.inputs))

    @property
    def receiver(self) -> str:
        """The token of the type that has it."""
        return self.token.rpartition("/")[0]

    @property
    def name(self) -> str:
        """Its name in programs."""
        return self.token.rpartition("/")[2]
