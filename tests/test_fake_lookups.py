"""Functions that look up an object of the type that they are called after, as the fake of a schema answers them."""

from __future__ import annotations

from typing import Any

import pytest

from mockprovider.calls import Call, Op
from mockprovider.double import Double
from mockprovider.fake.lookups import type_of
from mockprovider.pulumi.package.reading import from_schema

VPC, GET_VPC = "aws:ec2/vpc:Vpc", "aws:ec2/getVpc:getVpc"
TEXT, TAGS = {"type": "string"}, {"type": "object", "additionalProperties": {"type": "string"}}
KNOWN = {"cidrBlock": TEXT, "tags": TAGS}
DISK: dict[str, Any] = {"label": TEXT, "parts": {"type": "array", "items": {"$ref": "#/types/cloud:index:Part"}}}
SCHEMA: dict[str, Any] = {
    "name": "aws",
    "meta": {"moduleFormat": "(.*)(?:/[^/]*)"},
    "resources": {VPC: {"inputProperties": KNOWN, "properties": {**KNOWN, "arn": TEXT}, "required": ["arn"]}},
    "functions": {
        GET_VPC: {
            "inputs": {"properties": {"id": TEXT, "vpcName": TEXT, "cidrBlock": TEXT, "tags": TAGS, "state": TEXT}},
            "outputs": {"properties": {"id": TEXT, "arn": TEXT, "cidrBlock": TEXT, "ownerId": TEXT, "state": TEXT}},
        }
    },
}
PRESET = "172.31.0.0/16"
"""What everybody asks of the default network, as the preset says."""


@pytest.fixture
def double():
    with Double(from_schema(SCHEMA)) as double:
        yield double


@pytest.fixture
def ids(double):
    """The ids of two networks."""
    tags = {"Name": "main", "Team": "web"}
    return [made(double, cidrBlock="10.0.0.0/16", tags=tags), made(double, cidrBlock="10.1.0.0/16", tags={"Name": "other"})]


def made(double: Double, **inputs: Any) -> str:
    return double(Call(op=Op.CREATE, session=double.open(package="aws"), type=VPC, inputs=inputs)).id


def asked(double: Double, **arguments: Any) -> dict[str, Any]:
    return double(Call(op=Op.INVOKE, session=double.open(package="aws"), type=GET_VPC, inputs=arguments)).value


@pytest.mark.parametrize(
    "arguments", [{"id": "{id}"}, {"vpcName": "{id}"}, {"cidrBlock": "10.0.0.0/16"}, {"tags": {"Name": "main"}}]
)
def test_what_is_asked_by_what_an_object_has_is_that_object(double, ids, arguments):
    """By its id, under any name, by its properties and by some of its tags; what it does not tell is made up."""
    given = {name: value.format(id=ids[0]) if isinstance(value, str) else value for name, value in arguments.items()}

    answer = asked(double, **given)

    assert (answer["id"], answer["cidrBlock"], answer["arn"].rpartition("/")[2]) == (ids[0], "10.0.0.0/16", ids[0])
    assert answer["ownerId"].isdigit()


@pytest.mark.parametrize(
    "arguments",
    [{}, {"id": "vpc-none"}, {"cidrBlock": "10.2.0.0/16"}, {"tags": {"Name": "main", "Cost": "1"}}, {"state": "available"}],
)
def test_what_no_object_has_is_answered_as_without_any(double, ids, arguments):
    """An argument that fits none, or that the type does not have, or none at all, says nothing of an object."""
    assert asked(double, **arguments)["id"] not in ids


def test_what_several_objects_have_tells_none_apart(double):
    """Where two objects fit, neither is answered."""
    ids = [made(double, cidrBlock="10.0.0.0/16") for _ in range(2)]

    assert asked(double, cidrBlock="10.0.0.0/16")["id"] not in ids


def test_what_a_test_says_counts_before_the_cloud(double, ids):
    """The cloud counts before a preset, a test before the cloud, and the journal says which one it was."""
    assert asked(double, tags={"Name": "none"})["cidrBlock"] == PRESET
    assert f"what the cloud has of {VPC} '{ids[1]}'" in show(double, id=ids[1])
    double.answers(GET_VPC, {"cidrBlock": "10.9.0.0/16"})
    assert asked(double, id=ids[1])["cidrBlock"] == "10.9.0.0/16"


