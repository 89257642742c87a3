"""Provider resources: their lives, replacements, versions and inheritance (Pulumi's ``provider_test.go``)."""

from __future__ import annotations

import grpc
import pytest
from lifecycle_toolbox import (
    A,
    B,
    Lifecycle,
    Monitor,
    Provider,
    adopt,
    alone,
    diff,
    echoing,
    errors,
    life,
    provider_urn,
    state,
    steps,
    urn,
    way_back,
)

from mockprovider.calls import Op, Reply
from mockprovider.pulumi.diff import Changes

RES = urn(A, "resA")


def explicit(inputs=None, name="provA", **fields):
    """A program with an explicit provider and a resource of it."""

    def program(monitor: Monitor) -> None:
        provider = monitor.provider("pkgA", name, inputs=inputs or {}, **fields)
        monitor.register(A, "resA", provider=provider.reference)

    return program


def replacing(first=False):
    """A DiffConfig that replaces for every input, and says nothing of changes."""
    return lambda call: diff(*call.inputs, changes=Changes.UNKNOWN, first=first)


def ops(result, name):
    """The ops of the steps of one resource."""
    return [op for op, who in steps(result, providers=True) if who == name]


def test_lives():
    """A default provider and an explicit one are created, kept and deleted with their resource."""
    provider = Provider()
    life(Lifecycle(provider), alone(A), 2)
    assert sum(call.op is Op.HANDSHAKE for call in provider.calls) == 6
    life(Lifecycle(Provider()), explicit(), 2)


@pytest.mark.parametrize("operation", ["up", "refresh", "destroy"])
def test_a_state_without_providers(operation):
    """A state of old has a default provider before anything else happens, and nothing changes because of it."""
    stack = Lifecycle(Provider())
    adopt(stack, state(RES, id="0", inputs={}, outputs={}))
    result = stack.up(alone(A)) if operation == "up" else getattr(stack, operation)()
    expected = "delete" if operation == "destroy" else "same"
    assert sorted(result.steps) == sorted([(expected, provider_urn("pkgA")), (expected, RES)])


@pytest.mark.parametrize("kind", ["default", "explicit"])
def test_a_provider_that_wants_replacement(kind):
    """What a replaced provider manages is replaced, both created first; then everything is as before."""
    stack = Lifecycle(Provider(diff_config=replacing()), config={"pkgA:foo": "bar"})
    name = "default" if kind == "default" else "provA"
    stack.up(alone(A) if kind == "default" else explicit({"foo": "bar"}))
    stack.config["pkgA:foo"] = "baz"
    program = alone(A) if kind == "default" else explicit({"foo": "baz"})
    up = stack.up(program)
    assert [(op, who) for op, who in steps(up, providers=True) if op != "replace"] == [
        ("create-replacement", name),
        ("create-replacement", "resA"),
        ("delete-replaced", "resA"),
        ("delete-replaced", name),
    ]
    assert [op for op, _ in stack.up(program).steps] == ["same", "same"]


def test_a_provider_that_is_deleted_first():
    """What a provider manages is deleted before a provider that is deleted before its replacement."""
    stack = Lifecycle(Provider(diff_config=replacing(first=True)))
    stack.up(explicit({"foo": "bar"}))
    up = stack.up(explicit({"foo": "baz"}))
    assert [(op, who) for op, who in steps(up, providers=True) if op != "replace"] == [
        ("delete-replaced", "resA"),
        ("delete-replaced", "provA"),
        ("create-replacement", "provA"),
        ("create-replacement", "resA"),
    ]


def test_a_renamed_provider_deletes_with_its_new_configuration():
    """A provider that is found under an alias, and updated, deletes what its old name managed."""
    deleted = []
    provider = Provider(delete=lambda call: deleted.append(call.session.config["id"]))
    stack = Lifecycle(provider)
    stack.up(explicit({"id": "first"}))
    stack.up(
        lambda monitor: monitor.provider("pkgA", "provB", inputs={"id": "second"}, aliasURNs=[provider_urn("pkgA", "provA")])
    )
    assert deleted == ["second"]


