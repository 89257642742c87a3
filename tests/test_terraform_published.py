"""Published schemas as trees, messages and data: what each word is in each of them, and what is left out."""

from __future__ import annotations

from typing import Any

import pytest

from mockprovider.errors import DefinitionError, MalformedError
from mockprovider.terraform.proto import protocol
from mockprovider.terraform.recorded.trees import tree as shown
from mockprovider.terraform.schema.provider import provider_schema
from mockprovider.terraform.schema.published import data_of, schema_data, schemas_in, tree_of
from mockprovider.terraform.schema.publishing import fill_rest, fill_schema
from mockprovider.terraform.schema.reading import from_terraform_schema
from mockprovider.terraform.schema.tree import BLOCK, NESTED, TYPE, Place, nested, object_of, place_of, property_names
from mockprovider.terraform.values.types import BOOL, DYNAMIC, NUMBER, STRING, Type
from mockprovider.values import UNKNOWN

TEXT = {"type": "string", "description_kind": "plain", "optional": True}
INSIDE = {"attributes": {"to_port": {"type": "number", "required": True}}}

# Trees -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, Place(type=DYNAMIC)),
        ({"type": "string", "required": True}, Place(type=STRING, required=True)),
        (
            {"type": "bool", "optional": True, "computed": True, "sensitive": True, "write_only": True, "deprecated": True},
            Place(type=BOOL, optional=True, computed=True, sensitive=True, write_only=True, deprecated=True),
        ),
        (
            {"type": "number", "description": "a", "description_kind": "markdown", "deprecation_message": "b"},
            Place(type=NUMBER, description="a", description_kind="markdown", deprecation_message="b"),
        ),
        ({"type": "string", "optional": False, "description": "", "colour": "red", "min_items": 1}, Place(type=STRING)),
        ({"type": "string", "description": None, "description_kind": None, "sensitive": None}, Place(type=STRING)),
        ({"type": ["list", "string"], "nested_type": None}, place_of(Type("list", items=STRING))),
    ],
)
def test_what_an_attribute_says(spec: Any, expected: Place) -> None:
    """Each word of an attribute stands on its place; other words, and what is false or empty, say nothing."""
    found = tree_of({"block": {"attributes": {"a": spec}}}).members["a"]
    assert (found.property_name, found.form) == ("a", TYPE)
    assert found == Place(**{**fields(expected), "property_name": "a"})


def fields(place: Place) -> dict[str, Any]:
    return {name: getattr(place, name) for name in place.__struct_fields__}


@pytest.mark.parametrize("mode", ["single", "list", "set", "map", "group"])
@pytest.mark.parametrize("form", [BLOCK, NESTED])
def test_what_is_nested(mode: str, form: str) -> None:
    """A block or a nested attribute is an object or a collection of it, with limits, flags and texts of its own."""
    limits = {"nesting_mode": mode, "min_items": 1, "max_items": 2}
    if form == BLOCK:
        schema = {"block_types": {"b_c": {"block": {**INSIDE, "deprecated": True, "description": "x"}, **limits}}}
    else:
        nested_type = {**INSIDE, **limits}
        schema = {"attributes": {"b_c": {"nested_type": nested_type, "deprecated": True, "description": "x", "optional": True}}}
    found = tree_of({"block": schema}).members["b_c"]
    inner = Type("object", attributes={"to_port": NUMBER})
    assert found.type == (inner if mode in ("single", "group") else Type(mode, items=inner))
    assert (found.form, found.nesting, found.property_name) == (form, mode, "bC")
    assert (found.min_items, found.max_items, found.deprecated, found.description) == (1, 2, True, "x")
    assert found.inside["to_port"] == Place(type=NUMBER, required=True, property_name="toPort")
    assert (found.element is None) is (mode in ("single", "group"))


