"""Reading published schemas: what is refused, and what each word of one becomes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from published_schema import block, schema, text

from mockprovider.document import Node
from mockprovider.errors import DefinitionError
from mockprovider.fake.computing import generated
from mockprovider.offers import ephemerals, provider_functions
from mockprovider.schema import Kind, Package, Property, kind_of
from mockprovider.terraform import ResourceTraits
from mockprovider.terraform.schema.properties import check_block, own_id, properties_of, replaced, returned_value
from mockprovider.terraform.schema.published import tree_of
from mockprovider.terraform.schema.reading import from_terraform_schema, from_terraform_schemas, is_terraform_schema


def item(of: Any, **words: Any) -> Property:
    """A property as one that was read says it: by its kind."""
    return Property(kind_of(of), **words)


# What no engine would take ---------------------------------------------------------------------------------------------

NEEDS_ONE = 'needs exactly one of "type" and "nested_type"'
NEITHER, BOTH = "neither required, optional nor computed", "required, and also optional or computed"
INSIDE = {"nesting_mode": "list", "attributes": {"name": text()}}


@pytest.mark.parametrize(
    ("spec", "refused"),
    [
        ({"type": "string", "optional": True}, ""),
        ({"type": "string", "required": True}, ""),
        ({"type": "string", "computed": True}, ""),
        ({"type": "string", "computed": True, "optional": True}, ""),
        ({"type": "string", "optional": True, "required": False, "computed": False}, ""),
        ({"type": "string", "optional": True, "description": "any", "description_kind": "markdown"}, ""),
        ({"type": "string", "optional": True, "description_kind": "plain"}, ""),
        ({"type": "string", "optional": True, "nested_type": None}, ""),
        ({"type": ["list", "number"], "optional": True}, ""),
        ({"type": None, "nested_type": INSIDE, "optional": True}, ""),
        ("string", "a: .* Write an object in braces"),
        ({"type": "string"}, f"a: .*{NEITHER}"),
        ({"type": "string", "sensitive": True}, f"a: .*{NEITHER}"),
        ({"type": "string", "required": True, "optional": True}, f"a: .*{BOTH}"),
        ({"type": "string", "required": True, "computed": True}, f"a: .*{BOTH}"),
        *[
            ({"type": "string", "optional": True, flag: "no"}, f"a.{flag}: .* Write true or false")
            for flag in ("required", "computed", "sensitive", "write_only", "deprecated")
        ],
        ({"type": "string", "optional": "no"}, "a.optional: .* Write true or false"),
        ({"type": "string", "optional": True, "description": 7}, "a.description: 7 stands here"),
        ({"type": "string", "optional": True, "description_kind": "html"}, "a.description_kind: 'html' is none of the words"),
        ({"type": "string", "optional": True, "description_kind": 1}, "a.description_kind: 1 stands here"),
        ({"optional": True}, f"a: .*{NEEDS_ONE}"),
        ({"type": "string", "nested_type": INSIDE, "optional": True}, f"a: .*{NEEDS_ONE}"),
        ({"type": "text", "optional": True}, "a.type: .*is no type"),
        ({"type": ["list"], "optional": True}, "a.type: .*is no type"),
        ({"nested_type": {"attributes": {}}, "optional": True}, "a.nested_type: .*nesting_mode"),
        ({"nested_type": {"nesting_mode": "group"}, "optional": True}, "a.nested_type.nesting_mode: 'group' is none"),
        ({"nested_type": {"nesting_mode": "list"}, "optional": True}, ""),
        (
            {"nested_type": {"nesting_mode": "list", "attributes": {"b": {"type": "string"}}}, "optional": True},
            f"a.nested_type.attributes.b: .*{NEITHER}",
        ),
    ],
)
def test_which_attributes_are_refused(spec: Any, refused: str) -> None:
    """An attribute says who sets it, has one type, and its words are of the kinds that the command shows."""
    judge({"attributes": {"a": spec}}, f"attributes.{refused}" if refused else "")


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        ({}, ""),
        ({"attributes": None, "block_types": None}, ""),
        ({"block_types": {"b": {"nesting_mode": "list"}}}, ""),
        ({"block_types": {"b": block("group", {"a": text()}, min_items=1, max_items=2)}}, ""),
        ({"attributes": []}, "attributes: .* stands here"),
        ({"block_types": {"b": {}}}, "block_types.b: .*nesting_mode"),
        ({"block_types": {"b": block("many", {})}}, "block_types.b.nesting_mode: 'many' is none of the words here"),
        ({"block_types": {"b": block("list", {}, min_items="1")}}, "block_types.b.min_items: .* Write a whole number"),
        ({"block_types": {"b": block("list", {}, max_items=-1)}}, "block_types.b.max_items: -1 is below 0"),
        ({"block_types": {"b": block("list", {"a": {"type": "string"}})}}, f"block_types.b.block.attributes.a: .*{NEITHER}"),
        ({"attributes": {"b": text()}, "block_types": {"b": block("list", {})}}, "b: an attribute is called 'b', too"),
        ({"attributes": {"b": text()}, "block_types": {"c": block("list", {})}}, ""),
    ],
)
def test_which_blocks_are_refused(given: Any, refused: str) -> None:
    """A block has a nesting mode, whole limits, and a name that no attribute has; what is in it is looked at, too."""
    judge(given, refused)


def judge(given: Any, refused: str) -> None:
    """Look at a block, and expect what is refused."""
    if refused:
        with pytest.raises(DefinitionError, match=f"(?s){refused}"):
            check_block(Node(given, "schema"))
    else:
        check_block(Node(given, "schema"))


# Trees as properties ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (text(), item(str)),
        (text(required=True, description="What."), item(str, required=True, description="What.")),
        (text(computed=True, sensitive=True), item(str, computed=True, secret=True)),
        (text(computed=True, optional=True), item(str, computed=True, optional=True)),
        (text(write_only=True), item(str, write_only=True)),
        (text(computed=True, write_only=True), item(str, computed=True)),
        (text(type="bool"), item(bool)),
        (text(type="dynamic"), item("any")),
        (text(type="number"), item(float)),
        # What providers count is whole.
        (text(type="number", computed=True), item(int, computed=True)),
        (text(type="number", computed=True, optional=True), item(float, computed=True, optional=True)),
        (text(type=["list", "number"]), item(Kind("array", items=Kind("number")))),
        (text(type=["set", "bool"]), item(Kind("set", items=Kind("boolean")))),
        (text(type=["map", ["list", "string"]]), item(Kind("map", items=Kind("array", items=Kind("string"))))),
        (text(type=["object", {"a_b": "string"}]), item(Kind("object", properties={"aB": item(str)}))),
        (text(type=["tuple", ["string"]]), item("any")),
        (text(nested_type=INSIDE), item(Kind("array", items=Kind("object", properties={"name": item(str)})))),
    ],
)
def test_what_an_attribute_becomes(spec: Any, expected: Property) -> None:
    """Type and flags of an attribute are kind and flags of a property."""
    assert properties_of(tree_of(schema({"a": spec}))) == {"a": expected}


@pytest.mark.parametrize(
    ("mode", "limits", "kind", "required"),
    [
        ("single", {}, "object", False),
        ("single", {"min_items": 1, "max_items": 1}, "object", True),
        ("group", {}, "object", False),
        ("list", {"min_items": 2}, "array", True),
        ("list", {"max_items": 2}, "array", False),
        ("set", {"min_items": 1}, "set", True),
        ("map", {"min_items": 1}, "map", False),
    ],
)
def test_what_a_block_becomes(mode: str, limits: Any, kind: str, required: bool) -> None:
    """Blocks are objects and collections of them, required where there has to be one; of a map nothing says which."""
    found = properties_of(tree_of(schema({}, {"b_1": block(mode, {"a": text()}, **limits)})))
    inside = kind_of({"a": item(str)})
    expected = inside if kind == "object" else Kind(kind, items=inside)
    assert found == {"b1": item(expected, required=required, terraform="b_1")}


def test_names_that_the_rule_would_not_give() -> None:
    """A property whose attribute the rule would give says nothing of it; another names it."""
    found = properties_of(tree_of(schema({"open_to": text(), "s_3_uri": text(), "a_1": text(), "a1": text()})))
    assert {name: item.terraform for name, item in found.items()} == {"openTo": "", "s3Uri": "s_3_uri", "a_1": "", "a1": ""}


def test_values_with_tuples_inside_are_made_by_type() -> None:
    """Where a kind would say too little, a computed value is made of the type, each part of its own path, always the same."""
    spelled = ["object", {"a_pair": ["tuple", ["string", "number"]], "words": ["list", "string"]}]
    properties = properties_of(tree_of(schema({"made": text(type=spelled, computed=True), "plain": text(computed=True)})))
    assert returned_value("made", properties["made"], "box") == {
        "aPair": [
            generated(Kind("string"), "made.aPair.0", "box"),
            generated(Kind("number"), "made.aPair.1", "box"),
        ],
        "words": [],
    }
    assert returned_value("plain", properties["plain"], "box") == generated(Kind("string"), "plain", "box")


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({}, False),
        ({"id": item(str, computed=True)}, False),
        ({"id": item(str, computed=True, optional=True)}, False),
        ({"id": item(str)}, True),
        ({"id": item(int, computed=True)}, True),
        ({"name": item(str)}, False),
    ],
)
def test_whose_id_is_an_attribute_like_others(properties: Any, expected: bool) -> None:
    """The text by which the provider chooses to know an object is no property; any other id is."""
    assert own_id(properties) is expected


def test_what_needs_a_new_object() -> None:
    """Attributes or properties, one or several, are marked; the others stay, and a wrong name is told with the nearest."""
    properties = {"openTo": item(str), "a1": item(str, terraform="a_1"), "name": item(str)}
    assert {name for name, item in replaced(properties, ["open_to", "a_1"], "box").items() if item.forces_new} == {
        "openTo",
        "a1",
    }
    assert {name for name, item in replaced(properties, "openTo", "box").items() if item.forces_new} == {"openTo"}
    assert replaced(properties, (), "box") == properties
    with pytest.raises(DefinitionError, match=r"forces_new: box has no attribute 'nam'\. Did you mean 'name'"):
        replaced(properties, "nam", "box")


# Documents as packages --------------------------------------------------------------------------------------------------

TYPES = {"resource_schemas": {"post_box": schema({})}}
TWO = {"provider_schemas": {"a.io/x/post": TYPES, "b.io/y/mail": {"resource_schemas": {}}}}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (TWO, True),
        (TYPES, True),
        ({"data_source_schemas": {}}, True),
        ({"provider": {}}, False),
        ([], False),
        ("resource_schemas", False),
    ],
)
def test_what_looks_like_a_schema(document: Any, expected: bool) -> None:
    """The command's output, and one provider's part of it, are known by their keys."""
    assert is_terraform_schema(document) is expected


@pytest.mark.parametrize(
    ("document", "provider", "expected"),
    [
        (TYPES, "", "post"),
        (TYPES, "a.io/x/mine", "mine"),
        ({"data_source_schemas": {"post_box": schema({})}}, "", "post"),
        ({"provider": schema({})}, "mine", "mine"),
        ({"provider": schema({})}, "", "nothing here says what the provider is called"),
        ({"resource_schemas": {"a_b": schema({}), "c_d": schema({})}}, "", "nothing here says what the provider is called"),
        ({"resource_schemas": {"a_b": schema({}), "c_d": schema({})}}, "a", "a"),
        ({"colour": 1}, "mine", "this is no provider schema"),
        ({**TWO, "format_version": "0.2"}, "post", "post"),
        ({**TWO, "format_version": "1.0"}, "mail", "mail"),
        ({**TWO, "format_version": "10.0"}, "mail", "this is format 10.0"),
        ({**TWO, "format_version": 1}, "mail", "format_version: 1 stands here"),
        (TWO, "b.io/y/mail", "mail"),
        (TWO, "", "there are several providers: a.io/x/post, b.io/y/mail. Say which one"),
        (TWO, "male", "there is no provider 'male'. Did you mean 'mail'?"),
        ({"provider_schemas": {"a.io/x/post": TYPES, "b.io/y/post": TYPES}}, "post", "there are several providers"),
        ({"provider_schemas": {"a.io/x/post": TYPES}}, "", "post"),
        ({"provider_schemas": {}}, "", "there are no providers"),
        ({"provider_schemas": {}}, "post", "there is no provider 'post'"),
    ],
)
def test_which_provider_is_read(document: Any, provider: str, expected: str) -> None:
    """A provider is chosen by name or address, and needs no name where there is one; what cannot be chosen is told."""
    if expected in ("post", "mail", "mine", "a"):
        assert from_terraform_schema(document, provider).name == expected
    else:
        with pytest.raises(DefinitionError, match=re.escape(expected)):
            from_terraform_schema(document, provider)


def test_all_providers_are_read() -> None:
    """One provider's part alone is a package, too."""
    assert [package.name for package in from_terraform_schemas(TWO)] == ["post", "mail"]
    assert [package.name for package in from_terraform_schemas(TYPES)] == ["post"]


