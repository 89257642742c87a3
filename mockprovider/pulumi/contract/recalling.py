"""What a provider owes an engine, rule by rule: rules about several answers, which have to agree with each other."""

from __future__ import annotations

from mockprovider.calls import Op
from mockprovider.contract import ContractRule, Party
from mockprovider.payloads import ListedObject
from mockprovider.pulumi.contract.answering import CHANGES, NEVER_ENFORCED, OK
from mockprovider.pulumi.contract.answers import listed
from mockprovider.pulumi.contract.asking import GUIDE, PROTO, REAL
from mockprovider.pulumi.contract.history import PulumiMoment
from mockprovider.pulumi.contract.repeated import contradicted
from mockprovider.pulumi.contract.values import alike, differing
from mockprovider.pulumi.diff import Changes
from mockprovider.values import same


def _forgets_defaults(moment: PulumiMoment) -> str:
    call, reply = moment.call, moment.answer
    if reply.inputs is None or not call.prior_inputs:
        return ""
    news = call.inputs or {}
    for before in reversed(moment.history.repeated.checks.get(call.urn, ())):
        same_question = before.instance == call.session.instance and before.news == news
        if same_question and alike(call.prior_inputs, before.inputs):
            now, old = ({name: item for name, item in bag.items() if name not in news} for bag in (reply.inputs, before.inputs))
            return listed("these defaults are not those of the old inputs any more:", differing(now, old))
    return ""


def _not_as_previewed(moment: PulumiMoment) -> str:
    call, reply = moment.call, moment.answer
    before = moment.history.repeated.previews.get((call.urn, call.id))
    if before is None or reply.value is None:
        return ""
    if before.inputs != (call.inputs or {}) or before.prior != call.prior:
        return ""
    return listed("the preview of it said something else of", contradicted(before.outputs, reply.value))


def _previewed_id_exists(moment: PulumiMoment) -> str:
    """What only a preview has told of, and is there."""
    reply, seen = moment.answer, moment.history
    ids = (
        [listed.id for listed in reply.listed if isinstance(listed, ListedObject)] if moment.call.op is Op.LIST else [reply.id]
    )
    previewed = {before.id for (_, id_), before in seen.repeated.previews.items() if before.id and not id_}
    there = [id_ for id_ in ids if id_ in previewed and not seen.has_heard_of(id_)]
    return f"{there[0]!r} is there, and only a preview has told of it." if there else ""


def _previewed_state_is_there(moment: PulumiMoment) -> str:
    call, reply = moment.call, moment.answer
    before = moment.history.repeated.previews.get((call.urn, call.id)) if call.id else None
    known = moment.known.outputs.bags if moment.known is not None else []
    if before is None or not reply.value or not known or before.prior is None:
        return ""
    if any(contradicted(before.outputs, reply.value)):
        return ""
    return listed("nobody has updated it, and there is what its preview said of", contradicted(before.outputs, known[-1]))


def _effect_of_preview(moment: PulumiMoment) -> str:
    if not moment.history.repeated.previews:
        return ""
    return _previewed_id_exists(moment) or (_previewed_state_is_there(moment) if moment.call.op is Op.READ else "")


def _changes_stables(moment: PulumiMoment) -> str:
    call, reply = moment.call, moment.answer
    inputs, diffed = moment.history.repeated.diffs.get((call.urn, call.id), ({}, None))
    if diffed is None or reply.value is None or inputs != (call.inputs or {}):
        return ""
    stables, old, new = diffed.stables, call.prior or {}, reply.value
    return listed(
        "Diff had called these stable:",
        (name for name in stables if name in old and not alike(new.get(name), old[name])),
    )


