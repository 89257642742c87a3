"""Looks up a call's declarations: its package, its resource type, its function."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from mockprovider.calls import Call, Failure, Reply
from mockprovider.cloud import Cloud, CloudObject
from mockprovider.errors import MalformedError
from mockprovider.fake.moving import CONVERTED, Former, formers, properties_after
from mockprovider.fake.spelling import doubtful, strangers
from mockprovider.hints import did_you_mean, misspelt
from mockprovider.offers import Ephemeral, ProviderFunction
from mockprovider.paths import show
from mockprovider.schema import Function, Package, Property, ResourceType
from mockprovider.urn import PROVIDERS
from mockprovider.values import Bag

MARKER = "__defaults"
"""The key under which the bridge's SDKs list the defaults they set; it is no property."""


class Catalogue:
    """The declared packages. ``packages`` is read again at each call, so definitions may be added at any time.

    With ``strict``, undeclared types do not exist; otherwise such a type has the properties of the call.
    """

    def __init__(self, packages: Mapping[str, Package], *, strict: bool, answers: Any = None) -> None:
        self.packages = packages
        self.answers = answers
        """The ``Answers`` of the fake, for the rooms of one protocol, which are given no more than this."""
        self.strict = strict
        self.doubts: dict[str, None] = {}
        """Lines about properties of declared types that a program probably misspelt, each once."""

    def package(self, call: Call) -> Package:
        """A call's package: its session's, else its type's, else the first."""
        packages = [entry.package for entry in call.session.parameterized.values() if not entry.package.extension]
        return packages[-1] if packages else self.base(call)

    def base(self, call: Call) -> Package:
        """A call's package without parameterization: the base."""
        schema = call.session.schema
        name = call.type.removeprefix(PROVIDERS).partition(":")[0]
        package = schema if isinstance(schema, Package) else self.packages.get(name)
        return package or next(iter(self.packages.values()), Package("mock"))

    def judge(self, call: Call) -> Any:
        """The layer that asks a call's real provider for its judgement; ``None`` for a package that has none."""
        return (self.packages.get(call.type.partition(":")[0]) or self.package(call)).judge

    def parameterized(self, call: Call, name: str = "") -> Any:
        """The ``fake.parameters.Parameterized`` of this name in a call's session; by default, of the call's package."""
        parameterized = call.session.parameterized
        return parameterized.get(name or self.package(call).name)

    def _packages(self, call: Call) -> Mapping[str, Package]:
        parameterized = call.session.parameterized
        if not parameterized:
            return self.packages
        return {**self.packages, **{name: entry.package for name, entry in parameterized.items()}}

    def type(self, call: Call) -> ResourceType | None:
        """A call's resource type. Raises ``MalformedError`` for a call that names none."""
        package = self._packages(call).get(call.type.partition(":")[0])
        declared = package.resources.get(call.type) if package else None
        if not call.type:
            raise MalformedError(f"{call} names no resource type: set 'type', or a 'urn' that holds one.")
        if declared is None and not self.strict:
            names = {name for bag in (call.inputs, call.prior, call.prior_inputs) if bag for name in bag if name != MARKER}
            declared = ResourceType(call.type, dict.fromkeys(names, Property("any")))
        return declared

    def function(self, call: Call) -> Function | None:
        """A call's function."""
        package = self._packages(call).get(call.type.partition(":")[0])
        return package.functions.get(call.type) if package else None

    def provider_function(self, call: Call) -> ProviderFunction | None:
        """A call's provider function."""
        offer = self._offer(call)
        return offer if isinstance(offer, ProviderFunction) else None

    def ephemeral(self, call: Call) -> Ephemeral | None:
        """A call's ephemeral resource."""
        offer = self._offer(call)
        return offer if isinstance(offer, Ephemeral) else None

    def _offer(self, call: Call) -> object:
        package = self.packages.get(call.type.partition(":")[0])
        return package.offers.get(call.type) if package else None

    def _declared(self) -> dict[str, ResourceType]:
        return {token: resource for package in self.packages.values() for token, resource in package.resources.items()}

    def former(self, declared: ResourceType, name: str, provider: str | None = None) -> Former | None:
        """The entry of ``declared.moved_from`` for the type with this Terraform name, of the provider at this address."""
        types = self._declared()
        fitting = (former for former in formers(declared) if former.named(types) == name)
        return next((former for former in fitting if provider is None or former.of_provider(provider)), None)

    def home(self, call: Call, cloud: Cloud) -> str:
        """The type under which the cloud has a call's object: a moved object stays under the type that created it."""
        package = self.packages.get(call.type.partition(":")[0])
        declared = package.resources.get(call.type) if package else None
        if declared is None or not declared.moved_from or cloud.read(call.type, call.id) is not None:
            return call.type
        types, known = self._declared(), list(formers(declared))
        names = {former.named(types) for former in known}
        tokens = [former.type for former in known if ":" in former.type]
        tokens += [token for token, item in types.items() if item.terraform in names]
        return next((token for token in tokens if cloud.read(token, call.id) is not None), call.type)

    def resident(self, call: Call, cloud: Cloud) -> CloudObject | None:
        """A call's object; an object of a former type has the properties of today's."""
        home = self.home(call, cloud)
        stored = cloud.read(home, call.id)
        if stored is None or home == call.type:
            return stored
        declared, source = self.packages[call.type.partition(":")[0]].resources[call.type], self._declared().get(home)
        former = self.former(declared, source.terraform) if source else None
        properties: Bag = dict(stored)
        if source and former and former.convert and not cloud.noted(home, call.id, CONVERTED):
            properties = properties_after(declared, source, former.convert, stored.id, stored)
        known = {name: value for name, value in properties.items() if name in declared.properties}
        return CloudObject(call.type, stored.id, known)

    def unknown_type(self, call: Call) -> Reply:
        """The answer to a call for an undeclared type."""
        known = [token for package in self._packages(call).values() for token in package.resources]
        return failed(f"Nobody declared the resource type {call.type!r}.{nearest(call.type, known)}", "invalid_argument")

    def unknown_function(self, call: Call) -> Reply:
        """The answer to a call of an undeclared function."""
        known = [token for package in self._packages(call).values() for token in package.functions]
        return failed(f"Nobody declared the function {call.type!r}.{nearest(call.type, known)}", "invalid_argument")

    def echoes(self, call: Call) -> bool:
        """Whether a function that nobody declared is answered all the same; one that is only misspelt is not."""
        package = self._packages(call).get(call.type.partition(":")[0])
        members = [token.rpartition(":")[2] for token in package.functions] if package else []
        return not self.strict and not misspelt(call.type.rpartition(":")[2], members)

    def doubt(self, owner: str, properties: Mapping[str, Property], call: Call, what: str = "property") -> None:
        """Tell the engine's user, once, of properties that are probably misspelt; a strict fake refuses them anyway."""
        for line in () if self.strict else doubtful(owner, properties, call.inputs or {}, what):
            if line not in self.doubts:
                self.doubts[line] = None
                if call.session.engine is not None:
                    call.session.engine.log("warning", line, call.urn)

    def unknown_properties(
        self, owner: str, properties: Mapping[str, Property], inputs: Bag, what: str = "property"
    ) -> Iterator[Failure]:
        """The failures of undeclared properties, at every depth; none, unless ``strict``."""
        for path, known, _ in strangers(properties, inputs) if self.strict else ():
            reason = f"{owner} has no {what} {show(path)!r}.{nearest(str(path[-1]), list(known))}"
            yield Failure(reason, show(path))


def not_importable(declared: ResourceType, name: str) -> Reply | None:
    """The answer to an import of a type that cannot be imported; ``name`` is the engine's name of the type."""
    if declared.importable is True:
        return None
    why = declared.importable or "the provider has no way to find out what exists"
    return failed(f"{name} cannot be imported: {why}.", "unimplemented")


def failed(reason: str, status: str) -> Reply:
    """A reply with one failure."""
    return Reply(failures=(Failure(reason, status=status),))


def nearest(token: str, known: Collection[str]) -> str:
    """A sentence, with a blank before it, that suggests the nearest of the ``known``."""
    if not known:
        return " Nothing is declared at all: provider.define(...) does."
    return f" {did_you_mean(token, known, 'Declared are', alike=0.3)}"
