"""One tree of what Terraform is told of a type: all that a schema says of each place in its objects, walked here alone.

It is compiled of properties (``declared``) or of a published schema (``published``). Whoever needs to know something of a
schema visits it: messages, properties, payloads, the rules of plans, secrets, the order of sets. So a nesting mode or a flag
is known to all of them or to none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.schema import camel_case
from mockprovider.terraform.values.types import DYNAMIC, Type
from mockprovider.values import Value

TYPE, NESTED, BLOCK = "type", "nested_type", "block"
"""How a schema spells what is inside of a place: in its type, as a nested attribute, as a nested block."""

NESTING: Mapping[str, int] = {"single": 1, "list": 2, "set": 3, "map": 4, "group": 5}
"""Nesting modes to their numbers in both enumerations; nested attributes have no groups."""

EMPTY: Mapping[str, Callable[[], Value]] = {"list": list, "set": list, "map": dict}
"""Nesting modes of which there may be many, and what is there when there is none."""

FLAGS = ("required", "optional", "computed", "sensitive", "write_only", "deprecated")
TEXTS = ("description", "description_kind", "deprecation_message")
LIMITS = frozenset({"min_items", "max_items"})
ATTRIBUTE_WORDS = frozenset({*FLAGS, *TEXTS})
BLOCK_WORDS = frozenset({"computed", "deprecated", *TEXTS})
"""Words of schemas for attributes and for blocks; each is a field of ``Place``."""


class Place(Struct, frozen=True, kw_only=True, dict=True):
    """One place in a type's objects: an attribute, a nested block, an element of either, or the whole object.

    Args:
        type: what values here travel as.
        form: how the schema spells what is inside.
        nesting: how that is nested, also inside of a type: ``single`` and ``group`` are objects with ``members``; ``list``,
            ``set`` and ``map`` have an ``element``; where nothing is known of the inside, as in a tuple, it is empty.
        members: attributes and blocks by their names in Terraform, in the order of those.
        property_name: the property that it stands for; empty for an ``id`` that is none, and for elements.
    """

    type: Type
    form: str = TYPE
    nesting: str = ""
    members: Mapping[str, Place] = MappingProxyType({})
    element: Place | None = None
    property_name: str = ""
    required: bool = False
    optional: bool = False
    computed: bool = False
    sensitive: bool = False
    write_only: bool = False
    deprecated: bool = False
    description: str = ""
    description_kind: str = "plain"
    deprecation_message: str = ""
    min_items: int = 0
    max_items: int = 0

    @cached_property
    def attributes(self) -> Mapping[str, str]:
        """The names of the members that stand for a property, by property."""
        return {member.property_name: name for name, member in self.members.items() if member.property_name}

    @cached_property
    def never_null(self) -> Mapping[str, Place]:
        """The blocks among the members that are empty where nobody wrote one; a single block is null then."""
        blocks = {name: member for name, member in self.members.items() if member.form == BLOCK}
        return {name: block for name, block in blocks.items() if block.nesting != "single"}

    @cached_property
    def hides(self) -> bool:
        """Whether something in it is only written."""
        return any(place.write_only for place in self.walk())

    @property
    def inside(self) -> Mapping[str, Place]:
        """The members of the object here, or of each object in the collection here."""
        return (self.element or self).members

    def walk(self) -> Iterator[Place]:
        """It and all places inside, at every depth."""
        yield self
        for place in (*self.members.values(), *([self.element] if self.element else ())):
            yield from place.walk()

    def secrets(self) -> Iterator[str]:
        """The names of the attributes, at every depth, whose values nobody is to see: sensitive and write-only ones."""
        for place in self.walk():
            yield from (name for name, member in place.members.items() if member.sensitive or member.write_only)

    def elements(self, value: Value, convert: Convert) -> Value:
        """``value`` with ``convert`` done to each element of a collection; any other value as it is.

        An unknown collection stays one, and what is none is refused where it is packed, with its path.
        """
        if self.element is None:
            return value
        if isinstance(value, Mapping):
            return {key: convert(item, self.element) for key, item in value.items()}
        return [convert(item, self.element) for item in value] if isinstance(value, (list, tuple)) else value


Convert: TypeAlias = Callable[[Any, Place], Value]


def object_of(members: Mapping[str, Place], **words: Any) -> Place:
    """An object with these members."""
    members = {name: members[name] for name in sorted(members)}
    declared = Type("object", attributes={name: member.type for name, member in members.items()})
    return Place(type=declared, nesting="single", members=members, **words)


def nested(nesting: str, inside: Place, form: str, **words: Any) -> Place:
    """A place where the object ``inside`` is nested: itself, or a collection of it."""
    if nesting not in EMPTY:
        return replace(inside, nesting=nesting, form=form, **words)
    # Blocks of any type may differ from each other, so they are a tuple or an object, which has another type each time.
    may_differ = form == BLOCK and nesting != "set" and inside.type.has("dynamic")
    declared = DYNAMIC if may_differ else Type(nesting, items=inside.type)
    return Place(type=declared, nesting=nesting, element=inside, form=form, **words)


def place_of(declared: Type, **words: Any) -> Place:
    """A place of which a type says all; what is inside of a tuple, or of a value of any type, is not known."""
    if declared.name == "object":
        names = property_names(declared.attributes)
        members = {name: place_of(kind, property_name=names[name]) for name, kind in declared.attributes.items()}
        return Place(type=declared, nesting="single", members=members, **words)
    if declared.name in EMPTY:
        return Place(type=declared, nesting=declared.name, element=place_of(declared.element), **words)
    return Place(type=declared, **words)


def property_names(attributes: Collection[str]) -> dict[str, str]:
    """The properties that attributes of one object stand for, by the rule; where two would be one, each keeps its own name."""
    names: dict[str, str] = {}
    taken = set(attributes)
    for attribute in attributes:
        name = _camel_case(attribute)
        names[attribute] = attribute if name != attribute and name in taken else name
        taken.add(name)
    return names


_camel_case = lru_cache(maxsize=8192)(camel_case)
