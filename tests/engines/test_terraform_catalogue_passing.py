"""Scenarios F and I of the catalogue that need no fault: schemas, configuration, interrupts, data, ephemerals, functions."""

from __future__ import annotations

import signal
import subprocess
import threading
from typing import Any

import pytest
from terraform_stage import HEAD, TOKEN, Stage, said, valued

from mockprovider.calls import Call, Failure, Handler, Op, Reply, Status
from mockprovider.offers import Ephemeral, ProviderFunction
from mockprovider.schema import Property
from mockprovider.values import UNKNOWN

JOIN = ProviderFunction(
    "cloud:index:joinAll",
    {"separator": str, "parts": str},
    variadic="parts",
    implementation=lambda separator, *parts: separator.join(parts) if separator else Failure("is empty", "separator"),
)
DATA = 'data "cloud_zone" "z" {\n  region = "north"\n}\noutput "zone" {\n  value = data.cloud_zone.z\n}\n'
OPEN = """
ephemeral "cloud_token" "t" {
  user = "me"
}
resource "cloud_thing" "a" {
  hidden = ephemeral.cloud_token.t.secret
}
"""


def shown(stage: Stage) -> str:
    """What a plan that fails before it begins prints, on one line."""
    finished = stage.cli.command("plan", "-no-color", expect_failure=True)
    return " ".join((finished.stdout + finished.stderr).replace("│", " ").split())


def test_f7_a_schema_that_cannot_be_had(stage: Stage) -> None:
    """F7: a schema that fails, or has no provider, stops everything."""
    stage.write('name = "one"')
    stage.answers(Op.GET_SCHEMA, failures=(Failure("no schema", detail="today"),))
    assert "no schema: today" in shown(stage)
    stage.answers(Op.GET_SCHEMA, status=Status(2, "boom"))
    assert "boom" in shown(stage)

    def clear(message: Any) -> None:
        if "provider" in message.DESCRIPTOR.fields_by_name:
            message.ClearField("provider")

    stage.native(Op.GET_SCHEMA, clear)
    assert "missing provider schema" in shown(stage)


def test_f8_a_schema_that_breaks_a_rule(stage: Stage) -> None:
    """F8: an attribute that is neither required, optional nor computed is no schema."""

    def break_it(message: Any) -> None:
        if "resource_schemas" in message.DESCRIPTOR.fields_by_name:
            message.resource_schemas["cloud_thing"].block.attributes[0].ClearField("optional")
            message.resource_schemas["cloud_thing"].block.attributes[0].ClearField("computed")

    stage.native(Op.GET_SCHEMA, break_it)
    stage.write('name = "one"')
    assert "invalid schema for managed resource type" in shown(stage)


@pytest.mark.parametrize("op", [Op.CHECK_CONFIG, Op.CONFIGURE])
def test_f12_a_configuration_that_is_refused(stage: Stage, op: Op) -> None:
    """F12: a refused provider configuration points at its argument, and nothing is read or planned."""
    stage.double.packages["cloud"].config["region"] = Property(str)
    stage.answers(op, failures=(Failure("no such region", "region"),))
    stage.write('name = "one"', rest='provider "cloud" {\n  region = "nowhere"\n}\n')
    (error,) = stage.cli.plan(expect_failure=True).errors
    assert (error.summary, error.snippet) == ("no such region", 'region = "nowhere"')
    assert stage.ops() == []


