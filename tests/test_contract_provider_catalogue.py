"""A catalogue of mistakes that providers make: each is one change of what a right provider answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from contract_conversations import Mistake, pulumi_breaches, terraform_breaches
from msgspec.structs import replace

from mockprovider.calls import Call, Failure, Op, Reply
from mockprovider.pulumi.diff import Changes, Diff, DiffKind
from mockprovider.terraform.values.packing import pack_any, unpack_any
from mockprovider.values import UNKNOWN, reveal


def of(op: Op, change: Callable[[Call, Reply], dict[str, Any]], *, preview: bool = False) -> Mistake:
    """A change of the answers to one op."""

    def mistake(call: Call, reply: Reply) -> Reply:
        fits = call.op is op and call.preview is preview and reply.ok
        return replace(reply, native=None, **change(call, reply)) if fits else reply

    return mistake


class Counting:
    """Answers that are others each time."""

    def __init__(self) -> None:
        self.count = 0

    def next(self) -> int:
        """How often this was asked."""
        self.count += 1
        return self.count


def without(bag: Any, *names: str) -> dict[str, Any]:
    return {name: value for name, value in (bag or {}).items() if name not in names}


def diff(**words: Any) -> Callable[[Call, Reply], dict[str, Any]]:
    """Another diff, of what has changed in the inputs."""
    return lambda call, _: (
        {} if call.inputs == call.prior_inputs else {"plan": None, "extra": {"diff": Diff(changes=Changes.SOME, **words)}}
    )


def detail(*replaces: str, **kinds: int) -> Callable[[Call, Reply], dict[str, Any]]:
    return diff(has_detailed=True, detailed={name: (kind, True) for name, kind in kinds.items()}, replaces=replaces)


COUNT = Counting()
LATE = (Failure("late"),)

PULUMI_MISTAKES: dict[str, tuple[str, Mistake]] = {
    "creates without telling the id": ("PULUMI-CREATE-TELLS-THE-ID", of(Op.CREATE, lambda *_: {"id": ""})),
    "creates without telling the state": ("PULUMI-CHANGES-TELL-THE-STATE", of(Op.CREATE, lambda *_: {"value": None})),
    "forgets the state in an update": ("PULUMI-CHANGES-TELL-THE-STATE", of(Op.UPDATE, lambda *_: {"value": None})),
    "gives another id in an update": ("PULUMI-UPDATE-KEEPS-THE-ID", of(Op.UPDATE, lambda *_: {"id": "i-9"})),
    "gives all objects one id": ("PULUMI-IDS-ARE-UNIQUE", of(Op.CREATE, lambda *_: {"id": "i-0"})),
    "fails half-way without the state": (
        "PULUMI-PARTIAL-STATE-IS-WHOLE",
        of(Op.CREATE, lambda *_: {"failures": LATE, "value": None}),
    ),
    "fails half-way without the id": ("PULUMI-PARTIAL-STATE-IS-WHOLE", of(Op.CREATE, lambda *_: {"failures": LATE, "id": ""})),
    "leaves an output unknown": (
        "PULUMI-RESULTS-ARE-KNOWN",
        of(Op.CREATE, lambda _, reply: {"value": {**reply.value, "arn": UNKNOWN}}),
    ),
    "reads unknown inputs": (
        "PULUMI-RESULTS-ARE-KNOWN",
        of(Op.READ, lambda _, reply: {"inputs": {**reply.inputs, "acl": UNKNOWN}}),
    ),
    "reads an id without a state": ("PULUMI-READ-TELLS-THE-STATE", of(Op.READ, lambda *_: {"value": None})),
    "imports without inputs": ("PULUMI-IMPORT-TELLS-THE-INPUTS", of(Op.READ, lambda *_: {"inputs": None})),
    "checks without answering inputs": ("PULUMI-CHECK-TELLS-THE-INPUTS", of(Op.CHECK, lambda *_: {"inputs": None})),
    "makes a default unknown": (
        "PULUMI-CHECK-ADDS-NO-UNKNOWNS",
        of(Op.CHECK, lambda _, reply: {"inputs": {**reply.inputs, "size": UNKNOWN}}),
    ),
    "counts its checks": (
        "PULUMI-CHECK-KEEPS-DEFAULTS",
        of(Op.CHECK, lambda _, reply: {"inputs": {**reply.inputs, "size": COUNT.next()}}),
    ),
    "makes a default of the seed alone": (
        "PULUMI-CHECK-KEEPS-DEFAULTS",
        of(Op.CHECK, lambda call, reply: {"inputs": {**reply.inputs, "label": call.seed.hex()}}),
    ),
    "refuses a property that there is not": (
        "PULUMI-FAILURES-NAME-PROPERTIES",
        of(Op.CHECK, lambda *_: {"failures": (Failure("no", "sise"),)}),
    ),
    "makes a number a text": (
        "PULUMI-ANSWERS-FIT-THE-SCHEMA",
        of(Op.CREATE, lambda _, reply: {"value": {**reply.value, "size": "1"}}),
    ),
    "answers a verdict of its own": ("PULUMI-DIFF-HAS-A-VERDICT", of(Op.DIFF, lambda *_: {"extra": {"diff": Diff(changes=4)}})),
    "lists changes, and says there are none": (
        "PULUMI-DIFF-AGREES-WITH-ITSELF",
        of(Op.DIFF, lambda *_: {"extra": {"diff": Diff(changes=Changes.NONE, replaces=("acl",))}}),
    ),
    "replaces for a key that is updated": ("PULUMI-REPLACEMENTS-AGREE", of(Op.DIFF, detail("acl", acl=DiffKind.UPDATE))),
    "replaces in the detail alone": ("PULUMI-REPLACEMENTS-AGREE", of(Op.DIFF, detail(acl=DiffKind.UPDATE_REPLACE))),
    "finds changes at a path of the service": ("PULUMI-DIFF-PATHS-EXIST", of(Op.DIFF, detail(accessControl=DiffKind.UPDATE))),
    "finds changes always": ("PULUMI-DIFF-SETTLES", of(Op.DIFF, lambda *_: {"extra": {"diff": Diff(changes=Changes.SOME)}})),
    "changes what is stable": (
        "PULUMI-STABLES-STAY",
        of(Op.UPDATE, lambda _, reply: {"value": {**reply.value, "arn": "arn:2"}}),
    ),
    "shows a secret": (
        "PULUMI-SECRETS-STAY-SECRET",
        of(Op.CREATE, lambda _, reply: {"value": reveal(reply.value)}),
    ),
    "shows a secret in a list": (
        "PULUMI-SECRETS-STAY-SECRET",
        of(Op.UPDATE, lambda _, reply: {"value": {**reply.value, "keys": reveal(reply.value.get("keys"))}}),
    ),
    "previews what comes otherwise": (
        "PULUMI-PREVIEWS-COME-TRUE",
        of(Op.CREATE, lambda _, reply: {"value": {**reply.value, "arn": "arn:new"}}, preview=True),
    ),
    "answers a preview as the inputs, which change": (
        "PULUMI-PREVIEWS-COME-TRUE",
        of(Op.UPDATE, lambda call, reply: {"value": {**reply.value, "arn": "arn:0"}}, preview=True),
    ),
    "deletes nothing twice, with an error": (
        "PULUMI-DELETE-OF-NOTHING-SUCCEEDS",
        of(Op.DELETE, lambda *_: {"failures": (Failure("gone", status="not_found"),)}),
    ),
    "looks up what is unknown": ("PULUMI-FUNCTION-RESULTS-ARE-KNOWN", of(Op.INVOKE, lambda *_: {"value": {"zone": UNKNOWN}})),
    "drops an output in an update": (
        "",
        of(Op.UPDATE, lambda _, reply: {"value": without(reply.value, "acl")}),
    ),
}
"""What a provider of Pulumi's does wrong: the rule that catches it, and what it answers."""