@pytest.mark.parametrize(
    ("provider", "names", "tokens"),
    [
        ("post", ["post_box", "post_big_box", "post"], ["Box", "BigBox", "Post"]),
        ("post", ["other_box"], ["Box"]),
        ("post-office", ["post_office_box", "post_box"], ["Box", "Box2"]),
        ("post", ["post_ab", "post_aB", "post_a_b"], ["Ab", "AB2", "AB3"]),
        ("post", ["post_3d"], ["T3d"]),
    ],
)
def test_the_tokens_of_types(provider: str, names: list[str], tokens: list[str]) -> None:
    """A token is the name without the provider's, in Pulumi's case, and like no other, whatever the case."""
    package = from_terraform_schema({"resource_schemas": {name: schema({}) for name in names}}, provider)
    assert list(package.resources) == [f"{provider}:index:{token}" for token in tokens]


def test_the_tokens_of_what_is_asked() -> None:
    """Data sources and ephemeral resources have a verb before their names, so that all three may share one."""
    sections = ("resource_schemas", "data_source_schemas", "ephemeral_resource_schemas")
    package = from_terraform_schema({section: {"post_box": schema({})} for section in sections})
    assert list(package.resources) == ["post:index:Box"]
    assert list(package.functions) == ["post:index:getBox"]
    assert ephemerals(package)["post_box"].token == "post:index:EphemeralBox"


