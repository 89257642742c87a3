"""The embedded engine, driven by unmodified programs through the real SDK against the fake."""

import asyncio

import pulumi
import pytest
from engine_toolbox import BUCKET, NET, Bucket, Component, Thing, calls, make
from pulumi import ResourceOptions

from mockprovider.calls import Op
from mockprovider.engine import Stack
from mockprovider.errors import DefinitionError, ProgramError, UnsupportedError
from mockprovider.values import UNKNOWN, Asset, Secret


def test_a_stack_s_life():
    """Preview, up, up again, update, replace, refresh with drift, destroy: each asks the provider what the real engine asks."""
    stack, double, _ = make()
    wanted = {"acl": "x", "name": "a"}

    def program():
        logs = Bucket("logs", **wanted)
        Bucket("more", source=logs.arn)
        pulumi.export("arn", logs.arn)

    preview = stack.preview(program)
    assert (preview.summary, preview.outputs["arn"]) == ({"create": 2}, UNKNOWN)
    assert calls(double, "logs") == ["check", "create"]
    assert double.cloud.objects() == []

    up = stack.up(program)
    assert up.summary == {"create": 2}
    assert up.outputs["arn"] == up.state["logs"].outputs["arn"] == up.state["more"].inputs["source"]
    assert calls(double, "logs") == ["check", "create"]

    assert stack.up(program).summary == {}
    assert calls(double, "logs") == ["check", "diff"]

    wanted["acl"] = "y"
    assert stack.up(program).summary == {"update": 1}
    assert calls(double, "logs") == ["check", "diff", "update"]

    wanted["name"] = "b"
    assert stack.up(program).summary == {"replace": 1, "update": 1}
    assert calls(double, "logs") == ["check", "diff", "check", "create", "delete"]

    double.cloud.drift(BUCKET, stack.state["logs"].id, acl="drifted")
    refresh = stack.refresh()
    assert (refresh.summary, refresh.state["logs"].inputs["acl"]) == ({"update": 1}, "drifted")
    assert calls(double, "logs") == ["read", "diff"]

    assert stack.destroy().summary == {"delete": 2}
    assert calls(double, "logs") == ["delete"]
    assert (double.cloud.objects(), len(stack.state)) == ([], 0)


def test_every_operation_is_a_conversation_of_its_own():
    """A provider is booted, asked, configured and cancelled in the real engine's order, anew for each operation."""
    stack, double, _ = make()

    def program():
        Bucket("b")

    stack.up(program)
    boot = ["handshake", "get_plugin_info"]
    assert double.journal.ops() == [*boot, "check_config", "configure", "check", "create", "cancel"]
    double.journal.clear()
    stack.up(program)
    assert double.journal.ops() == [*boot, "check_config", "diff_config", "configure", "check", "diff", "cancel"]
    double.journal.clear()
    stack.refresh()
    assert double.journal.ops() == [*boot, "configure", "read", "diff", "cancel"]
    double.journal.clear()
    stack.destroy()
    assert double.journal.ops() == [*boot, "configure", "delete", "cancel"]


def test_up_can_preview_first():
    """``preview=True`` previews in a session of its own before the up."""
    stack, double, _ = make()
    stack.up(lambda: Bucket("b"), preview=True)
    creates = double.journal.entries(op="create")
    assert [(each.call.preview, each.call.session.number) for each in creates] == [(True, 1), (False, 2)]


def test_what_a_call_carries():
    """Create and Update get the bags, the ids, the timeouts and the ignored paths that the protocol has for them."""
    stack, double, _ = make()
    wanted = {"acl": "1"}

    def program():
        timeouts = pulumi.CustomTimeouts(create="5m", update="90s", delete="1h")
        Bucket("b", ResourceOptions(custom_timeouts=timeouts, ignore_changes=["tags"]), **wanted)

    stack.up(program)
    wanted["acl"] = "2"
    stack.up(program)
    stack.destroy()
    create, update, delete = (double.journal.entries(op=op, name="b")[0].call for op in ("create", "update", "delete"))
    assert (create.inputs, create.timeout, create.type) == ({"acl": "1"}, 300, BUCKET)
    assert (update.prior_inputs, update.inputs, update.timeout) == ({"acl": "1"}, {"acl": "2"}, 90)
    assert (update.ignore_changes, update.prior["arn"]) == (("tags",), f"arn:cloud:::{update.id}")
    assert (delete.prior["acl"], delete.prior_inputs, delete.timeout) == ("2", {"acl": "2"}, 3600)


