"""Packages that programs register: what they are known by, and what states keep of them."""

from __future__ import annotations

import asyncio

import pulumi
import pytest
from pulumi.runtime.proto import resource_pb2

from mockprovider.calls import Op, Reply
from mockprovider.double import Double
from mockprovider.engine import Stack
from mockprovider.engine.providers.defaults import Requested, newest_plugins, with_plugin
from mockprovider.engine.providers.packages import Packages, parameterization
from mockprovider.engine.providers.registry import INTERNAL
from mockprovider.engine.registrations.decision import RefusedError
from mockprovider.engine.registrations.goal import Goal, Parameterization
from mockprovider.errors import MalformedError, ProgramError
from mockprovider.pulumi.stacks.extensions import Extension
from mockprovider.pulumi.stacks.state import ResourceState
from mockprovider.schema import Package, Property, ResourceType

THING = "tools:index:Thing"
EXTRA = "more:index:Thing"
GOAL = Goal(type=THING, name="web")
TOOLS = Parameterization("cloud", "1.2.3", "tools", "2.0.0", b"\x00words")


def request(value=b"words", **given):
    """What an SDK of the package ``tools``, which ``cloud`` becomes, registers."""
    made = resource_pb2.RegisterPackageRequest(name="cloud", version="1.2.3", **given)
    made.parameterization.CopyFrom(type(made.parameterization)(name="tools", version="2.0.0", value=value))
    return made


def extension(version="2.0.0"):
    """What an SDK of a package beside ``cloud`` registers."""
    made = resource_pb2.RegisterPackageRequest(name="cloud", version="1.2.3")
    made.extension.CopyFrom(type(made.extension)(name="more", version=version, value=b'["more"]'))
    return made


def program(of, read_id=None, type_=THING):
    """A program that registers a package and has one resource of it."""

    async def registered():
        monitor = pulumi.runtime.settings.get_monitor()
        return (await asyncio.get_running_loop().run_in_executor(None, monitor.RegisterPackage, of)).ref

    def run():
        options = pulumi.ResourceOptions(id=read_id)
        pulumi.CustomResource(type_, "web", {"size": "s"}, options, package_ref=registered())

    return run


def double(**given):
    """A double of ``cloud``, which becomes ``tools``."""
    tools = Package("tools", "2.0.0")
    tools.add(ResourceType(THING, {"size": Property(str)}))
    more = Package("more", "2.0.0", extension=True)
    more.add(ResourceType(EXTRA, {"size": Property(str)}))
    return Double(Package("cloud", "1.2.3", parameters={"tools": tools, "more": more}), **given)


# References ------------------------------------------------------------------------------------------------------------


def test_equal_packages_have_one_reference():
    """What is registered again is the same package; another parameter makes another."""
    packages = Packages()
    assert packages.register(request()) == packages.register(request())
    assert packages.register(request()) != packages.register(request(b"others"))


def test_what_a_reference_says():
    """A resource is given the parameterization and the address of its package, and nothing without a reference."""
    packages = Packages()
    found = packages.applied(packages.register(request(download_url="https://x.test")), GOAL)
    assert found.parameterization == Parameterization("cloud", "1.2.3", "tools", "2.0.0", b"words")
    assert (found.version, found.plugin_download_url) == ("", "https://x.test")
    assert packages.applied("", GOAL) is GOAL


def test_a_plain_package():
    """A package that is what its plugin is gives resources its version, also where they have one of their own."""
    packages = Packages()
    reference = packages.register(resource_pb2.RegisterPackageRequest(name="tools", version="1.0.0"))
    assert packages.applied(reference, GOAL) == Goal(type=THING, name="web", version="1.0.0")
    assert packages.applied(reference, Goal(type=THING, name="web", version="3.0.0")).version == "1.0.0"


def test_an_unknown_reference():
    """A reference that nobody was given is refused, naming the resource."""
    with pytest.raises(RefusedError, match=r"'web' is of the package 'nothing', which the program did not register"):
        Packages().applied("nothing", GOAL)


def test_what_a_reference_of_an_extension_says():
    """A resource of an extension is managed by its base's provider; a provider of an extension there is none."""
    extensions = {}
    packages = Packages(extensions)
    reference = packages.register(extension())
    assert extensions == {reference: Extension("more", "2.0.0", b'["more"]')}
    goal = packages.applied(reference, Goal(type="more:index:Thing", name="web"))
    assert (goal.package, goal.version, goal.extension) == ("cloud", "1.2.3", reference)
    with pytest.raises(RefusedError, match="an extension of 'cloud'"):
        packages.applied(reference, Goal(type="pulumi:providers:more", name="own"))