def test_what_a_schema_may_leave_out() -> None:
    """A schema without a block, and a block without attributes or blocks, are empty objects."""
    empty = object_of({})
    for schema in ({}, {"block": None}, {"block": {"attributes": None, "block_types": None}}):
        assert tree_of(schema) == empty
    assert tree_of({"block": {"block_types": {"b": {"nesting_mode": "list"}}}}).members["b"].element == empty
    assert tree_of({"block": {"description": "x", "computed": True}}) == object_of({}, description="x", computed=True)
    with pytest.raises(MalformedError, match="is no type"):
        tree_of({"block": {"attributes": {"a": {"type": "text"}}}})


def test_members_are_in_the_order_of_their_names() -> None:
    """Attributes and blocks stand among each other, and their names are found together."""
    given = {
        "attributes": {"z": TEXT, "a_b": TEXT},
        "block_types": {"aB": {"nesting_mode": "single"}, "m": {"nesting_mode": "map"}},
    }
    tree = tree_of({"block": given})
    assert list(tree.members) == ["aB", "a_b", "m", "z"]
    assert tree.attributes == {"aB": "aB", "a_b": "a_b", "m": "m", "z": "z"}
    assert list(tree.type.attributes) == ["aB", "a_b", "m", "z"]


@pytest.mark.parametrize(
    ("attributes", "names"),
    [
        (["a_b", "c"], ["aB", "c"]),
        (["a_b", "aB"], ["a_b", "aB"]),
        (["aB", "a_b"], ["aB", "a_b"]),
        (["a_b", "a__b"], ["aB", "a__b"]),
        (["id"], ["id"]),
    ],
)
def test_the_properties_of_attributes(attributes: list[str], names: list[str]) -> None:
    """An attribute's property is in Pulumi's case, unless that is another's name."""
    assert property_names(attributes) == dict(zip(attributes, names, strict=True))


RULES = nested("list", object_of({"port": Place(type=NUMBER, property_name="port")}), BLOCK)


def test_what_a_place_knows_of_its_inside() -> None:
    """Its members, also those of its elements, all places in it, and what is secret or only written there."""
    pin = Place(type=STRING, sensitive=True)
    code = Place(type=STRING, write_only=True)
    tree = object_of({
        "pin": pin,
        "rules": nested("set", object_of({"code": code, "plain": Place(type=STRING)}), BLOCK),
        "one": nested("single", object_of({"pin": pin}), NESTED),
        "always": nested("group", object_of({}), BLOCK),
        "main": nested("single", object_of({}), BLOCK),
    })  # fmt: skip
    assert sorted(tree.secrets()) == [("one", "pin"), ("pin",), ("rules", "code")]
    assert [tree.hides, tree.members["rules"].hides, tree.members["one"].hides] == [True, True, False]
    assert list(tree.members["rules"].inside) == ["code", "plain"]
    assert list(tree.inside) == ["always", "main", "one", "pin", "rules"]
    assert set(tree.never_null) == {"always", "rules"}
    assert len(list(tree.walk())) == 10
    assert tree.attributes == {}


@pytest.mark.parametrize(
    ("place", "value", "expected"),
    [
        (RULES, [1, 2], [("1", RULES.element), ("2", RULES.element)]),
        (RULES, (1,), [("1", RULES.element)]),
        (RULES, {"a": 1}, {"a": ("1", RULES.element)}),
        (RULES, UNKNOWN, UNKNOWN),
        (RULES, None, None),
        (RULES, "text", "text"),
        (Place(type=STRING), ["a"], ["a"]),
    ],
)
def test_what_is_done_to_elements(place: Place, value: Any, expected: Any) -> None:
    """Each element of a list, a set or a map is converted with its own place; all else stays."""
    assert place.elements(value, lambda item, element: (str(item), element)) == expected


@pytest.mark.parametrize(
    ("declared", "nesting", "element", "members"),
    [
        (STRING, "", None, {}),
        (Type("tuple", elements=(STRING,)), "", None, {}),
        (Type("list", items=STRING), "list", STRING, {}),
        (Type("set", items=NUMBER), "set", NUMBER, {}),
        (Type("map", items=BOOL), "map", BOOL, {}),
        (Type("object", attributes={"a_b": STRING, "c": NUMBER}), "single", None, {"aB": "a_b", "c": "c"}),
    ],
)
def test_what_a_type_says_of_a_place(declared: Type, nesting: str, element: Any, members: Any) -> None:
    """Collections have elements and objects have properties, also inside of a type; tuples have neither."""
    place = place_of(declared, computed=True)
    assert (place.type, place.form, place.nesting, place.computed) == (declared, TYPE, nesting, True)
    assert (place.element.type if place.element else None) == element
    assert place.attributes == members


