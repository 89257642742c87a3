"""Our packages as Pulumi's package schemas."""

from __future__ import annotations

import json
from urllib.parse import unquote

import jsonschema
import pytest
from builders import BUCKET, TOKEN, package

from mockprovider.fake.definitions import load
from mockprovider.pulumi.schema import dump
from mockprovider.schema import Function, Package, Property, ResourceType

NAME = r"^[a-zA-Z][-a-zA-Z0-9_]*$"
TOKEN_PATTERN = r"^[a-zA-Z][-a-zA-Z0-9_]*:([^0-9][a-zA-Z0-9._/-]*)?:[^0-9][a-zA-Z0-9._/]*$"
TYPES = {
    "oneOf": [
        {
            "required": ["type"],
            "properties": {"type": {"enum": ["boolean", "integer", "number", "string"]}, "items": False, "$ref": False},
        },
        {
            "required": ["type", "items"],
            "properties": {"type": {"const": "array"}, "items": {"$ref": "#/$defs/type"}},
        },
        {
            "required": ["type", "additionalProperties"],
            "properties": {"type": {"const": "object"}, "additionalProperties": {"$ref": "#/$defs/type"}},
        },
        {
            "required": ["$ref"],
            "properties": {
                "$ref": {"pattern": r"^(#/types/.+|pulumi\.json#/(Any|Asset|Archive|Json))$"},
                "type": False,
            },
        },
    ]
}
PROPERTIES = {
    "type": "object",
    "additionalProperties": {
        "allOf": [{"$ref": "#/$defs/type"}],
        "properties": {"description": {"type": "string"}, "secret": {"type": "boolean"}},
    },
}
NAMES = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
OBJECT = {
    "type": "object",
    "required": ["type", "properties"],
    "additionalProperties": False,
    "properties": {
        "type": {"const": "object"},
        "description": {"type": "string"},
        "properties": {"$ref": "#/$defs/properties"},
        "required": NAMES,
    },
}
RESOURCE = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        **OBJECT["properties"],
        "inputProperties": {"$ref": "#/$defs/properties"},
        "requiredInputs": NAMES,
    },
}
METASCHEMA = {
    "type": "object",
    "required": ["name", "version"],
    "additionalProperties": False,
    "properties": {
        "name": {"pattern": NAME},
        "version": {"pattern": r"^\d+\.\d+\.\d+"},
        "config": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"variables": {"$ref": "#/$defs/properties"}, "defaults": NAMES},
        },
        "provider": RESOURCE,
        "resources": {"type": "object", "propertyNames": {"pattern": TOKEN_PATTERN}, "additionalProperties": RESOURCE},
        "types": {"type": "object", "propertyNames": {"pattern": TOKEN_PATTERN}, "additionalProperties": OBJECT},
        "functions": {
            "type": "object",
            "propertyNames": {"pattern": TOKEN_PATTERN},
            "additionalProperties": {
                "type": "object",
                "additionalProperties": False,
                "properties": {"inputs": OBJECT, "outputs": OBJECT, "description": {"type": "string"}},
            },
        },
    },
    "$defs": {"type": TYPES, "properties": PROPERTIES},
}
"""What the protocol reference says of package schemas, as far as ours use it."""

RICH = package(
    ResourceType(
        TOKEN,
        {
            "acl": Property(str, default="private"),
            "name": Property(str, required=True, description="what it is called"),
            "key": Property(str, secret=True),
            "zone": Property(str, computed=True, optional=True),
            "arn": Property(str, computed="arn:{id}"),
            "size": int,
            "ratio": float,
            "on": bool,
            "more": Property("any"),
            "file": Property("asset"),
            "files": Property("archive"),
            "list": list[str],
            "bag": set[int],
            "tags": dict[str, bool],
            "deep": list[dict[str, list[float]]],
            "rule": Property({"port": Property(int, required=True), "inner": Property({"a": str})}),
            "rules": Property(list[str]),
        },
        description="a bucket",
    ),
    ResourceType("cloud:storage/rule:Rule", {"rule": Property({"other": bool})}),
    Function("cloud:index:getZone", {"region": str, "filter": Property({"tag": str})}, {"zone": "z", "n": 1}),
    Function("cloud:index:getRaw", {}, lambda _: {}),
    config={"region": Property(str, required=True), "token": Property(str, secret=True), "retry": Property({"times": int})},
    version="1.2.3",
)


def dumped(made: Package = RICH):
    """A package's schema as data."""
    return json.loads(dump(made))


def references(spec):
    """Every reference in a schema."""
    if isinstance(spec, dict):
        return [value for key, value in spec.items() if key == "$ref"] + [
            ref for each in spec.values() for ref in references(each)
        ]
    return [ref for each in spec for ref in references(each)] if isinstance(spec, list) else []


def token(reference):
    """The token of a type that a reference leads to."""
    return unquote(reference.removeprefix("#/types/"))


def catalogued():
    """The example of the page about resource types, as a package."""
    properties = {"rules": {"type": "array", "items": {"type": "object", "properties": {"port": "integer"}}}}
    return load({"mockprovider": 1, "packages": {"cloud": {"resources": {TOKEN: {"properties": properties}}}}})[0]


@pytest.mark.parametrize("made", [RICH, Package("empty"), package(BUCKET), catalogued()])
def test_it_is_a_package_schema(made):
    """What is dumped is a package schema by the metaschema's rules, and each reference inside leads to a type in it."""
    schema = dumped(made)
    jsonschema.Draft202012Validator(METASCHEMA).validate(schema)

    assert {token(ref) for ref in references(schema) if ref.startswith("#/types/")} == set(schema["types"])


