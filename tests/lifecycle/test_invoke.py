"""Functions that wait for what they depend on, and the provider that answers them (Pulumi's ``invoke_test.go``)."""

from __future__ import annotations

import pytest
from lifecycle_toolbox import A, Lifecycle, Monitor, Provider, way_back

from mockprovider.calls import Op, Reply
from mockprovider.values import Secret


def constructing(call):
    """Construct a component with one child."""
    engine = way_back(call)
    parent = call.extra.get("parent", "")
    component = engine.component(call.type, call.name, parent=parent)
    engine.register("pkgA:m:typChild", f"{call.name}-child", parent=component.urn)
    return Reply(value={}, extra={"urn": component.urn})


def read(_):
    """Answer a function."""
    return Reply(value={"result": "read"})


@pytest.mark.parametrize("preview", [True, False])
def test_a_preview_is_said(preview):
    """A function hears whether the operation is a preview, and a provider that the engine tells it."""
    provider = Provider(invoke=lambda _: Reply(value={"result": "invoked"}))
    stack, seen = Lifecycle(provider), []

    def program(monitor: Monitor) -> None:
        seen.append(monitor.invoke("pkgA:index:myFunc").outputs)

    (stack.preview if preview else stack.up)(program)
    (call,) = provider.of(Op.INVOKE)
    assert (call.preview, seen) == (preview, [{"result": "invoked"}])
    assert provider.of(Op.HANDSHAKE)[0].extra["invoke_with_preview"] is True


def test_the_parent_s_providers_answer():
    """A function with a parent is answered by what that component has for its package, explicit providers first."""
    provider = Provider(invoke=lambda call: Reply(value={"instance": (call.session.config or {}).get("instance", "default")}))
    served = []

    def program(monitor: Monitor) -> None:
        explicit, other = (
            monitor.provider("pkgA", name, inputs={"instance": name}).reference for name in ("explicit", "other")
        )
        above = monitor.component("my:component:First", "comp", providers={"pkgA": explicit})
        child = monitor.component("my:component:Second", "child", parent=above.urn)
        custom = monitor.register(A, "custom", parent=above.urn)
        asked = (
            {"parent": above.urn},
            {"parent": child.urn},
            {"parent": above.urn, "provider": other},
            {"parent": custom.urn},
            {},
        )
        served.extend(monitor.invoke("pkgA:index:echo", **fields).outputs["instance"] for fields in asked)

    Lifecycle(provider).up(program)
    assert served == ["explicit", "explicit", "other", "default", "default"]


@pytest.mark.parametrize("nested", [False, True])
def test_children_of_remote_components_are_waited_for(nested):
    """A function that depends on a component is not asked while a child that its provider made is still to be created."""
    provider = Provider(construct=constructing, invoke=read)
    stack, unknown = Lifecycle(provider), []

    def program(monitor: Monitor) -> None:
        parent = monitor.component("pkgA:m:typOuter", "outer").urn if nested else ""
        component = monitor.component("pkgA:m:typComponent", "comp", remote=True, parent=parent)
        unknown.append(monitor.invoke("pkgA:index:readChild", dependsOn=[parent or component.urn]).unknown)

    def asked() -> int:
        found = len(provider.of(Op.INVOKE))
        provider.calls.clear()
        return found

    stack.preview(program)
    assert (asked(), unknown) == (0, [True])
    stack.up(program)
    assert asked() == 1
    stack.preview(program)
    assert (asked(), unknown) == (1, [True, False, False])


def test_a_pending_resource_is_waited_for():
    """A function that depends on a resource that is still to be created is unknown, and asked by the update."""
    provider, unknown = Provider(invoke=read), []
    stack = Lifecycle(provider)

    def program(monitor: Monitor) -> None:
        dependency = monitor.register(A, "dep")
        unknown.append(monitor.invoke("pkgA:index:read", dependsOn=[dependency.urn]).unknown)

    stack.preview(program)
    assert provider.of(Op.INVOKE) == []
    stack.up(program)
    assert (len(provider.of(Op.INVOKE)), unknown) == (1, [True, False])


def test_a_custom_resource_stands_for_itself():
    """A function that depends on a custom resource does not wait for that resource's children."""
    provider, unknown, children = Provider(invoke=read), [], []
    stack = Lifecycle(provider)

    def program(monitor: Monitor) -> None:
        parent = monitor.register(A, "parent")
        for name in children:
            monitor.register(A, name, parent=parent.urn)
            unknown.append(monitor.invoke("pkgA:index:read", dependsOn=[parent.urn]).unknown)

    stack.up(program)
    children.append("child")
    stack.preview(program)
    assert (unknown, len(provider.of(Op.INVOKE))) == ([False], 1)


def test_a_skipped_creation_is_no_dependency_to_ask_with():
    """A function that depends on what ``target`` leaves out is unknown in an update, too."""
    provider, unknown = Provider(invoke=read), []

    def program(monitor: Monitor) -> None:
        monitor.register(A, "keep")
        dependency = monitor.register(A, "dep")
        unknown.append(monitor.invoke("pkgA:index:read", dependsOn=[dependency.urn]).unknown)

    Lifecycle(provider).up(program, target=["**keep**"])
    assert (unknown, provider.of(Op.INVOKE)) == ([True], [])


def test_urns_that_are_none():
    """A parent or a dependency that is no URN is the program's mistake."""
    for fields in ({"parent": "x"}, {"dependsOn": ["x"]}):
        result = Lifecycle(Provider()).up(
            lambda monitor, given=fields: monitor.invoke("pkgA:index:f", **given), expect_failure=True
        )
        assert "'x' is no URN" in str(result)


@pytest.mark.parametrize("preview", [True, False])
def test_secrets_stay_secret(preview):
    """What a function makes of a secret is one, though its provider knows none."""
    provider = Provider(
        handshake=lambda _: Reply(extra={"accept_secrets": False}), invoke=lambda _: Reply(value={"result": "invoked"})
    )
    stack, seen = Lifecycle(provider), []

    def program(monitor: Monitor) -> None:
        seen.append(monitor.invoke("pkgA:index:myFunc", {"secret": Secret("my-secret")}).outputs["result"])

    (stack.preview if preview else stack.up)(program)
    assert seen == [Secret("invoked")]
    assert provider.of(Op.INVOKE)[0].inputs == {"secret": "my-secret"}
