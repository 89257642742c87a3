"""Objects on the wire: property names and attributes, nulls and absence, the id, paths."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest

from mockprovider.errors import DefinitionError, MalformedError
from mockprovider.schema import Kind, Property, ResourceType
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.schema.declared import attribute_names, compiled, form_of, place_of_kind, standing_for
from mockprovider.terraform.schema.objects import IMPLICIT_ID, Generic, ObjectSchema, inward, outward
from mockprovider.terraform.schema.published import tree_of
from mockprovider.terraform.schema.tree import NESTED
from mockprovider.terraform.values.types import DYNAMIC, NUMBER, STRING, Type
from mockprovider.values import Secret, Unknown

RULE = {"fromPort": Property(int), "cidrBlocks": Property(list[str], terraform="cidrs")}
PROPERTIES = ResourceType(
    "cloud:index:Bucket",
    {
        "displayName": str,
        "rules": Property(Kind("array", items=Kind("object", properties=RULE))),
        "byName": Property(Kind("map", items=Kind("object", properties=RULE))),
        "labels": dict[str, str],
        "names": set[str],
        "main": Property(RULE),
        "anything": "any",
    },
).properties
BUCKET = ObjectSchema(
    "cloud_bucket", "cloud:index:Bucket", standing_for(compiled({**PROPERTIES, "id": IMPLICIT_ID}, 6), PROPERTIES)
)
BAG = {
    "displayName": "x",
    "rules": [{"fromPort": 1}, {"cidrBlocks": ["a"]}],
    "byName": {"camelCase": {"fromPort": 2}},
    "labels": {"camelCase": "kept"},
    "names": ["a", "b"],
    "main": {"fromPort": Unknown("number")},
    "anything": {"camelCase": None},
}


def dynamic(data: bytes = b"", json: bytes = b"") -> Any:
    return protocol(6).message("DynamicValue")(msgpack=data, json=json)


def test_bags_come_back_with_their_id() -> None:
    """A bag is the same after encoding and decoding, whatever is nested in it, and the id travels beside it."""
    assert BUCKET.decode(dynamic(BUCKET.encode(BAG, "id-1"))) == (BAG, "id-1")


def test_attributes_have_terraforms_names() -> None:
    """Property names become attribute names at every declared depth; the keys of maps are nobody's to change."""
    sent = msgpack.unpackb(BUCKET.encode(BAG, "id-1"), ext_hook=lambda code, data: "unknown")
    assert sent["display_name"] == "x"
    assert sent["rules"] == [{"cidrs": None, "from_port": 1}, {"cidrs": ["a"], "from_port": None}]
    assert sent["by_name"] == {"camelCase": {"cidrs": None, "from_port": 2}}
    assert sent["labels"] == {"camelCase": "kept"}
    assert sent["main"] == {"cidrs": None, "from_port": "unknown"}
    assert sent["id"] == "id-1"


def test_nulls_are_absent() -> None:
    """An attribute that is null is not in the bag, an object that is null is no bag."""
    assert BUCKET.decode(dynamic(BUCKET.encode({}))) == ({}, "")
    assert BUCKET.decode(dynamic(BUCKET.encode(None))) == (None, "")
    assert BUCKET.decode(dynamic()) == (None, "")


def test_json_is_read_where_there_is_no_msgpack() -> None:
    """A DynamicValue may carry JSON instead; the form in which states are kept decodes alike."""
    known = {**BAG, "main": {"fromPort": 3}}
    text = BUCKET.encode_json(known, "id-1")
    assert BUCKET.decode(dynamic(json=text)) == BUCKET.decode_json(text) == (known, "id-1")


def test_secrets_travel_as_their_values() -> None:
    """A wrapped value is on the wire what it wraps."""
    assert BUCKET.decode(dynamic(BUCKET.encode({"displayName": Secret("x")}))) == ({"displayName": "x"}, "")


