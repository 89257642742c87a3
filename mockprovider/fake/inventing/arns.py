"""Amazon's names: what an ARN and an id of a thing begin with."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mockprovider.properties import snake_case

ARNS: Mapping[str, str] = {
    "acm_certificate": "acm:certificate/",
    "api_gateway_rest_api": "apigateway:/restapis/",
    "apigateway_rest_api": "apigateway:/restapis/",
    "certificate": "acm:certificate/",
    "cloudtrail": "cloudtrail:trail/",
    "cloudwatch_event_bus": "events:event-bus/",
    "cloudwatch_event_rule": "events:rule/",
    "cloudwatch_log_group": "logs:log-group:",
    "db_instance": "rds:db:",
    "cloudwatch_metric_alarm": "cloudwatch:alarm:",
    "cognito_identity_pool": "cognito-identity:identitypool/",
    "cognito_user_pool": "cognito-idp:userpool/",
    "db_parameter_group": "rds:pg:",
    "db_subnet_group": "rds:subgrp:",
    "dynamodb_table": "dynamodb:table/",
    "ecr_repository": "ecr:repository/",
    "eks_cluster": "eks:cluster/",
    "function": "lambda:function:",
    "flow_log": "ec2:vpc-flow-log/",
    "iam_openid_connect_provider": "iam:oidc-provider/",
    "iam_saml_provider": "iam:saml-provider/",
    "instance_profile": "iam:instance-profile/",
    "key": "kms:key/",
    "kinesis_firehose_delivery_stream": "firehose:deliverystream/",
    "kms_key": "kms:key/",
    "lambda_function": "lambda:function:",
    "lb_listener_rule": "elasticloadbalancing:listener-rule/app/",
    "lb_listener": "elasticloadbalancing:listener/app/",
    "lb_load_balancer": "elasticloadbalancing:loadbalancer/app/",
    "lb_target_group": "elasticloadbalancing:targetgroup/",
    "lb": "elasticloadbalancing:loadbalancer/app/",
    "load_balancer": "elasticloadbalancing:loadbalancer/app/",
    "log_group": "logs:log-group:",
    "policy": "iam:policy/",
    "rds_cluster": "rds:cluster:",
    "rds_instance": "rds:db:",
    "role": "iam:role/",
    "route53_zone": "route53:hostedzone/",
    "s3_bucket": "s3:",
    "bucket": "s3:",
    "secret": "secretsmanager:secret:",
    "secretsmanager_secret": "secretsmanager:secret:",
    "sfn_state_machine": "states:stateMachine:",
    "sns_topic": "sns:",
    "sqs_queue": "sqs:",
    "queue": "sqs:",
    "target_group": "elasticloadbalancing:targetgroup/",
    "topic": "sns:",
    "user": "iam:user/",
    "vpc_security_group_egress_rule": "ec2:security-group-rule/",
    "vpc_security_group_ingress_rule": "ec2:security-group-rule/",
}
"""Things, as types and properties name them, to the service and what stands before the name in their ARNs."""

EC2 = frozenset(
    {"instance", "vpc", "subnet", "security_group", "ami", "eip", "internet_gateway", "nat_gateway", "route_table", "key_pair"}
    | {"network_interface", "launch_template", "ebs_volume", "volume", "vpc_endpoint", "network_acl", "customer_gateway"}
    | {"vpn_gateway", "vpn_connection", "egress_only_internet_gateway", "carrier_gateway", "vpc_peering_connection"}
)
"""Types of EC2 whose names in Terraform do not say so."""

SERVICES: Mapping[str, str] = {
    "acmpca": "acm-pca",
    "alb": "elasticloadbalancing",
    "api": "apigateway",
    "apigatewayv2": "apigateway",
    "appautoscaling": "application-autoscaling",
    "cloudcontrolapi": "cloudformation",
    "cognito": "cognito-idp",
    "db": "rds",
    "docdb": "rds",
    "efs": "elasticfilesystem",
    "elb": "elasticloadbalancing",
    "emr": "elasticmapreduce",
    "lb": "elasticloadbalancing",
    "msk": "kafka",
    "mskconnect": "kafkaconnect",
    "neptune": "rds",
    "opensearch": "es",
    "opensearchserverless": "aoss",
    "sfn": "states",
    "stepfunctions": "states",
}
"""The first words of types whose ARNs have another service."""

GLOBAL: Mapping[str, bool] = {"iam": True, "cloudfront": True, "organizations": True, "s3": False, "route53": False}
"""Services whose ARNs have no region, and whether they have an account."""

IDS: Mapping[str, str] = {
    "ami": "ami",
    "allocation": "eipalloc",
    "eip": "eipalloc",
    "image": "ami",
    "instance": "i",
    "internet_gateway": "igw",
    "efs_access_point": "fsap",
    "efs_file_system": "fs",
    "launch_template": "lt",
    "nat_gateway": "nat",
    "network_acl": "acl",
    "network_interface": "eni",
    "route_table": "rtb",
    "security_group": "sg",
    "snapshot": "snap",
    "subnet": "subnet",
    "volume": "vol",
    "vpc": "vpc",
    "vpc_endpoint": "vpce",
    "customer_gateway": "cgw",
    "dhcp_options": "dopt",
    "egress_only_internet_gateway": "eigw",
    "flow_log": "fl",
    "security_group_rule": "sgr",
    "transit_gateway": "tgw",
    "vpc_dhcp_options": "dopt",
    "vpc_peering_connection": "pcx",
    "vpc_security_group_egress_rule": "sgr",
    "vpc_security_group_ingress_rule": "sgr",
    "vpn_connection": "vpn",
    "vpn_gateway": "vgw",
}
"""Things to the prefix of their ids."""

PARTITIONS: Mapping[str, str] = {"us-gov-": "aws-us-gov", "cn-": "aws-cn", "us-iso-": "aws-iso", "us-isob-": "aws-iso-b"}
"""How the names of the regions of other partitions begin."""


def partition_of(region: str) -> str:
    """The partition of a region."""
    return next((name for prefix, name in PARTITIONS.items() if region.startswith(prefix)), "aws")


def ends_with_id(token: str) -> bool:
    """Whether a thing's ARN ends with its id, although it may have a name: with Amazon's that tell their kind."""
    thing = _bare(token)
    return thing in IDS or thing == "route53_zone"


def arn(thing: str, owner: str, region: str, account: str, name: str) -> str:
    """The ARN of a thing called ``name``: of what a property's name says (``role``), or else of its ``owner`` type."""
    rest = next((ARNS[words] for words in endings(thing) if words in ARNS), "") or _owned(owner, thing)
    service, _, prefix = rest.partition(":")
    partition = partition_of(region)
    if service in GLOBAL:
        region, account = "", account if GLOBAL[service] else ""
    # Names of parameters begin with a slash, and those of aliases with what stands before the name.
    name = name.removeprefix(prefix).removeprefix("/" if prefix.endswith("/") else "")
    return f"arn:{partition}:{service}:{region}:{account}:{prefix}{name}"


