"""What an engine owes a provider, rule by rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import filterfalse, islice

from mockprovider.calls import EFFECTS, Call, Op
from mockprovider.contract import Condition, ContractRule, Party, Severity, in_order
from mockprovider.errors import MalformedError
from mockprovider.paths import Path, contains, get, parse, show
from mockprovider.pulumi.contract import lives
from mockprovider.pulumi.contract.engines import operand
from mockprovider.pulumi.contract.history import PulumiMoment
from mockprovider.pulumi.contract.values import SHOWN, alike, parting, places
from mockprovider.values import Bag, Output, ResourceReference, Secret, Unknown, Value, is_unknown

GUIDE = "Pulumi's provider implementer's guide"
DESIGN = "Pulumi's design of first-class providers"
PROTO = "pulumirpc.ResourceProvider"
REAL, UNKNOWN = frozenset({Condition.REAL}), frozenset({Condition.UNKNOWN})


def _overlapping(moment: PulumiMoment) -> str:
    if not moment.history.running.get(operand(moment.call)):
        return ""
    return "another create, update or delete of this resource is still under way."


def _misplaced_id(moment: PulumiMoment) -> str:
    call = moment.call
    if call.op is Op.CREATE:
        return "it comes with an id." if call.id else ""
    return "" if call.id else "it has no id, and may mean any object."


def _not_replaced(moment: PulumiMoment) -> str:
    lost = moment.history.managed.is_lost(moment.call)
    return "DiffConfig has said that its provider must be replaced, and with it what it manages." if lost else ""


# Values ----------------------------------------------------------------------------------------------------------------


def _unchecked(moment: PulumiMoment) -> str:
    call = moment.call
    checked = moment.instance.checked.get(call.urn, [])
    if not checked and call.urn in moment.instance.refused:
        return "Check has refused the inputs of this resource."
    if not checked:
        return "this instance has not checked any inputs of this resource."
    ignored = _is_ignored(call) if call.ignore_changes else nothing
    return unlike(call.inputs or {}, checked, "the inputs", "Check answered", ignored=ignored)


def _is_ignored(call: Call) -> Callable[[Path], bool]:
    """Whether the engine may have put the old value back at a path: what is ignored keeps it, whatever Check made of it."""
    patterns = [pattern for text in call.ignore_changes if (pattern := _parsed(text))]

    def is_ignored(path: Path) -> bool:
        if not any(contains(pattern, path) for pattern in patterns):
            return False
        return call.prior_inputs is None or alike(get(call.inputs, path), get(call.prior_inputs, path))

    return is_ignored


def _parsed(text: str) -> Path:
    try:
        return parse(text)
    except MalformedError:
        # Engines skip it, too.
        return ()


def nothing(_: Path) -> bool:
    """That no path is ignored."""
    return False


def unlike(sent: Bag, given: Sequence[Bag], what: str, who: str, *, ignored: Callable[[Path], bool] = nothing) -> str:
    """How what is sent differs from the nearest of what was given, the newest first; empty if one is equal."""
    if given and alike(sent, given[-1]):
        # As it is nearly always.
        return ""
    nearest: list[str] = []
    for bag in reversed(given):
        differences = [show(path) for path in islice(filterfalse(ignored, parting(sent, bag)), SHOWN + 1)]
        if not differences:
            return ""
        if not nearest or len(differences) < len(nearest):
            nearest = differences
    # Values are not shown: a secret may be any of them, and is recognized by its place alone, not in a text.
    return f"{what} differ at {', '.join(nearest[:SHOWN])} from what {who}."


def _olds(call: Call) -> Mapping[str, Bag | None]:
    return {"prior": call.prior, "prior_inputs": call.prior_inputs}


def _unknown_news(moment: PulumiMoment) -> str:
    return _listed("it is no preview, and unknown is", places(moment.call.inputs, Unknown))


def _unknown_olds(moment: PulumiMoment) -> str:
    return _listed("in what the engine remembers, unknown is", places(_olds(moment.call), Unknown))


def _listed(what: str, paths: list[str]) -> str:
    return f"{what} {', '.join(paths)}." if paths else ""


def _unaccepted(kind: type[Value], word: str, moment: PulumiMoment) -> str:
    accepts = moment.instance.accepts
    if accepts is None or word in accepts:
        return ""
    sent = {"inputs": moment.call.inputs, **_olds(moment.call)}
    return _listed(f"the provider does not accept {word}, and there is one at", places(sent, kind))


def _not_plain(moment: PulumiMoment) -> str:
    call = moment.call
    if is_unknown(call.inputs):
        return "its arguments are unknown."
    # References are let be: ``pulumi`` 3.259 sends those that a program passes, against the guide.
    return _listed("unknown, secret or an output is", places(call.inputs, Unknown, Secret, Output))


def _configured_unknown(moment: PulumiMoment) -> str:
    call = moment.call
    if call.op is Op.CONFIGURE:
        paths = places(call.inputs, Unknown) if call.session.preview is False else []
        return _listed("it is no preview, and unknown is", paths)
    unknown = moment.instance.unknown
    return "" if call.preview else _listed("it is no preview, and in the instance's configuration unknown is", unknown)


def _effect_in_preview(moment: PulumiMoment) -> str:
    return "this instance serves a preview." if moment.call.session.preview else ""


RESOURCE_OPS = frozenset({Op.CHECK, Op.DIFF, Op.CREATE, Op.READ, Op.UPDATE, Op.DELETE})
OLDS = RESOURCE_OPS - {Op.CREATE}

RULES: tuple[ContractRule, ...] = (
    in_order(
        lives.SESSION,
        lives.CONFIGURED_FIRST,
        says="An instance must be configured before it may be used, even if its set of configuration variables is empty.",
        source=f"{GUIDE}, Configure",
        mend="Call Configure once for each session, before anything else about resources and functions.",
    ),
    in_order(
        lives.SESSION,
        lives.CHECKED_FIRST,
        says="A configuration is checked before the instance is configured with it.",
        source=f"{GUIDE}, Provider lifecycle",
        mend="Open another session for another configuration.",
    ),
    in_order(
        lives.SESSION,
        lives.CONFIGURED_ONCE,
        says="An instance is configured once in its life.",
        source=f"{GUIDE}, Provider lifecycle",
        mend="Open another session for another configuration, or for the same one after a while.",
    ),
    ContractRule(
        id="PULUMI-CONFIGURATION-IS-KNOWN",
        party=Party.ENGINE,
        says="A configuration may contain unknowns only if the instance serves a preview.",
        source=f"{GUIDE}, Configure",
        mend="Wait until what the configuration depends on is there; in a preview, ask for previews alone.",
        ops=EFFECTS | {Op.CONFIGURE},
        broken=_configured_unknown,
    ),
    in_order(
        lives.SESSION,
        lives.CANCELLED,
        says="Once a client has cancelled an instance, it asks nothing more of it.",
        source=f"{GUIDE}, Shutdown; {PROTO}.Cancel",
        mend="Wait for the calls that are under way, and start no others.",
    ),
    in_order(
        lives.OBJECT,
        lives.ISSUED,
        says="The id of a resource is one that its provider has given: by Create, Read or List.",
        source=f"{GUIDE}, Custom resources",
        mend="Where the object was there before, say so: import_() the state, read the object, put it into the double's cloud, "
        "or call provider.contract.adopt(id).",
    ),
    in_order(
        lives.OBJECT,
        lives.DELETED,
        says="A deleted object's id is only read, to see whether it is there again.",
        source=f"{GUIDE}, Custom resource lifecycle",
        mend="Forget an object when its delete has succeeded. Where a test restores a state, call provider.contract.adopt().",
    ),
    ContractRule(
        id="PULUMI-ID-WHERE-THERE-IS-ONE",
        party=Party.ENGINE,
        says="Create is asked without an id, and Read with the one that tells the resource from all others.",
        source=f"{DESIGN}, Create and Read",
        mend="Read an object once its id is known, and leave the id of a new one to the provider.",
        ops=frozenset({Op.CREATE, Op.READ}),
        broken=_misplaced_id,
    ),
    ContractRule(
        id="PULUMI-REPLACED-WITH-THE-PROVIDER",
        party=Party.ENGINE,
        says="If DiffConfig indicates that a provider must be replaced, the resources that it manages are also replaced.",
        source=f"{GUIDE}, Provider lifecycle",
        mend="Create them with the new provider, and delete the old ones with the old one.",
        ops=frozenset({Op.UPDATE}),
        broken=_not_replaced,
        # What a state or a user's configuration file says may have changed since, and no call tells of it.
        severity=Severity.WARNING,
    ),
    ContractRule(
        id="PULUMI-ONE-OPERATION-AT-A-TIME",
        party=Party.ENGINE,
        says="A resource has one create, update or delete at a time.",
        source=f"{GUIDE}, Custom resource lifecycle; the engine's step executor",
        mend="Wait for the answer before the next operation on the same resource.",
        ops=EFFECTS,
        broken=_overlapping,
        when=REAL,
    ),
    ContractRule(
        id="PULUMI-INPUTS-ARE-CHECKED",
        party=Party.ENGINE,
        says="The inputs of Create and Update have been generated by a call to Check.",
        source=f"{GUIDE}, Create (news) and Update (news)",
        mend="Send the inputs that Check answered, in the same session, and not those of the program.",
        ops=frozenset({Op.CREATE, Op.UPDATE}),
        broken=_unchecked,
    ),
    ContractRule(
        id="PULUMI-INPUTS-ARE-KNOWN",
        party=Party.ENGINE,
        says="Outside of a preview, inputs are guaranteed to be fully known.",
        source=f"{GUIDE}, Create (news) and Update (news)",
        mend="Wait until what an input depends on is there; in a preview, set preview.",
        ops=frozenset({Op.CREATE, Op.UPDATE}),
        broken=_unknown_news,
        when=REAL | UNKNOWN,
    ),
    ContractRule(
        id="PULUMI-STATE-IS-KNOWN",
        party=Party.ENGINE,
        says="Old inputs and old state never contain unknowns.",
        source=f"{GUIDE}, Check (olds), Diff (olds)",
        mend="Remember what a create or update answered, not what a preview did.",
        ops=OLDS,
        broken=_unknown_olds,
        when=UNKNOWN,
    ),
    *(
        ContractRule(
            id=f"PULUMI-{word.upper()}-WHERE-ACCEPTED",
            party=Party.ENGINE,
            says=f"{word.capitalize()} are sent to a provider that accepts them, and to others as plain values.",
            source=f"{PROTO}.Handshake (accept_{word}), Configure ({field})",
            mend=f"Take {word} out for a provider that did not answer accept_{word}.",
            ops=RESOURCE_OPS,
            broken=partial(_unaccepted, kind, word),
            when=frozenset({condition}),
        )
        for word, kind, condition, field in (
            ("secrets", Secret, Condition.SECRET, "acceptSecrets"),
            ("resources", ResourceReference, Condition.REFERENCE, "acceptResources"),
            ("outputs", Output, Condition.OUTPUT, "acceptOutputs"),
        )
    ),
    ContractRule(
        id="PULUMI-ARGUMENTS-ARE-PLAIN",
        party=Party.ENGINE,
        says="A function does not accept unknown or secret values.",
        source=f"{GUIDE}, Provider functions",
        mend="Resolve arguments before the call, and wrap the result in a secret where an argument was one.",
        ops=frozenset({Op.INVOKE}),
        broken=_not_plain,
    ),
    ContractRule(
        id="PULUMI-PREVIEWS-CHANGE-NOTHING",
        party=Party.ENGINE,
        says="A preview asks for no create, update or delete but those that say so.",
        source=f"{GUIDE}, Previews; {PROTO}.Delete, which has no preview",
        mend="Set preview, and leave deletes out.",
        ops=EFFECTS,
        broken=_effect_in_preview,
        when=REAL,
    ),
)
"""In the order of the reference page."""
