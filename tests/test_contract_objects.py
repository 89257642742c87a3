"""Which object a call is about, and what an engine may remember of it, as the contract sees it."""

from __future__ import annotations

import copy
from typing import Any

import pulumi
import pytest
from contract_cases.pulumi_memories import (
    creates_before_it_deletes,
    deletes_both_at_once,
    deletes_in_order,
    deletes_in_the_wrong_order,
    of_output,
    of_reference,
    replaces_what_others_need,
    updates_from_the_last,
)
from contract_cases.shapes import BAG, OTHER, of_pulumi
from contract_stage import BUCKET, PulumiRun

from mockprovider import Stack
from mockprovider.calls import Call, Op, Reply
from mockprovider.double import Double
from mockprovider.pulumi.contract.objects import KEPT, Remembered
from mockprovider.values import UNKNOWN, Secret


def region(run: PulumiRun, name: str, provider: str = "") -> None:
    """Another session of a provider instance, with its region."""
    run.restart()
    urn = f"urn:pulumi:dev::shop::pulumi:providers:cloud::{provider or name}"
    run.double(Call(op=Op.CONFIGURE, session=run.session, inputs={"region": name}, urn=urn))


def life(run: PulumiRun, name: str, inputs: Any) -> None:
    """A resource is made under an id that others have, too."""
    run.check(inputs, name=name)
    run.ask(Op.CREATE, Reply(id="/app", value=inputs), inputs=inputs, name=name)


def test_two_regions() -> None:
    """What is made, updated and deleted in one region does not disturb an object of the same id in another one."""
    run = PulumiRun()
    region(run, "east")
    life(run, "logs-east", BAG)
    region(run, "west")
    life(run, "logs-west", OTHER)
    run.ask(Op.DELETE, id="/app", prior=OTHER, prior_inputs=OTHER, name="logs-west")
    region(run, "east")
    run.ask(Op.DELETE, id="/app", prior=BAG, prior_inputs=BAG, name="logs-east")
    assert run.broken == []
    run.ask(Op.DELETE, id="/app", prior=BAG, prior_inputs=BAG, name="logs-east")
    assert run.broken == ["PULUMI-NOTHING-AFTER-DELETE"]


@pytest.mark.parametrize("provider", ["west", "east"])
def test_a_resource_that_moves_to_another_region(provider: str) -> None:
    """A provider, or its region, is replaced: the new object of a resource has the URN and the id of the old one."""
    run = PulumiRun()
    region(run, "east")
    life(run, "logs", BAG)
    region(run, "west", provider)
    life(run, "logs", OTHER)
    region(run, "east")
    run.ask(Op.DELETE, id="/app", prior=BAG, prior_inputs=BAG)
    region(run, "west", provider)
    run.ask(Op.DELETE, id="/app", prior=OTHER, prior_inputs=OTHER)
    assert run.broken == []
    run.ask(Op.DELETE, id="/app", prior=OTHER, prior_inputs=OTHER)
    assert run.broken == ["PULUMI-NOTHING-AFTER-DELETE"]


def test_a_configuration_that_changes() -> None:
    """An object is the same one under the new configuration of its provider: what was told of it before counts."""
    run = PulumiRun()
    region(run, "east")
    life(run, "logs", BAG)
    region(run, "west", "east")
    run.ask(Op.DIFF, id="/app", prior=OTHER, prior_inputs=BAG, inputs=BAG)
    assert run.broken == ["PULUMI-STATE-IS-THE-LAST-ONE"]


def test_ids_that_are_constants() -> None:
    """A replacement of an object whose type has one id for all makes the second before it deletes the first."""
    run = of_pulumi()
    life(run, "a", BAG)
    life(run, "b", OTHER)
    life(run, "a", OTHER)
    run.ask(Op.DELETE, id="/app", prior=BAG, prior_inputs=BAG, name="a")
    for name in ("a", "b"):
        run.ask(Op.DELETE, id="/app", prior=OTHER, prior_inputs=OTHER, name=name)
    assert run.broken == ["PULUMI-IDS-ARE-UNIQUE", "PULUMI-CREATES-ONCE"]
    run.ask(Op.DELETE, id="/app", prior=OTHER, prior_inputs=OTHER, name="a")
    assert run.broken == ["PULUMI-IDS-ARE-UNIQUE", "PULUMI-CREATES-ONCE", "PULUMI-NOTHING-AFTER-DELETE"]