def _owned(owner: str, thing: str) -> str:
    # A load balancer has two names: aws_alb and aws_lb.
    plain = re.sub("^alb(?=_|$)", "lb", owner.removeprefix("default_"))
    if plain in ARNS:
        return ARNS[plain]
    if plain in EC2:
        return f"ec2:{(thing or plain).replace('_', '-')}/"
    service, _, rest = owner.partition("_")
    return f"{SERVICES.get(service, service)}:{(thing or rest or service).replace('_', '-')}/"


def id_template(token: str) -> str:
    """The template of the ids of a type's objects: Amazon's tell their kind."""
    thing = _bare(token)
    return f"{IDS[thing]}-{{hash}}" if token.startswith("aws:") and thing in IDS else "{hash}"


def _bare(token: str) -> str:
    return thing_of(token).removeprefix("ec2_").removeprefix("default_")


def endings(thing: str) -> list[str]:
    """The words of a name, and fewer and fewer of its last: ``execution_role``, ``role``."""
    words = thing.split("_")
    return ["_".join(words[start:]) for start in range(len(words))]


def thing_of(token: str) -> str:
    """What a type or function is about, in Terraform's words without the package: ``aws:s3/bucket:Bucket`` is ``s3_bucket``."""
    _, module, member = token.split(":", 2)
    module = module.split("/")[0]
    named = snake_case(member.rpartition("/")[2])
    named = named.removeprefix("get_") if member.startswith("get") else named
    return named if module in ("", "index") or named.startswith(f"{module}_") else f"{snake_case(module)}_{named}"
