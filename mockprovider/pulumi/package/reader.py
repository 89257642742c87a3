"""The reader of Pulumi package schemas, as far as a fake can use them (reference 11).

A schema has the inputs and outputs of a provider, but no values. So outputs that no program sets get generated values. What
only SDKs use (languages, aliases, names of environment variables) is ignored. Components have those children alone that they
show as outputs: only their code knows the others.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Mapping
from threading import RLock
from typing import Any
from urllib.parse import unquote

from msgspec.structs import replace

from mockprovider.document import Node
from mockprovider.errors import DefinitionError
from mockprovider.fake.inventing.arns import id_template
from mockprovider.hints import did_you_mean
from mockprovider.ondemand import OnDemand
from mockprovider.pulumi.package import azure
from mockprovider.pulumi.package.constructing import Shown, constructing
from mockprovider.pulumi.package.inventing import answer, computed, filled_in
from mockprovider.pulumi.package.rules import VERSION, check_circles, check_distinct, check_methods, check_package, check_token
from mockprovider.pulumi.package.text import read_text
from mockprovider.pulumi.package.types import (
    FUNCTION_KEYS,
    RESOURCE_KEYS,
    ROOT_KEYS,
    Types,
    distinct,
    flag,
    keys,
    names,
    text,
)
from mockprovider.schema import (
    TOKEN,
    Component,
    Function,
    Method,
    Package,
    Property,
    ResourceType,
    snake_case,
    terraform_type_name,
)
from mockprovider.urn import PROVIDERS

Sources = Mapping[str, str | Mapping[str, Any]]
"""Schemas by package name, as text or data."""

SECTIONS = ("resources", "functions", "types")
"""The parts of a schema by token."""

UNSAID = re.compile(r"[^a-z0-9_]+")
"""Characters that Terraform's names cannot have, but modules such as ``storage.k8s.io/v1`` do."""

OWN_OUTPUTS = frozenset({"id", "urn"})
"""Outputs that every resource has; a schema's declaration of them adds nothing."""


