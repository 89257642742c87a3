"""Terraform's schema of a package: the answer to GetProviderSchema, and the codecs of its types."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import lru_cache
from operator import is_not
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from mockprovider.durations import TIMEOUTS
from mockprovider.errors import DefinitionError, MalformedError
from mockprovider.hints import did_you_mean
from mockprovider.offers import Ephemeral, ephemerals
from mockprovider.ondemand import OnDemand
from mockprovider.schema import Function, Kind, Package, Property, ResourceType
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.schema import names
from mockprovider.terraform.schema.declared import attribute_names, compiled, standing_for, timeouts_block
from mockprovider.terraform.schema.functions import fill_functions
from mockprovider.terraform.schema.kept import KeptAnswers
from mockprovider.terraform.schema.objects import ID, IMPLICIT_ID, ObjectSchema
from mockprovider.terraform.schema.published import tree_of
from mockprovider.terraform.schema.publishing import METAS, fill_rest, fill_schema
from mockprovider.terraform.schema.tree import object_of
from mockprovider.terraform.traits import ResourceTraits
from mockprovider.terraform.values.types import type_of
from mockprovider.urn import PROVIDERS
from mockprovider.values import Secret, Value, reveal


def data_source_name(token: str) -> str:
    """``cloud:index:getZone`` to ``cloud_zone``: a Pulumi function is a Terraform data source, without ``get``."""
    package, module, member = token.split(":", 2)
    plain = member[3:] if member[:3] == "get" and member[3:4].isupper() else member
    return ResourceType(f"{package}:{module}:{plain}").terraform


def returned_properties(function: Function | Ephemeral) -> dict[str, Property]:
    """What a data source returns beside its arguments: ``result`` alone, if it is a Python callable and declares no outputs."""
    if isinstance(function, Function) and function.outputs:
        return {name: _as_result(item) for name, item in function.outputs.items()}
    if callable(function.returns):
        return {"result": Property(Kind("any"), computed=True)}
    return {
        name: Property(_kind_of_value(reveal(value)), computed=True, secret=isinstance(value, Secret))
        for name, value in function.returns.items()
    }


def _as_result(item: Property) -> Property:
    # In an answer nothing is required, set, or filled in by default.
    return Property(item.kind, computed=True, secret=item.secret, description=item.description, terraform=item.terraform)


def _named(declared: Any) -> str:
    """A type's name in Terraform; of what has none, the token."""
    if isinstance(declared, Function) and not declared.terraform:
        return data_source_name(declared.token)
    return str(getattr(declared, "terraform", declared.token))


def _kind_of_value(value: Value) -> Kind:
    simple = {"string": "string", "number": "number", "bool": "boolean"}
    return Kind(simple.get(type_of(value).name, "any"))


class _Very:
    """A package as a cache key, compared by identity."""

    def __init__(self, package: Package) -> None:
        self.package = package

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Very) and other.package is self.package

    def __hash__(self) -> int:
        return id(self.package)


def provider_schema(package: Package, major: int) -> ProviderSchema:
    """A package's compiled schema, which all its sessions of one major share: a large one takes a second to build."""
    return _shared(_Very(package), major)


@lru_cache(maxsize=8)
def _shared(very: _Very, major: int) -> ProviderSchema:
    return ProviderSchema(very.package, major)


SECTIONS: Mapping[str, str] = {"resource": "resources", "data": "functions", "ephemeral": "offers"}
"""Where a package has what payloads are objects of."""

KINDS: Mapping[str, str] = {"resource": "resource type", "data": "data source", "ephemeral": "ephemeral resource"}
"""What they are called in errors."""