# Data --------------------------------------------------------------------------------------------------------------------

FUNCTION = {
    "summary": "a",
    "description": "b",
    "deprecation_message": "c",
    "return_type": ["list", "string"],
    "parameters": [{"name": "x", "description": "d", "type": "number", "is_nullable": True}, {"name": "y", "type": "bool"}],
    "variadic_parameter": {"name": "z", "type": "dynamic"},
}


def whole() -> Any:
    """An answer to GetProviderSchema with a word of each sort."""
    answer: Any = protocol(6).message("GetProviderSchema.Response")()
    answer.provider_meta.block.attributes.add(name="m", type=b'"string"', optional=True)
    for name in ("cloud_z", "cloud_a"):
        answer.resource_schemas[name].version = 2
    answer.data_source_schemas["cloud_d"].block.description = "d"
    answer.ephemeral_resource_schemas["cloud_e"].block.description_kind = 1
    answer.list_resource_schemas["cloud_l"].block.deprecated = True
    function = answer.functions["join"]
    function.summary, function.description, function.deprecation_message = "a", "b", "c"
    getattr(function, "return").type = b'["list","string"]'
    function.parameters.add(name="x", description="d", type=b'"number"', allow_null_value=True)
    function.parameters.add(name="y", type=b'"bool"')
    function.variadic_parameter.name, function.variadic_parameter.type = "z", b'"dynamic"'
    getattr(answer.functions["bare"], "return").type = b'"bool"'
    return answer


PLAIN = {"description_kind": "plain"}
EMPTY = {"version": 0, "block": PLAIN}


def test_an_answer_as_data() -> None:
    """Each section of an answer, of its message or its tree, is data by name, and what is not there is left out."""
    expected = {
        "provider": EMPTY,
        "resource_schemas": {"cloud_a": {**EMPTY, "version": 2}, "cloud_z": {**EMPTY, "version": 2}},
        "data_source_schemas": {"cloud_d": {"version": 0, "block": {"description": "d", **PLAIN}}},
        "ephemeral_resource_schemas": {"cloud_e": {"version": 0, "block": {"description_kind": "markdown"}}},
        "list_resource_schemas": {"cloud_l": {"version": 0, "block": {"deprecated": True, **PLAIN}}},
        "functions": {"bare": {"return_type": "bool"}, "join": FUNCTION},
        "provider_meta": {
            "version": 0,
            "block": {**PLAIN, "attributes": {"m": {"type": "string", "optional": True, **PLAIN}}},
        },
    }
    for answer in (whole(), shown(whole())):
        found = data_of(answer)
        assert found == expected
        assert list(found["resource_schemas"]) == ["cloud_a", "cloud_z"]
        assert sorted(f"{section}.{name}" for section, name, _ in schemas_in(answer)) == [
            "data_source_schemas.cloud_d",
            "ephemeral_resource_schemas.cloud_e",
            "list_resource_schemas.cloud_l",
            "provider_meta.",
            "resource_schemas.cloud_a",
            "resource_schemas.cloud_z",
        ]
    assert data_of({}) == data_of(type(whole())()) == {"provider": EMPTY}


