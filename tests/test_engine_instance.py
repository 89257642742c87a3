"""Providers of the embedded engine: explicit and default ones, their configuration and versions, and their functions."""

import pulumi
import pytest
from engine_toolbox import Bucket, Cloud, Thing, make
from pulumi import ResourceOptions

from mockprovider.calls import Failure, Op, Reply
from mockprovider.engine import Stack
from mockprovider.schema import Property
from mockprovider.values import UNKNOWN


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
