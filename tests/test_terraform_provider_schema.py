"""Published Terraform schemas as packages of ours, and as messages again."""

from __future__ import annotations

import copy
import json

import pytest
from published_schema import PLAIN, POST, TEXT, block, document, schema, text

import mockprovider
from mockprovider.calls import Call, Op
from mockprovider.cli.types import read_types
from mockprovider.double import Double
from mockprovider.errors import DefinitionError
from mockprovider.offers import Ephemeral, ephemerals, provider_functions
from mockprovider.schema import Kind, Package, Property, ResourceType, kind_of
from mockprovider.terraform import ResourceTraits
from mockprovider.terraform.schema.objects import inward, outward
from mockprovider.terraform.schema.provider import ProviderSchema
from mockprovider.terraform.schema.published import data_of, tree_of
from mockprovider.terraform.schema.reading import from_terraform_schema, from_terraform_schemas
from mockprovider.terraform.values.types import DYNAMIC, parse_type

TEXT_PROPERTY = Property(kind_of(str))


def box(**more):
    """The type with everything."""
    return from_terraform_schema(TEXT, **more).resources["post:index:Box"]


def of(attributes, blocks=None, name="post_box", **more):
    """The type that has these attributes and blocks."""
    given = {"provider": schema({}), "resource_schemas": {name: schema(attributes, blocks)}, **more}
    return next(iter(from_terraform_schema(given, "post").resources.values()))


def test_types_and_names():
    """A type's token is the provider, ``index`` and the rest in Pulumi's case; Terraform's own name stays what it is."""
    package = mockprovider.from_terraform_schema(TEXT)

    assert package.name == "post"
    assert {token: each.terraform for token, each in package.resources.items()} == {
        "post:index:Box": "post_box",
        "post:index:Nameless": "post_nameless",
        "post:index:OwnId": "post_own_id",
    }
    assert {token: each.terraform for token, each in package.functions.items()} == {"post:index:getBox": "post_box"}
    assert box().trait(ResourceTraits).version == 2
    assert (package.config["region"].required, package.config["token"].secret) == (True, True)
    assert package.config["proxy"].kind.items.properties == {"url": TEXT_PROPERTY}


def test_properties():
    """Flags and types are properties and kinds; what a kind cannot say is anything."""
    found = box().properties

    assert found["name"].required
    assert found["name"].description == "What it is *called*."
    assert (found["size"].computed, found["size"].optional, found["size"].kind) == (True, True, Kind("number"))
    assert (found["serial"].kind, found["serial"].is_input) == (Kind("integer"), False)
    assert (found["secretKey"].secret, found["password"].secret, found["password"].write_only) == (True, True, True)
    assert found["tags"].kind == kind_of(dict[str, str])
    assert found["ports"].kind == kind_of(set[float])
    assert found["anything"].kind == found["pair"].kind == Kind("any")
    assert found["shape"].kind == kind_of({"lineWidth": Property(kind_of(float)), "s3Uri": TEXT_PROPERTY})


def test_names_that_meet_stay_apart():
    """Attributes that would be one property keep their own names, and lead back to where they came from."""
    assert {box().attributes[each] for each in ("a1", "a_1")} == {"a1", "a_1"}
    tokens = from_terraform_schema(
        {"resource_schemas": {each: schema({}) for each in ("post_ab", "post_a_b", "post_3d", "post")}}
    )
    assert list(tokens.resources) == ["post:index:Ab", "post:index:AB2", "post:index:T3d", "post:index:Post"]


def test_nesting():
    """Each nesting mode of blocks and attributes is the kind that holds what it holds."""
    found = {name: item.kind.name for name, item in box().properties.items()}

    assert [found[each] for each in ("once", "always", "rule", "peer", "zone", "free")] == [
        "object",
        "object",
        "array",
        "set",
        "map",
        "array",
    ]
    assert [found[each] for each in ("oneOf", "listOf", "setOf", "mapOf")] == ["object", "array", "set", "map"]
    assert box().properties["rule"].required
    assert not box().properties["peer"].required
    assert box().properties["rule"].kind.items.properties["openTo"] == TEXT_PROPERTY


def test_ids():
    """An id that the provider chooses is no property; one that a program must say names the object; one may be missing."""
    package = from_terraform_schema(TEXT)
    coders = {name: ProviderSchema(package).resource(name) for name in ("post_box", "post_nameless", "post_own_id")}

    assert "id" not in package.resources["post:index:Box"].properties
    assert package.resources["post:index:OwnId"].id == "{id}"
    assert {name: (each.implicit_id, each.keeps_id) for name, each in coders.items()} == {
        "post_box": (True, True),
        "post_nameless": (False, False),
        "post_own_id": (False, True),
    }


