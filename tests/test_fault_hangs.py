"""Calls that hang: what a limit and a report say of them."""

from __future__ import annotations

from contextlib import ExitStack

import pulumi
from engine_toolbox import MOMENT, time_is_up_when

from mockprovider import Double, Stack
from mockprovider.calls import Call, Op, Session
from mockprovider.faults import EnginesAtWork


def test_the_limit_of_an_operation_names_what_hangs() -> None:
    """When an operation's time is over, its error names the calls that hang, and by which rules; a wait is none of them."""
    with Double() as double:
        double.faults.on.create(name="slow").latency(10**6)
        double.faults.on.create("cloud:index:Bucket", name="stuck").hang(then="ignore")

        def program() -> None:
            for name in ("slow", "stuck"):
                pulumi.CustomResource("cloud:index:Bucket", name, {})

        with time_is_up_when(lambda: double.engines.hanging):
            said = str(Stack(double, parallel=2, timeout=MOMENT).up(program, expect_failure=True).error)
    rule = "provider.faults.on.create(\"cloud:index:Bucket\", name='stuck').hang(then='ignore')"
    assert f"create cloud:index:Bucket stuck hangs, by {rule}." in said
    assert "slow hangs" not in said


def test_many_that_hang() -> None:
    """A message names the first few of many that hang, and how many more there are; what is over is none of them."""
    engines, call = EnginesAtWork(), Call(op=Op.DELETE, session=Session("pulumi"), type="cloud:index:Bucket", id="b")
    with engines.holding(call, "over"):
        pass
    with ExitStack() as hanging:
        for number in range(7):
            hanging.enter_context(engines.holding(call, f"rule {number}"))
        lines = engines.hanging.splitlines()
    assert lines[1] == "delete cloud:index:Bucket b hangs, by provider.faults.rule 0."
    assert lines[-1] == "and 2 more."
    assert len(lines) == 7
    assert engines.hanging == ""
    assert {str(held).split()[3] for held in engines.held} == {"hung,"}
