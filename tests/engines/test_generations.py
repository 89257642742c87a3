"""Older providers under both engines: each takes the same calls to the same state, and this is what an older provider sees."""

from __future__ import annotations

import pulumi
import pytest
from both_engines import Both
from engine_toolbox import BUCKET, NET, Bucket, Cloud, Thing
from pulumi import ResourceOptions

from mockprovider.calls import Op
from mockprovider.journal import Side
from mockprovider.values import has_secret

pytestmark = pytest.mark.pulumi_cli


def seen(both: Both, op: Op):
    """The calls of ``op`` that either provider saw."""
    return [entry.call for double in both.doubles for entry in double.journal.entries(op=op, side=Side.PROVIDER)]


@pytest.mark.parametrize("generation", ["no-handshake", "no-secrets", "no-detailed-diff", "2018"])
def test_a_life(make_both, generation):
    """Preview, up, update, replace, drift, refresh and destroy come to the same calls and the same state."""
    both = make_both(generation)
    wanted = {"acl": "x", "name": "a", "cidr": "1"}

    def program():
        logs = Bucket("logs", acl=wanted["acl"], name=wanted["name"], token=pulumi.Output.secret("hush"))
        Bucket("more", source=logs.arn, tags={"a": logs.id}, file=pulumi.StringAsset("text"))
        net = Thing(NET, "net", cidr=wanted["cidr"])
        Thing(NET, "peer", cidr="x", peer=net.id)
        pulumi.export("arn", logs.arn)

    both.run("preview", program)
    both.run("up", program)
    assert both.run("up", program)["logs"] == ["Check", "Diff"]
    wanted["acl"] = "y"
    both.run("preview", program)
    assert both.run("up", program)["logs"] == ["Check", "Diff", "Update"]
    wanted["name"] = "b"
    both.run("preview", program)
    assert both.run("up", program)["logs"] == ["Check", "Diff", "Check", "Create", "Delete"]
    wanted["cidr"] = "2"
    both.run("up", program)
    for double in both.doubles:
        double.cloud.drift(BUCKET, double.cloud.objects(BUCKET)[0].id, acl="drifted")
    both.run("refresh")
    both.run("up", program)
    both.run("destroy")


def test_no_preview(make_both):
    """A provider that cannot preview is asked to create nothing before it is meant."""
    both = make_both("no-preview")

    assert both.run("preview", lambda: Bucket("logs", acl="x") and None)["logs"] == ["Check"]
    assert [double.cloud.objects() for double in both.doubles] == [[], []]


def test_no_secrets(make_both):
    """Secrets are taken out on the way there and put back by key: the provider sees none, the state keeps each one secret."""
    both = make_both("no-secrets")

    def program():
        tags = {"open": "a", "closed": pulumi.Output.secret("b")}
        Bucket("logs", token=pulumi.Output.secret("hush"), tags=tags)

    both.run("up", program)

    assert not any(has_secret(value) for call in seen(both, Op.CREATE) for value in call.inputs.values())
    for engine in (both.stack, both.cli):
        (kept,) = [each for each in engine.export()["deployment"]["resources"] if each["type"] == BUCKET]
        assert kept["outputs"]["token"]["plaintext"] == '"hush"'
        assert "plaintext" not in kept["outputs"]["acl"]
        assert kept["outputs"]["tags"]["open"] == "a"
        assert kept["outputs"]["tags"]["closed"]["plaintext"] == '"b"'


@pytest.mark.parametrize("generation", ["no-config-checks", "2018"])
def test_unknown_configuration(make_both, generation):
    """A provider whose configuration is unknown is not configured in a preview, and asked nothing about its resources."""
    both = make_both(generation)
    wanted = {"acl": "x"}

    def program():
        first = Bucket("first", acl=wanted["acl"])
        Bucket("second", ResourceOptions(provider=Cloud("p", tag=first.arn)), acl="x")

    assert both.run("preview", program)["p"] == ["CheckConfig"]
    both.run("up", program)
    both.run("up", program)
    wanted["acl"] = "y"
    both.run("preview", program)
    both.run("up", program)


@pytest.mark.parametrize("generation", ["no-config-checks", "variables-only", "2018"])
def test_changed_configuration(make_both, generation):
    """A change of what needs a new provider: only one that has DiffConfig of its own replaces it and all that it made."""
    both = make_both(generation)
    wanted = {"region": "eu", "tag": "1"}

    def program():
        Bucket("b", ResourceOptions(provider=Cloud("p", **wanted)), acl="x")

    both.run("up", program)
    wanted["tag"] = "2"
    both.run("up", program)
    wanted["region"] = "us"
    replaced = ["Check", "Check", "Create", "Delete"] if generation == "variables-only" else ["Check", "Diff"]
    assert both.run("up", program)["b"] == replaced
    both.run("destroy")


def test_no_detailed_diff(make_both):
    """Of an unknown diff the engine finds the changes by itself; what must replace still counts."""
    both = make_both("no-detailed-diff")
    wanted = {"acl": "x", "name": "a"}

    def program():
        Bucket("logs", **wanted)

    both.run("up", program)
    assert both.run("up", program)["logs"] == ["Check", "Diff"]
    wanted["acl"] = "y"
    both.run("up", program)
    wanted["name"] = "b"
    assert "Create" in both.run("up", program)["logs"]


@pytest.mark.parametrize("generation", ["no-resources", "no-outputs", "no-byte-strings"])
def test_references(make_both, generation):
    """A resource as a property's value comes as a reference, and as its bare id to a provider that takes no references."""
    both = make_both(generation)

    def program(acl="x"):
        logs = Bucket("logs", acl=acl)
        Thing("cloud:other:Kind", "free", of=logs, inside=[logs])

    both.run("preview", program)
    assert both.run("up", program)["free"] == ["Check", "Create"]
    plain = {isinstance(call.inputs["of"], str) for call in seen(both, Op.CREATE) if call.name == "free"}
    assert plain == {generation == "no-resources"}
    assert both.run("up", lambda: program("y"))["free"] == ["Check", "Diff"]
    both.run("refresh")
    both.run("destroy")
