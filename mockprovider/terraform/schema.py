"""A package as Terraform sees it: the schema message, and the object types that payloads decode with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from google.protobuf.message import Message

from mockprovider.errors import MalformedError
from mockprovider.schema import Function, Kind, Package, Property, ResourceType
from mockprovider.terraform.blocks import has_secret, is_block, nested_object
from mockprovider.terraform.objects import ID, IMPLICIT_ID, ObjectSchema, attribute_names, type_of_kind
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.types import DYNAMIC, type_json, type_of
from mockprovider.values import Value

NESTING: Mapping[str, int] = {"object": 1, "array": 2, "set": 3, "map": 4}
"""Kinds to the numbers of ``Schema.Object.NestingMode`` and of ``Schema.NestedBlock.NestingMode``."""


def data_source_name(token: str) -> str:
    """``cloud:index:getZone`` to ``cloud_zone``: Pulumi's functions get what Terraform's data sources are."""
    package, module, member = token.split(":", 2)
    plain = member[3:] if member[:3] == "get" and member[3:4].isupper() else member
    return ResourceType(f"{package}:{module}:{plain}").terraform


def returned_properties(function: Function) -> dict[str, Property]:
    """What a data source answers beside its arguments; a Python callable's answer, whose names nobody knows, is ``result``."""
    if callable(function.returns):
        return {"result": Property(Kind("any"), computed=True)}
    return {name: Property(_kind_of_value(value), computed=True) for name, value in function.returns.items()}


def _kind_of_value(value: Value) -> Kind:
    simple = {"string": "string", "number": "number", "bool": "boolean"}
    return Kind(simple.get(type_of(value).name, "any"))


class ProviderSchema:
    """A package as Terraform sees it. Follows the package: what is added later is served from then on.

    Raises ``DefinitionError`` for what Terraform has no way to say.
    """

    def __init__(self, package: Package, major: int = 6) -> None:
        self.package = package
        self.major = major
        self._compiled: dict[str, tuple[object, ObjectSchema]] = {}
        self._message: tuple[list[object], Message] | None = None

    @property
    def provider(self) -> ObjectSchema:
        """The provider's configuration block."""
        name, blocks = self.package.name, self.major == 5
        return ObjectSchema(name, f"pulumi:providers:{name}", _arguments(self.package), blocks=blocks)

    def resource(self, name: str) -> ObjectSchema:
        """A resource type by Terraform name or token. Raises ``MalformedError`` for one that is not declared."""
        declared = self.package.resources.get(name) or self.package.by_terraform_name(name)
        if declared is None:
            raise self._undeclared("resource type", name, [each.terraform for each in self.package.resources.values()])
        return self._compile(
            declared,
            lambda: ObjectSchema(
                declared.terraform, declared.token, declared.properties, implicit_id=True, blocks=self.major == 5
            ),
        )

    def data_source(self, name: str) -> ObjectSchema:
        """A function as a data source, by Terraform name or token. Raises ``MalformedError`` for one that is not declared."""
        names = {data_source_name(token): token for token in self.package.functions}
        declared = self.package.functions.get(name) or self.package.functions.get(names.get(name, ""))
        if declared is None:
            raise self._undeclared("data source", name, list(names))
        properties = {**returned_properties(declared), **declared.inputs}
        return self._compile(
            declared,
            lambda: ObjectSchema(
                data_source_name(declared.token),
                declared.token,
                properties,
                result="result" if callable(declared.returns) else "",
                blocks=self.major == 5,
            ),
        )

    def _compile(self, declared: ResourceType | Function, make: Any) -> ObjectSchema:
        held = self._compiled.get(declared.token)
        if held is None or held[0] is not declared:
            held = self._compiled[declared.token] = (declared, make())
        return held[1]

    def _undeclared(self, what: str, name: str, known: list[str]) -> MalformedError:
        near = get_close_matches(name, known, 1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Declared are: {', '.join(sorted(known)) or 'none'}."
        return MalformedError(f"Nobody declared the {what} {name!r} in {self.package.name!r}. {hint}")

    def message(self) -> Message:
        """The answer to GetProviderSchema, built once for one set of definitions."""
        package = self.package
        now: list[object] = [*package.config.values(), *package.resources.values(), *package.functions.values()]
        held = self._message
        if held is None or len(held[0]) != len(now) or any(one is not other for one, other in zip(held[0], now, strict=True)):
            held = self._message = (now, self._build())
        return held[1]

    def _build(self) -> Message:
        answer: Any = protocol(self.major).message("GetProviderSchema.Response")()
        answer.provider.block.SetInParent()
        self._block(answer.provider.block, _arguments(self.package))
        for declared in self.package.resources.values():
            schema = answer.resource_schemas[declared.terraform]
            schema.version, schema.block.description = declared.version, declared.description
            implicit = {ID: IMPLICIT_ID} if self.resource(declared.terraform).implicit_id else {}
            self._block(schema.block, {**declared.properties, **implicit})
        for function in self.package.functions.values():
            schema = answer.data_source_schemas[data_source_name(function.token)]
            self._block(schema.block, {**returned_properties(function), **function.inputs})
        answer.server_capabilities.plan_destroy = True
        answer.server_capabilities.get_provider_schema_optional = True
        return answer  # type: ignore[no-any-return]

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
            self._block(made.block, nested.properties if nested else {})

    def _attributes(self, into: Any, properties: Mapping[str, Property], *, computed: bool = False) -> None:
        for attribute, name in sorted(attribute_names(properties).items()):
            item = properties[name]
            flags = dict(_flags(item, computed=computed))
            made = into.add(name=attribute, description=item.description, sensitive=item.secret, **flags)
            nested = nested_object(item.kind)
            declared = type_of_kind(item.kind)
            if self.major == 6 and nested is not None and declared != DYNAMIC:
                made.nested_type.nesting = NESTING[item.kind.name]
                inside = flags.get("computed", False) and not flags.get("optional", False)
                self._attributes(made.nested_type.attributes, nested.properties, computed=inside)
            else:
                made.type = type_json(declared)
                # Nothing inside of a type can be hidden by itself.
                made.sensitive = item.secret or has_secret(item.kind)


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