def test_identities():
    """A published identity is the type's, if all that it names is the type's own."""
    attributes = {each: {"type": "string", "required_for_import": True} for each in ("id", "old_name")}
    identities = {
        "post_box": {"version": 0, "attributes": attributes},
        "post_own_id": {"version": 0, "attributes": {"account": {"type": "string"}}},
    }
    found = from_terraform_schema(document(post={**POST, "resource_identity_schemas": identities})).resources

    assert found["post:index:Box"].trait(ResourceTraits).identity == ("id", "oldName")
    assert found["post:index:OwnId"].trait(ResourceTraits).identity == ()


def test_forces_new():
    """What forces a replacement is the user's to say, in the names of either ecosystem; a wrong name is told."""
    assert {
        name for name, item in box(forces_new={"post_box": ["a_1", "tags", "oldName"]}).properties.items() if item.forces_new
    } == {
        "a_1",
        "tags",
        "oldName",
    }
    with pytest.raises(DefinitionError, match=r"forces_new: post_box has no attribute 'tag'\. Did you mean 'tags'\?"):
        box(forces_new={"post_box": ["tag"]})
    with pytest.raises(DefinitionError, match=r"forces_new: there is no type 'post_bux'\. Did you mean 'post_box'\?"):
        box(forces_new={"post_bux": ["tag"]})


def test_functions_and_ephemeral_resources():
    """Published functions answer generated values of their types, equal for equal arguments; ephemerals are offered, too."""
    given = {
        **POST,
        "ephemeral_resource_schemas": {"post_box": schema({"name": text(required=True), "pin": text(computed=True)})},
    }
    package = from_terraform_schema(document(post=given))
    double = provider_functions(package)["double"]

    assert double.variadic == "more"
    assert double.nullable == ("more",)
    assert double.implementation(1) == double.implementation(1) != double.implementation(2)
    opened = ephemerals(package)["post_box"]
    assert isinstance(opened, Ephemeral)
    assert (set(opened.inputs), set(opened.returns)) == ({"name"}, {"pin"})


def test_data_sources_answer():
    """A data source is asked for what may be set, and answers generated values for what is computed."""
    double = Double(from_terraform_schema(TEXT))
    asked = Call(op=Op.INVOKE, session=double.open("tfplugin6"), type="post:index:getBox", inputs={"name": "me", "rule": []})
    reply = double(asked)

    assert set(reply.value) == {"id", "serial"}
    assert isinstance(reply.value["serial"], int)


@pytest.mark.parametrize(("major", "given"), [(6, POST), (5, PLAIN)])
def test_messages_say_what_was_given(major, given):
    """The schema that is served is the text again, in either major; and a recorded answer reads as that text does."""
    message = ProviderSchema(from_terraform_schema(document(post=given)), major).message()

    assert data_of(message) == given
    again = from_terraform_schema(message, "post")
    assert again.terraform_schema == given
    assert data_of(ProviderSchema(again, major).message()) == given


def test_an_added_type_is_served_beside():
    """What is declared by hand stands beside what was read, and may take its place."""
    package = from_terraform_schema(TEXT)
    package.add(ResourceType("post:index:Stamp", {"price": Property(int, required=True)}))
    package.add(ResourceType("post:index:Box", {"size": Property(int)}))
    message = ProviderSchema(package).message()

    assert set(message.resource_schemas) == {"post_box", "post_nameless", "post_own_id", "post_stamp"}
    assert [each.name for each in message.resource_schemas["post_box"].block.attributes] == ["id", "size"]


def test_major_5_has_no_words_for_nested_attributes():
    """A schema with nested attributes is refused for major 5, naming type and attribute."""
    with pytest.raises(DefinitionError, match=r"post_box\.list_of is a nested attribute, which Terraform's protocol 5 has no"):
        ProviderSchema(from_terraform_schema(TEXT), 5).message()


def test_layouts():
    """Blocks that nobody wrote are empty collections and objects of nulls on the wire, and absent elsewhere."""
    tree = tree_of(POST["resource_schemas"]["post_box"])
    whole = outward({"name": "me", "password": "hush", "rule": [{"port": 1}]}, tree, "post_box")

    assert whole == {
        "name": "me",
        "password": "hush",
        "rule": [{"port": 1}],
        "always": {},
        "peer": [],
        "zone": {},
        "free": [],
    }
    assert inward({**whole, "always": {"port": None}, "once": None}, tree) == {
        "name": "me",
        "password": "hush",
        "rule": [{"port": 1}],
    }
    assert tree.type.attributes["free"] == DYNAMIC
    assert tree.type.attributes["many"] == parse_type('["list","dynamic"]')
    assert tree.type.attributes["set_of"] == parse_type('["set",["object",{"inner_name":"string"}]]')


def test_several_providers():
    """Of several providers one is chosen by name or address, or all are read."""
    both = document(post=POST, mail=PLAIN)

    assert from_terraform_schema(both, "mail").name == "mail"
    assert from_terraform_schema(both, "registry.terraform.io/hashicorp/post").name == "post"
    assert [each.name for each in from_terraform_schemas(json.dumps(both))] == ["post", "mail"]
    with pytest.raises(DefinitionError, match=r"there are several providers: .*/mail, .*/post\. Say which one"):
        from_terraform_schema(both)
    with pytest.raises(DefinitionError, match=r"there is no provider 'pst'\. Did you mean 'post'\?"):
        from_terraform_schema(both, "pst")


