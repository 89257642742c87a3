"""The cluster and its database: who reaches the data, what is secret, and what production protects."""

import json

import pytest

from mockprovider import Stack

VERSIONS = "digitalocean:index/getKubernetesVersions:getKubernetesVersions"
DATABASE = "digitalocean:index/databaseCluster:DatabaseCluster"


@pytest.fixture
def double(provider, sdk):
    """The provider's real types, and the version of the day."""
    provider.define(sdk("pulumi_digitalocean"))
    provider.answers(VERSIONS, {"latestVersion": "1.33.1-do.2"})
    return provider


def test_only_the_cluster_reaches_the_data(double, infra):
    """The database's firewall names the cluster and nobody else."""
    up = Stack(double, project=infra).up()
    [rule] = up.state["only-the-cluster"].inputs["rules"]
    cluster = up.state["digitalocean:index/kubernetesCluster:KubernetesCluster", "data"]
    assert (rule["type"], rule["value"]) == ("k8s", cluster.id)
    assert cluster.inputs["version"] == "1.33.1-do.2"


def test_credentials_are_secret(double, infra):
    """What leads to the data is complete, and secret wherever it goes."""
    up = Stack(double, project=infra).up()
    assert set(json.loads(up.outputs["settings"])) == {"host", "port", "user", "password", "database"}
    assert up.secret_outputs >= {"settings", "kubeconfig"}


def test_a_new_version_upgrades_in_place(double, infra):
    """The next version of Kubernetes changes the cluster and nothing beside it."""
    stack = Stack(double, project=infra)
    stack.up()
    double.answers(VERSIONS, {"latestVersion": "1.34.0-do.1"})
    assert stack.up().summary == {"update": 1}


def test_production_cannot_be_destroyed(double, infra):
    """The database of production survives a destroy that somebody did not mean."""
    stack = Stack(double, project=infra, name="prod")
    stack.up()
    failed = stack.destroy(expect_failure=True)
    assert "protect" in str(failed.error)
    assert len(double.cloud.objects(DATABASE)) == 1
