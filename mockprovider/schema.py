"""Resource types as their users declare them: once, for both ecosystems.

The naming rule (overridable with ``terraform=`` on a type or a property): ``pkg:module:Member`` with ``camelCase`` properties
in Pulumi is ``pkg_module_member`` with ``snake_case`` attributes in Terraform; the module ``index`` is left out, and of a
module such as ``storage/bucket`` only the first part counts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, MutableMapping, Sequence
from copy import copy
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct, StructMeta, field
from msgspec.structs import force_setattr

from mockprovider.callables import Child, Component, Function, Method
from mockprovider.errors import DefinitionError
from mockprovider.hints import did_you_mean
from mockprovider.ondemand import OnDemand, copied, held
from mockprovider.properties import (
    COLLECTIONS,
    NAMES,
    SCALARS,
    TOKEN,
    Kind,
    Property,
    Random,
    Template,
    as_property,
    camel_case,
    declared_properties,
    kind_of,
    secret_paths,
    snake_case,
    terraform_type_name,
)
from mockprovider.protocols import known, loaded
from mockprovider.steps import Step, check_steps
from mockprovider.urn import PROVIDERS


class Traits(Struct, frozen=True):
    """What one ecosystem alone says of a resource type: the base of each protocol's ``ResourceTraits``.

    Traits that can be called play their ecosystem's habits: they are given what behaviours are given, and come before them.
    """

    def check(self, declared: ResourceType) -> None:
        """Raise ``DefinitionError`` for what does not fit the type that has it."""


T = TypeVar("T", bound=Traits)


def trait_kinds() -> list[type[Traits]]:
    """The traits of all installed protocols."""
    return list(dict.fromkeys(loaded(protocol.traits) for protocol in known() if protocol.traits))


class _Declaring(StructMeta):
    """Makes resource types. Says where a keyword belongs that is one of traits."""

    def __call__(self, *args: Any, **words: Any) -> Any:
        """A resource type. Raises ``DefinitionError`` for a keyword of traits."""
        for word in words.keys() - {*self.__struct_fields__}:
            for kind in trait_kinds():
                if word in kind.__struct_fields__:
                    raise DefinitionError(
                        f"{word} is of one ecosystem alone: traits=[ResourceTraits({word}=...)], "
                        f"with `from {kind.__module__.removesuffix('.traits')} import {kind.__name__}`."
                    )
        return super().__call__(*args, **words)


class ResourceType(Struct, frozen=True, metaclass=_Declaring):
    """A type of resource, declared once and served over every protocol.

    Args:
        token: Pulumi's type token, ``pkg:module:Member``.
        properties: names in ``camelCase`` to ``Property`` (or a bare type, for a plain optional input).
        id: template of new ids over the object's inputs, ``{name}`` (the input of that name, else the resource's logical name,
            which Terraform does not tell) and ``{hash}`` (eight hex digits of seed and point, so that ids repeat from run to
            run and never collide within one).
        delete_before_replace: the old object must go before the new one can come.
        timeouts: how many seconds ``create``, ``read``, ``update`` and ``delete`` may take where an engine says nothing (0).
        behaviours: what the cloud does beyond keeping objects (``fake.behaviours``): quotas, objects that become ready later...
            Each is given the call, the way onward and the world; the first is outermost.
        traits: what one ecosystem alone has: ``mockprovider.pulumi.ResourceTraits``, ``mockprovider.terraform.ResourceTraits``.
        terraform: the type's name in Terraform, where the rule does not give it.
        moved_from: types, by Terraform name or token, whose objects this one takes over when a configuration moves them. An
            address of their provider, or the end of it, may stand before the name (``hashicorp/aws/aws_bucket``). In a mapping,
            each has the function that converts its objects: the old state's attributes in, and the new type's out.
        steps: what a create or an update consists of, in order, for faults that act in the middle of it.
        importable: ``False``, or the reason why its objects cannot be imported.
        elements: generated values look like what their names say, and generated lists have so many elements, as in types that a
            schema declares; without it, lists are empty and texts are eight hex digits.

    Raises ``DefinitionError`` for a malformed token, an unusable property type, two properties with one Terraform name, traits
    that do not fit, or a keyword that belongs to traits.
    """

    token: str
    properties: Mapping[str, Property] = field(default_factory=dict)
    id: str = "{hash}"
    delete_before_replace: bool = False
    timeouts: Mapping[str, float] = field(default_factory=dict)
    behaviours: tuple[Callable[..., Any], ...] = ()
    traits: Sequence[Traits] = ()
    description: str = ""
    terraform: str = ""
    moved_from: tuple[str, ...] | Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = ()
    importable: bool | str = True
    steps: Sequence[Step] = ()
    elements: int | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)
    """Terraform attribute names to property names; made from ``properties``."""

    def __post_init__(self) -> None:
        if not TOKEN.fullmatch(self.token):
            raise DefinitionError(
                f"{self.token!r} is no type token. Write it as 'package:module:Member', e.g. 'cloud:index:Bucket'."
            )
        force_setattr(self, "properties", declared_properties(self.token, self.properties, seeded=True))
        force_setattr(self, "terraform", self.terraform or terraform_type_name(self.token))
        attributes: dict[str, str] = {}
        for name, item in self.properties.items():
            attribute = item.terraform or snake_case(name)
            if attribute in attributes:
                raise DefinitionError(
                    f"{self.token}: properties {attributes[attribute]!r} and {name!r} would both be Terraform's {attribute!r}. "
                    "Give one of them terraform='another_name'."
                )
            attributes[attribute] = name
        force_setattr(self, "attributes", attributes)
        _behaving(self)
        force_setattr(self, "steps", check_steps(self.token, self.properties, self.steps))
        if isinstance(self.moved_from, Mapping):
            _converting(self.token, self.moved_from)
        _bearing(self)

    @property
    def of_schema(self) -> bool:
        """Whether it was read from a schema, or is declared as such types are: programs then expect values that look real."""
        return self.elements is not None

    @property
    def secrets(self) -> dict[str, frozenset[str]]:
        """The paths of the secret properties in both spellings, by the names under which calls know the type."""
        return dict.fromkeys((self.token, self.terraform), frozenset(secret_paths(self.properties)))

    def trait(self, kind: type[T]) -> T:
        """The type's traits of one ecosystem: those that it was given, or else what is so without any."""
        return next((trait for trait in self.traits if isinstance(trait, kind)), None) or kind()

    @classmethod
    def from_schema(cls, source: str | Mapping[str, Any], token: str) -> ResourceType:
        """One type of a Pulumi package schema (JSON or YAML text, or data). Raises ``DefinitionError``.

        ``mockprovider.from_schema`` reads the whole package.
        """
        # The only import of an outer ring (listed in pyproject.toml): users expect this method here, the reader is Pulumi's.
        from mockprovider.pulumi.package.reading import from_schema  # noqa: PLC0415 - who declares by hand needs no reader

        package = from_schema(source)
        declared: ResourceType | None = package.resources.get(token)
        if declared is None:
            hint = did_you_mean(token, package.resources, "Its types are")
            raise DefinitionError(f"The schema of {package.name!r} has no resource type {token!r}. {hint}")
        return declared

    @property
    def package(self) -> str:
        """The package that the type belongs to."""
        return self.token.split(":", 1)[0]


