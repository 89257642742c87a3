"""Scalars that a provider bridged from Terraform's takes for one another."""

from __future__ import annotations

import pytest
from builders import call

from mockprovider import Double, ResourceType, from_schema
from mockprovider.calls import Op
from mockprovider.properties import Kind, Property
from mockprovider.values import UNKNOWN, Output, Secret

SCALARS = {
    "text": {"type": "string"},
    "count": {"type": "integer"},
    "share": {"type": "number"},
    "on": {"type": "boolean"},
    "ports": {"type": "array", "items": {"type": "string"}},
    "sizes": {"type": "object", "additionalProperties": {"type": "integer"}},
}
RULE = {"type": "object", "properties": {"port": {"type": "string"}}}


def checked(package, **inputs):
    """What Check answers of a type of this package, and where it fails."""
    schema = {
        "name": package,
        "types": {f"{package}:index:Rule": RULE},
        "resources": {
            f"{package}:index:Thing": {"inputProperties": SCALARS | {"rule": {"$ref": f"#/types/{package}:index:Rule"}}}
        },
    }
    double = Double(from_schema(schema))
    reply = double(call(Op.CHECK, f"{package}:index:Thing", session=double.open(package=package), inputs=inputs))
    return reply.inputs, [failure.path for failure in reply.failures]


@pytest.mark.parametrize(
    ("given", "understood"),
    [
        ({"text": 80}, {"text": "80"}),
        ({"text": 80.0}, {"text": "80"}),
        ({"text": 1.5}, {"text": "1.5"}),
        ({"text": True}, {"text": "true"}),
        ({"count": "3", "share": "0.5", "on": "false"}, {"count": 3, "share": 0.5, "on": False}),
        ({"ports": ["22", 80]}, {"ports": ["22", "80"]}),
        ({"sizes": {"a": "1"}}, {"sizes": {"a": 1}}),
        ({"rule": {"port": 80}}, {"rule": {"port": "80"}}),
        ({"text": Secret(80)}, {"text": Secret("80")}),
        ({"text": Output(80, dependencies=("u",))}, {"text": Output("80", dependencies=("u",))}),
        ({"text": UNKNOWN, "ports": UNKNOWN}, {"text": UNKNOWN, "ports": UNKNOWN}),
    ],
)
def test_scalars_are_understood_at_every_depth(given, understood):
    """Numbers and booleans stand for texts, and texts for what they say, as programs in YAML write them."""
    assert checked("cloud", **given) == (understood, [])


@pytest.mark.parametrize(
    "given", [{"count": "many"}, {"count": "1.5"}, {"on": "yes"}, {"on": 1}, {"ports": "80"}, {"text": ["a"]}]
)
def test_what_says_nothing_else_is_refused(given):
    """A text that is no number, and a value of another shape, are failures as before."""
    assert checked("cloud", **given) == (given, [*given])


def test_native_providers_take_what_their_schemas_say():
    """Those that are not bridged get no such help from anybody."""
    assert checked("azure-native", text=80) == ({"text": 80}, ["text"])


def test_types_declared_by_hand_are_as_they_are_declared():
    """Only a schema leaves open how a provider reads a value."""
    double = Double(ResourceType("cloud:index:Thing", {"text": Property(Kind("string"))}))
    reply = double(call(Op.CHECK, "cloud:index:Thing", session=double.open(package="cloud"), inputs={"text": 80}))
    assert [failure.path for failure in reply.failures] == ["text"]


def test_arguments_of_functions_are_understood_as_well():
    """A function of a schema gets its arguments as those of a type are."""
    function = {"inputs": {"properties": {"port": {"type": "string"}}}, "outputs": {"properties": {"port": {"type": "string"}}}}
    double = Double(from_schema({"name": "cloud", "functions": {"cloud:index:getThing": function}}))
    asked = call(Op.INVOKE, "cloud:index:getThing", session=double.open(package="cloud"), inputs={"port": 80})
    assert double(asked).value == {"port": "80"}
