"""Beside ``pulumi.runtime.set_mocks``: the checks of Pulumi's own example of unit tests, in fewer lines."""

from __future__ import annotations

PROGRAM = """
import pulumi
import pulumi_aws as aws

ami = aws.ec2.get_ami(most_recent=True, owners=["137112412989"], filters=[{"name": "name", "values": ["amzn-ami-hvm-*"]}])

group = aws.ec2.SecurityGroup(
    "web-secgrp",
    ingress=[{"protocol": "tcp", "from_port": PORT, "to_port": PORT, "cidr_blocks": ["0.0.0.0/0"]}],
)

server = aws.ec2.Instance(
    "web-server-www",
    instance_type="t2.micro",
    vpc_security_group_ids=[group.id],
    ami=ami.id,
    TAGS
)

pulumi.export("group", group)
pulumi.export("server", server)
pulumi.export("publicIp", server.public_ip)
"""
"""The shape of the example's program: what it lacks, or has too much of, is filled in by each test."""

SDK = """
import sys
from types import ModuleType, SimpleNamespace

import pulumi

WIRE = {"from_port": "fromPort", "to_port": "toPort", "cidr_blocks": "cidrBlocks"}


class _Resource(pulumi.CustomResource):
    def __init__(self, name, **inputs):
        super().__init__(self.TOKEN, name, {**{key: None for key in self.OUTPUTS}, **inputs})

    def translate_input_property(self, name):
        head, *rest = name.split("_")
        return head + "".join(word.title() for word in rest)


class SecurityGroup(_Resource):
    TOKEN, OUTPUTS = "aws:ec2/securityGroup:SecurityGroup", ("arn",)

    def __init__(self, name, ingress):
        rules = [{WIRE.get(key, key): value for key, value in rule.items()} for rule in ingress]
        super().__init__(name, ingress=rules)


class Instance(_Resource):
    TOKEN, OUTPUTS = "aws:ec2/instance:Instance", ()
    public_ip: pulumi.Output[str]

    def __init__(self, name, **inputs):
        super().__init__(name, **inputs)
        self.public_ip = pulumi.Output.from_input("")


def get_ami(most_recent, owners, filters):
    inputs = {"mostRecent": most_recent, "owners": owners, "filters": filters}
    return SimpleNamespace(**pulumi.runtime.invoke("aws:ec2/getAmi:getAmi", inputs).value)


ec2 = SimpleNamespace(SecurityGroup=SecurityGroup, Instance=Instance, get_ami=get_ami)
"""
"""As much of the SDK as the program uses, which is 120 MB as a whole."""

TESTS = """
import runpy
import pytest

@pytest.fixture
def state(pulumi_stack):
    return pulumi_stack.up(lambda: runpy.run_path("infra.py")).state

def test_the_server_has_a_name(state):
    assert "Name" in state["web-server-www"].inputs["tags"]

def test_the_server_has_no_user_data(state):
    assert "userData" not in state["web-server-www"].inputs

def test_nobody_reaches_ssh_from_everywhere(state):
    for rule in state["web-secgrp"].inputs["ingress"]:
        assert not (rule["fromPort"] == 22 and "0.0.0.0/0" in rule["cidrBlocks"])
"""
THEIRS = 71
"""How many lines the example has for the same three checks, with its mocks."""


def outcomes(pytester, port: str, tags: str) -> dict[str, int]:
    """What the three checks say of a program with this port and these arguments of the server."""
    pytester.makepyfile(pulumi_aws=SDK, infra=PROGRAM.replace("PORT", port).replace("TAGS", tags), test_infra=TESTS)
    pytester.makeini("[pytest]\npythonpath = .")
    return pytester.runpytest_inprocess("test_infra.py", "-p", "no:randomly").parseoutcomes()


def test_the_three_checks_have_at_most_twenty_lines():
    """They take 20 lines or fewer, imports and blank lines included."""
    assert len(TESTS.strip().splitlines()) <= 20 < THEIRS


def test_they_pass_for_a_program_that_is_right(pytester):
    """A server with a name, without user data, behind a group that opens port 80 alone."""
    assert outcomes(pytester, "80", 'tags={"Name": "webserver"},') == {"passed": 3}


def test_each_of_them_fails_for_one_that_is_not(pytester):
    """Without a tag, with user data, and with SSH open to the world, each check fails, and says where."""
    assert outcomes(pytester, "22", 'tags={}, user_data="#!/bin/sh",') == {"failed": 3}
