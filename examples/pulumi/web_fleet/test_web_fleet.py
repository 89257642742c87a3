"""The web servers: who can reach them, and how the fleet grows, shrinks and heals."""

import pytest

from mockprovider import Stack

DROPLET = "digitalocean:index/droplet:Droplet"


@pytest.fixture
def fleet(provider, sdk, infra):
    """A stack of so many servers, with the provider's real types."""
    provider.define(sdk("pulumi_digitalocean"))
    return lambda **config: Stack(provider, project=infra, config=config)


def test_only_the_balancer_is_public(fleet):
    """No rule lets the world in; port 80 is open to the load balancer alone."""
    up = fleet().up()
    rules = {rule["portRange"]: rule for rule in up.state["digitalocean:index/firewall:Firewall", "web"].inputs["inboundRules"]}
    assert rules["80"]["sourceLoadBalancerUids"] == [up.state["public"].id]
    assert not any("0.0.0.0/0" in rule.get("sourceAddresses", ()) for rule in rules.values())
    assert up.outputs["url"].startswith("http://10.")


def test_one_more_server_touches_no_other(fleet, provider):
    """A fleet of three is a fleet of two and one more, and two again without it."""
    stack = fleet()
    stack.up()
    stack.config["web-fleet:servers"] = "3"
    assert stack.up().summary == {"create": 1}
    stack.config["web-fleet:servers"] = "2"
    assert stack.up().summary == {"delete": 1}
    assert len(provider.cloud.objects(DROPLET)) == 2


def test_a_server_that_was_lost_comes_back(fleet, provider):
    """A droplet that somebody deletes is noticed by a refresh, and made again."""
    stack = fleet(servers="1")
    stack.up()
    provider.cloud.vanish(DROPLET)
    assert stack.refresh().summary == {"delete": 1}
    assert stack.up().summary == {"create": 1}


def test_a_server_that_fails_leaves_no_orphan(fleet, provider):
    """Where the second droplet fails, the first one is remembered, and a destroy leaves nothing."""
    provider.faults.on.create(DROPLET, name="web-1").error("you have reached your droplet limit")
    stack = fleet()
    assert not stack.up(expect_failure=True).succeeded
    provider.audit(stack).assert_clean()
    stack.destroy()
    assert provider.cloud.objects() == []
