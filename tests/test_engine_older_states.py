"""States of older engines."""

from __future__ import annotations

from mockprovider.engine.operation import Operation
from mockprovider.engine.operations.older_states import migrated
from mockprovider.pulumi.stacks.exporting import import_state
from mockprovider.pulumi.stacks.state import State
from mockprovider.urn import reference
from mockprovider.values import Secret

OPERATION = Operation(project="project", stack="dev")
BUCKET = {"urn": "urn:pulumi:dev::project::cloud:index:Bucket::b", "type": "cloud:index:Bucket", "custom": True, "id": "1"}
PROVIDER = {
    "urn": "urn:pulumi:dev::project::pulumi:providers:net::p",
    "type": "pulumi:providers:net",
    "custom": True,
    "id": "2",
}
CONFIG = {"cloud:region": "eu", "cloud:key": Secret("hush"), "net:region": "us"}


def migrate(*resources, **deployment):
    """What becomes of a deployment of ``resources``."""
    return migrated(import_state({"version": 3, "deployment": {"resources": [*resources], **deployment}}), OPERATION, CONFIG)


def test_resources_without_providers():
    """Each package gets one default provider, with today's configuration and the version of the plugin of then."""
    other = {**BUCKET, "urn": BUCKET["urn"] + "2"}
    state = migrate(BUCKET, other, manifest={"plugins": [{"name": "cloud", "type": "resource", "version": "1.2.3"}]})
    provider, *buckets = state.resources
    assert (provider.custom, provider.type) == (True, "pulumi:providers:cloud")
    assert provider.urn == "urn:pulumi:dev::project::pulumi:providers:cloud::default"
    assert provider.inputs == {"region": "eu", "key": Secret("hush"), "version": "1.2.3", "__internal": {}}
    assert provider.outputs == {"region": "eu", "key": Secret("hush"), "version": "1.2.3"}
    assert {bucket.provider for bucket in buckets} == {reference(provider.urn, provider.id)}


def test_providers_without_outputs():
    """They have their inputs, without what only the engine knows."""
    (provider,) = migrate({**PROVIDER, "inputs": {"region": "eu", "__internal": {"name": "net"}}}).resources
    assert provider.outputs == {"region": "eu"}


def test_states_of_today_stay():
    """A state in which nothing is missing is left as it is."""
    whole = migrate(PROVIDER, {**BUCKET, "provider": reference(PROVIDER["urn"], "2")})
    assert migrated(whole, OPERATION, CONFIG) == State(whole.resources)
