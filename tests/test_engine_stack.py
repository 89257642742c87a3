"""The embedded engine, driven by unmodified programs through the real SDK against the fake."""

import pulumi
import pytest
from engine_toolbox import BUCKET, NET, Bucket, Cloud, Component, Existing, Thing, calls, make
from msgspec.structs import replace
from pulumi import ResourceOptions

from mockprovider.calls import Op, Reply
from mockprovider.engine import Stack
from mockprovider.errors import DefinitionError, ProgramError, UnsupportedError
from mockprovider.schema import Property
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
        return [each.call.extra["randomSeed"] for each in double.journal.entries(op="check")]

    first = seeds()
    assert [len(each) for each in first] == [32] * 4
    assert len(set(first)) == 4
    assert seeds() == first


def test_leftovers_are_deleted_after_what_depends_on_them():
    """What the program no longer has goes, dependents first, also children before their parents."""
    stack, double, _ = make()

    def program():
        base = Bucket("base")
        parent = Bucket("parent", ResourceOptions(depends_on=[base]))
        Bucket("child", ResourceOptions(parent=parent))

    stack.up(program)
    assert stack.up(lambda: None).summary == {"delete": 3}
    assert [each.call.name for each in double.journal.entries(op="delete")] == ["child", "parent", "base"]


def test_a_preview_deletes_nothing():
    """A preview counts the deletions, and asks no provider for them."""
    stack, double, _ = make()
    stack.up(lambda: Bucket("b"))
    assert stack.preview(lambda: None).summary == {"delete": 1}
    assert double.journal.entries(op="delete") == []
    assert stack.state["b"].id


def test_delete_before_replace_takes_dependents_along():
    """Dependents whose inputs come from what is deleted first, and would be replaced, are deleted before it and created
    after it.
    """
    stack, double, _ = make()
    wanted = {"cidr": "a"}

    def program():
        net = Thing(NET, "net", **wanted)
        Thing(NET, "peer", cidr="x", peer=net.id)
        Thing(NET, "labelled", cidr="x", label=net.id)
        Thing(NET, "after", ResourceOptions(depends_on=[net]), cidr="x")

    stack.up(program)
    double.journal.clear()
    wanted["cidr"] = "b"
    assert stack.up(program).summary == {"replace": 2, "update": 1}
    changes = [
        (each.call.op.value, each.call.name) for each in double.journal.entries() if each.call.op in ("create", "delete")
    ]
    assert changes == [("delete", "peer"), ("delete", "net"), ("create", "net"), ("create", "peer")]
    asked = [each.call for each in double.journal.entries(op="diff", name="peer")]
    assert [(each.inputs["peer"], each.preview) for each in asked] == [(UNKNOWN, False)]
    assert double.journal.ops(name="after") == ["check", "diff"]


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


def test_options_about_changes():
    """``ignoreChanges``, ``replaceOnChanges`` and ``deleteBeforeReplace`` do what they say."""
    stack, double, _ = make()
    wanted = {"acl": "1", "name": "1"}

    def program():
        Bucket("ignoring", ResourceOptions(ignore_changes=["acl"]), acl=wanted["acl"])
        Bucket("replacing", ResourceOptions(replace_on_changes=["acl"]), acl=wanted["acl"])
        Bucket("deleting", ResourceOptions(delete_before_replace=True), name=wanted["name"])

    stack.up(program)
    double.journal.clear()
    wanted.update(acl="2", name="2")
    assert stack.up(program).summary == {"replace": 2}
    assert double.journal.ops(name="ignoring") == ["check", "diff"]
    assert double.journal.ops(name="replacing") == ["check", "diff", "check", "create", "delete"]
    assert double.journal.ops(name="deleting") == ["check", "diff", "check", "delete", "create"]


def test_options_about_deleting():
    """No Delete reaches the provider for what is retained or goes with its owner."""
    stack, double, _ = make()

    def program():
        owner = Bucket("owner")
        Bucket("kept", ResourceOptions(retain_on_delete=True))
        Bucket("belonging", ResourceOptions(deleted_with=owner))

    stack.up(program)
    stack.destroy()
    assert [each.call.name for each in double.journal.entries(op="delete")] == ["owner"]


def test_protection():
    """A protected resource is neither deleted nor replaced, and the others go all the same."""
    stack, double, _ = make()
    wanted = {"name": "a"}

    def program():
        Bucket("kept", ResourceOptions(protect=True), **wanted)
        Bucket("other")

    stack.up(program)
    wanted["name"] = "b"
    assert "protected" in str(stack.preview(program, expect_failure=True).error)
    assert "protected" in str(stack.up(program, expect_failure=True).error)
    destroyed = stack.destroy(expect_failure=True)
    assert (destroyed.summary, destroyed.state.names()) == ({"delete": 1}, {"kept"})
    assert double.cloud.objects(BUCKET)[0]["name"] == "a"


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


def test_reading_what_exists():
    """``get`` reads, stores what it read as external, and never deletes it."""
    stack, double, _ = make()
    double.cloud.create(BUCKET, "there", {"acl": "x", "arn": "arn:there"})

    def program():
        pulumi.export("arn", Existing("b", "there").arn)

    up = stack.up(program)
    assert (up.outputs["arn"], up.state["b"].external, up.summary) == ("arn:there", True, {})
    assert stack.destroy().summary == {"discard": 1}
    assert double.journal.ops(name="b") == ["read"]
    assert len(double.cloud.objects(BUCKET)) == 1