def test_check_has_a_seed_that_repeats():
    """Check gets 32 bytes, different for each resource and operation, and equal in two equal runs."""

    def seeds():
        stack, double, _ = make()
        for _ in range(2):
            stack.up(lambda: (Bucket("a"), Bucket("b")))
        return [each.call.seed for each in double.journal.entries(op="check")]

    first = seeds()
    assert [len(each) for each in first] == [32] * 4
    assert len(set(first)) == 4
    assert seeds() == first


def test_components_and_their_outputs():
    """A local component is a resource without calls; its outputs are what it registered, and its children carry its type."""
    stack, double, _ = make()

    def program():
        component = Component("c")
        kid = Bucket("kid", ResourceOptions(parent=component))
        component.register_outputs({"arn": kid.arn})

    up = stack.up(program)
    assert up.state["c"].outputs == {"arn": up.state["kid"].outputs["arn"]}
    assert up.state["kid"].urn.split("::")[2] == f"my:index:Component${BUCKET}"
    assert double.journal.ops(name="c") == []


def test_secrets_stay_secret():
    """Secrets reach the provider wrapped, stay in the state, mark same-named outputs, and are revealed in the result's
    outputs.
    """
    stack, double, _ = make(config={"password": Secret("hush")})

    def program():
        password = pulumi.Config().require_secret("password")
        bucket = Bucket("b", ResourceOptions(additional_secret_outputs=["arn"]), acl=password)
        pulumi.export("password", password)
        pulumi.export("arn", bucket.arn)

    up = stack.up(program)
    assert double.journal.entries(op="create")[0].call.inputs["acl"] == Secret("hush")
    state = up.state["b"]
    assert (state.inputs["acl"], state.outputs["acl"]) == (Secret("hush"), Secret("hush"))
    assert isinstance(state.outputs["arn"], Secret)
    assert (up.outputs["password"], up.secret_outputs) == ("hush", {"password", "arn"})


def test_a_rename_with_an_alias_is_no_change():
    """A resource found under an alias is the same, and what refers to it follows; a renamed component takes its
    children along.
    """
    stack, _, _ = make()

    def before():
        Bucket("old")
        Bucket("c-kid", ResourceOptions(parent=Component("c")))

    def after():
        Bucket("new", ResourceOptions(aliases=[pulumi.Alias(name="old")]))
        Bucket("d-kid", ResourceOptions(parent=Component("d", ResourceOptions(aliases=[pulumi.Alias(name="c")]))))

    ids = {each.id for each in stack.up(before).state.values()}
    up = stack.up(after)
    assert (up.summary, up.state.names()) == ({}, {"new", "d", "d-kid"})
    assert {each.id for each in up.state.values()} == ids


def test_a_state_moves_to_another_stack():
    """An exported state goes on in another stack as if it had been there always."""
    stack, double, _ = make()

    def program():
        Bucket("b", token=pulumi.Output.secret("hush"))

    stack.up(program)
    other = Stack(double)
    other.import_(stack.export())
    assert other.export() == stack.export()
    assert other.up(program).summary == {}


def test_two_equal_runs_are_equal():
    """Ids, state and the order of calls repeat exactly."""

    def run():
        stack, double, _ = make()
        stack.up(lambda: [Bucket(f"b{n}", acl=str(n)) for n in range(20)])
        return stack.export(), [str(each.call) for each in double.journal]

    assert run() == run()


def test_steps_may_overlap():
    """With several workers steps run at once, dependencies still before dependents."""
    stack, double, _ = make(parallel=8)

    def program():
        for chain in range(4):
            previous = None
            for link in range(5):
                previous = Bucket(f"b{chain}-{link}", source=previous.arn if previous else "start")

    assert stack.up(program).summary == {"create": 20}
    assert stack.up(program).summary == {}
    assert stack.destroy().summary == {"delete": 20}
    deleted = [each.call.name for each in double.journal.entries(op="delete")]
    for chain in range(4):
        assert [name for name in deleted if name.startswith(f"b{chain}-")] == [f"b{chain}-{link}" for link in (4, 3, 2, 1, 0)]


def test_assets_have_hashes_and_old_ones_are_elided():
    """The provider gets contents and hash of a new asset, and the hash alone of a remembered one."""
    stack, double, _ = make()
    stack.up(lambda: Bucket("b", file=pulumi.StringAsset("one")))
    stack.up(lambda: Bucket("b", file=pulumi.StringAsset("two")))
    create = double.journal.entries(op="create")[0].call
    update = double.journal.entries(op="update")[0].call
    first = create.inputs["file"]
    assert (first.text, len(first.hash)) == ("one", 64)
    assert update.prior_inputs["file"] == Asset(hash=first.hash)
    assert update.inputs["file"].text == "two"


