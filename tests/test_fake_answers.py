"""What a test, a file or a preset says of single answers, while the schema stays."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from typing import Any
from uuid import UUID

import pulumi
import pytest
from aws_like import AMI, CERTIFICATE, CLUSTER, POLICY, PULUMI, SUBNET, TERRAFORM, VPC, ZONES
from builders import BUCKET

from mockprovider import Double, Function, Property, Stack, from_schema, from_terraform_schema
from mockprovider.calls import Call, Op
from mockprovider.errors import DefinitionError, ProgramError
from mockprovider.fake.definitions import dump, load
from mockprovider.fake.inventing.makers import azure_template_outputs
from mockprovider.properties import camel_case

IDENTITY = "aws:index/getCallerIdentity:getCallerIdentity"
SUBNETS = "aws:ec2/getSubnets:getSubnets"


def aws() -> Double:
    return Double(from_schema(PULUMI))


def asked(double: Double, token: str, *, session: Any = None, **arguments: Any) -> Any:
    reply = double(Call(op=Op.INVOKE, session=session or double.open(package="aws"), type=token, inputs=arguments))
    assert not reply.failures
    return reply.value


def made(double: Double, type_: str, name: str = "it", **inputs: Any) -> Any:
    reply = _created(double, type_, name, inputs)
    assert not reply.failures, reply.failures
    return reply


def _created(double: Double, type_: str, name: str, inputs: dict[str, Any]) -> Any:
    urn = f"urn:pulumi:dev::shop::{type_}::{name}"
    return double(Call(op=Op.CREATE, session=double.open(package="aws"), type=type_, name=name, urn=urn, inputs=inputs))


# Functions --------------------------------------------------------------------------------------------------------------


def test_one_answer_changes_and_the_schema_stays():
    """What is said is answered, what is left out comes from the preset's schema as before, and other functions stay."""
    double = aws()
    double.answers(AMI, {"id": "ami-1"})

    answer = asked(double, AMI)
    assert answer["id"] == "ami-1"
    assert set(answer) == set(double.packages["aws"].functions[AMI].outputs)
    assert re.fullmatch(r"\d{4}-.*Z", answer["creationDate"])
    assert "from" not in str(asked(double, SUBNETS))


@pytest.mark.parametrize("name", [AMI, "aws:ec2:getAmi", "aws_ec2_ami"])
def test_functions_have_names_in_both_ecosystems(name):
    """A function may be called by its token, by that without the file, and by its name in Terraform; outputs, too."""
    double = aws()
    double.answers(name, {"image_id": "ami-2"})

    assert asked(double, AMI)["imageId"] == "ami-2"


def test_answers_match_arguments():
    """An answer is for calls with its arguments; the one that was said last, of those that fit, counts."""
    double = aws()
    double.answers(SUBNETS, {"ids": ["s-0"]})
    double.answers(SUBNETS, {"ids": ["s-1"]}, when={"vpc_id": "vpc-1"})
    double.answers(SUBNETS, {"ids": ["s-2"]}, when=lambda arguments: arguments.get("vpcId", "").startswith("big"))

    assert [asked(double, SUBNETS, vpcId=vpc)["ids"] for vpc in ("vpc-1", "big-1", "vpc-9")] == [["s-1"], ["s-2"], ["s-0"]]


def test_answers_come_one_after_the_other():
    """A list is one answer for each call, and the last repeats; each may be a function of the arguments."""
    double = aws()
    double.answers(SUBNETS, [{"ids": []}, lambda arguments: {"ids": [arguments["vpcId"]]}])

    assert [asked(double, SUBNETS, vpcId="v")["ids"] for _ in range(3)] == [[], ["v"], ["v"]]


def test_texts_are_taken_as_they_are():
    """What a test says is no template, so that JSON needs no doubled braces."""
    double = aws()
    double.answers(POLICY, {"json": '{"a": {}}'})

    assert asked(double, POLICY)["json"] == '{"a": {}}'


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            lambda double: double.answers("aws:ec2/getAmii:getAmii", {}),
            "Nobody declared the function .*Did you mean 'aws:ec2/getAmi:getAmi'",
        ),
        (lambda double: double.answers("aws_amy", {}), "Nobody declared the function 'aws_amy'"),
        (lambda double: double.answers(AMI, {"imageIdd": "x"}), r"getAmi has no output 'imageIdd'. Did you mean 'imageId'\?"),
        (lambda double: double.answers(AMI, [{"id": "x"}, {"idd": "x"}]), "has no output 'idd'"),
        (lambda double: double.answers(AMI, []), "a list of no answers says nothing"),
        (lambda double: double.answers(AMI, "ami"), "Give a mapping of outputs to values"),
        (lambda double: double.answers(ZONES, {"names": "a"}), r"names is 'a' \(string\), and is declared as array<string>"),
        (lambda double: double.answers(ZONES, {"names": [1]}), r"names\[0\] is 1 \(number 1\), and is declared as string"),
        (lambda double: double.answers(AMI, {}, when={"owner": "me"}), "has no argument 'owner'. Did you mean 'owners'"),
        (lambda double: double.answers(POLICY, {"statements": [{"sidd": "x"}]}), r"statements\[0\] has no output 'sidd'"),
        (
            lambda double: double.outputs("aws:ec2/vpc:Vpx", {}),
            "Nobody declared the resource type .*Did you mean 'aws:ec2/vpc:Vpc'",
        ),
        (lambda double: double.outputs(VPC, {"arm": "x"}), "has no output 'arm'. Did you mean 'arn'"),
        (lambda double: double.outputs(VPC, {"cidrBlock": "x"}), "'cidrBlock' is no output: the program sets it"),
        (lambda double: double.elements(-1), "Give 0 or more"),
        (lambda double: double.elements(3, ZONES, "zonids"), "has nothing at 'zonids'. Did you mean 'zoneIds'"),
    ],
)
def test_what_is_not_declared_is_refused(said, told):
    """A misspelt function, output, argument or type, and a value of another kind, are refused at once, with the nearest."""
    with pytest.raises(DefinitionError, match=told):
        said(aws())


