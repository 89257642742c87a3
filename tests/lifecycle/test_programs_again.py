"""Refreshes and destroys that run the program (``DestroyV2`` and ``RefreshV2`` of Pulumi's engine tests)."""

from __future__ import annotations

import pytest
from lifecycle_toolbox import (
    COMPONENT,
    A,
    B,
    Lifecycle,
    Monitor,
    Provider,
    adopt,
    diff,
    echoing,
    errors,
    failing,
    names,
    provider_urn,
    state,
    steps,
    urn,
)

from mockprovider.calls import Op, Reply

PROVIDER = provider_urn("pkgA", "prov")
REFERENCE = f"{PROVIDER}::prov"


def provider_state(name="prov", **fields):
    """A provider of ``pkgA`` in a state."""
    return state(provider_urn("pkgA", name), **{"id": name, **fields})


def resource_state(name, type_=A, **fields):
    """A resource in a state, managed by the provider ``prov``."""
    return state(urn(type_, name), **{"provider": REFERENCE, **fields})


def drifting(**handlers):
    """A provider whose objects have other outputs than before when they are read."""
    return echoing(read=lambda call: Reply(id=call.id, value={"foo": "baz"}, inputs=call.prior_inputs), **handlers)


class OneResource:
    """A program with ``resA``, which notes the outputs that it is given."""

    def __init__(self, type_=A, name="resA", **fields):
        self.type, self.name, self.fields, self.inputs, self.seen = type_, name, fields, {"foo": "bar"}, []

    def __call__(self, monitor: Monitor) -> None:
        """Register it."""
        self.seen.append(monitor.register(self.type, self.name, inputs=self.inputs, **self.fields).outputs)


# Destroy -----------------------------------------------------------------------------------------------------------------


def test_a_destroy():
    """The program runs again, sees the old outputs, and its changed inputs reach no provider."""
    provider = echoing()
    stack, program = Lifecycle(provider), OneResource()
    stack.up(program)
    program.inputs = {"foo": "qux"}
    destroyed = stack.destroy(program, run_program=True)
    assert program.seen == [{"foo": "bar"}] * 2
    assert [(call.prior_inputs, call.prior) for call in provider.of(Op.DELETE)] == [({"foo": "bar"}, {"foo": "bar"})]
    assert steps(destroyed) == [("same", "resA"), ("delete", "resA")]
    assert destroyed.state.every == ()


def test_targets_of_a_destroy():
    """Only targets are deleted; the others stay as they are."""

    def program(monitor: Monitor) -> None:
        for name in ("resA", "resB"):
            monitor.register(A, name)

    stack = Lifecycle(echoing())
    stack.up(program)
    destroyed = stack.destroy(program, run_program=True, target=[urn(A, "resA")])
    assert names(destroyed) == ["resB"]


@pytest.mark.parametrize("explicit", [False, True])
def test_a_destroy_with_a_provider_that_has_changed(explicit):
    """What is deleted is deleted by the provider as the program, or the configuration, has it now."""
    provider = echoing()
    stack, auth = Lifecycle(provider, config={"pkgA:auth": "old"}), ["old"]

    def program(monitor: Monitor) -> None:
        more = {"provider": monitor.provider("pkgA", "prov", inputs={"auth": auth[0]}).reference} if explicit else {}
        monitor.register(A, "resA", **more)

    stack.up(program)
    auth[0] = stack.config["pkgA:auth"] = "new"
    assert stack.destroy(program, run_program=True).state.every == ()
    (call,) = provider.of(Op.DELETE)
    assert (call.session.config or {})["auth"] == "new"


def test_components_in_a_destroy():
    """Components are registered, also new ones, and deleted in the end."""
    stack, parents = Lifecycle(echoing()), []

    def program(monitor: Monitor) -> None:
        above = {}
        for name in parents:
            above = {"parent": monitor.component(COMPONENT, name).urn, "aliases": [{"urn": urn(A, "resA")}]}
        monitor.register(A, "resA", **above)

    stack.up(program)
    parents.append("new")
    destroyed = stack.destroy(program, run_program=True)
    assert steps(destroyed) == [("create", "new"), ("same", "resA"), ("delete", "resA"), ("delete", "new")]
    assert destroyed.state.every == ()


