"""What engines owe a Pulumi provider about what they remember: for each rule, a run that breaks it and one that keeps it."""

from __future__ import annotations

from typing import Any

from contract_stage import PulumiRun

from contract_cases.shapes import BAG, OTHER, Cases, of_pulumi
from mockprovider.calls import Call, Failure, Handler, Op, Reply
from mockprovider.pulumi.diff import Changes, Diff
from mockprovider.values import Output, ResourceReference, Secret, Value

THIRD = {"acl": "secret"}
SIZED = {**BAG, "size": 1}
NET = "cloud:index:Net"
MADE = {"prior": BAG, "prior_inputs": BAG}
"""What an engine remembers of an object that was made of ``BAG``."""


def compares(run: PulumiRun, inputs: Any, diff: Diff, **fields: Any) -> None:
    run.check(inputs)
    run.ask(Op.DIFF, Reply(extra={"diff": diff}), **{"id": "i-1", "inputs": inputs, **MADE, **fields})


def replaces(*, first: bool = False) -> Diff:
    return Diff(Changes.SOME, replaces=("acl",), delete_before_replace=first)


def deletes_without_state(run: PulumiRun) -> None:
    run.make(BAG)
    run.ask(Op.DELETE, id="i-1")


def deletes_with_an_empty_state(run: PulumiRun) -> None:
    run.make({})
    run.ask(Op.DELETE, id="i-1", prior={})


def updates_from_long_ago(run: PulumiRun) -> None:
    run.make(BAG, SIZED)
    run.check(OTHER)
    run.ask(Op.UPDATE, Reply(value={**OTHER, "size": 2}), id="i-1", prior=SIZED, inputs=OTHER)
    run.ask(Op.DELETE, id="i-1", prior=SIZED)


def updates_from_the_last(run: PulumiRun) -> None:
    run.make(BAG, SIZED)
    run.check(OTHER)
    run.ask(Op.UPDATE, Reply(value={**OTHER, "size": 2}), id="i-1", prior=SIZED, inputs=OTHER)
    run.ask(Op.READ, Reply(id="i-1", value={**OTHER, "size": 3}), id="i-1", prior={**OTHER, "size": 2}, prior_inputs=OTHER)
    run.ask(Op.DELETE, id="i-1", prior={**OTHER, "size": Secret(3)})


def compares_with_inputs_of_long_ago(run: PulumiRun) -> None:
    run.make(BAG)
    run.check(OTHER)
    run.ask(Op.UPDATE, Reply(value=OTHER), id="i-1", inputs=OTHER, **MADE)
    run.ask(Op.DIFF, id="i-1", prior=OTHER, prior_inputs=BAG, inputs=THIRD)


def compares_with_what_was_accepted(run: PulumiRun) -> None:
    run.make(BAG)
    compares(run, SIZED, Diff(Changes.NONE))
    compares(run, OTHER, Diff(Changes.SOME), prior_inputs=SIZED)
    run.ask(Op.UPDATE, Reply(value=OTHER), id="i-1", inputs=OTHER, prior=BAG, prior_inputs=SIZED)
    run.ask(Op.READ, Reply(id="i-1", value=THIRD, inputs=THIRD), id="i-1", prior=OTHER, prior_inputs=OTHER)
    for remembered in (OTHER, THIRD):
        run.ask(Op.DIFF, id="i-1", prior=remembered, prior_inputs=remembered, inputs=BAG)


def deletes_as_another_type(run: PulumiRun) -> None:
    run.make(BAG)
    run.ask(Op.DELETE, id="i-1", prior=BAG, type=NET)


def deletes_under_an_alias(run: PulumiRun) -> None:
    run.make(BAG)
    run.ask(Op.DIFF, id="i-1", inputs=BAG, type=NET, **MADE)
    run.ask(Op.DELETE, id="i-1", prior=BAG, type=NET)
    run.make(BAG, id_="none")
    # Another object whose id is the same constant: its state tells it apart.
    run.ask(Op.DELETE, id="none", prior=OTHER, type=NET)


def updates_what_is_to_be_replaced(run: PulumiRun) -> None:
    run.make(BAG)
    compares(run, OTHER, replaces())
    run.ask(Op.UPDATE, Reply(value=OTHER), id="i-1", inputs=OTHER, **MADE)


def replaces_it(run: PulumiRun) -> None:
    run.make(BAG)
    compares(run, OTHER, replaces())
    run.make(OTHER, id_="i-2")
    run.ask(Op.DELETE, id="i-1", **MADE)
    compares(run, BAG, replaces(), id="i-2", prior=OTHER, prior_inputs=OTHER)
    compares(run, THIRD, Diff(Changes.SOME), id="i-2", prior=OTHER, prior_inputs=OTHER)
    run.ask(Op.UPDATE, Reply(value=THIRD), id="i-2", prior=OTHER, prior_inputs=OTHER, inputs=THIRD)


