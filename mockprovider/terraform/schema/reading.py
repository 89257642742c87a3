"""Reads Terraform provider schemas as packages: the JSON of ``terraform providers schema -json``, or a provider's answer.

A schema has no values, so computed attributes get generated ones. It does not say which changes force a replacement: the user
adds that. Engines get the schema exactly as it was read, and values travel as its types, also where a property's kind says
less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import RLock
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from mockprovider.document import Node, parse
from mockprovider.errors import DefinitionError, MalformedError
from mockprovider.fake.computing import literally
from mockprovider.fake.inventing.arns import id_template
from mockprovider.hints import did_you_mean
from mockprovider.offers import Ephemeral
from mockprovider.ondemand import OnDemand
from mockprovider.schema import Function, Package, Property, ResourceType, camel_case
from mockprovider.terraform.schema.functions import read_function
from mockprovider.terraform.schema.kept import ALL, ONLY, keep_document, kept_document
from mockprovider.terraform.schema.properties import own_id, read_block, replaced, returned_value, section
from mockprovider.terraform.schema.published import data_of
from mockprovider.terraform.traits import ResourceTraits

FORMATS = ("0.", "1.")
"""What ``format_version`` may begin with."""

DEFAULT = ("hashicorp/", "registry.terraform.io/hashicorp/", "registry.opentofu.org/hashicorp/")
"""What the addresses begin with that configurations need not say."""

SECTIONS = frozenset({"resource_schemas", "data_source_schemas"})
ForcesNew = Mapping[str, Iterable[str]]
Part = tuple[str, Node, dict[str, Iterable[str]]]
"""One provider: its name or address, its part of a document, and what forces a replacement."""


def from_terraform_schema(
    source: str | Mapping[str, Any] | Message,
    provider: str = "",
    *,
    forces_new: ForcesNew | None = None,
    origin: str = "schema",
) -> Package:
    """The package that a Terraform provider's schema describes.

    Args:
        source: the text (or data) of ``terraform providers schema -json``, one provider's part of it, or the answer message
            to GetProviderSchema of protocol 5 or 6.
        provider: the name (``aws``) or address of one, if there are several; the package's name, if the schema has none.
        forces_new: resource types to attributes whose change forces a replacement: ``{"aws_vpc": ["cidr_block"]}``.
        origin: the file's name, for error messages.

    Raises ``DefinitionError`` that names the origin, the place in it, what stands there, and what should.
    """
    return _kept_or_read(source, origin, provider or ONLY, lambda node: [(*_chosen(node, provider), dict(forces_new or {}))])[0]


def from_terraform_schemas(source: str | Mapping[str, Any], origin: str = "schema", *, text: str = "") -> list[Package]:
    """The packages of all providers in the text or data; ``text`` is what data was parsed from. Raises ``DefinitionError``."""
    return _kept_or_read(source, origin, ALL, _all_of, text)


def kept_terraform_schemas(text: str, origin: str) -> list[Package] | None:
    """The same of a text that was read before; ``None`` if it was not."""
    kept = kept_document(text, ALL)
    return None if kept is None else _on_demand(kept, origin, _all_of)


def _all_of(node: Node) -> list[Part]:
    providers = _providers(node)
    return [(address, provider, {}) for address, provider in providers.items()] or [(*_chosen(node, ""), {})]


def _kept_or_read(
    source: str | Mapping[str, Any] | Message,
    origin: str,
    which: str,
    parts_of: Callable[[Node], list[Part]],
    text: str = "",
) -> list[Package]:
    """The packages of the parts of a document. A large text is checked once, and kept."""
    text = source if isinstance(source, str) else text
    kept = kept_document(text, which)
    if kept is not None:
        return _on_demand(kept, origin, parts_of)
    node = _document(source, origin)
    parts = parts_of(node)
    packages = [_whole(*part) for part in parts]
    if text:
        keep_document(text, which, node.value, [part.value for _, part, _ in parts])
        kept = kept_document(text, which)
    # What is kept need not be held.
    return packages if kept is None else _on_demand(kept, origin, parts_of)


def is_terraform_schema(document: Any) -> bool:
    """Whether parsed JSON looks like the command's output, or one provider's part of it."""
    return isinstance(document, Mapping) and bool({"provider_schemas", *SECTIONS} & document.keys())


def _document(source: str | Mapping[str, Any] | Message, origin: str) -> Node:
    if isinstance(source, Message):
        try:
            return Node(data_of(source), origin)
        except (AttributeError, KeyError, ValueError) as error:
            raise DefinitionError(
                f"{origin}: a {source.DESCRIPTOR.full_name} is no provider schema that can be read."
            ) from error
    return Node(parse(source, origin) if isinstance(source, str) else source, origin)


def _providers(node: Node) -> dict[str, Node]:
    members = node.members()
    if "format_version" in members and not members["format_version"].text().startswith(FORMATS):
        version = members["format_version"]
        raise version.error(f"this is format {version.value}, and formats 0 and 1 can be read. Use the version that it is for.")
    return members["provider_schemas"].members() if "provider_schemas" in members else {}


def _short(address: str) -> str:
    return address.rsplit("/", 1)[-1]


def _chosen(node: Node, provider: str) -> tuple[str, Node]:
    """The name of the provider that is wanted, and its part of the document."""
    if "provider_schemas" not in node.members():
        return _alone(node, provider)
    providers = _providers(node)
    fitting = [address for address in providers if provider in ("", address, _short(address))]
    if len(fitting) == 1:
        return fitting[0], providers[fitting[0]]
    if provider and not fitting:
        names = {_short(address) for address in providers}
        raise node.error(f"there is no provider {provider!r}. {did_you_mean(provider, names, 'There are')}")
    if not providers:
        raise node.error("there are no providers. Run the command where some are required, after init.")
    raise node.error(f"there are several providers: {', '.join(sorted(fitting))}. Say which one: provider='…'.")


def _alone(node: Node, provider: str) -> tuple[str, Node]:
    if not ({"provider"} | SECTIONS) & node.members().keys():
        raise node.error(
            "this is no provider schema. It is what `terraform providers schema -json` shows: an object with provider_schemas."
        )
    types = [*section(node, "resource_schemas"), *section(node, "data_source_schemas")]
    names = {type_name.partition("_")[0] for type_name in types}
    if not provider and len(names) != 1:
        raise node.error("nothing here says what the provider is called. Say it: provider='…'.")
    return provider or names.pop(), node


def _on_demand(kept: tuple[str, dict[str, Any]], origin: str, parts_of: Callable[[Node], list[Part]]) -> list[Package]:
    """Packages whose types are read when they are used; those that force new ones at once, as somebody has to hear of typos."""
    packages = []
    for name, node, forces_new in parts_of(Node(kept[1], origin)):
        package = _read(name, node, forces_new)
        package.source = kept[0]
        for type_name in forces_new:
            package.by_terraform_name(type_name)
        packages.append(package)
    return packages


def _whole(name: str, node: Node, forces_new: dict[str, Iterable[str]]) -> Package:
    """A package all of which is read, and so checked."""
    try:
        package = _read(name, node, forces_new)
        package.resources, package.functions = dict(package.resources), dict(package.functions)
        package.offers = dict(package.offers)
    except (RecursionError, MalformedError) as error:
        raise node.error(f"it cannot be read: {error}.") from error
    return package


def _read(address: str, node: Node, forces_new: dict[str, Iterable[str]]) -> Package:
    name, config = _short(address), section(node, "provider")
    package = Package(name, config=_block(config["block"]) if "block" in config else {})
    package.address = address if "/" in address and not address.startswith(DEFAULT) else ""
    tokens, lock = _Tokens(name), RLock()
    resources, data = section(node, "resource_schemas"), section(node, "data_source_schemas")
    ephemeral = section(node, "ephemeral_resource_schemas")
    identities = section(node, "resource_identity_schemas")
    for type_name in forces_new.keys() - resources.keys():
        raise DefinitionError(f"forces_new: there is no type {type_name!r}. {did_you_mean(type_name, resources, 'There are')}")
    names = {
        verb: {tokens.of(type_name, verb): type_name for type_name in schemas}
        for verb, schemas in (("", resources), ("get", data), ("Ephemeral", ephemeral))
    }

    def resource(token: str) -> ResourceType:
        type_name = names[""][token]
        declared = _resource(token, type_name, resources[type_name], forces_new.get(type_name, ()))
        identity = _identity(declared, identities.get(type_name))
        return replace(declared, traits=(replace(declared.trait(ResourceTraits), identity=identity),))

    def data_source(token: str) -> Function:
        type_name = names["get"][token]
        arguments, results = _asked(data[type_name])
        return Function(token, arguments, outputs=results, terraform=type_name, terraform_schema=data[type_name].value)

    def ephemeral_type(token: str) -> Ephemeral:
        type_name = names["Ephemeral"][token]
        arguments, results = _asked(ephemeral[type_name])
        returns = {result: literally(returned_value(result, item, token)) for result, item in results.items()}
        return Ephemeral(token, arguments, returns, terraform=type_name, terraform_schema=ephemeral[type_name].value)

    package.resources = OnDemand(names[""], resource, lock, lambda: names[""])
    package.functions = OnDemand(names["get"], data_source, lock, lambda: names["get"])
    package.offers = OnDemand(names["Ephemeral"], ephemeral_type, lock, lambda: names["Ephemeral"])
    for function, schema in section(node, "functions").items():
        package.add(read_function(name, function, schema))
    package.terraform_schema = node.value
    return package


def _block(node: Node) -> dict[str, Property]:
    return read_block(node) if node.value is not None else {}


def _resource(token: str, name: str, node: Node, forces_new: Iterable[str]) -> ResourceType:
    members = node.members(needed=("block",))
    properties = read_block(members["block"])
    # A required id identifies the object; one that the provider generates is no property.
    template = "{id}" if own_id(properties) and properties["id"].required else id_template(token)
    kept = {attribute: item for attribute, item in properties.items() if attribute != "id" or own_id(properties)}
    version = members["version"].whole() if "version" in members else 0
    try:
        return ResourceType(
            token,
            replaced(kept, forces_new, name),
            id=template,
            description=_description(members["block"]),
            terraform=name,
            traits=(ResourceTraits(version=version, schema=node.value),),
            elements=1,
        )
    except DefinitionError as error:
        raise node.error(str(error)) from error


def _identity(declared: ResourceType, node: Node | None) -> tuple[str, ...]:
    """The properties of the identity; none, unless every attribute in the identity's schema is one of the type's."""
    attributes = section(node, "attributes") if node else {}
    named = [declared.attributes.get(attribute, "id" if attribute == "id" else "") for attribute in attributes]
    return tuple(named) if all(named) else ()


def _description(node: Node) -> str:
    return str(node.value.get("description") or "")


def _asked(node: Node) -> tuple[dict[str, Property], dict[str, Property]]:
    """The arguments and the results of a data source or an ephemeral resource."""
    properties = read_block(node.members(needed=("block",))["block"])
    answer_only = {name for name, item in properties.items() if not item.is_input or (name == "id" and not own_id(properties))}
    # An optional and computed attribute is an argument, and a result where it is not set.
    results = {name: replace(item, optional=False) for name, item in properties.items() if item.computed}
    return {name: _argument(item) for name, item in properties.items() if name not in answer_only}, results


def _argument(item: Property) -> Property:
    return Property(
        item.kind, required=item.required, secret=item.secret, description=item.description, terraform=item.terraform
    )


class _Tokens:
    """Pulumi's names for Terraform's types: ``random_pet`` is ``random:index:Pet``, its data source ``random:index:getPet``."""

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._taken: set[str] = set()

    def of(self, name: str, verb: str = "") -> str:
        """A token that no other type has. Engines ignore the case of letters."""
        prefix, _, rest = name.partition("_")
        own = self._provider.replace("-", "_")
        member = name.removeprefix(f"{own}_") if name.startswith(f"{own}_") else (rest or prefix)
        camel = camel_case(member)
        wanted = f"{self._provider}:index:{verb}{'' if camel[:1].isalpha() else 'T'}{camel[:1].upper()}{camel[1:]}"
        token, count = wanted, 1
        while token.casefold() in self._taken:
            count += 1
            token = f"{wanted}{count}"
        self._taken.add(token.casefold())
        return token
