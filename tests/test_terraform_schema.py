"""The schema message of a package, in both majors."""

from __future__ import annotations

from typing import Any

import pytest

from mockprovider.errors import DefinitionError, MalformedError
from mockprovider.schema import Function, Kind, Package, Property, ResourceType
from mockprovider.terraform import ResourceTraits
from mockprovider.terraform.schema.provider import ProviderSchema, data_source_name

RULE = Kind("object", properties={"fromPort": Property(int, required=True), "note": Property(str, default="")})


def package() -> Package:
    made = Package("cloud", config={"region": Property(str, required=True), "token": Property(str, secret=True, default="x")})
    made.add(
        ResourceType(
            "cloud:index:Bucket",
            {
                "name": Property(str, required=True, description="What it is called."),
                "acl": Property(str, default="private"),
                "arn": Property(str, computed=True),
                "owner": Property(str, computed=True, optional=True, secret=True),
                "sizes": list[int],
                "one": Property(RULE),
                "some": Property(Kind("array", items=RULE)),
                "few": Property(Kind("set", items=RULE)),
                "named": Property(Kind("map", items=RULE)),
                "deep": Property(Kind("array", items=Kind("array", items=RULE))),
                "made": Property(RULE, computed=True),
            },
            description="A place for things.",
            traits=[ResourceTraits(version=3)],
        ),
        Function("cloud:net:getZone", {"region": Property(str, required=True)}, {"zone": "{region}-a", "size": 3}),
        Function("cloud:index:lookup", {}, lambda arguments: {"x": arguments}),
    )
    return made


def attributes(block: Any) -> dict[str, Any]:
    return {each.name: each for each in block.attributes}


def flags(attribute: Any) -> str:
    return " ".join(name for name in ("required", "optional", "computed", "sensitive") if getattr(attribute, name))


def test_flags_say_who_sets_an_attribute() -> None:
    """Required, optional, computed and sensitive follow from the declaration; a default makes it computed as well."""
    schema: Any = ProviderSchema(package()).message()
    found = attributes(schema.resource_schemas["cloud_bucket"].block)
    assert {name: flags(found[name]) for name in ("name", "acl", "arn", "owner", "sizes", "id")} == {
        "name": "required",
        "acl": "optional computed",
        "arn": "computed",
        "owner": "optional computed sensitive",
        "sizes": "optional",
        "id": "computed",
    }
    assert found["name"].description == "What it is called."
    assert found["sizes"].type == b'["list","number"]'
    assert schema.resource_schemas["cloud_bucket"].version == 3
    assert schema.resource_schemas["cloud_bucket"].block.description == "A place for things."


def test_objects_are_nested_attributes() -> None:
    """Objects and collections of objects have attributes of their own; inside a computed one all are computed."""
    schema: Any = ProviderSchema(package()).message()
    found = attributes(schema.resource_schemas["cloud_bucket"].block)
    assert [found[name].nested_type.nesting for name in ("one", "some", "few", "named")] == [1, 2, 3, 4]
    inside = attributes(found["some"].nested_type)
    assert {name: flags(each) for name, each in inside.items()} == {"from_port": "required", "note": "optional computed"}
    assert {flags(each) for each in found["made"].nested_type.attributes} == {"computed"}
    assert found["deep"].type == b'["list",["list",["object",{"from_port":"number","note":"string"}]]]'
    assert all(bool(each.type) != each.HasField("nested_type") for each in found.values())


def test_major_5_has_blocks_instead_of_nested_attributes() -> None:
    """Where the protocol has no nested attributes, objects are nested blocks, and those that are computed have object types."""
    schema: Any = ProviderSchema(package(), 5).message()
    assert schema.DESCRIPTOR.full_name == "tfplugin5.GetProviderSchema.Response"
    block = schema.resource_schemas["cloud_bucket"].block
    found = attributes(block)
    assert {each.type_name: each.nesting for each in block.block_types} == {"one": 1, "some": 2, "few": 3, "named": 4}
    inside = attributes(block.block_types[0].block)
    assert {name: flags(each) for name, each in inside.items()} == {"from_port": "required", "note": "optional computed"}
    assert found["made"].type == b'["object",{"from_port":"number","note":"string"}]'
    assert found["deep"].type == b'["list",["list",["object",{"from_port":"number","note":"string"}]]]'


def test_the_provider_block_has_arguments_only() -> None:
    """What a program says to a provider is required or optional, never computed; without configuration the block is empty."""
    schema: Any = ProviderSchema(package()).message()
    found = attributes(schema.provider.block)
    assert {name: flags(each) for name, each in found.items()} == {"region": "required", "token": "optional sensitive"}
    assert ProviderSchema(Package("empty")).message().HasField("provider")


def test_functions_are_data_sources() -> None:
    """Arguments and results are attributes of the data source that bears the function's name without its get."""
    schema: Any = ProviderSchema(package()).message()
    zone = attributes(schema.data_source_schemas["cloud_net_zone"].block)
    assert {name: (flags(each), each.type) for name, each in zone.items()} == {
        "region": ("required", b'"string"'),
        "zone": ("computed", b'"string"'),
        "size": ("computed", b'"number"'),
    }
    assert attributes(schema.data_source_schemas["cloud_lookup"].block)["result"].type == b'"dynamic"'
    assert data_source_name("cloud:index:getaway") == "cloud_getaway"