def message(method: str, change: Callable[[Any, Any], None]) -> Mistake:
    """A change of the message that answers a method; the request comes first."""

    def mistake(call: Call, reply: Reply) -> Reply:
        if call.method != method or reply.native is None:
            return reply
        answer = type(reply.native.message)()
        answer.CopyFrom(reply.native.message)
        change(call.native.message if call.native else None, answer)
        return replace(reply, native=type(reply.native)(answer.SerializeToString(), answer))

    return mistake


def object_in(method: str, field: str, change: Callable[[Any], Any]) -> Mistake:
    """A change of the object in an answer; what is null stays so."""

    def changed(_: Any, answer: Any) -> None:
        dynamic = getattr(answer, field)
        value = unpack_any(dynamic.msgpack) if dynamic.msgpack else None
        if value is not None:
            dynamic.msgpack = pack_any(change(value))

    return message(method, changed)


def puts(**attributes: Any) -> Callable[[Any], Any]:
    return lambda value: {**value, **attributes}


def requires(attribute: str) -> Callable[[Any, Any], None]:
    def changed(_: Any, answer: Any) -> None:
        answer.requires_replace.add().steps.add(attribute_name=attribute)

    return changed


def plans_what_was_there(asked: Any, answer: Any) -> None:
    if not asked.config.msgpack or asked.config.msgpack == b"\xc0":
        answer.planned_state.CopyFrom(asked.prior_state)


