"""The containers: how they find each other, and what a new image does."""

import pytest


@pytest.fixture
def host(provider, pulumi_stack, sdk):
    """The stack, with the real types of both providers."""
    provider.define(sdk("pulumi_docker"), sdk("pulumi_random"))
    return pulumi_stack


def test_the_shop_finds_its_cache(host, infra):
    """The shop's address of the cache names its container, and only the shop has a port outside."""
    up = host.up(infra)
    shop, cache = (up.state["docker:index/container:Container", name] for name in ("shop", "cache"))
    [address] = [str(text) for text in shop.inputs["envs"]]
    assert f"@{cache.outputs['name']}:6379" in address
    assert ("ports" in shop.inputs, "ports" in cache.inputs) == (True, False)


def test_each_service_is_a_component(host, infra):
    """Image and container are children of their service."""
    up = host.up(infra)
    services = [resource for resource in up.state.values() if resource.type == "acme:index:Service"]
    assert sorted(service.name for service in services) == ["cache", "shop"]
    assert up.state["docker:index/remoteImage:RemoteImage", "shop"].parent.endswith("acme:index:Service::shop")


def test_nothing_changes_by_itself(host, infra):
    """A second run changes nothing, and a destroy leaves nothing."""
    host.up(infra)
    assert host.up(infra).summary == {}
    host.destroy()
    assert host.state == {}