def test_what_a_program_is_told_of_its_stack():
    """Project, stack, organization and configuration are the stack's own, whatever ran before."""
    stack, _, _ = make(project="shop", name="prod", organization="acme", config={"key": "value", "shop:other": "2"})

    def program():
        config = pulumi.Config()
        pulumi.export("told", [pulumi.get_project(), pulumi.get_stack(), pulumi.get_organization(), config.get("key")])
        pulumi.export("number", config.get_int("other"))

    assert stack.up(program).outputs == {"told": ["shop", "prod", "acme", "value"], "number": 2}
    other, _, _ = make()
    assert other.up(lambda: pulumi.export("told", pulumi.Config().get("key"))).outputs == {}


def test_async_programs():
    """A program may be a coroutine function."""
    stack, _, _ = make()

    async def program():
        Bucket("b")

    assert stack.up(program).summary == {"create": 1}


def test_two_stacks_at_once():
    """A program may run another stack's up inside its own, and neither sees the other's settings."""
    outer, _, _ = make(project="outer")
    inner, _, _ = make(project="inner")

    def program():
        inner.up(lambda: Bucket("b"))
        Bucket("a")

    outer.up(program)
    assert (outer.state.names(), inner.state.names()) == ({"a"}, {"b"})


def test_what_is_to_come_is_refused():
    """What this version does not do yet is told in our words, and fails the test even where a failure was expected."""
    stack, _, _ = make()
    with pytest.raises(UnsupportedError, match="asking whether a resource exists"):
        stack.up(lambda: pulumi.runtime.settings.get_monitor().ExistsResource(None), expect_failure=True)


def test_configuration_values_are_strings():
    """A value that is no string would reach the program as something else than under the CLI, so it is refused."""
    with pytest.raises(DefinitionError, match="strings"):
        make(config={"count": 3})


def test_an_expected_failure_that_does_not_come():
    """Succeeding where a failure was expected is a failure of the test."""
    stack, _, _ = make()
    with pytest.raises(ProgramError, match="expected to fail"):
        stack.up(lambda: None, expect_failure=True)


def test_looking_up_what_is_not_there():
    """A name that nobody used is answered with those that there are, and an ambiguous one with the types that it has."""
    stack, _, _ = make()
    stack.up(lambda: (Bucket("b"), Thing(NET, "b", cidr="x"), Bucket("c")))
    with pytest.raises(KeyError, match="there are: b, c"):
        _ = stack.state["a"]
    with pytest.raises(KeyError, match=r"several resources; say the type, too: .*cloud:index:Net"):
        _ = stack.state["b"]
    assert stack.state[NET, "b"].inputs == {"cidr": "x"}


@pytest.mark.parametrize("what", ["preview", "up", "refresh", "destroy"])
def test_a_success_that_was_not_expected(what):
    """The error names the operation."""
    stack, _, _ = make()
    program = [lambda: None] if what in ("preview", "up") else []
    with pytest.raises(ProgramError, match=f"^The {what} of project/dev was expected to fail, and succeeded"):
        getattr(stack, what)(*program, expect_failure=True)


def test_the_loop_of_a_program():
    """It is that of its thread while the program runs, and closed afterwards."""
    loops = []

    def program():
        running = asyncio.get_running_loop()
        loops.append((running, asyncio.get_event_loop_policy().get_event_loop() is running))

    make()[0].up(program)
    [(loop, known)] = loops
    assert (known, loop.is_closed()) == (True, True)


def test_the_exit_code_of_an_operation():
    """It is the one that a command line ends with."""
    stack, _, breaking = make()
    assert stack.up(lambda: Bucket("b") and None).exit_code == 0
    breaking.fail(Op.UPDATE, "b")
    assert stack.up(lambda: Bucket("b", acl="x") and None, expect_failure=True).exit_code == 1


def test_when_a_resource_was_created_and_modified():
    """Both are the moment of its creation, and an update changes the second alone."""
    stack, _, _ = make()
    stack.up(lambda: Bucket("b") and None)
    created = stack.state["b"].created
    assert created == stack.state["b"].modified != ""
    stack.up(lambda: Bucket("b", acl="x") and None)
    assert (stack.state["b"].created, stack.state["b"].modified > created) == (created, True)