def read(section: str, attributes: Any, **more: Any) -> Any:
    """What a schema with these attributes is read as."""
    package = from_terraform_schema({"provider": None, section: {"post_box": {**schema(attributes), **more}}}, "post")
    return next(iter([*package.resources.values(), *package.functions.values(), *package.offers.values()]))


def test_what_a_resource_type_is_read_as() -> None:
    """Version, description and the schema itself are the type's; an id that a program says is how its objects are named."""
    given = {"block": {"description": "A box.", "attributes": {"id": text(required=True)}}, "version": 3}
    package = from_terraform_schema({"resource_schemas": {"post_box": given, "post_lid": {"block": {}}}})
    box, lid = package.resources.values()
    assert (box.terraform, box.description, box.id, list(box.properties)) == ("post_box", "A box.", "{id}", ["id"])
    assert (box.trait(ResourceTraits).version, box.trait(ResourceTraits).schema) == (3, given)
    assert (lid.description, lid.id, lid.properties, lid.trait(ResourceTraits).version) == ("", "{hash}", {}, 0)
    assert read("resource_schemas", {"id": text()}).id == "{hash}"
    assert list(read("resource_schemas", {"id": text(computed=True), "a": text()}).properties) == ["a"]
    with pytest.raises(DefinitionError, match=r"post_box: .*block"):
        from_terraform_schema({"resource_schemas": {"post_box": {}}})


