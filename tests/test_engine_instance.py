"""Providers of the embedded engine: explicit and default ones, their configuration and versions, and their functions."""

import pulumi
import pytest
from engine_toolbox import Bucket, Cloud, Thing, make
from pulumi import ResourceOptions

from mockprovider.calls import Failure, Op, Reply, Session
from mockprovider.engine import Stack
from mockprovider.engine.providers.instance import CallFailedError, Instance
from mockprovider.engine.providers.resource_calls import ResourceIdentity
from mockprovider.schema import Property
from mockprovider.values import UNKNOWN, Secret


def test_functions():
    """A function is called in preview and up, and its result is an ordinary value; a failure is raised in the program."""
    stack, double, _ = make()

    def program():
        found = pulumi.runtime.invoke("cloud:index:getZone", {"region": "eu"}).value
        pulumi.export("zone", found["zone"])

    assert stack.up(program, preview=True).outputs == {"zone": "zone-eu"}
    assert [each.call.preview for each in double.journal.entries(op="invoke")] == [True, False]
    double.strict = True
    failed = stack.up(lambda: pulumi.runtime.invoke("cloud:index:getNothing", {}), expect_failure=True)
    assert "getNothing" in str(failed.error)


@pytest.mark.parametrize("op", [Op.GET_PLUGIN_INFO, Op.CREATE])
def test_a_method_that_a_provider_lacks_is_named(op):
    """A missing method is not named by the words that gRPC has for it; the engine names it, the provider, and what to do."""
    stack, _, breaking = make()
    lacking = Failure("Method not implemented!", status="unimplemented")
    breaking.replace(op, "b" if op is Op.CREATE else "", lambda *_: Reply(failures=(lacking,)))
    failed = stack.up(lambda: Bucket("b"), expect_failure=True)
    method = "Create" if op is Op.CREATE else "GetPluginInfo"
    assert f"the provider of 'cloud' does not implement {method}" in str(failed.error)
    assert "'Method not implemented!'. Implement it" in str(failed.error)
    assert stack.up(lambda: Bucket("b")).summary == {"create": 1}


def test_explicit_providers():
    """An explicit provider is a resource with its own session and configuration; replacing it replaces what it made."""
    stack, double, _ = make(provider_config={"region": Property(str, forces_new=True), "tag": Property(str)})
    wanted = {"region": "eu", "tag": "1"}

    def program():
        Bucket("b", ResourceOptions(provider=Cloud("p", **wanted)))

    up = stack.up(program)
    assert up.state["b"].provider == f"{up.state['p'].urn}::{up.state['p'].id}"
    assert double.journal.entries(op="configure")[0].call.inputs == {"region": "eu", "tag": "1"}
    wanted["tag"] = "2"
    assert stack.up(program).summary == {}
    wanted["region"] = "us"
    double.journal.clear()
    assert stack.up(program).summary == {"replace": 1}
    assert double.journal.ops(name="b") == ["check", "check", "create", "delete"]
    regions = {each.call.session.number: each.call.session.config["region"] for each in double.journal.entries(name="b")}
    assert list(regions.values()) == ["us", "eu"]


def test_default_providers_are_configured_by_the_stack():
    """Configuration of the package reaches its default provider, as strings and as Configure's variables."""
    stack, double, _ = make(config={"cloud:region": "eu"}, provider_config={"region": Property(str)})
    stack.up(lambda: Bucket("b"))
    call = double.journal.entries(op="configure")[0].call
    assert (call.inputs, call.extra["variables"]) == ({"region": "eu"}, {"cloud:config:region": "eu"})


def test_unknown_configuration_asks_nothing_in_a_preview():
    """A provider whose configuration is not known yet is not configured, and its resources are previewed without it."""
    stack, double, _ = make()

    def program():
        first = Bucket("first")
        second = Bucket("second", ResourceOptions(provider=Cloud("p", region=first.arn)))
        pulumi.export("arn", second.arn)

    assert stack.preview(program).outputs["arn"] == UNKNOWN
    assert double.journal.ops(name="p") == ["check_config"]
    assert double.journal.ops(name="second") == []
    assert stack.up(program).outputs["arn"].startswith("arn:")


def test_each_package_may_have_its_own_source():
    """Sources may be given by package; a package without one fails, and the message names those there are."""
    _, double, _ = make()
    stack = Stack({"cloud": double})
    assert stack.up(lambda: Bucket("b")).summary == {"create": 1}
    failed = stack.up(lambda: Thing("other:index:Thing", "t"), expect_failure=True)
    assert "'other' was given to the stack; given are: cloud" in str(failed.error)


