"""Scenarios P of the catalogue: what a provider may say to validate and plan, and what terraform and tofu make of it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from terraform_stage import THING, Stage, planned, said, valued

from mockprovider.calls import Change, ChangeKind, Failure, Op, Plan, Reply, Status
from mockprovider.layers import unchecked
from mockprovider.terraform import ResourceTraits
from mockprovider.values import UNKNOWN


def test_p1_a_refused_argument_is_pointed_at(stage: Stage) -> None:
    """P1: a failed validation with a path shows the line of configuration that is wrong."""
    stage.answers(Op.CHECK, failures=(Failure("no such name", "name", detail="Take another."),))
    stage.write('name = "one"')
    (error,) = stage.cli.validate(expect_failure=True).errors
    assert (error.summary, error.detail, error.snippet) == ("no such name", "Take another.", 'name = "one"')


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"name": "two"}, 'planned value cty.StringVal("two") does not match config value cty.StringVal("one")'),
        ({"size": 3}, "planned value cty.NumberIntVal(3) for a non-computed attribute"),
        ({"name": UNKNOWN}, "does not match config value"),
        ({"secret": "x"}, "sensitive"),
    ],
    ids=["other", "unasked", "unknown", "sensitive"],
)
def test_p2_a_plan_that_is_not_what_is_configured(stage: Stage, change: dict[str, Any], told: str) -> None:
    """P2: a planned value that the configuration does not say is refused, and a sensitive one is not shown."""
    stage.on(Op.PLAN, planned(lambda plan: plan.update(change)))
    stage.write('name = "one"')
    text = said(stage.cli.plan(expect_failure=True))
    assert "Provider produced invalid plan" in text
    assert told in text
    assert '"x"' not in text


def test_p3_a_create_that_is_planned_to_be_nothing(stage: Stage) -> None:
    """P3: a null, or nothing at all, is no plan for what is configured."""
    for empty in (b"\xc0", b""):
        stage.native(Op.PLAN, lambda message, empty=empty: setattr(message.planned_state, "msgpack", empty))
        stage.write('name = "one"')
        assert "planned for absence but config wants existence" in said(stage.cli.plan(expect_failure=True))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"\x81\xa4name\xa3one", "an object with 11 attributes is required (1 given)"),
        (b"\xc1", "an object is required"),
        (b"\xa3one", "object is required"),
    ],
    ids=["missing", "malformed", "type"],
)
def test_p4_a_plan_of_the_wrong_shape(stage: Stage, data: bytes, told: str) -> None:
    """P4: what does not decode as the type is an error, which names neither resource nor path."""
    stage.native(Op.PLAN, lambda message: setattr(message.planned_state, "msgpack", data))
    stage.write('name = "one"')
    (error,) = stage.cli.plan(expect_failure=True).errors
    assert told in f"{error.summary} {error.detail}"


def test_p5_blocks_that_nobody_wrote(stage: Stage) -> None:
    """P5: the number of nested blocks, and of nested objects, is the configuration's to say."""
    stage.on(Op.PLAN, planned(lambda plan: plan.update(rules=[{"port": 1}, {"port": 2}])))
    stage.write(stage.rule(1))
    text = said(stage.cli.plan(expect_failure=True))
    assert ("block count in plan (2) disagrees with count in config (1)" if stage.major == 5 else "count in plan") in text


def test_p6_a_write_only_value_in_a_plan(stage: Stage) -> None:
    """P6: a plan that tells a write-only value is refused."""
    stage.leak(Op.PLAN, "planned_state")
    stage.write('name = "one"')
    text = said(stage.cli.plan(expect_failure=True))
    assert "write-only attribute" in text
    assert ("Invalid provider response" if stage.tofu else "Provider produced invalid plan") in text


def test_p7_what_needs_a_new_object(stage: Stage) -> None:
    """P7: a replacement counts where something changes, is ignored where nothing does, and needs a path that exists."""
    stage.made('name = "one"\nsize = 1')

    def replacing(path: str) -> None:
        def change(call: Any, proceed: Any) -> Reply:
            reply = proceed(call)
            extra = Change(path, ChangeKind.UPDATE, replaces=True)
            reply.plan = Plan(reply.plan.planned, (*reply.plan.changes, extra))
            return unchecked(reply)

        stage.on(Op.PLAN, change)

    replacing("tags")
    stage.write('name = "two"\nsize = 1')
    assert stage.cli.plan().actions == {"cloud_thing.a": ["update"]}
    replacing("name")
    assert stage.cli.plan().actions == {"cloud_thing.a": ["delete", "create"]}
    stage.native(Op.PLAN, lambda message: message.requires_replace.add().steps.add(attribute_name="nowhere"))
    assert "for a non-existent attribute path" in said(stage.cli.plan(expect_failure=True))