def bucket(acl: str, **options: Any) -> Any:
    """A program with one bucket."""

    def program() -> None:
        pulumi.CustomResource(BUCKET.token, "logs", {"acl": acl}, pulumi.ResourceOptions(**options))

    return program


def test_two_stacks_of_one_object() -> None:
    """Each stack remembers an object for itself, and one that deletes it does not take it from the other."""
    with Double(BUCKET) as double:
        double.cloud.create(BUCKET.token, "b-1", {"acl": "x"})
        stacks = [Stack(double, project="shop", name=name) for name in ("a", "b")]
        for stack in stacks:
            stack.up(bucket("x", import_="b-1"))
        for acl, stack in zip("yz", stacks, strict=True):
            stack.up(bucket(acl))
        for stack in stacks:
            stack.destroy()
        assert double.contract.breaches == []


def test_a_stack_that_is_adopted() -> None:
    """An imported state is declared by that: objects that no call has told of, a restored state, and an edited one."""
    with Double(BUCKET) as other:
        stack = Stack(other, project="shop", name="dev")
        stack.up(bucket("1"))
        exported = stack.export()
    with Double(BUCKET) as double:
        stack = Stack(double, project="shop", name="dev")
        stack.import_(exported)
        assert stack.preview(bucket("2")).summary == {"update": 1}
        double.cloud.create(BUCKET.token, exported["deployment"]["resources"][-1]["id"], {"acl": "1"})
        stack.up(bucket("2"))
        stack.import_(exported)
        stack.up(bucket("3"))
        edited = copy.deepcopy(stack.export())
        edited["deployment"]["resources"][-1]["outputs"]["acl"] = "edited"
        stack.import_(edited)
        stack.up(bucket("4"))
        stack.destroy()
        stack.import_(edited)
        stack.destroy()
        assert double.contract.breaches == []


def test_an_id_of_a_state_that_nobody_declared() -> None:
    """Without a word, an id that no answer has brought is a breach, and what to do is said."""
    run = of_pulumi()
    run.ask(Op.DIFF, id="i-7", prior=BAG, inputs=BAG)
    (breach,) = run.double.contract.breaches
    assert (breach.rule.id, "provider.contract.adopt(id)" in str(breach)) == ("PULUMI-ID-WAS-ISSUED", True)


def test_a_state_that_a_test_restores() -> None:
    """A test that restores a state by other means says so, and what is remembered from there on is nobody's breach."""
    run = of_pulumi("secrets")
    updates_from_the_last(run)
    run.double.contract.adopt("i-7")
    for id_ in ("i-1", "i-7"):
        run.ask(Op.DIFF, id=id_, prior=BAG, prior_inputs=BAG, inputs=OTHER)
    assert run.broken == []
    run.ask(Op.DIFF, id="i-8", prior=BAG, prior_inputs=BAG, inputs=OTHER)
    assert run.broken == ["PULUMI-ID-WAS-ISSUED"]


@pytest.mark.parametrize("fault", ["kill_engine", "lose_state"])
def test_an_engine_that_could_not_write_its_state(fault: str) -> None:
    """An engine that is killed, or whose disk is full, goes on from an older state, and is not blamed for it."""
    with Double(BUCKET) as double:
        stack = Stack(double, project="shop", name="dev")
        stack.up(bucket("1"))
        getattr(double.faults.on.update(BUCKET.token), fault)().at("after")
        stack.up(bucket("2"), expect_failure=True)
        stack.up(bucket("3"))
        getattr(double.faults.on.delete(BUCKET.token), fault)().at("after")
        stack.destroy(expect_failure=True)
        stack.refresh()
        stack.destroy()
        assert double.contract.breaches == []


