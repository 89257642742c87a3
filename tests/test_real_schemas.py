"""Real providers' package schemas, read whole."""

from __future__ import annotations

import json

import pytest
from contract_stage import PulumiRun
from real_schemas import real_schema, whole

from mockprovider.calls import Call, Op, Reply
from mockprovider.double import Double
from mockprovider.ondemand import held
from mockprovider.pulumi.package.reading import from_schema
from mockprovider.schema import Kind
from mockprovider.terraform.schema.provider import ProviderSchema

COUNTS = {
    "random": (7, 0),
    "tls": (4, 2),
    "kubernetes": (189, 0),
    "kubernetes-2026": (472, 0),
    "azure-native": (2, 0),
    "azure-native-whole": (1288, 1579),
    "aws": (599, 200),
    "terraform-bridge-random": (8, 0),
    "terraform-bridge-tls": (4, 2),
    "akamai": (116, 153),
    "azure": (488, 170),
    "docker": (11, 5),
    "eks": (1, 0),
    "awsx": (0, 1),
}
"""Resources and functions of each, components and methods aside."""

COMPARED = sorted(COUNTS.keys() - {"azure-native-whole"})
"""Those that are compared as a whole, twice: with the largest it would take half a minute."""


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_a_real_schema_is_read_whole(name, pytestconfig):
    """Every resource and function is there, and each that a provider could have been made of data is served over Terraform."""
    text = real_schema(name, pytestconfig)
    package = from_schema(text)

    assert (len(package.resources), len(package.functions)) == COUNTS[name]
    assert set(package.resources) == {
        token for token, each in json.loads(text)["resources"].items() if not each.get("isComponent")
    }
    assert package.schema == text
    assert len(ProviderSchema(package).message().resource_schemas) == COUNTS[name][0]


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_every_type_of_a_real_schema_makes_objects(name, pytestconfig):
    """A fake of each type plans and creates an object of whatever the program must say."""
    double = Double(from_schema(real_schema(name, pytestconfig)))
    session = double.open("pulumi")
    package = next(iter(double.packages.values()))
    for token, declared in package.resources.items():
        inputs = {each: SAMPLES[item.kind.name] for each, item in declared.properties.items() if item.required}
        reply = double(Call(op=Op.CREATE, session=session, type=token, name="it", inputs=inputs))
        assert not reply.failures, token
        assert set(reply.value) >= {each for each, item in declared.properties.items() if item.computed is True}


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_a_real_schema_keeps_the_contract(name, pytestconfig):
    """What real providers publish is a package schema by the contract's rule, too."""
    run = PulumiRun()
    run.ask(Op.GET_SCHEMA, Reply(extra={"schema": real_schema(name, pytestconfig)}))
    assert run.broken == []


@pytest.mark.parametrize("name", COMPARED)
def test_a_kept_real_schema_is_the_one_that_was_read(name, pytestconfig, tmp_path, monkeypatch):
    """Read a type at a time, and in the other direction, it comes to the same as read whole."""
    text = real_schema(name, pytestconfig)
    monkeypatch.setenv("MOCKPROVIDER_CACHE", str(tmp_path))
    monkeypatch.setattr("mockprovider.pulumi.package.kept.LEAST", 0)
    first, second = from_schema(text), from_schema(text)
    assert not held(second.resources)
    for section in (second.methods, second.functions, second.resources):
        for token in reversed(list(section)):
            assert section[token].token == token
    assert whole(first) == whole(second)


SAMPLES = {
    "string": "a",
    "integer": 1,
    "number": 1.5,
    "boolean": True,
    "any": "a",
    "array": [],
    "map": {},
    "object": {},
}


def test_a_function_may_return_an_empty_object(pytestconfig):
    """``"outputs": {}``, as published packages have it, is nothing, as it is to ``pulumi``."""
    schema = json.loads(real_schema("tls", pytestconfig))
    schema["functions"]["tls:index/getPublicKey:getPublicKey"]["outputs"] = {}
    function = from_schema(schema).functions["tls:index/getPublicKey:getPublicKey"]
    assert function.inputs
    assert not function.outputs


def test_types_that_hold_themselves(pytestconfig):
    """A schema of schemas is open where it comes round to itself."""
    package = from_schema(real_schema("kubernetes", pytestconfig))
    definition = package.resources["kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"]

    versions = definition.properties["spec"].kind.properties["versions"].kind.items
    schema = versions.properties["schema"].kind.properties["openAPIV3Schema"].kind
    assert schema.properties["not"].kind == Kind("any")
    assert schema.properties["required"].kind.items == Kind("string")
