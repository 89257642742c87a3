"""Update plans (Pulumi's ``update_plan_test.go``, beside what ``tests/test_engine_plans.py`` tells of it)."""

from __future__ import annotations

from itertools import count

from lifecycle_toolbox import A, Lifecycle, Monitor, echoing, errors, urn

from mockprovider.calls import Reply
from mockprovider.values import UNKNOWN


def test_a_check_that_answers_by_chance():
    """A name that Check makes up anew each time is not the planned one: the up fails, and nothing is made after that."""
    numbers = count()

    def check(call):
        name = call.inputs.get("name") or call.prior_inputs.get("name") or f"{call.name}{next(numbers):07}"
        return Reply(inputs={**call.inputs, "name": name})

    zed, reached = UNKNOWN, []

    def run(monitor: Monitor) -> None:
        reached.append("resA")
        other = monitor.register(A, "resA", inputs={"foo": "bar", "zed": zed}).outputs["name"]
        reached.append("resB")
        monitor.register(A, "resB", inputs={"other": other})

    stack = Lifecycle(echoing(check=check))
    plan = stack.preview(run, save_plan=True).plan
    zed = "baz"
    up = stack.up(run, plan=plan, expect_failure=True)
    said = errors(up)
    assert f"resource {urn(A, 'resA')} violates plan: properties changed: ++name[{{" in said
    assert (reached, [it.name for it in up.state.every]) == (["resA", "resB", "resA"], ["default"])