def test_a_declared_id_is_a_property_like_others() -> None:
    """A type that declares an id keeps it in its bags; it is the call's id as well."""
    schema = ObjectSchema("cloud_user", "cloud:index:User", compiled({"id": Property(str)}, 6))
    assert schema.decode(dynamic(schema.encode({"id": "me"}, "other"))) == ({"id": "me"}, "me")


def test_undeclared_properties_are_refused_with_the_nearest() -> None:
    """A property that Terraform was not told of cannot be sent to it."""
    with pytest.raises(MalformedError, match=r"cloud_bucket: .* 'displayname': .* Did you mean 'displayName'"):
        BUCKET.encode({"displayname": "x"})
    with pytest.raises(MalformedError, match=r"rules\[0\].from_port: expected number, got str"):
        BUCKET.encode({"rules": [{"fromPort": "x"}]})


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        (("displayName",), [("attribute_name", "display_name")]),
        (
            ("rules", 1, "cidrBlocks", 0),
            [("attribute_name", "rules"), ("element_key_int", 1), ("attribute_name", "cidrs"), ("element_key_int", 0)],
        ),
        (
            ("byName", "camelCase", "fromPort"),
            [("attribute_name", "by_name"), ("element_key_string", "camelCase"), ("attribute_name", "from_port")],
        ),
        (("names", 0), [("attribute_name", "names")]),
        (("anything", "x"), [("attribute_name", "anything")]),
        (("nothing", "x"), []),
    ],
)
def test_paths_lead_where_terraform_can_point(path: Any, steps: Any) -> None:
    """A property path becomes attribute steps, up to where Terraform has no way to point further, and leads back."""
    found = BUCKET.steps(path)
    assert found == steps
    assert BUCKET.path(tuple(value for _, value in found)) == path[: len(found)]


def test_collections_of_anything_are_dynamic() -> None:
    """Terraform's collections have one element type, so that those of any elements have to be of any type themselves."""
    any_items = Kind("any")
    assert place_of_kind(Kind("array", items=any_items)).type == DYNAMIC
    assert place_of_kind(Kind("map", items=Kind("array", items=any_items))).type == DYNAMIC
    assert place_of_kind(Kind("set", items=Kind("object", properties={"x": Property("any")}))).type == DYNAMIC
    assert place_of_kind(Kind("array", items=Kind("object", properties={"x": Property("any")}))).type == Type(
        "list", items=Type("object", attributes={"x": DYNAMIC})
    )
    assert place_of_kind(Kind("map", items=Kind("integer"))).type == Type("map", items=NUMBER)
    assert place_of_kind(Kind("asset")).type == STRING


def test_what_is_dynamic_is_no_nested_attribute() -> None:
    """No kind, three levels deep, is both of any type and a nested attribute, which would have one."""
    kinds = [Kind("any"), Kind("string")]
    for _ in range(2):
        inside = [Kind(name, items=each) for name in ("array", "map", "set") for each in (*kinds, None)]
        kinds += [*inside, *(Kind("object", properties={"x": Property(each)}) for each in kinds)]
    assert len(kinds) > 40
    for each in kinds:
        assert not (place_of_kind(each).type == DYNAMIC and form_of(Property(each), 6) == NESTED), each


def test_two_properties_cannot_be_one_attribute() -> None:
    """Names that Terraform would see as one are refused, and the way out is named."""
    with pytest.raises(DefinitionError, match=r"'fromPort' and 'from_port' .* terraform='another_name'"):
        attribute_names({"fromPort": Property(str), "from_port": Property(str)})


def test_values_of_any_type_go_back_with_the_type_that_they_came_with() -> None:
    """An equal value at the same place is a list again where a list came, in msgpack as in a state's JSON."""
    sent = dict.fromkeys(BUCKET.type.attributes) | {"anything": [b'["set","string"]', ["b", "a"]]}
    request: Any = protocol(6).message("ReadResource.Request")()
    request.current_state.msgpack = msgpack.packb(sent)
    assert msgpack.unpackb(BUCKET.encode({"anything": ["b", "a"]}, like=request))["anything"] == sent["anything"]
    changed = msgpack.unpackb(BUCKET.encode({"anything": ["b"]}, like=request))["anything"]
    assert changed == [b'["tuple",["string"]]', ["b"]]
    upgrade: Any = protocol(6).message("UpgradeResourceState.Request")()
    upgrade.raw_state.json = b'{"anything": {"value": ["b", "a"], "type": ["set", "string"]}}'
    assert msgpack.unpackb(BUCKET.encode({"anything": ["b", "a"]}, like=upgrade))["anything"] == sent["anything"]


