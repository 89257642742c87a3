"""The schema tree of a type: a ``Place`` for each attribute, block and element, with all that a schema says of it.

It is compiled from properties (``declared``) or from a published schema (``published``). Every use of a schema visits it:
messages, properties, payloads, the rules of plans, secrets, the order of sets. So they all know the same nesting modes and
flags.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property, lru_cache, partial
from types import MappingProxyType
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.redaction import ANY, Steps
from mockprovider.schema import camel_case
from mockprovider.terraform.values import packing
from mockprovider.terraform.values.types import DYNAMIC, Type
from mockprovider.values import Value

TYPE, NESTED, BLOCK = "type", "nested_type", "block"
"""How a schema describes the inside of a place: by its type, as a nested attribute, or as a nested block."""

NESTING: Mapping[str, int] = {"single": 1, "list": 2, "set": 3, "map": 4, "group": 5}
"""Nesting modes to their numbers in both enumerations; nested attributes have no groups."""

EMPTY: Mapping[str, Callable[[], Value]] = {"list": list, "set": list, "map": dict}
"""Nesting modes of collections, with their empty values."""

KEPT = 256
"""So many objects of a place are kept after they were read."""

FLAGS = ("required", "optional", "computed", "sensitive", "write_only", "deprecated")
TEXTS = ("description", "description_kind", "deprecation_message")
LIMITS = frozenset({"min_items", "max_items"})
ATTRIBUTE_WORDS = frozenset({*FLAGS, *TEXTS})
BLOCK_WORDS = frozenset({"computed", "deprecated", *TEXTS})
"""Words of schemas for attributes and for blocks; each is a field of ``Place``."""


class Place(Struct, frozen=True, kw_only=True, dict=True):
    """One place in a type's objects: an attribute, a nested block, an element of either, or the whole object.

    Args:
        type: the type of values on the wire.
        form: ``TYPE``, ``NESTED`` or ``BLOCK``.
        nesting: the nesting mode, also inside of a type: ``single`` and ``group`` are objects with ``members``; ``list``,
            ``set`` and ``map`` have an ``element``; it is empty for scalars, tuples and dynamic values.
        members: attributes and blocks by their names in Terraform, in the order of those.
        property_name: the property that it maps to; empty for an ``id`` that is no property, and for elements.
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
        """Property names to the names of their members."""
        return {member.property_name: name for name, member in self.members.items() if member.property_name}

    @cached_property
    def never_null(self) -> Mapping[str, Place]:
        """The member blocks that are empty when the configuration has none; a single block is null then."""
        blocks = {name: member for name, member in self.members.items() if member.form == BLOCK}
        return {name: block for name, block in blocks.items() if block.nesting != "single"}

    @cached_property
    def unpacked(self) -> Callable[[bytes], Value]:
        """Reads an object of this place in a message; the latest ones are kept, because one object travels in many messages.

        What it returns is shared, and not to be changed. It raises as ``packing.unpack`` does.
        """
        return lru_cache(maxsize=KEPT)(partial(packing.unpack, declared=self.type))

    @cached_property
    def hides(self) -> bool:
        """Whether something in it is write-only."""
        return any(place.write_only for place in self.walk())

    @property
    def inside(self) -> Mapping[str, Place]:
        """The members of the object here, or of each object in the collection here."""
        return (self.element or self).members

    def walk(self) -> Iterator[Place]:
        """This place and all places inside, at every depth."""
        yield self
        for place in (*self.members.values(), *([self.element] if self.element else ())):
            yield from place.walk()

    def secrets(self) -> Iterator[Steps]:
        """The paths of sensitive and write-only attributes, at every depth; elements of lists and sets are no step."""
        yield from self.paths(lambda place: place.sensitive or place.write_only)

    def paths(self, chosen: Callable[[Place], bool]) -> Iterator[Steps]:
        """The paths of the chosen attributes, blocks and elements; nothing inside of these."""
        inside: list[tuple[Steps, Place]] = [((name,), member) for name, member in self.members.items()]
        if self.element is not None:
            inside.append(((ANY,) if self.nesting == "map" else (), self.element))
        for step, place in inside:
            yield from [step] if chosen(place) else ((*step, *path) for path in place.paths(chosen))

    def elements(self, value: Value, convert: Convert) -> Value:
        """``value`` with ``convert`` applied to each element, if this place is a collection.

        An unknown collection stays as it is. So does a value that is no collection: packing refuses it, with its path.
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
    """The place of the nested object ``inside``, or of a collection of it."""
    if nesting not in EMPTY:
        return replace(inside, nesting=nesting, form=form, **words)
    # Blocks with dynamic attributes may differ in type, so they travel as a tuple or an object.
    may_differ = form == BLOCK and nesting != "set" and inside.type.has("dynamic")
    declared = DYNAMIC if may_differ else Type(nesting, items=inside.type)
    return Place(type=declared, nesting=nesting, element=inside, form=form, **words)


def place_of(declared: Type, **words: Any) -> Place:
    """The place that a type describes; the inside of a tuple, or of a dynamic value, is not known."""
    if declared.name == "object":
        names = property_names(declared.attributes)
        members = {name: place_of(kind, property_name=names[name]) for name, kind in declared.attributes.items()}
        return Place(type=declared, nesting="single", members=members, **words)
    if declared.name in EMPTY:
        return Place(type=declared, nesting=declared.name, element=place_of(declared.element), **words)
    return Place(type=declared, **words)


def property_names(attributes: Collection[str]) -> dict[str, str]:
    """Attribute names of one object to property names, by the rule; an attribute keeps its name if the rule's is taken."""
    names: dict[str, str] = {}
    taken = set(attributes)
    for attribute in attributes:
        name = _camel_case(attribute)
        names[attribute] = attribute if name != attribute and name in taken else name
        taken.add(name)
    return names


_camel_case = lru_cache(maxsize=8192)(camel_case)
