"""The embedded engine against the real CLI: what programs by chance (``test_differential.py``) have found, made small."""

from __future__ import annotations

import pytest
from engine_toolbox import BUCKET, NET, Bucket, Cloud, Thing, one_by_one
from pulumi import ResourceOptions

pytestmark = pytest.mark.pulumi_cli


def test_what_is_only_read_hands_no_provider_down(make_both):
    """A child of a resource that is only read gets a default provider of its own version."""
    both = make_both(serial=True)
    both.create(BUCKET, "kept", acl="1", arn="arn:kept")

    @one_by_one
    def program():
        read = Bucket("read", ResourceOptions(id="kept", version="2.0.0"))
        yield read
        yield Bucket("child", ResourceOptions(parent=read, version="1.2.3"))

    both.run("up", program)
    both.run("destroy")


def test_a_provider_that_goes_before_its_replacement_is_ended_too_early(make_both):
    """Where a provider is to be replaced because of what it depends on, nothing that it serves can be deleted any more."""
    both = make_both(serial=True)
    inputs = {"peer": "1"}

    @one_by_one
    def program():
        net = Thing(NET, "net", **inputs)
        yield net
        provider = Cloud("provider", region=net.id)
        yield provider
        yield Bucket("served", ResourceOptions(provider=provider))

    both.run("up", program)
    inputs["peer"] = "2"
    both.run("preview", program)
    both.run("up", program, fails=True)
    both.run("up", program, fails=True)
    both.run("destroy")