@pytest.mark.parametrize("through_component", [False, True])
def test_what_a_destroy_skips(through_component):
    """What depends on something that a destroy does not create is skipped and sees its old outputs. It is deleted."""
    provider = echoing()
    stack, program, again = Lifecycle(provider), OneResource(), []

    def changed(monitor: Monitor) -> None:
        new = monitor.register(A, "resB")
        if through_component:
            parent = monitor.component(COMPONENT, "parent", dependencies=[new.urn])
            again.append(monitor.register(A, "resA", dependencies=[parent.urn]))
        else:
            again.append(monitor.register(A, "resA", parent=new.urn, alias_specs=[{"noParent": True}]))

    stack.up(program)
    destroyed = stack.destroy(changed, run_program=True)
    assert again[0].outputs == {"foo": "bar"}
    assert [call.name for call in provider.of(Op.CREATE)] == ["resA"]
    assert [call.name for call in provider.of(Op.DELETE)] == ["resA"]
    assert destroyed.state.every == ()


def test_reads_in_a_destroy():
    """What the program only reads is read, and forgotten."""
    provider = echoing(read=lambda call: Reply(id=call.id, value={"foo": "read"}, inputs={}))

    def program(monitor: Monitor) -> None:
        assert monitor.read(A, "resA", "id").outputs == {"foo": "read"}
        monitor.register(A, "resB", inputs={"foo": "bar"})

    stack = Lifecycle(provider)
    stack.up(program)
    assert stack.destroy(program, run_program=True).state.every == ()
    assert [call.name for call in provider.of(Op.DELETE)] == ["resB"]
    assert len(provider.of(Op.READ, "resA")) == 2


def test_protection_in_a_destroy():
    """What the program protects is not deleted, nor is its provider."""

    def program(monitor: Monitor) -> None:
        provider = monitor.provider("pkgA", "prov")
        monitor.register(A, "resA", provider=provider.reference, protect=True)

    stack = Lifecycle(echoing())
    stack.up(program)
    failed = stack.destroy(program, run_program=True, expect_failure=True)
    assert "protected" in errors(failed)
    assert [each.name for each in failed.state.every] == ["prov", "resA"]


# Refresh -----------------------------------------------------------------------------------------------------------------


def test_a_refresh():
    """The program sees what was read, and its changed inputs are in no state."""
    provider = drifting()
    stack, program = Lifecycle(provider), OneResource()
    stack.up(program)
    program.inputs = {"foo": "qux"}
    refreshed = stack.refresh(program, run_program=True)
    assert program.seen == [{"foo": "bar"}, {"foo": "baz"}]
    resource = refreshed.state["resA"]
    assert (resource.inputs, resource.outputs) == ({"foo": "bar"}, {"foo": "baz"})
    assert provider.of(Op.UPDATE) == []


@pytest.mark.parametrize("explicit", [False, True])
@pytest.mark.parametrize("registered", [False, True])
def test_a_refresh_with_a_provider_that_has_changed(explicit, registered):
    """What the program registers is read by the provider as it is now; what it does not, by the one in the state."""
    provider = drifting()
    stack, auth, there = Lifecycle(provider, config={"pkgA:auth": "old"}), ["old"], [True]

    def program(monitor: Monitor) -> None:
        if there[0]:
            more = {"provider": monitor.provider("pkgA", "prov", inputs={"auth": auth[0]}).reference} if explicit else {}
            monitor.register(A, "resA", **more)

    stack.up(program)
    auth[0] = stack.config["pkgA:auth"] = "new"
    there[0] = registered
    refreshed = stack.refresh(program, run_program=True)
    (call,) = provider.of(Op.READ)
    assert (call.session.config or {})["auth"] == ("new" if registered else "old")
    assert refreshed.state["resA"].outputs == {"foo": "baz"}


@pytest.mark.parametrize("up", [False, True])
def test_a_refresh_of_what_is_gone(up):
    """What is gone is unknown to the program, and its dependents are read; in an up it is created anew."""
    gone = []
    provider = echoing(read=lambda call: Reply() if call.name in gone else None)
    stack, seen = Lifecycle(provider), []

    def program(monitor: Monitor) -> None:
        first = monitor.register(A, "resA", inputs={"foo": "bar"})
        second = monitor.register(A, "resB", inputs={"foo": "bar"}, dependencies=[first.urn])
        seen.append((first.id, first.outputs, second.outputs))

    before = stack.up(program).state["resA"].id
    gone.append("resA")
    if up:
        after = stack.up(program, refresh=True, run_program=True)
        assert (names(after), after.state["resA"].id == before) == (["resA", "resB"], False)
    else:
        after = stack.refresh(program, run_program=True)
        assert (names(after), after.state["resB"].dependencies) == (["resB"], ())
        assert seen[-1] == ("", {}, {"foo": "bar"})
    assert [call.name for call in provider.of(Op.READ)] == ["resA", "resB"]


