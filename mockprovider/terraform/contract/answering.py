"""What a provider owes an engine, rule by rule: what engines check of its answers, and what their documents ask beyond that.

The fake's own answers are checked before they are sent (``rpcs.conformance``). Those of real and recorded providers are judged
here, by the same functions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mockprovider.calls import EFFECTS, Op
from mockprovider.contract import ContractRule, Party, Severity
from mockprovider.terraform.contract.asking import LIFE, PROTO
from mockprovider.terraform.contract.comparing import frozen
from mockprovider.terraform.contract.providers import SHAPES, ProviderMoment
from mockprovider.terraform.rpcs.conformance import Answer
from mockprovider.terraform.rpcs.requests import codec
from mockprovider.terraform.rules import kept
from mockprovider.terraform.rules.planned import Problem, Promise
from mockprovider.terraform.traits import ResourceTraits
from mockprovider.values import Bag


def _broken(promises: frozenset[Promise], moment: ProviderMoment) -> str:
    if not moment.problems:
        return ""
    problem = next((problem for problem in moment.problems if problem.promise in promises), None)
    return "" if problem is None else problem.without_values


# What takes more than one answer ---------------------------------------------------------------------------------------------


def _another_plan(moment: ProviderMoment) -> str:
    """What was planned before, with the configuration as it was known then, still holds in the plan that is applied."""
    asked, history = moment.message, moment.history
    firsts = history.repeated.firsts(moment.call)
    tree = history.tree_of(moment, "resource") if firsts else None
    if tree is None:
        return ""
    config, plan = (Answer.unpacked(dynamic.msgpack, tree) for dynamic in (asked.config, asked.planned_state))
    problems: list[Problem] = []
    for first in firsts:
        if any(kept.broken(tree, Answer.unpacked(first.config, tree), config)):
            # It was planned with another configuration, which has not become this one.
            continue
        broken = next(kept.broken(tree, Answer.unpacked(first.plan, tree), plan), None)
        if broken is None:
            return ""
        problems.append(broken)
    return f"{problems[0].path or 'the whole object'} was planned in another way before." if problems else ""


def _plans_on(moment: ProviderMoment) -> str:
    call, reply, answer = moment.call, moment.reply, moment.answer
    message = reply.message.message if reply is not None and reply.message else None
    if message is None or not moment.history.repeated.plans_on(call, message) or moment.problems:
        return ""
    paths = answer.changes() if answer is not None else []
    return f"it plans to change {', '.join(paths)}, with the configuration that has just been applied." if paths else ""


def _impure(moment: ProviderMoment) -> str:
    reply = moment.reply
    if reply is None or not reply.ok:
        return ""
    before = moment.history.repeated.results.get((moment.call.type, frozen(moment.call.inputs)))
    return "" if before is None or before == frozen(reply.value) else "the same arguments had another result before."


def _new_meaning(moment: ProviderMoment) -> str:
    call, reply = moment.call, moment.reply
    if reply is None or not (reply.ok and reply.message) or call.stored is None:
        return ""
    there = call.stored.attributes is not None
    if there and reply.value is None:
        return "the whole object: there was one, and now there is none."
    name = getattr(call.native.message, "type_name", "") if call.native is not None else call.type
    if call.prior is None or call.stored.version != _version(moment, name or call.type):
        return ""
    names = differing_names(call.prior, call.id, reply.value or {}, reply.id)
    return f"the state is of today's version, and differs now at {', '.join(names)}." if names else ""


def differing_names(before: Bag, id_: str, after: Bag, new_id: str) -> list[str]:
    """The names at which two states differ; ``id`` where only that does."""
    names = [name for name in sorted(before.keys() | after.keys()) if frozen(before.get(name)) != frozen(after.get(name))]
    return names or (["id"] if id_ != new_id else [])


def _version(moment: ProviderMoment, name: str) -> int | None:
    declared = codec(moment.call.session, "resource", name).declared
    learned: int | None = moment.history.learned.version(name)
    return declared.trait(ResourceTraits).version if declared is not None else learned


# The rules -------------------------------------------------------------------------------------------------------------------

STATES = (Op.READ, Op.UPGRADE, Op.MOVE, Op.IMPORT)
CHANGES = tuple(sorted(EFFECTS))

CONTENTS: tuple[tuple[str, tuple[Op, ...], tuple[Promise, ...], str, str, str], ...] = (
    (
        "TF-PLAN-KEEPS-CONFIGURATION",
        (Op.PLAN,),
        (Promise.CONFIGURATION,),
        "A plan has each configured value, or the prior one that means the same, and leaves unknown only what is computed.",
        f"{LIFE}, PlanResourceChange; core's AssertPlanValid",
        "Plan the configured values, and the prior ones of what is computed and stays.",
    ),
    (
        "TF-PLAN-KEEPS-BLOCKS",
        (Op.PLAN,),
        (Promise.BLOCKS,),
        "A plan has as many nested blocks and objects as are configured, under the same keys; none is unknown itself.",
        f"{LIFE}, Handling of Nested Blocks in Configuration; core's AssertPlanValid",
        "Tell of blocks that nobody configured in a computed attribute, and make what is in a block unknown.",
    ),
    (
        "TF-PLAN-KEEPS-EXISTENCE",
        (Op.PLAN,),
        (Promise.EXISTENCE,),
        "What is configured is planned to be there, and a destroy is planned as null.",
        "core's AssertPlanValid and its check of destroy plans",
        "Answer null where the proposed new state is null, and there only.",
    ),
    (
        "TF-REPLACEMENT-PATHS-EXIST",
        (Op.PLAN,),
        (Promise.REPLACEMENT,),
        "What forces a replacement is a path in the prior or in the planned state.",
        f"{PROTO}, PlanResourceChange (requires_replace); core's checks of it",
        "Name the attributes as the schema has them.",
    ),
    (
        "TF-APPLY-KEEPS-PLAN",
        CHANGES,
        (Promise.APPLIED,),
        "A new state has each value that was planned as known, and for each unknown one a value that fits what was told of it.",
        f"{LIFE}, ApplyResourceChange; core's AssertObjectCompatible",
        "Answer what was planned, in the same spelling, or fail; plan an unknown where the value is not known before.",
    ),
    (
        "TF-APPLY-KEEPS-BLOCKS",
        CHANGES,
        (Promise.APPLIED_BLOCKS,),
        "A new state has the planned nested blocks: as many, under the same keys, and in a set each of them.",
        f"{LIFE}, Handling of Nested Blocks in Configuration; core's AssertObjectCompatible",
        "Tell of blocks that nobody configured in a computed attribute.",
    ),
    (
        "TF-APPLY-KEEPS-EXISTENCE",
        CHANGES,
        (Promise.APPLIED_EXISTENCE,),
        "An apply that succeeds answers an object, after a delete none.",
        f"{LIFE}, ApplyResourceChange; core's checks of the new state",
        "Answer null after a delete only, and an error where the object could not be made.",
    ),
    (
        "TF-APPLY-IS-KNOWN",
        CHANGES,
        (Promise.KNOWN,),
        "A new state is wholly known, also that of a failed apply.",
        f"{LIFE}, New State; core's checks of the new state",
        "Answer what is there, and null where there is nothing.",
    ),
    (
        "TF-WRITE-ONLY-IS-NULL",
        (Op.PLAN, *CHANGES, *STATES),
        (Promise.WRITE_ONLY,),
        "No plan and no state has a value of a write-only attribute.",
        f"{PROTO}, Schema.Attribute (write_only); core's checks of plans and states",
        "Answer null for it; the configuration of the apply has the value.",
    ),
    (
        "TF-STATES-ARE-KNOWN",
        STATES,
        (Promise.KNOWN,),
        "A state that is read, upgraded, moved or imported has no unknown values.",
        f"{LIFE}, ReadResource, UpgradeResourceState and ImportResourceState",
        "Answer what is there.",
    ),
    (
        "TF-IMPORTS-AND-MOVES-BRING-OBJECTS",
        (Op.IMPORT, Op.MOVE),
        (Promise.OBJECT,),
        "An import or a move that succeeds answers an object.",
        f"{LIFE}, ImportResourceState; core's checks of imported and moved states",
        "Answer a stub of it, or an error that says why there is none.",
    ),
    (
        "TF-IDENTITY-STAYS",
        (Op.READ,),
        (Promise.IDENTITY,),
        "A read answers the identity that the object has.",
        f"{PROTO}, ReadResource (current_identity); core's check: Provider produced different identity",
        "Look for the object that was asked for, and answer null where it is gone.",
    ),
    (
        "TF-DATA-IS-KNOWN",
        (Op.INVOKE,),
        (Promise.KNOWN, Promise.WRITE_ONLY),
        "What a data source answers has no unknown values.",
        f"{PROTO}, ReadDataSource; core's checks of its answer",
        "Answer what is there.",
    ),
    (
        "TF-DATA-IS-THERE",
        (Op.INVOKE,),
        (Promise.OBJECT,),
        "A data source answers an object, or an error that says why there is none.",
        f"{PROTO}, ReadDataSource; core's checks of its answer",
        "Fail where there is nothing.",
    ),
    (
        "TF-EPHEMERALS-KEEP-CONFIGURATION",
        (Op.OPEN,),
        (Promise.CONFIGURATION, Promise.BLOCKS, Promise.EXISTENCE),
        "An ephemeral resource keeps the values that are configured.",
        f"{PROTO}, OpenEphemeralResource; core's AssertPlanValid",
        "Answer the configured values, and compute the others.",
    ),
    (
        "TF-ANSWERS-FIT-THE-SCHEMA",
        tuple(SHAPES),
        (Promise.FORM,),
        "An object in an answer has all attributes of its type, no others, and values of their types.",
        f"{PROTO}, DynamicValue; the object wire format",
        "Encode with the schema that GetProviderSchema answers.",
    ),
    (
        "TF-DEFERRAL-WAS-ALLOWED",
        (Op.PLAN, Op.READ, Op.IMPORT, Op.INVOKE, Op.OPEN),
        (Promise.DEFERRAL,),
        "An answer is put off only where the engine allows that.",
        f"{PROTO}, ClientCapabilities.deferral_allowed",
        "Fail, and say what is missing, where the request does not allow deferrals.",
    ),
)
"""Rules about one answer: id, ops, what of it they are about, the rule, its source, and what to do."""

SEVERAL: tuple[tuple[str, tuple[Op, ...], Callable[[ProviderMoment], str], str, str, str, Severity], ...] = (
    (
        "TF-FINAL-PLAN-KEEPS-FIRST",
        (Op.CREATE, Op.UPDATE),
        _another_plan,
        "The plan that is applied has all that was known in the plan before it.",
        f"{LIFE}, PlanResourceChange (Initial and Final Planned State); core's AssertObjectCompatible",
        "Plan the same from the same, and an unknown where the value depends on what is not known yet.",
        Severity.ERROR,
    ),
    (
        "TF-PLAN-SETTLES",
        (Op.PLAN,),
        _plans_on,
        "A configuration that has been applied, on the state that this made, plans no change.",
        f"{LIFE}, PlanResourceChange and ReadResource (Normalization)",
        "Plan the prior value where it means the same as the configured one, and of what is computed and stays.",
        # No engine enforces it: objects that age on purpose, as those of hashicorp/time, plan changes.
        Severity.WARNING,
    ),
    (
        "TF-UPGRADE-KEEPS-MEANING",
        (Op.UPGRADE,),
        _new_meaning,
        "An upgrade changes the shape of a state and not its meaning: one of today's version stays as it is.",
        f"{LIFE}, UpgradeResourceState",
        "Leave to ReadResource what has changed outside, and answer states of today's version as they came.",
        Severity.ERROR,
    ),
    (
        "TF-FUNCTIONS-ARE-PURE",
        (Op.FUNCTION,),
        _impure,
        "A function answers the same to the same arguments.",
        f"{PROTO}, CallFunction; core's check: Provider function returned an inconsistent result",
        "Compute the result from the arguments alone; what looks at the world is a data source.",
        Severity.ERROR,
    ),
)
"""Rules about several answers: id, ops, the predicate, the rule, its source, what to do, and the severity."""


RULES: tuple[ContractRule, ...] = (
    *(
        ContractRule(
            id=id_,
            party=Party.PROVIDER,
            says=says,
            source=source,
            mend=mend,
            ops=frozenset(ops),
            broken=partial(_broken, frozenset(promises)),
        )
        for id_, ops, promises, says, source, mend in CONTENTS
    ),
    *(
        ContractRule(
            id=id_,
            party=Party.PROVIDER,
            says=says,
            source=source,
            mend=mend,
            ops=frozenset(ops),
            broken=broken,
            severity=severity,
        )
        for id_, ops, broken, says, source, mend, severity in SEVERAL
    ),
)
"""In the order of the reference page."""
