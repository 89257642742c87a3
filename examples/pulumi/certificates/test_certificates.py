"""The certificates: who signs whom, what stays secret, and what a new host costs."""

import pytest

from mockprovider import Stack

CERTIFICATE = "tls:index/locallySignedCert:LocallySignedCert"


@pytest.fixture
def stack(provider, sdk, infra):
    """The project's stack, with the real types of both providers."""
    provider.define(sdk("pulumi_tls"), sdk("pulumi_random"))
    return Stack(provider, project=infra)


def test_the_authority_signs_each_host(stack, provider):
    """Each host has a certificate for its name, of the one authority."""
    up = stack.up()
    authority = up.outputs["authority"]
    assert "BEGIN CERTIFICATE" in authority
    assert sorted(up.outputs["certificates"]) == ["api.example.com", "db.example.com"]
    assert {signed["caCertPem"] for signed in provider.cloud.objects(CERTIFICATE)} == {authority}
    assert up.state["tls:index/certRequest:CertRequest", "db.example.com"].inputs["dnsNames"] == ["db.example.com"]


def test_keys_and_passwords_are_secret(stack):
    """No key and no password is in an output that anybody may read."""
    up = stack.up()
    assert up.secret_outputs == {"password"}
    assert "PRIVATE KEY" not in str({name: up.outputs[name] for name in up.outputs.keys() - up.secret_outputs})


def test_a_new_host_leaves_the_others(stack):
    """Another host is a key, a request and a certificate more."""
    stack.up()
    stack.config["certificates:hosts"] = '["api.example.com", "db.example.com", "www.example.com"]'
    assert stack.up().summary == {"create": 3}