def test_an_answer_that_a_function_gets_wrong_is_ours():
    """What a Python function answers is checked as well, when it is asked."""
    double = aws()
    double.answers(AMI, lambda _: {"idd": "x"})

    with pytest.raises(DefinitionError, match="has no output 'idd'"):
        asked(double, AMI)


def test_only_the_fake_can_be_told():
    """A real or recorded provider answers by itself."""
    double = Double(provider=lambda call: None)
    for said in (lambda: double.answers("a:b:c", {}), lambda: double.outputs("a:b:C", {}), lambda: double.elements(2)):
        with pytest.raises(DefinitionError, match="Only the fake can be told what to answer"):
            said()


def test_a_defined_function_keeps_the_published_arguments():
    """A function that is defined anew without arguments has those of the schema, and what it leaves out is made up."""
    double = aws()
    double.define(Function(POLICY, returns={"json": "of {policyId}"}))

    assert asked(double, POLICY, policyId="p", statements=[{"sid": "s"}])["json"] == "of p"
    assert asked(double, POLICY, policyId="p", statements=[{"sid": "s"}])["statements"] == [{"sid": "s"}]
    double.define(Function(POLICY, {"a": Property(str)}, {"json": "{a}"}))
    assert asked(double, POLICY, a="x") == {"json": "x"}


# Undeclared -------------------------------------------------------------------------------------------------------------


def test_an_undeclared_function_echoes():
    """A permissive double answers the arguments with an id, always the same, and the journal says that it is an echo."""
    double = Double(name="cloud")
    one, again, other = (asked(double, "cloud:index:getZone", region=region) for region in ("n", "n", "s"))

    assert one == again == {"id": one["id"], "region": "n"}
    assert other["id"] != one["id"]
    assert "an echo of its arguments: nobody declared cloud:index:getZone" in str(double.journal.entries(op="invoke")[0])


def test_equal_arguments_give_equal_answers_in_any_order():
    """The members of maps have no order on the wire, at any depth, and the answer does not depend on the one they came in."""
    one, other = {"name": "zone", "values": ["n"]}, {"values": ["n"], "name": "zone"}
    double = Double(name="cloud")
    ids = {asked(double, "cloud:index:getZone", filters=[{"by": order}])["id"] for order in (one, other)}

    assert len(ids) == 1


def test_what_is_looked_up_by_other_arguments_is_another_thing():
    """What the fake makes up for a function goes by the arguments: equal ones give the same address, others another."""
    text = {"type": "string"}
    asks = {"name": text, "filters": {"type": "array", "items": {"type": "object", "additionalProperties": text}}}
    function = {"inputs": {"properties": asks}, "outputs": {"properties": {"ipAddress": text, "id": text}}}
    double = Double(from_schema({"name": "aws", "functions": {"aws:index:getIp": function}}))
    one = asked(double, "aws:index:getIp", name="a", filters=[{"by": "b", "to": "c"}])

    assert asked(double, "aws:index:getIp", name="a", filters=[{"to": "c", "by": "b"}]) == one
    assert asked(double, "aws:index:getIp", name="z")["ipAddress"] != one["ipAddress"]
    assert asked(double, "aws:index:getIp", name="a")["id"] != one["id"]


def test_an_undeclared_function_can_be_told():
    """Where nothing is declared, any function may be told what to answer."""
    double = Double(name="cloud")
    double.answers("cloud:index:getZone", {"names": ["a"]})

    assert asked(double, "cloud:index:getZone") == {"names": ["a"]}


@pytest.mark.parametrize(("strict", "token"), [(True, "aws:index/getFoo:getFoo"), (False, "aws:ec2/getAim:getAim")])
def test_a_strict_double_and_a_misspelt_function_are_refused(strict, token):
    """Nothing echoes where only declared functions are there, nor what can only be a misspelling."""
    double = Double(from_schema(PULUMI), strict=strict)
    reply = double(Call(op=Op.INVOKE, session=double.open(package="aws"), type=token, inputs={}))

    assert "Nobody declared the function" in reply.failures[0].reason


# Outputs ----------------------------------------------------------------------------------------------------------------


def test_outputs_of_a_type_and_of_one_resource():
    """What is said of one resource counts before what is said of all; what the program sets stays; the rest is made up."""
    double = aws()
    double.outputs(SUBNET, {"ownerId": "me", "availabilityZone": "z-1"})
    double.outputs(SUBNET, {"owner_id": "you", "id": "subnet-x"}, name="web")

    plain, web = made(double, SUBNET, "db", vpcId="v", availabilityZone="mine"), made(double, SUBNET, "web", vpcId="v")
    assert (plain.value["ownerId"], plain.value["availabilityZone"]) == ("me", "mine")
    assert (web.value["ownerId"], web.value["availabilityZone"], web.id) == ("you", "z-1", "subnet-x")
    assert plain.value["arn"].startswith("arn:aws:ec2:")
    assert made(double, SUBNET, "web", vpcId="v").id.startswith("subnet-x-"), "an id is one object's"


def test_outputs_of_inputs():
    """A function is given the inputs, and may be for those alone that have some."""
    double = aws()
    double.outputs(VPC, lambda inputs: {"arn": f"arn:{inputs['cidrBlock']}"})
    double.outputs(VPC, {"arn": "arn:big"}, when={"cidr_block": "10.0.0.0/8"})

    assert [made(double, VPC, cidrBlock=cidr).value["arn"] for cidr in ("a", "10.0.0.0/8")] == ["arn:a", "arn:big"]


def test_partial_objects_are_completed():
    """Of an object that is said in part, the rest is made up, and so is that of each element of a list."""
    double = aws()
    double.outputs(CERTIFICATE, {"domainValidationOptions": [{"domainName": "a.org"}, {}]})
    first, second = made(double, CERTIFICATE, domainName="a.org").value["domainValidationOptions"]

    assert set(first) == set(second) == {"domainName", "resourceRecordName", "resourceRecordType"}
    assert first["domainName"] == "a.org" != second["domainName"]


