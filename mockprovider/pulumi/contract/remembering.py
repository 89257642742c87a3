"""What an engine owes a provider about what it remembers: states, inputs, and the objects themselves."""

from __future__ import annotations

from mockprovider.calls import Call, Op
from mockprovider.contract import ContractRule, Party, Severity
from mockprovider.pulumi.contract.asking import GUIDE, PROTO, REAL, unlike
from mockprovider.pulumi.contract.engines import EnginesHistory
from mockprovider.pulumi.contract.history import Compared, PulumiMoment
from mockprovider.pulumi.contract.objects import ObjectSeen
from mockprovider.pulumi.contract.values import alike, references
from mockprovider.pulumi.diff import Changes

ABOUT_AN_OBJECT = frozenset({Op.DIFF, Op.UPDATE, Op.DELETE})
DECLARED = "Where a test edits or restores a state by other means than import_(), it says so: provider.contract.adopt()."


def _no_state(moment: PulumiMoment) -> str:
    return "it brings no old state." if moment.call.prior is None else ""


def _stale(moment: PulumiMoment) -> str:
    seen = moment.known
    if seen is None or seen.outputs.open or moment.call.prior is None:
        # Nobody was seen to tell what its state was: an object, or a state, is older than the run.
        return ""
    return unlike(moment.call.prior, seen.outputs.bags, "the parts of the old state", "the last answer had")


def _stale_inputs(moment: PulumiMoment) -> str:
    call, seen = moment.call, moment.known
    if seen is None or seen.inputs.open or call.prior_inputs is None:
        return ""
    return unlike(call.prior_inputs, seen.inputs.bags, "the old inputs", "was accepted last")


def _another_type(moment: PulumiMoment) -> str:
    seen = moment.history.objects.moved(moment.call)
    return f"the object was made as a {seen.type}, and no Diff has told that it is a {moment.call.type} now." if seen else ""


# Replacements ----------------------------------------------------------------------------------------------------------


def _compared(moment: PulumiMoment) -> Compared | None:
    """The last Diff of this resource that asked for a replacement."""
    compared = moment.instance.diffs.get(moment.call.urn)
    if compared is None or compared.diff.changes != Changes.SOME or not compared.diff.wants_replacement:
        return None
    return compared


def _updates_what_is_replaced(moment: PulumiMoment) -> str:
    call, compared = moment.call, _compared(moment)
    if compared is None or compared.id != call.id or not alike(call.inputs or {}, compared.inputs):
        return ""
    return "the Diff of these inputs asked for a replacement."


def _created_first(moment: PulumiMoment) -> str:
    compared = _compared(moment)
    if compared is None or not compared.diff.delete_before_replace:
        return ""
    # Of one in a state from elsewhere nobody knows whether it is there.
    known = (seen for seen in moment.history.objects.at(moment.call.urn) if seen.id == compared.id and not seen.outputs.open)
    there = any(seen.state == "there" for seen in known)
    return f"the object {compared.id!r} has not been deleted, as the Diff asked for." if there else ""


def _made_again(moment: PulumiMoment) -> str:
    call = moment.call
    if call.urn not in moment.instance.created:
        return ""
    return "this instance has created the resource before, and nothing has asked for another object since."


def _orphaned(moment: PulumiMoment) -> str:
    orphan = next((seen for seen in moment.history.objects.at(moment.call.urn) if seen.half_made), None)
    return f"an earlier create failed half-way and left {orphan.id!r}, which nobody has asked for since." if orphan else ""


# Dependencies ----------------------------------------------------------------------------------------------------------


def _deleted_too_soon(moment: PulumiMoment) -> str:
    """A delete of what needs something that is deleted already, or of what is needed by something that is not deleted yet."""
    call, past, seen = moment.call, moment.history, moment.known
    if _is_replaced(past, call):
        return ""
    gone = next((id_ for id_ in _needs(past, seen) if _is_deleted(past, call, id_)), None) if seen else None
    if gone is not None:
        return f"what it was made of has been deleted before: {gone[0]}."
    for other in past.deletes.values():
        dependent = past.known(other)
        same = other.session is call.session and not _is_replaced(past, other)
        if same and dependent and (call.urn, call.id) in _needs(past, dependent):
            return f"{other.urn} was made of it, and its delete is still under way."
    return ""


def _is_replaced(past: EnginesHistory, call: Call) -> bool:
    """Whether the program still has the resource, so that its delete is a part of a replacement."""
    return call.urn in past.instance(call).checked


def _needs(past: EnginesHistory, seen: ObjectSeen | None) -> list[tuple[str, str]]:
    """The URNs and ids of what the inputs of an object say they come from; of an output only the URN is told."""
    needed = [*references(seen.wanted)] if seen is not None else []
    return [(urn, id_ or _only(past, urn)) for urn, id_ in needed]


def _only(past: EnginesHistory, urn: str) -> str:
    """The id of the only object of a URN, or of the last one that there was."""
    there = [seen.id for seen in past.objects.at(urn) if seen.alive] or [seen.id for seen in past.objects.at(urn)[-1:]]
    return there[0] if len(there) == 1 else ""