@pytest.mark.parametrize("section", ["data_source_schemas", "ephemeral_resource_schemas"])
def test_what_a_data_source_is_read_as(section: str) -> None:
    """What may be set is an argument, what is computed an answer, and both where nobody set it; a chosen id is an answer."""
    attributes = {
        "id": text(computed=True, optional=True),
        "open_to": text(required=True, sensitive=True, description="Whom."),
        "a_1": text(),
        "size": text(type="number", computed=True, optional=True),
        "serial": text(computed=True),
    }
    found = read(section, attributes)
    assert found.inputs == {
        "openTo": item(str, required=True, secret=True, description="Whom."),
        "a1": item(str, terraform="a_1"),
        "size": item(float),
    }
    if section == "data_source_schemas":
        assert {name: made.kind.name for name, made in found.outputs.items()} == {
            "id": "string",
            "size": "number",
            "serial": "string",
        }
        assert not any(made.optional for made in found.outputs.values())
    else:
        assert {name: type(value) for name, value in found.returns.items()} == {"id": str, "size": int, "serial": str}
    assert (found.terraform, found.terraform_schema) == ("post_box", schema(attributes))
    assert list(read(section, {"id": text(required=True)}).inputs) == ["id"]


def test_the_configuration_of_a_provider() -> None:
    """A provider's block is its configuration; without one, or with a null, it has none."""
    for given, expected in (
        (schema({"region": text(required=True)}), {"region": item(str, required=True)}),
        ({"version": 0}, {}),
        ({"block": None}, {}),
        (None, {}),
    ):
        assert from_terraform_schema({**TYPES, "provider": given}).config == expected