TIMED = ("create", "read", "update", "delete")


def _bearing(declared: ResourceType) -> None:
    """Raise ``DefinitionError`` for what are no traits, and for traits that do not fit the type."""
    force_setattr(declared, "traits", tuple(declared.traits))
    for trait in declared.traits:
        if not isinstance(trait, Traits):
            kinds = " or ".join(f"{kind.__module__}.{kind.__name__}" for kind in trait_kinds())
            raise DefinitionError(f"{declared.token}: {trait!r} are no traits. Give {kinds}.")
        if declared.trait(type(trait)) is not trait:
            raise DefinitionError(
                f"{declared.token} has two {type(trait).__module__}.{type(trait).__name__}: make one of them."
            )
        trait.check(declared)


def _converting(token: str, moved_from: Mapping[str, Any]) -> None:
    """Raise ``DefinitionError`` for a type that objects come from by what is no function."""
    for name, convert in moved_from.items():
        if not callable(convert):
            raise DefinitionError(
                f"{token}: moved_from has {convert!r} for {name!r}. Give a function from the old attributes to the new ones, "
                "or a tuple of names where none is needed."
            )


def _behaving(declared: ResourceType) -> None:
    """Raise ``DefinitionError`` for timeouts of nothing, and for behaviours of properties that are not there."""
    for op, seconds in declared.timeouts.items():
        if op not in TIMED or seconds <= 0:
            raise DefinitionError(
                f"{declared.token}: timeouts has {op!r}: {seconds}. Give seconds above 0 for {', '.join(TIMED)}."
            )
    force_setattr(declared, "behaviours", tuple(declared.behaviours))
    for behaviour in declared.behaviours:
        if not callable(behaviour) or isinstance(behaviour, type):
            raise DefinitionError(
                f"{declared.token}: {behaviour!r} is no behaviour. Give one of fake.behaviours, or a function."
            )
        sets = getattr(behaviour, "sets", ())
        for name in (*getattr(behaviour, "uses", ()), *sets):
            item = declared.properties.get(name)
            if item is None:
                known = ", ".join(declared.properties) or "none"
                raise DefinitionError(
                    f"{declared.token}: {behaviour!r} is about {name!r}, which is no property. There are {known}."
                )
            if name in sets and not item.computed:
                raise DefinitionError(f"{declared.token}: {behaviour!r} says what {name!r} is: declare it with computed=True.")