def test_nested_values_of_any_type_keep_their_types_too() -> None:
    """The type of a dynamic value is found again inside lists, maps and objects."""
    inner = Kind("object", properties={"x": Property("any")})
    properties = {"list": Property(Kind("array", items=inner)), "map": Property(Kind("map", items=inner))}
    schema = ObjectSchema("cloud_box", "cloud:index:Box", compiled(properties, 6))
    value = [b'["list","number"]', [1]]
    request: Any = protocol(6).message("ReadResource.Request")()
    request.current_state.msgpack = msgpack.packb({"list": [None, {"x": value}], "map": {"k": {"x": value}}})
    bag, _ = schema.decode(request.current_state)
    assert bag == {"list": [None, {"x": [1]}], "map": {"k": {"x": [1]}}}
    assert schema.encode(bag, like=request) == request.current_state.msgpack


def test_without_a_schema_everything_stays_as_it_is() -> None:
    """A proxy sees Terraform's own names with their nulls, and repeats the bytes."""
    data = msgpack.packb({"any_thing": [b'"string"', "x"], "id": "id-1", "none": None})
    bag, id_ = Generic("cloud_bucket").decode(dynamic(data))
    assert (bag, id_) == ({"any_thing": [b'"string"', "x"], "id": "id-1", "none": None}, "id-1")
    assert Generic.encode(bag) == data
    assert Generic.decode_json(b'{"id": "x"}') == ({"id": "x"}, "x")
    assert Generic.decode(dynamic(b"\xc0")) == (None, "")
    assert Generic.steps(("a", 0)) == [("attribute_name", "a"), ("element_key_int", 0)]
    with pytest.raises(MalformedError, match="not JSON"):
        Generic.decode_json(b"{")
    assert Generic.decode(dynamic(msgpack.packb([1]))) == Generic.decode_json(b"[1]") == (None, "")
    assert Generic.decode(dynamic(msgpack.packb({"id": 7}))) == ({"id": 7}, "")
    assert Generic.decode(dynamic(json=b'{"id": "x"}')) == ({"id": "x"}, "x")
    assert Generic.decode(dynamic()) == (None, "")
    assert Generic.encode({"a": Secret("b")}) == msgpack.packb({"a": "b"})
    assert Generic.encode_json({"a": Secret("b")}) == b'{"a": "b"}'
    assert Generic.told({"a": Secret("b")}) == {"a": Secret("b")}
    assert Generic.path(("a", 0)) == ("a", 0)
    assert (Generic("cloud_bucket").name, Generic("cloud_bucket").token) == ("cloud_bucket", "cloud_bucket")


# Trees of every nesting ------------------------------------------------------------------------------------------------

PINNED = {"attributes": {"pin_code": {"type": "string", "optional": True, "write_only": True}, "to_port": {"type": "number"}}}
MODES = ("single", "list", "map", "set")
NESTINGS = tree_of({
    "block": {
        "attributes": {
            **PINNED["attributes"],
            "id": {"type": "string", "computed": True},
            "any_thing": {"type": "dynamic", "optional": True},
            "in_type": {"type": ["list", ["object", {"to_port": "number"}]], "optional": True},
            **{f"{mode}_of": {"optional": True, "nested_type": {"nesting_mode": mode, **PINNED}} for mode in MODES},
        },
        "block_types": {f"{mode}_block": {"nesting_mode": mode, "block": PINNED} for mode in (*MODES, "group")},
    }
})  # fmt: skip
IMPLICIT = standing_for(NESTINGS, {
    name: Property(str, terraform=attribute) for name, attribute in NESTINGS.attributes.items() if name != "id"
})  # fmt: skip
"""The same, whose ``id`` is no property."""