def test_outputs_under_the_embedded_engine():
    """Outputs that are said live through updates, change with the next update when they are said anew, and no sooner."""
    double = aws()
    double.outputs(VPC, {"arn": "arn:1"})

    def program(cidr: str) -> Any:
        return lambda: pulumi.CustomResource(VPC, "main", {"cidrBlock": cidr, "arn": None})

    stack = Stack(double)
    stack.up(program("a"))
    assert stack.up(program("a")).summary == {}
    double.outputs(VPC, {"arn": "arn:2"})
    assert stack.up(program("a")).summary == {}
    stack.up(program("b"))
    assert double.cloud.objects(VPC)[0]["arn"] == "arn:2"


def test_what_the_provider_adds_inside():
    """An object that the program sets has what only its output declares, such as the network that a cluster is in."""
    cluster = made(aws(), CLUSTER, vpcConfig={"subnetIds": ["s"]}).value

    assert cluster["vpcConfig"]["subnetIds"] == ["s"]
    assert cluster["vpcConfig"]["vpcId"].startswith("vpc-")
    assert cluster["vpcConfig"]["clusterSecurityGroupId"].startswith("sg-")


def test_what_a_bridge_says_that_a_provider_adds():
    """A bridged schema has one type for both directions, and says beside it what always comes out: that is filled in."""
    access = {
        "type": "object",
        "properties": {"natIp": {"type": "string"}, "tier": {"type": "string"}, "network": {"type": "string"}},
        "required": ["network"],
        "language": {"nodejs": {"requiredOutputs": ["natIp", "network", "unknown"]}},
    }
    spec = {"access": {"type": "array", "items": {"$ref": "#/types/gcp:compute/access:access"}}}
    resource = {"inputProperties": spec, "properties": spec}
    schema = {"name": "gcp", "types": {"gcp:compute/access:access": access}, "resources": {"gcp:index:Host": resource}}
    double = Double(from_schema(schema))
    reply = double(Call(op=Op.CREATE, session=double.open(), type="gcp:index:Host", inputs={"access": [{"network": "n"}, {}]}))

    (first, _) = reply.value["access"]
    assert (set(first), first["network"]) == ({"network", "natIp"}, "n")
    assert re.fullmatch(r"10(\.\d+){3}", first["natIp"])


def test_ids_tell_their_kind():
    """Amazon's ids begin with what they are of, whichever ecosystem's schema it is."""
    double = Double(from_terraform_schema(TERRAFORM))

    assert re.fullmatch("vpc-[0-9a-f]{8}", made(aws(), VPC, cidrBlock="c").id)
    assert re.fullmatch("subnet-[0-9a-f]{8}", made(double, "aws:index:Subnet", vpcId="v").id)
    assert re.fullmatch("[0-9a-f]{8}", made(aws(), CLUSTER, vpcConfig={}).id)


# Elements ---------------------------------------------------------------------------------------------------------------


def test_lists_have_one_element():
    """A computed list of a resource or a function has one element, whole, unless somebody says another number."""
    double = aws()
    certificate = made(double, CERTIFICATE, domainName="a.org").value

    assert [set(option) for option in certificate["domainValidationOptions"]] == [
        {"domainName", "resourceRecordName", "resourceRecordType"}
    ]
    double.presets = False
    assert len(asked(double, SUBNETS)["ids"]) == 1
    assert made(double, SUBNET, vpcId="v").value["securityGroups"] == []


def test_as_many_elements_as_said():
    """A number is said of everything, of a type, or of one list in it: the most particular counts."""
    double = aws()
    double.elements(3)
    double.elements(2, CERTIFICATE)
    double.elements(0, SUBNETS, "ids")
    double.elements(4, SUBNET, "security_groups")

    assert len(made(double, CERTIFICATE, domainName="a.org").value["domainValidationOptions"]) == 2
    assert asked(double, SUBNETS)["ids"] == []
    assert len(made(double, SUBNET, vpcId="v").value["securityGroups"]) == 4
    double.elements(5, ZONES)
    double.presets = False
    assert len(asked(double, ZONES)["names"]) == 5


def test_types_declared_by_hand_stay():
    """A number for everything is one for what schemas declare; a type that a user declares by hand is named."""
    hand = type(BUCKET)(BUCKET.token, {"zones": Property(list[str], computed=True)})
    double = Double(hand)
    double.elements(3)
    assert _created(double, BUCKET.token, "a", {}).value["zones"] == []
    double.elements(3, BUCKET.token)
    assert len(_created(double, BUCKET.token, "b", {}).value["zones"]) == 3


# Presets ----------------------------------------------------------------------------------------------------------------


def test_presets_answer_what_everybody_asks():
    """A package of a known name that a schema declares answers what its preset says, and the journal says so."""
    double = aws()
    session = double.open(package="aws")
    double(Call(op=Op.CONFIGURE, session=session, inputs={"region": "eu-west-1"}))

    assert asked(double, ZONES, session=session)["names"] == ["eu-west-1a", "eu-west-1b", "eu-west-1c"]
    assert asked(double, ZONES)["names"][0] == "us-east-1a"
    assert asked(double, IDENTITY)["accountId"] == "123456789012"
    assert "as the preset aws says" in str(double.journal.entries(type=ZONES)[0])


PARTED = {
    "aws:sqs/queue:Queue": ("url", lambda url: url.split("/")[3] == "123456789012"),
    "aws:route53/zone:Zone": ("nameServers", lambda names: len(set(names)) == 4),
    "aws:ses/domainDkim:DomainDkim": ("dkimTokens", lambda tokens: len(set(tokens)) == 3),
    "aws:apigatewayv2/api:Api": ("apiEndpoint", lambda url: url.startswith("https://")),
    "aws:rds/instance:Instance": ("endpoint", lambda endpoint: endpoint.split(":")[1] == "5432"),
    "aws:redshift/cluster:Cluster": ("endpoint", lambda endpoint: endpoint.split(":")[1] == "5439"),
    "aws:eks/cluster:Cluster": ("endpoint", lambda url: url.startswith("https://")),
    "aws:appsync/graphQLApi:GraphQLApi": ("uris", lambda uris: uris["GRAPHQL"].startswith("https://")),
    "aws:msk/cluster:Cluster": ("bootstrapBrokersTls", lambda hosts: [host.split(":")[1] for host in hosts.split(",")]),
    "aws:lambda/function:Function": ("version", int),
    "random:index/randomId:RandomId": ("dec", int),
    "random:index/randomUuid:RandomUuid": ("result", UUID),
    "digitalocean:index/droplet:Droplet": ("id", int),
}
"""What programs take apart: a type, its property, and whether it has the parts. Programs as people write them died of these."""


