"""What a refresh makes of what exists (Pulumi's ``refresh_test.go``, as far as no program runs for it)."""

from __future__ import annotations

from itertools import chain, combinations

import pytest
from lifecycle_toolbox import A, Lifecycle, Monitor, Provider, adopt, diff, failing, names, state, steps, urn

from mockprovider.calls import Op, Reply
from mockprovider.pulumi.diff import Changes

URNS = tuple(urn(A, name) for name in ("resA", "resB", "resC"))
SUBSETS = list(chain.from_iterable(combinations(URNS, number) for number in range(4)))


def test_in_order():
    """Whatever is read at once, the state keeps its order."""

    def program(monitor: Monitor) -> None:
        before: list[str] = []
        for name in ("resA", "resB", "resC", "resD"):
            before = [monitor.register(A, name, dependencies=before).urn]

    stack = Lifecycle(Provider(), parallel=4)
    stack.up(program)
    assert names(stack.refresh()) == ["resA", "resB", "resC", "resD"]


def test_external_resources():
    """What is only read stays so, and changes with its outputs alone: Diff is not asked."""
    provider = Provider()
    stack = Lifecycle(provider)
    program = lambda monitor: monitor.read(A, "resA", "some-id")  # noqa: E731
    stack.up(program)
    assert steps(stack.refresh()) == [("same", "resA")]
    provider.handlers["read"] = lambda call: Reply(id=call.id, value={"o1": len(provider.calls)})
    refreshed = stack.refresh()
    assert (steps(refreshed), refreshed.state["resA"].external) == ([("update", "resA")], True)
    assert provider.of(Op.DIFF) == []


@pytest.mark.parametrize("fails", [False, True])
def test_initialization_errors(fails):
    """A refresh finds errors, which it warns of and keeps, or that there are none any more."""
    reasons = ["still not ready"]

    def read(call):
        if call.name == "resB":
            return Reply(id=call.id, value={"foo": "bar"})
        return failing(reasons[0], id=call.id, value={}) if fails else Reply(id=call.id, value={})

    stack = Lifecycle(Provider(read=read))
    adopt(stack, state(URNS[0], id="0", initErrors=["not ready"]), state(URNS[1], id="1"))
    result = stack.refresh()
    assert (result.state["resA"].init_errors, result.state["resA"].id) == (reasons if fails else [], "0")
    assert (result.state["resB"].outputs, [line.severity for line in result.diagnostics]) == (
        {"foo": "bar"},
        ["warning"] * fails,
    )


@pytest.mark.parametrize("parallel", [1, 4])
def test_what_is_gone(parallel):
    """What cannot be found leaves the state, in a refresh and in an update that refreshes, and its provider stays."""
    stack = Lifecycle(Provider(read=lambda _: Reply()), parallel=parallel)
    stack.up(lambda monitor: monitor.register(A, "resA"))
    assert [each.name for each in stack.refresh().state.every] == ["default"]
    adopt(stack, state(URNS[0], id="0"))
    assert stack.up(lambda _: None, refresh=True).state.every == ()


def instances():
    """A state with old instances that wait for their deletion; the ids are positions."""
    a, b, c = URNS
    return [
        state(a, id="0"),
        state(b, id="1", dependencies=[a]),
        state(c, id="2", dependencies=[a, b]),
        state(a, id="3", delete=True),
        state(a, id="4", delete=True),
        state(c, id="5", delete=True, dependencies=[a, b]),
    ]


@pytest.mark.parametrize("targets", SUBSETS, ids=len)
def test_dependencies_of_what_is_gone(targets):
    """What depended on an instance that is gone depends on it no longer, unless another one stands before it."""
    stack = Lifecycle(Provider(read=lambda call: Reply() if call.id in "04" else None))
    adopt(stack, *instances())
    result = stack.refresh(target=list(targets)) if targets else stack.refresh()
    assert {urn_ for _, urn_ in result.steps if "::pulumi:providers:" not in urn_} == set(targets or URNS)
    left = {each.id: each.dependencies for each in result.state.every if not each.is_provider}
    a, b, _ = URNS
    if not targets or a in targets:
        assert left == {"1": (), "2": (b,), "3": (), "5": (a, b)}
    else:
        assert left == {"0": (), "1": (a,), "2": (a, b), "3": (), "4": (), "5": (a, b)}