NO_BLOCKS: dict[str, Any] = {"list_block": [], "map_block": {}, "set_block": [], "group_block": {}}
WHOLE = {
    "anyThing": {"to_port": 1},
    "inType": [{"toPort": 1}],
    "singleOf": {"toPort": 1},
    "listOf": [{"toPort": 1}, {}],
    "mapOf": {"to_port": {"toPort": 1}},
    "setOf": [],
    "singleBlock": {},
    "listBlock": [{"toPort": 1}],
    "mapBlock": {"toPort": {"toPort": 1}},
    "setBlock": [{}],
    "groupBlock": {"toPort": 1},
}
SPOKEN = {
    "any_thing": {"to_port": 1},
    "in_type": [{"to_port": 1}],
    "single_of": {"to_port": 1},
    "list_of": [{"to_port": 1}, {}],
    "map_of": {"to_port": {"to_port": 1}},
    "set_of": [],
    "single_block": {},
    "list_block": [{"to_port": 1}],
    "map_block": {"toPort": {"to_port": 1}},
    "set_block": [{}],
    "group_block": {"to_port": 1},
}


@pytest.mark.parametrize(
    ("bag", "attributes"),
    [
        ({}, NO_BLOCKS),
        (WHOLE, SPOKEN),
        ({"toPort": Unknown(), "listOf": Unknown()}, {"to_port": Unknown(), "list_of": Unknown(), **NO_BLOCKS}),
        ({"listBlock": Unknown(), "groupBlock": Unknown()},
         {**NO_BLOCKS, "list_block": Unknown(), "group_block": Unknown()}),
        ({"listOf": [Unknown(), {"toPort": 1}]}, {"list_of": [Unknown(), {"to_port": 1}], **NO_BLOCKS}),
    ],
)  # fmt: skip
def test_names_and_absence_in_every_nesting(bag: Any, attributes: Any) -> None:
    """Attributes are properties in objects of each nesting, keys are nobody's; only blocks that nobody wrote are empty."""
    assert outward(bag, IMPLICIT, "cloud_box") == attributes
    assert inward(attributes, IMPLICIT) == bag


def test_what_is_null_or_no_property_is_in_no_bag() -> None:
    """Nulls, an implicit id, and attributes of another schema are left out; empty collections are left out as blocks alone."""
    attributes = {"to_port": None, "id": "b-1", "colour": "red", "list_of": [], "map_of": {}, **NO_BLOCKS}
    assert inward(attributes, IMPLICIT) == {"listOf": [], "mapOf": {}}
    assert inward({"id": "b-1"}, NESTINGS) == {"id": "b-1"}
    assert inward(None, IMPLICIT) is None
    assert outward({"listBlock": None, "toPort": None}, IMPLICIT, "x") == {**NO_BLOCKS, "to_port": None}


@pytest.mark.parametrize(
    ("bag", "told"),
    [
        ({"pinCode": "1", "toPort": 2}, {"toPort": 2}),
        ({"singleOf": {"pinCode": "1", "toPort": 2}}, {"singleOf": {"toPort": 2}}),
        ({"listOf": [{"pinCode": "1"}, {"toPort": 2}, None]}, {"listOf": [{}, {"toPort": 2}, None]}),
        ({"mapOf": {"a": {"pinCode": "1", "toPort": 2}}}, {"mapOf": {"a": {"toPort": 2}}}),
        ({"setOf": [{"pinCode": "1"}]}, {"setOf": [{}]}),
        ({"singleBlock": {"pinCode": "1"}}, {"singleBlock": {}}),
        ({"listBlock": [{"pinCode": "1"}]}, {"listBlock": [{}]}),
        ({"mapBlock": {"pinCode": {"pinCode": "1"}}}, {"mapBlock": {"pinCode": {}}}),
        ({"setBlock": ({"pinCode": "1"},)}, {"setBlock": [{}]}),
        ({"groupBlock": {"pinCode": "1"}}, {"groupBlock": {}}),
        ({"singleOf": Secret({"pinCode": "1", "toPort": 2})}, {"singleOf": Secret({"toPort": 2})}),
        ({"listOf": Unknown()}, {"listOf": Unknown()}),
        # What nobody declared is for the encoder to refuse, and what has any type says nothing of itself.
        ({"colour": {"pinCode": "1"}}, {"colour": {"pinCode": "1"}}),
        ({"anyThing": {"pinCode": "1"}}, {"anyThing": {"pinCode": "1"}}),
    ],
)
def test_what_is_only_written_is_never_told(bag: Any, told: Any) -> None:
    """Write-only properties are left out of objects of each nesting, also of secret ones."""
    assert ObjectSchema("cloud_box", "cloud:index:Box", IMPLICIT).told(bag) == told


