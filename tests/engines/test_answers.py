"""Programs that index what a provider answers, on small schemas like AWS's, under every engine."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pulumi
import pytest
from aws_like import AMI, CERTIFICATE, CLUSTER, POLICY, PULUMI, SUBNET, TERRAFORM, VPC, ZONES
from engine_toolbox import cli_of
from terraform_stage import ENGINES

from mockprovider.double import Double
from mockprovider.drivers.terraform import Terraform
from mockprovider.engine import Stack
from mockprovider.pulumi.package.reading import from_schema
from mockprovider.schema import Function
from mockprovider.terraform.schema.reading import from_terraform_schema

MODULE = """
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
provider "aws" { region = "eu-west-1" }

data "aws_availability_zones" "here" { state = "available" }
data "aws_caller_identity" "me" {}
data "aws_subnets" "all" {}
data "aws_ami" "linux" {
  most_recent = true
  filter {
    name   = "name"
    values = ["al2023-*"]
  }
}
data "aws_iam_policy_document" "read" {
  statement {
    sid       = "Read"
    actions   = ["s3:GetObject"]
    resources = ["*"]
  }
}

locals {
  zones = slice(data.aws_availability_zones.here.names, 0, 3)
}

resource "aws_vpc" "main" {
  cidr_block = "10.0.0.0/16"
  tags       = { name = "main" }
}

resource "aws_subnet" "private" {
  count             = length(local.zones)
  vpc_id            = aws_vpc.main.id
  cidr_block        = cidrsubnet(aws_vpc.main.cidr_block, 8, count.index)
  availability_zone = local.zones[count.index]
}

resource "aws_subnet" "plain" {
  vpc_id          = aws_vpc.main.id
  security_groups = SECURITY
}

resource "aws_acm_certificate" "site" {
  domain_name = "DOMAIN"
}

resource "aws_instance" "web" {
  ami = data.aws_ami.linux.id
  root_block_device { size = 8 }
}

resource "aws_subnet" "records" {
  vpc_id = tolist(aws_acm_certificate.site.domain_validation_options)[0].resource_record_name
}