@pytest.mark.parametrize("token", PARTED)
def test_presets_have_the_parts_that_programs_take(token):
    """What programs split, count or make a number of has the parts that the real provider's has."""
    attribute, has_its_parts = PARTED[token]
    kind = {"type": "array", "items": {"type": "string"}} if attribute.endswith(("ers", "ens")) else {"type": "string"}
    kind = {"type": "object", "additionalProperties": kind} if attribute == "uris" else kind
    outputs = {} if attribute == "id" else {attribute: kind}
    resource = {"inputProperties": {}, "properties": outputs, "required": [*outputs]}
    package = {"name": token.partition(":")[0], "meta": {"moduleFormat": "(.*)(?:/[^/]*)"}, "resources": {token: resource}}
    double = Double(from_schema(package))
    reply = made(double, token)

    assert has_its_parts(reply.id if attribute == "id" else reply.value[attribute])


GROUP = "/subscriptions/00000000-0000-4000-8000-000000000000/resourceGroups/shop"
NETWORK = f"{GROUP}/providers/Microsoft.Network/virtualNetworks/net"
GOOGLE = "projects/p-1/regions/europe-west1/subnetworks/inner"
BY_NAME = [
    ("aws_s3_bucket", {"bucket": "logs"}, "arn", "arn:aws:s3:::logs"),
    ("aws_s3_bucket", {"bucket": "logs"}, "bucket_domain_name", "logs.s3.amazonaws.com"),
    (
        "aws_s3_bucket",
        {"bucket": "logs", "region": "eu-west-1"},
        "bucket_regional_domain_name",
        "logs.s3.eu-west-1.amazonaws.com",
    ),
    ("aws_s3_bucket", {}, "arn", "arn:aws:s3:::{id}"),
    ("aws_s3_bucket", {"bucket_prefix": "logs-"}, "website_endpoint", "{id}.s3-website-us-east-1.amazonaws.com"),
    ("aws_iam_role", {"name": "web"}, "arn", "arn:aws:iam::123456789012:role/web"),
    ("aws_lambda_function", {"function_name": "f"}, "arn", "arn:aws:lambda:us-east-1:123456789012:function:f"),
    ("aws_vpc", {"cidr_block": "10.0.0.0/16"}, "arn", "arn:aws:ec2:us-east-1:123456789012:vpc/{id}"),
    ("aws_kms_key", {}, "arn", "arn:aws:kms:us-east-1:123456789012:key/{id}"),
    ("aws_route53_zone", {"name": "example.org"}, "zone_id", "{id}"),
    ("aws_apigatewayv2_api", {"name": "shop"}, "api_endpoint", "https://{id}.execute-api.us-east-1.amazonaws.com"),
    ("aws_apigatewayv2_api", {"name": "shop"}, "execution_arn", "arn:aws:execute-api:us-east-1:123456789012:{id}"),
    (
        "aws_apigatewayv2_stage",
        {"api_id": "a1", "name": "v1"},
        "invoke_url",
        "https://a1.execute-api.us-east-1.amazonaws.com/v1",
    ),
    (
        "aws_apigatewayv2_stage",
        {"api_id": "a1", "name": "$default"},
        "invoke_url",
        "https://a1.execute-api.us-east-1.amazonaws.com/",
    ),
    ("aws_api_gateway_rest_api", {"name": "shop"}, "arn", "arn:aws:apigateway:us-east-1::/restapis/{id}"),
    (
        "aws_api_gateway_stage",
        {"rest_api_id": "a1", "stage_name": "v1"},
        "execution_arn",
        "arn:aws:execute-api:us-east-1:123456789012:a1/v1",
    ),
    ("aws_default_security_group", {"vpc_id": "vpc-1"}, "id", "sg-{hash}"),
    ("aws_efs_file_system", {}, "id", "fs-{hash}"),
    ("azurerm_resource_group", {"name": "shop"}, "id", GROUP),
    ("azurerm_virtual_network", {"name": "net", "resource_group_name": "shop"}, "id", NETWORK),
    (
        "azurerm_subnet",
        {"name": "a", "virtual_network_name": "net", "resource_group_name": "shop"},
        "id",
        f"{NETWORK}/subnets/a",
    ),
    ("google_project", {"project_id": "p-1"}, "number", "123456789012"),
    ("google_compute_subnetwork", {"name": "inner", "project": "p-1", "region": "europe-west1"}, "id", GOOGLE),
    (
        "google_compute_subnetwork",
        {"name": "inner", "project": "p-1", "region": "europe-west1"},
        "self_link",
        f"https://www.googleapis.com/compute/v1/{GOOGLE}",
    ),
]
"""What modules take apart, or compare: a Terraform type, what a configuration says, an attribute and its value."""


def terraform_created(type_name, said, attribute, times=1):
    """The replies to creates of a Terraform type, all alike, by a schema that has this computed attribute."""
    package = type_name.partition("_")[0]
    optional = {"type": "string", "optional": True, "computed": True}
    attributes = {"id": optional, "bucket": optional, **dict.fromkeys(said, optional)}
    attributes[attribute] = {"type": "string", "computed": True}
    address = f"registry.terraform.io/hashicorp/{package}"
    schema = {"resource_schemas": {type_name: {"version": 0, "block": {"attributes": attributes}}}}
    double = Double(from_terraform_schema({"format_version": "1.0", "provider_schemas": {address: schema}}))
    [declared] = double.packages[package].resources.values()
    inputs = {camel_case(name): text for name, text in said.items()}
    call = Call(op=Op.CREATE, session=double.open(package=package), type=declared.token, inputs=inputs)
    return [double(call) for _ in range(times)]


@pytest.mark.parametrize(("type_name", "said", "attribute", "value"), BY_NAME)
def test_presets_of_terraform_go_by_what_a_configuration_says(type_name, said, attribute, value):
    """Ids, ARNs and addresses of Terraform's types are made of the names and places that the configuration gives."""
    [reply] = terraform_created(type_name, said, attribute)

    answered = reply.id if attribute == "id" else reply.value[camel_case(attribute)]
    assert re.fullmatch(re.escape(value).replace(r"\{id\}", re.escape(reply.id)).replace(r"\{hash\}", "[0-9a-f]{8}"), answered)