def test_p8_the_prior_value_in_place_of_the_configured_one(stage: Stage) -> None:
    """P8: a plan that says what was there before means that the configured value is the same in other words."""
    stage.made('name = "one"')
    stage.on(Op.PLAN, planned(lambda plan: plan.update(name="one", note=stage.attributes()["note"])))
    stage.write('name = "ONE"')
    assert stage.cli.plan().exit_code == 0


def test_p9_a_computed_value_that_will_be_another(stage: Stage) -> None:
    """P9: a computed value that an update plans as unknown is shown as known after apply."""
    stage.made()
    stage.on(Op.PLAN, planned(lambda plan: plan.update(made=UNKNOWN)))
    stage.write('name = "two"')
    (change,) = stage.cli.plan().plan["resource_changes"]
    assert change["change"]["after_unknown"]["made"] is True


def test_p10_a_plan_that_fails(stage: Stage) -> None:
    """P10: a failure is shown with its resource, a status as a plugin error; the state stays as it was."""
    stage.made()
    before = stage.cli.state()
    stage.write('name = "two"')
    stage.answers(Op.PLAN, failures=(Failure("cannot plan"),))
    (error,) = stage.cli.plan(expect_failure=True).errors
    assert (error.summary, error.address) == ("cannot plan", "cloud_thing.a")
    stage.answers(Op.PLAN, status=Status(13, "boom"))
    (error,) = stage.cli.plan(expect_failure=True).errors
    assert (error.summary, "boom" in error.detail) == ("Plugin error", True)
    assert stage.cli.state() == before


def test_p11_an_answer_that_is_put_off(stage: Stage) -> None:
    """P11: terraform refuses a deferred answer, and tofu does not look at it."""
    stage.on(Op.PLAN, lambda call, proceed: _deferred(proceed(call)))
    stage.write('name = "one"')
    if stage.tofu:
        assert stage.cli.plan().actions == {"cloud_thing.a": ["create"]}
    else:
        assert "Provider deferred changes" in said(stage.cli.plan(expect_failure=True))


def _deferred(reply: Reply) -> Reply:
    reply.extra = {"deferred": 1}
    return reply


def test_p12_a_destroy_that_is_planned_to_leave_something(stage: Stage) -> None:
    """P12: the plan of a destroy is null; with a failure the destroy is refused, and the state is kept."""
    stage.made()
    kept = stage.attributes()
    priors: list[bytes] = []

    def keep(message: Any) -> None:
        if message.planned_state.msgpack == b"\xc0":
            message.planned_state.msgpack = priors[-1]
        else:
            # Terraform plans an update to nothing before it plans to destroy.
            priors.append(message.planned_state.msgpack)

    stage.native(Op.PLAN, keep)
    assert "planned a non-null destroy value" in said(stage.cli.destroy(expect_failure=True))
    stage.on(Op.PLAN, lambda call, proceed: Reply(failures=(Failure("not now"),)) if call.inputs is None else proceed(call))
    assert "not now" in said(stage.cli.destroy(expect_failure=True))
    assert stage.attributes() == kept
    assert len(stage.things()) == 1


def test_p13_a_protected_object_stays(stage: Stage) -> None:
    """P13: what is never to be destroyed is neither deleted nor replaced."""
    protected = "lifecycle {\n  prevent_destroy = true\n}"
    stage.made(f"size = 1\n{protected}")
    stage.write(f"size = 2\n{protected}")
    for refused in (stage.cli.plan(expect_failure=True), stage.cli.destroy(expect_failure=True)):
        assert "nstance cannot be destroyed" in said(refused)
    assert len(stage.things()) == 1


def test_p14_the_old_sdks_type_system_is_forgiven(stage: Stage) -> None:
    """P14: with the legacy type system, wrong plans and results are only logged."""
    stage.double.define(replace(THING, traits=[ResourceTraits(legacy_type_system=True)]))
    stage.on(Op.PLAN, planned(lambda plan: plan.update(size=3)))
    stage.on(Op.CREATE, valued(lambda made: made.update(name="other")))
    assert stage.made().summary == {"add": 1}
    assert stage.attributes()["name"] == "other"


def test_p15_warnings_are_shown(stage: Stage) -> None:
    """P15: a warning is shown and stops nothing."""
    stage.on(Op.PLAN, lambda call, proceed: _warned(proceed(call)))
    result = stage.made()
    assert ("warning", "careful") in [(each.severity, each.summary) for each in result.diagnostics]


def _warned(reply: Reply) -> Reply:
    reply.warnings = ("careful",)
    return reply
