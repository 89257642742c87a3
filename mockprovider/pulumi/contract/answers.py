"""What is wrong with one answer of a provider, in words: what the rules in ``answering`` ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from mockprovider.calls import Op, Reply
from mockprovider.contract import Moment
from mockprovider.errors import MalformedError
from mockprovider.paths import Path, has, parse, show
from mockprovider.pulumi.contract.asking import history
from mockprovider.pulumi.contract.history import question
from mockprovider.pulumi.contract.values import SHOWN, all_places, differing, is_plain, places
from mockprovider.pulumi.diff import Changes, Diff, DiffKind, as_diff
from mockprovider.schema import Package, ResourceType
from mockprovider.values import Output, Secret, Unknown, Value, is_unknown, reveal, same


def listed(what: str, names: Iterator[str]) -> str:
    """A sentence with the first of the names; empty without any."""
    shown = [*islice(names, SHOWN)]
    return f"{what} {', '.join(shown)}." if shown else ""


def real(moment: Moment) -> Reply | None:
    """The answer to a call that is no preview."""
    return None if moment.call.preview else moment.reply


def without_id(moment: Moment) -> str:
    """A create without an id."""
    reply = real(moment)
    return "it succeeded, and the answer has no id." if reply is not None and reply.ok and not reply.id else ""


def without_state(moment: Moment) -> str:
    """A create or update without a state."""
    reply = real(moment)
    return "it succeeded, and the answer has no state." if reply is not None and reply.ok and reply.value is None else ""


def another_id(moment: Moment) -> str:
    """An update that changes the id."""
    reply = real(moment)
    if reply is None or reply.id in ("", moment.call.id):
        return ""
    return f"the object was {moment.call.id!r}, and is {reply.id!r} now."


def half_told(moment: Moment) -> str:
    """A half-made object of which half is told."""
    reply = real(moment)
    if reply is None or not reply.failures or bool(reply.id) == (reply.value is not None):
        return ""
    if reply.id:
        return "it failed half-way, and tells the id without the state."
    return "it tells a state without an id." if moment.call.op is Op.CREATE else ""


def unknown_after(moment: Moment) -> str:
    """Unknowns in what is no preview."""
    reply = real(moment)
    if reply is None:
        return ""
    # What the engine sent as unknown is its own breach.
    asked = {*all_places(moment.call.inputs, Unknown), *all_places(moment.call.prior, Unknown)}
    answered = [*all_places(reply.value, Unknown), *(all_places(reply.inputs, Unknown) if moment.call.op is Op.READ else ())]
    paths = [path for path in answered if path not in asked][:SHOWN]
    return f"it is no preview, and the answer leaves {', '.join(paths)} unknown." if paths else ""


def found_without_state(moment: Moment) -> str:
    """A read that finds an id and no state."""
    reply = moment.reply
    if reply is None or not reply.ok or not reply.id or reply.value is not None:
        return ""
    return "it tells the id without the state, which an engine takes for an object that is gone."


def import_without_inputs(moment: Moment) -> str:
    """An import without inputs."""
    call, reply = moment.call, moment.reply
    if reply is None or not reply.ok or not reply.id or reply.value is None or reply.inputs is not None:
        return ""
    imports = call.prior is None and call.prior_inputs is None
    return "nothing is known of the object but its id, and the answer has no inputs." if imports else ""


def not_found(moment: Moment) -> str:
    """A read by the id alone that finds nothing where the provider has made something."""
    call, reply = moment.call, moment.reply
    if reply is None or not reply.ok or reply.id or call.prior or call.prior_inputs is not None:
        return ""
    return "it made this object, and does not find it by the id." if history(moment).managed.is_there(call) else ""


def gone_already(moment: Moment) -> str:
    """A delete that fails because the object is gone."""
    reply = moment.reply
    if reply is None or reply.ok:
        return ""
    missing = any(failure.status == "not_found" for failure in reply.failures)
    missing = missing or (reply.status is not None and reply.status.code == NOT_FOUND)
    return "it failed, since there is no such object." if missing else ""


# Check -------------------------------------------------------------------------------------------------------------------


def check_adds_unknowns(moment: Moment) -> str:
    """Unknowns in checked inputs that were known."""
    reply = moment.reply
    if reply is None or reply.inputs is None or places(moment.call.inputs, Unknown):
        return ""
    paths = places(reply.inputs, Unknown)
    return f"all inputs were known, and the answer leaves {', '.join(paths)} unknown." if paths else ""


def check_wavers(moment: Moment) -> str:
    """Another answer to the same check."""
    reply = moment.reply
    before = history(moment).checks.get(question(moment.call))
    if reply is None or reply.inputs is None or before is None:
        return ""
    difference = next(differing(reply.inputs, before), None)
    if difference is None:
        return ""
    return f"the same question was answered with another {difference} before."


def check_without_inputs(moment: Moment) -> str:
    """A check without inputs."""
    reply = moment.reply
    if reply is None or not reply.ok or reply.inputs is not None:
        return ""
    return "nothing failed, and the answer has no inputs."


def failure_of_nothing(moment: Moment) -> str:
    """A failure of a property that there is not."""
    call, reply = moment.call, moment.reply
    if reply is None or reply.status is not None or not reply.failures:
        return ""
    declared = declared_of(moment)
    named = {*(call.inputs or ()), *(declared.properties if declared is not None else ())}
    wrong = (failure.path for failure in reply.failures if failure.path)
    return listed("a failure is about", (path for path in wrong if not _is_of(path, named if declared is not None else None)))


def _is_of(path: str, names: set[str] | None) -> bool:
    """Whether it is a property path, into one of these properties where they are known."""
    try:
        return names is None or str(parse(path)[0]) in names
    except (MalformedError, IndexError):
        return False


def declared_of(moment: Moment) -> ResourceType | None:
    """The type that a call is about, where it is declared."""
    package = moment.call.session.schema
    return package.resources.get(moment.call.type) if isinstance(package, Package) else None


# Diff --------------------------------------------------------------------------------------------------------------------


def diff_of(moment: Moment) -> Diff | None:
    """The diff that is answered: it is read once, and each of the rules about it looks at it."""
    reply, seen = moment.reply, history(moment)
    if reply is None or not reply.ok:
        return None
    if seen.diffed[0] is not reply:
        seen.diffed = (reply, as_diff(reply))
    return seen.diffed[1]


def no_verdict(moment: Moment) -> str:
    """A verdict that is none."""
    diff = diff_of(moment)
    return "" if diff is None or diff.changes in (*Changes,) else f"its verdict is {diff.changes}."


def diff_contradicts_itself(moment: Moment) -> str:
    """A verdict against its detail."""
    diff = diff_of(moment)
    if diff is None:
        return ""
    detailed = diff.detailed if diff.has_detailed else ()
    if diff.changes == Changes.NONE and (diff.replaces or detailed):
        return f"nothing changes, it says, and lists {', '.join([*detailed][:SHOWN] or diff.replaces[:SHOWN])}."
    if diff.has_detailed and not diff.detailed and diff.changes == Changes.SOME:
        return "something changes, it says, and its detailed diff is empty."
    if diff.changes == Changes.UNKNOWN and detailed:
        return f"it does not say whether anything changes, and lists {', '.join([*detailed][:SHOWN])}."
    return ""


def replaces_otherwise(moment: Moment) -> str:
    """Keys that force a replacement, against the detail."""
    diff = diff_of(moment)
    if diff is None or diff.changes != Changes.SOME or not (diff.has_detailed and diff.detailed):
        return ""
    detailed = {path for path, (kind, _) in diff.detailed.items() if kind % 2}
    if diff.replaces and not detailed:
        return f"{', '.join(diff.replaces[:SHOWN])} forces a replacement, it says, and nothing in its detailed diff does."
    keys = (path for path in sorted(detailed) if not _is_of(path, {*diff.replaces}))
    return listed("in its detailed diff alone, a replacement is forced by", keys)


def leads_nowhere(moment: Moment) -> str:
    """A path of a detailed diff at which nothing stands."""
    call, diff = moment.call, diff_of(moment)
    if diff is None or not diff.has_detailed or diff.changes != Changes.SOME:
        return ""
    before, after = (call.prior_inputs, call.prior), (call.inputs,)
    bags = {DiffKind.ADD: after, DiffKind.DELETE: before}
    return listed(
        "nothing stands at",
        (path for path, (kind, _) in diff.detailed.items() if not _stands(path, bags.get(DiffKind(kind & 6), before + after))),
    )


def _stands(text: str, bags: tuple[Value, ...]) -> bool:
    try:
        path = parse(text)
    except MalformedError:
        return False
    return any(has(bag, path) or _below_unknown(bag, path) for bag in bags)


def _below_unknown(value: Value, path: Path) -> bool:
    """Whether a path leads through something unknown: what will be there nobody can say."""
    for segment in path:
        if is_unknown(value):
            return True
        value = reveal(value)
        if not has(value, (segment,)):
            return False
        value = value[segment]
    return is_unknown(value)


# Values ------------------------------------------------------------------------------------------------------------------


def secret_shown(moment: Moment) -> str:
    """A secret that is answered in the open."""
    reply, inputs = moment.reply, moment.call.inputs
    if (
        reply is None
        or inputs is None
        or is_plain(inputs)
        or "secrets" not in (history(moment).instance(moment.call).accepts or ())
    ):
        return ""
    return listed("these came as secrets, and are answered in the open:", _shown(inputs, reply.value))


def _shown(sent: Value, answered: Value, path: Path = ()) -> Iterator[str]:
    """The paths of secrets that are answered in the open."""
    if answered is None or isinstance(answered, Secret) or (isinstance(answered, Output) and answered.secret):
        return
    if isinstance(sent, Secret) or (isinstance(sent, Output) and sent.secret):
        if not is_unknown(sent) and same(answered, reveal(sent)):
            yield show(path)
    elif isinstance(sent, Mapping) and isinstance(answered, Mapping):
        for key, value in sent.items():
            yield from _shown(value, answered.get(key), (*path, key))
    elif isinstance(sent, list) and isinstance(answered, list):
        for index, (value, other) in enumerate(zip(sent, answered, strict=False)):
            yield from _shown(value, other, (*path, index))


def unlike_schema(moment: Moment) -> str:
    """A value of another kind than the schema says."""
    declared, reply = declared_of(moment), real(moment)
    bag = None if reply is None or not reply.ok else reply.inputs if moment.call.op is Op.CHECK else reply.value
    if declared is None or bag is None:
        return ""
    properties = declared.properties
    # A loop with the usual case first, because each answer is looked at.
    for name, value in bag.items():
        item = properties.get(name)
        if item is not None and type(value) is not USUAL.get(item.kind.name) and not _is_a(item.kind.name, value):
            return f"of another kind than the schema says is {name}."
    return ""


USUAL: Mapping[str, type] = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "map": dict}
KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "set": (list, tuple),
    "map": (Mapping,),
    "object": (Mapping,),
}
"""The Python types of values, by the kind that a schema names; other kinds may be anything."""
PLAIN = (bool, int, float, str, list, tuple, Mapping)
"""What has a kind of its own; unknowns, assets and references may stand for any."""


def _is_a(kind: str, value: Value) -> bool:
    value = reveal(value) if isinstance(value, (Secret, Output)) else value
    types = KINDS.get(kind)
    if value is None or types is None or not isinstance(value, PLAIN):
        return True
    if isinstance(value, bool):
        return kind == "boolean"
    # Numbers travel as floats.
    return isinstance(value, types) or (kind == "integer" and isinstance(value, float) and value.is_integer())


def unknown_result(moment: Moment) -> str:
    """Unknowns in the result of a function."""
    reply = moment.reply
    paths = places(reply.value, Unknown) if reply is not None else []
    return f"the result leaves {', '.join(paths)} unknown." if paths else ""


NOT_FOUND = 5
"""gRPC's status of what is not there."""
