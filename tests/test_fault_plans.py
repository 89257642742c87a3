"""Fault plans as data: JSON, TOML, Python and back, what is refused, and the points of a run."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from builders import TOKEN, answer, call
from hypothesis import given
from hypothesis import strategies as st

from mockprovider.calls import Call, Op, Reply
from mockprovider.double import Double
from mockprovider.errors import DefinitionError
from mockprovider.faults import KINDS, FaultPlan, FaultRule, Faults, Phase, When, load, points
from mockprovider.faults.fault import EVERY
from mockprovider.faults.injecting import On, method
from mockprovider.schema import Property, ResourceType, Step

ARGUMENTS: dict[str, dict[str, Any]] = {
    "latency": {"seconds": 5},
    "altered": {"values": {"acl": "x"}},
    "drift": {"changes": {"acl": "x"}},
}
"""What the kinds take that cannot be had without."""


def rules() -> list[FaultRule]:
    """A rule of each kind, at the first op that it makes sense at."""
    return [FaultRule(When(op=min(kind.ops)), kind(**ARGUMENTS.get(word, {}))) for word, kind in KINDS.items()]


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.fault.__struct_config__.tag)
def test_a_plan_of_each_kind_survives_data_and_text(rule: FaultRule) -> None:
    """A rule is the same after JSON, and after it was pasted into a test."""
    plan = FaultPlan((rule,))
    assert load(json.dumps(plan.data)) == plan
    faults = Faults()
    exec(str(plan).replace("provider.", ""), {"faults": faults})
    assert faults.plan == plan


@given(
    when=st.builds(
        When,
        op=st.just(Op.CREATE),
        type=st.sampled_from(["", TOKEN]),
        name=st.sampled_from(["", "logs", 'a"b']),
        inputs=st.dictionaries(st.sampled_from(["acl", "x"]), st.sampled_from([1, "y", None, True])),
        preview=st.sampled_from(["no", "only", "also"]),
        after=st.integers(0, 3),
        times=st.integers(1, 3),
        always=st.booleans(),
        phase=st.sampled_from([Phase.BEFORE, Phase.AFTER]),
        probability=st.sampled_from([1.0, 0.5]),
        seed=st.integers(0, 2),
    )
)
def test_any_selector_survives_data_and_text(when: When) -> None:
    """Whatever is selected, JSON and Python say the same."""
    plan = FaultPlan((FaultRule(when, KINDS["error"]()),))
    assert load(json.dumps(plan.data)) == plan
    faults = Faults()
    exec(str(plan).replace("provider.", ""), {"faults": faults})
    assert faults.plan == plan


def test_a_plan_in_toml(tmp_path: Path) -> None:
    """TOML says the same as JSON, from a file or as text."""
    text = '[[faults]]\nwhen = { op = "create", times = 2 }\nfault = { kind = "error", reason = "no" }\n'
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8")
    assert load(path) == load(text, format="toml") == load(tomllib.loads(text))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            {"faults": [{"when": {"op": "create"}, "fault": {"kind": "eror"}}]},
            r"faults\[0\].fault.kind: 'eror' is no kind of fault",
        ),
        ({"faults": [{"when": {"op": "creat"}, "fault": {"kind": "error"}}]}, r"faults\[0\].when.op: 'creat' is no .*'create'"),
        ({"faults": [{"when": {"op": "create", "tiems": 2}, "fault": {"kind": "error"}}]}, r"no key 'tiems' .*'times'"),
        (
            {"faults": [{"when": {"op": "create", "times": 0}, "fault": {"kind": "error"}}]},
            r"when.times: 0 stands here. Write a whole number of calls",
        ),
        ({"faults": [{"when": {"op": "delete"}, "fault": {"kind": "partial"}}]}, r"partial\(\) makes no sense at delete"),
        (
            {"faults": [{"when": {"op": "create", "phase": "reply"}, "fault": {"kind": "crash"}}]},
            r"not act in the phase 'reply'",
        ),
        ({"faults": [{"when": {"op": "log"}, "fault": {"kind": "error"}}]}, r"'log' is what a provider asks of its engine"),
        ({"faults": [{"when": {"op": "create"}}]}, r"the key 'fault' is missing"),
        ({"faults": [{"when": {"op": "create"}, "fault": {"kind": "error", "status": "BAD"}}]}, r"'BAD' is no status"),
        ({"faults": [{"when": {"op": "create", "phase": "mid"}, "fault": {"kind": "crash"}}]}, r"needs one: at\('mid', step="),
    ],
)
def test_what_is_no_plan_is_refused(data: dict[str, Any], said: str) -> None:
    """A plan that cannot be, or cannot fire, is refused with its place, the reason, and what is near."""
    with pytest.raises(DefinitionError, match=said):
        load(data)


@pytest.mark.parametrize(
    ("source", "said"),
    [('{"faults": [', "line 1"), ("faults = [", "this is no TOML")],
)
def test_what_cannot_be_read_is_refused(source: str, said: str, tmp_path: Path) -> None:
    """A broken file, and one that is not there, is refused by name."""
    path = tmp_path / ("plan.toml" if "=" in source else "plan.json")
    path.write_text(source, encoding="utf-8")
    with pytest.raises(DefinitionError, match=said):
        load(path)
    with pytest.raises(DefinitionError, match="cannot be read"):
        load(tmp_path / "other.json")


def test_nothing_of_a_plan_that_is_refused_is_in_force() -> None:
    """A plan is added as a whole, or not at all."""
    faults = Faults()
    good, bad = FaultRule(When(op=Op.CREATE), KINDS["error"]()), FaultRule(When(op=Op.CREATE, type="Bucket"), KINDS["error"]())
    with pytest.raises(DefinitionError, match="'Bucket' is none"):
        faults.use(FaultPlan((good, bad)))
    assert faults.rules == []


def test_every_op_has_a_word() -> None:
    """Rules can begin at each op that an engine may ask, and an editor knows them all."""
    assert {*On.__annotations__} == {method(op) for op in EVERY}


def test_a_rule_that_would_be_wrong_stays_as_it_was() -> None:
    """What is refused changes nothing."""
    rule = Faults().on.create().error()
    with pytest.raises(DefinitionError):
        rule.at("reply")
    with pytest.raises(DefinitionError, match=r"'befor' is no phase\. Did you mean 'before'\?"):
        rule.at("befor")
    assert rule.data == FaultRule(When(op=Op.CREATE), KINDS["error"]())


def test_chance_goes_by_the_call_and_not_by_the_order() -> None:
    """Equal seeds fire at the same resources, whichever comes first; another seed at others."""

    def fired(names: list[str], seed: int) -> set[str]:
        faults = Faults()
        faults.on.create().error().always().sometimes(0.5, seed=seed)
        return {name for name in names if not faults.layer(call(Op.CREATE, name=name), answer()).ok}

    names = [f"r{number}" for number in range(40)]
    assert fired(names, 1) == fired(names[::-1], 1)
    assert 5 < len(fired(names, 1)) < 35
    assert fired(names, 1) != fired(names, 2)


def test_a_plan_can_be_run_again() -> None:
    """After a rewind, rules fire as they did."""
    faults = Faults()
    faults.on.create().error().after(1)
    for _ in range(2):
        assert [faults.layer(call(Op.CREATE), answer()).ok for _ in range(3)] == [True, False, True]
        faults.rewind()


@pytest.mark.parametrize(
    ("selecting", "fits"),
    [
        ({"address": "a.b"}, {"address": "a.b"}),
        ({"id": "b-1"}, {"id": "b-1"}),
        ({"inputs": {"acl": "x"}}, {"inputs": {"acl": "x", "more": 1}}),
        ({"inputs": {"acl": "x"}}, {"prior": {"acl": "x"}}),
    ],
)
def test_what_selects(selecting: dict[str, Any], fits: dict[str, Any]) -> None:
    """Each selector lets its calls through to the fault, and others not."""
    faults = Faults()
    faults.on.update(**selecting).error().always()
    assert not faults.layer(call(Op.UPDATE, **fits), answer()).ok
    assert faults.layer(call(Op.UPDATE, inputs={"acl": "y"}, id="b-2", address="c"), answer()).ok


def test_previews_only_and_also() -> None:
    """A fault of previews does not fire outside of them; one that is also theirs does both."""
    for preview, expected in (("only", [False, True]), ("also", [False, False]), ("no", [True, False])):
        faults = Faults()
        faults.on.create(preview=preview).error().always()
        ends = [faults.layer(call(Op.CREATE, preview=previewed), answer()).ok for previewed in (True, False)]
        assert ends == expected


STEPPED = ResourceType(
    TOKEN,
    {"acl": str, "arn": Property(str, computed="arn:{id}"), "host": Property(str, computed="{id}.cloud")},
    steps=[Step("allocate", fills=("arn",)), Step("attach", fills=("host",))],
)


@pytest.mark.parametrize(("step", "there"), [("allocate", {"acl", "arn"}), ("attach", {"acl", "arn", "host"})])
def test_a_create_that_breaks_in_the_middle(step: str, there: set[str]) -> None:
    """What the steps up to the chosen one fill exists, in the cloud and in the partial state, and nothing else."""
    with Double(STEPPED) as double:
        double.faults.on.create().partial().at("mid", step=step)
        reply = double(call(Op.CREATE, inputs={"acl": "x"}, session=double.open()))
        [left] = double.cloud.objects()
    assert {*left} == there == {*(reply.value or {})}
    assert reply.partial


def test_an_update_that_breaks_in_the_middle() -> None:
    """What later steps of an update change is as it was."""
    declared = ResourceType(TOKEN, {"acl": str, "size": int}, steps=[Step("one", fills=("acl",)), Step("two", fills=("size",))])
    with Double(declared) as double:
        session = double.open()
        made = double(call(Op.CREATE, inputs={"acl": "a", "size": 1}, session=session))
        double.faults.on.update().crash().at("mid", step="one")
        changed = {"inputs": {"acl": "b", "size": 2}, "prior": made.value, "prior_inputs": {"acl": "a", "size": 1}}
        reply = double(call(Op.UPDATE, id=made.id, session=session, **changed))
        assert not reply.ok
        assert dict(double.cloud.objects()[0]) == {"acl": "b", "size": 1}
        assert double(call(Op.READ, id=made.id, session=session)).status is not None, "the process is gone"


def test_a_latency_in_the_middle_goes_on() -> None:
    """A fault that goes on in the middle has the other steps done."""
    with Double(STEPPED) as double:
        double.faults.on.create().latency(5).at("mid", step="allocate")
        reply = double(call(Op.CREATE, inputs={"acl": "x"}, session=double.open()))
        assert reply.ok
        assert {*double.cloud.objects()[0]} == {"acl", "arn", "host"} == {*(reply.value or {})}


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([Step("a", fills=("arnn",))], r"fills 'arnn', which the type does not have\. Did you mean 'arn'\?"),
        ([Step("a"), Step("a")], "two steps have one name"),
        (["a"], "'a' is no step"),
    ],
)
def test_steps_that_cannot_be(steps: list[Any], said: str) -> None:
    """A step of nothing, of what the type does not have, and two of one name are refused."""
    with pytest.raises(DefinitionError, match=said):
        ResourceType(TOKEN, {"arn": str}, steps=steps)


def test_a_step_that_nothing_declares() -> None:
    """A fault in a step that the type does not have is refused when it is made."""
    with Double(STEPPED) as double, pytest.raises(DefinitionError, match=r"No step 'alocate' .* Did you mean 'allocate'\?"):
        double.faults.on.create(TOKEN).crash().at("mid", step="alocate")


def test_a_cloud_that_is_not_the_fakes() -> None:
    """What changes the fake's cloud is refused in front of another provider."""
    with Double(provider=answer()) as double, pytest.raises(DefinitionError, match="what answers here is no fake"):
        double.faults.on.create().drift({"acl": "x"})


