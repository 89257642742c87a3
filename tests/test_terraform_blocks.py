"""Nested blocks: which properties they are, and what absence is to them."""

from __future__ import annotations

from typing import Any

import pytest

from mockprovider.errors import DefinitionError
from mockprovider.schema import Function, Kind, Package, Property, ResourceType
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.schema.declared import compiled, form_of, nested_object
from mockprovider.terraform.schema.objects import inward, outward
from mockprovider.terraform.schema.provider import ProviderSchema
from mockprovider.terraform.schema.tree import BLOCK
from mockprovider.values import Unknown

RULE = Kind("object", properties={"port": Property(int, required=True), "hosts": Property(Kind("array", items=Kind("string")))})
OUTER = Kind("object", properties={"rules": Property(Kind("array", items=RULE)), "one": Property(RULE)})
PROPERTIES = {
    "one": Property(RULE),
    "some": Property(Kind("array", items=OUTER)),
    "few": Property(Kind("set", items=RULE), required=True),
    "named": Property(Kind("map", items=RULE)),
    "made": Property(Kind("array", items=RULE), computed=True),
    "words": Property(list[str]),
}


def schema() -> ProviderSchema:
    package = Package("cloud", config={"login": Property(RULE, required=True)})
    package.add(
        ResourceType("cloud:index:Thing", PROPERTIES), Function("cloud:index:getThing", {"by": Property(RULE)}, {"zone": "x"})
    )
    return ProviderSchema(package, 5)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (Property(RULE), True),
        (Property(Kind("array", items=RULE)), True),
        (Property(Kind("set", items=RULE), required=True), True),
        (Property(Kind("map", items=RULE)), True),
        (Property(RULE, computed=True), False),
        (Property(RULE, computed=True, optional=True), False),
        (Property(RULE, default={"port": 1}), False),
        (Property(RULE, secret=True), False),
        (Property({"anything": Property("any")}), False),
        (Property({"things": Property(Kind("array"))}), False),
        (Property(Kind("array", items=Kind("array", items=RULE))), False),
        (Property(dict[str, str]), False),
        (Property(str), False),
    ],
)
def test_blocks_are_objects_that_only_a_configuration_sets(item: Property, expected: bool) -> None:
    """What the provider may fill in, what is secret, and what holds values of any type is no block."""
    assert (form_of(item, 5) == BLOCK) is expected


def test_a_kind_names_the_object_that_blocks_hold() -> None:
    """An object and a collection of objects have one; other kinds have none."""
    assert nested_object(RULE) is nested_object(Kind("map", items=RULE)) is RULE
    assert nested_object(Kind("array")) is nested_object(Kind("string")) is None


def test_a_secret_is_found_at_every_depth() -> None:
    """An attribute of an object type is sensitive if anything inside of it is declared so."""
    inner = Kind("array", items=Kind("object", properties={"word": Property(str, secret=True)}))
    hiding = Kind("object", properties={"inner": Property(inner)})
    members = compiled({"hiding": Property(hiding, computed=True), "open": Property(OUTER, computed=True)}, 5).members
    assert members["hiding"].sensitive
    assert not members["open"].sensitive


def test_absent_blocks_are_empty_on_the_wire_and_absent_in_bags() -> None:
    """Repeatable blocks that a bag lacks become empty, at every depth, and back; attributes are left alone."""
    bag = {"some": [{"one": {"port": 1}}, {"rules": [{"port": 2}]}], "words": [], "made": []}
    tree = compiled(PROPERTIES, 5)
    full = outward(bag, tree, "cloud_thing")
    assert full == {
        "some": [{"one": {"port": 1}, "rules": []}, {"rules": [{"port": 2}]}],
        "few": [],
        "named": {},
        "words": [],
        "made": [],
    }
    assert inward(full, tree) == bag


def test_a_single_block_may_be_empty() -> None:
    """A single block without arguments is there, unlike none."""
    tree = compiled({"one": Property({"port": Property(int)})}, 5)
    assert inward(outward({"one": {}}, tree, "x"), tree) == {"one": {}}
    assert outward({}, tree, "x") == {}
    assert outward({"one": None}, tree, "x") == {"one": None}


def test_unknown_blocks_stay_unknown() -> None:
    """How many blocks there are, and what is in one, may be unknown at plan."""
    unknown = Unknown()
    bag = {"some": unknown, "named": {"k": unknown}, "few": [unknown]}
    tree = compiled(PROPERTIES, 5)
    assert inward(outward(bag, tree, "x"), tree) == bag


def test_the_schema_has_block_types() -> None:
    """Blocks have a nesting, the least and most that are allowed, and a block of their own; the rest are attributes."""
    message: Any = schema().message()
    block = message.resource_schemas["cloud_thing"].block
    assert {each.type_name: (each.nesting, each.min_items, each.max_items) for each in block.block_types} == {
        "one": (1, 0, 0),
        "some": (2, 0, 0),
        "few": (3, 1, 0),
        "named": (4, 0, 0),
    }
    assert sorted(each.name for each in block.attributes) == ["id", "made", "words"]
    some = next(each.block for each in block.block_types if each.type_name == "some")
    assert [each.type_name for each in some.block_types] == ["one", "rules"]
    (by,) = message.data_source_schemas["cloud_thing"].block.block_types
    assert [each.name for each in by.block.attributes] == ["hosts", "port"]
    (login,) = message.provider.block.block_types
    assert (login.type_name, login.nesting, login.min_items, login.max_items) == ("login", 1, 1, 1)


def test_a_block_and_an_attribute_must_differ_in_name() -> None:
    """A block and an attribute of one name are refused when the schema is asked for."""
    package = Package("cloud", config={"logIn": Property(RULE), "log_in": Property(str)})
    with pytest.raises(DefinitionError, match="would both be Terraform's 'log_in'"):
        ProviderSchema(package, 5).message()


def test_an_attribute_with_a_secret_inside_is_sensitive_as_a_whole() -> None:
    """Inside of an object type nothing can be hidden by itself, so the attribute is."""
    package = Package("cloud")
    package.add(ResourceType("cloud:index:Thing", {"made": Property({"word": Property(str, secret=True)}, computed=True)}))
    message: Any = ProviderSchema(package, 5).message()
    assert {each.name for each in message.resource_schemas["cloud_thing"].block.attributes if each.sensitive} == {"made"}


def test_objects_travel_with_their_blocks() -> None:
    """A bag comes back equal over the wire and from a state file; blocks that nobody wrote travel as empty collections."""
    thing = schema().resource("cloud_thing")
    bag = {"one": {"port": 1}, "words": ["a"]}
    data = thing.encode(bag, "x")
    assert thing.decode(protocol(5).message("DynamicValue")(msgpack=data)) == (bag, "x")
    assert b'"some":[]' in thing.encode_json(bag).replace(b" ", b"")
    assert thing.decode_json(thing.encode_json(bag, "x")) == (bag, "x")
