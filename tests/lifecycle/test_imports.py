"""The option ``import`` (Pulumi's ``import_test.go``), and of the command what an up makes of it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from lifecycle_toolbox import A, Lifecycle, Monitor, Provider, diff, echoing, errors, failing, steps

from mockprovider.calls import Op, Reply
from mockprovider.pulumi.diff import Changes
from mockprovider.pulumi.stacks.imports import Import

NEW, DONE, GONE = "create-replacement", "replace", "delete-replaced"


def compare(call):
    """Another foo is an update, or a replacement if it says so."""
    old, new = ((bag or {}).get("foo") for bag in (call.prior, call.inputs))
    if old == new:
        return diff(changes=Changes.NONE)
    return diff("foo") if new == "replace" else diff(keys=["foo"])


def importing(now):
    """A program that imports, creates or reads resA."""

    def run(monitor: Monitor) -> None:
        inputs = {} if now.foo is None else {"foo": now.foo}
        if now.read:
            monitor.read(A, "resA", now.read, inputs=inputs)
        else:
            now.seen = monitor.register(A, "resA", inputs=inputs, importId=now.id)

    return run


def test_the_option():
    """An import reads by the id alone, and then updates; it replaces what had another id, and is not replaced itself."""
    read = []

    def answer(call):
        read.append((call.prior_inputs, call.prior))
        return Reply(id="imported-id", inputs={"foo": "bar"}, value={"foo": "bar", "out": 41.0})

    now = SimpleNamespace(foo=None, read="", id="id", seen=None)
    run = importing(now)
    new = lambda: Lifecycle(echoing(diff=compare, read=answer))  # noqa: E731
    up = new().up(run)
    assert steps(up) == [("import", "resA"), ("update", "resA")]
    assert (up.state["resA"].inputs, up.state["resA"].outputs, now.seen.outputs, now.seen.id) == ({}, {}, {}, "imported-id")
    now.foo, stack = "bar", new()
    up = stack.up(run)
    assert steps(up) == [("import", "resA")]
    for _ in range(2):
        it = up.state["resA"]
        assert (it.inputs, it.outputs, it.import_id, it.id) == (
            {"foo": "bar"},
            {"foo": "bar", "out": 41.0},
            "id",
            "imported-id",
        )
        up = stack.up(run)
        assert steps(up) == [("same", "resA")]
    now.foo = "rab"
    up = stack.up(run)
    it = up.state["resA"]
    assert (steps(up), it.inputs, it.outputs) == ([("update", "resA")], {"foo": "rab"}, {"foo": "rab"})
    assert (it.import_id, it.id) == ("id", "imported-id")
    now.foo = "replace"
    up = stack.up(run, expect_failure=True)
    assert "previously-imported resources that still specify an ID may not be replaced" in errors(up)
    assert steps(stack.destroy()) == [("delete", "resA")]
    now.id, now.foo, stack = "", "bar", new()
    up = stack.up(run)
    assert (steps(up), up.state["resA"].outputs) == ([("create", "resA")], {"foo": "bar"})
    now.id = up.state["resA"].id
    up = stack.up(run)
    assert (steps(up), up.state["resA"].outputs) == ([("same", "resA")], {"foo": "bar"})
    now.id = "id"
    up = stack.up(run)
    assert steps(up) == [("import-replacement", "resA"), (DONE, "resA"), (GONE, "resA")]
    assert (up.state["resA"].id, up.state["resA"].outputs) == ("imported-id", {"foo": "bar", "out": 41.0})
    assert all(each in ((None, None), ({}, {})) for each in read)
    read.clear()
    now.read, now.id, stack = "id", "", new()
    up = stack.up(run)
    assert (steps(up), read) == ([("read", "resA")], [({"foo": "bar"}, {"foo": "bar"})])
    assert (up.state["resA"].inputs, up.state["resA"].outputs) == ({"foo": "bar"}, {"foo": "bar", "out": 41.0})
    now.read, now.id = "", "id"
    up = stack.up(run)
    assert steps(up) == [("import-replacement", "resA"), (DONE, "resA"), ("discard-replaced", "resA")]
    assert (up.state["resA"].id, up.state["resA"].external) == ("imported-id", False)


@pytest.mark.parametrize("foo", ["bar", "desired"])
def test_an_id_that_is_not_the_import_s(foo):
    """It is known by both afterwards, also where an update followed, so that nothing is replaced."""
    found = {"foo": "bar"}
    now = SimpleNamespace(foo=foo, read="", id="projects/foo/secrets/bar")
    stack = Lifecycle(echoing(diff=compare, read=lambda _: Reply(id="bar", inputs=found, value=found)))
    run = importing(now)
    up = stack.up(run)
    followed = [] if foo == "bar" else [("update", "resA")]
    assert (steps(up), up.state["resA"].import_id) == ([("import", "resA"), *followed], now.id)
    assert (steps(stack.up(run)), now.seen.id) == ([("same", "resA")], "bar")


def test_ignored_changes_of_an_import():
    """What is ignored is as it was found."""
    found = {"foo": "bar", "frob": 1.0}

    def run(monitor: Monitor) -> None:
        monitor.register(A, "resA", inputs={"foo": "foo", "frob": 1.0}, importId="import-id", ignoreChanges=["foo"])

    up = Lifecycle(echoing(diff=compare, read=lambda call: Reply(id=call.id, inputs=found, value=found))).up(run)
    assert up.state["resA"].outputs["foo"] == "bar"


def test_an_import_whose_update_fails():
    """What was imported is in the state."""
    found = Reply(id="imported-id", inputs={"foo": "bar"}, value={"foo": "bar", "out": 41.0})
    provider = Provider(diff=compare, read=lambda _: found, update=lambda _: failing("update failed"))
    now = SimpleNamespace(foo="baz", read="", id="id", seen=None)
    up = Lifecycle(provider).up(importing(now), expect_failure=True)
    assert ("update failed" in errors(up), now.seen, len(up.state.every)) == (True, None, 2)
    assert (up.state["resA"].inputs, up.state["resA"].outputs) == ({"foo": "bar"}, {"foo": "bar", "out": 41.0})
    assert steps(up)[0] == ("import", "resA")


def test_an_import_that_would_be_deleted_first():
    """Its preview only says that it may not be."""
    found = Reply(id="imported-id", inputs={"foo": "bar"}, value={"foo": "bar"})
    provider = Provider(diff=lambda _: diff("foo", first=True), read=lambda _: found)
    Lifecycle(provider).preview(importing(SimpleNamespace(foo="baz", read="", id="import-id")))
    assert [call.id for call in provider.of(Op.READ)] == ["import-id"]


@pytest.mark.parametrize("version", ["", "1.0.0"])
def test_the_command_and_an_up_after_it(version):
    """It keeps id, inputs and outputs as they were read, with the provider of that version; where Diff sees no change, the
    next up remembers the program's inputs beside the outputs that were read.
    """
    found = {"foo": "bar", "frob": 1.0}
    provider = Provider(
        read=lambda _: Reply(id="actual-id", inputs={"foo": "bar"}, value=found),
        diff=lambda _: diff(changes=Changes.NONE),
    )
    stack = Lifecycle(provider)
    imported = stack.import_resources([Import(type=A, name="resA", id="imported-id", version=version)])
    assert steps(imported) == [("import", "resA")]
    it, default = imported.state["resA"], imported.state.every[1]
    assert (it.id, it.inputs, it.outputs, len(imported.state.every)) == ("actual-id", {"foo": "bar"}, found, 3)
    assert (default.is_provider, default.inputs.get("version", "")) == (True, version)
    assert all(resource.created and resource.modified for resource in imported.state.every)
    up = stack.up(lambda monitor: monitor.register(A, "resA", inputs={"foo": "barz"}, version=version))
    it = up.state["resA"]
    assert (steps(up)[0], it.id, it.inputs, it.outputs) == (("same", "resA"), "actual-id", {"foo": "barz"}, found)
