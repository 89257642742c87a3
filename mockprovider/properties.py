"""Declarations of properties: the kinds of their values, defaults, limits and flags."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import lru_cache
from operator import attrgetter
from string import Formatter
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin

from msgspec import UNSET, Meta, Struct, field
from msgspec.structs import force_setattr

from mockprovider.errors import DefinitionError
from mockprovider.values import Value

AUTO_NAME = "{name}-{random:7}"
"""The template of ``auto_name=True``, which most of Pulumi's providers use."""

HEX_DIGITS = "0123456789abcdef"


class Random(Struct, frozen=True):
    """A random default: ``prefix``, then ``length`` characters of ``alphabet``.

    Under Pulumi, Check draws it from the engine's ``randomSeed`` and keeps it in updates. Terraform sends no seed, so there it
    is unknown until apply.
    """

    length: Annotated[int, Meta(description="How many characters.", extra_json_schema={"minimum": 1})] = 8
    prefix: str = ""
    alphabet: Annotated[str, Meta(description="Of these.", extra_json_schema={"minLength": 1})] = HEX_DIGITS

    def __post_init__(self) -> None:
        if self.length < 1 or not self.alphabet:
            raise DefinitionError(
                f"Random(length={self.length}, alphabet={self.alphabet!r}) makes nothing up. Give it at least one character."
            )


class Template(Struct, frozen=True):
    """A default made of other properties: ``Template("{bucket}-logs")``. There is none while one of them is unset."""

    text: str


class Kind(Struct, frozen=True):
    """The kind of a property's value, in the type language that both protocols share.

    ``name`` is ``string``, ``integer``, ``number``, ``boolean``, ``any``, ``asset``, ``archive``, ``array``, ``set``, ``map``
    or ``object``; ``items`` is the element kind of the three collections, ``properties`` those of an object. ``enum`` lists
    the only accepted values of an element (a property has its own). ``answer`` is the kind that the provider answers, where it
    or something inside of it is of another kind than what a program sets.
    """

    name: str
    items: Kind | None = None
    properties: Mapping[str, Property] = field(default_factory=dict)
    enum: tuple[Any, ...] = ()
    answer: Kind | None = None

    def __str__(self) -> str:
        return f"{self.name}<{self.items}>" if self.items else self.name


