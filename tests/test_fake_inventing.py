"""Values that nobody declared, in the form that their names ask for."""

from __future__ import annotations

import base64
import ipaddress
import json
import re
from urllib.parse import urlparse
from uuid import UUID

import pytest
from forms_page import PAGE, written

from mockprovider.cloud import digest
from mockprovider.fake.computing import compute, planned_inside
from mockprovider.fake.inventing import FORMS, Inventor
from mockprovider.fake.inventing.arns import thing_of
from mockprovider.fake.inventing.inventor import singular
from mockprovider.schema import Kind, Property, ResourceType, kind_of
from mockprovider.values import UNKNOWN, Archive, Asset

VPC = "aws:ec2/vpc:Vpc"


def made(name, kind=str, token=VPC, *, of="o-1", description="", config=None, **more):
    """The value of a computed property."""
    inventor = Inventor(token, of, config=config or {})
    return inventor.value(Property(kind, computed=True, description=description, **more), name)


def is_arn(text):
    parts = text.split(":", 5)
    return len(parts) == 6 and parts[:2] == ["arn", "aws"] and re.fullmatch(r"(\d{12})?", parts[4]) and parts[5]


CHECKS = {
    "arn": is_arn,
    "roleArn": is_arn,
    "tenantId": UUID,
    "ownerId": re.compile(r"\d{12}").fullmatch,
    "region": "us-east-1".__eq__,
    "availabilityZone": re.compile("us-east-1[abc]").fullmatch,
    "hostedZoneId": re.compile("Z[0-9A-F]{13}").fullmatch,
    "assumeRolePolicy": lambda text: json.loads(text)["Version"],
    "json": json.loads,
    "containerDefinitions": lambda text: isinstance(json.loads(text), list),
    "eventPattern": json.loads,
    "kubeconfig": lambda text: json.loads(text)["clusters"][0]["cluster"]["server"].startswith("https://"),
    "kubeconfigs.value": lambda text: json.loads(base64.b64decode(text, validate=True))["clusters"][0]["cluster"]["server"],
    "kubeConfigs.rawConfig": lambda text: json.loads(text)["users"][0]["user"]["token"],
    "authorizationToken": lambda text: len(base64.b64decode(text, validate=True).decode().split(":")) == 2,
    "cidrBlock": ipaddress.IPv4Network,
    "ipv6CidrBlock": ipaddress.IPv6Network,
    "privateIp": ipaddress.IPv4Address,
    "ipv6Address": ipaddress.IPv6Address,
    "macAddress": re.compile("(..:){5}..").fullmatch,
    "email": re.compile(r"[a-z0-9-]+@example\.com").fullmatch,
    "b64Url": re.compile("[A-Za-z0-9_-]{11}").fullmatch,
    "b64Std": lambda text: base64.b64decode(text, validate=True).decode(),
    "invokeUrl": lambda text: urlparse(text).scheme == "https" and urlparse(text).hostname,
    "primaryEndpoints.web": lambda text: urlparse(text).scheme == "https",
    "repositoryUrl": re.compile(r"[a-z0-9./-]+").fullmatch,
    "endpoint": re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+").fullmatch,
    "createdAt": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ").fullmatch,
    "engineVersion": re.compile(r"\d+\.\d+\.\d+").fullmatch,
    "thumbprint": re.compile("[0-9a-f]{40}").fullmatch,
    "fingerprint": re.compile("(..:){15}..").fullmatch,
    "contentSha512": re.compile("[0-9a-f]{128}").fullmatch,
    "sourceCodeHash": lambda text: len(base64.b64decode(text, validate=True)) == 32,
    "certificateAuthority.data": lambda text: base64.b64decode(text, validate=True).startswith(b"-----BEGIN CERTIFICATE"),
    "contentBase64": lambda text: base64.b64decode(text, validate=True).decode(),
    "etag": re.compile("[0-9a-f]{32}").fullmatch,
    "privateKeyOpenssh": re.compile("-----BEGIN PRIVATE KEY-----.*", re.DOTALL).fullmatch,
    "privateKeyPem": re.compile("-----BEGIN PRIVATE KEY-----.*", re.DOTALL).fullmatch,
    "name": re.compile("[a-z][a-z0-9-]{0,62}").fullmatch,
    "subnetId": re.compile("subnet-[0-9a-f]{17}").fullmatch,
}