Definition: TypeAlias = ResourceType | Function | Component | Method
"""What a package is made of."""


class Package(Struct):
    """What one provider serves: a name, a version, configuration properties, resource types and functions by token.

    ``schema`` is the text of the Pulumi package schema that all of it was read from, if it was; ``terraform_schema`` is the one
    provider's part of what ``terraform providers schema -json`` shows, if it was read from there. ``published`` makes the
    text of a schema that is only put together if somebody asks for it, such as that of an SDK.

    ``mappings`` are what GetMapping answers by key (``{"terraform": ...}``), as bytes or text. ``parameters`` are the packages
    that Parameterize makes of this one, by name, or a function from a ``fake.parameters.Parameter`` to a package or ``None``;
    with ``extension``, a package that is made so comes beside its base and not in its place.
    ``source`` is the key under which what all of it was read from is kept (``slices``), empty once something was added.
    ``judge`` is a layer in front of the fake: the real provider, asked what it thinks.
    ``address`` is the source address of the provider in Terraform's configurations, where that is not under ``hashicorp``
    (``datadog/datadog``); a schema that was read says it.
    ``beside`` are the packages that this one builds on, by name: each is read when an engine asks first, if nobody declared it.
    """

    name: str
    version: str = "1.0.0"
    config: dict[str, Property] = field(default_factory=dict)
    resources: MutableMapping[str, ResourceType] = field(default_factory=dict)
    functions: MutableMapping[str, Function] = field(default_factory=dict)
    components: MutableMapping[str, Component] = field(default_factory=dict)
    methods: MutableMapping[str, Method] = field(default_factory=dict)
    offers: MutableMapping[str, Any] = field(default_factory=dict)
    schema: str = ""
    terraform_schema: Mapping[str, Any] = field(default_factory=dict)
    mappings: Mapping[str, bytes | str] = field(default_factory=dict)
    parameters: Mapping[str, Any] | Callable[[Any], Any] | None = None
    extension: bool = False
    published: Callable[[], str] | None = None
    said: Any = None
    """What its file says of single answers: ``fake.answers.Sayings``."""
    judge: Any = None
    source: str = ""
    address: str = ""
    beside: Mapping[str, Callable[[], Package]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.config = declared_properties(f"the configuration of {self.name}", self.config)
        self.mappings = {
            key: mapping.encode() if isinstance(mapping, str) else mapping for key, mapping in self.mappings.items()
        }

    def copied(self) -> Package:
        """Another package that declares the same, and can be added to by itself: a test file has one for many doubles."""
        own = copy(self)
        own.config, own.said = dict(self.config), self.said.copied() if self.said is not None else None
        own.resources, own.functions = copied(self.resources), copied(self.functions)
        own.components, own.methods, own.offers = copied(self.components), copied(self.methods), copied(self.offers)
        return own

    def add(self, *definitions: Any) -> None:
        """Declare resource types, functions, components and methods; a later one with the same token replaces the earlier."""
        sections: Mapping[type, MutableMapping[str, Any]] = {
            ResourceType: self.resources,
            Function: self.functions,
            Component: self.components,
            Method: self.methods,
        }
        for definition in definitions:
            added = self._with_arguments(definition) if isinstance(definition, Function) else definition
            sections.get(type(definition), self.offers)[definition.token] = added
        if definitions:
            # The schema text that the package was read from lacks these.
            self.schema, self.published, self.source = "", None, ""

    def _with_arguments(self, function: Function) -> Function:
        """A function with the arguments and results of the published one that it replaces, unless it declares its own.

        Engines know the arguments of a published data source from its schema, and programs give them.
        """
        published = self.functions.get(function.token)
        if published is None or function.inputs or function.outputs or not published.outputs:
            return function
        name, schema = function.terraform or published.terraform, published.terraform_schema
        return Function(function.token, published.inputs, function.returns, published.outputs, name, schema)

    @property
    def secrets(self) -> dict[str, frozenset[str]]:
        """What its types declare secret, and its configuration, by the names under which calls know them (Configure: none)."""
        return self.secrets_of(self.resources)

    def secrets_of(self, types: Collection[str]) -> dict[str, frozenset[str]]:
        """The same of some types and functions, by token or Terraform's name of a type, and of those that were read already."""
        config = frozenset(secret_paths(self.config))
        names = {"": config, PROVIDERS + self.name: config}
        for token in {*held(self.functions), *(token for token in types if token in self.functions)}:
            names |= self.functions[token].secrets
        read = held(self.resources)
        for token, spelled in self.terraform_names().items():
            if token in read or token in types or spelled in types:
                names |= self.resources[token].secrets
        return names

    def terraform_names(self) -> dict[str, str]:
        """Terraform's names of the resource types, by token. No type is read for it."""
        if isinstance(self.resources, OnDemand):
            return self.resources.spellings(lambda resource: resource.terraform)
        return {token: resource.terraform for token, resource in self.resources.items()}

    def by_terraform_name(self, name: str) -> ResourceType | None:
        """The resource type that Terraform calls ``name``."""
        token = next((token for token, spelled in self.terraform_names().items() if spelled == name), None)
        return None if token is None else self.resources[token]


def declared_type(packages: Mapping[str, Package], token: str) -> ResourceType | None:
    """The resource type with this token, if one of the packages, by name, declares it."""
    package = packages.get(token.partition(":")[0])
    return package.resources.get(token) if package else None


__all__ = [
    "COLLECTIONS",
    "NAMES",
    "SCALARS",
    "TIMED",
    "TOKEN",
    "Child",
    "Component",
    "Definition",
    "Function",
    "Kind",
    "Method",
    "Package",
    "Property",
    "Random",
    "ResourceType",
    "Step",
    "Template",
    "Traits",
    "as_property",
    "camel_case",
    "declared_properties",
    "declared_type",
    "kind_of",
    "snake_case",
    "terraform_type_name",
    "trait_kinds",
]
