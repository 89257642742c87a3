"""The embedded engine against the real CLI: parameterized packages (reference 2.2)."""

from __future__ import annotations

import asyncio

import pulumi
import pytest
from engine_toolbox import Bucket, Thing
from pulumi import InvokeOptions, ResourceOptions
from pulumi.runtime.proto import resource_pb2

from mockprovider.calls import Op
from mockprovider.journal import Side
from mockprovider.payloads import ParameterValue
from mockprovider.schema import Child, Component, Function, Package, Property, ResourceType

pytestmark = pytest.mark.pulumi_cli

TOOL = "tools:index:Tool"


@pytest.fixture
def both(make_both):
    """Both engines, side by side, with a package ``cloud`` that becomes ``tools``."""
    found = make_both(tools__region="eu")
    tools = Package("tools", "2.0.0", config={"region": Property(str, forces_new=True)})
    tools.add(
        ResourceType(TOOL, {"size": Property(str), "arn": Property(str, computed="arn:{id}")}),
        Function("tools:index:getZone", {"region": Property(str)}, {"zone": "zone-{region}"}),
        Component("tools:index:Kit", {"size": Property(str)}, children={"tool": Child(TOOL, {"size": "{size}"})}),
    )
    for double in found.doubles:
        cloud = Package("cloud", "1.2.3", parameters=lambda given: tools if given.name == "tools" else None)
        cloud.add(*double.packages["cloud"].resources.values())
        double.define(cloud)
    return found


async def registered(version="2.0.0", value=b"a", name="tools"):
    """What an SDK of a parameterized package does first: the reference of the package."""
    monitor = pulumi.runtime.settings.get_monitor()
    request = resource_pb2.RegisterPackageRequest(name="cloud", version="1.2.3")
    request.parameterization.CopyFrom(type(request.parameterization)(name=name, version=version, value=value))
    answer = await asyncio.get_running_loop().run_in_executor(None, monitor.RegisterPackage, request)
    return answer.ref


class Tools(pulumi.ProviderResource):
    """An explicit provider of the package ``tools``."""

    def __init__(self, name_, opts=None, **config):
        super().__init__("tools", name_, config, opts, package_ref=registered())


def tool(name, opts=None, **properties):
    """A resource of the package ``tools``."""
    known = {key: properties.pop(key) for key in ("version", "value") if key in properties}
    return pulumi.CustomResource(TOOL, name, properties, opts, package_ref=registered(**known))


def parameterized(both):
    """What each engine parameterized since the last operation began."""
    found = [
        [each.call.parameter for each in double.journal.entries(side=Side.PROVIDER) if each.call.op is Op.PARAMETERIZE]
        for double in both.doubles
    ]
    return [sorted(each, key=lambda value: (value.version, value.value)) for each in found]


def test_life(both):
    """Up, update, refresh and destroy: the plugin is parameterized each time, at last from the state alone."""
    wanted = {"size": "s"}

    def program():
        tool("one", **wanted)
        tool("two", **wanted)
        Bucket("plain", acl="x")

    for operation in (("up", program), ("preview", program), ("up", program), ("refresh",), ("destroy",)):
        wanted["size"] += "s"
        both.run(*operation)
        ours, theirs = parameterized(both)
        assert ours == theirs == [ParameterValue("tools", "2.0.0", b"a")]


def test_explicit_providers(both):
    """A provider that the program makes is parameterized by what its SDK registered, and stays so."""
    regions = {"region": "us"}

    def program():
        tool("own", ResourceOptions(provider=Tools("tools", **regions)), size="s")

    both.run("up", program)
    both.run("up", program)
    ours, theirs = parameterized(both)
    assert ours == theirs
    regions["region"] = "eu"
    both.run("up", program)
    both.run("refresh")
    both.run("destroy")
    ours, theirs = parameterized(both)
    assert ours == theirs


def test_versions(both):
    """Each version, and each parameter, is a provider of its own; a new version takes over what the old one made."""
    versions = ["2.0.0", "2.1.0"]

    def program():
        for version in versions:
            tool(f"tool-{version[2]}", size="s", version=version)

    both.run("up", program)
    ours, theirs = parameterized(both)
    assert ours == theirs
    assert [parameter.version for parameter in ours] == versions
    versions[1] = "2.1.1"
    both.run("up", program)
    both.run("destroy")


def test_functions_and_components(both):
    """Functions and remote components of such a package go to its own provider, too."""
    seen = []

    def program():
        asked = pulumi.runtime.invoke_async("tools:index:getZone", {"region": "q"}, InvokeOptions(), package_ref=registered())
        pulumi.Output.from_input(asked).apply(seen.append)
        Kit("kit", size="s")

    both.run("up", program)
    assert seen == [{"zone": "zone-q"}] * len(seen) != []
    both.run("destroy")


class Kit(pulumi.ComponentResource):
    """A component that the package ``tools`` constructs."""

    def __init__(self, name_, **inputs):
        super().__init__("tools:index:Kit", name_, inputs, None, remote=True, package_ref=registered())


def test_reading(both):
    """What the program only reads is read by the package's own provider."""
    for double in both.doubles:
        double.cloud.create(TOOL, "t-1", {"size": "s"})

    def program():
        pulumi.CustomResource(TOOL, "there", {"size": None}, ResourceOptions(id="t-1"), package_ref=registered())

    both.run("up", program)
    both.run("destroy")


def test_a_parameter_that_fails(both):
    """A plugin that does not take its parameter fails the operation, and nothing is asked of it afterwards."""

    def program():
        pulumi.CustomResource("toys:index:Toy", "toy", {}, package_ref=registered(name="toys"))

    assert both.run("up", program, fails=True) == {}


def test_adopted(both):
    """The embedded engine goes on from the real one's state, which has the parameterization in it."""

    def program():
        tool("one", size="s")
        tool("two", ResourceOptions(provider=Tools("tools", region="us")), size="s")
        Thing("cloud:index:Net", "net", cidr="x")

    both.run("up", program)
    both.stack.import_(both.cli.export())
    both.run("up", program)
    both.run("destroy")