def test_a_provider_may_not_change_its_version():
    """CheckConfig may drop the version, which then stays, and not change it."""
    stack, _, breaking = make()
    breaking.replace(Op.CHECK_CONFIG, "p", lambda *_: Reply(inputs={}))
    stack.up(lambda: Cloud("p", ResourceOptions(version="1.0.0")))
    assert stack.state["p"].inputs["version"] == "1.0.0"
    breaking.replace(Op.CHECK_CONFIG, "p", lambda *_: Reply(inputs={"version": "2.0.0"}))
    failed = stack.up(lambda: Cloud("p", ResourceOptions(version="1.0.0")), expect_failure=True)
    assert "changed its version" in str(failed.error)


OF = ResourceIdentity("urn:pulumi:dev::p::cloud:index:Bucket::b", "b-1")


class Answers:
    """A source of providers that gives each op its answer, and notes which package was opened and what was asked."""

    def __init__(self, answers):
        self.answers, self.opened, self.asked = answers, "", []

    def open(self, protocol, *, package, engine):
        self.opened = package
        return Session("pulumi")

    def __call__(self, call):
        self.asked.append(call)
        return self.answers.get(call.op, Reply())


def instance(plugin="", preview=False, **answers):
    """An instance of a provider that answers so, and its source."""
    source = Answers({Op(name): reply for name, reply in answers.items()})
    return Instance("cloud", source, None, preview=preview, plugin=plugin), source


@pytest.mark.parametrize(("plugin", "opened"), [("", "cloud"), ("base", "base")])
def test_the_plugin_is_opened(plugin, opened):
    """A package that a plugin becomes is served by this plugin."""
    assert instance(plugin)[1].opened == opened


@pytest.mark.parametrize("word", ["supports_autonaming_configuration", "supportsAutonamingConfiguration", "other"])
def test_whether_a_provider_names(word):
    """Handshake's answer says it by its field's name, as messages and as their JSON have it."""
    assert instance(handshake=Reply(extra={word: True}))[0].names == (word != "other")


def test_an_unknown_version_is_no_unknown_configuration():
    """A provider is configured as soon as all but the version of its plugin is known."""
    for name, known in (("version", True), ("region", False)):
        provider, source = instance()
        provider.configure("urn:pulumi:dev::p::pulumi:providers:cloud::p", "id", {name: UNKNOWN})
        assert (provider.known, Op.CONFIGURE in [call.op for call in source.asked]) == (known, known)


@pytest.mark.parametrize(
    ("answer", "asked", "what"),
    [
        ({"check": Reply(inputs={"a": UNKNOWN})}, lambda provider: provider.check(OF.urn, {}, {}, b""), "inputs"),
        ({"create": Reply(id="1", value={"a": UNKNOWN})}, lambda provider: provider.create(OF, {}), "outputs"),
        ({"read": Reply(id="1", value={}, inputs={"a": UNKNOWN})}, lambda provider: provider.read(OF, {}, {}), "inputs"),
        ({"invoke": Reply(value={"a": UNKNOWN})}, lambda provider: provider.invoke("cloud:index:f", {}), "results"),
        ({"call": Reply(value={"a": UNKNOWN})}, lambda provider: provider.ask_back(Op.CALL, None), "results"),
        ({"construct": Reply(value={"a": UNKNOWN})}, lambda provider: provider.ask_back(Op.CONSTRUCT, None), "outputs"),
    ],
)
def test_unknown_values_in_an_up(answer, asked, what):
    """An answer with a value that is not known is refused, and told by what it is."""
    with pytest.raises(CallFailedError, match=f"answered unknown {what}, .*: a"):
        asked(instance(**answer)[0])


@pytest.mark.parametrize("accepts", [True, False])
def test_secrets_of_a_provider_that_knows_none(accepts):
    """What it answers to a secret argument is a secret, and an object without outputs is one all the same."""
    words = {"acceptSecrets": accepts}
    provider, _ = instance(handshake=Reply(extra=words), invoke=Reply(value={"a": 1}), create=Reply(id="1"))
    assert provider.invoke("cloud:index:f", {"key": Secret("k")}).value == {"a": 1 if accepts else Secret(1)}
    assert provider.create(OF, {}).outputs == {}
