"""What engines owe a Terraform provider: for each rule, a run that breaks it and one that keeps it."""

from __future__ import annotations

from contract_stage import TerraformRun

from contract_cases.shapes import CONFIG, PLANNED, STATE, Cases, of_terraform
from mockprovider.calls import Op, Reply
from mockprovider.values import UNKNOWN

DRIFTED = {**STATE, "acl": "public"}
WIDER = {**CONFIG, "size": 2}
UPDATED = {**STATE, "size": 2}


def reads_without_configure(run: TerraformRun) -> None:
    run.upgrade(STATE)
    run.read(STATE)


def upgrades_without_configure(run: TerraformRun) -> None:
    run.ask(Op.CHECK, inputs={})
    run.upgrade(STATE)


def makes_and_reads(run: TerraformRun) -> None:
    run.plan(None, CONFIG, PLANNED)
    run.apply(None, PLANNED, STATE, CONFIG)
    run.restart()
    run.start()
    run.upgrade(STATE)
    run.read(STATE)
    run.plan(STATE, CONFIG, STATE)


def is_configured_again(run: TerraformRun) -> None:
    run.ask(Op.CONFIGURE)


def plans_after_stop(run: TerraformRun) -> None:
    run.ask(Op.CANCEL)
    run.plan(None, CONFIG, PLANNED)


def closes_after_stop(run: TerraformRun) -> None:
    run.ask(Op.OPEN, Reply(private=b"1"))
    run.ask(Op.CANCEL)
    run.ask(Op.CLOSE, private=b"1")


def renews_another(run: TerraformRun) -> None:
    run.ask(Op.OPEN, Reply(private=b"1"))
    run.ask(Op.RENEW, private=b"2")


def renews_and_closes(run: TerraformRun) -> None:
    run.ask(Op.OPEN, Reply(private=b"1"))
    run.ask(Op.RENEW, Reply(private=b"2"), private=b"1")
    run.ask(Op.RENEW, Reply(private=b"3"), private=b"2")
    run.ask(Op.CLOSE, private=b"1")


def closes_twice(run: TerraformRun) -> None:
    run.ask(Op.OPEN, Reply(private=b"1"))
    run.ask(Op.CLOSE, private=b"1")
    run.ask(Op.CLOSE, private=b"1")


def closes_two_that_look_alike(run: TerraformRun) -> None:
    for op in (Op.OPEN, Op.OPEN, Op.CLOSE, Op.CLOSE):
        run.ask(op)


def reads_without_upgrade(run: TerraformRun) -> None:
    run.read(STATE)


def forgets_private_bytes(run: TerraformRun) -> None:
    run.upgrade(STATE)
    run.read(STATE, private=b"1")
    run.plan(STATE, CONFIG, STATE)


def keeps_private_bytes(run: TerraformRun) -> None:
    run.upgrade(STATE)
    run.read(STATE, private=b"1", sent=b"0")
    run.plan(STATE, CONFIG, STATE, sent=b"1")


def plans_what_has_drifted(run: TerraformRun) -> None:
    run.upgrade(STATE)
    run.read(STATE, DRIFTED)
    run.plan(STATE, CONFIG, STATE)


def plans_what_was_read(run: TerraformRun) -> None:
    run.upgrade(STATE)
    run.read(STATE, DRIFTED)
    run.plan(DRIFTED, CONFIG, STATE)
    # Another object that looks the same has not changed.
    run.read(STATE)
    run.plan(STATE, CONFIG, STATE)


def forgets_an_update(run: TerraformRun) -> None:
    updates(run)
    run.restart()
    run.upgrade(STATE)


def stores_an_update(run: TerraformRun) -> None:
    updates(run)
    run.restart()
    run.upgrade(UPDATED)
    # A state of another id has never been here.
    other = run.coder
    raw = {"json": other.encode_json(STATE, "i-2")}
    run.message("UpgradeResourceState", {"raw_state": raw}, upgraded_state={"msgpack": other.encode(STATE, "i-2")})


def updates(run: TerraformRun) -> None:
    run.upgrade(STATE)
    run.plan(STATE, WIDER, UPDATED)
    run.apply(STATE, UPDATED, UPDATED, WIDER)


def applies_to_another_state(run: TerraformRun) -> None:
    run.upgrade(STATE)
    run.upgrade(DRIFTED)
    run.plan(STATE, WIDER, UPDATED)
    run.apply(DRIFTED, UPDATED, UPDATED, WIDER)


def applies_a_plan_twice(run: TerraformRun) -> None:
    run.plan(None, CONFIG, PLANNED)
    run.apply(None, PLANNED, STATE, CONFIG)
    run.apply(None, PLANNED, STATE, CONFIG)