class PackageReader:
    """Reads one schema. Where its sections are ``OnDemand``, ``package_on_demand`` reads what is in use."""

    def __init__(self, root: Node, packages: Sources) -> None:
        self._members = keys(root, ROOT_KEYS, needed=("name",))
        check_package(self._members)
        self._packages = packages
        self._lock = RLock()
        self._taken: set[str] = set()
        self._spellings: Mapping[str, str] = {}
        self._abroad: dict[str, PackageReader | None] = {}
        self._resources = self._section("resources")
        self._functions = self._section("functions")
        self.types = Types(self._section("types"), self._resources, self._types_of)

    def _section(self, key: str) -> Mapping[str, Node]:
        node = self._members.get(key)
        if node is not None and isinstance(node.value, OnDemand):
            return node.value.through(lambda token, value: Node(value, node.origin, (*node.path, token)), self._lock)
        return node.members() if node else {}

    def _types_of(self, name: str) -> Types | None:
        """The types of a package, this one or another; ``None`` if its schema is not available."""
        if name == self._members["name"].value:
            return self.types
        if name not in self._abroad and name in self._packages:
            source = self._packages[name]
            document = read_text(source, f"schema of {name}") if isinstance(source, str) else source
            self._abroad[name] = PackageReader(Node(document, f"schema of {name}"), self._packages)
        reader = self._abroad.get(name)
        return reader.types if reader else None

    def package(self) -> Package:
        """The package of the schema."""
        package = self._empty()
        check_distinct(self._resources, self._functions)
        for token, node in self._resources.items():
            self._token(token, node)
            members = keys(node, RESOURCE_KEYS)
            self._check(token, members)
            is_component = flag(members, "isComponent")
            package.add(
                self._component(token, members) if is_component else self._resource(token, node, self._terraform_name(token))
            )
        self._check_provider()
        for token, node in self._functions.items():
            self._token(token, node)
            package.add(self._asked(token, node))
        self._check_types()
        return package

    def package_on_demand(
        self, components: Collection[str], methods: Collection[str], spelled: Mapping[str, str] | None = None
    ) -> Package:
        """The package of a schema that was checked before, or is known to be right: each type is read when it is used.

        ``components`` and ``methods`` are the tokens of those; the others are resources and functions. ``spelled`` are the
        resources' names in Terraform, where they are known.
        """
        package = self._empty()
        resources = [token for token in self._resources if token not in components]
        functions = [token for token in self._functions if token not in methods]

        def spellings() -> Mapping[str, str]:
            # A name depends on those before it.
            with self._lock:
                self._spellings = self._spellings or spelled or {token: self._terraform_name(token) for token in resources}
            return self._spellings

        def resource(token: str) -> ResourceType:
            return self._resource(token, self._resources[token], spellings()[token])

        def component(token: str) -> Component:
            return self._component(token, keys(self._resources[token], RESOURCE_KEYS))

        def function(token: str) -> Any:
            return self._asked(token, self._functions[token])

        package.resources = OnDemand(resources, resource, self._lock, spellings)
        package.components = OnDemand(components, component, self._lock)
        package.functions = OnDemand(functions, function, self._lock)
        package.methods = OnDemand(methods, function, self._lock)
        return package

    def _empty(self) -> Package:
        return Package(self._members["name"].text(), self._version(), self._config())

    def _check(self, token: str, members: Mapping[str, Node]) -> None:
        methods = members["methods"].members() if "methods" in members else {}
        outputs = members["properties"].members() if "properties" in members else {}
        check_methods(token, methods, self._functions, outputs)
        for key in ("stateInputs", "listInputs"):
            if key in members:
                self.types.members(members[key])

    def _check_provider(self) -> None:
        members = keys(self._members["provider"], RESOURCE_KEYS) if "provider" in self._members else {}
        self._check(self._provider, members)

    def _check_types(self) -> None:
        types = self._section("types")
        for token, node in types.items():
            self._token(token, node)
            self.types.named(token, node)
        check_circles(types, lambda node: unquote(str(node.value.get("$ref", "")).removeprefix("#/types/")))

    def _version(self) -> str:
        node = self._members.get("version")
        if node is None or node.text() == "":
            return "1.0.0"
        match = VERSION.fullmatch(node.text())
        if not match:
            raise node.error(f"{node.value!r} is no semantic version. Write three numbers, such as 1.0.0.")
        return match[1]

    def _config(self) -> dict[str, Property]:
        config = keys(self._members["config"], {"variables", "defaults"}) if "config" in self._members else {}
        provider = keys(self._members["provider"], RESOURCE_KEYS) if "provider" in self._members else {}
        variables = self.types.properties(config.get("variables"), config.get("defaults"))
        inputs = self.types.properties(provider.get("inputProperties"), provider.get("requiredInputs"))
        if "version" in inputs:
            place = provider["inputProperties"].members()["version"]
            raise place.error("Pulumi keeps 'version' for the version of the plugin. Choose another name for the setting.")
        return variables | inputs

    def _token(self, token: str, node: Node) -> None:
        name = self._members["name"].text()
        if not TOKEN.fullmatch(token):
            raise node.error(f"{token!r} is no token. Write it as 'package:module:Member', such as '{name}:index:Bucket'.")
        allowed = self._members.get("allowedPackageNames")
        known = {name, *(entry.text() for entry in (allowed.items() if allowed else ()))}
        owner = token.split(":", 1)[0]
        if owner not in known and not (node is self._functions.get(token) and token.startswith(f"{self._provider}/")):
            raise node.error(f"{token!r} does not belong to the package. {did_you_mean(owner, known, 'Its packages are')}")
        check_token(token, node, self._members)

    @property
    def _provider(self) -> str:
        """The token of the package's provider, which may have methods."""
        return PROVIDERS + self._members["name"].text()

    def _terraform_name(self, token: str) -> str:
        """A type's name in Terraform: the rule's, else one with the whole module, else with a number."""
        package, module, member = token.split(":", 2)
        whole = "_".join(map(snake_case, (package, module, member)))
        names = (UNSAID.sub("_", name) for name in (terraform_type_name(token), whole))
        numbered = (UNSAID.sub("_", f"{whole}_{count}") for count in itertools.count(2))
        chosen = next(name for name in itertools.chain(names, numbered) if name not in self._taken)
        self._taken.add(chosen)
        return chosen

    # Resources and functions -----------------------------------------------------------------------------------------

    def _resource(self, token: str, node: Node, spelled: str) -> ResourceType:
        members = keys(node, RESOURCE_KEYS)
        properties = self.types.properties(members.get("inputProperties"), members.get("requiredInputs"))
        outputs = self.types.properties(members.get("properties"), None)
        certain = names(members.get("required"), outputs)
        for name, item in outputs.items():
            if name in properties:
                properties[name] = _merged(token, name, properties[name], item, certain=name in certain)
            elif name not in OWN_OUTPUTS:
                # YAML programs set a constant automatically, even if it is no input.
                properties[name] = computed(token, name, item, optional=item.enum == (item.default,))
        ids = id_template(token)
        if token.partition(":")[0] in azure.PACKAGES:
            properties, ids = azure.named(token, properties)
        try:
            return ResourceType(
                token,
                distinct(properties),
                ids,
                description=text(members, "description"),
                terraform=spelled,
                elements=1,
            )
        except DefinitionError as error:
            raise node.error(str(error)) from error

    def _component(self, token: str, members: Mapping[str, Node]) -> Component:
        inputs = self.types.properties(members.get("inputProperties"), members.get("requiredInputs"))
        outputs = self.types.properties(members.get("properties"), members.get("required"))
        shown, given = self._shown(members.get("properties")), self._shown(members.get("inputProperties"))
        # Often an input of the same name only says what to make, as the strategy of gateways that are answered.
        alike = [name for name, item in outputs.items() if name in inputs and inputs[name].kind.name == item.kind.name]
        echoed = [name for name in alike if shown.get(name) == given.get(name)]
        construct = constructing(outputs, shown, echoed)
        return Component(token, inputs, outputs, construct=construct, description=text(members, "description"))

    def _shown(self, properties: Node | None, around: tuple[str, ...] = ()) -> dict[str, Shown]:
        """The resources among properties, also inside of their objects, by path: ``core.cluster``."""
        shown: dict[str, Shown] = {}
        for name, item in (properties.members() if properties else {}).items():
            listed = item.members().get("items")
            reference = (listed or item).value.get("$ref", "") if isinstance((listed or item).value, Mapping) else ""
            file, _, path = str(reference).partition("#/")
            section, _, member = path.partition("/")
            token = unquote(member)
            if section == "resources":
                own = self._resources[token].members() if token in self._resources and not file else {}
                shown[name] = Shown("" if flag(own, "isComponent") else token, listed is not None)
            elif section == "types" and not (file or listed or token in around) and token in self.types.declared:
                inside = self._shown(self.types.declared[token].members().get("properties"), (*around, token))
                shown |= {f"{name}.{below}": one for below, one in inside.items()}
        return shown

    def _asked(self, token: str, node: Node) -> Function | Method:
        members = keys(node, FUNCTION_KEYS)
        inputs = self.types.members(members["inputs"]) if "inputs" in members else {}
        outputs = members.get("outputs") or members.get("returnType")
        # Pulumi takes an empty object for nothing, too.
        returned = self._returned(outputs) if outputs and outputs.value else {}
        # Methods are called by Call, on a resource, and are no functions for Invoke.
        if "__self__" in inputs and "/" in token.rpartition(":")[2]:
            del inputs["__self__"]
            return Method(token, inputs, {name: answer(token, name, item, inputs) for name, item in returned.items()})
        return Function(token, inputs, outputs=returned)

    def _returned(self, node: Node) -> dict[str, Property]:
        if "properties" in node.members():
            return self.types.members(node)
        shape = self.types.shape(node)
        if shape.kind.name == "object":
            return dict(shape.kind.properties)
        # A result that is no object is sent as the only member of one; SDKs unwrap it, whatever its name is.
        return {} if shape.kind.name == "map" else {"result": Property(shape.kind, enum=shape.enum)}


def _merged(token: str, name: str, argument: Property, output: Property, *, certain: bool) -> Property:
    """One property from its input and its output; ``certain`` if the provider always returns a value."""
    item = replace(
        argument,
        type=filled_in(token, name, argument.kind, output.kind),
        forces_new=argument.forces_new or output.forces_new,
        secret=argument.secret or output.secret,
        description=argument.description or output.description,
    )
    return computed(token, name, item, optional=True) if certain and not (item.required or item.has_default) else item