def test_a_renamed_provider_is_replaced():
    """An alias of a provider is no change; a replacement then creates with the new one and deletes with the old one."""
    by = []

    def note(call):
        by.append((call.op.value, call.session.config["id"]))

    stack = Lifecycle(Provider(diff_config=replacing(), create=note, delete=note))
    stack.up(explicit({"id": "first"}))
    renamed = {"name": "provB", "aliasURNs": [provider_urn("pkgA", "provA")]}

    by.clear()
    assert {op for op, _ in stack.up(explicit({"id": "first"}, **renamed)).steps} == {"same"}
    up = stack.up(explicit({"id": "second"}, **renamed))
    assert ops(up, "resA") == ["create-replacement", "replace", "delete-replaced"]
    assert by == [("create", "second"), ("delete", "first")]


def test_versions_of_default_providers():
    """A default provider of another version takes over what the old one managed, without a change."""
    stack = Lifecycle(Provider())

    def program(first, second):
        def run(monitor: Monitor) -> None:
            monitor.register(A, "resA", version=first)
            monitor.register(A, "resB", version=second)

        return run

    def managers(result):
        return [result.state[name].provider_urn.rpartition("::")[2] for name in ("resA", "resB")]

    assert managers(stack.up(program("", ""))) == ["default", "default"]
    up = stack.up(program("0.17.10", "0.17.10"))
    assert (managers(up), steps(up)) == (["default_0_17_10"] * 2, [("same", "resA"), ("same", "resB")])
    up = stack.up(program("0.17.11", "0.17.12"))
    assert (managers(up), steps(up)) == (["default_0_17_11", "default_0_17_12"], [("same", "resA"), ("same", "resB")])


def test_a_new_version_that_wants_replacement():
    """The new provider's DiffConfig decides whether it can manage what the old one made."""

    def compare(call):
        return diff(*call.inputs) if call.inputs.get("version") == "0.17.10" else None

    stack = Lifecycle(Provider(diff_config=compare))

    def program(monitor: Monitor) -> None:
        monitor.register(A, "resA", version=versions[0])
        monitor.register(A, "resB", version=versions[1])

    versions = ["", ""]
    stack.up(program)
    versions = ["0.17.10", "0.17.11"]
    up = stack.up(program)
    assert ops(up, "resA") == ["create-replacement", "replace", "delete-replaced"]
    assert ops(up, "resB") == ["same"]


def test_a_new_version_of_an_explicit_provider():
    """An explicit provider whose new version wants replacement is replaced with what it manages."""
    stack = Lifecycle(Provider(diff_config=lambda call: diff(*call.inputs) if call.inputs["version"] == "2.0.0" else None))
    stack.up(explicit(version="1.0.0"))
    up = stack.up(explicit(version="2.0.0"))
    assert ops(up, "resA") == ["create-replacement", "replace", "delete-replaced"]
    assert up.state["provA"].inputs["version"] == "2.0.0"


@pytest.mark.parametrize(
    ("fields", "version"),
    [
        ({}, None),
        ({"version": "1.0.0"}, "1.0.0"),
        ({"inputs": {"version": "1.0.0"}}, "1.0.0"),
        ({"inputs": {"version": "1.5.0"}, "version": "1.0.0"}, "1.0.0"),
    ],
)
def test_versions_of_explicit_providers(fields, version):
    """The option ``version`` wins over the input of that name."""
    up = Lifecycle(Provider()).up(lambda monitor: monitor.provider("pkgA", "provA", **fields))
    assert up.state["provA"].inputs.get("version") == version