@pytest.mark.parametrize("name", CHECKS)
def test_a_value_is_what_its_name_says(name):
    """What parses such values downstream takes the generated one, for any object."""
    assert all(CHECKS[name](made(name, of=f"o-{number}")) for number in range(50))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_the_table_makes_what_it_says(form):
    """Each row's value is of its kind, always the same for one point, and a row is reached by the names that it lists."""
    word = re.sub(r"\\", "", form.pattern.split("|")[0])
    kind = {"integer": int, "any": object}.get(form.kinds[0], str)

    assert type(made(word, kind)) is type(form.example)
    assert isinstance(form.example, kind)
    assert made(word, kind) or kind is not object
    assert made(word, kind) == made(word, kind)
    assert form.why


@pytest.mark.parametrize(
    ("name", "token", "arn"),
    [
        ("arn", "aws:s3/bucket:Bucket", "arn:aws:s3:::bucket-"),
        ("arn", "aws:index:S3Bucket", "arn:aws:s3:::bucket-"),
        ("arn", "aws:iam/role:Role", "arn:aws:iam::123456789012:role/role-"),
        ("arn", "aws:lambda/function:Function", "arn:aws:lambda:us-east-1:123456789012:function:function-"),
        ("arn", "aws:index:Instance", "arn:aws:ec2:us-east-1:123456789012:instance/instance-"),
        ("arn", "aws:sqs/queue:Queue", "arn:aws:sqs:us-east-1:123456789012:queue-"),
        ("arn", "aws:glue/job:Job", "arn:aws:glue:us-east-1:123456789012:job/job-"),
        ("executionRoleArn", "aws:ecs/service:Service", "arn:aws:iam::123456789012:role/role-"),
        ("kmsKeyArn", "aws:s3/bucket:Bucket", "arn:aws:kms:us-east-1:123456789012:key/key-"),
        ("targetKeyArn", "aws:kms/alias:Alias", "arn:aws:kms:us-east-1:123456789012:key/key-"),
        ("arn", "aws:index:LbListenerRule", "arn:aws:elasticloadbalancing:us-east-1:123456789012:listener-rule/app/rule-"),
        ("arn", "aws:index:CustomerGateway", "arn:aws:ec2:us-east-1:123456789012:customer-gateway/gateway-"),
        ("arn", "aws:index:DefaultRouteTable", "arn:aws:ec2:us-east-1:123456789012:route-table/table-"),
        ("arn", "aws:index:VpcSecurityGroupIngressRule", "arn:aws:ec2:us-east-1:123456789012:security-group-rule/rule-"),
        ("arn", "aws:index:DbSubnetGroup", "arn:aws:rds:us-east-1:123456789012:subgrp:group-"),
        ("arn", "aws:index:EfsFileSystem", "arn:aws:elasticfilesystem:us-east-1:123456789012:file-system/system-"),
        ("arn", "aws:cognito/userPool:UserPool", "arn:aws:cognito-idp:us-east-1:123456789012:userpool/pool-"),
        ("arn", "aws:opensearch/domain:Domain", "arn:aws:es:us-east-1:123456789012:domain/domain-"),
        ("arn", "aws:index:Elb", "arn:aws:elasticloadbalancing:us-east-1:123456789012:elb/elb-"),
        ("alarmArn", "aws:index:CloudwatchMetricAlarm", "arn:aws:cloudwatch:us-east-1:123456789012:alarm:alarm-"),
        ("arn", "aws:iam/getRole:getRole", "arn:aws:iam::123456789012:role/role-"),
    ],
)
def test_arns_name_service_and_resource(name, token, arn):
    """An ARN has the service and resource of the type's token, or of the thing that the property names."""
    assert made(name, token=token).startswith(arn)


def test_the_description_says_what_the_name_does_not():
    """Where no name fits, a description may ask for a form."""
    assert json.loads(made("payload", description="The body, as JSON."))
    assert made("payload") == digest("o-1", "payload")


def test_the_configuration_says_where():
    """A configured region is in zones and ARNs."""
    config = {"region": "eu-west-1"}

    assert made("availabilityZone", config=config).startswith("eu-west-1")
    assert ":eu-west-1:" in made("arn", config=config)
    assert made("zone", token="gcp:compute/instance:Instance") == "us-central1-" + made("zone", token="gcp:x:Y")[-1]


