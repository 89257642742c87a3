"""Compiles properties to a schema tree: attributes, nested attributes or nested blocks, with their types and flags.

Major 5 has nested blocks where major 6 has nested attributes. A block can be neither computed nor sensitive, so such
properties are attributes of an object type there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from mockprovider.durations import TIMEOUTS
from mockprovider.errors import DefinitionError
from mockprovider.schema import Kind, Property, snake_case
from mockprovider.terraform.schema.tree import BLOCK, EMPTY, NESTED, TYPE, Place, nested, object_of
from mockprovider.terraform.values.types import BOOL, DYNAMIC, NUMBER, STRING, Type

SIMPLE: Mapping[str, Type] = {
    "string": STRING,
    "asset": STRING,
    "archive": STRING,
    "integer": NUMBER,
    "number": NUMBER,
    "boolean": BOOL,
    "any": DYNAMIC,
}
"""Kinds to types. Terraform has no assets: there they are paths."""

COLLECTIONS: Mapping[str, str] = {"array": "list", "set": "set", "map": "map"}
"""Kinds to nesting modes, and to types."""

Properties = Mapping[str, Property]


def attribute_names(properties: Properties) -> dict[str, str]:
    """Attribute names to property names. Raises ``DefinitionError`` where two properties would be one attribute."""
    names: dict[str, str] = {}
    for name, item in properties.items():
        attribute = item.terraform or snake_case(name)
        if attribute in names:
            raise DefinitionError(
                f"Properties {names[attribute]!r} and {name!r} would both be Terraform's {attribute!r}. "
                "Give one of them terraform='another_name'."
            )
        names[attribute] = name
    return names


def compiled(properties: Properties, major: int = 0, *, computed: bool = False) -> Place:
    """The object with these properties, for a protocol major; 0 is the inside of a type, where attributes have no flags.

    ``computed`` marks every attribute as computed, as inside a computed one. Raises ``DefinitionError`` for what Terraform
    cannot express.
    """
    return object_of({
        attribute: _member(attribute, name, properties[name], major, computed)
        for attribute, name in attribute_names(properties).items()
    })  # fmt: skip


def standing_for(tree: Place, properties: Properties) -> Place:
    """``tree`` with its members mapped to ``properties`` by attribute name; members without a property map to none."""
    names = attribute_names(properties)
    members = {name: replace(member, property_name=names.get(name, "")) for name, member in tree.members.items()}
    return replace(tree, members=members)


def place_of_kind(kind: Kind, major: int = 0, *, computed: bool = False) -> Place:
    """The place of a value of ``kind``. A collection of ``any`` is ``dynamic``: Terraform's own have one element type each."""
    if kind.name == "object":
        return compiled(kind.properties, major, computed=computed)
    if kind.name not in COLLECTIONS:
        return Place(type=SIMPLE[kind.name])
    nesting = COLLECTIONS[kind.name]
    element = place_of_kind(kind.items or Kind("any"), major, computed=computed)
    may_differ = element.type == DYNAMIC or (element.type.has("dynamic") and (nesting == "set" or element.nesting != "single"))
    return Place(type=DYNAMIC if may_differ else Type(nesting, items=element.type), nesting=nesting, element=element)


def nested_object(kind: Kind) -> Kind | None:
    """The object that a kind is, or is a collection of; ``None`` for other kinds."""
    inside = kind.items if kind.name in COLLECTIONS else kind
    return inside if inside is not None and inside.name == "object" else None


def form_of(item: Property, major: int) -> str:
    """How a major's schema describes the inside of a property."""
    if nested_object(item.kind) is None:
        return TYPE
    # The type would differ between elements and between plans.
    differs = any(kind.name == "any" or (kind.name in COLLECTIONS and kind.items is None) for kind in kinds(item.kind))
    if major == 6:
        return TYPE if differs and item.kind.name == "set" else NESTED
    filled_in = bool(item.computed) or item.has_default
    return TYPE if filled_in or item.secret or differs else BLOCK


def kinds(kind: Kind) -> Iterator[Kind]:
    """A kind and all kinds inside, at every depth."""
    yield kind
    for inside in (*([kind.items] if kind.items else ()), *(item.kind for item in kind.properties.values())):
        yield from kinds(inside)


def timeouts_block(ops: Iterable[str]) -> Place:
    """The block ``timeouts``, with which a configuration says how long ``ops`` may take: as the SDK publishes it."""
    inside = object_of({op: Place(type=STRING, optional=True, property_name=op) for op in ops})
    return nested("single", inside, BLOCK, property_name=TIMEOUTS)


def _member(attribute: str, name: str, item: Property, major: int, computed: bool) -> Place:
    if not major:
        return replace(place_of_kind(item.kind), property_name=name)
    form = form_of(item, major)
    _check_written(item.kind, attribute, form, major)
    if form == BLOCK:
        least = int(item.required and item.kind.name != "map")
        place = place_of_kind(item.kind, major)
        # A single block has two equal limits; 0 means no limit.
        most = least if place.nesting not in EMPTY else 0
        return replace(place, form=form, property_name=name, description=item.description, min_items=least, max_items=most)
    flags = {"computed": True} if computed else _setters(item)
    only_computed = bool(flags.get("computed")) and not flags.get("optional")
    inside = place_of_kind(item.kind, major, computed=only_computed) if form == NESTED else place_of_kind(item.kind)
    # A part of a type cannot be sensitive by itself.
    hidden = form == TYPE and any(part.secret for kind in kinds(item.kind) for part in kind.properties.values())
    return replace(
        inside,
        form=form,
        property_name=name,
        sensitive=item.secret or hidden,
        write_only=item.write_only,
        description=item.description,
        **flags,
    )


def _setters(item: Property) -> dict[str, bool]:
    """The flags that say who sets an attribute. The provider fills in defaults, so an attribute with one is computed."""
    if item.required:
        return {"required": True}
    return {"optional": item.is_input, "computed": bool(item.computed) or item.has_default}


def _check_written(kind: Kind, attribute: str, form: str, major: int) -> None:
    """Raise ``DefinitionError`` for write-only properties where Terraform allows none."""
    why = "it is a set" if form != TYPE and kind.name == "set" else ""
    if form == TYPE:
        why = f"protocol {major} has no nested attribute for it"
    if why and any(part.write_only for inside in kinds(kind) for part in inside.properties.values()):
        raise DefinitionError(f"Terraform cannot have write-only properties in {attribute!r}: {why}. Declare them beside it.")