def test_an_update_keeps_what_a_preset_generated():
    """The endpoint of a cluster stays at an update of something else, and the address of a stage follows its name."""
    text, optional = {"type": "string", "computed": True}, {"type": "string", "optional": True}
    names = ("name", "api_id", "description")
    block = {"attributes": {"id": text, "endpoint": text, "invoke_url": text, **dict.fromkeys(names, optional)}}
    types = {name: {"version": 0, "block": block} for name in ("aws_eks_cluster", "aws_apigatewayv2_stage")}
    schema = {"provider_schemas": {"registry.terraform.io/hashicorp/aws": {"resource_schemas": types}}}
    double = Double(from_terraform_schema(schema))
    session = double.open(package="aws")

    def updated(token, attribute, inputs, later):
        created = double(Call(op=Op.CREATE, session=session, type=token, inputs=inputs))
        call = Call(
            op=Op.UPDATE, session=session, type=token, id=created.id, inputs=later, prior=created.value, prior_inputs=inputs
        )
        return created.value[attribute], double(call).value[attribute]

    endpoints = updated(
        "aws:index:EksCluster", "endpoint", {"name": "a", "description": "1"}, {"name": "a", "description": "2"}
    )
    assert endpoints[0] == endpoints[1]
    urls = updated("aws:index:Apigatewayv2Stage", "invokeUrl", {"name": "a", "apiId": "x"}, {"name": "b", "apiId": "x"})
    assert [url.rpartition("/")[2] for url in urls] == ["a", "b"]


def test_a_data_source_of_azure_has_the_id_of_what_it_names():
    """What is looked up by its name has the id that a resource of this name has."""
    text = {"type": "string"}
    attributes = {"name": {**text, "required": True}, "id": {**text, "computed": True}}
    block = {"azurerm_resource_group": {"version": 0, "block": {"attributes": attributes}}}
    schema = {"resource_schemas": block, "data_source_schemas": block}
    double = Double(from_terraform_schema({"provider_schemas": {"registry.terraform.io/hashicorp/azurerm": schema}}))
    [resource], [data] = double.packages["azurerm"].resources, double.packages["azurerm"].functions
    inputs, session = {"name": "shop"}, double.open(package="azurerm")
    found = double(Call(op=Op.INVOKE, session=session, type=data, inputs=inputs)).value["id"]

    assert found == GROUP
    assert double(Call(op=Op.CREATE, session=session, type=resource, inputs=inputs)).id == found


def test_a_service_account_of_google_has_an_address():
    """It is made of the account and the provider's project, and the member of policies is the same address."""
    token, text = "gcp:serviceaccount/account:Account", {"type": "string"}
    outputs = {"email": text, "member": text}
    resource = {"inputProperties": {"accountId": text}, "properties": outputs, "required": [*outputs]}
    meta = {"moduleFormat": "(.*)(?:/[^/]*)"}
    double = Double(from_schema({"name": "gcp", "meta": meta, "resources": {token: resource}}))
    value = made(double, token, accountId="ci").value

    assert value["email"] == "ci@mock-project.iam.gserviceaccount.com"
    assert value["member"] == f"serviceAccount:{value['email']}"


def test_a_stated_id_is_a_plain_text():
    """An id that was stated can be written to any file: JSON knows no other kinds of text."""
    double = aws()
    double.outputs(VPC, {"id": "vpc-1"})

    assert type(made(double, VPC, cidrBlock="10.0.0.0/16").id) is str


def test_resources_that_nothing_tells_apart_but_their_inputs_differ():
    """Where an engine does not say which resource a call is for, generated parts of a preset come from its inputs."""
    token, text = "aws:sqs/queue:Queue", {"type": "string"}
    resource = {"inputProperties": {"name": text}, "properties": {"name": text, "url": text}, "required": ["url"]}
    double = Double(from_schema({"name": "aws", "resources": {token: resource}}))

    def nameless(name):
        call = Call(op=Op.CREATE, session=double.open(package="aws"), type=token, inputs={"name": name})
        return double(call).value["url"]

    assert len({nameless("jobs"), nameless("failed")}) == 2


def test_equal_resources_without_a_name_are_not_the_same_one():
    """Two buckets to which a configuration gives no name, in a run that does not tell them apart, have names of their own."""
    replies = terraform_created("aws_s3_bucket", {}, "arn", times=3)

    assert [reply.value["arn"] for reply in replies] == [f"arn:aws:s3:::{reply.id}" for reply in replies]
    assert len({reply.id for reply in replies}) == 3


def test_credentials_of_a_registry_can_be_decoded():
    """The token of ECR is base64 of a user and a password, and the version of a secret is JSON."""
    registry, secret = "aws:ecr/getCredentials:getCredentials", "aws:secretsmanager/getSecretVersion:getSecretVersion"
    text = {"type": "string"}
    functions = {
        registry: {"outputs": {"properties": {"authorizationToken": text}}},
        secret: {"outputs": {"properties": {"secretString": text}}},
    }
    double = Double(from_schema({"name": "aws", "functions": functions}))

    assert base64.b64decode(asked(double, registry)["authorizationToken"]).decode().split(":")[0] == "AWS"
    assert json.loads(asked(double, secret)["secretString"]).keys() == {"username", "password"}


def test_presets_are_read_by_one_thread():
    """Engines ask for several data sources at once, and the first answers of a process come from one reading at a time."""
    asking = """
import sys
from threading import Barrier, Thread
from mockprovider.double.presets import presets
sys.setswitchinterval(1e-6)
together = Barrier(8)
asked = [Thread(target=lambda: (together.wait(), presets("aws"))) for _ in range(8)]
for thread in asked:
    thread.start()
for thread in asked:
    thread.join()
print(len(presets("aws").answers) > 5)
"""
    run = subprocess.run([sys.executable, "-c", asking], check=True, capture_output=True, text=True)

    assert run.stdout == "True\n"


