"""What Pulumi providers owe an engine: for each rule, a run that breaks it and one that keeps it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contract_stage import PulumiRun

from contract_cases.shapes import BAG, OTHER, Cases, of_pulumi
from mockprovider.calls import Change, ChangeKind, Failure, Op, Plan, Reply
from mockprovider.pulumi.diff import Changes, Diff, DiffKind
from mockprovider.values import UNKNOWN, Secret


def answers(op: Op, reply: Reply, **fields: Any) -> Callable[[PulumiRun], None]:
    """A call about an object that is there, with this answer."""

    def script(run: PulumiRun) -> None:
        if op not in (Op.CREATE, Op.CHECK, Op.INVOKE):
            run.make(BAG)
            fields.setdefault("id", "i-1")
            fields.setdefault("prior", BAG)
        if op in (Op.CREATE, Op.UPDATE):
            run.check(fields.get("inputs", BAG))
        run.ask(op, reply, **{"inputs": BAG, **fields})

    return script


def wavers(run: PulumiRun) -> None:
    run.check(BAG, {**BAG, "size": 1}, seed=b"1")
    run.check(BAG, {**BAG, "size": 2}, seed=b"1")


def follows_the_seed(run: PulumiRun) -> None:
    run.check(BAG, {**BAG, "size": 1}, seed=b"1")
    run.check(BAG, {**BAG, "size": 1}, seed=b"1")
    run.check(BAG, {**BAG, "size": 2}, seed=b"2")


def reads_by_id(reply: Reply) -> Callable[[PulumiRun], None]:
    def script(run: PulumiRun) -> None:
        run.make(BAG)
        run.ask(Op.READ, reply, id="i-1")

    return script


def reads_what_is_gone(run: PulumiRun) -> None:
    reads_by_id(Reply(id="i-1", value=BAG, inputs=BAG))(run)
    run.restart()
    run.start()
    reads_by_id(Reply(failures=(Failure("it cannot be imported"),)))(run)
    run.ask(Op.READ, Reply(), id="i-1", prior=BAG, prior_inputs=BAG)
    run.ask(Op.READ, Reply(), id="i-1")


def diff(**words: Any) -> Reply:
    return Reply(extra={"diff": Diff(**words)})


def checks_again(**defaults: Any) -> Callable[[PulumiRun], None]:
    """Two runs of an engine, each with a seed of its own, whose program says the same."""

    def script(run: PulumiRun) -> None:
        run.check(BAG, {**BAG, "size": 1}, seed=b"1", prior_inputs={})
        run.restart()
        run.start()
        run.check(BAG, {**BAG, **defaults}, seed=b"2", prior_inputs={**BAG, "size": 1})

    return script


def previews(outputs: Any) -> Callable[[PulumiRun], None]:
    """A preview of a create that answers this, and the create."""

    def script(run: PulumiRun) -> None:
        run.check(BAG)
        run.ask(Op.CREATE, Reply(value=outputs), inputs=BAG, preview=True)
        run.ask(Op.CREATE, Reply(id="i-1", value={**BAG, "arn": "arn-1"}), inputs=BAG)

    return script


def reads_after_preview(answered: Any) -> Callable[[PulumiRun], None]:
    """A preview of an update, and a read that answers this."""

    def script(run: PulumiRun) -> None:
        run.make(BAG)
        run.check(OTHER)
        run.ask(Op.UPDATE, Reply(value=OTHER), id="i-1", inputs=OTHER, prior=BAG, preview=True)
        run.ask(Op.READ, Reply(id="i-1", value=answered, inputs=answered), id="i-1", prior=BAG, prior_inputs=BAG)

    return script


def updates_stable(answered: Any) -> Callable[[PulumiRun], None]:
    """An update that answers this, after a diff that called the ARN stable."""

    def script(run: PulumiRun) -> None:
        run.make(BAG, {**BAG, "arn": "arn-1"})
        old = {"id": "i-1", "prior": {**BAG, "arn": "arn-1"}, "prior_inputs": BAG}
        run.check(OTHER)
        run.ask(Op.DIFF, diff(changes=Changes.SOME, stables=("arn",)), inputs=OTHER, **old)
        run.ask(Op.UPDATE, Reply(value=answered), inputs=OTHER, **old)

    return script


def makes_two(*ids: str) -> Callable[[PulumiRun], None]:
    def script(run: PulumiRun) -> None:
        for name, id_ in zip(("a", "b"), ids, strict=True):
            run.check(BAG, name=name)
            run.ask(Op.CREATE, Reply(id=id_, value=BAG), inputs=BAG, name=name)

    return script


def detailed(*replaces: str, **kinds: int) -> Reply:
    return diff(
        changes=Changes.SOME,
        has_detailed=True,
        detailed={path: (kind, True) for path, kind in kinds.items()},
        replaces=replaces,
    )


def publishes(schema: str) -> Callable[[PulumiRun], None]:
    return answers(Op.GET_SCHEMA, Reply(extra={"schema": schema}))


PACKAGE = '{"name": "cloud", "resources": {"cloud:index:Bucket": {"inputProperties": {"acl": {"type": "string"}}}}}'
SECRET = {"acl": Secret("private")}
NOT_THERE = Reply(failures=(Failure("gone", status="not_found"),))


CASES: Cases = {
    "PULUMI-CREATE-TELLS-THE-ID": (
        of_pulumi,
        answers(Op.CREATE, Reply(value=BAG)),
        answers(Op.CREATE, Reply(value=BAG), preview=True),
    ),
    "PULUMI-CHANGES-TELL-THE-STATE": (
        of_pulumi,
        answers(Op.UPDATE, Reply(), prior_inputs=BAG),
        answers(Op.UPDATE, Reply(value={}), prior_inputs=BAG),
    ),
    "PULUMI-UPDATE-KEEPS-THE-ID": (
        of_pulumi,
        answers(Op.UPDATE, Reply(value=BAG, id="i-2")),
        answers(Op.UPDATE, Reply(value=BAG, id="i-1")),
    ),
    "PULUMI-PARTIAL-STATE-IS-WHOLE": (
        of_pulumi,
        answers(Op.CREATE, Reply(id="i-1", failures=(Failure("late"),))),
        answers(Op.CREATE, Reply(id="i-1", value=BAG, failures=(Failure("late"),))),
    ),
    "PULUMI-RESULTS-ARE-KNOWN": (
        of_pulumi,
        answers(Op.CREATE, Reply(id="i-1", value={"arn": UNKNOWN})),
        answers(Op.CREATE, Reply(value={"arn": UNKNOWN}), preview=True),
    ),
    "PULUMI-READ-TELLS-THE-STATE": (
        of_pulumi,
        answers(Op.READ, Reply(id="i-1", inputs=BAG)),
        answers(Op.READ, Reply()),
    ),
    "PULUMI-IMPORT-TELLS-THE-INPUTS": (
        of_pulumi,
        lambda run: run.ask(Op.READ, Reply(id="i-1", value=BAG), id="i-1"),
        lambda run: run.ask(Op.READ, Reply(id="i-1", value=BAG, inputs=BAG), id="i-1"),
    ),
    "PULUMI-DELETE-OF-NOTHING-SUCCEEDS": (
        of_pulumi,
        answers(Op.DELETE, NOT_THERE),
        answers(Op.DELETE, Reply(failures=(Failure("no", status="permission_denied"),))),
    ),
    "PULUMI-CHECK-TELLS-THE-INPUTS": (
        of_pulumi,
        answers(Op.CHECK, Reply()),
        answers(Op.CHECK, Reply(failures=(Failure("no", "acl"),))),
    ),
    "PULUMI-IMPORT-NEEDS-THE-ID-ALONE": (of_pulumi, reads_by_id(Reply()), reads_what_is_gone),
    "PULUMI-CHECK-ADDS-NO-UNKNOWNS": (
        of_pulumi,
        answers(Op.CHECK, Reply(inputs={"acl": UNKNOWN})),
        answers(Op.CHECK, Reply(inputs={"acl": UNKNOWN}), inputs={"size": UNKNOWN}),
    ),
    "PULUMI-CHECK-IS-DETERMINISTIC": (of_pulumi, wavers, follows_the_seed),
    "PULUMI-FAILURES-NAME-PROPERTIES": (
        of_pulumi,
        answers(Op.CHECK, Reply(failures=(Failure("no", "alc"),))),
        answers(Op.CHECK, Reply(failures=(Failure("no", "acl.owner"), Failure("too many")))),
    ),
    "PULUMI-ANSWERS-FIT-THE-SCHEMA": (
        of_pulumi,
        answers(Op.CREATE, Reply(id="i-1", value={"acl": "private", "size": "1"})),
        answers(Op.CREATE, Reply(id="i-1", value={"acl": Secret("private"), "size": 1.0, "more": True})),
    ),
    "PULUMI-DIFF-HAS-A-VERDICT": (
        of_pulumi,
        answers(Op.DIFF, diff(changes=3)),
        answers(Op.DIFF, diff(changes=Changes.UNKNOWN)),
    ),
    "PULUMI-DIFF-AGREES-WITH-ITSELF": (
        of_pulumi,
        answers(Op.DIFF, diff(changes=Changes.NONE, replaces=("acl",))),
        answers(Op.DIFF, Reply(plan=Plan(OTHER, (Change("acl", ChangeKind.UPDATE),))), inputs=OTHER),
    ),
    "PULUMI-REPLACEMENTS-AGREE": (
        of_pulumi,
        answers(Op.DIFF, detailed("acl", acl=DiffKind.UPDATE), inputs=OTHER),
        answers(Op.DIFF, detailed("acl", acl=DiffKind.UPDATE_REPLACE), inputs=OTHER),
    ),
    "PULUMI-DIFF-PATHS-EXIST": (
        of_pulumi,
        answers(Op.DIFF, detailed(acls=DiffKind.UPDATE), inputs=OTHER),
        answers(Op.DIFF, detailed(acl=DiffKind.UPDATE, size=DiffKind.ADD), inputs={**OTHER, "size": UNKNOWN}),
    ),
    "PULUMI-SECRETS-STAY-SECRET": (
        lambda: of_pulumi("secrets"),
        answers(Op.CREATE, Reply(id="i-1", value=BAG), inputs=SECRET),
        answers(Op.CREATE, Reply(id="i-1", value=SECRET), inputs=SECRET),
    ),
    "PULUMI-FUNCTION-RESULTS-ARE-KNOWN": (
        of_pulumi,
        answers(Op.INVOKE, Reply(value={"zone": UNKNOWN})),
        answers(Op.INVOKE, Reply(value={"zone": Secret("eu-1")})),
    ),
    "PULUMI-CHECK-KEEPS-DEFAULTS": (of_pulumi, checks_again(size=2), checks_again(size=1)),
    "PULUMI-PREVIEWS-COME-TRUE": (of_pulumi, previews({**BAG, "arn": "arn-0"}), previews({**BAG, "arn": UNKNOWN})),
    "PULUMI-PREVIEWS-HAVE-NO-EFFECT": (of_pulumi, reads_after_preview(OTHER), reads_after_preview(BAG)),
    "PULUMI-STABLES-STAY": (
        of_pulumi,
        updates_stable({**OTHER, "arn": "arn-2"}),
        updates_stable({**OTHER, "arn": "arn-1"}),
    ),
    "PULUMI-DIFF-SETTLES": (
        of_pulumi,
        answers(Op.DIFF, diff(changes=Changes.SOME)),
        answers(Op.DIFF, diff(changes=Changes.SOME), inputs=OTHER),
    ),
    "PULUMI-IDS-ARE-UNIQUE": (of_pulumi, makes_two("i-1", "i-1"), makes_two("i-1", "i-2")),
    "PULUMI-SCHEMA-IS-A-PACKAGE": (of_pulumi, publishes(PACKAGE.replace('"string"', "1")), publishes(PACKAGE)),
}
