"""A small provider like AWS's, as schemas of both ecosystems: what programs ask of the large one, and index."""

from __future__ import annotations

from typing import Any

from mockprovider import Double, from_schema
from mockprovider.calls import Call, Op

ZONES = "aws:index/getAvailabilityZones:getAvailabilityZones"
AMI = "aws:ec2/getAmi:getAmi"
POLICY = "aws:iam/getPolicyDocument:getPolicyDocument"
VPC, SUBNET = "aws:ec2/vpc:Vpc", "aws:ec2/subnet:Subnet"
IDENTITY, SUBNETS = "aws:index/getCallerIdentity:getCallerIdentity", "aws:ec2/getSubnets:getSubnets"
CERTIFICATE, CLUSTER = "aws:acm/certificate:Certificate", "aws:eks/cluster:Cluster"


def _of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


STRING, FLAG, WHOLE = {"type": "string"}, {"type": "boolean"}, {"type": "integer"}
STRINGS = {"type": "array", "items": STRING}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/types/aws:index/{name}:{name}"}


def _list(name: str) -> dict[str, Any]:
    return {"type": "array", "items": _ref(name)}


def _resource(
    inputs: dict[str, Any], outputs: dict[str, Any], *, required: tuple[str, ...] = (), certain: tuple[str, ...] = ()
) -> Any:
    every = {**inputs, **outputs}
    return {
        "properties": every,
        "required": [*required, *outputs, *certain],
        "inputProperties": inputs,
        "requiredInputs": list(required),
    }


PULUMI: dict[str, Any] = {
    "name": "aws",
    "version": "6.0.0",
    "meta": {"moduleFormat": "(.*)(?:/[^/]*)"},
    "config": {"variables": {"region": STRING}},
    "types": {
        "aws:index/validation:validation": _of(domainName=STRING, resourceRecordName=STRING, resourceRecordType=STRING),
        "aws:index/authority:authority": _of(data=STRING),
        "aws:index/filter:filter": _of(name=STRING, values=STRINGS),
        "aws:index/statement:statement": _of(sid=STRING, effect=STRING, actions=STRINGS, resources=STRINGS),
        "aws:index/networking:networking": {**_of(subnetIds=STRINGS), "required": ["subnetIds"]},
        "aws:index/networkingState:networkingState": {
            **_of(subnetIds=STRINGS, vpcId=STRING, clusterSecurityGroupId=STRING),
            "required": ["subnetIds", "vpcId", "clusterSecurityGroupId"],
        },
    },
    "resources": {
        VPC: _resource(
            {"cidrBlock": STRING, "tags": {"type": "object", "additionalProperties": STRING}},
            {"arn": STRING, "mainRouteTableId": STRING, "ipv6CidrBlock": STRING},
            required=("cidrBlock",),
        ),
        SUBNET: _resource(
            {"vpcId": STRING, "availabilityZone": STRING, "securityGroups": STRINGS, "public": FLAG},
            {"arn": STRING, "ownerId": STRING},
            required=("vpcId",),
            certain=("availabilityZone", "securityGroups", "public"),
        ),
        CERTIFICATE: _resource(
            {"domainName": STRING},
            {"arn": STRING, "domainValidationOptions": _list("validation"), "notAfter": STRING, "status": STRING},
            required=("domainName",),
        ),
        CLUSTER: {
            "inputProperties": {"vpcConfig": _ref("networking"), "name": STRING},
            "requiredInputs": ["vpcConfig"],
            "properties": {
                "vpcConfig": _ref("networkingState"),
                "name": STRING,
                "endpoint": STRING,
                "certificateAuthority": _ref("authority"),
            },
            "required": ["vpcConfig", "name", "endpoint", "certificateAuthority"],
        },
    },
    "functions": {
        ZONES: {
            "inputs": _of(state=STRING),
            "outputs": _of(id=STRING, names=STRINGS, zoneIds=STRINGS, groupNames=STRINGS, state=STRING),
        },
        "aws:index/getCallerIdentity:getCallerIdentity": {
            "outputs": _of(id=STRING, accountId=STRING, arn=STRING, userId=STRING)
        },
        AMI: {
            "inputs": _of(mostRecent=FLAG, owners=STRINGS, filters=_list("filter")),
            "outputs": _of(
                id=STRING, architecture=STRING, imageId=STRING, creationDate=STRING, ownerId=STRING, mostRecent=FLAG
            ),
        },
        "aws:ec2/getSubnets:getSubnets": {"inputs": _of(vpcId=STRING), "outputs": _of(id=STRING, ids=STRINGS, vpcId=STRING)},
        POLICY: {
            "inputs": _of(statements=_list("statement"), policyId=STRING),
            "outputs": _of(id=STRING, json=STRING, minifiedJson=STRING, statements=_list("statement")),
        },
    },
}

TEXT = {"type": "string"}
SET = {"type": "number"}


def _computed(spec: Any) -> dict[str, Any]:
    return {"type": spec, "computed": True}