def creates_before_it_deletes(run: PulumiRun) -> None:
    run.make(BAG)
    compares(run, OTHER, replaces(first=True))
    run.make(OTHER, id_="i-2")


def deletes_before_it_creates(run: PulumiRun) -> None:
    run.make(BAG)
    compares(run, OTHER, replaces(first=True))
    run.ask(Op.DELETE, id="i-1", **MADE)
    run.make(OTHER, id_="i-2")


def half_makes(run: PulumiRun) -> None:
    run.check(BAG)
    run.ask(Op.CREATE, Reply(id="i-1", value=BAG, failures=(Failure("timed out"),)), inputs=BAG)
    run.restart()
    run.start()


def forgets_what_is_half_made(run: PulumiRun) -> None:
    half_makes(run)
    run.make(BAG, id_="i-2")


def replaces_what_is_half_made(run: PulumiRun) -> None:
    half_makes(run)
    run.ask(Op.DELETE, id="i-1", **MADE)
    run.make(BAG, id_="i-2")


def makes_it_twice(run: PulumiRun) -> None:
    run.make(BAG)
    run.make(BAG, id_="i-2")


def makes_it_again(run: PulumiRun) -> None:
    run.make(BAG)
    run.ask(Op.DELETE, id="i-1", **MADE)
    run.make(BAG, id_="i-2")
    run.restart()
    run.start()
    run.make(BAG, id_="i-3")
    compares(run, OTHER, replaces(), id="i-3")
    run.make(OTHER, id_="i-4")


def depends(**inputs: Value) -> PulumiRun:
    """A run in which the resource ``others`` was made of ``logs``."""
    run = of_pulumi("resources", "outputs")
    run.make(BAG)
    run.check(inputs, name="others")
    run.ask(Op.CREATE, Reply(id="i-2", value=BAG), inputs=inputs, name="others")
    run.restart()
    run.start("resources", "outputs")
    return run


LOGS = "urn:pulumi:dev::shop::cloud:index:Bucket::logs"
REFERENCE = ResourceReference(LOGS, "i-1")


def deletes_in_the_wrong_order(run: PulumiRun) -> None:
    run.ask(Op.DELETE, id="i-1", **MADE)
    run.ask(Op.DELETE, id="i-2", prior=BAG, name="others")


def deletes_both_at_once(run: PulumiRun) -> None:
    def meanwhile(call: Call, proceed: Handler) -> Reply:
        if call.id == "i-2":
            run.ask(Op.DELETE, id="i-1", **MADE)
        return proceed(call)

    run.double.use(meanwhile)
    run.ask(Op.DELETE, id="i-2", prior=BAG, name="others")


def deletes_in_order(run: PulumiRun) -> None:
    run.ask(Op.DELETE, id="i-2", prior=BAG, name="others")
    run.ask(Op.DELETE, id="i-1", **MADE)


def replaces_what_others_need(run: PulumiRun) -> None:
    run.check(OTHER)
    run.ask(Op.DELETE, id="i-1", **MADE)
    run.make(OTHER, id_="i-3")
    run.ask(Op.DELETE, id="i-2", prior=BAG, name="others")


def of_reference() -> PulumiRun:
    return depends(zones=[REFERENCE])


def of_output() -> PulumiRun:
    return depends(acl=Output("x", dependencies=(LOGS,)))


CASES: Cases = {
    "PULUMI-STATE-IS-SENT": (of_pulumi, deletes_without_state, deletes_with_an_empty_state),
    "PULUMI-STATE-IS-THE-LAST-ONE": (lambda: of_pulumi("secrets"), updates_from_long_ago, updates_from_the_last),
    "PULUMI-OLD-INPUTS-ARE-THE-LAST-ONES": (of_pulumi, compares_with_inputs_of_long_ago, compares_with_what_was_accepted),
    "PULUMI-TYPE-IS-THE-OBJECTS": (of_pulumi, deletes_as_another_type, deletes_under_an_alias),
    "PULUMI-REPLACES-WHERE-DIFF-ASKS": (of_pulumi, updates_what_is_to_be_replaced, replaces_it),
    "PULUMI-DELETES-FIRST-WHERE-DIFF-ASKS": (of_pulumi, creates_before_it_deletes, deletes_before_it_creates),
    "PULUMI-CREATES-ONCE": (of_pulumi, makes_it_twice, makes_it_again),
    "PULUMI-HALF-MADE-IS-REMEMBERED": (of_pulumi, forgets_what_is_half_made, replaces_what_is_half_made),
    "PULUMI-DEPENDENTS-ARE-DELETED-FIRST": (of_reference, deletes_in_the_wrong_order, deletes_in_order),
}
