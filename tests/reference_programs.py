"""A network and what is put into one, and a program that hands the network over where its id is meant."""

from __future__ import annotations

from typing import Any

import pulumi

from mockprovider.schema import Package, Property, ResourceType

VPC, SUBNET = "cloud:index:Vpc", "cloud:index:Subnet"


def package() -> Package:
    """A network, and what is put into one."""
    read = Package("cloud")
    read.add(
        ResourceType(VPC, {"cidr": Property(str)}, id="vpc-{name}"),
        ResourceType(SUBNET, {"vpcId": Property(str, required=True), "peers": list[str], "tags": dict[str, str], "size": int}),
    )
    return read


class Vpc(pulumi.CustomResource):
    """As an SDK has it."""

    def __init__(self, name: str) -> None:
        super().__init__(VPC, name, {"cidr": "10.0.0.0/16"})


class Subnet(pulumi.CustomResource):
    """As above."""

    def __init__(self, name: str, **given: Any) -> None:
        super().__init__(SUBNET, name, given)


def program() -> None:
    """As people write it: the resource itself, not its id."""
    vpc = Vpc("main")
    Subnet("a", vpcId=vpc, peers=[vpc, "other"], tags={"vpc": vpc})
