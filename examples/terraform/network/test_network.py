"""The network: its shape, what becomes of a change, and what is left of an apply that broke off."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
pytestmark = pytest.mark.terraform_cli


@pytest.fixture
def network(aws, terraform):
    """The module, called as its users call it."""
    terraform.use(HERE)
    terraform.write('name = "shop"\n', "terraform.tfvars")
    return terraform


def test_the_subnets_of_each_zone_do_not_overlap(network):
    """Each zone has a subnet of either kind; all CIDRs differ; a plan after the apply is empty."""
    applied = network.apply()
    subnets = [applied.resource(address)["attributes"] for address in applied.instances if "aws_subnet" in address]
    assert {subnet["availability_zone"] for subnet in subnets} == {"eu-west-1a", "eu-west-1b"}
    assert len({subnet["cidr_block"] for subnet in subnets}) == 4
    assert applied.outputs["private_cidr_blocks"] == ["10.0.128.0/20", "10.0.144.0/20"]
    assert set(map(tuple, network.plan().actions.values())) == {("no-op",)}


def test_another_range_replaces_the_network(network):
    """What is renamed is updated, and another CIDR replaces the VPC with all that is in it."""
    network.apply()
    network.write('name = "store"\n', "terraform.tfvars")
    assert set(map(tuple, network.plan().actions.values())) == {("update",), ("no-op",)}
    network.write('name = "store"\ncidr = "10.1.0.0/16"\n', "terraform.tfvars")
    actions = network.plan().actions
    assert actions["aws_vpc.this"] == actions['aws_subnet.private["eu-west-1a"]'] == ["delete", "create"]
    assert actions["aws_eip.nat[0]"] == ["update"]


def test_a_network_needs_a_range(network):
    """The module refuses what is no CIDR, before anything is made."""
    network.write('name = "shop"\ncidr = "banana"\n', "terraform.tfvars")
    assert "The network needs a CIDR" in network.plan(expect_failure=True).errors[0].detail


def test_a_gateway_that_fails_is_made_by_the_next_run(aws, network):
    """A NAT gateway that fails for once leaves nothing that nobody remembers, and the next apply goes on."""
    aws.faults.on.create("aws:index:NatGateway").error("the zone is out of gateways")
    network.apply(expect_failure=True)
    aws.audit(network).assert_clean()
    network.apply()
    assert len(aws.cloud.objects("aws:index:NatGateway")) == 1
    network.destroy()
    assert aws.cloud.objects() == []
