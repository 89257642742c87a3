"""Declared packages as Terraform is told of them: sections, names, capabilities, functions, and what is declared anew."""

from __future__ import annotations

from typing import Any

import pytest

from mockprovider.errors import DefinitionError, MalformedError
from mockprovider.offers import Ephemeral, ProviderFunction
from mockprovider.schema import Function, Kind, Package, Property, ResourceType
from mockprovider.terraform import ResourceTraits
from mockprovider.terraform.schema.functions import fill_functions
from mockprovider.terraform.schema.provider import ProviderSchema, data_source_name, returned_properties
from mockprovider.values import Secret


@pytest.mark.parametrize(
    ("token", "name"),
    [
        ("cloud:index:getZone", "cloud_zone"),
        ("cloud:net:getZone", "cloud_net_zone"),
        ("cloud:index:getaway", "cloud_getaway"),
        ("cloud:index:get", "cloud_get"),
        ("cloud:index:zone", "cloud_zone"),
    ],
)
def test_names_of_data_sources(token: str, name: str) -> None:
    """A function is a data source without its get."""
    assert data_source_name(token) == name


def test_what_a_function_returns() -> None:
    """Each returned value has the kind of its literal; of a callable's answer nobody knows the names."""
    returns = {"a": "x", "b": 1.5, "c": True, "d": ["x"], "e": None, "f": Secret("x")}
    found = returned_properties(Function("cloud:index:getZone", {}, returns))
    assert {name: (item.kind.name, item.secret) for name, item in found.items()} == {
        "a": ("string", False),
        "b": ("number", False),
        "c": ("boolean", False),
        "d": ("any", False),
        "e": ("any", False),
        "f": ("string", True),
    }
    assert all(item.computed for item in found.values())
    assert returned_properties(Function("cloud:index:getZone", {}, dict)) == {"result": Property(Kind("any"), computed=True)}


def package(*declared: Any, **config: Property) -> Package:
    made = Package("cloud", config=config)
    made.add(*declared)
    return made


def test_each_section_has_its_own_names() -> None:
    """A type, a data source and an ephemeral resource may share a name; each is found by it and by its token."""
    made = package(
        ResourceType("cloud:index:Zone", {"a": str}),
        Function("cloud:index:getZone", {"b": Property(str)}, {}),
        Ephemeral("cloud:index:Zone2", {"c": Property(str)}, {}, terraform="cloud_zone"),
        region=Property(str),
    )
    schema = ProviderSchema(made)
    for of, token, attribute in (
        ("resource", "cloud:index:Zone", "a"),
        ("data", "cloud:index:getZone", "b"),
        ("ephemeral", "cloud:index:Zone2", "c"),
    ):
        coder = schema.coder(of, "cloud_zone")
        assert coder is schema.coder(of, token)
        assert (coder.name, coder.token, coder.published) == ("cloud_zone", token, False)
        assert attribute in coder.type.attributes
        assert coder.declared.token == token
    assert schema.ephemeral("cloud_zone") is schema.coder("ephemeral", "cloud_zone")
    provider = schema.coder("provider", "")
    assert (provider.name, provider.token, list(provider.type.attributes)) == ("cloud", "pulumi:providers:cloud", ["region"])
    for of, what in (("resource", "resource type"), ("data", "data source"), ("ephemeral", "ephemeral resource")):
        with pytest.raises(MalformedError, match=f"Nobody declared the {what} 'zone' in 'cloud'"):
            schema.coder(of, "zone")


def test_what_is_declared_anew_is_compiled_anew() -> None:
    """A type that takes another's place is served from then on, under both names; so is what an offer brings."""
    made = package(ResourceType("cloud:index:Box", {"a": str}))
    schema = ProviderSchema(made)
    first, message = schema.coder("resource", "cloud:index:Box"), schema.message()
    made.add(ResourceType("cloud:index:Box", {"b": str}))
    for name in ("cloud_box", "cloud:index:Box"):
        assert "b" in schema.coder("resource", name).type.attributes
    assert schema.coder("resource", "cloud_box") is not first
    again = schema.message()
    assert again is not message
    made.add(Ephemeral("cloud:index:Token", {}, {}))
    assert schema.message() is not again
    assert schema.message() is schema.message()


def test_what_a_package_says_of_itself() -> None:
    """Versions, descriptions and capabilities are the declarations'; an argument has no other flags than a program sets."""
    made = package(
        ResourceType("cloud:index:Box", {"a": str}, description="A box.", traits=[ResourceTraits(version=4)]),
        ResourceType("cloud:index:Lid", {"id": Property(str), "a": str}),
        region=Property(str, required=True, description="Where.", terraform="zone"),
        key=Property(str, secret=True, default="x"),
    )
    message: Any = ProviderSchema(made).message()
    box = message.resource_schemas["cloud_box"]
    assert (box.version, box.block.description) == (4, "A box.")
    assert [(each.name, each.computed) for each in box.block.attributes] == [("a", False), ("id", True)]
    lid = message.resource_schemas["cloud_lid"]
    assert [(each.name, each.computed) for each in lid.block.attributes] == [("a", False), ("id", False)]
    key, zone = message.provider.block.attributes
    assert (key.name, key.optional, key.computed, key.sensitive) == ("key", True, False, True)
    assert (zone.name, zone.required, zone.description) == ("zone", True, "Where.")
    assert message.provider.version == 0
    assert not message.server_capabilities.move_resource_state
    made.add(ResourceType("cloud:index:New", {"a": str}, moved_from=("cloud_box",)))
    capabilities = ProviderSchema(made).message().server_capabilities  # type: ignore[attr-defined]
    assert capabilities.move_resource_state


