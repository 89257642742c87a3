"""The embedded engine against the real CLI: stack references, stashes, and a ban on default providers."""

from __future__ import annotations

import json

import pulumi
import pytest
from engine_toolbox import Bucket, Cloud, Thing
from pulumi import ResourceOptions

from mockprovider.double import Double
from mockprovider.drivers.pulumi import PulumiCli
from mockprovider.engine import Stack
from mockprovider.errors import ProgramError
from mockprovider.schema import Property, ResourceType

pytestmark = pytest.mark.pulumi_cli

OTHER = "organization/network/prod"


def network() -> None:
    """The program of the stack that is referred to."""
    pulumi.export("cidr", "10.0.0.0/8")
    pulumi.export("key", pulumi.Output.secret("hush"))


def test_stack_references(make_both, tmp_path):
    """Outputs of another stack are read anew in each run, those that are secret as secrets; unknown stacks are refused."""
    with Double() as nobody:
        other = Stack(nobody, project="network", name="prod")
        other.up(network)
        both = make_both(references={OTHER: other, "given": {"cidr": "::"}})
        theirs = PulumiCli(tmp_path / "network", project="network", stack="prod", backend=both.cli.backend)
        theirs.up(network)

        def program() -> None:
            reference = pulumi.StackReference(OTHER)
            Bucket("b", name=reference.get_output("cidr"), token=reference.get_output("key"))
            pulumi.export("cidr", reference.require_output("cidr"))
            pulumi.export("all", reference.outputs)

        both.run("preview", program)
        both.run("up", program)
        both.run("up", program)
        both.run("refresh")
        assert both.stack.outputs["cidr"] == "10.0.0.0/8"
        for engine in (both.stack, both.cli):
            with pytest.raises(ProgramError, match="pord"):
                engine.up(lambda: pulumi.StackReference("organization/network/pord"))
        both.run("destroy")


def test_stashes(both):
    """A stash keeps what it was first given, and remembers what it was given last."""
    wanted = {"a": 1}

    def program() -> None:
        stash = pulumi.Stash("s", input=dict(wanted))
        Bucket("b", tags=stash.output.apply(lambda value: {key: str(each) for key, each in value.items()}))
        pulumi.export("now", stash.input)
        pulumi.export("first", stash.output)

    both.run("preview", program)
    both.run("up", program)
    both.run("up", program)
    wanted["a"] = 2
    both.run("preview", program)
    both.run("up", program)
    assert both.stack.outputs == {"now": {"a": 2}, "first": {"a": 1}}
    both.run("refresh")
    both.run("destroy")


def test_default_providers_can_be_banned(make_both):
    """With ``pulumi:disable-default-providers`` a resource needs an explicit provider."""
    both = make_both(**{"pulumi__disable-default-providers": '["cloud"]'})
    both.run("up", lambda: Bucket("b"), fails=True)
    both.run("up", lambda: Bucket("b", ResourceOptions(provider=Cloud("p"))))
    both.run("destroy")


def test_autonaming(both):
    """The configuration ``pulumi:autonaming`` reaches a provider that heeds it, and fixed names delete before they replace."""
    settings = {
        "mode": "verbatim",
        "providers": {"cloud": {"resources": {"cloud:index:Disk": {"pattern": "${stack}-${name}"}}}},
    }
    both.stack.config["pulumi:autonaming"] = json.dumps(settings)
    inside = 'pulumi:autonaming.providers.cloud.resources["cloud:index:Disk"].pattern'
    for path, value in (("pulumi:autonaming.mode", "verbatim"), (inside, "${stack}-${name}")):
        both.cli.command("config", "set", "--path", path, value)
    properties = {"name": Property(str, auto_name=True), "size": Property(int, forces_new=True)}
    for double in both.doubles:
        double.define(ResourceType("cloud:index:Disk", properties), ResourceType("cloud:index:Box", properties))
    wanted = {"size": 1}

    def program() -> None:
        Thing("cloud:index:Disk", "disk", **wanted)
        Thing("cloud:index:Box", "box", **wanted)
        Thing("cloud:index:Box", "named", name="given", **wanted)

    both.run("preview", program)
    both.run("up", program)
    for double in both.doubles:
        assert sorted(each["name"] for each in double.cloud.objects()) == ["box", "dev-disk", "given"]
    wanted["size"] = 2
    assert both.run("up", program)["box"] == ["Check", "Diff", "Check", "Delete", "Create"]
    both.run("destroy")