def _optional(spec: Any, **flags: bool) -> dict[str, Any]:
    return {"type": spec, "optional": True, **flags}


def _schema(attributes: dict[str, Any], **blocks: Any) -> dict[str, Any]:
    block = {"attributes": attributes, **({"block_types": blocks} if blocks else {})}
    return {"version": 0, "block": block}


VALIDATION = ["object", {"domain_name": "string", "resource_record_name": "string", "resource_record_type": "string"}]
ID = _computed("string")

TERRAFORM: dict[str, Any] = {
    "format_version": "1.0",
    "provider_schemas": {
        "registry.terraform.io/hashicorp/aws": {
            "provider": _schema({"region": _optional("string")}),
            "resource_schemas": {
                "aws_vpc": _schema(
                    {
                        "id": _optional("string", computed=True),
                        "cidr_block": {"type": "string", "required": True},
                        "arn": _computed("string"),
                        "main_route_table_id": _computed("string"),
                        "tags": _optional(["map", "string"]),
                        "tags_all": _optional(["map", "string"], computed=True),
                    }
                ),
                "aws_subnet": _schema(
                    {
                        "id": _optional("string", computed=True),
                        "vpc_id": {"type": "string", "required": True},
                        "cidr_block": _optional("string", computed=True),
                        "availability_zone": _optional("string", computed=True),
                        "security_groups": _optional(["set", "string"], computed=True),
                        "public": _optional("bool", computed=True),
                        "weight": _optional("number", computed=True),
                        "owner_id": _computed("string"),
                    }
                ),
                "aws_acm_certificate": _schema(
                    {
                        "id": ID,
                        "domain_name": {"type": "string", "required": True},
                        "arn": _computed("string"),
                        "domain_validation_options": _computed(["set", VALIDATION]),
                        "validation_emails": _computed(["list", "string"]),
                        "renewal_summary": _computed(["map", "string"]),
                        "not_after": _computed("string"),
                        "key_size": _computed("number"),
                    }
                ),
                "aws_instance": _schema(
                    {
                        "id": ID,
                        "ami": {"type": "string", "required": True},
                        "arn": _computed("string"),
                        "private_ip": _computed("string"),
                    },
                    root_block_device={
                        "nesting_mode": "list",
                        "max_items": 1,
                        "block": {"attributes": {"size": _optional("number", computed=True), "volume_id": _computed("string")}},
                    },
                ),
            },
            "data_source_schemas": {
                "aws_availability_zones": _schema(
                    {
                        "id": ID,
                        "state": _optional("string"),
                        "names": _computed(["list", "string"]),
                        "zone_ids": _computed(["list", "string"]),
                        "group_names": _computed(["set", "string"]),
                    }
                ),
                "aws_caller_identity": _schema(
                    {
                        "id": ID,
                        "account_id": _computed("string"),
                        "arn": _computed("string"),
                        "user_id": _computed("string"),
                    }
                ),
                "aws_ami": _schema(
                    {
                        "id": ID,
                        "most_recent": _optional("bool"),
                        "owners": _optional(["list", "string"]),
                        "architecture": _computed("string"),
                        "creation_date": _computed("string"),
                        "block_device_mappings": _computed(
                            ["set", ["object", {"device_name": "string", "ebs": ["map", "string"]}]]
                        ),
                    },
                    filter={
                        "nesting_mode": "set",
                        "block": {
                            "attributes": {
                                "name": {"type": "string", "required": True},
                                "values": {"type": ["set", "string"], "required": True},
                            }
                        },
                    },
                ),
                "aws_subnets": _schema({"id": ID, "ids": _computed(["list", "string"])}),
                "aws_iam_policy_document": _schema(
                    {
                        "id": ID,
                        "json": _computed("string"),
                        "minified_json": _computed("string"),
                        "policy_id": _optional("string"),
                    },
                    statement={
                        "nesting_mode": "list",
                        "block": {
                            "attributes": {
                                "sid": _optional("string"),
                                "effect": _optional("string"),
                                "actions": _optional(["set", "string"]),
                                "resources": _optional(["set", "string"]),
                            }
                        },
                    },
                ),
            },
        }
    },
}


def aws() -> Double:
    return Double(from_schema(PULUMI))


def asked(double: Double, token: str, *, session: Any = None, **arguments: Any) -> Any:
    reply = double(Call(op=Op.INVOKE, session=session or double.open(package="aws"), type=token, inputs=arguments))
    assert not reply.failures
    return reply.value


def made(double: Double, type_: str, name: str = "it", **inputs: Any) -> Any:
    reply = created(double, type_, name, inputs)
    assert not reply.failures, reply.failures
    return reply


def created(double: Double, type_: str, name: str, inputs: dict[str, Any]) -> Any:
    urn = f"urn:pulumi:dev::shop::{type_}::{name}"
    return double(Call(op=Op.CREATE, session=double.open(package="aws"), type=type_, name=name, urn=urn, inputs=inputs))