def test_i2_a_create_that_hangs_is_released_by_stop(stage: Stage) -> None:
    """I2: an interrupt asks the provider to stop; a create that waits for that fails, and nothing is saved."""
    hanging = threading.Event()

    def hang(call: Call, _proceed: Handler) -> Reply:
        hanging.set()
        assert call.session.cancelled.wait(timeout=60)
        return Reply(failures=(Failure("interrupted"),))

    stage.on(Op.CREATE, hang)
    stage.write('name = "one"')
    command = [stage.cli.binary, "apply", "-auto-approve", "-no-color"]
    environment = stage.cli.environment
    with subprocess.Popen(
        command, cwd=stage.cli.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as engine:
        assert hanging.wait(timeout=60)
        engine.send_signal(signal.SIGINT)
        output, _ = engine.communicate(timeout=60)
    assert engine.returncode == 1
    assert "Error: interrupted" in output
    assert "execution halted" in output
    assert stage.instances() == []


def test_i7_data_that_fails_or_is_not_what_it_should_be(stage: Stage) -> None:
    """I7: a data source's failure, null and unknown are errors; another value than was configured is taken."""
    stage.cli.write(HEAD + DATA)
    stage.answers(Op.INVOKE, failures=(Failure("no zones"),))
    assert said(stage.cli.plan(expect_failure=True)).startswith("no zones")
    stage.answers(Op.INVOKE)
    assert "Provider produced null object" in said(stage.cli.plan(expect_failure=True))
    stage.on(Op.INVOKE, valued(lambda data: data.update(zone=UNKNOWN)))
    assert "Provider produced invalid object" in said(stage.cli.plan(expect_failure=True))
    stage.on(Op.INVOKE, valued(lambda data: data.update(region="south")))
    assert stage.cli.apply().outputs["zone"]["region"] == "south"


def test_i8_data_that_depends_on_what_is_unknown(stage: Stage) -> None:
    """I8: a data source whose arguments are unknown is read during the apply."""
    data = 'data "cloud_zone" "z" {\n  region = cloud_thing.a.made\n}\n'
    stage.write('name = "one"', rest=data)
    plan = stage.cli.plan()
    reasons = {each["address"]: each.get("action_reason") for each in plan.plan["resource_changes"]}
    assert plan.actions["data.cloud_zone.z"] == ["read"]
    assert reasons["data.cloud_zone.z"] == "read_because_config_unknown"
    stage.cli.apply()
    assert stage.cli.plan().exit_code == 0


def test_ephemeral_resources_are_closed_again(stage: Stage) -> None:
    """I9: what is opened in each phase is closed in it, reaches the provider, and is in no plan and no state."""
    stage.double.define(TOKEN)
    stage.cli.write(HEAD + OPEN)
    planned = stage.cli.plan()
    stage.cli.apply()
    (thing,) = stage.things()
    assert thing["hidden"].startswith("s-me-")
    assert thing["hidden"] not in str(planned.plan) + str(stage.cli.state())
    assert stage.double.cloud.objects(TOKEN.token) == []
    asked = [each for each in stage.double.journal.ops(type=TOKEN.token) if each != "check"]
    assert asked == ["open", "close"] * 3
    assert stage.cli.plan().exit_code == 0


def test_i9_ephemeral_resources_that_fail(stage: Stage) -> None:
    """I9: opening and closing may fail, and terraform checks that what was opened is what is configured."""
    stage.double.define(TOKEN)
    stage.cli.write(HEAD + OPEN)
    stage.answers(Op.OPEN, failures=(Failure("locked"),))
    assert said(stage.cli.plan(expect_failure=True)).startswith("locked")
    stage.on(Op.OPEN, valued(lambda opened: opened.update(user="you")))
    if not stage.tofu:
        assert "Provider produced invalid ephemeral resource instance" in said(stage.cli.plan(expect_failure=True))
    stage.calm()
    stage.answers(Op.CLOSE, failures=(Failure("stuck"),))
    assert "stuck" in said(stage.cli.apply(expect_failure=True))
    assert stage.things() == []


def test_i10_an_ephemeral_resource_is_renewed_while_it_is_needed(stage: Stage) -> None:
    """I10: while a dependent is being made, what is due is renewed; that a renewal fails, tofu alone tells."""
    creating, renewed = threading.Event(), threading.Event()
    stage.double.define(Ephemeral(TOKEN.token, TOKEN.inputs, TOKEN.returns, renew_after=0.01))

    def renew(call: Call, proceed: Handler) -> Reply:
        # A plan that takes its time renews what it has opened, too, and one that fails is never applied.
        if not creating.is_set():
            return proceed(call)
        renewed.set()
        # Terraform closes with the private bytes of the opening, tofu with those that came last.
        return Reply(failures=(Failure("expired"),), private=call.private)

    def create(call: Call, proceed: Handler) -> Reply:
        creating.set()
        assert renewed.wait(timeout=60)
        return proceed(call)

    stage.on(Op.RENEW, renew)
    stage.on(Op.CREATE, create)
    stage.cli.write(HEAD + OPEN)
    result = stage.cli.apply(expect_failure=stage.tofu)
    assert said(result) == ("expired:" if stage.tofu else "")
    assert len(stage.things()) == 1
    assert stage.double.cloud.objects(TOKEN.token) == []


def test_i11_functions(stage: Stage) -> None:
    """I11: a provider's function is called with its arguments; one that is wrong is pointed at by its parameter's name."""
    stage.double.define(JOIN)
    stage.cli.write(HEAD + 'output "joined" {\n  value = provider::cloud::join_all("-", "a", "b")\n}\n')
    assert stage.cli.apply().outputs == {"joined": "a-b"}
    stage.cli.write(HEAD + 'output "joined" {\n  value = provider::cloud::join_all("", "a")\n}\n')
    text = said(stage.cli.plan(expect_failure=True))
    assert 'Invalid function argument: Invalid value for "separator" parameter: is empty.' in text


def test_i11_a_function_that_answers_one_thing_and_then_another(stage: Stage) -> None:
    """I11: terraform refuses a function that is not one; tofu sees no more than the plan that changes with it."""
    stage.double.define(JOIN)
    count = iter(range(100))
    stage.on(Op.FUNCTION, lambda _call, _proceed: Reply(value={"result": str(next(count))}))
    stage.write('name = provider::cloud::join_all("-", "a")')
    if stage.tofu:
        assert "inconsistent final plan" in said(stage.cli.apply(expect_failure=True))
    else:
        assert "provider function returned an inconsistent result" in said(stage.cli.apply(expect_failure=True))
