"""Resource types as their users declare them: once, for both ecosystems.

The naming rule (overridable with ``terraform=`` on a type or a property): ``pkg:module:Member`` with ``camelCase`` properties
in Pulumi is ``pkg_module_member`` with ``snake_case`` attributes in Terraform; the module ``index`` is left out, and of a
module such as ``storage/bucket`` only the first part counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from typing import Any, get_args, get_origin

from msgspec import UNSET, Struct, field
from msgspec.structs import force_setattr

from mockprovider.errors import DefinitionError
from mockprovider.values import Bag, Value


class Kind(Struct, frozen=True):
    """The kind of a property's value, in the type language that both protocols share.

    ``name`` is ``string``, ``integer``, ``number``, ``boolean``, ``any``, ``asset``, ``archive``, ``array``, ``set``, ``map``
    or ``object``; ``items`` is the element kind of the three collections, ``properties`` those of an object.
    """

    name: str
    items: Kind | None = None
    properties: Mapping[str, Property] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.name}<{self.items}>" if self.items else self.name


SCALARS: Mapping[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", Any: "any", object: "any"}
COLLECTIONS: Mapping[Any, str] = {list: "array", set: "set", dict: "map"}
NAMES = frozenset(SCALARS.values()) | frozenset(COLLECTIONS.values()) | {"asset", "archive", "object"}


def kind_of(declared: Any) -> Kind:
    """The ``Kind`` that ``declared`` means.

    That is a Python type (``str``, ``list[int]``, ``dict[str, str]``, ``set[str]``), a kind's name, a mapping of property names
    to ``Property`` (an object), or a ``Kind``.

    Raises ``DefinitionError`` for anything else.
    """
    if isinstance(declared, Kind):
        return declared
    if isinstance(declared, Mapping):
        return Kind("object", properties={name: as_property(item) for name, item in declared.items()})
    if isinstance(declared, str) and declared in NAMES - {"object"}:
        return Kind(declared, items=Kind("any") if declared in COLLECTIONS.values() else None)
    # What cannot be looked up, such as [str], is no type either.
    origin = (get_origin(declared) or declared) if isinstance(declared, Hashable) else None
    if declared is origin and origin in SCALARS:
        return Kind(SCALARS[origin])
    if origin in COLLECTIONS:
        arguments = get_args(declared)
        return Kind(COLLECTIONS[origin], items=kind_of(arguments[-1]) if arguments else Kind("any"))
    raise DefinitionError(
        f"{declared!r} is no property type. Use str, int, float, bool, typing.Any, list[...], set[...], dict[str, ...], "
        f"a dict of properties, or one of the names {', '.join(sorted(NAMES))}."
    )


class Property(Struct, frozen=True):
    """One property of a resource type: ``Property(str, default="private")``.

    Args:
        type: what ``kind_of`` accepts; ``kind`` is made from it.
        required: check fails where it is missing.
        default: filled in by check where the program says nothing; a callable is given the inputs.
        computed: the provider says what it is: ``True`` for a generated value, a template over the object's other properties
            and ``id`` (``"arn:cloud:::{id}"``), or a callable given the object's properties and ``id`` in one dict.
        optional: of a computed property, that the program may set it instead.
        forces_new: a change needs a new object.
        secret: kept out of sight by engines and cassettes.
        enum: the only values that check accepts.
        terraform: the attribute's name in Terraform, where the rule does not give it.
    """

    type: Any = str
    required: bool = False
    default: Any = UNSET
    computed: bool | str | Callable[[dict[str, Any]], Value] = False
    optional: bool = False
    forces_new: bool = False
    secret: bool = False
    enum: tuple[Any, ...] = ()
    description: str = ""
    terraform: str = ""
    kind: Kind = Kind("string")

    def __post_init__(self) -> None:
        force_setattr(self, "kind", kind_of(self.type))
        if self.required and (self.computed or self.has_default):
            raise DefinitionError("A property cannot be required and have a default or a computed value: drop one of them.")
        if self.optional and not self.computed:
            raise DefinitionError("optional=True says that a *computed* property may also be set; a plain property always may.")

    @property
    def is_input(self) -> bool:
        """Whether a program may set it."""
        return not self.computed or self.optional

    @property
    def has_default(self) -> bool:
        """Whether check fills it in."""
        return self.default is not UNSET


class ResourceType(Struct, frozen=True):
    """A type of resource, declared once and served over every protocol.

    Args:
        token: Pulumi's type token, ``pkg:module:Member``.
        properties: names in ``camelCase`` to ``Property`` (or a bare type, for a plain optional input).
        id: template of new ids over the object's inputs, ``{name}`` (the input of that name, else the resource's logical name,
            which Terraform does not tell) and ``{hash}`` (eight hex digits of seed and point, so that ids repeat from run to
            run and never collide within one).
        delete_before_replace: the old object must go before the new one can come.
        terraform: the type's name in Terraform, where the rule does not give it.
        version: the version of Terraform's state schema.

    Raises ``DefinitionError`` for a malformed token, an unusable property type, or two properties with one Terraform name.
    """

    token: str
    properties: Mapping[str, Property] = field(default_factory=dict)
    id: str = "{hash}"
    delete_before_replace: bool = False
    description: str = ""
    terraform: str = ""
    version: int = 0
    attributes: Mapping[str, str] = field(default_factory=dict)
    """Terraform attribute names to property names; made from ``properties``."""

    def __post_init__(self) -> None:
        if not TOKEN.fullmatch(self.token):
            raise DefinitionError(
                f"{self.token!r} is no type token. Write it as 'package:module:Member', e.g. 'cloud:index:Bucket'."
            )
        force_setattr(self, "properties", _declared(self.token, self.properties))
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

    @property
    def package(self) -> str:
        """The package that the type belongs to."""
        return self.token.split(":", 1)[0]


class Function(Struct, frozen=True):
    """A function (Pulumi invoke, Terraform data source): token, declared inputs, and what it returns.

    ``returns`` is a bag of values and templates over the arguments (``"zone-{region}"``), or a callable given the arguments.
    """

    token: str
    inputs: Mapping[str, Property] = field(default_factory=dict)
    returns: Mapping[str, Value] | Callable[[Bag], Bag] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not TOKEN.fullmatch(self.token):
            raise DefinitionError(
                f"{self.token!r} is no function token. Write it as 'package:module:member', e.g. 'cloud:index:getZone'."
            )
        force_setattr(self, "inputs", _declared(self.token, self.inputs))


class Package(Struct):
    """What one provider serves: a name, a version, configuration properties, resource types and functions by token.

    ``schema`` is the text of the Pulumi package schema that all of it was read from, if it was.
    """

    name: str
    version: str = "1.0.0"
    config: dict[str, Property] = field(default_factory=dict)
    resources: dict[str, ResourceType] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    schema: str = ""

    def __post_init__(self) -> None:
        self.config = {name: as_property(item) for name, item in self.config.items()}

    def add(self, *definitions: ResourceType | Function) -> None:
        """Declare resource types and functions; a later one with the same token replaces the earlier."""
        for each in definitions:
            if isinstance(each, ResourceType):
                self.resources[each.token] = each
            else:
                self.functions[each.token] = each
        # The text that the package was read from does not tell of these.
        self.schema = ""

    def by_terraform_name(self, name: str) -> ResourceType | None:
        """The resource type that Terraform calls ``name``."""
        return next((each for each in self.resources.values() if each.terraform == name), None)


TOKEN = re.compile(r"[a-zA-Z][-a-zA-Z0-9_]*:[a-zA-Z0-9._/-]*:[^0-9:/][a-zA-Z0-9._/]*")
"""The metaschema's token pattern, with a module that may be empty."""


def as_property(declared: Any) -> Property:
    """``declared`` itself if it is a ``Property``, else a plain optional input of that type."""
    return declared if isinstance(declared, Property) else Property(declared)


def _declared(owner: str, properties: Any) -> dict[str, Property]:
    if not isinstance(properties, Mapping):
        raise DefinitionError(
            f"{owner}: the properties are a {type(properties).__name__}, {properties!r}. "
            'Give a dict of names to Property or to a type: {"acl": str}.'
        )
    found: dict[str, Property] = {}
    for name, item in properties.items():
        try:
            found[name] = as_property(item)
        except DefinitionError as error:
            raise DefinitionError(f"{owner}: property {name!r}: {error}") from error
    return found


def snake_case(name: str) -> str:
    """``accountId`` to ``account_id``, ``HTTPPort`` to ``http_port``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).replace("-", "_").lower()


def camel_case(name: str) -> str:
    """``account_id`` to ``accountId``."""
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def terraform_type_name(token: str) -> str:
    """The naming rule of this module's docstring, for types."""
    package, module, member = token.split(":", 2)
    module = module.split("/")[0]
    parts = [package, *([module] if module not in ("", "index") else []), member]
    return "_".join(snake_case(part) for part in parts)