def keeps_what_is_deleted(asked: Any, answer: Any) -> None:
    if asked.planned_state.msgpack in (b"", b"\xc0"):
        answer.new_state.CopyFrom(asked.prior_state)


def imports_nothing(_: Any, answer: Any) -> None:
    del answer.imported_resources[:]


def imports_null(_: Any, answer: Any) -> None:
    answer.imported_resources[0].state.msgpack = b"\xc0"


def another_identity(_: Any, answer: Any) -> None:
    answer.new_identity.identity_data.msgpack = pack_any({"name": "somebody"})


PLANNING, APPLYING, READING = "PlanResourceChange", "ApplyResourceChange", "ReadResource"

TERRAFORM_MISTAKES: dict[str, tuple[str, Mistake]] = {
    "plans another value": ("TF-PLAN-KEEPS-CONFIGURATION", object_in(PLANNING, "planned_state", puts(name="B"))),
    "normalizes in the plan": (
        "TF-PLAN-KEEPS-CONFIGURATION",
        object_in(PLANNING, "planned_state", lambda value: {**value, "name": value["name"].upper()}),
    ),
    "plans a configured value as unknown": (
        "TF-PLAN-KEEPS-CONFIGURATION",
        object_in(PLANNING, "planned_state", puts(name=UNKNOWN)),
    ),
    "plans a block of its own": (
        "TF-PLAN-KEEPS-BLOCKS",
        object_in(PLANNING, "planned_state", lambda value: {**value, "rules": [*value["rules"], {"port": 9.0}]}),
    ),
    "plans unknown blocks": ("TF-PLAN-KEEPS-BLOCKS", object_in(PLANNING, "planned_state", puts(rules=UNKNOWN))),
    "plans a destroy as nothing to do": ("TF-PLAN-KEEPS-EXISTENCE", message(PLANNING, plans_what_was_there)),
    "plans absence": ("TF-PLAN-KEEPS-EXISTENCE", object_in(PLANNING, "planned_state", lambda _: None)),
    "replaces because of its own name for it": ("TF-REPLACEMENT-PATHS-EXIST", message(PLANNING, requires("displayName"))),
    "plans the write-only value": ("TF-WRITE-ONLY-IS-NULL", object_in(PLANNING, "planned_state", puts(pin="1"))),
    "keeps the write-only value": ("TF-WRITE-ONLY-IS-NULL", object_in(APPLYING, "new_state", puts(pin="1"))),
    "applies another value": ("TF-APPLY-KEEPS-PLAN", object_in(APPLYING, "new_state", puts(name="B"))),
    "normalizes in the apply": (
        "TF-APPLY-KEEPS-PLAN",
        object_in(APPLYING, "new_state", lambda value: {**value, "name": value["name"].upper()}),
    ),
    "forgets an argument": ("TF-APPLY-KEEPS-PLAN", object_in(APPLYING, "new_state", puts(name=None))),
    "applies a block of its own": (
        "TF-APPLY-KEEPS-BLOCKS",
        object_in(APPLYING, "new_state", lambda value: {**value, "rules": [*value["rules"], {"port": 9.0}]}),
    ),
    "leaves an attribute unknown": ("TF-APPLY-IS-KNOWN", object_in(APPLYING, "new_state", puts(made=UNKNOWN))),
    "answers null after a create": ("TF-APPLY-KEEPS-EXISTENCE", object_in(APPLYING, "new_state", lambda _: None)),
    "answers the object after a delete": ("TF-APPLY-KEEPS-EXISTENCE", message(APPLYING, keeps_what_is_deleted)),
    "reads an unknown value": ("TF-STATES-ARE-KNOWN", object_in(READING, "new_state", puts(made=UNKNOWN))),
    "reads another object": ("TF-IDENTITY-STAYS", message(READING, another_identity)),
    "reads an attribute of no schema": ("TF-ANSWERS-FIT-THE-SCHEMA", object_in(READING, "new_state", puts(more="x"))),
    "reads a list where a text is": ("TF-ANSWERS-FIT-THE-SCHEMA", object_in(READING, "new_state", puts(name=["x"]))),
    "upgrades to what is there now": (
        "TF-UPGRADE-KEEPS-MEANING",
        object_in("UpgradeResourceState", "upgraded_state", puts(made="x")),
    ),
    "upgrades to nothing": ("TF-UPGRADE-KEEPS-MEANING", object_in("UpgradeResourceState", "upgraded_state", lambda _: None)),
    "imports nothing, and is content": ("TF-IMPORTS-AND-MOVES-BRING-OBJECTS", message("ImportResourceState", imports_nothing)),
    "imports null": ("TF-IMPORTS-AND-MOVES-BRING-OBJECTS", message("ImportResourceState", imports_null)),
    "looks up an unknown value": ("TF-DATA-IS-KNOWN", object_in("ReadDataSource", "state", puts(zone=UNKNOWN))),
    "looks up nothing, and is content": ("TF-DATA-IS-THERE", object_in("ReadDataSource", "state", lambda _: None)),
    "opens for somebody else": (
        "TF-EPHEMERALS-KEEP-CONFIGURATION",
        object_in("OpenEphemeralResource", "result", puts(user="you")),
    ),
    "puts a plan off unasked": (
        "TF-DEFERRAL-WAS-ALLOWED",
        message(PLANNING, lambda _, answer: answer.deferred.MergeFrom(type(answer.deferred)(reason=1))),
    ),
    "plans another thing each time": (
        "TF-FINAL-PLAN-KEEPS-FIRST",
        object_in(PLANNING, "planned_state", lambda value: {**value, "made": f"m-{COUNT.next()}"}),
    ),
    "never settles": ("TF-PLAN-SETTLES", object_in(PLANNING, "planned_state", puts(made=UNKNOWN))),
    "fills in what nobody configured": ("TF-PLAN-KEEPS-CONFIGURATION", object_in(PLANNING, "planned_state", puts(size=1.0))),
    "answers a function by the hour": ("TF-FUNCTIONS-ARE-PURE", message("CallFunction", lambda _, answer: count_into(answer))),
    "reads another spelling": ("", object_in(READING, "new_state", lambda value: {**value, "name": value["name"].upper()})),
}
"""What a provider of Terraform's does wrong: the rule that catches it, and what it answers."""