def test_an_extension_with_a_wrong_version():
    """It is refused, naming what the version is of."""
    with pytest.raises(RefusedError, match="the extension version 'two' of 'cloud'"):
        Packages().register(extension(version="two"))


# What states keep ------------------------------------------------------------------------------------------------------


def test_what_a_state_keeps_comes_back():
    """A provider's inputs hold all of its parameterization, bytes included, where engines look for it."""
    inputs = with_plugin({"region": "eu"}, Requested("tools", "2.0.0", "", TOOLS))
    assert inputs == {
        "region": "eu",
        "version": "2.0.0",
        INTERNAL: {"name": "cloud", "version": "1.2.3", "parameterization": "AHdvcmRz"},
    }
    assert parameterization("tools", inputs, inputs[INTERNAL]) == TOOLS
    assert parameterization("tools", {}, {}) is None
    assert parameterization("tools", {}, {"parameterization": ""}) == Parameterization("tools", "", "tools", "", b"")


def test_a_broken_state():
    """What is no base64 is refused, not guessed."""
    with pytest.raises(RefusedError, match="the provider of 'tools' in the state is no base64"):
        parameterization("tools", {}, {"parameterization": "?"})


def test_the_plugin_s_version_counts():
    """Of a package that another becomes, the version that stands in for one that is not said is the plugin's."""
    inputs = with_plugin({}, Requested("tools", "2.0.0", "", TOOLS))
    type_ = "pulumi:providers:tools"
    state = ResourceState(urn=f"urn:pulumi:dev::p::{type_}::x", type=type_, custom=True, id="i", inputs=inputs)
    assert newest_plugins([state])["tools"].version == "1.2.3"


# Under the engine ------------------------------------------------------------------------------------------------------


def test_a_stack_s_life():
    """A program of such a package goes through all operations; the plugin is opened as what it is, then parameterized."""
    with double() as made:
        stack = Stack(made)
        stack.preview(program(request()))
        assert stack.up(program(request())).summary == {"create": 1}
        assert stack.up(program(request())).summary == {}
        made.journal.clear()
        assert stack.destroy().summary == {"delete": 1}
        methods = [each.call.method for each in made.journal.entries(side="provider")]
        assert methods == ["Handshake", "GetPluginInfo", "Parameterize", "Configure", "Delete", "Cancel"]


def test_one_source_for_each_plugin():
    """Where each package has a source of its own, it is that of the plugin which is asked."""
    with double() as made:
        assert Stack({"cloud": made}).up(program(request())).summary == {"create": 1}


def test_a_stack_s_life_with_an_extension():
    """The base's own instance is configured, then parameterized, also for a delete in another stack that has only the state."""
    with double() as made:
        stack = Stack(made)
        stack.preview(program(extension(), type_=EXTRA))
        assert stack.up(program(extension(), type_=EXTRA)).summary == {"create": 1}
        exported = stack.export()
        [(reference, kept)] = exported["deployment"]["extensions"].items()
        assert (kept["name"], exported["deployment"]["resources"][-1]["extensionRef"]) == ("more", reference)
        other = Stack(made)
        other.import_(exported)
        made.journal.clear()
        result = other.destroy()
        assert (result.summary, result.export()["deployment"].get("extensions")) == ({"delete": 1}, None)
        methods = [each.call.method for each in made.journal.entries(side="provider")]
        assert methods == ["Handshake", "GetPluginInfo", "Configure", "Parameterize", "Delete", "Cancel"]


def test_a_state_that_lacks_its_extension():
    """Nothing is deleted, and the error names what is missing; a value that is no base64 is no deployment."""
    with double() as made:
        stack = Stack(made)
        stack.up(program(extension(), type_=EXTRA))
        exported = stack.export()
        extensions = exported["deployment"]["extensions"]
        next(iter(extensions.values()))["value"] = "?"
        with pytest.raises(MalformedError, match="the extension 'more' is no base64"):
            stack.import_(exported)
        extensions.clear()
        stack.import_(exported)
        with pytest.raises(ProgramError, match="the state has no extension"):
            stack.destroy()
        assert len(made.cloud.objects()) == 1


def test_a_plugin_that_becomes_something_else():
    """A plugin that answers with another name than was wanted fails the operation."""

    def other(call, proceed):
        return Reply(name="toys", version="2.0.0") if call.op is Op.PARAMETERIZE else proceed(call)

    with double(layers=(other,)) as made, pytest.raises(ProgramError, match=r"'cloud' became 'toys' .* 'tools' was wanted"):
        Stack(made).up(program(request()))