def test_presets_can_be_overridden_and_switched_off():
    """What a test says counts before a preset, and without presets the schema alone is left."""
    double = aws()
    double.answers(IDENTITY, {"accountId": "999999999999"})
    assert asked(double, IDENTITY)["accountId"] == "999999999999"
    double.presets = False
    assert not double.presets
    assert asked(double, ZONES)["names"][0].startswith("zones-")


def test_presets_are_for_what_no_user_declared():
    """A function of the user's answers as declared; one that nobody declares as the preset says, beside its echo."""
    assert asked(Double(Function(ZONES, returns={"names": []})), ZONES) == {"names": []}
    double = Double(name="aws")
    answer = asked(double, ZONES, state="available")
    assert answer["state"] == "available"
    assert answer["names"][0] == "us-east-1a"
    assert "as the preset aws says" in str(double.journal.entries(type=ZONES)[0])
    double.presets = False
    assert "names" not in asked(double, ZONES)
    assert Double(name="aws", strict=True)(Call(op=Op.INVOKE, session=double.open(package="aws"), type=ZONES)).failures


@pytest.mark.parametrize("double", [aws(), Double(name="aws")], ids=["of a schema", "of nothing"])
def test_a_preset_leaves_what_the_call_says_as_it_is(double):
    """Who looks up a network by its id gets that network, and a number of elements that a test says counts as well."""
    vpc = "aws:ec2/getVpc:getVpc"
    assert asked(double, vpc, id="vpc-9")["id"] == "vpc-9"
    assert asked(double, vpc)["id"].startswith("vpc-")


def test_types_that_go_by_their_address_have_it_as_their_id():
    """Topics, policies and clusters of AWS go by their ARN, and queues by their URL, which end with their names."""
    text = {"type": "string"}
    of = {
        "aws:sns/topic:Topic": ("arn", "arn:aws:sns:us-east-1:123456789012:jobs"),
        "aws:iam/policy:Policy": ("arn", "arn:aws:iam::123456789012:policy/jobs"),
        "aws:ecs/cluster:Cluster": ("arn", "arn:aws:ecs:us-east-1:123456789012:cluster/jobs"),
        "aws:alb/targetGroup:TargetGroup": ("arn", "arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/jobs"),
        "aws:sqs/queue:Queue": ("url", "https://sqs.us-east-1.amazonaws.com/123456789012/jobs"),
    }
    resources = {
        token: {"inputProperties": {"name": text}, "properties": {"name": text, address: text}, "required": [address]}
        for token, (address, _) in of.items()
    }
    double = Double(from_schema({"name": "aws", "meta": {"moduleFormat": "(.*)(?:/[^/]*)"}, "resources": resources}))
    for token, (address, expected) in of.items():
        reply = made(double, token, name="jobs")
        assert reply.id == reply.value[address] == expected


def test_versions_of_clusters_go_by_their_channel():
    """Programs take Google's version of a release channel by the channel's name."""
    token = "gcp:container/getEngineVersions:getEngineVersions"
    assert asked(Double(name="gcp"), token)["releaseChannelLatestVersion"]["STABLE"].startswith("1.")


def test_a_policy_document_is_the_one_that_the_program_describes():
    """The preset of policy documents works out the JSON of the statements, as IAM has it."""
    statements = [
        {"sid": "Read", "actions": ["s3:GetObject"], "resources": ["b", "a"]},
        {"effect": "Deny", "actions": ["s3:*"], "resources": ["*"]},
    ]
    answer = asked(aws(), POLICY, statements=statements, policyId="p")

    assert (
        json.loads(answer["json"])
        == json.loads(answer["minifiedJson"])
        == {
            "Version": "2012-10-17",
            "Id": "p",
            "Statement": [
                {"Sid": "Read", "Effect": "Allow", "Action": "s3:GetObject", "Resource": ["a", "b"]},
                {"Effect": "Deny", "Action": "s3:*", "Resource": "*"},
            ],
        }
    )


def test_statements_take_the_places_of_those_with_their_sids():
    """Of sources, the program's own statements and overrides the last one of a Sid counts, where the first one stood."""

    def written(**actions: str) -> str:
        return json.dumps({"Statement": [{"Sid": sid, "Action": action} for sid, action in actions.items()]})

    own = [{"sid": "B", "actions": ["own"]}, {"actions": ["nameless"]}, {"actions": ["other"]}]
    documents = {"sourcePolicyDocuments": [written(A="first", B="first")], "overridePolicyDocuments": [written(A="last")]}
    answer = asked(Double(name="aws"), POLICY, statements=own, **documents)

    assert [one["Action"] for one in json.loads(answer["json"])["Statement"]] == ["last", "own", "nameless", "other"]


def test_kubernetes_fills_in_names_and_statuses():
    """A Kubernetes object has a name made of the resource's, a namespace and a status, and keeps what the program says."""
    metadata = {"properties": {name: {"type": "string"} for name in ("name", "namespace", "uid", "deletionTimestamp")}}
    status = {"properties": {"phase": {"type": "string"}, "podIP": {"type": "string"}}}
    ref = {name: {"$ref": f"#/types/kubernetes:core/v1:{name}"} for name in ("Meta", "Status")}
    pod = {
        "inputProperties": {"metadata": ref["Meta"]},
        "properties": {"metadata": ref["Meta"], "status": ref["Status"]},
        "required": ["metadata", "status"],
    }
    types = {
        "kubernetes:core/v1:Meta": {"type": "object", **metadata},
        "kubernetes:core/v1:Status": {"type": "object", **status},
    }
    double = Double(from_schema({"name": "kubernetes", "types": types, "resources": {"kubernetes:core/v1:Pod": pod}}))
    urn = "urn:pulumi:dev::shop::kubernetes:core/v1:Pod::web"

    def create(**inputs: Any) -> Any:
        call = Call(op=Op.CREATE, session=double.open(), type="kubernetes:core/v1:Pod", name="web", urn=urn, inputs=inputs)
        return double(call).value

    bare, named = create(), create(metadata={"name": "mine"})
    assert re.fullmatch("web-[0-9a-f]{8}", bare["metadata"]["name"])
    assert bare["metadata"]["namespace"] == named["metadata"]["namespace"] == "default"
    assert "deletionTimestamp" not in bare["metadata"]
    assert named["metadata"]["name"] == "mine"
    assert (bare["status"]["phase"], bare["status"]["podIP"]) == ("Running", "10.244.0.10")


