"""The one tree of Terraform's schema: it has a word for all that the protocol can say, and its visitors agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies_terraform import declarations, known, published_blocks

from mockprovider.schema import Kind, Property
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.recorded.sets import ordered
from mockprovider.terraform.recorded.trees import tree
from mockprovider.terraform.rules import kept, planned
from mockprovider.terraform.rules.places import written
from mockprovider.terraform.schema.declared import compiled, place_of_kind
from mockprovider.terraform.schema.objects import ObjectSchema, inward, outward
from mockprovider.terraform.schema.properties import properties_of
from mockprovider.terraform.schema.published import SCHEMAS, schema_data, tree_of
from mockprovider.terraform.schema.publishing import fill_schema
from mockprovider.terraform.schema.tree import (
    ATTRIBUTE_WORDS,
    BLOCK,
    BLOCK_WORDS,
    LIMITS,
    NESTED,
    NESTING,
    Place,
    nested,
    object_of,
)
from mockprovider.terraform.values import packing
from mockprovider.terraform.values.types import DYNAMIC, Type
from mockprovider.values import Unknown, Value

MAJORS = pytest.mark.parametrize("major", [5, 6])
UNSERVED = {"state_store_schemas", "action_schemas"}
"""Sections of the answer about what no row serves."""


def published(tree: Place, major: int) -> Any:
    """The Schema message that a tree makes."""
    message = protocol(major).message("Schema")()
    fill_schema(message, tree, "cloud_box", 3)
    return message


def fields(major: int, name: str) -> set[str]:
    """The fields of a message of the protocol."""
    return set(protocol(major).message(name).DESCRIPTOR.fields_by_name)


# What the protocol can say ---------------------------------------------------------------------------------------------


@MAJORS
def test_the_tree_knows_every_word_of_a_schema(major: int) -> None:
    """Each field of the protocol's schema messages is structure, or a word that stands on every place of the tree."""
    structure = {
        "Schema.Attribute": ({"name", "type", "nested_type"}, ATTRIBUTE_WORDS),
        "Schema.Block": ({"version", "attributes", "block_types"}, BLOCK_WORDS),
        "Schema.NestedBlock": ({"type_name", "block", "nesting"}, LIMITS),
        **({"Schema.Object": ({"attributes", "nesting"}, LIMITS)} if major == 6 else {}),
    }
    for name, (parts, words) in structure.items():
        assert fields(major, name) - parts <= words
        assert words <= set(Place.__struct_fields__)
        assert major == 5 or fields(6, name) == parts | words


@MAJORS
def test_the_tree_knows_every_nesting_mode(major: int) -> None:
    """Its nesting modes are those of both enumerations, by name and number; only blocks have groups."""

    def numbers(name: str) -> dict[str, int]:
        enumeration = protocol(major).message(name).DESCRIPTOR.fields_by_name["nesting"].enum_type
        return {value.name.lower(): value.number for value in enumeration.values if value.number}

    assert numbers("Schema.NestedBlock") == NESTING
    if major == 6:
        assert numbers("Schema.Object") == {mode: number for mode, number in NESTING.items() if mode != "group"}


@MAJORS
def test_the_schemas_of_every_section_are_read(major: int) -> None:
    """Sections of schemas by type's name, in the answer to GetProviderSchema, are read but for those of what is not served."""
    sections = {name for name in fields(major, "GetProviderSchema.Response") if name.endswith("_schemas")}
    assert sections - UNSERVED == set(SCHEMAS) & sections
    assert set(SCHEMAS) <= sections | {"list_resource_schemas"}


# What its visitors say --------------------------------------------------------------------------------------------------

BLOCKS = [pytest.param(major, published_blocks(major), id=str(major)) for major in (5, 6)]


@pytest.mark.parametrize(("major", "blocks"), BLOCKS)
@given(data=st.data())
def test_what_is_published_is_what_was_read(major: int, blocks: st.SearchStrategy[Any], data: st.DataObject) -> None:
    """A schema of any nesting comes back from its message and from the message's tree, to the last word, as an equal tree."""
    schema = {"version": 3, "block": data.draw(blocks)}
    message = published(tree_of(schema), major)
    assert schema_data(message) == schema
    assert schema_data(tree(message)) == schema
    assert tree_of(schema_data(message)) == tree_of(schema)


