"""What presets say of the large clouds: what everybody asks, and what has the name or place that a program gives."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from uuid import UUID

import pytest
from aws_like import (
    IDENTITY,
    VPC,
    ZONES,
    asked,
    aws,
    made,
)

from mockprovider import Double, Function, from_schema, from_terraform_schema
from mockprovider.calls import Call, Op
from mockprovider.properties import camel_case


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
    "linode:index/stackScript:StackScript": ("id", int),
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
    ("aws_iam_role", {"name": "web", "path": "/svc/"}, "arn", "arn:aws:iam::123456789012:role/svc/web"),
    ("aws_security_group", {"name": "web"}, "arn", "arn:aws:ec2:us-east-1:123456789012:security-group/{id}"),
    ("aws_vpc", {"region": "us-gov-west-1"}, "arn", "arn:aws-us-gov:ec2:us-gov-west-1:123456789012:vpc/{id}"),
    ("aws_s3_bucket", {"bucket": "logs", "region": "cn-north-1"}, "arn", "arn:aws-cn:s3:::logs"),
    ("aws_ssm_parameter", {"name": "/a/b"}, "arn", "arn:aws:ssm:us-east-1:123456789012:parameter/a/b"),
    ("aws_kms_alias", {"name": "alias/k"}, "arn", "arn:aws:kms:us-east-1:123456789012:alias/k"),
    ("aws_route53_zone", {"name": "example.org"}, "arn", "arn:aws:route53:::hostedzone/{id}"),
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