def test_the_texts_of_a_kubernetes_secret_are_its_data():
    """What a program says in ``stringData`` is in ``data``, in base64, after an update as well; other secrets stay."""
    texts = {"type": "object", "additionalProperties": {"type": "string"}}
    members = {"data": texts, "stringData": texts, "type": {"type": "string"}}
    secret = {"inputProperties": members, "properties": members, "required": ["data", "type"]}
    double = Double(from_schema({"name": "kubernetes", "resources": {"kubernetes:core/v1:Secret": secret}}))

    def program(**inputs: Any) -> Any:
        return lambda: pulumi.CustomResource("kubernetes:core/v1:Secret", "login", inputs)

    stack = Stack(double)
    stack.up(program(stringData={"password": "t0p"}))
    [stored] = double.cloud.objects()
    assert (stored["data"], stored["type"]) == ({"password": "dDBw"}, "Opaque")
    assert stack.up(program(stringData={"password": "t0p"})).summary == {}
    stack.up(program(stringData={"password": "other"}))
    assert double.cloud.objects()[0]["data"] == {"password": "b3RoZXI="}
    stack.up(program(data={"password": "dDBw"}))
    assert double.cloud.objects()[0]["data"] == {"password": "dDBw"}
    stack.up(program(data={"password": "dDBw"}, stringData={"user": "me"}))
    assert double.cloud.objects()[0]["data"] == {"password": "dDBw", "user": "bWU="}
    assert stack.refresh().summary == {}
    assert stack.up(program(data={"password": "dDBw"}, stringData={"user": "me"})).summary == {}
    stack.up(program(data={"password": "dDBw"}))
    assert double.cloud.objects()[0]["data"] == {"password": "dDBw"}


def test_of_a_key_in_both_the_text_of_a_kubernetes_secret_counts():
    """As in the API, ``stringData`` wins over ``data``, at creation and in updates, and nothing is to be done after it."""
    texts = {"type": "object", "additionalProperties": {"type": "string"}}
    members = {"data": texts, "stringData": texts}
    secret = {"inputProperties": members, "properties": members, "required": ["data"]}
    double = Double(from_schema({"name": "kubernetes", "resources": {"kubernetes:core/v1:Secret": secret}}))
    stack = Stack(double)
    for text, encoded in (("other", "b3RoZXI="), ("t0p", "dDBw")):
        given = {"data": {"password": "b2xk", "user": "bWU="}, "stringData": {"password": text}}

        def program(given: Any = given) -> None:
            pulumi.CustomResource("kubernetes:core/v1:Secret", "login", given)

        stack.preview(program)
        stack.up(program)
        assert double.cloud.objects()[0]["data"] == {"password": encoded, "user": "bWU="}
        assert stack.up(program).summary == stack.refresh().summary == {}


def test_what_a_preset_answers_can_be_read():
    """A program gets the subnet whose id a function told it, in later runs, too; an id that nobody told is none."""
    text = {"type": "string"}
    schema = {
        "name": "aws",
        "functions": {"aws:ec2/getSubnets:getSubnets": {"outputs": {"properties": {"ids": {"type": "array", "items": text}}}}},
        "resources": {"aws:ec2/subnet:Subnet": {"inputProperties": {"vpcId": text}, "properties": {"arn": text}}},
    }

    def program(id_: str = "") -> Any:
        def read() -> None:
            ids = pulumi.runtime.invoke("aws:ec2/getSubnets:getSubnets", {}).value["ids"]
            options = pulumi.ResourceOptions(id=id_ or ids[1])
            pulumi.export("arn", pulumi.CustomResource("aws:ec2/subnet:Subnet", "one", {"arn": None}, options).arn)

        return read

    double = Double(from_schema(schema))
    stack = Stack(double)
    assert stack.up(program()).outputs["arn"].startswith("arn:aws:ec2:")
    assert stack.up(program()).summary == stack.refresh().summary == {}
    with pytest.raises(ProgramError, match="'subnet-1' does not exist"):
        Stack(double).up(program("subnet-1"))
    assert double.cloud.objects() == []


def test_a_preset_also_says_what_a_program_may_set_and_left_out():
    """A Helm release without a name has one, also where the SDK does not say that it always has; a name of its own stays."""
    name = {"name": {"type": "string"}}
    release = {"inputProperties": name, "properties": name}
    double = Double(from_schema({"name": "kubernetes", "resources": {"kubernetes:helm.sh/v3:Release": release}}))

    def program():
        given = {"web": {}, "db": {"name": "postgres"}}
        for title, inputs in given.items():
            resource = pulumi.CustomResource("kubernetes:helm.sh/v3:Release", title, {"name": None, **inputs})
            pulumi.export(title, resource.name)

    stack = Stack(double)
    outputs = stack.up(program).outputs
    assert re.fullmatch("web-[0-9a-f]{8}", outputs["web"])
    assert outputs["db"] == "postgres"
    assert stack.up(program).summary == stack.refresh().summary == {}


def test_a_bucket_of_google_has_an_address_of_its_own():
    """The ``url`` of a bucket is made of its name: the program's, or the one that the provider gave it."""
    name = {"name": {"type": "string"}}
    bucket = {"inputProperties": name, "properties": {**name, "url": {"type": "string"}}, "required": ["name", "url"]}
    double = Double(from_schema({"name": "gcp", "resources": {"gcp:storage/bucket:Bucket": bucket}}))

    def program():
        pulumi.CustomResource("gcp:storage/bucket:Bucket", "logs", {"url": None})
        pulumi.CustomResource("gcp:storage/bucket:Bucket", "site", {"name": "my-site", "url": None})

    Stack(double).up(program)
    named = {stored["name"]: stored["url"] for stored in double.cloud.objects()}
    assert named.pop("my-site") == "gs://my-site"
    [(generated, url)] = named.items()
    assert generated.startswith("logs-")
    assert url == f"gs://{generated}"