output "zones" { value = aws_subnet.private[*].availability_zone }
output "account" { value = data.aws_caller_identity.me.account_id }
output "first" { value = data.aws_subnets.all.ids[0] }
output "service" { value = split(":", aws_vpc.main.arn)[2] }
output "policy" { value = jsondecode(data.aws_iam_policy_document.read.json).Statement[0].Sid }
output "later" { value = timeadd(aws_acm_certificate.site.not_after, "1h") }
output "mail" { value = aws_acm_certificate.site.validation_emails[0] }
output "volume" { value = aws_instance.web.root_block_device[0].volume_id }
output "user" { value = data.aws_caller_identity.me.user_id }
"""


def written(cli: Terraform, security: str = "null", domain: str = "example.org") -> None:
    cli.write(MODULE.replace("SECURITY", security).replace("DOMAIN", domain))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("major", [5, 6])
def test_a_module_that_indexes(engine: str, major: int, tmp_path: Path) -> None:
    """A module that slices zones, indexes computed sets and parses what it is told lives through plan, update and destroy."""
    with Double(from_terraform_schema(TERRAFORM)) as double:
        served = double.serve("terraform", major=major)
        cli = Terraform(tmp_path, lambda: served.environment, binary=engine)
        written(cli)
        applied = cli.apply()
        assert applied.summary == {"add": 8}
        assert applied.outputs["zones"] == ["eu-west-1a", "eu-west-1b", "eu-west-1c"]
        assert (applied.outputs["account"], applied.outputs["service"], applied.outputs["policy"]) == (
            "123456789012",
            "ec2",
            "Read",
        )
        assert applied.outputs["volume"].startswith("vol-")
        subnets = double.cloud.objects("aws:index:Subnet")
        assert {(one["public"], one["weight"], *one["securityGroups"]) for one in subnets} == {(False, 0)}
        assert cli.plan().exit_code == 0, "what was made up is no change"
        written(cli, security='["sg-1"]')
        assert cli.apply().summary == {"change": 1}
        assert ["sg-1"] in [one["securityGroups"] for one in double.cloud.objects("aws:index:Subnet")]
        assert cli.plan().exit_code == 0
        assert cli.destroy().summary == {"remove": 8}
        double.raise_errors()
        assert [breach for breach in double.contract.breaches if breach.is_error] == []


@pytest.mark.parametrize("engine", ENGINES)
def test_one_line_changes_one_answer(engine: str, tmp_path: Path) -> None:
    """Answers and outputs that are said reach a module before and during its life, and no plan is contradicted."""
    with Double(from_terraform_schema(TERRAFORM)) as double:
        served = double.serve("terraform")
        cli = Terraform(tmp_path, lambda: served.environment, binary=engine, doubles=[double])
        cli.parallelism = 1
        double.answers("aws_availability_zones", {"names": ["z-1", "z-2", "z-3"]})
        double.answers("aws_subnets", {"ids": ["s-1"]})
        double.answers("aws_ami", lambda given: {"id": f"ami-{given['filter'][0]['name']}"}, when={"most_recent": True})
        double.define(Function("aws:index:getIamPolicyDocument", returns={"json": '{{"Statement": [{{"Sid": "Told"}}]}}'}))
        double.outputs("aws_vpc", {"arn": "arn:aws:told:::x", "id": "vpc-told"})
        double.outputs("aws_subnet", {"owner_id": "first"}, name="aws_subnet.private[0]")
        double.outputs(
            "aws_acm_certificate",
            lambda given: {"not_after": "2030-01-01T00:00:00Z", "validation_emails": [given["domainName"]]},
        )
        double.elements(2, "aws_acm_certificate", "domain_validation_options")
        written(cli)
        applied = cli.apply()
        assert applied.outputs["zones"] == ["z-1", "z-2", "z-3"]
        assert (applied.outputs["first"], applied.outputs["service"], applied.outputs["policy"]) == ("s-1", "told", "Told")
        assert (applied.outputs["later"], applied.outputs["mail"]) == ("2030-01-01T01:00:00Z", "example.org")
        assert double.cloud.objects("aws:index:Vpc")[0].id == "vpc-told"
        assert double.cloud.objects("aws:index:Instance")[0]["ami"] == "ami-name"
        assert [one["ownerId"] for one in double.cloud.objects("aws:index:Subnet")].count("first") == 1
        assert len(double.cloud.objects("aws:index:AcmCertificate")[0]["domainValidationOptions"]) == 2
        assert cli.plan().exit_code == 0
        double.outputs("aws_acm_certificate", {"not_after": "2031-01-01T00:00:00Z"})
        assert cli.plan().exit_code == 0, "nothing is updated, so nothing is computed"
        written(cli, domain="example.net")
        updated = cli.apply()
        assert (updated.outputs["later"], updated.outputs["mail"]) == ("2031-01-01T01:00:00Z", "example.net")
        double.answers("aws_subnets", {"ids": ["s-2"]})
        assert cli.apply().outputs["first"] == "s-2"
        double.raise_errors()
        assert [breach for breach in double.contract.breaches if breach.is_error] == []


@pytest.mark.parametrize("engine", ENGINES)
def test_a_resource_that_nobody_can_name(engine: str, tmp_path: Path) -> None:
    """In a parallel run nothing tells which resource a call is for: outputs of one by its name fail with the way out."""
    with Double(from_terraform_schema(TERRAFORM)) as double:
        served = double.serve("terraform")
        cli = Terraform(tmp_path, lambda: served.environment, binary=engine)
        cli.write('resource "aws_vpc" "main" {\n  cidr_block = "10.0.0.0/16"\n}\n')
        double.outputs("aws_vpc", {"arn": "x"}, name="main")
        failed = cli.apply(expect_failure=True)
        assert "terraform.parallelism = 1" in failed.output + str(failed.diagnostics)


GET_VPC = "aws:ec2/getVpc:getVpc"
IDENTIFIED = {"properties": {"id": {"type": "string"}, "cidrBlock": {"type": "string"}}}
TEXT, TAGS = ({"type": type_, "optional": True, "computed": True} for type_ in ("string", ["map", "string"]))
LOOKED_UP = {
    "version": 0,
    "block": {"attributes": {"id": TEXT, "cidr_block": TEXT, "tags": TAGS}},
}
LOOKUP = """
provider "aws" { region = "eu-west-1" }
resource "aws_vpc" "main" {
  cidr_block = "10.7.0.0/16"
  tags       = { Name = "main", Team = "web" }
}
data "aws_vpc" "same" {
  tags       = { Name = "main" }
  depends_on = [aws_vpc.main]
}
resource "aws_subnet" "inner" { vpc_id = data.aws_vpc.same.id }
output "same" { value = [data.aws_vpc.same.id == aws_vpc.main.id, data.aws_vpc.same.cidr_block] }
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_a_data_source_looks_up_what_was_made(engine: str, tmp_path: Path) -> None:
    """A data source that is called after a type answers what the cloud has of what the same configuration has made."""
    schema = json.loads(json.dumps(TERRAFORM))
    [provider] = schema["provider_schemas"].values()
    provider["data_source_schemas"]["aws_vpc"] = LOOKED_UP
    with Double(from_terraform_schema(schema)) as double:
        served = double.serve("terraform")
        cli = Terraform(tmp_path, lambda: served.environment, binary=engine)
        cli.write(LOOKUP)
        assert cli.apply().outputs["same"] == [True, "10.7.0.0/16"]
        assert cli.plan().exit_code == 0
        assert cli.destroy().summary == {"remove": 2}


