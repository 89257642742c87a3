"""The tenants: what each of them gets, and what becomes of them when one is renamed."""

import json

import pytest

from mockprovider import Stack

PET = "random:index/randomPet:RandomPet"
PASSWORD = "random:index/randomPassword:RandomPassword"
pytestmark = pytest.mark.node_cli


@pytest.fixture
def stack(provider, sdk, infra):
    """The stack, beside the platform's."""
    provider.define(sdk("pulumi_random"))
    provider.outputs(PET, lambda inputs: {"id": f"{inputs['prefix']}-brave-otter"})
    return Stack(provider, project=infra, references={"acme/platform/dev": {"host": "apps.example.com"}}, timeout=120)


def test_each_tenant_has_an_address_and_its_users(stack):
    """Addresses are below the platform's host, and passwords are secret."""
    up = stack.up()
    assert up.outputs["urls"]["red"] == "https://red-brave-otter.apps.example.com/"
    assert (len(up.outputs["logins"]), up.secret_outputs) == (3, {"passwords"})


def test_a_tenant_that_leaves_takes_its_users_along(stack, provider):
    """Without the tenant, its name and its passwords go; the other tenant stays as it is."""
    stack.up()
    stack.config["tenants:tenants"] = json.dumps([{"name": "blue", "users": 1}])
    assert stack.up().summary == {"delete": 3}
    assert len(provider.cloud.objects(PASSWORD)) == 1