class ProviderSchema:
    """Terraform's schema of a package. Definitions that are added to the package later are served, too.

    Raises ``DefinitionError`` for what Terraform cannot express.
    """

    def __init__(self, package: Package, major: int = 6) -> None:
        self.package = package
        self.major = major
        self._coders: dict[tuple[str, str], ObjectSchema] = {}
        self._message: tuple[list[object], Message] | None = None
        self._lock = threading.Lock()
        self._kept = KeptAnswers()

    @property
    def provider(self) -> ObjectSchema:
        """The provider's configuration block."""
        package, published = self.package, self.package.terraform_schema.get("provider")
        arguments = _arguments(package)
        with names.served(f"The configuration of {package.name}"):
            tree = standing_for(tree_of(published), arguments) if published else compiled(arguments, self.major)
        return ObjectSchema(package.name, f"{PROVIDERS}{package.name}", tree, published=bool(published))

    def resource(self, name: str) -> ObjectSchema:
        """A resource type by Terraform name or token. Raises ``MalformedError`` for one that is not declared."""
        return self.coder("resource", name)

    def data_source(self, name: str) -> ObjectSchema:
        """A function as a data source, by Terraform name or token. Raises ``MalformedError`` for one that is not declared."""
        return self.coder("data", name)

    def ephemeral(self, name: str) -> ObjectSchema:
        """An ephemeral resource by Terraform name or token. Raises ``MalformedError`` for one that is not declared."""
        return self.coder("ephemeral", name)

    def coder(self, of: str, name: str) -> ObjectSchema:
        """The codec of a type; ``of`` is ``provider``, ``resource``, ``data`` or ``ephemeral``.

        Raises ``MalformedError`` for a type that is not declared.
        """
        if of == "provider":
            return self.provider
        held = self._coders.get((of, name))
        # A type that was declared again is compiled again.
        if held is None or getattr(self.package, SECTIONS[of]).get(held.token) is not held.declared:
            held = self._compile(of, name)
            self._coders[of, held.name] = self._coders[of, held.token] = held
        return held

    def _compile(self, of: str, name: str) -> ObjectSchema:
        what, known = KINDS[of], getattr(self.package, SECTIONS[of])
        # Where types are read when they are used, their names are known without reading.
        spelled = (
            known.spellings(_named) if isinstance(known, OnDemand) else {token: _named(one) for token, one in known.items()}
        )
        token = name if name in known else next((token for token, one in spelled.items() if one == name), "")
        declared = known.get(token)
        if not isinstance(declared, (ResourceType, Function, Ephemeral)):
            known = {*spelled.values()}
            hint = did_you_mean(name, known, "Declared are")
            raise MalformedError(f"Nobody declared the {what} {name!r} in {self.package.name!r}. {hint}")
        return self._resource(declared) if isinstance(declared, ResourceType) else self._asked(declared)

    def encoded(self, method: str, build: Callable[[], Message]) -> bytes | None:
        """The bytes of an answer that depends on all types and nothing else, which ``build`` makes, or from disk.

        ``None`` if the package is not one that was kept on disk, or was changed since.
        """
        package = self.package
        sections = [getattr(package, section) for section in SECTIONS.values()]
        read = [section for section in sections if isinstance(section, OnDemand) and not section.changed]
        if not package.source or len(read) < len(sections):
            return None

        def make() -> bytes:
            # A process that has no other use for all types does not hold them.
            held = self._message
            with ExitStack() as stack:
                for section in read:
                    stack.enter_context(section.briefly())
                try:
                    return build().SerializeToString(deterministic=True)
                finally:
                    self._message = held

        config = repr(sorted(package.config.items()))
        facts = (method, str(self.major), package.source, package.name, config, str(package.judge is not None))
        return self._kept.answer(facts, make)

    def message(self) -> Message:
        """The answer to GetProviderSchema, built once for one set of definitions."""
        package = self.package
        now: list[object] = [*package.config.values(), *package.resources.values(), *package.functions.values()]
        now += package.offers.values()
        # Engines ask several times at once, and a large schema takes a second.
        with self._lock:
            held = self._message
            if held is None or len(held[0]) != len(now) or any(map(is_not, held[0], now)):
                held = self._message = (now, self._build())
        return held[1]

    def _build(self) -> Message:
        self._check_names()
        self._check_arguments()
        answer: Any = protocol(self.major).message("GetProviderSchema.Response")()
        package, published = self.package, self.package.terraform_schema
        fill_schema(answer.provider, self.provider.tree, package.name, _version(published.get("provider")))
        # A real provider that plans here has said all, and is told no more than it knows.
        unsaid = {"provider_meta": METAS[package.name]} if package.name in METAS and package.judge is None else {}
        fill_rest(answer, {**unsaid, **published})
        for declared in package.resources.values():
            tree = self._resource(declared).tree
            fill_schema(
                answer.resource_schemas[declared.terraform], tree, declared.terraform, declared.trait(ResourceTraits).version
            )
        for function in package.functions.values():
            self._fill_asked(answer.data_source_schemas, function)
        for ephemeral in ephemerals(package).values():
            self._fill_asked(answer.ephemeral_resource_schemas, ephemeral)
        fill_functions(answer.functions, package)
        moves = package.judge is not None or any(declared.moved_from for declared in package.resources.values())
        answer.server_capabilities.move_resource_state = moves
        answer.server_capabilities.plan_destroy = True
        answer.server_capabilities.get_provider_schema_optional = True
        return answer  # type: ignore[no-any-return]

    def _fill_asked(self, into: Any, declared: Function | Ephemeral) -> None:
        name = _named(declared)
        fill_schema(into[name], self._asked(declared).tree, name, _version(declared.terraform_schema))

    def _resource(self, declared: ResourceType) -> ObjectSchema:
        properties, published = declared.properties, declared.trait(ResourceTraits).schema
        with names.served(declared.token):
            if published:
                tree = tree_of(published)
            else:
                implicit = {} if ID in attribute_names(properties) else {ID: IMPLICIT_ID}
                tree = replace(compiled({**properties, **implicit}, self.major), description=declared.description)
            # An id that is no property exists in Terraform alone.
            tree = standing_for(tree, properties)
            if declared.timeouts and not published and TIMEOUTS not in tree.members:
                block = timeouts_block(declared.timeouts)
                tree = object_of({**tree.members, TIMEOUTS: block}, description=declared.description)
        return ObjectSchema(declared.terraform, declared.token, tree, declared=declared, published=bool(published))

    def _asked(self, declared: Function | Ephemeral) -> ObjectSchema:
        """A data source or an ephemeral resource: its arguments and results."""
        published = declared.terraform_schema
        with names.served(declared.token):
            tree = tree_of(published) if published else compiled(_asked_properties(declared), self.major)
        known = published or (isinstance(declared, Function) and declared.outputs)
        result = "result" if callable(declared.returns) and not known else ""
        name = _named(declared)
        return ObjectSchema(name, declared.token, tree, declared=declared, result=result, published=bool(published))

    def _check_arguments(self) -> None:
        """Raise ``DefinitionError`` for arguments that no configuration can set."""
        if self.package.schema:
            # A published schema stays as it is, and its other types are useful.
            return
        package = self.package
        for resource in package.resources.values():
            if not resource.trait(ResourceTraits).schema:
                names.check_arguments(resource.token, resource.properties, names.RESOURCE)
        data: list[Function | Ephemeral] = [*package.functions.values(), *ephemerals(package).values()]
        for asked in data:
            if not asked.terraform_schema:
                names.check_arguments(asked.token, _asked_properties(asked), names.DATA)
        if not package.terraform_schema.get("provider"):
            names.check_arguments(f"The configuration of {package.name}", _arguments(package), names.PROVIDER)

    def _check_names(self) -> None:
        """Raise ``DefinitionError`` for two types of one name, of which only one would be served."""
        resources = [("type", declared.token, declared.terraform) for declared in self.package.resources.values()]
        functions = [("data source", asked.token, _named(asked)) for asked in self.package.functions.values()]
        seen: dict[tuple[str, str], str] = {}
        for what, token, name in (*resources, *functions):
            other = seen.setdefault((what, name), token)
            if other != token:
                raise DefinitionError(
                    f"{other!r} and {token!r} would both be Terraform's {what} {name!r}. "
                    "Give one of them terraform='another_name'."
                )


def _version(published: Mapping[str, Any] | None) -> int:
    return int((published or {}).get("version") or 0)


def _asked_properties(declared: Function | Ephemeral) -> dict[str, Property]:
    return {**returned_properties(declared), **declared.inputs}


def _arguments(package: Package) -> dict[str, Property]:
    return {name: _as_argument(item) for name, item in package.config.items()}


def _as_argument(item: Property) -> Property:
    """A provider block has arguments only: nothing is computed there."""
    return Property(
        item.type, required=item.required, secret=item.secret, description=item.description, terraform=item.terraform
    )