def applies_two_plans_that_look_alike(run: TerraformRun) -> None:
    run.plan(None, CONFIG, PLANNED)
    run.plan(None, CONFIG, PLANNED)
    run.apply(None, PLANNED, STATE, CONFIG)
    run.apply(None, PLANNED, STATE, CONFIG)


def applies_with_another_configuration(run: TerraformRun) -> None:
    run.plan(None, CONFIG, PLANNED)
    run.apply(None, PLANNED, STATE, {"acl": "private", "size": 2})


def applies_what_is_known_by_then(run: TerraformRun) -> None:
    planned = {**PLANNED, "acl": UNKNOWN}
    run.plan(None, {"acl": UNKNOWN, "size": 1}, planned)
    run.apply(None, planned, STATE, CONFIG)


def deletes_without_a_plan(run: TerraformRun) -> None:
    run.plans_destroys()
    makes_and_reads(run)
    run.delete(STATE)


def deletes_in_a_session_of_its_own(run: TerraformRun) -> None:
    run.plans_destroys()
    makes_and_reads(run)
    run.plan(STATE, None, None)
    run.restart()
    run.start()
    run.upgrade(STATE)
    run.delete(STATE)


def replaces(run: TerraformRun) -> None:
    run.plans_destroys()
    makes_and_reads(run)
    run.plan(
        STATE,
        {**CONFIG, "acl": "public"},
        {**PLANNED, "acl": "public"},
        requires_replace=[{"steps": [{"attribute_name": "acl"}]}],
    )
    run.delete(STATE)


def replaces_what_is_tainted(run: TerraformRun) -> None:
    run.plans_destroys()
    makes_and_reads(run)
    # A tainted object is planned as if there were none.
    run.plan(None, CONFIG, PLANNED)
    run.delete(STATE)


def deletes_unasked(run: TerraformRun) -> None:
    # This provider does not plan deletions.
    makes_and_reads(run)
    run.delete(STATE)


def remembers_a_plan(run: TerraformRun) -> None:
    run.ask(Op.READ, prior={"arn": UNKNOWN})


def applies_something_else(run: TerraformRun) -> None:
    run.plan(None, CONFIG, PLANNED)
    other = {**PLANNED, "size": 2}
    run.apply(None, other, {**STATE, "size": 2}, CONFIG)


def applies_what_was_put_off(run: TerraformRun) -> None:
    plans_what_is_put_off(run)
    run.apply(None, PLANNED, STATE, CONFIG)


def plans_what_is_put_off(run: TerraformRun) -> None:
    run.message(
        "PlanResourceChange",
        {
            "prior_state": run.dynamic(None),
            "config": run.dynamic(CONFIG),
            "client_capabilities": {"deferral_allowed": True},
        },
        planned_state=run.dynamic(PLANNED),
        deferred={"reason": 1},
    )


def applies_what_is_planned_at_last(run: TerraformRun) -> None:
    plans_what_is_put_off(run)
    run.plan(None, CONFIG, PLANNED)
    run.apply(None, PLANNED, STATE, CONFIG)


def applies_an_unknown_configuration(run: TerraformRun) -> None:
    config = {"acl": UNKNOWN, "size": 1}
    planned = {"acl": UNKNOWN, "size": 1, "arn": UNKNOWN}
    run.plan(None, config, planned)
    run.apply(None, planned, STATE, config)


def applies_what_was_validated_while_unknown(run: TerraformRun) -> None:
    run.message("ValidateResourceConfig", {"config": run.dynamic({"acl": UNKNOWN, "size": 1})})
    run.plan(None, CONFIG, PLANNED)
    bags = {"prior_state": None, "planned_state": PLANNED, "config": CONFIG}
    asked = {name: run.dynamic(bag) for name, bag in bags.items()}
    run.message("ApplyResourceChange", asked, new_state=run.dynamic(STATE))