def test_a_schema_as_data() -> None:
    """Numbers of a message and names of its tree are the data's words; limits that are none are left out."""
    schema: Any = protocol(6).message("Schema")()
    schema.version = 1
    schema.block.attributes.add(name="untyped", computed=True)
    inside = schema.block.attributes.add(name="inside", optional=True).nested_type
    inside.nesting, inside.max_items = 2, 3
    inside.attributes.add(name="a", type=b'["set","number"]', description_kind=1)
    inside.attributes.add(name="nowhere").nested_type.SetInParent()
    block = schema.block.block_types.add(type_name="b", nesting=5, min_items=1)
    block.block.block_types.add(type_name="c")
    expected = {
        "version": 1,
        "block": {
            **PLAIN,
            "attributes": {
                "untyped": {"computed": True, **PLAIN},
                "inside": {
                    "optional": True,
                    **PLAIN,
                    "nested_type": {
                        "nesting_mode": "list",
                        "max_items": 3,
                        "attributes": {
                            "a": {"type": ["set", "number"], "description_kind": "markdown"},
                            "nowhere": {**PLAIN, "nested_type": {"nesting_mode": "", "attributes": {}}},
                        },
                    },
                },
            },
            "block_types": {
                "b": {
                    "nesting_mode": "group",
                    "min_items": 1,
                    "block": {**PLAIN, "block_types": {"c": {"nesting_mode": "", "block": PLAIN}}},
                }
            },
        },
    }
    assert schema_data(schema) == schema_data(shown(schema)) == expected


# Messages ----------------------------------------------------------------------------------------------------------------


def test_the_rest_of_an_answer() -> None:
    """Schemas of lists and of what modules say of themselves are served as they are published, with their versions."""
    answer: Any = protocol(6).message("GetProviderSchema.Response")()
    schema = {"version": 3, "block": {"attributes": {"a": TEXT}, **PLAIN}}
    bare = {"block": {"attributes": {}, **PLAIN}}
    fill_rest(answer, {"list_resource_schemas": {"cloud_l": schema, "cloud_m": bare}, "provider_meta": schema})
    assert schema_data(answer.list_resource_schemas["cloud_l"]) == schema_data(answer.provider_meta) == schema
    assert schema_data(answer.list_resource_schemas["cloud_m"]) == EMPTY
    again: Any = type(answer)()
    fill_rest(again, {})
    fill_rest(again, {"list_resource_schemas": None, "provider_meta": None})
    assert not again.ByteSize()
    fill_rest(again, {"provider_meta": bare})
    assert (again.HasField("provider_meta"), again.provider_meta.version) == (True, 0)


def test_an_empty_schema_has_a_block() -> None:
    """A block without anything is told all the same; a version is told beside it."""
    for version in (0, 4):
        schema: Any = protocol(6).message("Schema")()
        fill_schema(schema, object_of({}), "cloud_box", version)
        assert (schema.HasField("block"), schema.version) == (True, version)


def test_an_empty_block_inside_of_another_is_told() -> None:
    """A nested block without anything in it is told, too: Terraform ends itself over one that is not there."""
    inner = {"nesting_mode": "list", "block": {}}
    schema: Any = protocol(6).message("Schema")()
    outer = {**inner, "block": {"block_types": {"inner": inner}}}
    fill_schema(schema, tree_of({"block": {"block_types": {"outer": outer}}}), "aws_acl")
    assert schema.block.block_types[0].block.block_types[0].HasField("block")


@pytest.mark.parametrize(("name", "attribute"), [("aws", "user_agent"), ("google", "module_name"), ("cloud", "")])
def test_modules_may_tell_large_providers_about_themselves(name: str, attribute: str) -> None:
    """The command's schema has no provider_meta; what modules write there is published, unless the schema says another."""
    package = from_terraform_schema({"provider": {"block": {}}, "resource_schemas": {f"{name}_box": {"block": {}}}}, name)
    answer: Any = provider_schema(package, 6).message()
    assert [written.name for written in answer.provider_meta.block.attributes] == ([attribute] if attribute else [])
    package.terraform_schema = {"provider_meta": {"block": {"attributes": {"own": TEXT}}}}
    answer = provider_schema(package, 5).message()
    assert [written.name for written in answer.provider_meta.block.attributes] == ["own"]


def test_nested_attributes_of_nested_attributes_are_named() -> None:
    """What major 5 cannot say is named by its whole path, also inside of blocks."""
    deep = nested("single", object_of({"inner": nested("list", object_of({}), NESTED)}), BLOCK)
    with pytest.raises(DefinitionError, match=r"^cloud_box\.outer\.inner is a nested attribute"):
        fill_schema(protocol(5).message("Schema")(), object_of({"outer": deep}), "cloud_box")
