"""What engines owe a Pulumi provider: for each rule, a run that breaks it and one that keeps it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contract_stage import PulumiRun

from contract_cases.shapes import BAG, OTHER, URN, Cases, of_pulumi
from mockprovider.calls import Call, Failure, Handler, Op, Reply
from mockprovider.pulumi.diff import Changes, Diff
from mockprovider.values import UNKNOWN, Output, ResourceReference, Secret


def uses_without_configure(run: PulumiRun) -> None:
    run.ask(Op.CHECK, Reply(inputs=BAG), inputs=BAG)


def checks_once_configured(run: PulumiRun) -> None:
    run.start()
    run.check(BAG)


def configures_twice(run: PulumiRun) -> None:
    run.ask(Op.CONFIGURE)
    run.ask(Op.CHECK_CONFIG, inputs={})


def configures_again(run: PulumiRun) -> None:
    run.ask(Op.CONFIGURE)


def configures_another_instance(run: PulumiRun) -> None:
    run.ask(Op.CANCEL)
    run.restart()
    run.ask(Op.CONFIGURE, Reply(failures=(Failure("no credentials"),)))
    run.ask(Op.CONFIGURE)


def configures_the_unknown(run: PulumiRun) -> None:
    run.ask(Op.CONFIGURE, inputs={"region": UNKNOWN})
    run.make(BAG)
    run.restart()
    run.session.preview = False
    run.ask(Op.CONFIGURE, inputs={"region": UNKNOWN})


def configures_the_unknown_in_a_preview(run: PulumiRun) -> None:
    run.ask(Op.CONFIGURE, inputs={"region": UNKNOWN})
    run.check(BAG)
    run.ask(Op.CREATE, Reply(value=BAG), inputs=BAG, preview=True)


def checks_configuration_first(run: PulumiRun) -> None:
    run.ask(Op.CHECK_CONFIG, inputs={})
    run.ask(Op.DIFF_CONFIG, inputs={})
    run.ask(Op.CONFIGURE)
    run.ask(Op.DIFF_CONFIG, inputs={})


def makes(run: PulumiRun) -> None:
    run.make(BAG)
    run.ask(Op.CANCEL)


def goes_on_as_pulumi_does(run: PulumiRun) -> None:
    makes(run)
    run.restart()
    run.ask(Op.HANDSHAKE, extra={"configure_with_urn": True})
    run.ask(Op.CONFIGURE)
    run.ask(Op.CANCEL)
    run.check(BAG)


def goes_on_after_cancel(run: PulumiRun) -> None:
    run.ask(Op.CANCEL)
    run.check(BAG)


def deletes_what_it_never_had(run: PulumiRun) -> None:
    run.ask(Op.DELETE, id="i-9", prior=BAG)


def deletes_what_was_there(run: PulumiRun) -> None:
    there = run.double.cloud.create("cloud:index:Bucket", "i-3", BAG)
    run.ask(Op.DELETE, id=there.id, prior=BAG)
    run.ask(Op.READ, Reply(id="i-2", value=BAG, inputs=BAG), id="i-2")
    run.ask(Op.DELETE, id="i-2", prior=BAG)


def deletes_twice(run: PulumiRun) -> None:
    run.make(BAG)
    run.restart()
    run.start()
    run.ask(Op.DELETE, id="i-1", prior=BAG)
    run.ask(Op.DELETE, id="i-1", prior=BAG)


def deletes_again_as_pulumi_does(run: PulumiRun) -> None:
    deletes_again_after_a_failure(run)
    for _ in range(2):
        run.restart()
        run.ask(Op.HANDSHAKE, extra={"configure_with_urn": True})
        run.ask(Op.CONFIGURE)
        run.check(OTHER)
        run.ask(Op.DELETE, id="i-3", prior=BAG)
        run.ask(Op.CREATE, Reply(failures=(Failure("no quota"),)), inputs=OTHER)


def deletes_again_after_a_failure(run: PulumiRun) -> None:
    run.make(BAG)
    run.ask(Op.DELETE, Reply(failures=(Failure("still in use"),)), id="i-1", prior=BAG)
    run.ask(Op.DELETE, id="i-1", prior=BAG)
    # It appears again: it is made, or read.
    run.make(BAG)
    run.ask(Op.DELETE, id="i-1", prior=BAG)
    run.ask(Op.READ, Reply(id="i-1", value=BAG), id="i-1", prior=BAG)
    run.ask(Op.DELETE, id="i-1", prior=BAG)
    run.make(BAG, id_="i-3")


def reads_without_an_id(run: PulumiRun) -> None:
    run.ask(Op.READ, Reply(), prior=BAG)


def reads_by_id_alone(run: PulumiRun) -> None:
    run.ask(Op.READ, Reply(id="i-1", value=BAG, inputs=BAG), id="i-1")


def asks_for_another_region(run: PulumiRun, replaces: tuple[str, ...], before: str = "eu") -> None:
    provider = "urn:pulumi:dev::shop::pulumi:providers:cloud::eu"
    run.restart()
    run.session.instance = provider
    run.ask(Op.CONFIGURE, inputs={"region": "eu"})
    run.make(BAG)
    diff = Diff(changes=Changes.SOME, diffs=("region",), replaces=replaces)
    olds = {"prior": {"region": before}, "prior_inputs": {"region": before}}
    run.ask(Op.DIFF_CONFIG, Reply(extra={"diff": diff}), urn=provider, type="pulumi:providers:cloud", **olds)
    run.restart()
    run.start()
    run.session.instance = provider


def updates_what_the_old_provider_made(run: PulumiRun) -> None:
    asks_for_another_region(run, ("region",))
    run.check(OTHER)
    run.ask(Op.UPDATE, Reply(value=OTHER), id="i-1", prior=BAG, inputs=OTHER)


def replaces_what_the_old_provider_made(run: PulumiRun) -> None:
    asks_for_another_region(run, ("region",))
    run.make(OTHER, id_="i-2")
    run.ask(Op.DELETE, id="i-1", prior=BAG)
    run.ask(Op.UPDATE, Reply(value=OTHER), id="i-2", prior=OTHER, inputs=OTHER)
    for replaces, before in (((), "eu"), (("region",), "us")):
        asks_for_another_region(run, replaces, before)
        run.check(OTHER)
        run.ask(Op.UPDATE, Reply(value=OTHER), id="i-1", prior=BAG, inputs=OTHER)
        run.ask(Op.DELETE, id="i-1", prior=OTHER)


def overlaps(run: PulumiRun) -> None:
    run.make(BAG)
    run.check(OTHER)

    def meanwhile(call: Call, proceed: Handler) -> Reply:
        if call.op is Op.UPDATE:
            run.ask(Op.DELETE, id="i-1", prior=BAG)
            run._reply = Reply(value=OTHER)
        return proceed(call)

    run.double.use(meanwhile)
    run.ask(Op.UPDATE, Reply(value=OTHER), id="i-1", prior=BAG, inputs=OTHER)


def overlaps_with_another_resource(run: PulumiRun) -> None:
    run.make(BAG)
    run.check(BAG, name="others")

    def meanwhile(call: Call, proceed: Handler) -> Reply:
        if call.op is Op.CREATE:
            run.ask(Op.DELETE, id="i-1", prior=BAG)
            run._reply = Reply(id="i-2", value=BAG)
        return proceed(call)

    run.double.use(meanwhile)
    run.ask(Op.CREATE, Reply(id="i-2", value=BAG), inputs=BAG, name="others")


def creates_what_it_likes(run: PulumiRun) -> None:
    run.check(BAG, {**BAG, "size": 1})
    run.ask(Op.CREATE, Reply(id="i-1", value=BAG), inputs=BAG)


def creates_what_was_checked(run: PulumiRun) -> None:
    run.check({"acl": Secret("x")}, {"acl": "x", "size": 1})
    run.ask(Op.CREATE, Reply(id="i-1", value=BAG), inputs={"acl": Secret("x"), "size": 1.0})
    run.check(OTHER)
    run.ask(Op.UPDATE, Reply(value=OTHER), id="i-1", prior=BAG, inputs=BAG, ignore_changes=("acl",))


def creates_the_unknown(run: PulumiRun) -> None:
    inputs = {"acl": UNKNOWN}
    run.check(inputs)
    run.ask(Op.CREATE, Reply(id="i-1", value=BAG), inputs=inputs)


def previews_the_unknown(run: PulumiRun) -> None:
    inputs = {"acl": UNKNOWN}
    run.check(inputs)
    run.ask(Op.CREATE, Reply(value=inputs), inputs=inputs, preview=True)


def remembers_a_preview(run: PulumiRun) -> None:
    run.make(BAG)
    run.check(BAG, prior_inputs={"acl": UNKNOWN})


def remembers_what_was_made(run: PulumiRun) -> None:
    run.make(BAG)
    run.check(BAG, prior_inputs=BAG)


def sends(value: Any) -> Callable[[PulumiRun], None]:
    def script(run: PulumiRun) -> None:
        run.check({"acl": value})

    return script


def passes(value: Any) -> Callable[[PulumiRun], None]:
    def script(run: PulumiRun) -> None:
        run.ask(Op.INVOKE, Reply(value={}), type="cloud:index:getZone", inputs={"region": value})

    return script


def deletes_in_a_preview(run: PulumiRun) -> None:
    run.make(BAG)
    run.session.preview = True
    run.ask(Op.DELETE, id="i-1", prior=BAG)


def previews(run: PulumiRun) -> None:
    run.session.preview = True
    run.check(BAG)
    run.ask(Op.CREATE, Reply(value=BAG), inputs=BAG, preview=True)


CASES: Cases = {
    "PULUMI-CONFIGURE-BEFORE-USE": (PulumiRun, uses_without_configure, checks_once_configured),
    "PULUMI-CHECK-BEFORE-CONFIGURE": (PulumiRun, configures_twice, checks_configuration_first),
    "PULUMI-CONFIGURE-ONCE": (of_pulumi, configures_again, configures_another_instance),
    "PULUMI-CONFIGURATION-IS-KNOWN": (PulumiRun, configures_the_unknown, configures_the_unknown_in_a_preview),
    "PULUMI-NOTHING-AFTER-CANCEL": (of_pulumi, goes_on_after_cancel, goes_on_as_pulumi_does),
    "PULUMI-ID-WAS-ISSUED": (of_pulumi, deletes_what_it_never_had, deletes_what_was_there),
    "PULUMI-NOTHING-AFTER-DELETE": (of_pulumi, deletes_twice, deletes_again_as_pulumi_does),
    "PULUMI-ID-WHERE-THERE-IS-ONE": (of_pulumi, reads_without_an_id, reads_by_id_alone),
    "PULUMI-REPLACED-WITH-THE-PROVIDER": (of_pulumi, updates_what_the_old_provider_made, replaces_what_the_old_provider_made),
    "PULUMI-ONE-OPERATION-AT-A-TIME": (of_pulumi, overlaps, overlaps_with_another_resource),
    "PULUMI-INPUTS-ARE-CHECKED": (lambda: of_pulumi("secrets"), creates_what_it_likes, creates_what_was_checked),
    "PULUMI-INPUTS-ARE-KNOWN": (of_pulumi, creates_the_unknown, previews_the_unknown),
    "PULUMI-STATE-IS-KNOWN": (of_pulumi, remembers_a_preview, remembers_what_was_made),
    "PULUMI-SECRETS-WHERE-ACCEPTED": (of_pulumi, sends(Secret("x")), sends("x")),
    "PULUMI-RESOURCES-WHERE-ACCEPTED": (lambda: of_pulumi("secrets"), sends(ResourceReference(URN)), sends(Secret("x"))),
    "PULUMI-OUTPUTS-WHERE-ACCEPTED": (lambda: of_pulumi("resources"), sends(Output("x")), sends(ResourceReference(URN))),
    "PULUMI-ARGUMENTS-ARE-PLAIN": (of_pulumi, passes(UNKNOWN), passes("eu")),
    "PULUMI-PREVIEWS-CHANGE-NOTHING": (of_pulumi, deletes_in_a_preview, previews),
}
