"""What an operation tells while it goes on: ``Stack(on_event=...)``."""

from __future__ import annotations

from types import SimpleNamespace

import pulumi
import pytest
from engine_toolbox import BUCKET, SUMMING_UP, Bucket, make
from pulumi import ResourceOptions

from mockprovider.calls import Op
from mockprovider.engine import EngineEvent, OperationBegun, OperationEnded, StepEvent
from mockprovider.engine.operations import events as telling
from mockprovider.engine.registrations.decision import StepOp
from mockprovider.engine.steps.kinds import EngineStep
from mockprovider.errors import ProgramError
from mockprovider.pulumi.result import Diagnostic
from mockprovider.pulumi.stacks.state import ResourceState


def listening(**options):
    """A stack, its breaking layer, and the list that its events are noted in."""
    events: list[EngineEvent] = []
    stack, _, breaking = make(on_event=events.append, **options)
    return stack, breaking, events


def steps(events):
    """Phase, op and name of each step but those of providers and the stack."""
    return [(event.phase, event.op, event.name) for event in events if isinstance(event, StepEvent) and event.type == BUCKET]


def test_an_operation_begins_and_ends():
    """The first event says what is run, the last one what it came to."""
    stack, _, events = listening()
    result = stack.up(lambda: Bucket("logs", acl="x") and None)

    assert events[0] == OperationBegun("up", "project", "dev", preview=False)
    assert isinstance(events[-1], OperationEnded)
    assert (events[-1].result.summary, events[-1].seconds > 0) == (result.summary, True)
    assert steps(events) == [("begun", "create", "logs"), ("done", "create", "logs")]


@pytest.mark.parametrize(
    ("operation", "preview", "expected"),
    [
        (lambda stack, program: stack.preview(program), True, "up"),
        (lambda stack, _: stack.refresh(), False, "refresh"),
        (lambda stack, _: stack.refresh(preview=True), True, "refresh"),
        (lambda stack, _: stack.destroy(), False, "destroy"),
    ],
)
def test_what_kind_of_operation_it_is(operation, preview, expected):
    """Each operation is called as users call it, and a preview is one of its kind."""
    stack, _, events = listening()
    operation(stack, lambda: Bucket("logs") and None)
    assert events[0] == OperationBegun(expected, "project", "dev", preview=preview)


def test_a_change_comes_with_both_sides():
    """An update has the old and the new state as they were when it was told, and what the provider said of the difference."""
    stack, _, events = listening()
    stack.up(lambda: Bucket("logs", acl="x") and None)
    events.clear()
    stack.up(lambda: Bucket("logs", acl="y") and None)

    begun, done = (event for event in events if isinstance(event, StepEvent) and event.type == BUCKET)
    assert (begun.old.inputs["acl"], begun.new.inputs["acl"], done.diff.diffs) == ("x", "y", ("acl",))
    assert (begun.new.outputs, done.new.outputs["acl"], done.seconds >= begun.seconds == 0) == ({}, "y", True)


def test_a_failure_is_told_where_it_happens():
    """A step that fails has failed, its message is told, and the operation ends all the same."""
    stack, breaking, events = listening()
    breaking.fail(Op.CREATE, "logs")
    with pytest.raises(ProgramError, match="no create of logs"):
        stack.up(lambda: Bucket("logs") and None)

    assert steps(events) == [("begun", "create", "logs"), ("failed", "create", "logs")]
    said, summing_up = (event for event in events if isinstance(event, Diagnostic))
    assert (said.severity, said.urn.endswith("::logs"), "no create of logs" in said.message) == ("error", True, True)
    assert summing_up in SUMMING_UP
    assert not events[-1].result.succeeded


def test_what_a_program_logs_is_told_at_once():
    """A message is told between the steps, as it comes."""
    stack, _, events = listening()

    def program():
        pulumi.log.warn("careful")
        Bucket("logs")

    stack.up(program)
    kinds = [type(event) for event in events]
    assert kinds.index(Diagnostic) < len(kinds) - 1


def test_parallel_steps_are_told_one_at_a_time():
    """With several workers, no event comes while another is being handled."""
    inside, overlaps, events = [], [], []

    def on_event(event):
        overlaps.append(bool(inside))
        inside.append(event)
        events.append(event)
        inside.pop()

    stack, _, _ = make(on_event=on_event, parallel=8)

    def program():
        first = Bucket("first")
        for number in range(20):
            Bucket(f"b{number}", ResourceOptions(depends_on=[first] if number % 2 else []))

    stack.up(program)
    stack.destroy()
    assert (any(overlaps), len(steps(events))) == (False, 21 * 2 * 2)


def test_a_listener_that_raises_is_a_bug_that_is_seen():
    """What a listener raises is raised when the operation has ended: it is no failure of a step, and all was done."""
    stack, _, _ = make()
    stack.on_event = lambda event: 1 / 0 if isinstance(event, StepEvent) and event.phase == "done" else None
    with pytest.raises(ZeroDivisionError):
        stack.up(lambda: Bucket("logs") and None)
    assert "logs" in stack.state


def test_a_step_takes_as_long_as_it_took(monkeypatch):
    """The seconds of a step run from when it began, each time that it does."""
    clock, events = SimpleNamespace(now=0.0), []
    monkeypatch.setattr(telling, "time", SimpleNamespace(monotonic=lambda: clock.now))
    teller = telling.EventTeller(events.append)
    step = EngineStep(op=StepOp.CREATE, new=ResourceState(urn="urn:pulumi:dev::p::a:b:C::c", type="a:b:C", custom=True))
    for clock.now, phase in ((1.0, "begun"), (3.5, "done"), (4.0, "begun"), (5.0, "failed"), (6.0, "done")):
        teller.step(phase, step, "create")
    assert [event.seconds for event in events] == [0.0, 2.5, 0.0, 1.0, 0.0]
