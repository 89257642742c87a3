"""Programs in TypeScript on the large SDK of AWS, as a campaign alone: it has 200 MB, and each run compiles for seconds."""

from __future__ import annotations

import functools
import json
import random

import pytest
from language_stage import aws_packages, aws_project

from mockprovider import Double, Secret, Stack, from_sdk

pytestmark = pytest.mark.node_cli
SECONDS = 900.0
"""What an operation may take: before a program begins, all declarations of the SDK are compiled."""


@functools.cache
def aws():
    """The package of the SDK that the programs use: nothing else declares their types."""
    return from_sdk(aws_packages() / "node_modules" / "@pulumi" / "aws")


def of_type(result, token):
    """The resources of a type."""
    return [resource for resource in result.state.values() if resource.type == token]


def website(dice):
    """Pages in a bucket behind CloudFront, with a certificate of another region."""
    domain = f"{dice.choice(['docs', 'help', 'status'])}.example.com"

    def check(result):
        keys = ["404.html", "assets/style.css", "index.html"]
        state, outputs = result.state, result.outputs
        assert (outputs["url"], sorted(outputs["keys"])) == (f"https://{domain}", keys)
        [statement] = json.loads(outputs["policy"])["Statement"]
        assert statement["Condition"]["StringEquals"]["AWS:SourceArn"] == state["cdn"].outputs["arn"]
        [content] = of_type(result, "aws:s3/bucketPolicy:BucketPolicy")
        assert content.inputs["policy"] == outputs["policy"]
        assert {state[f"pages/{key}"].inputs["source"].path.endswith(f"www/{key}") for key in keys} == {True}
        [certificate] = of_type(result, "aws:acm/certificate:Certificate")
        assert ":us-east-1:" in certificate.outputs["arn"]
        assert state["proof"].inputs["name"] == certificate.outputs["domainValidationOptions"][0]["resourceRecordName"]

    return {"domain": domain}, check


def network(dice):
    """A network over several zones, a server from an image that is looked up, and in some cases a database."""
    zones, each, database = dice.randint(1, 3), dice.random() < 0.5, dice.random() < 0.5
    config = {"zones": str(zones), "gatewayInEachZone": str(each).lower()}

    def check(result):
        outputs = result.outputs
        assert len({*outputs["publicSubnetIds"], *outputs["privateSubnetIds"]}) == 2 * zones
        gateways = of_type(result, "aws:ec2/natGateway:NatGateway")
        assert {gateway.inputs["subnetId"] for gateway in gateways} == {*outputs["publicSubnetIds"][: zones if each else 1]}
        [server] = of_type(result, "aws:ec2/instance:Instance")
        assert (server.inputs["ami"], server.outputs["publicIp"]) == (outputs["image"], outputs["address"])
        assert result.secret_outputs == ({"database"} if database else set())
        assert ("postgres://orders:hush@" in str(outputs.get("database"))) is database

    return config | ({"databasePassword": Secret("hush")} if database else {}), check


def orders(dice):
    """An API before a function, a queue behind it, and a function of the program's own that empties the queue."""
    memory = dice.choice([128, 256, 512])

    def check(result):
        state, outputs = result.state, result.outputs
        functions = of_type(result, "aws:lambda/function:Function")
        handle, accept = sorted(functions, key=lambda function: "environment" in function.inputs)
        assert accept.inputs["memorySize"] == memory
        assert accept.inputs["environment"] == {"variables": {"QUEUE_URL": outputs["queueUrl"]}}
        assert set(accept.inputs["code"].assets) == {"index.js", "version.json"}
        failed, _ = sorted(of_type(result, "aws:sqs/queue:Queue"), key=lambda queue: "redrivePolicy" in queue.inputs)
        [table] = of_type(result, "aws:dynamodb/table:Table")
        # The function was written out as text, with what it has taken from the program.
        assert table.outputs["name"] in handle.inputs["code"].assets["__index.js"].text
        assert state["incoming"].outputs["url"] == outputs["queueUrl"]
        redrive = json.loads(state["incoming"].inputs["redrivePolicy"])
        assert redrive["deadLetterTargetArn"] == failed.outputs["arn"]
        assert outputs["endpoint"].endswith("/orders")
        assert outputs["place"] == "123456789012/eu-central-1"

    return {"memory": str(memory)}, check


@pytest.mark.trial("programs-on-aws", pinned=0, cases=2, few=0)
@pytest.mark.parametrize("program", [website, network, orders], ids=lambda program: program.__name__)
def test_life_of_a_program(program, seeds, tmp_path):
    """A program on aws is previewed, brought up, does nothing the second time, has nothing to refresh, and leaves nothing."""
    project = aws_project(program.__name__, tmp_path)
    for seed in seeds:
        dice = random.Random(seed)
        config, check = program(dice)
        with Double(aws(), strict=True) as double:
            stack = Stack(double, project=project, timeout=SECONDS, config=config, parallel=dice.choice([1, 4, 16]))
            previewed = stack.preview()
            up = stack.up()
            check(up)
            created = up.summary["create"]
            assert previewed.summary == up.summary == {"create": created}
            again = stack.up()
            assert (again.summary, again.outputs) == ({}, up.outputs)
            assert stack.refresh().summary == {}
            assert stack.destroy().summary == {"delete": created}
            assert double.cloud.objects() == []
            double.raise_errors()
