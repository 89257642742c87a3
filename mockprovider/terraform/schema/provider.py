"""A package as Terraform sees it: the schema message, and the object types that payloads decode with."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from operator import is_not
from typing import Any
from weakref import WeakKeyDictionary

from google.protobuf.message import Message

from mockprovider.document import Node
from mockprovider.errors import DefinitionError, MalformedError
from mockprovider.offers import Ephemeral, ephemerals
from mockprovider.schema import Function, Kind, Package, Property, ResourceType
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.schema import names
from mockprovider.terraform.schema.attributes import read_block
from mockprovider.terraform.schema.blocks import has_secret, is_block, nested_object
from mockprovider.terraform.schema.fields import Fields, fields_of
from mockprovider.terraform.schema.layout import Layout, layout_of
from mockprovider.terraform.schema.objects import (
    ID,
    IMPLICIT_ID,
    ObjectSchema,
    attribute_names,
    is_dynamic,
    only_written,
    type_of_kind,
)
from mockprovider.terraform.schema.offered import fill_functions
from mockprovider.terraform.schema.published import fill_rest, fill_schema
from mockprovider.terraform.traits import ResourceTraits
from mockprovider.terraform.values.types import type_json, type_of
from mockprovider.values import Secret, Value, reveal

NESTING: Mapping[str, int] = {"object": 1, "array": 2, "set": 3, "map": 4}
"""Kinds to the numbers of ``Schema.Object.NestingMode`` and of ``Schema.NestedBlock.NestingMode``."""


def data_source_name(token: str) -> str:
    """``cloud:index:getZone`` to ``cloud_zone``: Pulumi's functions get what Terraform's data sources are."""
    package, module, member = token.split(":", 2)
    plain = member[3:] if member[:3] == "get" and member[3:4].isupper() else member
    return ResourceType(f"{package}:{module}:{plain}").terraform


def returned_properties(function: Function | Ephemeral) -> dict[str, Property]:
    """What a data source answers beside its arguments; a Python callable's answer, whose names nobody knows, is ``result``."""
    if callable(function.returns):
        return {"result": Property(Kind("any"), computed=True)}
    return {
        name: Property(_kind_of_value(reveal(value)), computed=True, secret=isinstance(value, Secret))
        for name, value in function.returns.items()
    }


def _named(function: Function | Ephemeral) -> str:
    return function.terraform or data_source_name(function.token)


def _data_properties(function: Function | Ephemeral) -> dict[str, Property]:
    published = function.terraform_schema
    return (
        read_block(Node(published["block"], _named(function)))
        if published
        else {**returned_properties(function), **function.inputs}
    )


def _layout(published: Mapping[str, Any] | None) -> Layout | None:
    return layout_of(published.get("block") or {}) if published else None


def _kind_of_value(value: Value) -> Kind:
    simple = {"string": "string", "number": "number", "bool": "boolean"}
    return Kind(simple.get(type_of(value).name, "any"))


class _Very:
    """This very package, whatever equals it."""

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