@pytest.mark.parametrize(("major", "blocks"), BLOCKS)
@given(data=st.data())
def test_payloads_go_by_the_same_places(major: int, blocks: st.SearchStrategy[Any], data: st.DataObject) -> None:
    """A value of the schema's type becomes a bag of its properties, and the bag a value of that type again, twice the same."""
    tree = tree_of({"block": data.draw(blocks)})
    coder = ObjectSchema("cloud_box", "cloud:index:Box", tree, published=True)
    bag: Any = inward(data.draw(known(tree.type)) or {}, tree)
    assert bag.keys() <= properties_of(tree).keys()
    sent = protocol(major).message("DynamicValue")(msgpack=coder.encode(bag))
    again, _ = coder.decode(sent)
    assert coder.encode(again) == sent.msgpack
    assert again == inward(outward(bag, tree, "cloud_box"), tree)


@pytest.mark.parametrize(("major", "blocks"), BLOCKS)
@given(data=st.data())
def test_secrets_are_found_wherever_they_are(major: int, blocks: st.SearchStrategy[Any], data: st.DataObject) -> None:
    """The secret paths are those of all that is sensitive or write-only in the schema's text, in whatever it is nested."""
    block = data.draw(blocks)
    assert sorted(tree_of({"block": block}).secrets()) == sorted(secrets_in(block))