def _is_deleted(past: EnginesHistory, call: Call, needed: tuple[str, str]) -> bool:
    urn, id_ = needed
    if urn in past.instance(call).checked:
        return False
    by_it = (seen.deleted_by == call.session.number for seen in past.objects.at(urn) if seen.id == id_ and not seen.alive)
    under_way = (other.session is call.session and (other.urn, other.id) == needed for other in past.deletes.values())
    return any(by_it) or any(under_way)


RULES: tuple[ContractRule, ...] = (
    ContractRule(
        id="PULUMI-STATE-IS-SENT",
        party=Party.ENGINE,
        says="Diff, Update and Delete bring the old state.",
        source=f"{GUIDE}, Diff (olds), Update (olds), Delete (state)",
        mend="Send what the last create, read or update answered, if it is empty an empty one.",
        ops=ABOUT_AN_OBJECT,
        broken=_no_state,
    ),
    ContractRule(
        id="PULUMI-STATE-IS-THE-LAST-ONE",
        party=Party.ENGINE,
        says="The old state is the last recorded one, generated by a call to Create, Read or Update.",
        source=f"{GUIDE}, Diff (olds), Update (olds), Delete (state)",
        mend=f"Replace what is remembered by what each of these calls answers, also where it failed half-way. {DECLARED}",
        # A program that looks something up gives Read what it knows of it, which need not be a state.
        ops=ABOUT_AN_OBJECT,
        broken=_stale,
    ),
    ContractRule(
        id="PULUMI-OLD-INPUTS-ARE-THE-LAST-ONES",
        party=Party.ENGINE,
        says="The old inputs are the last ones that were checked and accepted, or read.",
        source=f"{PROTO}, DiffRequest (old_inputs), UpdateRequest (old_inputs), DeleteRequest (old_inputs)",
        mend=f"Remember the inputs of a create or update that succeeded, and those whose Diff found no change. {DECLARED}",
        ops=ABOUT_AN_OBJECT,
        broken=_stale_inputs,
    ),
    ContractRule(
        id="PULUMI-TYPE-IS-THE-OBJECTS",
        party=Party.ENGINE,
        says="An object is updated and deleted as a thing of the type that it was made as, or that a Diff has named since.",
        source=f"{GUIDE}, Custom resource lifecycle; the engine's aliases",
        mend="Remember the type with the object.",
        ops=frozenset({Op.UPDATE, Op.DELETE}),
        broken=_another_type,
    ),
    ContractRule(
        id="PULUMI-REPLACES-WHERE-DIFF-ASKS",
        party=Party.ENGINE,
        says="A resource can be updated if Diff does not indicate that it must be replaced.",
        source=f"{GUIDE}, Custom resource lifecycle",
        mend="Create another object and delete the old one, in the order that Diff and the program ask for.",
        ops=frozenset({Op.UPDATE}),
        broken=_updates_what_is_replaced,
    ),
    ContractRule(
        id="PULUMI-DELETES-FIRST-WHERE-DIFF-ASKS",
        party=Party.ENGINE,
        says="If Diff says deleteBeforeReplace, the resource must be deleted before it is recreated.",
        source=f"{GUIDE}, Diff (deleteBeforeReplace)",
        mend="Delete the object, and then create the next one, unless the program says deleteBeforeReplace: false.",
        ops=frozenset({Op.CREATE}),
        broken=_created_first,
        when=REAL,
        # The program's option outweighs the provider's answer, and no call tells of it.
        severity=Severity.WARNING,
    ),
    ContractRule(
        id="PULUMI-HALF-MADE-IS-REMEMBERED",
        party=Party.ENGINE,
        says="What a create left that failed half-way is updated, replaced or deleted, and not forgotten.",
        source=f"{PROTO}, ErrorResourceInitFailed",
        mend="Remember id and state of a failure that has them; compare the object in the next run, or delete it.",
        ops=frozenset({Op.CREATE}),
        broken=_orphaned,
        when=REAL,
        # An operator may ask for a replacement (up --replace), and then nothing is asked of the old object before the create.
        severity=Severity.WARNING,
    ),
    ContractRule(
        id="PULUMI-CREATES-ONCE",
        party=Party.ENGINE,
        says="One run creates a resource once, unless a Diff has asked to replace what there is, or it was deleted.",
        source="the engine's step generator, which makes one create of a URN in an operation",
        mend="Remember what was created, and compare before you create the resource again.",
        ops=frozenset({Op.CREATE}),
        broken=_made_again,
        when=REAL,
        # Nothing tells where one run of an engine ends and the next one begins, if both use one instance.
        severity=Severity.WARNING,
    ),
    ContractRule(
        id="PULUMI-DEPENDENTS-ARE-DELETED-FIRST",
        party=Party.ENGINE,
        says="What was made of another resource is deleted before that one, as far as inputs tell by references and outputs.",
        source=f"{GUIDE}, Custom resource lifecycle; the engine's step generator",
        mend="Delete in the reverse order of the dependencies, and wait for each answer.",
        ops=frozenset({Op.DELETE}),
        broken=_deleted_too_soon,
    ),
)
"""In the order of the reference page."""