def test_reading_what_does_not_exist():
    """What cannot be read fails, and the message names the id."""
    stack, _, _ = make()
    assert "'nowhere' does not exist" in str(stack.up(lambda: Existing("b", "nowhere"), expect_failure=True).error)


def test_taking_over_and_giving_up():
    """What was only read becomes a new object when it is declared, and a declared one is deleted when another is read
    instead.
    """
    stack, double, _ = make()
    double.cloud.create(BUCKET, "there", {"acl": "x"})
    stack.up(lambda: Existing("b", "there"))
    assert stack.up(lambda: Bucket("b")).summary == {"replace": 1}
    made = stack.state["b"].id
    assert sorted(each.id for each in double.cloud.objects(BUCKET)) == sorted(["there", made])
    stack.up(lambda: Existing("b", "there"))
    assert [each.id for each in double.cloud.objects(BUCKET)] == ["there"]


def test_importing():
    """``import`` reads by id alone, compares, updates what differs, and is not repeated."""
    stack, double, _ = make()
    double.cloud.create(BUCKET, "there", {"acl": "x"})
    wanted = {"acl": "x"}

    def program():
        Bucket("b", ResourceOptions(import_="there"), **wanted)

    assert stack.up(program).summary == {"import": 1}
    assert calls(double, "b") == ["read", "check", "diff"]
    assert stack.up(program).summary == {}
    wanted["acl"] = "y"
    assert stack.up(program).summary == {"update": 1}
    assert double.cloud.objects(BUCKET)[0]["acl"] == "y"
    assert (stack.state["b"].id, stack.state["b"].import_id) == ("there", "there")


def test_a_replacement_of_an_import_is_refused():
    """What still names the id of its import may not be replaced."""
    stack, double, _ = make()
    double.cloud.create(BUCKET, "there", {"name": "x"})
    stack.up(lambda: Bucket("b", ResourceOptions(import_="there"), name="x"))
    failed = stack.up(lambda: Bucket("b", ResourceOptions(import_="there"), name="y"), expect_failure=True)
    assert "Remove `import`" in str(failed.error)


def test_functions():
    """A function is called in preview and up, and its result is an ordinary value; a failure is raised in the program."""
    stack, double, _ = make()

    def program():
        found = pulumi.runtime.invoke("cloud:index:getZone", {"region": "eu"}).value
        pulumi.export("zone", found["zone"])

    assert stack.up(program, preview=True).outputs == {"zone": "zone-eu"}
    assert [each.call.preview for each in double.journal.entries(op="invoke")] == [True, False]
    failed = stack.up(lambda: pulumi.runtime.invoke("cloud:index:getNothing", {}), expect_failure=True)
    assert "getNothing" in str(failed.error)


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


def test_refresh_drops_what_vanished_and_prunes_references():
    """An object that is gone leaves the state, and what depended on it stays without the dependency."""
    stack, double, _ = make()

    def program():
        Bucket("more", source=Bucket("logs").arn)

    stack.up(program)
    double.cloud.vanish(BUCKET, stack.state["logs"].id)
    refresh = stack.refresh()
    assert (refresh.summary, refresh.state.names()) == ({"delete": 1}, {"more"})
    assert refresh.state["more"].dependencies == ()
    assert stack.up(program).summary == {"create": 1, "update": 1}


def test_up_can_refresh_first():
    """``refresh=True`` reads what exists in the same session before the program runs."""
    stack, double, _ = make()
    stack.up(lambda: Bucket("b", acl="x"))
    double.cloud.drift(BUCKET, stack.state["b"].id, acl="y")
    double.journal.clear()
    assert stack.up(lambda: Bucket("b", acl="x"), refresh=True).state["b"].outputs["acl"] == "x"
    assert double.journal.ops(name="b") == ["read", "diff", "check", "diff", "update"]
    assert {each.call.session.number for each in double.journal.entries(name="b")} == {2}


def test_resources_that_ask_for_a_refresh_are_read_first():
    """What answered ``refresh_before_update`` is read before the next up, and created anew if it vanished."""
    stack, double, breaking = make()

    def asking(call, proceed):
        return replace(proceed(call), extra={"refresh_before_update": True})

    breaking.replace(Op.CREATE, "b", asking)
    stack.up(lambda: (Bucket("b"), Bucket("c")))
    double.cloud.vanish(BUCKET, stack.state["b"].id)
    double.journal.clear()
    assert stack.up(lambda: (Bucket("b"), Bucket("c"))).summary == {"create": 1}
    assert (double.journal.ops(name="b"), double.journal.ops(name="c")) == (["read", "check", "create"], ["check", "diff"])


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


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (lambda: pulumi.runtime.register_stack_transform(lambda _: None), "transform"),
    ],
)
def test_what_is_to_come_is_refused(program, said):
    """What this version does not do yet is told in our words, and fails the test even where a failure was expected."""
    stack, _, _ = make()
    with pytest.raises(UnsupportedError, match=said):
        stack.up(program, expect_failure=True)


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
    """A name that nobody used is answered with those that there are, and an ambiguous one with its URNs."""
    stack, _, _ = make()
    stack.up(lambda: (Bucket("b"), Thing(NET, "b", cidr="x"), Bucket("c")))
    with pytest.raises(KeyError, match="there are: b, c"):
        _ = stack.state["a"]
    with pytest.raises(KeyError, match="several"):
        _ = stack.state["b"]
