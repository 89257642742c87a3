"""The guestbook on Kubernetes: how its parts find each other, and what is open to the world."""

import pytest

from mockprovider import Stack

DEPLOYMENT, SERVICE = "kubernetes:apps/v1:Deployment", "kubernetes:core/v1:Service"
pytestmark = pytest.mark.node_cli


@pytest.fixture
def guestbook(provider, sdk, infra):
    """A stack with this configuration, and the provider's real types."""
    provider.define(sdk("pulumi_kubernetes"))
    return lambda **config: Stack(provider, project=infra, config=config, timeout=120)


def test_only_the_frontend_is_public(guestbook):
    """The frontend has an address, and Redis has names inside of the cluster alone."""
    up = guestbook().up()
    types = {name: up.state[SERVICE, name].inputs["spec"]["type"] for name in ("frontend", "redis-leader", "redis-replica")}
    assert types == {"frontend": "LoadBalancer", "redis-leader": "ClusterIP", "redis-replica": "ClusterIP"}
    assert up.outputs["address"].count(".") == 3
    assert up.outputs["redis"][0].startswith("redis-leader.guestbook-")


def test_each_service_selects_its_deployment(guestbook):
    """A service finds the pods of the deployment beside it."""
    up = guestbook(replicas="5", public="false").up()
    for name in ("frontend", "redis-leader", "redis-replica"):
        pods = up.state[DEPLOYMENT, name].inputs["spec"]["template"]["metadata"]["labels"]
        assert up.state[SERVICE, name].inputs["spec"]["selector"].items() <= pods.items()
    assert up.state[DEPLOYMENT, "frontend"].inputs["spec"]["replicas"] == 5
