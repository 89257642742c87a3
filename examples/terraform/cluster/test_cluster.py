"""The cluster: who may do what, what an upgrade does, and a cluster that takes its time."""

import json
from pathlib import Path

import pytest

HERE = Path(__file__).parent
INPUTS = 'name = "apps"\nvpc_id = "vpc-1"\nsubnet_ids = ["subnet-1", "subnet-2"]\n'
pytestmark = pytest.mark.terraform_cli


@pytest.fixture
def cluster(aws, terraform):
    """The module, called as its users call it."""
    terraform.use(HERE)
    terraform.write(INPUTS, "terraform.tfvars")
    return terraform


def test_the_api_is_private(cluster):
    """The API has no public endpoint, and each role is assumed by its own service."""
    applied = cluster.apply()
    config = applied.resource("aws_eks_cluster.this")["attributes"]["vpc_config"][0]
    assert (config["endpoint_public_access"], config["endpoint_private_access"]) == (False, True)
    trusted = {}
    for role in ("cluster", "nodes"):
        attributes = applied.resource(f'aws_iam_role.this["{role}"]')["attributes"]
        trusted[role] = json.loads(attributes["assume_role_policy"])["Statement"][0]["Principal"]["Service"]
    assert trusted == {"cluster": "eks.amazonaws.com", "nodes": "ec2.amazonaws.com"}
    assert applied.outputs["issuer"].startswith("https://")


def test_a_new_version_is_an_update(cluster):
    """Another version upgrades the cluster in place."""
    cluster.apply()
    cluster.write(INPUTS + 'kubernetes_version = "1.32"\n', "terraform.tfvars")
    changed = {address: actions for address, actions in cluster.plan().actions.items() if actions != ["no-op"]}
    assert changed == {"aws_eks_cluster.this": ["update"]}


def test_what_the_autoscaler_does_stays(aws, cluster):
    """Nodes that the autoscaler has added are no drift, while other instances replace the group."""
    cluster.apply()
    aws.cloud.drift("aws:index:EksNodeGroup", scalingConfig=[{"minSize": 1, "maxSize": 3, "desiredSize": 3}])
    assert cluster.plan().actions['aws_eks_node_group.this["default"]'] == ["no-op"]
    cluster.write(INPUTS + 'groups = { default = { instance_types = ["m7i.large"] } }\n', "terraform.tfvars")
    assert cluster.plan().actions['aws_eks_node_group.this["default"]'] == ["delete", "create"]


def test_nodes_that_never_come_up(aws, cluster):
    """A group that is made and reports a failure is tainted, and the next apply makes it anew."""
    aws.faults.on.create("aws:index:EksNodeGroup").partial(reasons=["NodeCreationFailure: instances failed to join"])
    failed = cluster.apply(expect_failure=True)
    assert "NodeCreationFailure" in failed.errors[0].summary
    aws.audit(cluster).assert_clean()
    assert cluster.plan().actions['aws_eks_node_group.this["default"]'] == ["delete", "create"]
    cluster.apply()
    assert len(aws.cloud.objects("aws:index:EksNodeGroup")) == 1
