"""Resources that a program hands over as they are, where the schema wants a string."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from reference_programs import SUBNET, VPC, Subnet, Vpc, package, program

from mockprovider.double import Double
from mockprovider.engine import Stack
from mockprovider.errors import ProgramError
from mockprovider.fake.checks import with_defaults
from mockprovider.schema import Property
from mockprovider.values import UNKNOWN, Output, ResourceReference, Secret

REFERENCE = ResourceReference("urn:vpc", "vpc-1")


def test_a_resource_for_a_string_is_its_id() -> None:
    """``vpc_id=vpc`` is the network's id, also in a list and in a map, in the preview as much as when it is there."""
    with Double(package()) as double:
        stack = Stack(double)
        stack.preview(program)
        stack.up(program)
        (vpc,), (subnet,) = double.cloud.objects(VPC), double.cloud.objects(SUBNET)
        assert dict(subnet) == {"vpcId": vpc.id, "peers": [vpc.id, "other"], "tags": {"vpc": vpc.id}}
        assert stack.up(program).summary == {}


def test_a_resource_for_a_number_is_a_mistake() -> None:
    """Where the schema wants no string, a resource is refused as it was."""

    def mistaken() -> None:
        vpc = Vpc("main")
        Subnet("a", vpcId=vpc, size=vpc)

    with Double(package()) as double, pytest.raises(ProgramError, match="expected integer, got resource"):
        Stack(double).up(mistaken)


@pytest.mark.parametrize(
    ("given", "checked"),
    [
        (REFERENCE, "vpc-1"),
        (ResourceReference("urn:site"), "urn:site"),
        (ResourceReference("urn:vpc", UNKNOWN), UNKNOWN),
        (ResourceReference("urn:vpc", ""), UNKNOWN),
        (Secret(REFERENCE), Secret("vpc-1")),
        (Output(REFERENCE, dependencies=("urn:vpc",)), Output("vpc-1", dependencies=("urn:vpc",))),
        (Output(Secret(REFERENCE)), Output(Secret("vpc-1"))),
        ("vpc-1", "vpc-1"),
        (Secret("vpc-1"), Secret("vpc-1")),
    ],
)
def test_what_stands_for_a_resource(given: Any, checked: Any) -> None:
    """Its id, not known yet where that is not; the URN of a component, which has no id; a wrapper stays around it."""
    properties: Mapping[str, Property] = {"vpcId": Property(str)}
    assert with_defaults(properties, {"vpcId": given}) == {"vpcId": checked}
