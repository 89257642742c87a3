"""Scenarios A of the catalogue: how an apply may end, and what terraform and tofu keep of it."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from msgspec.structs import replace
from terraform_stage import HEAD, Stage, planned, said, valued

from mockprovider.calls import Call, Change, ChangeKind, Failure, Handler, Op, Plan, Reply, Status
from mockprovider.layers import unchecked
from mockprovider.values import UNKNOWN, Unknown

BOOM = Status(13, "boom")
CBD = "lifecycle {\n  create_before_destroy = true\n}"
INCONSISTENT = "Provider produced inconsistent result after apply"


def failing(*, state: bool) -> Any:
    """A meddling that lets the provider do its work and then fails, with or without the state."""

    def meddle(call: Call, proceed: Handler) -> Reply:
        reply = proceed(call)
        return replace(reply, value=reply.value if state else None, failures=(Failure("half", "name"),))

    return meddle


def test_a1_a_create_that_fails_with_an_object(stage: Stage) -> None:
    """A1: an error beside a state taints the resource, points at its argument, and the next plan replaces it."""
    stage.on(Op.CREATE, failing(state=True))
    stage.write('name = "one"')
    (error,) = stage.cli.apply(expect_failure=True).errors
    assert (error.summary, error.snippet) == ("half", 'name = "one"')
    assert stage.instance()["status"] == "tainted"
    stage.calm()
    assert stage.cli.plan().actions == {"cloud_thing.a": ["delete", "create"]}


def test_a2_a_create_that_fails_with_nothing(stage: Stage) -> None:
    """A2: an error without a state leaves nothing in the state."""
    stage.on(Op.CREATE, failing(state=False))
    stage.write('name = "one"')
    assert said(stage.cli.apply(expect_failure=True)).startswith("half")
    assert stage.instances() == []


@pytest.mark.parametrize("how", ["status", "undecodable", "written"])
def test_a3_a_create_whose_object_is_lost(stage: Stage, how: str) -> None:
    """A3: after a status, or an answer that cannot be read, the object exists and no state knows of it."""
    if how == "status":
        stage.on(Op.CREATE, lambda call, proceed: replace(proceed(call), status=BOOM))
    elif how == "undecodable":
        stage.native(Op.CREATE, lambda message: setattr(message.new_state, "msgpack", b"\xc1"))
    else:
        stage.leak(Op.CREATE, "new_state")
    stage.write('name = "one"')
    stage.cli.apply(expect_failure=True)
    leaked = stage.instances() == [] and len(stage.things()) == 1
    # tofu says that a write-only value was leaked, and goes on with it.
    assert leaked is not (stage.tofu and how == "written")


def test_a4_a_create_that_answers_nothing(stage: Stage) -> None:
    """A4: a null without an error is one, and nothing is saved."""
    stage.on(Op.CREATE, lambda call, proceed: replace(proceed(call), value=None))
    stage.write('name = "one"')
    assert "oot object was present, but now absent" in said(stage.cli.apply(expect_failure=True))
    assert stage.instances() == []


@pytest.mark.parametrize(
    ("arguments", "change", "told"),
    [
        ('name = "one"', {"name": "two"}, '.name: was cty.StringVal("one"), but now cty.StringVal("two")'),
        ('tags = { a = "b" }', {"tags": {}}, '.tags: element "a" has vanished'),
        ('kinds = ["a"]', {"kinds": ["b"]}, ".kinds: planned set element"),
        ('secret = "one"', {"secret": "two"}, ".secret: inconsistent values for sensitive attribute"),
    ],
    ids=["string", "map", "set", "sensitive"],
)
def test_a5_a_create_that_breaks_its_plan(stage: Stage, arguments: str, change: dict[str, Any], told: str) -> None:
    """A5: another value than was planned is an error that names the path; what was answered is saved, and tainted."""
    stage.on(Op.CREATE, valued(lambda made: made.update(change)))
    stage.write(arguments)
    text = said(stage.cli.apply(expect_failure=True))
    assert INCONSISTENT in text
    assert told in text
    assert stage.instance()["status"] == "tainted"
    assert stage.attributes()[next(iter(change))] == next(iter(change.values()))


def test_a5_blocks_that_a_create_adds(stage: Stage) -> None:
    """A5: one more block, or nested object, than was planned is an error, too."""
    stage.on(Op.CREATE, valued(lambda made: made.update(rules=[{"port": 1}, {"port": 2}])))
    stage.write(stage.rule(1))
    text = said(stage.cli.apply(expect_failure=True))
    assert ("block count changed from 1 to 2" if stage.major == 5 else "new element 1 has appeared") in text


def test_a6_a_create_that_leaves_something_unknown(stage: Stage) -> None:
    """A6: what is still unknown is an error; it is saved as null, and the resource is tainted."""
    stage.on(Op.CREATE, valued(lambda made: made.update(made=UNKNOWN)))
    stage.write('name = "one"')
    assert "an unknown value for cloud_thing.a.made" in said(stage.cli.apply(expect_failure=True))
    assert (stage.attributes()["made"], stage.instance()["status"]) == (None, "tainted")


def test_a7_a_promise_about_an_unknown_value(stage: Stage) -> None:
    """A7: a value that was planned as unknown with a prefix has to have it."""
    prefixed = Unknown(refinement=b"\x82\x01\xc2\x02\xa4pre-")
    stage.on(Op.PLAN, planned(lambda plan: plan.update(made=prefixed)))
    # Without a layer of the test, the answer would be refused before it is sent.
    stage.on(Op.CREATE, lambda call, proceed: proceed(call))
    stage.write('name = "one"')
    assert "does not conform to planning placeholder" in said(stage.cli.apply(expect_failure=True))
    stage.on(Op.CREATE, valued(lambda made: made.update(made="pre-1")))
    assert stage.cli.apply().summary == {"add": 1, "remove": 1}


def test_a8_an_update_that_fails(stage: Stage) -> None:
    """A8: with a state the new one is kept, without the old one; after a status private bytes are lost. Never tainted."""
    stage.on(Op.CREATE, lambda call, proceed: replace(proceed(call), private=b"mine"))
    stage.made()
    for name, meddle, kept, private in (
        ("two", failing(state=True), "two", True),
        ("three", failing(state=False), "two", True),
        ("four", lambda _call, _proceed: Reply(status=BOOM), "two", False),
    ):
        stage.on(Op.UPDATE, meddle)
        # What is read has to be what the state says, whatever the cloud has become.
        stage.on(Op.READ, lambda call, _: Reply(id=call.id, value=call.prior, private=call.private))
        stage.write(f'name = "{name}"')
        stage.cli.apply(expect_failure=True)
        found = stage.instance()
        assert (found["attributes"]["name"], "private" in found, found.get("status")) == (kept, private, None)


@pytest.mark.parametrize(
    "reply",
    [{"failures": (Failure("no"),)}, {"status": Status(14, "gone")}, None],
    ids=["failure", "unavailable", "object"],
)
def test_a9_a_delete_that_fails(stage: Stage, reply: dict[str, Any] | None) -> None:
    """A9: a delete that fails, or answers an object, leaves the object in the state."""
    stage.made()
    stage.on(Op.DELETE, lambda call, _: Reply(**reply) if reply else Reply(id=call.id, value=call.prior))
    stage.cli.destroy(expect_failure=True)
    assert stage.attributes()["name"] == "one"
    assert len(stage.things()) == 1


def second(change: Any) -> Any:
    """A meddling with the final plan alone: the second of two equal questions."""
    seen: list[Call] = []

    def meddle(call: Call, proceed: Handler) -> Reply:
        seen.append(call)
        return change(call, proceed) if len(seen) > 1 else proceed(call)

    return meddle


def test_a10_a_final_plan_that_is_not_the_first(stage: Stage) -> None:
    """A10: a final plan keeps every known value and the action of the first, or the engine never comes to apply it."""
    stage.made('name = "one"\nsize = 1')
    stage.ops()
    stage.write('name = "two"\nsize = 1')
    stage.on(Op.PLAN, second(planned(lambda plan: plan.update(note="other"))))
    assert "Provider produced inconsistent final plan" in said(stage.cli.apply(expect_failure=True))

    def replacing(call: Call, proceed: Handler) -> Reply:
        reply = proceed(call)
        assert reply.plan is not None
        reply.plan = Plan(reply.plan.planned, (Change("name", ChangeKind.UPDATE, replaces=True),))
        return reply

    stage.on(Op.PLAN, second(replacing))
    assert "changed the planned action from Update to DeleteThenCreate" in said(stage.cli.apply(expect_failure=True))
    stage.on(Op.PLAN, second(lambda _call, _proceed: Reply(failures=(Failure("not any more"),))))
    assert said(stage.cli.apply(expect_failure=True)).startswith("not any more")
    assert set(stage.ops()) == {"read", "plan"}
    assert stage.things()[0]["name"] == "one"


def test_a11_the_old_object_of_a_replacement_that_stays(stage: Stage) -> None:
    """A11: where the new one is made first and the old will not go, it is deposed, and the next run deletes it."""
    stage.made(f"size = 1\n{CBD}")
    stage.answers(Op.DELETE, failures=(Failure("no"),))
    stage.write(f"size = 2\n{CBD}")
    stage.cli.apply(expect_failure=True)
    assert sorted(("deposed" in each, each["attributes"]["size"]) for each in stage.instances()) == [(False, 2), (True, 1)]
    stage.calm()
    assert stage.cli.apply().summary == {"remove": 1}
    assert [each["size"] for each in stage.things()] == [2]


@pytest.mark.parametrize("partial", [False, True], ids=["nothing", "partial"])
def test_a12_the_new_object_of_a_replacement_that_fails(stage: Stage, partial: bool) -> None:
    """A12: where the new one is made first and fails, the old one is current again, or deposed beside a tainted new one."""
    stage.made(f"size = 1\n{CBD}")
    stage.on(Op.CREATE, failing(state=partial))
    stage.write(f"size = 2\n{CBD}")
    stage.cli.apply(expect_failure=True)
    found = sorted((each["attributes"]["size"], each.get("status"), "deposed" in each) for each in stage.instances())
    assert found == ([(1, None, True), (2, "tainted", False)] if partial else [(1, None, False)])


def test_a13_a_replacement_that_destroys_first(stage: Stage) -> None:
    """A13: where the old one goes first, its failure keeps it, and a failure of the new one leaves nothing."""
    stage.made("size = 1")
    stage.answers(Op.DELETE, failures=(Failure("no"),))
    stage.write("size = 2")
    stage.ops()
    stage.cli.apply(expect_failure=True)
    assert stage.attributes()["size"] == 1
    assert "create" not in stage.ops()
    stage.calm()
    stage.answers(Op.CREATE, failures=(Failure("no"),))
    stage.cli.apply(expect_failure=True)
    assert stage.instances() == []


def test_a14_one_failure_among_several_resources(stage: Stage) -> None:
    """A14: what depends on a failed resource is left out, and everything else is done."""
    stage.on(
        Op.CREATE, lambda call, go: Reply(failures=(Failure("no"),)) if (call.inputs or {}).get("name") == "b" else go(call)
    )
    stage.cli.write(
        HEAD
        + "".join(f'resource "cloud_thing" "{each}" {{\n  name = "{each}"\n}}\n' for each in ("a", "b"))
        + 'resource "cloud_thing" "c" {\n  name = "c-${cloud_thing.b.id}"\n}\n'
    )
    assert stage.cli.apply(expect_failure=True).exit_code == 1
    assert [each["name"] for each in stage.things()] == ["a"]


def test_a16_a_plan_is_applied_once(stage: Stage) -> None:
    """A16: a saved plan that was applied is stale."""
    stage.write('name = "one"')
    stage.cli.plan()
    assert stage.cli.apply_plan().summary == {"add": 1}
    assert "Saved plan is stale" in said(stage.cli.apply_plan(expect_failure=True))


def test_a17_at_most_so_many_at_once(stage: Stage) -> None:
    """A17: the engine applies as many resources at once as it was allowed, and no more."""
    lock, now, most = threading.Lock(), [0], [0]
    pair = threading.Barrier(2)

    def count(call: Call, proceed: Handler) -> Reply:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        pair.wait(timeout=60)
        reply = proceed(call)
        with lock:
            now[0] -= 1
        # Nobody leaves before both are counted out, or the next one could be counted in between.
        pair.wait(timeout=60)
        return unchecked(reply)

    stage.on(Op.CREATE, count)
    stage.cli.write(f'{HEAD}resource "cloud_thing" "a" {{\n  count = 4\n  size = count.index\n}}\n')
    stage.cli.apply("-parallelism=2")
    assert (most, len(stage.things())) == ([2], 4)