def test_what_comes_after_cancel_may_be_lost() -> None:
    """An answer that comes when the engine has cancelled may have reached it or not: it may remember either state."""
    run = of_pulumi()
    run.make(BAG)
    run.check(OTHER)

    def cancels(call: Any, proceed: Any) -> Reply:
        if call.op is Op.UPDATE:
            run.ask(Op.CANCEL)
            run._reply = Reply(value=OTHER)
        return proceed(call)

    run.double.use(cancels)
    run.ask(Op.UPDATE, id="i-1", prior=BAG, prior_inputs=BAG, inputs=OTHER)
    for remembered in (BAG, OTHER):
        run.restart()
        run.start()
        run.ask(Op.DIFF, id="i-1", prior=remembered, prior_inputs=remembered, inputs=OTHER)
    assert run.broken == []


@pytest.mark.parametrize(
    ("sent", "broken"),
    [
        ({"acl": "private", "tags": ["old"], "size": 2}, False),
        ({"acl": "private", "tags": ["new"], "size": 2}, False),
        ({"acl": "private", "tags": ["made up"], "size": 2}, True),
        ({"acl": "private", "tags": ["old"], "size": 3}, True),
        ({"tags": ["old"], "size": 2}, True),
    ],
    ids=["the old value", "the checked value", "another value", "what is not ignored", "what is left out"],
)
def test_ignored_properties(sent: Any, broken: bool) -> None:
    """What is ignored keeps its old value or has the checked one; everything else is what was checked."""
    run = of_pulumi()
    old = {"acl": "private", "tags": ["old"], "size": 1}
    run.make(old)
    run.check({**old, "tags": ["new"], "size": 2})
    ignored = ("tags[*]", "not a path[")
    run.ask(Op.UPDATE, Reply(value=sent), id="i-1", prior=old, prior_inputs=old, inputs=sent, ignore_changes=ignored)
    assert run.broken == (["PULUMI-INPUTS-ARE-CHECKED"] if broken else [])


def test_an_unknown_that_the_engine_sent() -> None:
    """What the engine has sent as unknown comes back unknown: that is its breach, and not the provider's as well."""
    run = of_pulumi()
    inputs = {"acl": UNKNOWN}
    run.check(inputs)
    run.ask(Op.CREATE, Reply(id="i-1", value=inputs), inputs=inputs)
    assert run.broken == ["PULUMI-INPUTS-ARE-KNOWN"]
    run.check(inputs, name="others")
    run.ask(Op.CREATE, Reply(id="i-2", value={**inputs, "arn": UNKNOWN}), inputs=inputs, name="others")
    assert run.broken == ["PULUMI-INPUTS-ARE-KNOWN", "PULUMI-RESULTS-ARE-KNOWN"]
    assert "leaves arn unknown" in str(run.double.contract.breaches[-1])


def test_what_is_remembered_is_bounded() -> None:
    """However many answers tell of one object, a call is compared with few: the oldest one and the latest ones."""
    memory = Remembered()
    memory.settle({"n": 0})
    for n in range(1, 1000):
        memory.add({"n": n})
    assert [bag["n"] for bag in memory.bags] == [0, *range(1000 - KEPT + 1, 1000)]
    assert (memory.holds({"n": Secret(999)}), memory.holds({"n": 5})) == (True, False)


@pytest.mark.parametrize("begin", [of_reference, of_output])
@pytest.mark.parametrize(
    ("script", "broken"),
    [
        (deletes_in_the_wrong_order, True),
        (deletes_both_at_once, True),
        (deletes_in_order, False),
        (replaces_what_others_need, False),
    ],
)
def test_the_order_of_deletes(begin: Any, script: Any, broken: bool) -> None:
    """What was made of another resource goes first, unless the other one is replaced; a reference or an output tells."""
    run = begin()
    script(run)
    assert run.broken == (["PULUMI-DEPENDENTS-ARE-DELETED-FIRST"] if broken else [])


def test_what_a_program_may_ask_for_is_a_warning() -> None:
    """A create before the delete that Diff wants first is a warning, since an option of the program outweighs the answer."""
    run = of_pulumi()
    creates_before_it_deletes(run)
    assert [breach.is_error for breach in run.double.contract.breaches] == [False]