def secrets_in(part: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """The same, read from the text of a block or of a nested attribute; what is inside of a secret is not named again."""
    for name, spec in part.get("attributes", {}).items():
        if spec.get("sensitive") or spec.get("write_only"):
            yield (name,)
        elif "nested_type" in spec:
            yield from ((name, *path) for path in nested_in(spec["nested_type"], spec["nested_type"]))
    for name, spec in part.get("block_types", {}).items():
        yield from ((name, *path) for path in nested_in(spec, spec.get("block", {})))


def nested_in(nesting: dict[str, Any], part: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """The secret paths inside of what is nested; only a map's elements have names."""
    key = ("*",) if nesting["nesting_mode"] == "map" else ()
    return ((*key, *path) for path in secrets_in(part))


@pytest.mark.parametrize(("major", "blocks"), BLOCKS)
@given(data=st.data())
def test_nothing_write_only_is_told(major: int, blocks: st.SearchStrategy[Any], data: st.DataObject) -> None:
    """What an object of any schema tells has no write-only value left, at any depth, and every other value still."""
    tree = tree_of({"block": data.draw(blocks)})
    coder = ObjectSchema("cloud_box", "cloud:index:Box", tree, published=True)
    bag: Any = inward(data.draw(known(tree.type)) or {}, tree)
    told = coder.told(bag)
    assert not list(written(outward(told, tree, "cloud_box"), tree))
    if not list(written(outward(bag, tree, "cloud_box"), tree)):
        assert told == bag


@pytest.mark.parametrize(("major", "blocks"), BLOCKS)
@given(data=st.data())
def test_rules_allow_what_the_schema_allows(major: int, blocks: st.SearchStrategy[Any], data: st.DataObject) -> None:
    """A plan may leave all that is computed and not configured unknown, at every depth, and an apply may fill it in."""
    tree = tree_of({"block": data.draw(blocks)})
    attributes = outward(inward(data.draw(known(tree.type)) or {}, tree), tree, "cloud_box")
    made = packing.unpack(packing.pack(attributes, tree.type), tree.type)
    config, plan = without_computed(made, tree), with_unknowns(made, tree)
    assert not list(planned.problems(tree, None, config, plan))
    assert not list(kept.broken(tree, plan, made))


def without_computed(value: Any, place: Place) -> Value:
    """``value`` as a configuration that leaves to the provider what it can."""
    return changed(value, place, lambda _: None)


def with_unknowns(value: Any, place: Place) -> Value:
    """``value`` as a plan in which nothing is known of that."""
    return changed(value, place, lambda _: Unknown())


def changed(value: Any, place: Place, computed: Any) -> Any:
    """``value`` with another one for each computed attribute, outside of types."""
    if not isinstance(value, dict) or place.element is not None:
        return place.elements(value, lambda item, element: changed(item, element, computed))
    found = dict(value)
    for name, member in place.members.items():
        if member.computed and member.form != BLOCK:
            found[name] = computed(member)
        elif member.form in (BLOCK, NESTED) and name in value:
            found[name] = changed(value[name], member, computed)
    return found


@pytest.mark.parametrize(("major", "blocks"), BLOCKS)
@given(data=st.data())
def test_sets_have_one_order(major: int, blocks: st.SearchStrategy[Any], data: st.DataObject) -> None:
    """A value whose sets, by its type, are sent the other way round is put in the same order by its schema."""
    tree = tree_of({"block": data.draw(blocks)})
    value = packing.unpack_any(packing.pack(data.draw(known(tree.type)), tree.type))
    assert ordered(turned(value, tree.type), tree) == ordered(value, tree)


def turned(value: Any, declared: Type) -> Any:
    """``value`` with its sets the other way round."""
    if isinstance(value, dict):
        return {key: turned(item, declared.attributes.get(key, declared.element)) for key, item in value.items()}
    if not isinstance(value, list) or declared.name == "tuple":
        return value
    items = [turned(item, declared.element) for item in value]
    return items[::-1] if declared.name == "set" else items


@MAJORS
@given(data=st.data())
def test_what_is_declared_reads_as_it_is_published(major: int, data: st.DataObject) -> None:
    """A type that is declared and the same type read from its own schema have one type on the wire, and carry bags alike."""
    own = compiled(data.draw(declarations), major)
    read = tree_of(schema_data(published(own, major)))
    assert read.type == own.type
    assert {place.property_name for place in read.members.values()} == set(own.attributes)
    if not own.type.has("dynamic"):
        value = data.draw(known(own.type)) or {}
        bag = inward(value, own)
        assert inward(value, read) == bag
        assert outward(bag, read, "cloud_box") == outward(bag, own, "cloud_box")


# Single places ----------------------------------------------------------------------------------------------------------

ANY = object_of({"value": Place(type=DYNAMIC)})


@pytest.mark.parametrize(
    ("nesting", "form", "expected"),
    [
        ("list", BLOCK, DYNAMIC),
        ("map", BLOCK, DYNAMIC),
        ("set", BLOCK, Type("set", items=ANY.type)),
        ("list", NESTED, Type("list", items=ANY.type)),
        ("group", BLOCK, ANY.type),
    ],
)
def test_blocks_that_may_differ_have_no_type_of_their_own(nesting: str, form: str, expected: Type) -> None:
    """Lists and maps of blocks with anything in them are of another type each time; no other nesting is."""
    assert nested(nesting, ANY, form).type == expected


def test_lists_of_lists_with_anything_inside_are_of_any_type() -> None:
    """A list of objects may hold values of any type; a list of such lists has no one element type any more."""
    objects = Kind("array", items=Kind("object", properties={"value": Property("any")}))
    assert place_of_kind(objects).type == Type("list", items=ANY.type)
    assert place_of_kind(Kind("array", items=objects)).type == DYNAMIC


def test_a_group_is_there_with_the_blocks_in_it() -> None:
    """A group that nobody wrote is an object, with an empty collection for each block that may be repeated in it."""
    group = nested("group", object_of({"rule": nested("list", ANY, BLOCK)}), BLOCK)
    assert outward({}, object_of({"always": group}), "cloud_box") == {"always": {"rule": []}}


def test_what_may_be_configured_inside_of_what_is_computed() -> None:
    """In a nested attribute that may be configured, too, the attributes say themselves who sets them."""
    inside = {"name": Property(str, required=True)}
    tree = compiled({"own": Property(inside, computed=True, optional=True), "made": Property(inside, computed=True)}, 6)
    assert tree.members["own"].inside["name"].required
    assert tree.members["made"].inside["name"].computed


def test_flags_that_a_property_cannot_have() -> None:
    """A map of blocks is not required, since nothing says which key; what is computed is no property that is only written."""
    attribute = {"type": "string", "computed": True, "write_only": True}
    block = {"nesting_mode": "map", "min_items": 1, "block": {}}
    properties = properties_of(tree_of({"block": {"attributes": {"pin": attribute}, "block_types": {"zone": block}}}))
    assert (properties["zone"].required, properties["pin"].write_only, properties["pin"].computed) == (False, False, True)
