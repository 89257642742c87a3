"""Published schemas as properties: names, kinds and flags. Schemas that engines would reject are refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from mockprovider.document import Node, describe
from mockprovider.errors import DefinitionError, MalformedError
from mockprovider.fake.computing import generated
from mockprovider.fake.inventing import Inventor
from mockprovider.hints import did_you_mean
from mockprovider.ondemand import OnDemand
from mockprovider.schema import Kind, Property, camel_case, snake_case
from mockprovider.terraform.schema.declared import COLLECTIONS
from mockprovider.terraform.schema.published import TEXT_KINDS, tree_of, type_in
from mockprovider.terraform.schema.tree import BLOCK, FLAGS, LIMITS, NESTING, TYPE, Place, place_of
from mockprovider.terraform.values.types import PRIMITIVES, Type
from mockprovider.values import Value

KINDS: Mapping[str, str] = {nesting: kind for kind, nesting in COLLECTIONS.items()}
SIMPLE: Mapping[str, str] = {"string": "string", "number": "number", "bool": "boolean"}


# Checks -----------------------------------------------------------------------------------------------------------------


def check_block(node: Node) -> None:
    """Raise ``DefinitionError``, with the place, for a block that engines would reject."""
    attributes, blocks = section(node, "attributes"), section(node, "block_types")
    for attribute in attributes.values():
        _check_attribute(attribute)
    for name, block in blocks.items():
        if name in attributes:
            raise block.error(f"an attribute is called {name!r}, too. One name is one thing.")
        inside = block.members(needed=("nesting_mode",))
        _word(inside, "nesting_mode", NESTING)
        _check_limits(inside)
        if "block" in inside:
            check_block(inside["block"])


def section(node: Node, key: str) -> Mapping[str, Node]:
    """The members under ``key``. The command leaves an empty section out, or prints null."""
    members = node.members()
    if key in members and isinstance(members[key].value, OnDemand):
        place = members[key]
        parts: OnDemand[Node] = place.value.through(lambda name, part: Node(part, place.origin, (*place.path, name)), None)
        return parts
    return members[key].members() if key in members and members[key].value is not None else {}


def read_type(node: Node) -> Type:
    """The type in JSON. Raises ``DefinitionError`` for an invalid one."""
    try:
        return type_in(node.value)
    except MalformedError as error:
        raise node.error(str(error)) from error


def _check_attribute(node: Node) -> None:
    spec = node.value
    if not isinstance(spec, dict):
        raise node.wrong("an object in braces")
    for flag in FLAGS:
        if spec.get(flag, False) not in (True, False):
            node.members()[flag].flag()
    if not isinstance(spec.get("description", ""), str):
        node.members()["description"].text()
    if spec.get("description_kind", "plain") not in TEXT_KINDS:
        _word(node.members(), "description_kind", TEXT_KINDS)
    if spec.get("required") and (spec.get("optional") or spec.get("computed")):
        raise node.error("this attribute is required, and also optional or computed. No engine takes that: drop one of them.")
    if not (spec.get("required") or spec.get("optional") or spec.get("computed")):
        raise node.error("this attribute is neither required, optional nor computed. No engine takes that: say which it is.")
    if (spec.get("type") is None) == (spec.get("nested_type") is None):
        raise node.error(f'{describe(node.value)} needs exactly one of "type" and "nested_type".')
    if spec.get("nested_type") is not None:
        _check_nested(node.members()["nested_type"])
    elif not isinstance(spec["type"], str) or spec["type"] not in PRIMITIVES:
        read_type(node.members()["type"])


def _check_nested(node: Node) -> None:
    inside = node.members(needed=("nesting_mode",))
    _word(inside, "nesting_mode", [mode for mode in NESTING if mode != "group"])
    for attribute in section(node, "attributes").values():
        _check_attribute(attribute)


def _check_limits(members: Mapping[str, Node]) -> None:
    for word in sorted(LIMITS):
        if word in members:
            members[word].whole()


def _word(members: Mapping[str, Node], key: str, known: Any) -> None:
    word = members[key].text()
    if word not in known:
        raise members[key].error(f"{word!r} is none of the words here. {did_you_mean(word, known, 'They are')}")


# Trees as properties ----------------------------------------------------------------------------------------------------


def read_block(node: Node) -> dict[str, Property]:
    """The properties of a block by name. Raises ``DefinitionError`` for a block that engines would reject."""
    check_block(node)
    return properties_of(tree_of({"block": node.value}))


def properties_of(place: Place) -> dict[str, Property]:
    """The properties of an object; ``terraform`` has the attribute's name where the rule does not give it."""
    return {member.property_name: _property(attribute, member) for attribute, member in place.members.items()}


def _property(attribute: str, place: Place) -> Property:
    kind, computed = kind_of_place(place), _computed(attribute, place)
    irregular = "" if snake_case(place.property_name) == attribute else attribute
    if place.form == BLOCK:
        return Property(kind, required=place.min_items > 0 and place.nesting != "map", terraform=irregular)
    if kind.name == "number" and computed and not place.optional:
        # Numbers that providers compute are mostly whole: ports, sizes, days.
        kind = Kind("integer")
    return Property(
        kind,
        required=place.required,
        computed=computed,
        optional=bool(computed) and place.optional,
        secret=place.sensitive,
        write_only=place.write_only and not computed,
        description=place.description,
        terraform=irregular,
    )


def kind_of_place(place: Place) -> Kind:
    """The most specific kind for a place; dynamic values and tuples are ``any``."""
    if place.element is not None:
        return Kind(KINDS[place.nesting], items=kind_of_place(place.element))
    return Kind("object", properties=properties_of(place)) if place.nesting else Kind(SIMPLE.get(place.type.name, "any"))


def _computed(name: str, place: Place) -> Any:
    # A tuple's kind, any, is not enough to generate a value.
    if place.computed and place.form == TYPE and place.type.has("tuple"):
        return lambda known: _invented(place.type, name, known["id"])
    return place.computed


def _invented(declared: Type, name: str, of: str) -> Value:
    """A generated value of a type that contains tuples."""
    if declared.name == "tuple":
        return [_invented(element, f"{name}.{index}", of) for index, element in enumerate(declared.elements)]
    if declared.name == "object":
        members = {camel_case(attribute): kind for attribute, kind in declared.attributes.items()}
        return {own: _invented(kind, f"{name}.{own}", of) for own, kind in members.items()}
    return generated(kind_of_place(place_of(declared)), name, of)


def returned_value(name: str, item: Property, of: str) -> Value:
    """The generated value of an ephemeral resource's property; it depends on the names alone. ``of`` is its token."""
    return item.computed({"id": of}) if callable(item.computed) else Inventor(of, of).value(item, name)


def own_id(properties: Mapping[str, Property]) -> bool:
    """Whether ``id`` is an attribute like others, and not the text by which the provider identifies the object."""
    item = properties.get("id")
    return item is not None and not (item.computed and item.kind == Kind("string"))


def replaced(properties: Mapping[str, Property], names: Any, owner: str) -> dict[str, Property]:
    """``properties`` with ``forces_new`` on those in ``names`` (attributes or properties). Raises ``DefinitionError``."""
    changed = dict(properties)
    by_attribute = {item.terraform or snake_case(name): name for name, item in properties.items()}
    for wanted in (names,) if isinstance(names, str) else tuple(names):
        name = by_attribute.get(wanted, wanted)
        if name not in changed:
            raise DefinitionError(
                f"forces_new: {owner} has no attribute {wanted!r}. {did_you_mean(wanted, by_attribute, 'It has')}"
            )
        changed[name] = replace(changed[name], forces_new=True)
    return changed