@pytest.mark.parametrize("targets", SUBSETS, ids=len)
def test_what_has_changed(targets):
    """Changed inputs are an update, changed outputs alone are none, and both are in the state."""
    found = {
        "0": ({}, {}),
        "1": ({}, {"foo": "bar"}),
        "3": ({}, {}),
        "4": ({"oof": "zab"}, {"baz": "qux", "oof": "zab"}),
    }

    def read(call):
        if call.id not in found:
            return Reply()
        inputs, outputs = found[call.id]
        return Reply(id=call.id, inputs=inputs, value=outputs)

    stack = Lifecycle(Provider(read=read))
    adopt(stack, *instances())
    result = stack.refresh(target=list(targets)) if targets else stack.refresh()
    chosen = targets or URNS
    ops = {"resA": ["same", "same", "update"], "resB": ["same"], "resC": ["delete", "delete"]}
    assert {name: [op for op, who in steps(result) if who == name] for name in ops if urn(A, name) in chosen} == {
        name: listed for name, listed in ops.items() if urn(A, name) in chosen
    }
    for each in result.state.every:
        if not each.is_provider:
            known = found.get(each.id) if each.urn in chosen else ({}, {})
            assert (each.inputs, each.outputs) == known


@pytest.mark.parametrize("relation", ["depends_by", "deletedWith", "parent", "replace_with", "dependencies"])
def test_references_to_what_is_gone(relation):
    """Whatever refers to an object that is gone refers to it no longer, and the state is valid."""
    stack = Lifecycle(Provider(read=lambda call: Reply() if call.name == "resA" else None))

    def program(monitor: Monitor) -> None:
        to = monitor.register(A, "resA").urn
        value = {"depends_by": {"propB1": [to]}, "deletedWith": to, "parent": to}.get(relation, [to])
        monitor.register(A, "resB", **{relation: value})

    stack.up(program)
    result = stack.refresh()
    (left,) = (each for each in result.state.every if not each.is_provider)
    assert (left.name, list(left.dependency_urns(provider=False))) == ("resB", [])
    stack.import_(stack.export())


def test_a_new_id():
    """An object that is found under another id has that from now on, and no errors any more."""
    stack = Lifecycle(Provider(read=lambda _: Reply(id="mynewid", inputs={}, value={"foo": "bar"})))
    adopt(stack, state(URNS[0], id="myid", outputs={"foo": "bar"}, initErrors=["not ready"]))
    refreshed = stack.refresh().state["resA"]
    assert (refreshed.id, refreshed.init_errors) == ("mynewid", [])


def test_a_read_that_answers_no_inputs():
    """The inputs stay as they are, and the outputs change."""
    found = {"inputProp": "newInputValue", "outputProp": "newOutputValue"}
    provider = Provider(
        read=lambda call: Reply(id=call.id, value=found),
        diff=lambda call: diff(changes=Changes.NONE if call.prior["inputProp"] == call.inputs["inputProp"] else Changes.SOME),
    )
    stack = Lifecycle(provider)
    adopt(stack, state(URNS[0], id="id", inputs={"inputProp": "old"}, outputs={"inputProp": "old", "outputProp": "old"}))
    stack.up(lambda monitor: monitor.register(A, "resA", inputs={"inputProp": "updated"}))
    result = stack.refresh()
    assert steps(result) == [("update", "resA")]
    assert (result.state["resA"].inputs, result.state["resA"].outputs) == ({"inputProp": "updated"}, found)


def test_flagged_resources_are_targets_of_old():
    """An update that reads what wants it first knows no names that are still to come, as any that refreshes."""
    stack = Lifecycle(Provider())
    adopt(stack, state(URNS[0], id="0", refreshBeforeUpdate=True))
    new = lambda monitor: [monitor.register(A, name) for name in ("resA", "resNew")]  # noqa: E731
    assert "resNew" in str(stack.up(new, target=[urn(A, "resNew")], expect_failure=True))
    assert steps(stack.up(new)) == [("refresh", "resA"), ("same", "resA"), ("create", "resNew")]