@pytest.mark.parametrize("first", [False, True])
def test_a_refresh_before_a_replacement(first):
    """An up reads each resource before it compares and replaces it."""
    provider = echoing(diff=lambda call: diff("foo", first=first) if call.inputs != call.prior_inputs else None)
    stack, program = Lifecycle(provider), OneResource()
    before = stack.up(program).state["resA"].id
    program.inputs = {"foo": "qux"}
    provider.calls.clear()
    after = stack.up(program, refresh=True, run_program=True)
    assert (names(after), after.state["resA"].id == before) == (["resA"], False)
    done = [call.op for call in provider.calls if call.name == "resA" and call.op in (Op.READ, Op.CREATE, Op.DELETE)]
    assert done == [Op.READ, Op.DELETE, Op.CREATE] if first else [Op.READ, Op.CREATE, Op.DELETE]


def test_a_refresh_under_another_name():
    """What is known by an alias is read as what the program calls it."""
    provider = drifting()
    stack, program = Lifecycle(provider), OneResource()
    stack.up(program)
    renamed = OneResource("pkgA:m:typB", alias_specs=[{"type": A}])
    refreshed = stack.refresh(renamed, run_program=True)
    assert [call.type for call in provider.of(Op.READ)] == ["pkgA:m:typB"]
    assert renamed.seen == [{"foo": "baz"}]
    assert [each.urn for each in refreshed.state.every if not each.is_provider] == [urn("pkgA:m:typB", "resA")]


@pytest.mark.parametrize(
    ("options", "read"),
    [({}, {"resA", "resB", "resC"}), ({"target": ["resB"]}, {"resB"}), ({"exclude": ["resB"]}, {"resA", "resC"})],
)
def test_targets_of_a_refresh(options, read):
    """Only targets are read, and what is excluded is not; all stay in the state."""

    def program(monitor: Monitor) -> None:
        for name in ("resA", "resB", "resC"):
            monitor.register(A, name)

    stack = Lifecycle(drifting())
    stack.up(program)
    refreshed = stack.refresh(program, run_program=True, **options)
    assert {name for name in names(refreshed) if refreshed.state[name].outputs} == read
    assert sorted(names(refreshed)) == ["resA", "resB", "resC"]


def test_a_target_that_is_not_in_the_program():
    """A target that the program does not register is read in the end."""
    stack = Lifecycle(Provider())
    adopt(
        stack,
        provider_state(),
        resource_state("resA", id="id"),
        resource_state("resB"),
        resource_state("resC", dependencies=[urn(A, "resA")]),
    )

    def program(monitor: Monitor) -> None:
        provider = monitor.provider("pkgA", "prov")
        monitor.register(A, "resA", provider=provider.reference)
        monitor.component(A, "resC")

    refreshed = stack.refresh(program, run_program=True, target=[urn(A, "resB")])
    assert sorted(names(refreshed)) == ["resA", "resB", "resC"]


def test_a_read_that_fails():
    """A read that fails is the refresh's failure, and its resource stays."""
    provider = echoing(read=lambda _: failing("read failure"))
    stack, program = Lifecycle(provider), OneResource()
    stack.up(program)
    failed = stack.refresh(program, run_program=True, expect_failure=True)
    assert errors(failed) == "read failure"
    assert names(failed) == ["resA"]


def test_providers_that_wait_for_what_is_not_created():
    """A provider that depends on a resource that would be created is left out, and what it serves, too."""
    stack = Lifecycle(echoing())

    def program(monitor: Monitor) -> None:
        first = monitor.register(A, "resA")
        provider = monitor.provider("pkgA", "resX", dependencies=[first.urn])
        monitor.register("pkgA:m:typB", "resB", provider=provider.reference)

    assert [each.name for each in stack.refresh(program, run_program=True).state.every] == ["default"]
    assert names(stack.up(program)) == ["resA", "resB"]
    assert names(stack.refresh(program, run_program=True)) == ["resA", "resB"]


def test_dependents_of_what_is_not_created():
    """What depends on something that is not in the state, and is not created, keeps no reference to it."""
    stack = Lifecycle(Provider())
    adopt(
        stack,
        provider_state(),
        state(urn(COMPONENT, "comp")),
        provider_state("last", propertyDependencies={"p": [urn(COMPONENT, "comp")]}),
    )

    def program(monitor: Monitor) -> None:
        new = monitor.register(A, "new", provider=monitor.provider("pkgA", "prov").reference)
        component = monitor.component(COMPONENT, "comp", dependencies=[new.urn])
        monitor.component(COMPONENT, "other", deletedWith=new.urn)
        monitor.provider("pkgA", "last", depends_by={"p": [component.urn]})

    refreshed = stack.refresh(program, run_program=True)
    assert [each.name for each in refreshed.state.every] == ["prov", "last", "comp"] or [
        each.name for each in refreshed.state.every
    ] == ["prov", "comp", "last"]


