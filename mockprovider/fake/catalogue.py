"""What is declared, as a call finds it: its package, its resource type, its function."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping

from mockprovider.calls import Call, Failure, Reply
from mockprovider.errors import MalformedError
from mockprovider.paths import show
from mockprovider.schema import Function, Package, Property, ResourceType
from mockprovider.values import Bag

MARKER = "__defaults"
"""The key under which the bridge's programs keep book of defaults; no property of any type."""


class Catalogue:
    """The declared packages. ``packages`` is looked at anew at each call, so definitions may be added meanwhile.

    With ``strict``, types that nobody declared do not exist; otherwise such a type has the properties that a call names.
    """

    def __init__(self, packages: Mapping[str, Package], *, strict: bool) -> None:
        self.packages = packages
        self.strict = strict

    def package(self, call: Call) -> Package:
        """The package that a call is for: its session's, else its type's, else the first."""
        schema = call.session.schema
        name = call.type.rsplit(":", 1)[-1] if call.type.startswith("pulumi:providers:") else call.type.split(":", 1)[0]
        found = schema if isinstance(schema, Package) else self.packages.get(name)
        return found or next(iter(self.packages.values()), Package("mock"))

    def type(self, call: Call) -> ResourceType | None:
        """The resource type that a call is about. Raises ``MalformedError`` for a call that names none."""
        package = self.packages.get(call.type.split(":", 1)[0])
        declared = package.resources.get(call.type) if package else None
        if not call.type:
            raise MalformedError(f"{call} names no resource type: set 'type', or a 'urn' that holds one.")
        if declared is None and not self.strict:
            names = {name for bag in (call.inputs, call.prior, call.prior_inputs) if bag for name in bag if name != MARKER}
            declared = ResourceType(call.type, dict.fromkeys(names, Property("any")))
        return declared

    def function(self, call: Call) -> Function | None:
        """The function that a call is about."""
        package = self.packages.get(call.type.split(":", 1)[0])
        return package.functions.get(call.type) if package else None

    def unknown_type(self, call: Call) -> Reply:
        """The answer to a call about a type that nobody declared."""
        known = [token for package in self.packages.values() for token in package.resources]
        return failed(f"Nobody declared the resource type {call.type!r}.{nearest(call.type, known)}", "invalid_argument")

    def unknown_function(self, call: Call) -> Reply:
        """The answer to a call of a function that nobody declared."""
        known = [token for package in self.packages.values() for token in package.functions]
        return failed(f"Nobody declared the function {call.type!r}.{nearest(call.type, known)}", "invalid_argument")

    def unknown_properties(self, declared: ResourceType, inputs: Bag) -> Iterator[Failure]:
        """What is wrong with properties that nobody declared: nothing, unless ``strict``."""
        for name, value in inputs.items() if self.strict else ():
            # A null is what an SDK sends for an output that a program wants to read.
            if name not in declared.properties and value is not None:
                told = f"{declared.token} has no property {name!r}.{nearest(name, list(declared.properties))}"
                yield Failure(told, show((name,)))


def failed(reason: str, status: str) -> Reply:
    """A reply that says what went wrong."""
    return Reply(failures=(Failure(reason, status=status),))


def nearest(token: str, known: Collection[str]) -> str:
    """A sentence, with a blank before it, about what of the ``known`` is nearest."""
    close = difflib.get_close_matches(token, list(known), n=1, cutoff=0.3)
    if close:
        return f" Did you mean {close[0]!r}?"
    return f" Declared are: {', '.join(sorted(known))}." if known else " Nothing is declared at all: provider.define(...) does."