def show(double: Double, **arguments: Any) -> str:
    asked(double, **arguments)
    return str(double.journal.entries(type=GET_VPC)[-1])


def test_what_a_test_says_of_one_output_leaves_the_others(double, ids):
    """An answer of one output leaves the rest as the cloud has it, or as a preset says where the cloud has nothing."""
    double.answers(GET_VPC, {"state": "told"})

    assert asked(double, id=ids[1]).items() >= {"id": ids[1], "cidrBlock": "10.1.0.0/16", "state": "told"}.items()
    assert asked(double, tags={"Name": "none"}).items() >= {"cidrBlock": PRESET, "state": "told"}.items()


NUMBERED = {
    "name": "cloud",
    "resources": {"cloud:index:Disk": {"inputProperties": {**DISK, "region": TEXT}, "properties": {**DISK, "region": TEXT}}},
    "functions": {
        "cloud:index:getDisk": {
            "inputs": {"properties": {"id": {"type": "integer"}, **DISK, "timeouts": TAGS}},
            "outputs": {"properties": {"id": {"type": "integer"}, **DISK}},
        }
    },
    "types": {"cloud:index:Part": {"type": "object", "properties": {"path": TEXT, "mode": TEXT}}},
}


def disk(double: Double, **arguments: Any) -> dict[str, Any]:
    session = double.open(package="cloud")
    session.config = {"region": "east"}
    return double(Call(op=Op.INVOKE, session=session, type="cloud:index:getDisk", inputs=arguments)).value


def test_an_object_is_described_by_parts_and_numbers():
    """By some of a block's arguments, and an id that is a number where it is asked for; what it lacks, nobody makes up."""
    with Double(from_schema(NUMBERED)) as double:
        double.cloud.create("cloud:index:Disk", "7", {"parts": [{"path": "/a"}]})
        double.cloud.create("cloud:index:Disk", "8", {"parts": [{"path": "/b"}], "label": "b"})
        whole = {"id": 7, "parts": [{"path": "/a", "mode": None}], "label": None}

        assert disk(double, parts=[{"path": "/a"}]) == disk(double, id=7.0, timeouts={"read": "5m"}) == whole


def test_a_flag_is_no_id():
    """``True`` is no number, so that it does not mean the object with the id 1."""
    with Double(from_schema(NUMBERED)) as double:
        double.cloud.create("cloud:index:Disk", "1", {"label": "first"})

        assert disk(double, default=True)["label"] != "first"


def test_what_is_in_another_region_is_not_there():
    """Of two objects alike, the one in the provider's region is meant, or in the one that is asked for."""
    with Double(from_schema(NUMBERED)) as double:
        for id_, region in (("7", "east"), ("8", "west")):
            double.cloud.create("cloud:index:Disk", id_, {"label": "a", "region": region})

        assert [disk(double, label="a")["id"], disk(double, label="a", region="west")["id"]] == [7, 8]
        assert disk(double, id=8)["label"] != "a"


def test_what_is_gone_is_not_found(double, ids):
    """An object that was deleted is answered no more, and one that was changed by hand is answered as it is."""
    double.cloud.update(VPC, ids[0], {"cidrBlock": "10.7.0.0/16"})
    assert asked(double, id=ids[0])["cidrBlock"] == "10.7.0.0/16"
    double.cloud.delete(VPC, ids[0])
    assert asked(double, id=ids[0])["cidrBlock"] == PRESET


@pytest.mark.parametrize(
    ("function", "type_"),
    [
        (GET_VPC, VPC),
        ("aws:index:getVpc", "aws:index:Vpc"),
        ("azure-native:network:getVirtualNetwork", "azure-native:network:VirtualNetwork"),
        ("random:index:pet", "random:index:pet"),
    ],
)
def test_a_function_is_called_after_a_type(function, type_):
    """In the spelling of bridged packages, of Terraform's and of native ones."""
    assert type_of(function) == type_