def changed(path, value):
    """The document with ``value`` at ``path`` of the type with everything."""
    given = copy.deepcopy(POST)
    inner = given["resource_schemas"]["post_box"]
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return document(post=given)


ATTRIBUTES, BLOCKS = ("block", "attributes"), ("block", "block_types")


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ((*ATTRIBUTES, "tags", "type"), ["mapp", "string"], r"\.tags\.type: .* is no type\. Types look like"),
        ((*ATTRIBUTES, "tags"), {"optional": True}, r'\.tags: .* needs exactly one of "type" and "nested_type"'),
        ((*ATTRIBUTES, "tags"), 7, r"\.tags: 7 stands here\. Write an object in braces"),
        ((*ATTRIBUTES, "tags"), {"type": "string"}, r"\.tags: this attribute is neither required, optional nor computed"),
        ((*ATTRIBUTES, "name", "computed"), True, r"\.name: this attribute is required, and also optional or computed"),
        ((*ATTRIBUTES, "name", "required"), "yes", r'\.name\.required: "yes" stands here\. Write true or false'),
        ((*ATTRIBUTES, "name", "description_kind"), "html", r"\.description_kind: 'html' is none of the words here"),
        (
            (*BLOCKS, "rule", "nesting_mode"),
            "lst",
            r"\.rule\.nesting_mode: 'lst' is none of the words here\. Did you mean 'list'",
        ),
        ((*BLOCKS, "name"), block("list", {}), r"\.name: an attribute is called 'name', too"),
        ((*BLOCKS, "rule", "min_items"), -1, r"\.rule\.min_items: -1 is below 0"),
        (("block",), None, r"\.post_box\.block: null stands here\. Write an object"),
        (("version",), "two", r'\.post_box\.version: "two" stands here\. Write a whole number'),
    ],
)
def test_what_is_wrong_is_told(path, value, told):
    """A schema that no engine would take is one error: the place, what stands there, and what should."""
    with pytest.raises(DefinitionError, match=told):
        from_terraform_schema(changed(path, value))


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("{", r"schema, line 1, column 2: this is no JSON"),
        (
            {"format_version": "2.0", "provider_schemas": {}},
            r"format_version: this is format 2\.0, and formats 0 and 1 can be read",
        ),
        (
            {"format_version": "1.0", "provider_schemas": {}},
            r"there are no providers\. Run the command where some are required",
        ),
        ({"name": "post"}, r"this is no provider schema\. It is what `terraform providers schema -json` shows"),
        ({"provider": schema({})}, r"nothing here says what the provider is called"),
    ],
)
def test_a_document_that_is_none_is_told(source, told):
    """What is no provider schema at all is told so, and what would be one."""
    with pytest.raises(DefinitionError, match=told):
        from_terraform_schema(source)


def test_two_types_of_one_name_are_refused():
    """Two hand-made types that Terraform would call the same are named, before an engine sees only one of them."""
    package = Package("post")
    package.add(ResourceType("post:a/x:Box"), ResourceType("post:a/y:Box"))
    with pytest.raises(DefinitionError, match=r"'post:a/x:Box' and 'post:a/y:Box' would both be Terraform's type 'post_a_box'"):
        ProviderSchema(package).message()


def test_what_terraform_cannot_say_names_the_type():
    """Names that meet inside of an object are refused with the type that has them."""
    package = Package("post")
    package.add(ResourceType("post:index:Box", {"rule": Property({"openTo": str, "open_to": str})}))
    with pytest.raises(DefinitionError, match=r"post:index:Box cannot be served to Terraform: Properties 'openTo'"):
        ProviderSchema(package).message()


def test_the_command_line_tells_files_apart(tmp_path):
    """Files of types are known by what is in them; what declares none is told what could."""
    shown, odd = tmp_path / "shown.json", tmp_path / "odd.json"
    shown.write_text(TEXT, encoding="utf-8")
    odd.write_text('{"colour": 1}', encoding="utf-8")
    said: list[str] = []

    assert [each.name for each in read_types([shown], said.append)] == ["post"]
    assert said == [f"{shown}: a Terraform provider schema: post, 3 resource types, 1 function"]
    with pytest.raises(
        DefinitionError, match=r"odd\.json: nothing here declares types: its keys are colour\. It may be a types"
    ):
        read_types([odd])


def test_recursion_has_an_end():
    """A schema that is nested beyond all measure is refused."""
    deep = "string"
    for _ in range(5000):
        deep = ["list", deep]
    with pytest.raises(DefinitionError, match=r"is no type|cannot be read"):
        of({"a": text(type=deep)})