def test_a_preset_says_nothing_of_what_is_not_known_yet():
    """The address of an account whose name is not known in a preview is unknown there, and known once it is made."""
    text = {"type": "string"}
    account = {"inputProperties": {"accountId": text}, "properties": {"accountId": text, "email": text}, "required": ["email"]}
    double = Double(from_schema({"name": "gcp", "resources": {"gcp:serviceaccount/account:Account": account}}))

    def program():
        first = pulumi.CustomResource("gcp:serviceaccount/account:Account", "first", {"accountId": "one", "email": None})
        inputs = {"accountId": first.id.apply(lambda id_: f"of-{id_}"), "email": None}
        pulumi.CustomResource("gcp:serviceaccount/account:Account", "second", inputs)

    stack = Stack(double)
    assert stack.preview(program).summary == {"create": 2}
    stack.up(program)
    emails = {stored["email"] for stored in double.cloud.objects()}
    assert emails == {f"{stored['accountId']}@mock-project.iam.gserviceaccount.com" for stored in double.cloud.objects()}


def test_what_goes_by_its_name_has_it_as_its_id():
    """The id of a bucket is its name, where a program names it; a second one of that name is another object all the same."""
    text = {"type": "string"}
    bucket = {"inputProperties": {"bucket": text}, "properties": {"bucket": text}}
    double = Double(from_schema({"name": "aws", "resources": {"aws:s3/bucket:Bucket": bucket}}))

    def program():
        for name in ("logs", "copy"):
            pulumi.CustomResource("aws:s3/bucket:Bucket", name, {"bucket": "reports"})
        pulumi.CustomResource("aws:s3/bucket:Bucket", "other", {})

    Stack(double).up(program)
    ids = [stored.id for stored in double.cloud.objects()]
    assert ids.count("reports") == 1
    assert len(set(ids)) == 3
    assert sum(id_.startswith("reports") for id_ in ids) == 2


def test_deployments_of_azure_answer_the_outputs_of_their_templates():
    """A deployment has each output that its template says: values as they stand, and of expressions the type."""
    token, text = "azure:core/resourceGroupTemplateDeployment:ResourceGroupTemplateDeployment", {"type": "string"}
    properties = {"templateContent": text, "outputContent": text}
    deployment = {"inputProperties": {"templateContent": text}, "properties": properties, "required": ["outputContent"]}
    outputs = {
        "accountName": {"type": "string", "value": "[parameters('name')]"},
        "replicas": {"type": "int", "value": "[parameters('count')]"},
        "sku": {"type": "string", "value": "Standard"},
    }

    def content(template: str) -> Any:
        with Double(from_schema({"name": "azure", "resources": {token: deployment}})) as double:
            inputs = {"templateContent": template, "outputContent": None}
            Stack(double).up(lambda: pulumi.CustomResource(token, "site", inputs) and None)
            return json.loads(double.cloud.objects()[0]["outputContent"])

    values = {name: output["value"] for name, output in content(json.dumps({"outputs": outputs})).items()}
    assert values == {"accountName": "accountname", "replicas": 1, "sku": "Standard"}
    assert content("{}") == {}
    assert azure_template_outputs({"templateContent": "no JSON"}) == {}


# Files ------------------------------------------------------------------------------------------------------------------

FILE = {
    "mockprovider": 1,
    "packages": {
        "aws": {
            "answers": [
                {"function": SUBNETS, "answer": [{"ids": ["{vpcId}-a"]}, {"ids": []}]},
                {"function": ["aws_ec2_ami"], "when": {"mostRecent": True}, "answer": {"id": "ami-{region}"}},
            ],
            "outputs": [{"type": VPC, "name": "main", "outputs": {"arn": "arn:{cidrBlock}"}}],
            "elements": {"*": 2, f"{CERTIFICATE}.domainValidationOptions": 4},
        }
    },
}


@pytest.mark.parametrize("first", ["schema", "file"])
def test_a_file_says_the_same(first):
    """A types file that only says answers joins the schema, in whichever order they come; its texts are templates."""
    definitions = [from_schema(PULUMI), *load(FILE)]
    double = Double(*(definitions if first == "schema" else reversed(definitions)))

    assert json.loads(double.packages["aws"].schema) == PULUMI
    assert [asked(double, SUBNETS, vpcId="v")["ids"] for _ in range(2)] == [["v-a"], []]
    assert asked(double, AMI, mostRecent=True)["id"] == "ami-us-east-1"
    assert made(double, VPC, "main", cidrBlock="c").value["arn"] == "arn:c"
    assert made(double, VPC, "other", cidrBlock="c").value["arn"] != "arn:c"
    assert len(made(double, CERTIFICATE, domainName="a").value["domainValidationOptions"]) == 4


def test_files_are_written_and_read():
    """What a file says survives the way there and back."""
    assert dump(load(dump(load(FILE)))) == dump(load(FILE))


def test_a_file_that_is_wrong_is_refused():
    """What a file says is checked when it meets the schema, and templates when it is read."""
    said = {"function": SUBNETS, "answer": {"idss": []}}
    with pytest.raises(DefinitionError, match=r"has no output 'idss'\. Did you mean 'ids'"):
        Double(from_schema(PULUMI), *load({"mockprovider": 1, "packages": {"aws": {"answers": [said]}}}))
    broken = {"function": SUBNETS, "answer": {"ids": ["{"]}}
    with pytest.raises(DefinitionError, match=r"answers\[0\]: '{' is not a template"):
        load({"mockprovider": 1, "packages": {"aws": {"answers": [broken]}}}, "types.json")


def test_python_cannot_be_written():
    """What is said in Python stays there."""
    [package] = load(FILE)
    package.said.answers[0].answer = lambda arguments: {}
    with pytest.raises(DefinitionError, match="is a Python function, which data cannot hold"):
        dump([package])


def test_terraform_schemas_have_the_same():
    """A Terraform schema's data source has the names of its attributes, and the preset knows it."""
    double = Double(from_terraform_schema(TERRAFORM))
    double.answers("aws_subnets", {"ids": ["a", "b"]})

    assert asked(double, "aws:index:getSubnets")["ids"] == ["a", "b"]
    assert asked(double, "aws:index:getAvailabilityZones")["zoneIds"] == ["use1-az1", "use1-az2", "use1-az3"]