def test_a_preview_of_a_refresh():
    """A preview shows what a refresh that runs the program would find, and changes nothing."""
    provider = drifting()
    stack, program = Lifecycle(provider), OneResource()
    stack.up(program)
    previewed = stack.preview(program, refresh=True, run_program=True)
    assert program.seen[-1] == {"foo": "baz"}
    assert len(provider.of(Op.READ)) == 1
    assert (stack.state["resA"].outputs, previewed.summary) == ({"foo": "bar"}, {})


def test_many_resources_in_a_refresh():
    """A refresh reads each resource of a large program once."""
    provider = drifting()
    stack = Lifecycle(provider)

    def program(monitor: Monitor) -> None:
        before = []
        for index in range(50):
            before = [monitor.register(B if index % 2 else A, f"res{index}", dependencies=before).urn]

    stack.up(program)
    refreshed = stack.refresh(program, run_program=True)
    assert len(provider.of(Op.READ)) == len(names(refreshed)) == 50
    assert all(refreshed.state[name].outputs == {"foo": "baz"} for name in names(refreshed))


def test_functions_in_a_destroy():
    """A function that depends on what a destroy skips is not called; others are."""
    provider = echoing(invoke=lambda _: Reply(value={"result": "read"}))
    stack, destroying = Lifecycle(provider), [False]

    def program(monitor: Monitor) -> None:
        alone = monitor.register(A, "standalone")
        gone = [monitor.register(A, "gone").urn] if destroying[0] else []
        dependent = monitor.register(A, "dependent", dependencies=gone)
        for urns in ([dependent.urn], [alone.urn], gone):
            monitor.invoke("pkgA:index:read", dependsOn=urns)

    stack.up(program)
    provider.calls.clear()
    destroying[0] = True
    assert stack.destroy(program, run_program=True).state.every == ()
    assert len(provider.of(Op.INVOKE)) == 1


def test_an_interrupted_replacement_goes_on():
    """What an earlier run deleted before its replacement is created by an up that reads through the program."""
    broken = []
    provider = Provider(
        diff=lambda call: diff("key", first=True) if call.name == "resA" else None,
        create=lambda _: failing("interrupt") if broken else None,
    )
    stack, program = Lifecycle(provider), OneResource()
    stack.up(program)
    broken.append(True)
    assert stack.up(program, expect_failure=True).state["resA"].pending_replacement
    broken.clear()
    provider.calls.clear()
    after = stack.up(program, refresh=True, run_program=True)
    assert (after.state["resA"].pending_replacement, provider.of(Op.DELETE)) == (False, [])
    assert [call.name for call in provider.of(Op.CREATE)] == ["resA"]


def test_old_instances_in_a_refresh():
    """An old instance that waits for its deletion stays where the program has a new one, also where that is no target."""
    stack = Lifecycle(Provider())
    component = urn("pkgA:index:Component", "compA")
    adopt(
        stack,
        provider_state(),
        resource_state("resA", id="id", delete=True),
        state(component),
        provider_state("last", parent=component, urn=urn("pulumi:providers:pkgA", "last", "pkgA:index:Component")),
    )

    def program(monitor: Monitor) -> None:
        reference = monitor.provider("pkgA", "prov").reference
        first = monitor.register(A, "resA", provider=reference)
        above = monitor.component("pkgA:index:Component", "compA")
        monitor.provider("pkgA", "last", parent=above.urn, dependencies=[first.urn])

    refreshed = stack.refresh(program, run_program=True, target=[component])
    assert [each.name for each in refreshed.state.every] == ["prov", "compA", "resA", "last"]


def test_parents_that_are_gone():
    """A refresh that finds a parent gone keeps its children, without it."""
    stack = Lifecycle(Provider(read=lambda _: Reply()))
    parent = urn(A, "parent")
    adopt(
        stack,
        provider_state(),
        resource_state("parent", id="id"),
        state(urn(A, "child", A), provider=REFERENCE, parent=parent),
    )

    def program(monitor: Monitor) -> None:
        above = monitor.register(A, "parent", provider=monitor.provider("pkgA", "prov").reference)
        monitor.component("pkgA:m:childType", "new", parent=above.urn)

    refreshed = stack.refresh(program, run_program=True)
    assert [(each.name, each.parent) for each in refreshed.state.every] == [("prov", ""), ("child", "")]
