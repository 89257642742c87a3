"""The web application: what differs between development and production, and who sees the data."""

import pytest

from mockprovider import Stack

APP = "digitalocean:index/app:App"
pytestmark = pytest.mark.node_cli


@pytest.fixture
def app(provider, sdk, infra):
    """The stack of that name, with the provider's real types."""
    provider.define(sdk("pulumi_digitalocean"))
    return lambda name: Stack(provider, project=infra, name=name, timeout=120)


def test_production_is_larger_and_protected(app):
    """Production has its domain, more instances, and a database that nobody deletes by mistake."""
    up = app("prod").up()
    [service] = up.state["web"].inputs["spec"]["services"]
    assert (service["instanceCount"], service["image"]["tag"]) == (3, "1.4.2")
    assert up.state["web"].inputs["spec"]["domainNames"][0]["name"] == "shop.example.com"
    assert up.state["data"].protect


def test_the_app_alone_reaches_its_data(app, provider):
    """The firewall names the app; the address of the database, password included, is a secret of its environment."""
    up = app("dev").up()
    assert up.state["only-the-app"].inputs["rules"] == [{"type": "app", "value": up.state["web"].id}]
    [service] = up.state["web"].inputs["spec"]["services"]
    assert service["envs"][0]["value"] == up.state["data"].outputs["uri"]
    assert provider.cloud.objects(APP)[0]["liveUrl"] == up.outputs["url"]