# Pulumi -----------------------------------------------------------------------------------------------------------------


class Told(pulumi.CustomResource):
    """A resource of which any output can be read."""

    def __init__(self, token: str, name: str, **properties: Any) -> None:
        super().__init__(token, name, properties)


def program() -> None:
    """What programs of Pulumi's users do."""
    zones = pulumi.runtime.invoke(ZONES, {"state": "available"}).value
    statement = {"sid": "Read", "actions": ["s3:GetObject"], "resources": ["*"]}
    document = pulumi.runtime.invoke(POLICY, {"statements": [statement]}).value
    vpc: Any = Told(VPC, "main", cidrBlock="10.0.0.0/16", arn=None)
    for index, zone in enumerate(zones["names"][:3]):
        Told(SUBNET, f"s-{index}", vpcId=vpc, availabilityZone=zone)
    certificate: Any = Told(CERTIFICATE, "site", domainName="example.org", domainValidationOptions=None)
    cluster: Any = Told(CLUSTER, "k", vpcConfig={"subnetIds": ["s"]}, certificateAuthority=None)
    pulumi.export("record", certificate.domainValidationOptions[0]["resourceRecordName"])
    pulumi.export(
        "ca", cluster.certificateAuthority["data"].apply(lambda data: base64.b64decode(data).decode().split("-----")[1])
    )
    pulumi.export("network", cluster.vpcConfig["vpcId"])
    pulumi.export("ami", pulumi.runtime.invoke(AMI, {"mostRecent": True}).value["id"])
    pulumi.export("policy", json.loads(document["json"])["Statement"][0]["Sid"])
    pulumi.export("service", vpc.arn.apply(lambda arn: arn.split(":")[2]))


@pytest.mark.pulumi_cli
@pytest.mark.parametrize("engine", ["pulumi", "embedded"])
def test_a_function_looks_up_what_was_made(engine: str, tmp_path: Path) -> None:
    """What a program looks up by the id of what it has made is that, in the first run and in the next."""
    schema = {**PULUMI, "functions": {**PULUMI["functions"], GET_VPC: {"inputs": IDENTIFIED, "outputs": IDENTIFIED}}}

    def looking() -> None:
        vpc: Any = Told(VPC, "main", cidrBlock="10.7.0.0/16", arn=None)
        same = vpc.id.apply(lambda id_: pulumi.runtime.invoke(GET_VPC, {"id": id_}).value)
        pulumi.export("same", same["cidrBlock"])

    with Double(from_schema(schema)) as double:
        stack: Any = Stack(double) if engine == "embedded" else cli_of(double, tmp_path / "pulumi")
        assert [stack.up(looking).outputs["same"] for _ in range(2)] == ["10.7.0.0/16"] * 2
        assert stack.up(looking).summary == {}
        stack.destroy()


@pytest.mark.pulumi_cli
@pytest.mark.parametrize("engine", ["pulumi", "embedded"])
def test_a_program_that_indexes(engine: str, tmp_path: Path) -> None:
    """A program that indexes zones and outputs, decodes and parses them runs on a schema alone, and one line changes one."""
    with Double(from_schema(PULUMI)) as double:
        stack: Any = Stack(double) if engine == "embedded" else cli_of(double, tmp_path / "pulumi")
        up = stack.up(program)
        assert up.summary == {"create": 6}
        assert up.outputs["network"].startswith("vpc-")
        assert up.outputs["record"].endswith("-" + up.outputs["record"][-8:])
        assert (up.outputs["ca"], up.outputs["policy"], up.outputs["service"]) == ("BEGIN CERTIFICATE", "Read", "ec2")
        assert sorted(one["availabilityZone"] for one in double.cloud.objects(SUBNET)) == [
            "us-east-1a",
            "us-east-1b",
            "us-east-1c",
        ]
        assert {one["vpcId"] for one in double.cloud.objects(SUBNET)} == {double.cloud.objects(VPC)[0].id}
        assert stack.up(program).summary == {}
        double.answers(AMI, {"id": "ami-told"})
        double.answers(ZONES, {"names": ["z"]})
        double.outputs(CERTIFICATE, {"domainValidationOptions": [{"resourceRecordName": "told"}]}, name="site")
        told = stack.up(program)
        assert (told.outputs["ami"], told.outputs["record"]) == ("ami-told", up.outputs["record"])
        assert told.summary == {"delete": 2, "update": 1}
        stack.destroy()
        assert stack.up(program).outputs["record"] == "told"
        stack.destroy()
        double.raise_errors()
        assert [breach for breach in double.contract.breaches if breach.is_error] == []