def test_addresses_of_plugins():
    """A download address stands among the inputs of an explicit and of a default provider, for the engine alone."""
    provider = Provider()
    up = Lifecycle(provider).up(explicit(pluginDownloadURL="get.pulumi.com/${VERSION}"))
    assert up.state["provA"].inputs == {"__internal": {"pluginDownloadURL": "get.pulumi.com/${VERSION}"}}
    up = Lifecycle(provider).up(lambda monitor: monitor.register("pkgA::Foo", "foo", pluginDownloadURL="get.pulumi.com"))
    (default,) = (each for each in up.state.every if each.is_provider)
    assert (default.name, default.inputs) == ("default_get.pulumi.com", {"__internal": {"pluginDownloadURL": "get.pulumi.com"}})
    assert all("__internal" not in (call.inputs or {}) for call in provider.calls)


@pytest.mark.parametrize(
    ("disabled", "program", "fails"),
    [
        ('["pkgA"]', alone(B, A), True),
        ('["pkgA"]', explicit(), False),
        ('[" pkgA "]', alone(A), True),
        ('["*"]', alone(A), True),
        ('["*"]', alone(B), True),
        ("", alone(A), False),
    ],
)
def test_disabled_default_providers(disabled, program, fails):
    """A resource that would need one stops the update."""
    returned = []

    def run(monitor: Monitor) -> None:
        program(monitor)
        returned.append(True)

    result = Lifecycle(Provider(), config={"pulumi:disable-default-providers": disabled}).up(run, expect_failure=fails)
    assert ("must use an explicit provider" in errors(result), bool(returned)) == (fails, not fails)


def test_functions_of_disabled_default_providers():
    """A function that would need one fails in the program, which may go on."""

    def program(monitor: Monitor) -> None:
        with pytest.raises(grpc.RpcError, match="Default provider for 'pkgA' disabled"):
            monitor.invoke("pkgA:index:f")

    Lifecycle(Provider(), config={"pulumi:disable-default-providers": '["pkgA"]'}).up(program)


def test_the_state_s_plugin_stands_in():
    """An explicit provider and a resource that say nothing get version and address of the state's newest provider."""
    stack = Lifecycle(Provider())
    stack.up(lambda monitor: monitor.register(A, "resA", version="1.1.0", pluginDownloadURL="example.com/default"))

    def program(monitor: Monitor) -> None:
        monitor.register(A, "resA")
        monitor.provider("pkgA", "provA")
        monitor.provider("pkgA", "provB", pluginDownloadURL="example.com/other")

    up = stack.up(program)
    assert steps(up) == [("same", "resA")]
    assert up.state["provA"].inputs == {"version": "1.1.0", "__internal": {"pluginDownloadURL": "example.com/default"}}
    assert up.state["provB"].inputs == {"__internal": {"pluginDownloadURL": "example.com/other"}}


def constructing(**options):
    """A Construct that makes a component with a child ``resC``, unless told otherwise."""

    def construct(call):
        engine = way_back(call)
        passed = {key: call.extra[key] for key in options if call.extra.get(key)}
        component = engine.component(call.type, call.name, parent=call.extra.get("parent", ""), **passed)
        if options:
            engine.register(A, "resC", parent=component.urn)
        return Reply(value={}, extra={"urn": component.urn})

    return construct


def test_children_go_with_what_their_parent_goes_with():
    """``deleted_with`` is inherited, also by children of a component that its provider made."""

    def program(monitor: Monitor) -> None:
        owner = monitor.component(A, "deletable")
        parent = monitor.register(A, "resA", deletedWith=owner.urn)
        monitor.register(A, "resB", parent=parent.urn)
        remote = monitor.component("pkgA:m:typComponent", "remote", remote=True, deletedWith=owner.urn)
        monitor.register(A, "resD", parent=remote.urn)

    up = Lifecycle(Provider(construct=constructing(deletedWith=True))).up(program)
    owner = up.state["deletable"].urn
    assert {name: up.state[name].deleted_with for name in ("resA", "resB", "remote", "resC", "resD")} == dict.fromkeys(
        ("resA", "resB", "remote", "resC", "resD"), owner
    )