class ProviderSchema:
    """A package as Terraform sees it. Follows the package: what is added later is served from then on.

    Raises ``DefinitionError`` for what Terraform has no way to say.
    """

    def __init__(self, package: Package, major: int = 6) -> None:
        self.package = package
        self.major = major
        self._compiled: dict[str, tuple[object, ObjectSchema]] = {}
        self._message: tuple[list[object], Message] | None = None
        self._lock = threading.Lock()
        self._fields: WeakKeyDictionary[ObjectSchema, Fields] = WeakKeyDictionary()

    @property
    def provider(self) -> ObjectSchema:
        """The provider's configuration block."""
        name, blocks, layout = self.package.name, self.major == 5, _layout(self.package.terraform_schema.get("provider"))
        return ObjectSchema(name, f"pulumi:providers:{name}", _arguments(self.package), blocks=blocks, layout=layout)

    def declared(self, name: str) -> ResourceType | None:
        """The resource type of a token or Terraform name."""
        return self.package.resources.get(name) or self.package.by_terraform_name(name)

    def resource(self, name: str) -> ObjectSchema:
        """A resource type by Terraform name or token. Raises ``MalformedError`` for one that is not declared."""
        declared = self.declared(name)
        if declared is None:
            raise self._undeclared("resource type", name, [each.terraform for each in self.package.resources.values()])
        return self._compile(
            declared,
            lambda: ObjectSchema(
                declared.terraform,
                declared.token,
                declared.properties,
                implicit_id=True,
                blocks=self.major == 5,
                layout=_layout(declared.trait(ResourceTraits).schema),
            ),
        )

    def data_source(self, name: str) -> ObjectSchema:
        """A function as a data source, by Terraform name or token. Raises ``MalformedError`` for one that is not declared."""
        names = {_named(each): token for token, each in self.package.functions.items()}
        declared = self.package.functions.get(name) or self.package.functions.get(names.get(name, ""))
        if declared is None:
            raise self._undeclared("data source", name, list(names))
        return self._asked(declared)

    def ephemeral(self, name: str) -> ObjectSchema:
        """An ephemeral resource by Terraform name or token. Raises ``MalformedError`` for one that is not declared."""
        known = ephemerals(self.package)
        declared = known.get(name) or next((each for each in known.values() if each.token == name), None)
        if declared is None:
            raise self._undeclared("ephemeral resource", name, list(known))
        return self._asked(declared)

    def _asked(self, declared: Function | Ephemeral) -> ObjectSchema:
        return self._compile(
            declared,
            lambda: ObjectSchema(
                _named(declared),
                declared.token,
                _data_properties(declared),
                result="result" if callable(declared.returns) and not declared.terraform_schema else "",
                blocks=self.major == 5,
                layout=_layout(declared.terraform_schema),
            ),
        )

    def _compile(self, declared: ResourceType | Function | Ephemeral, make: Any) -> ObjectSchema:
        held = self._compiled.get(declared.token)
        if held is None or held[0] is not declared:
            held = self._compiled[declared.token] = (declared, make())
        return held[1]

    def _undeclared(self, what: str, name: str, known: list[str]) -> MalformedError:
        near = get_close_matches(name, known, 1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Declared are: {', '.join(sorted(known)) or 'none'}."
        return MalformedError(f"Nobody declared the {what} {name!r} in {self.package.name!r}. {hint}")

    def fields(self, coder: ObjectSchema, of: str) -> Fields:
        """What the schema says of the objects of a type, for those who check them; ``of`` as in ``requests.Shape``."""
        held = self._fields.get(coder)
        if held is None:
            section = {"resource": "resource_schemas", "data": "data_source_schemas", "ephemeral": "ephemeral_resource_schemas"}
            schema = getattr(self.message(), section[of])[coder.name]
            held = self._fields[coder] = fields_of(schema.block, coder.type)
        return held

    def message(self) -> Message:
        """The answer to GetProviderSchema, built once for one set of definitions."""
        package = self.package
        now: list[object] = [*package.config.values(), *package.resources.values(), *package.functions.values()]
        now += package.offers.values()
        # Engines ask at once from many sides, and a large schema takes a second.
        with self._lock:
            held = self._message
            if held is None or len(held[0]) != len(now) or any(map(is_not, held[0], now)):
                held = self._message = (now, self._build())
        return held[1]

    def _build(self) -> Message:
        answer: Any = protocol(self.major).message("GetProviderSchema.Response")()
        published = self.package.terraform_schema
        if published.get("provider"):
            fill_schema(answer.provider, published["provider"], self.package.name)
        else:
            self._whole(
                answer.provider.block, f"The configuration of {self.package.name}", _arguments(self.package), names.PROVIDER
            )
        fill_rest(answer, published)
        self._check_names()
        for declared in self.package.resources.values():
            self._resource(answer.resource_schemas[declared.terraform], declared)
        for function in self.package.functions.values():
            self._read(answer.data_source_schemas[_named(function)], function)
        for name, each in ephemerals(self.package).items():
            self._read(answer.ephemeral_resource_schemas[name], each)
        fill_functions(answer.functions, self.package)
        if any(each.moved_from for each in self.package.resources.values()):
            answer.server_capabilities.move_resource_state = True
        answer.server_capabilities.plan_destroy = True
        answer.server_capabilities.get_provider_schema_optional = True
        return answer  # type: ignore[no-any-return]

    def _resource(self, schema: Any, declared: ResourceType) -> None:
        traits = declared.trait(ResourceTraits)
        if traits.schema:
            fill_schema(schema, traits.schema, declared.terraform)
            return
        schema.version, schema.block.description = traits.version, declared.description
        with names.served(declared.token):
            implicit = {ID: IMPLICIT_ID} if self.resource(declared.terraform).implicit_id else {}
        self._whole(schema.block, declared.token, {**declared.properties, **implicit}, names.RESOURCE)

    def _read(self, schema: Any, declared: Function | Ephemeral) -> None:
        if declared.terraform_schema:
            fill_schema(schema, declared.terraform_schema, _named(declared))
        else:
            self._whole(schema.block, declared.token, _data_properties(declared), names.DATA)

    def _whole(self, into: Any, what: str, properties: Mapping[str, Property], reserved: Collection[str]) -> None:
        into.SetInParent()
        with names.served(what):
            # A published schema is what it is, and most of its types are of use all the same.
            if not self.package.schema:
                names.check_arguments(properties, reserved)
            self._block(into, properties)

    def _check_names(self) -> None:
        """Raise ``DefinitionError`` for two types of one name: only one of them would be served."""
        resources = [("type", each.token, each.terraform) for each in self.package.resources.values()]
        functions = [("data source", each.token, _named(each)) for each in self.package.functions.values()]
        seen: dict[tuple[str, str], str] = {}
        for what, token, name in (*resources, *functions):
            other = seen.setdefault((what, name), token)
            if other != token:
                raise DefinitionError(
                    f"{other!r} and {token!r} would both be Terraform's {what} {name!r}. "
                    "Give one of them terraform='another_name'."
                )

    def _block(self, into: Any, properties: Mapping[str, Property]) -> None:
        blocks = {name: item for name, item in properties.items() if self.major == 5 and is_block(item)}
        self._attributes(into.attributes, {name: item for name, item in properties.items() if name not in blocks})
        # Blocks and attributes share their names.
        for attribute, name in sorted(attribute_names(properties).items()):
            if name not in blocks:
                continue
            item, nested = blocks[name], nested_object(blocks[name].kind)
            least, most = _bounds(item)
            made = into.block_types.add(type_name=attribute, nesting=NESTING[item.kind.name], min_items=least, max_items=most)
            made.block.description = item.description
            if item.kind.name == "set":
                _no_written(item.kind, attribute, "it is a set")
            self._block(made.block, nested.properties if nested else {})

    def _attributes(self, into: Any, properties: Mapping[str, Property], *, computed: bool = False) -> None:
        for attribute, name in sorted(attribute_names(properties).items()):
            item = properties[name]
            flags = dict(_flags(item, computed=computed))
            made = into.add(name=attribute, description=item.description, sensitive=item.secret, **flags)
            made.write_only = item.write_only
            nested = nested_object(item.kind)
            if self.major == 6 and nested is not None and not is_dynamic(item.kind):
                made.nested_type.nesting = NESTING[item.kind.name]
                if item.kind.name == "set":
                    _no_written(item.kind, attribute, "it is a set")
                inside = flags.get("computed", False) and not flags.get("optional", False)
                self._attributes(made.nested_type.attributes, nested.properties, computed=inside)
            else:
                made.type = type_json(type_of_kind(item.kind))
                # Nothing inside of a type can be hidden by itself.
                made.sensitive = item.secret or has_secret(item.kind)
                _no_written(item.kind, attribute, f"protocol {self.major} has no nested attribute for it")


def _no_written(kind: Kind, attribute: str, why: str) -> None:
    if only_written(kind):
        raise DefinitionError(f"Terraform cannot have write-only properties in {attribute!r}: {why}. Declare them beside it.")


def _flags(item: Property, *, computed: bool) -> Iterator[tuple[str, bool]]:
    """Of required, optional and computed those that hold; all inside a computed attribute are computed."""
    if computed:
        yield "computed", True
        return
    if item.required:
        yield "required", True
        return
    yield "optional", item.is_input
    # A default is a value that the provider fills in, which Terraform allows to computed attributes alone.
    yield "computed", bool(item.computed) or item.has_default


def _bounds(item: Property) -> tuple[int, int]:
    """How many blocks there are at least and at most; 0 is no limit. A single block has two equal ones, a map has none."""
    least = int(item.required and item.kind.name != "map")
    return least, least if item.kind.name == "object" else 0


def _arguments(package: Package) -> dict[str, Property]:
    return {name: _as_argument(item) for name, item in package.config.items()}


def _as_argument(item: Property) -> Property:
    """A provider block has arguments only: nothing is computed there."""
    return Property(
        item.type, required=item.required, secret=item.secret, description=item.description, terraform=item.terraform
    )