def _never_settles(moment: PulumiMoment) -> str:
    call, state = moment.call, moment.history.repeated.states.get((moment.call.type, moment.call.id))
    if state is None or moment.diff.changes != Changes.SOME or state.instance != call.session.instance:
        return ""
    # After an update that failed half-way an engine remembers the new state with the old inputs, which differ.
    inputs = (call.inputs or {}, *([] if call.prior_inputs is None else [call.prior_inputs]))
    # Assets are the same by their hashes here: which file a program names says nothing.
    if not all(same(bag, state.inputs) for bag in inputs) or not alike(call.prior or {}, state.outputs):
        return ""
    return "something changes, it says, and nothing has since these inputs made this state."


def _id_of_another(moment: PulumiMoment) -> str:
    call, reply, where = moment.call, moment.answer, moment.instance.where
    others = (
        seen.urn
        for seen in moment.history.objects.of_id(reply.id)
        if reply.id and (seen.type, seen.where, seen.state) == (call.type, where, "there") and seen.wanted is not None
    )
    owner = next((urn for urn in others if urn != call.urn), "")
    return f"{owner} has the same id, and is still there." if owner else ""


RULES: tuple[ContractRule, ...] = (
    ContractRule(
        id="PULUMI-CHECK-KEEPS-DEFAULTS",
        party=Party.PROVIDER,
        says="The same inputs, checked against the old inputs that came of them, get the same defaults, whatever the seed.",
        source=f"{GUIDE}, Check (olds, randomSeed): engines draw another seed for each run",
        mend="Take a default that was made up from the old inputs, if there are any.",
        ops=frozenset({Op.CHECK}),
        broken=_forgets_defaults,
        when=OK,
    ),
    ContractRule(
        id="PULUMI-PREVIEWS-COME-TRUE",
        party=Party.PROVIDER,
        says="A preview leaves unknown what it cannot guarantee: known values are those that the operation answers.",
        source=f"{GUIDE}, Create (preview), Update (preview)",
        mend="Answer an unknown, or leave the property out.",
        ops=CHANGES,
        broken=_not_as_previewed,
        when=REAL | OK,
    ),
    ContractRule(
        id="PULUMI-PREVIEWS-HAVE-NO-EFFECT",
        party=Party.PROVIDER,
        says="A preview calculates what would be, and makes and changes nothing.",
        source=f"{GUIDE}, Create (preview), Update (preview)",
        mend="Look at preview before anything is sent.",
        ops=frozenset({Op.READ, Op.LIST}),
        broken=_effect_of_preview,
        # Somebody else may have made the very object, or change, that the preview was of.
        severity=NEVER_ENFORCED,
    ),
    ContractRule(
        id="PULUMI-STABLES-STAY",
        party=Party.PROVIDER,
        says="Properties that Diff calls stable are guaranteed not to change.",
        source=f"{GUIDE}, Diff (stableKeys)",
        mend="List what stays whatever an update does, and nothing else.",
        ops=frozenset({Op.UPDATE}),
        broken=_changes_stables,
        when=REAL | OK,
    ),
    ContractRule(
        id="PULUMI-DIFF-SETTLES",
        party=Party.PROVIDER,
        says="The inputs that made a state do not differ from it.",
        source=f"{GUIDE}, Diff (changes), Custom resource lifecycle",
        mend="Compare what means the same: forms that the service answers, defaults, and the order of what has none.",
        ops=frozenset({Op.DIFF}),
        broken=_never_settles,
        when=OK,
        # Some resources are there to be run each time.
        severity=NEVER_ENFORCED,
    ),
    ContractRule(
        id="PULUMI-IDS-ARE-UNIQUE",
        party=Party.PROVIDER,
        says="An id identifies one physical resource.",
        source=f"{GUIDE}, Custom resources; {PROTO}.Delete, which tells an object by its id",
        mend="Answer an id that no other object of the type has.",
        ops=frozenset({Op.CREATE}),
        broken=_id_of_another,
        when=REAL,
        # Real providers make ids of contents or names: two resources may mean one object on purpose.
        severity=NEVER_ENFORCED,
    ),
)
"""In the order of the reference page."""