PUBLISHED = {"version": 7, "block": {"attributes": {"count": {"type": "number", "optional": True}}}}
COUNT = {"count": Property(int)}


@pytest.mark.parametrize(
    ("declared", "section"),
    [
        (ResourceType("cloud:index:Box", COUNT, traits=[ResourceTraits(version=7, schema=PUBLISHED)]), "resource_schemas"),
        (Function("cloud:index:getBox", COUNT, {}, terraform_schema=PUBLISHED), "data_source_schemas"),
        (Ephemeral("cloud:index:Box", COUNT, {}, terraform_schema=PUBLISHED), "ephemeral_resource_schemas"),
    ],
)
def test_a_published_schema_is_what_it_is(declared: Any, section: str) -> None:
    """Its version and names are served as they are, also names that engines keep for themselves."""
    schema: Any = ProviderSchema(package(declared))
    found = getattr(schema.message(), section)["cloud_box"]
    assert (found.version, [each.name for each in found.block.attributes]) == (7, ["count"])
    of = {"resource_schemas": "resource", "data_source_schemas": "data"}.get(section, "ephemeral")
    coder = schema.coder(of, "cloud_box")
    assert (coder.published, coder.result, coder.tree.members["count"].property_name) == (True, "", "count")


def test_a_published_configuration_is_what_it_is() -> None:
    """A provider's published block has its own version, and may have names that engines keep."""
    made = package(count=Property(int))
    with pytest.raises(DefinitionError, match="The configuration of cloud cannot"):
        ProviderSchema(made).message()
    made.terraform_schema = {"provider": PUBLISHED}
    schema: Any = ProviderSchema(made)
    assert (schema.message().provider.version, schema.provider.published) == (7, True)
    assert schema.provider.tree.members["count"].property_name == "count"


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        (Ephemeral("cloud:index:Token", {"count": Property(int)}, {}), "cloud:index:Token cannot .* the argument 'count'"),
        (Function("cloud:index:getBox", {"count": Property(int)}, {}), "cloud:index:getBox cannot .* the argument 'count'"),
    ],
)
def test_names_that_what_is_asked_cannot_have(declared: Any, told: str) -> None:
    """Arguments of data sources and ephemeral resources are looked at, too, and answers are not."""
    with pytest.raises(DefinitionError, match=told):
        ProviderSchema(package(declared)).message()
    ProviderSchema(package(Function("cloud:index:getBox", {}, {"count": 1}))).message()


def test_two_of_one_name() -> None:
    """Two types or two data sources of one name are refused, and what is declared twice under one token is one."""
    one, other = Function("cloud:index:getZone", {}, {}), Function("cloud:index:zone", {}, {})
    with pytest.raises(DefinitionError, match=r"'cloud:index:getZone' and 'cloud:index:zone' .* data source 'cloud_zone'"):
        ProviderSchema(package(one, other)).message()
    ProviderSchema(package(one, ResourceType("cloud:index:Zone", {}))).message()


def test_functions_as_messages() -> None:
    """A declared function says its parameters and types; a published one says what was published, and nothing else."""
    made = package(
        ProviderFunction(
            "cloud:index:joinAll",
            {"theWord": Property(str, description="d"), "more": Property(int)},
            returns=bool,
            variadic="more",
            nullable=("more",),
            unknowns=("theWord",),
            description="x",
        )
    )
    message: Any = ProviderSchema(made).message()
    declared = message.functions["join_all"]
    [word], more = declared.parameters, declared.variadic_parameter
    assert (declared.summary, declared.description, getattr(declared, "return").type) == ("x", "x", b'"bool"')
    assert (word.name, word.type, word.description) == ("the_word", b'"string"', "d")
    assert (word.allow_null_value, word.allow_unknown_values) == (False, True)
    assert (more.name, more.type, more.allow_null_value, more.allow_unknown_values) == ("more", b'"number"', True, False)

    made.terraform_schema = {
        "functions": {
            "join_all": {"return_type": "string", "summary": "s", "deprecation_message": "old"},
            "cut": {
                "return_type": ["list", "string"],
                "description": "e",
                "parameters": [{"name": "a", "type": "number", "description": "f", "is_nullable": True}, {"type": "bool"}],
                "variadic_parameter": {"name": "b", "type": "dynamic"},
            },
        }
    }
    functions = ProviderSchema(made).message().functions  # type: ignore[attr-defined]
    join, cut = functions["join_all"], functions["cut"]
    assert (join.summary, join.description, join.deprecation_message) == ("s", "", "old")
    assert (len(join.parameters), join.HasField("variadic_parameter"), getattr(join, "return").type) == (0, False, b'"string"')
    assert (cut.description, getattr(cut, "return").type) == ("e", b'["list","string"]')
    assert [(each.name, each.type, each.description, each.allow_null_value) for each in cut.parameters] == [
        ("a", b'"number"', "f", True),
        ("", b'"bool"', "", False),
    ]
    assert (cut.variadic_parameter.name, cut.variadic_parameter.type) == ("b", b'"dynamic"')
    made.terraform_schema = {"functions": None}
    again: Any = type(message)()
    fill_functions(again.functions, made)
    assert list(again.functions) == ["join_all"]