def test_name_and_version():
    """The schema is of the package and of its version."""
    assert (dumped()["name"], dumped()["version"]) == ("cloud", "1.2.3")


def test_inputs_and_outputs():
    """Inputs are what a program may set; outputs are everything, required where a value is certain."""
    bucket = dumped()["resources"][TOKEN]
    everything = set(RICH.resources[TOKEN].properties)

    assert set(bucket["properties"]) == everything
    assert set(bucket["inputProperties"]) == everything - {"arn"}
    assert bucket["requiredInputs"] == ["name"]
    assert bucket["required"] == ["acl", "arn", "name", "zone"]
    assert bucket["description"] == "a bucket"


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("name", {"type": "string", "description": "what it is called"}),
        ("key", {"type": "string", "secret": True}),
        ("size", {"type": "integer"}),
        ("ratio", {"type": "number"}),
        ("on", {"type": "boolean"}),
        ("more", {"$ref": "pulumi.json#/Any"}),
        ("file", {"$ref": "pulumi.json#/Asset"}),
        ("files", {"$ref": "pulumi.json#/Archive"}),
        ("list", {"type": "array", "items": {"type": "string"}}),
        ("bag", {"type": "array", "items": {"type": "integer"}}),
        ("tags", {"type": "object", "additionalProperties": {"type": "boolean"}}),
        (
            "deep",
            {
                "type": "array",
                "items": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "number"}}},
            },
        ),
        ("rule", {"$ref": "#/types/cloud:index:BucketRule"}),
    ],
)
def test_types(name, spec):
    """Each kind has the form that the metaschema knows for it, for inputs as for outputs."""
    bucket = dumped()["resources"][TOKEN]

    assert bucket["properties"][name] == bucket["inputProperties"][name] == spec


def test_nested_objects_are_types():
    """Objects inside objects are named types, each with its own required properties."""
    types = dumped()["types"]

    assert types["cloud:index:BucketRule"]["required"] == ["port"]
    assert types["cloud:index:BucketRule"]["properties"]["inner"] == {"$ref": "#/types/cloud:index:BucketRuleInner"}
    assert types["cloud:index:BucketRuleInner"]["properties"] == {"a": {"type": "string"}}


def test_equal_names_in_different_places_are_different_types():
    """Two properties of one name, with other contents, get types of their own, also across modules."""
    made = package(
        ResourceType("cloud:a:Bucket", {"rule": Property({"x": int})}),
        ResourceType("cloud:b:Bucket", {"rule": Property({"y": int})}),
    )
    schema = dumped(made)
    found = [schema["types"][token(each["properties"]["rule"]["$ref"])]["properties"] for each in schema["resources"].values()]

    assert found == [{"x": {"type": "integer"}}, {"y": {"type": "integer"}}]


def test_types_do_not_clash():
    """A type that would have another's token, or a resource's, gets a number; a module's slash is escaped in references."""
    made = package(
        ResourceType(
            "cloud:index:Bucket", {"rule": Property({"inner": Property({"x": int})}), "ruleInner": Property({"y": int})}
        ),
        ResourceType("cloud:index:BucketRule"),
        ResourceType("cloud:storage/key:Key", {"spec": Property({"a": str})}),
    )
    schema = dumped(made)

    assert set(schema["types"]) == {
        "cloud:index:BucketRule2",
        "cloud:index:BucketRuleInner",
        "cloud:index:BucketRuleInner2",
        "cloud:storage/key:KeySpec",
    }
    assert "#/types/cloud:storage%2Fkey:KeySpec" in references(schema)


def test_configuration():
    """Settings are the provider's inputs and configuration variables, secrets marked."""
    schema = dumped()

    assert set(schema["config"]["variables"]) == {"region", "token", "retry"}
    assert schema["provider"]["inputProperties"]["token"] == {"type": "string", "secret": True}
    assert schema["provider"]["requiredInputs"] == ["region"]


def test_functions():
    """A function has its inputs and the names that it returns; a Python function's answer cannot be known beforehand."""
    functions = dumped()["functions"]

    assert set(functions["cloud:index:getZone"]["inputs"]["properties"]) == {"region", "filter"}
    assert set(functions["cloud:index:getZone"]["outputs"]["properties"]) == {"zone", "n"}
    assert functions["cloud:index:getRaw"]["outputs"]["properties"] == {}


def test_required_arguments():
    """An argument that a function cannot do without is required in the schema, too."""
    made = package(Function("cloud:index:f", {"region": Property(required=True), "zone": Property()}))

    assert dumped(made)["functions"]["cloud:index:f"]["inputs"].get("required") == ["region"]


def test_reserved_outputs():
    """``id`` and ``urn`` are every resource's own and no outputs of its type."""
    made = package(ResourceType(TOKEN, {"id": Property(computed=True), "urn": Property(computed=True), "a": str}))

    assert set(dumped(made)["resources"][TOKEN]["properties"]) == {"a"}


def test_the_text_is_always_the_same():
    """Equal packages give equal text, in whatever order they were declared."""
    one = package(BUCKET, ResourceType("cloud:index:Key"))
    other = package(ResourceType("cloud:index:Key"), BUCKET)

    assert dump(one) == dump(other)