def test_capabilities_are_declared() -> None:
    """Engines are told that destroys are planned too, and that one look at the schema is enough."""
    capabilities = ProviderSchema(package()).message().server_capabilities  # type: ignore[attr-defined]
    assert capabilities.plan_destroy
    assert capabilities.get_provider_schema_optional


def test_the_message_is_built_once_for_one_set_of_definitions() -> None:
    """The same message is given again until something is declared, and then it is a new one."""
    served = package()
    schema = ProviderSchema(served)
    first, compiled = schema.message(), schema.resource("cloud_bucket")
    assert schema.message() is first
    assert schema.resource("cloud_bucket") is compiled
    served.add(ResourceType("cloud:index:Bucket", {"colour": str}))
    second: Any = schema.message()
    assert set(attributes(second.resource_schemas["cloud_bucket"].block)) == {"colour", "id"}
    assert set(schema.resource("cloud_bucket").type.attributes) == {"colour", "id"}


def test_types_are_found_by_either_name() -> None:
    """A resource type and a data source answer to Terraform's name and to the token, and are compiled once."""
    schema = ProviderSchema(package())
    assert schema.resource("cloud_bucket") is schema.resource("cloud:index:Bucket")
    assert schema.data_source("cloud_net_zone") is schema.data_source("cloud:net:getZone")
    assert schema.provider.token == "pulumi:providers:cloud"


def test_undeclared_types_are_refused_with_the_nearest() -> None:
    """A type that nobody declared is an error that names the nearest that somebody did."""
    schema = ProviderSchema(package())
    with pytest.raises(MalformedError, match=r"resource type 'cloud_buckets' in 'cloud'. Did you mean 'cloud_bucket'"):
        schema.resource("cloud_buckets")
    with pytest.raises(MalformedError, match=r"data source 'x' in 'cloud'. Declared are: cloud_lookup, cloud_net_zone"):
        schema.data_source("x")


def test_nested_names_must_differ() -> None:
    """Two properties of a nested object that would be one attribute are refused when the schema is asked for."""
    clash = Kind("object", properties={"aB": Property(str), "a_b": Property(str)})
    served = Package("cloud")
    served.add(ResourceType("cloud:index:Bucket", {"rule": Property(clash)}))
    with pytest.raises(DefinitionError, match="would both be Terraform's 'a_b'"):
        ProviderSchema(served).message()


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        (
            ResourceType("cloud:index:Fleet", {"count": Property(int)}),
            "cloud:index:Fleet cannot .* 'count', which the engine keeps",
        ),
        (ResourceType("cloud:index:Fleet", {"a.b": Property(int)}), r"the attribute 'a\.b', and a name there is letters"),
        (ResourceType("cloud:index:Fleet", {"a": Property(int, terraform="3d")}), "property 'a' would be the attribute '3d'"),
        (Function("cloud:index:getFleet", {"forEach": Property(int)}, {}), "getFleet cannot .* the argument 'for_each'"),
        (Package("cloud", config={"alias": Property(str)}), "The configuration of cloud cannot .* the argument 'alias'"),
    ],
)
def test_names_that_no_configuration_can_say(declared: ResourceType | Function | Package, told: str) -> None:
    """What an engine would take for its own, or could not read, is refused with another name as the way out."""
    made = declared if isinstance(declared, Package) else Package("cloud")
    if not isinstance(declared, Package):
        made.add(declared)
    with pytest.raises(DefinitionError, match=rf"{told}.*Give it terraform='another_name'"):
        ProviderSchema(made).message()


@pytest.mark.parametrize(
    ("of", "kept"),
    [
        ("type", "connection count depends_on for_each lifecycle provider provisioner"),
        ("data source", "count depends_on for_each lifecycle provider"),
        ("provider", "alias count depends_on for_each lifecycle locals source version"),
    ],
)
def test_the_names_that_engines_keep(of: str, kept: str) -> None:
    """Each sort of block has the meta-arguments that the engines' documents list, and any other name is free."""
    words = "alias connection count depends_on for_each lifecycle locals name provider provisioner source version"
    refused = []
    for word in words.split():
        properties = {"a": Property(str, terraform=word)}
        made = Package("cloud", config=properties if of == "provider" else {})
        if of != "provider":
            made.add(
                ResourceType("cloud:index:Fleet", properties)
                if of == "type"
                else Function("cloud:index:getFleet", properties, {})
            )
        try:
            ProviderSchema(made).message()
        except DefinitionError:
            refused.append(word)
    assert " ".join(refused) == kept


def test_names_that_only_answers_have() -> None:
    """What a provider computes may be called anything that can be read, and so may what is nested or of a published schema."""
    properties = {
        "count": Property(int, computed=True),
        "size": Property(int, terraform="number-of"),
        "in": Property({"count": int}),
    }
    made = Package("cloud")
    made.add(ResourceType("cloud:index:Fleet", properties))
    schema: Any = ProviderSchema(made).message()
    assert attributes(schema.resource_schemas["cloud_fleet"].block).keys() == {"count", "id", "in", "number-of"}
    published = Package(
        "cloud", resources={"cloud:index:Fleet": ResourceType("cloud:index:Fleet", {"count": int})}, schema="{}"
    )
    assert "cloud_fleet" in ProviderSchema(published).message().resource_schemas  # type: ignore[attr-defined]