@pytest.mark.parametrize("how", ["provider", "providers"])
def test_children_have_their_parent_s_provider(how):
    """A child has the explicit provider of its parent, whichever option that came from."""

    def program(monitor: Monitor) -> None:
        reference = monitor.provider("pkgA", "provA").reference
        fields = {"provider": reference} if how == "provider" else {"providers": {"pkgA": reference}}
        parent = monitor.register(A, "resA", **fields)
        monitor.register(A, "resB", parent=parent.urn)

    up = Lifecycle(Provider()).up(program)
    assert {up.state[name].provider_urn for name in ("resA", "resB")} == {provider_urn("pkgA", "provA")}


def test_remote_children_have_it_for_their_package_alone():
    """A component of another package has a default provider, and no component has one in the state."""
    seen = []

    def construct(call):
        seen.append((call.name, call.session.instance))
        return constructing()(call)

    def program(monitor: Monitor) -> None:
        parent = monitor.register(A, "resA", providers={"pkgA": monitor.provider("pkgA", "provA").reference})
        monitor.component("pkgA:m:typB", "resB", remote=True, parent=parent.urn)
        monitor.component("pkgB:m:typC", "resC", remote=True, parent=parent.urn)

    up = Lifecycle(Provider(construct=construct)).up(program)
    assert seen == [("resB", provider_urn("pkgA", "provA")), ("resC", provider_urn("pkgB"))]
    assert (up.state["resB"].provider, up.state["resC"].provider) == ("", "")


def test_components_hand_their_providers_down():
    """Construct hears of the providers of a component above, and not of those of a custom resource."""
    seen = {}

    def construct(call):
        seen[call.name] = list(call.extra.get("providers", {}))
        return constructing()(call)

    def program(monitor: Monitor) -> None:
        providers = {"pkgA": monitor.provider("pkg", "provA").reference}
        above = monitor.component("my_component", "resA", providers=providers)
        monitor.component("pkg:index:component", "resB", remote=True, parent=above.urn)
        custom = monitor.register("pkg:index:type", "resC", providers=providers)
        monitor.component("pkg:index:component", "resD", remote=True, parent=custom.urn)

    Lifecycle(Provider(construct=construct)).up(program)
    assert seen == {"resB": ["pkgA"], "resD": []}


def test_states_of_old_have_the_plugin_among_the_inputs():
    """A provider without the engine's own key keeps version and address where they are, and they stand in."""
    stack = Lifecycle(Provider())
    inputs = {"version": "1.3.0", "pluginDownloadURL": "http://example.com"}
    adopt(stack, state(provider_urn("pkgA", "prov"), id="1", inputs=inputs, outputs=inputs))
    assert stack.refresh().state["prov"].inputs == inputs
    up = stack.up(alone(A))
    assert up.state["resA"].provider_urn == provider_urn("pkgA", "default_1_3_0_http_/example.com")


def test_the_engine_s_own_key_is_not_sent():
    """No call for a provider has it, whatever changes, and Configure names the provider."""
    provider = Provider(check_config=lambda _: Reply(inputs={}))
    stack = Lifecycle(provider)

    def program(monitor: Monitor) -> None:
        explicit(version=version, pluginDownloadURL="example.com")(monitor)
        monitor.register(A, "resB", version=version)

    for version in ("1.0.0", "1.1.0"):  # noqa: B007 - the program reads it
        stack.up(program)
    bags = [bag for call in provider.calls for bag in (call.inputs, call.prior, call.prior_inputs) if bag]
    assert [bag for bag in bags if "__internal" in bag] == []
    configured = {call.urn for call in provider.of(Op.CONFIGURE)}
    assert configured == {provider_urn("pkgA", name) for name in ("provA", "default_1_0_0", "default_1_1_0")}