CASES: Cases = {
    "TF-CONFIGURE-BEFORE-USE": (TerraformRun, reads_without_configure, upgrades_without_configure),
    "TF-CONFIGURE-ONCE": (of_terraform, is_configured_again, makes_and_reads),
    "TF-NOTHING-AFTER-STOP": (of_terraform, plans_after_stop, closes_after_stop),
    "TF-OPEN-BEFORE-RENEW-AND-CLOSE": (of_terraform, renews_another, renews_and_closes),
    "TF-NOTHING-AFTER-CLOSE": (of_terraform, closes_twice, closes_two_that_look_alike),
    "TF-STATE-WAS-ANSWERED": (of_terraform, reads_without_upgrade, makes_and_reads),
    "TF-STATE-IS-THE-LAST-READ": (of_terraform, plans_what_has_drifted, plans_what_was_read),
    "TF-STATE-WAS-STORED": (of_terraform, forgets_an_update, stores_an_update),
    "TF-PRIVATE-WAS-ANSWERED": (of_terraform, forgets_private_bytes, keeps_private_bytes),
    "TF-STATE-IS-KNOWN": (of_terraform, remembers_a_plan, makes_and_reads),
    "TF-APPLY-WAS-PLANNED": (of_terraform, applies_something_else, makes_and_reads),
    "TF-APPLY-HAS-THE-PRIOR-STATE": (of_terraform, applies_to_another_state, updates),
    "TF-PLAN-IS-APPLIED-ONCE": (of_terraform, applies_a_plan_twice, applies_two_plans_that_look_alike),
    "TF-APPLY-HAS-THE-CONFIGURATION": (of_terraform, applies_with_another_configuration, makes_and_reads),
    "TF-DELETE-WAS-PLANNED": (of_terraform, deletes_without_a_plan, deletes_in_a_session_of_its_own),
    "TF-CONFIGURATION-IS-KNOWN": (of_terraform, applies_an_unknown_configuration, makes_and_reads),
    "TF-CONFIGURATION-WAS-VALIDATED": (of_terraform, applies_what_was_validated_while_unknown, makes_and_reads),
}


def goes_on_with_the_state_of_an_earlier_schema(run: TerraformRun) -> None:
    run.upgrade(STATE, DRIFTED)
    run.read(STATE)


def forgets_what_another_instance_answered(run: TerraformRun) -> None:
    run.plan(None, CONFIG, PLANNED)
    run.apply(None, PLANNED, STATE, CONFIG, brings=b"1")
    run.restart()
    run.start()
    run.upgrade(STATE)
    run.read(STATE, sent=b"0")


def deletes_twice(run: TerraformRun) -> None:
    deletes_in_a_session_of_its_own(run)
    run.delete(STATE)


def deletes_with_other_private_bytes(run: TerraformRun) -> None:
    run.plans_destroys()
    makes_and_reads(run)
    run.plan(STATE, None, None, private=b"1")
    run.delete(STATE, b"2")


def deletes_again_what_could_not_be_deleted(run: TerraformRun) -> None:
    run.plans_destroys()
    makes_and_reads(run)
    run.plan(STATE, None, None, private=b"1")
    run.apply(STATE, None, STATE, private=b"1", diagnostics=[{"severity": 1, "summary": "it is in use"}])
    # A stored plan may be applied again.
    run.delete(STATE, b"1")


def serves_two_configurations(run: TerraformRun) -> None:
    run.session.instance = "one"
    makes_and_reads(run)
    updates(run)
    one = run.session
    run.restart()
    run.session.instance = "two"
    run.start()
    # An object of the other configuration may look the same, and drift.
    run.upgrade(STATE)
    run.read(STATE, DRIFTED, sent=b"2")
    run.session = one
    run.plan(UPDATED, WIDER, UPDATED)


def plans_twice_what_comes_from_elsewhere(run: TerraformRun) -> None:
    for _ in range(2):
        run.upgrade(STATE)
        # A plan stores nothing of what it reads.
        run.read(STATE, DRIFTED, sent=b"0", private=b"1")
        run.plan(DRIFTED, CONFIG, STATE, sent=b"1")
        run.restart()
        run.start()


def sorts_a_list(run: TerraformRun) -> None:
    run.upgrade({**STATE, "zones": ["a", "b"], "tags": ["a", "b"]})
    run.read({**STATE, "zones": ["b", "a"], "tags": ["a", "b"]})


def sorts_a_set(run: TerraformRun) -> None:
    run.upgrade({**STATE, "zones": ["a", "b"], "tags": ["a", "b"]})
    run.read({**STATE, "zones": ["a", "b"], "tags": ["b", "a"]})


ALSO_BROKEN = {
    goes_on_with_the_state_of_an_earlier_schema: "TF-STATE-WAS-ANSWERED",
    sorts_a_list: "TF-STATE-WAS-ANSWERED",
    forgets_what_another_instance_answered: "TF-PRIVATE-WAS-ANSWERED",
    deletes_twice: "TF-DELETE-WAS-PLANNED",
    deletes_with_other_private_bytes: "TF-DELETE-WAS-PLANNED",
}
"""More runs that break a rule, and which."""
ALSO_KEPT = (
    *(replaces, replaces_what_is_tainted, deletes_unasked, deletes_again_what_could_not_be_deleted, sorts_a_set),
    *(applies_what_is_known_by_then, applies_what_is_planned_at_last, serves_two_configurations),
    plans_twice_what_comes_from_elsewhere,
)
"""More runs that come near a rule, and break none."""