def test_the_points_of_a_run() -> None:
    """A run's points are its calls, counted per resource, with each fault and phase; each breaks the run that it names."""
    asked = [call(Op.CREATE, name="logs"), call(Op.CREATE, name="logs"), call(Op.READ, name="logs"), call(Op.LOG)]
    listed = {str(point): point for point in points(asked)}
    assert "create cloud:index:Bucket logs #2 after lose-reply" in listed
    assert "read cloud:index:Bucket logs #1 reply absent" in listed
    assert not any("log " in name or "latency" in name for name in listed)
    assert len(listed) == len(list(points(asked)))

    faults = Faults()
    faults.use(listed["create cloud:index:Bucket logs #2 before error"].plan)
    assert [faults.layer(each, answer()).ok for each in asked[:3]] == [True, False, True]


def test_points_behind_which_there_is_no_fake() -> None:
    """Where no fake answers, nothing that needs its cloud is a point."""
    asked = [call(Op.READ)]
    assert any(point.kind == "vanish" for point in points(asked))
    assert not any(point.kind == "vanish" for point in points(asked, fake=False))


def test_a_fault_whose_engine_nobody_knows() -> None:
    """An interrupt that can reach no engine says which engines a double knows."""
    faults = Faults()
    faults.on.create().cancel()
    with pytest.raises(DefinitionError, match=r"Nobody knows which engine asks: .*Stack\(double\)"):
        faults.layer(call(Op.CREATE), lambda _: Reply())


@pytest.mark.parametrize("kind", ["cancel", "hang"])
@pytest.mark.parametrize("late", [-1, float("inf"), float("nan"), True, "1"])
def test_obeying_late_takes_seconds(kind: str, late: object) -> None:
    """What is no number of seconds is refused."""
    with pytest.raises(DefinitionError, match=rf"{kind}\(\): late: .* Write (a number|seconds, 0 or more)"):
        KINDS[kind](late=late)


def test_a_provider_obeys_late_on_its_clock() -> None:
    """What was asked to stop ends as many seconds later as it takes, on the double's clock, and with what it made."""
    with Double(ResourceType(TOKEN, {"acl": str})) as double:
        double.faults.on.create().hang(late=600)
        session = double.open()
        session.cancelled.set()
        reply = double(Call(op=Op.CREATE, session=session, type=TOKEN, inputs={"acl": "x"}))
    assert double.clock.now() == 600
    assert reply.id
    assert [failure.reason for failure in reply.failures] == ["create was cancelled before it was done"]