def count_into(answer: Any) -> None:
    answer.result.msgpack = pack_any(float(COUNT.next()))


NOT_CAUGHT = {
    "drops an output in an update": "nothing tells an output that is gone from one that is forgotten",
    "reads another spelling": "no message tells a spelling from drift; the plan after it shows the change",
}


def test_a_right_provider_of_pulumis() -> None:
    """The provider whose answers are changed breaks no rule by itself."""
    assert pulumi_breaches(lambda _, reply: reply) == []


def test_a_right_provider_of_terraforms() -> None:
    """The provider whose answers are changed breaks no rule by itself."""
    assert terraform_breaches(lambda _, reply: reply) == []


@pytest.mark.parametrize("mistake", PULUMI_MISTAKES)
def test_a_mistake_of_a_provider_of_pulumis(mistake: str) -> None:
    """Each mistake breaks its rule, but for those that are listed with what keeps them from being told."""
    rule, change = PULUMI_MISTAKES[mistake]
    assert rule in [*pulumi_breaches(change), *([""] if mistake in NOT_CAUGHT else [])]


@pytest.mark.parametrize("mistake", TERRAFORM_MISTAKES)
def test_a_mistake_of_a_provider_of_terraforms(mistake: str) -> None:
    """Each mistake breaks its rule, but for those that are listed with what keeps them from being told."""
    rule, change = TERRAFORM_MISTAKES[mistake]
    assert rule in [*terraform_breaches(change), *([""] if mistake in NOT_CAUGHT else [])]


def test_most_mistakes_are_caught() -> None:
    """At least 25 mistakes of Pulumi's providers and 20 of Terraform's are tried, and one in twenty at most is not caught."""
    tried = {**PULUMI_MISTAKES, **TERRAFORM_MISTAKES}
    assert NOT_CAUGHT.keys() == {mistake for mistake, (rule, _) in tried.items() if not rule}
    assert (len(PULUMI_MISTAKES) >= 25, len(TERRAFORM_MISTAKES) >= 20, len(NOT_CAUGHT) * 20 <= len(tried)) == (True, True, True)
