"""Objects on the wire: property names and attributes, nulls and absence, the id, paths."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest

from mockprovider.errors import DefinitionError, MalformedError
from mockprovider.schema import Kind, Property, ResourceType
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.schema.declared import attribute_names, compiled, form_of, place_of_kind, standing_for
from mockprovider.terraform.schema.objects import IMPLICIT_ID, Generic, ObjectSchema
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