def test_an_unchanged_provider_has_its_old_configuration():
    """A provider whose DiffConfig sees no change is configured as before; the state has the new inputs and the old outputs."""
    seen = []

    def compare(call):
        seen.append((call.prior_inputs["value"], call.inputs["value"]))
        return diff(changes=Changes.NONE)

    provider = Provider(diff_config=compare, configure=lambda call: seen.append(call.inputs["value"]))
    stack = Lifecycle(provider)
    stack.up(lambda monitor: monitor.provider("pkg", "provA", inputs={"value": "100"}))
    up = stack.up(lambda monitor: monitor.provider("pkg", "provA", inputs={"value": "200"}))
    assert seen == ["100", ("100", "200"), "100"]
    assert (up.state["provA"].inputs, up.state["provA"].outputs) == ({"value": "200"}, {"value": "100"})


@pytest.mark.parametrize("reference", ["urn:pulumi:dev::project::pulumi:providers:pkgA::provA", "hello world", f"{RES}::id"])
def test_references_that_are_none(reference):
    """A malformed reference is the program's mistake, which it may survive."""

    def program(monitor: Monitor) -> None:
        monitor.provider("pkgA", "provA")
        for ask in (
            lambda: monitor.register(A, "resA", provider=reference),
            lambda: monitor.register(A, "resA", providers={"pkgB": reference}),
            lambda: monitor.invoke("pkgA:index:f", provider=reference),
            lambda: monitor.call("pkgA:index:f", provider=reference),
        ):
            with pytest.raises(grpc.RpcError, match="provider"):
                ask()

    up = Lifecycle(Provider()).up(program)
    assert [name for name in up.state.names() if name.startswith("res")] == []


def test_a_read_without_an_id_is_a_loss():
    """An object whose Read answers no id is gone, whatever else was answered."""
    stack = Lifecycle(echoing(read=lambda call: Reply(inputs=call.prior_inputs, value=call.prior)))
    stack.up(lambda monitor: monitor.register(A, "resA", inputs={"foo": "bar"}))
    assert steps(stack.refresh()) == [("delete", "resA")]


def test_the_version_of_a_provider():
    """A provider that drops its version gets it back, and one that changes it fails."""
    provider = Provider(check_config=lambda call: Reply(inputs={k: v for k, v in call.inputs.items() if k != "version"}))
    up = Lifecycle(provider).up(lambda monitor: monitor.register(A, "resA", version="1.0.0"))
    assert up.state["default_1_0_0"].inputs["version"] == "1.0.0"
    provider = Provider(check_config=lambda call: Reply(inputs={**call.inputs, "version": "2.0.0"}))
    up = Lifecycle(provider).up(lambda monitor: monitor.register(A, "resA", version="1.0.0"), expect_failure=True)
    assert "changed its version from '1.0.0' to '2.0.0'" in errors(up)


def test_the_engine_s_own_key_is_no_provider_s():
    """A provider that answers it is warned of, and what the engine keeps there stays."""
    provider = Provider(check_config=lambda call: Reply(inputs={**call.inputs, "__internal": {"some": "internal data"}}))
    up = Lifecycle(provider).up(
        lambda monitor: monitor.register(A, "resA", version="1.0.0", pluginDownloadURL="http://example.com")
    )
    (default,) = (each for each in up.state.every if each.is_provider)
    assert default.urn == provider_urn("pkgA", "default_1_0_0_http_/example.com")
    assert default.inputs["__internal"] == {"pluginDownloadURL": "http://example.com"}
    ((severity, where),) = [(line.severity, line.urn) for line in up.diagnostics]
    assert (severity, where) == ("warning", default.urn)


def test_a_child_of_another_package():
    """A child of a resource of another package has its own package's default provider."""
    provider = Provider()

    def program(monitor: Monitor) -> None:
        parent = monitor.register("pkgB:m:typA", "resA")
        monitor.register(A, "resB", parent=parent.urn)

    Lifecycle(provider).up(program)
    assert [(call.name, call.session.schema) for call in provider.of(Op.CREATE)] == [("resA", "pkgB"), ("resB", "pkgA")]