@pytest.mark.parametrize("token", ["awsx:ec2:Vpc", "eks:index:Cluster"])
def test_packages_of_components_speak_of_the_things_of_aws(token):
    """What a component calls ``vpcId`` has the form of an id of AWS."""
    assert re.fullmatch("vpc-[0-9a-f]{17}", made("vpcId", token=token))


def test_lists_have_elements():
    """A computed list or set has as many elements as said, each another and in the form of its singular; a map has none."""
    inventor = Inventor("aws:index/getX:getX", "o", 3, {"zones.ids": 2, "tags": 1}.get)
    names = inventor.value(Property(list[str], computed=True), "cidrBlocks")
    nested = inventor.value(_nested(), "zones")

    assert len({ipaddress.ip_network(name) for name in names}) == 3
    assert len(nested) == 3
    assert all(len(zone["ids"]) == 2 and len(zone["names"]) == 1 for zone in nested)
    assert inventor.value(Property(dict[str, str], computed=True), "labels") == {}
    assert len(inventor.value(Property(dict[str, str], computed=True), "tags")) == 1


def _nested():
    return Property(Kind("set", items=kind_of({"ids": list[str], "names": list[str]})), computed=True)


def test_what_a_program_may_set_is_empty():
    """A list that the program may set and did not has no elements, a flag is off; a text is made, since programs read names."""
    assert made("securityGroups", list[str], optional=True) == []
    assert made("tags", dict[str, str], optional=True) == {}
    assert made("publiclyAccessible", bool, optional=True) is False
    assert made("weight", int, optional=True) == 0
    assert made("port", int, optional=True) > 1023
    assert made("bucketName", optional=True)


@pytest.mark.parametrize(("kind", "type_"), [("asset", Asset), ("archive", Archive)])
def test_files_are_made(kind, type_):
    """A schema may have files as outputs."""
    assert isinstance(made("file", kind), type_)


@pytest.mark.parametrize("name", ["weight", "size", "port", "percent"])
@pytest.mark.parametrize("kind", [int, float])
def test_numbers_are_whole(name, kind):
    """Many a number is meant to be whole, whatever the schema's type for it is."""
    assert isinstance(made(name, kind), int)


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("names", "name"),
        ("policies", "policy"),
        ("addresses", "address"),
        ("boxes", "box"),
        ("dns", "dns"),
        ("access", "access"),
    ],
)
def test_elements_are_called_in_the_singular(plural, one):
    """An element of a list is in the form that its singular asks for."""
    assert singular(plural) == one


@pytest.mark.parametrize(
    ("token", "thing"),
    [
        ("aws:s3/bucket:Bucket", "s3_bucket"),
        ("aws:index/getAmi:getAmi", "ami"),
        ("aws:index:getIamPolicyDocument", "iam_policy_document"),
        ("aws:ec2/vpc:Vpc", "ec2_vpc"),
        ("kubernetes:apps/v1:Deployment", "apps_deployment"),
    ],
)
def test_tokens_name_things(token, thing):
    """Both ecosystems' tokens of one type say the same thing."""
    assert thing_of(token) == thing


def test_only_types_that_say_so_invent():
    """A type that a user declares generates what it always did, until it says how many elements there are."""
    properties = {"names": Property(list[str], computed=True), "arn": Property(computed=True)}
    plain, saying = (ResourceType("aws:ec2/vpc:Vpc", properties, elements=elements) for elements in (None, 2))

    assert compute(plain, {}, "o-1") == {"names": [], "arn": digest("o-1", "arn")}
    assert len(compute(saying, {}, "o-1")["names"]) == 2
    assert is_arn(compute(saying, {}, "o-1")["arn"])


def test_plans_and_applies_agree():
    """What an update's plan knows of a new element is what the apply makes."""
    rule = kind_of({"to": str, "arn": Property(computed=True), "zones": Property(list[str], computed=True)})
    declared = ResourceType(VPC, {"rules": Property(Kind("array", items=rule)), "arn": Property(computed=True)}, elements=1)
    wanted = {"rules": [{"to": "me"}]}

    assert planned_inside(declared, wanted, {}, "o-1")["rules"] == compute(declared, wanted, "o-1")["rules"]
    assert planned_inside(declared, wanted, {})["rules"] == [{"to": "me", "arn": UNKNOWN, "zones": UNKNOWN}]


def test_the_table_is_in_the_documents():
    """docs/answers.md shows the table as it is; ``python tests/forms_page.py`` writes it."""
    assert PAGE.read_text(encoding="utf-8") == written()
