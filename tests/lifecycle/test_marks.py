"""Tainted and protected resources (Pulumi's ``taint_test.go``, and ``protect_test.go`` as far as protection is ignored)."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from lifecycle_toolbox import A, Lifecycle, Monitor, Provider, adopt, alone, diff, echoing, errors, names, state, steps, urn

from mockprovider.calls import Op
from mockprovider.pulumi.diff import Changes

NEW, DONE, GONE = "create-replacement", "replace", "delete-replaced"
REPLACED = (NEW, DONE, GONE)


def three(monitor: Monitor) -> None:
    """A program of three resources."""
    for name in ("resA", "resB", "resC"):
        monitor.register(A, name, inputs={"name": name})


def test_tainted_resources():
    """All of them, and no others, are replaced by the next up, which deletes what they were and takes the mark away."""
    provider = echoing(diff=lambda _: diff(changes=Changes.NONE))
    stack = Lifecycle(provider)
    first = stack.up(three)
    assert [op for op, _ in steps(stack.up(three))] == ["same"] * 3
    stack.taint("resA", "resC")
    second = stack.up(three)
    assert [op for op, name in steps(second) if name in ("resA", "resC")] == [NEW, DONE, NEW, DONE, GONE, GONE]
    assert {call.id for call in provider.of(Op.DELETE)} == {first.state[name].id for name in ("resA", "resC")}
    moved = [name for name in ("resA", "resB", "resC") if first.state[name].id != second.state[name].id]
    assert (moved, any(it.taint for it in second.state.every), len(second.state.every)) == (["resA", "resC"], False, 4)


def test_a_tainted_old_instance():
    """A mark on what waits for its deletion says nothing: it is deleted, once, and the current object is replaced."""
    provider = echoing()
    stack, bag = Lifecycle(provider), {"foo": "bar"}
    current = state(urn(A, "resA"), id="current-id", inputs=bag, outputs=bag, taint=True)
    adopt(stack, current, {**current, "id": "old-id", "delete": True})
    up = stack.up(lambda monitor: monitor.register(A, "resA", inputs=bag))
    assert sorted(call.id for call in provider.of(Op.DELETE)) == ["current-id", "old-id"]
    assert names(up) == ["resA"]
    it = up.state["resA"]
    assert (len(provider.of(Op.CREATE)), it.id in ("current-id", "old-id"), it.taint, it.delete) == (1, False, False, False)


def replaces(first: bool):
    """An answer to Diff: another A is a replacement."""
    return lambda call: diff("A", first=first) if call.prior["A"] != call.inputs["A"] else diff(changes=Changes.NONE)


def guarded(now: SimpleNamespace):
    """A program of a protected resource."""

    def run(monitor: Monitor) -> None:
        monitor.register(A, "resA", inputs={"A": now.a}, protect=True)

    return run


def chained(now: SimpleNamespace):
    """A program of a protected resource that depends on another."""

    def run(monitor: Monitor) -> None:
        above = monitor.register(A, "resA", inputs={"A": now.a}).urn
        monitor.register(A, "resB", inputs={"A": "foo"}, protect=True, dependencies=[above], depends_by={"A": [above]})

    return run


@pytest.mark.parametrize(
    ("program", "first", "protected", "expected"),
    [
        (guarded, False, "resA", [(NEW, "resA"), (DONE, "resA"), (GONE, "resA")]),
        (
            chained,
            True,
            "resB",
            [
                (GONE, "resB"),
                (GONE, "resA"),
                (DONE, "resA"),
                (NEW, "resA"),
                (DONE, "resB"),
                (NEW, "resB"),
            ],
        ),
    ],
)
def test_replacing_what_is_protected(program, first, protected, expected):
    """It fails, also where it has to go because of another; with ``ignore_protect`` it is done, and protected still."""
    now = SimpleNamespace(a="foo")
    stack, run = Lifecycle(echoing(diff=replaces(first))), program(now)
    count = len(stack.up(run).state.every)
    now.a = "bar"
    assert "as it is currently marked for protection" in errors(stack.up(run, expect_failure=True))
    up = stack.up(run, ignore_protect=True)
    assert (steps(up), len(up.state.every), up.state[protected].protect) == (expected, count, True)


def two(monitor: Monitor) -> None:
    """A program of two protected resources below a stack."""
    monitor.component("pulumi:pulumi:Stack", "test")
    for name in ("resA", "resB"):
        monitor.register(A, name, protect=True)


def test_deleting_what_is_protected():
    """A destroy is refused; with ``ignore_protect`` it, a preview and an up delete what is protected and say no word of it."""
    stack = Lifecycle(Provider())
    assert names(stack.up(two)) == ["test", "resA", "resB"]
    assert "cannot be deleted" in errors(stack.destroy(expect_failure=True))
    none = alone()
    for result in (stack.preview(none, ignore_protect=True), stack.up(none, ignore_protect=True)):
        assert sorted(steps(result))[:2] == [("delete", "resA"), ("delete", "resB")]
        assert [line for line in result.diagnostics if "cannot be deleted" in line.message] == []
    assert not {"resA", "resB"} & set(names(result))
    stack.up(two)
    stack.destroy(ignore_protect=True)
    assert stack.state.every == ()