SCALARS: Mapping[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", Any: "any", object: "any"}
COLLECTIONS: Mapping[Any, str] = {list: "array", set: "set", dict: "map"}
KindName: TypeAlias = Literal[
    "string", "integer", "number", "boolean", "any", "asset", "archive", "array", "set", "map", "object"
]
NAMES = frozenset(get_args(KindName))


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
    # An unhashable value, such as [str], is no type.
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
        required: Check fails if it is missing.
        default: Check fills it in if the program does not set it: a value, a callable that gets the inputs, a ``Template`` over
            other properties, or a ``Random``.
        computed: the provider sets it: ``True`` for a generated value, a template over the object's other properties and
            ``id`` (``"arn:cloud:::{id}"``), or a callable that gets these in one dict.
        optional: a computed property that the program may also set.
        forces_new: a change forces a replacement.
        secret: engines and cassettes hide it.
        write_only: Terraform sends it to the provider and keeps it out of plans and states; elsewhere it is a secret.
        conflicts_with: sibling properties that may not be set together with it.
        enum: the only values that Check accepts.
        minimum, maximum: the least and the greatest number that Check accepts.
        min_length, max_length: the least and the greatest number of characters.
        min_items, max_items: the least and the greatest number of elements of a collection.
        pattern: a regular expression that the whole text must match.
        auto_name: if the program sets no name, it is made from the resource's: ``True`` for ``{name}-`` and seven random hex
            digits, or a template over ``{name}`` and ``{random:7}``. Under Pulumi, Check makes it, by ``randomSeed`` and the
            engine's ``autonaming`` options. Terraform sends no resource names, so it is made from the type's, at apply.
        delete_before_replace: if its change forces a replacement, the old object is deleted first.
        unreadable: reads do not return it: the engine's value stays, and after an import there is none.
        terraform: the attribute's name in Terraform, where the rule does not give it.

    Raises ``DefinitionError`` for contradictions.
    """

    type: Any = str
    required: bool = False
    default: Any = UNSET
    computed: bool | str | Callable[[dict[str, Any]], Value] = False
    optional: bool = False
    forces_new: bool = False
    secret: bool = False
    write_only: bool = False
    conflicts_with: tuple[str, ...] = ()
    enum: tuple[Any, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    min_items: int | None = None
    max_items: int | None = None
    pattern: str = ""
    auto_name: bool | str = False
    delete_before_replace: bool = False
    unreadable: bool = False
    description: str = ""
    terraform: str = ""
    kind: Kind = Kind("string")

    def __post_init__(self) -> None:
        force_setattr(self, "kind", kind_of(self.type))
        if self.required and (self.computed or self.has_default):
            raise DefinitionError("A property cannot be required and have a default or a computed value: drop one of them.")
        if self.write_only and (self.computed or self.has_default):
            raise DefinitionError("A write-only property is what a program says: it has no default and no computed value.")
        force_setattr(self, "secret", self.secret or self.write_only)
        if self.optional and not self.computed:
            raise DefinitionError("optional=True says that a *computed* property may also be set; a plain property always may.")
        _limited(self)
        if self.auto_name:
            _named(self)

    @property
    def is_input(self) -> bool:
        """Whether a program may set it."""
        return not self.computed or self.optional

    @property
    def has_default(self) -> bool:
        """Whether check fills it in."""
        return self.default is not UNSET or bool(self.auto_name)

    @property
    def is_made_up(self) -> bool:
        """Whether its default is random."""
        return bool(self.auto_name) or isinstance(self.default, Random)

    @property
    def name_template(self) -> str:
        """The template of its automatic names; empty for a property without."""
        return self.auto_name if isinstance(self.auto_name, str) else AUTO_NAME if self.auto_name else ""


LIMITS: Mapping[str, tuple[str, ...]] = {
    "minimum": ("integer", "number"),
    "maximum": ("integer", "number"),
    "min_length": ("string",),
    "max_length": ("string",),
    "pattern": ("string",),
    "min_items": ("array", "set", "map"),
    "max_items": ("array", "set", "map"),
}
"""Limits to the kinds that may have them."""

limits_of = attrgetter(*LIMITS)
UNLIMITED = tuple("" if limit == "pattern" else None for limit in LIMITS)
"""The limits of nearly every property of a large schema."""


def _limited(item: Property) -> None:
    """Raise ``DefinitionError`` for a limit that the property's kind cannot have, or that no value can meet."""
    if limits_of(item) == UNLIMITED:
        return
    for limit, kinds in LIMITS.items():
        if getattr(item, limit) not in (None, "") and item.kind.name not in kinds:
            raise DefinitionError(f"{limit} limits {' and '.join(kinds)} alone, and this is {item.kind}. Leave it out.")
    for low, high in (("minimum", "maximum"), ("min_length", "max_length"), ("min_items", "max_items")):
        least, most = getattr(item, low), getattr(item, high)
        if least is not None and most is not None and least > most:
            raise DefinitionError(f"{low}={least} is above {high}={most}, so no value at all would do. Exchange them?")
    try:
        re.compile(item.pattern)
    except re.error as error:
        raise DefinitionError(f"The pattern {item.pattern!r} is no regular expression: {error}.") from error


def _named(item: Property) -> None:
    """Raise ``DefinitionError`` for an ``auto_name`` that cannot work."""
    if item.kind.name != "string":
        raise DefinitionError(f"auto_name makes text, and this is {item.kind}. Use a string.")
    if item.required or item.computed or item.default is not UNSET:
        raise DefinitionError("A property with auto_name is optional by itself: drop required, default or computed.")
    try:
        parts = [
            (placeholder, spec) for _, placeholder, spec, _ in Formatter().parse(item.name_template) if placeholder is not None
        ]
    except ValueError as error:
        raise DefinitionError(f"{item.name_template!r} is not a template: {error}.") from error
    for placeholder, spec in parts:
        if placeholder not in ("name", "random") or (placeholder == "name" and spec) or (spec and not spec.isdecimal()):
            rule = "A name is made of {name} and of {random:7}, so many hex digits"
            raise DefinitionError(f"{item.name_template!r} asks for {placeholder!r}{f':{spec}' if spec else ''}. {rule}.")


def as_property(declared: Any) -> Property:
    """``declared`` itself if it is a ``Property``, else a plain optional input of that type."""
    return declared if isinstance(declared, Property) else Property(declared)


def declared_properties(owner: str, properties: Any, *, seeded: bool = False) -> dict[str, Property]:
    """The properties of ``owner`` as ``Property``. Raises ``DefinitionError``, naming the property."""
    if not isinstance(properties, Mapping):
        raise DefinitionError(
            f"{owner}: the properties are a {type(properties).__name__}, {properties!r}. "
            'Give a dict of names to Property or to a type: {"acl": str}.'
        )
    declared: dict[str, Property] = {}
    for name, item in properties.items():
        try:
            declared[name] = as_property(item)
            if declared[name].is_made_up and not seeded:
                raise DefinitionError("only resources are asked with a seed, so nothing is made up here. Give a plain default.")
        except DefinitionError as error:
            raise DefinitionError(f"{owner}: property {name!r}: {error}") from error
    return declared


@lru_cache(maxsize=1 << 14)  # a schema has the same few thousand names again and again
def snake_case(name: str) -> str:
    """``accountId`` to ``account_id``, ``HTTPPort`` to ``http_port``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).replace("-", "_").lower()


def secret_paths(properties: Mapping[str, Property], above: tuple[str, ...] = ("", "")) -> Iterator[str]:
    """The paths of the secret properties, as ``redaction.Names``: in Pulumi's spelling and in Terraform's."""
    for name, item in properties.items():
        places = tuple(f"{place}{word}" for place, word in zip(above, (name, item.terraform or snake_case(name)), strict=True))
        if item.secret:
            yield from places
        kind = item.kind
        while kind.items is not None:
            # The keys of a map are no names, so what is inside is known by the end of its path alone.
            places = ("", "") if kind.name == "map" else places
            kind = kind.items
        yield from secret_paths(kind.properties, tuple(f"{place}." if place else "" for place in places))


def camel_case(name: str) -> str:
    """``account_id`` to ``accountId``."""
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


TOKEN = re.compile(r"[a-zA-Z][-a-zA-Z0-9_]*:[a-zA-Z0-9._/-]*:[^0-9:/][a-zA-Z0-9._/]*")
"""The metaschema's token pattern, with a module that may be empty."""


def terraform_type_name(token: str) -> str:
    """The naming rule of ``schema``, for types."""
    package, module, member = token.split(":", 2)
    module = module.split("/")[0]
    parts = [package, *([module] if module not in ("", "index") else []), member]
    return "_".join(snake_case(part) for part in parts)
