"""What the embedded engine remembers after Ctrl-C: all that was done, and as under way what nobody knows the end of."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from engine_toolbox import BUCKET, NET, TYPES, Bucket, Thing

from mockprovider.calls import Call, Failure, Handler, Op, Reply
from mockprovider.double import Double
from mockprovider.engine import Stack
from mockprovider.schema import Package

BUCKETS = 20
SECONDS = 60
"""How long anything may take before the test fails instead of hanging."""


class Interrupter:
    """A layer in which calls of one op hang until they are cancelled; once so many do, it interrupts the test.

    ``deaf`` names resources whose calls hang until the test's end, ``failing`` those that fail when they are cancelled.
    """

    def __init__(self) -> None:
        self.op = Op.RAW
        self.names: set[str] = set()
        self.count = 1
        self.deaf: set[str] = set()
        self.failing: set[str] = set()
        self.over = threading.Event()
        self._hanging = 0
        self._lock = threading.Lock()

    def layer(self, call: Call, proceed: Handler) -> Reply:
        """Hang, or let the call through."""
        if call.op is not self.op or call.preview or (self.names and call.name not in self.names):
            return proceed(call)
        with self._lock:
            self._hanging += 1
            if self._hanging == self.count:
                os.kill(os.getpid(), signal.SIGINT)
        assert (self.over if call.name in self.deaf else call.session.cancelled).wait(SECONDS)
        return Reply(failures=(Failure("interrupted"),)) if call.name in self.failing else proceed(call)


@pytest.fixture
def interrupter() -> Iterator[Interrupter]:
    """The layer, whose last calls are let go."""
    layer = Interrupter()
    yield layer
    layer.over.set()


@pytest.fixture
def double(interrupter: Interrupter) -> Iterator[Double]:
    """A double behind it."""
    package = Package("cloud")
    package.add(*TYPES)
    with Double(package, layers=(interrupter.layer,)) as double:
        yield double


def interrupted(operate: Callable[..., Any], *given: Any, **options: Any) -> None:
    """Run an operation that Ctrl-C ends."""
    with pytest.raises(KeyboardInterrupt):
        operate(*given, **options)


def pending(stack: Stack) -> list[tuple[str, str]]:
    """The cut-off operations in the state: what, and of which resource."""
    operations = stack.export()["deployment"].get("pending_operations") or []
    return sorted((operation["type"], operation["resource"]["urn"].rpartition("::")[2]) for operation in operations)


def program() -> None:
    for number in range(BUCKETS):
        Bucket(f"b{number}", acl="new")


def test_two_hundred_creates(interrupter: Interrupter, double: Double) -> None:
    """However many hang, one Ctrl-C ends them all, and each is remembered."""
    interrupter.op, interrupter.count = Op.CREATE, 200
    stack = Stack(double, parallel=200)
    interrupted(stack.up, lambda: [Bucket(f"b{number}") for number in range(210)] and None)

    assert len(double.cloud.objects(BUCKET)) == 200
    assert sum(resource.type == BUCKET for resource in stack.state.values()) == 200
    assert pending(stack) == []


@pytest.mark.parametrize("parallel", [1, 4, 16])
def test_creates_that_end_are_remembered(interrupter: Interrupter, double: Double, parallel: int) -> None:
    """What was under way at Ctrl-C, and then ended, is in the state as it ended; nothing is pending."""
    interrupter.op, interrupter.count = Op.CREATE, parallel
    stack = Stack(double, parallel=parallel)
    interrupted(stack.up, program)
    ids = {resource.id for resource in stack.state.values() if resource.type == BUCKET}

    assert len(ids) == parallel
    assert ids == {bucket.id for bucket in double.cloud.objects(BUCKET)}
    assert pending(stack) == []
    interrupter.op = Op.RAW
    assert stack.up(program).summary == {"create": BUCKETS - parallel}


def test_creates_that_do_not_end_are_pending(interrupter: Interrupter, double: Double) -> None:
    """Of those that were under way, the failed one is forgotten, the deaf one is pending, and the others are remembered."""
    interrupter.op, interrupter.count = Op.CREATE, 4
    interrupter.deaf, interrupter.failing = {"b1"}, {"b2"}
    stack = Stack(double, parallel=4)
    interrupted(stack.up, program)

    assert sorted(resource.name for resource in stack.state.values() if resource.type == BUCKET) == ["b0", "b3"]
    assert pending(stack) == [("creating", "b1")]


@pytest.mark.parametrize("deaf", [False, True])
def test_a_cancelled_refresh_keeps_what_it_read(interrupter: Interrupter, double: Double, deaf: bool) -> None:
    """What was read before Ctrl-C is in the state, also where a read hangs for ever; what comes after is not read."""
    stack = Stack(double)
    stack.up(program)
    for bucket in double.cloud.objects(BUCKET):
        double.cloud.update(BUCKET, bucket.id, {**bucket, "acl": "drifted"})
    double.cloud.delete(BUCKET, stack.state["b0"].id)
    interrupter.op, interrupter.names = Op.READ, {"b3"}
    interrupter.deaf = {"b3"} if deaf else set()
    double.journal.clear()
    interrupted(stack.refresh)
    acls = {name: stack.state[name].outputs["acl"] for name in ("b1", "b2", "b3", "b4")}

    assert "b0" not in stack.state
    assert acls == {"b1": "drifted", "b2": "drifted", "b3": "new" if deaf else "drifted", "b4": "new"}
    assert len(double.journal.entries(op="read")) == 4
    assert pending(stack) == []


def test_a_cancelled_refresh_is_followed_by_nothing(interrupter: Interrupter, double: Double) -> None:
    """Where the refresh before an up is called off, no program runs, and nothing is created or deleted."""
    stack = Stack(double)
    stack.up(program)
    interrupter.op, interrupter.names = Op.READ, {"b3"}
    runs: list[None] = []
    interrupted(stack.up, lambda: runs.append(None), refresh=True)

    assert runs == []
    assert len(double.cloud.objects(BUCKET)) == BUCKETS


@pytest.mark.parametrize("parallel", [1, 4])
def test_a_second_interrupt_ends_what_never_answers(double: Double, parallel: int) -> None:
    """The second interrupt ends an operation at once, whatever hangs and however long it might; what hangs is pending."""
    double.faults.on.create(name="b0").cancel(times=2, then="ignore")
    stack = Stack(double, parallel=parallel, timeout=3600)
    ended = stack.up(lambda: Bucket("b0") and None, expect_failure=True)

    assert "did not end within" not in str(ended.error)
    assert pending(stack) == [("creating", "b0")]


def test_a_cancelled_replacement_goes_no_further(interrupter: Interrupter, double: Double) -> None:
    """What Ctrl-C ends while the old object is deleted is not created any more."""
    stack = Stack(double)
    stack.up(lambda: Thing(NET, "n", cidr="1") and None)
    interrupter.op, interrupter.names = Op.DELETE, {"n"}
    interrupted(stack.up, lambda: Thing(NET, "n", cidr="2") and None)

    assert double.journal.ops(name="n")[-1] == "delete"
    assert double.cloud.objects(NET) == []


def test_a_cancelled_replacement_is_not_told_as_one(interrupter: Interrupter, double: Double) -> None:
    """What Ctrl-C ends while the new object is created is remembered, and its step is the last one that is told."""
    events: list[Any] = []
    stack = Stack(double, on_event=events.append)
    stack.up(lambda: Bucket("b", name="1") and None)
    interrupter.op, interrupter.names = Op.CREATE, {"b"}
    interrupted(stack.up, lambda: Bucket("b", name="2") and None)

    assert stack.state["b"].inputs["name"] == "2"
    assert [event.op for event in events if getattr(event, "phase", "") == "done"][-1] == "create-replacement"