IDENTITY = {"id": {"type": "string"}, "open_to": {"type": "string"}}


@pytest.mark.parametrize(
    ("identity", "expected"),
    [
        ({"attributes": IDENTITY}, ("id", "openTo")),
        ({"attributes": {"open_to": {}}}, ("openTo",)),
        ({"attributes": {"open_to": {}, "account": {}}}, ()),
        ({"attributes": None}, ()),
        ({}, ()),
    ],
)
def test_what_identifies_an_object(identity: Any, expected: tuple[str, ...]) -> None:
    """An identity's attributes are the type's properties, or its id; one that names something else is none."""
    given = {"resource_schemas": {"post_box": schema({"id": text(computed=True), "open_to": text()})}}
    package = from_terraform_schema({**given, "resource_identity_schemas": {"post_box": identity}})
    assert package.resources["post:index:Box"].trait(ResourceTraits).identity == expected


# Functions --------------------------------------------------------------------------------------------------------------


def function(**given: Any) -> Any:
    """The provider function that is published so."""
    package: Package = from_terraform_schema({**TYPES, "functions": {"join_all": {"return_type": "string", **given}}})
    return provider_functions(package)["join_all"]


def test_what_a_function_is_read_as() -> None:
    """Parameters go by name and type, the variadic one last; those that say so may be null."""
    number = {"name": "the_number", "type": "number", "description": "Of what."}
    more = {"name": "s_3_uri", "type": ["list", "string"], "is_nullable": True}
    found = function(parameters=[number], variadic_parameter=more, summary="Joins.")
    assert (found.token, found.terraform, found.description) == ("post:index:joinAll", "join_all", "Joins.")
    assert found.parameters == {
        "theNumber": item(float, description="Of what."),
        "s3Uri": item(list[str], terraform="s_3_uri"),
    }
    assert (found.variadic, found.nullable, found.kind) == ("s3Uri", ("s3Uri",), Kind("string"))


def test_a_function_without_parameters() -> None:
    """What is left out or null is none."""
    for given in ({}, {"parameters": None, "variadic_parameter": None, "summary": None}, {"parameters": []}):
        found = function(**given)
        assert (found.parameters, found.variadic, found.nullable, found.description) == ({}, "", (), "")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a_b", "b"], {"aB": "a_b", "b": "b"}),
        (["aB", "a_b"], {"aB": "aB", "a_b": "a_b"}),
        (["a_b", "aB"], {"aB": "a_b", "aB_": "aB"}),
    ],
)
def test_parameters_of_one_name_stay_apart(names: list[str], expected: dict[str, str]) -> None:
    """None of several parameters that would have one name is lost, and each leads back to its own."""
    found = function(parameters=[{"name": name, "type": "string", "is_nullable": name == names[1]} for name in names])
    assert found.names() == expected
    assert found.nullable == (list(expected)[1],)


def test_what_a_function_answers() -> None:
    """A value of its type, the same for equal arguments, and another for others."""
    answers = function(return_type="string").implementation
    assert answers("a", {"b": 1, "c": [None]}) == answers("a", {"c": [None], "b": 1})
    assert len({answers(), answers("a"), answers("a", "b"), answers({"a": 1})}) == 4
    assert function(return_type=["list", "string"]).implementation("a") == []


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        ({"return_type": "text"}, r"join_all.return_type: .*is no type"),
        ({"parameters": [{"type": "string"}]}, r"join_all.parameters\[0\]: .*name"),
        ({"parameters": [{"name": "a"}]}, r"join_all.parameters\[0\]: .*type"),
        ({"parameters": [{"name": "", "type": "string"}]}, r"join_all.parameters\[0\].name: "),
        ({"parameters": [{"name": "a", "type": "string", "is_nullable": "no"}]}, r"is_nullable: .* Write true or false"),
        ({"parameters": "none"}, "join_all.parameters: "),
    ],
)
def test_functions_that_cannot_be_read(given: Any, refused: str) -> None:
    """What is missing or of another kind is named with its place."""
    with pytest.raises(DefinitionError, match=refused):
        function(**given)