@pytest.mark.parametrize(
    ("id_", "published", "implicit", "keeps"),
    [
        (None, False, False, True),
        (None, True, False, False),
        ({"computed": True}, True, False, False),
        ({"optional": True}, True, False, False),
        ({"required": True}, True, False, True),
        ({"required": True}, False, False, True),
    ],
)
def test_where_an_id_is_kept(id_: Any, *, published: bool, implicit: bool, keeps: bool) -> None:
    """A declared type's state has its id; a published one's only as an attribute that is no property, or that has to be set."""
    attributes = {} if id_ is None else {"id": {"type": "string", **id_}}
    schema = ObjectSchema("cloud_box", "cloud:index:Box", tree_of({"block": {"attributes": attributes}}), published=published)
    assert (schema.implicit_id, schema.keeps_id) == (implicit, keeps)
    given = {"id": "b-1"} if id_ else {}
    assert schema.decode(dynamic(schema.encode(given, "other"))) == (given, "b-1" if keeps and id_ else "")


@pytest.mark.parametrize(
    ("id_", "sent"), [("b-1", "b-1"), ("", None), (Unknown(), msgpack.ExtType(0, b"\0"))], ids=["known", "none", "unknown"]
)
def test_an_implicit_id_is_an_attribute_on_the_wire(id_: Any, sent: Any) -> None:
    """The id stands among the attributes and beside the bag, and one that is no text is none yet."""
    schema = ObjectSchema("cloud_box", "cloud:index:Box", IMPLICIT, published=True)
    assert (schema.implicit_id, schema.keeps_id) == (True, True)
    assert msgpack.unpackb(schema.encode({}, id_))["id"] == sent
    assert schema.decode(dynamic(schema.encode({}, id_))) == ({}, id_ if isinstance(id_, str) else "")


def test_steps_that_lead_nowhere_are_left_as_they_are() -> None:
    """A path in Terraform's names goes through collections of each nesting, and on where the schema ends."""
    assert BUCKET.path(("rules", 0, "cidrs")) == ("rules", 0, "cidrBlocks")
    assert BUCKET.path(("by_name", "from_port", "from_port")) == ("byName", "from_port", "fromPort")
    assert BUCKET.path(("labels", "display_name", "x")) == ("labels", "display_name", "x")
    assert BUCKET.path(("colour", "display_name")) == ("colour", "display_name")
    assert BUCKET.path(("id",)) == ("id",)
    assert BUCKET.steps(("rules", "x")) == [("attribute_name", "rules"), ("element_key_string", "x")]
    assert BUCKET.steps(("main", "x")) == [("attribute_name", "main")]


def test_only_what_travels_as_msgpack_or_state_says_types() -> None:
    """Without a value of the request at the same place, a list of any type goes out as what a program would write."""
    request: Any = protocol(6).message("PlanResourceChange.Request")(type_name="cloud_bucket", prior_private=b"p")
    request.config.json = b'{"anything": {"value": ["a"], "type": ["list", "string"]}}'
    assert msgpack.unpackb(BUCKET.encode({"anything": ["a"]}, like=request))["anything"] == [b'["tuple",["string"]]', ["a"]]
    assert BUCKET.encode(None, like=request) == b"\xc0"
