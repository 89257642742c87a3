"""What is wrong with one answer of a provider, in words: what the rules in ``answering`` ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from mockprovider.calls import Op
from mockprovider.errors import MalformedError
from mockprovider.paths import Path, has, parse, show
from mockprovider.pulumi.contract.history import PulumiMoment
from mockprovider.pulumi.contract.values import SHOWN, all_places, differing, places
from mockprovider.pulumi.diff import Changes, DiffKind
from mockprovider.schema import Package, ResourceType
from mockprovider.values import Output, Secret, Unknown, Value, is_unknown, reveal, same


def listed(what: str, names: Iterator[str]) -> str:
    """A sentence with the first of the names; empty without any."""
    shown = [*islice(names, SHOWN)]
    return f"{what} {', '.join(shown)}." if shown else ""


def without_id(moment: PulumiMoment) -> str:
    """A create without an id."""
    return "" if moment.answer.id else "it succeeded, and the answer has no id."


def without_state(moment: PulumiMoment) -> str:
    """A create or update without a state."""
    return "it succeeded, and the answer has no state." if moment.answer.value is None else ""


def another_id(moment: PulumiMoment) -> str:
    """An update that changes the id."""
    call, reply = moment.call, moment.answer
    return "" if reply.id in ("", call.id) else f"the object was {call.id!r}, and is {reply.id!r} now."


def half_told(moment: PulumiMoment) -> str:
    """A half-made object of which half is told."""
    reply = moment.answer
    if not reply.failures or bool(reply.id) == (reply.value is not None):
        return ""
    if reply.id:
        return "it failed half-way, and tells the id without the state."
    return "it tells a state without an id." if moment.call.op is Op.CREATE else ""


def unknown_after(moment: PulumiMoment) -> str:
    """Unknowns in what is no preview."""
    reply = moment.answer
    # What the engine sent as unknown is its own breach.
    asked = {*all_places(moment.call.inputs, Unknown), *all_places(moment.call.prior, Unknown)}
    answered = [*all_places(reply.value, Unknown), *(all_places(reply.inputs, Unknown) if moment.call.op is Op.READ else ())]
    paths = [path for path in answered if path not in asked][:SHOWN]
    return f"it is no preview, and the answer leaves {', '.join(paths)} unknown." if paths else ""


def found_without_state(moment: PulumiMoment) -> str:
    """A read that finds an id and no state."""
    reply = moment.answer
    if not reply.id or reply.value is not None:
        return ""
    return "it tells the id without the state, which an engine takes for an object that is gone."


def import_without_inputs(moment: PulumiMoment) -> str:
    """An import without inputs."""
    call, reply = moment.call, moment.answer
    if not reply.id or reply.value is None or reply.inputs is not None:
        return ""
    imports = call.prior is None and call.prior_inputs is None
    return "nothing is known of the object but its id, and the answer has no inputs." if imports else ""


def not_found(moment: PulumiMoment) -> str:
    """A read by the id alone that finds nothing where the provider has made something."""
    call, reply = moment.call, moment.answer
    if reply.id or call.prior or call.prior_inputs is not None:
        return ""
    return "it made this object, and does not find it by the id." if moment.history.managed.is_there(call) else ""


def gone_already(moment: PulumiMoment) -> str:
    """A delete that fails because the object is gone."""
    reply = moment.answer
    missing = any(failure.status == "not_found" for failure in reply.failures)
    missing = missing or (reply.status is not None and reply.status.code == NOT_FOUND)
    return "it failed, since there is no such object." if missing else ""


# Check -------------------------------------------------------------------------------------------------------------------


def check_adds_unknowns(moment: PulumiMoment) -> str:
    """Unknowns in checked inputs that were known."""
    reply = moment.answer
    if reply.inputs is None or places(moment.call.inputs, Unknown):
        return ""
    paths = places(reply.inputs, Unknown)
    return f"all inputs were known, and the answer leaves {', '.join(paths)} unknown." if paths else ""


def check_wavers(moment: PulumiMoment) -> str:
    """Another answer to the same check."""
    reply, before = moment.answer, moment.history.checks.before(moment.call)
    if reply.inputs is None or before is None:
        return ""
    difference = next(differing(reply.inputs, before), None)
    if difference is None:
        return ""
    return f"the same question was answered with another {difference} before."


def check_without_inputs(moment: PulumiMoment) -> str:
    """A check without inputs."""
    return "" if moment.answer.inputs is not None else "nothing failed, and the answer has no inputs."


def failure_of_nothing(moment: PulumiMoment) -> str:
    """A failure of a property that there is not."""
    call, reply = moment.call, moment.answer
    if reply.status is not None:
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


def declared_of(moment: PulumiMoment) -> ResourceType | None:
    """The type that a call is about, where it is declared."""
    package = moment.call.session.schema
    return package.resources.get(moment.call.type) if isinstance(package, Package) else None


# Diff --------------------------------------------------------------------------------------------------------------------


def no_verdict(moment: PulumiMoment) -> str:
    """A verdict that is none."""
    verdict = moment.diff.changes
    return "" if verdict in VERDICTS else f"its verdict is {verdict}."


def diff_contradicts_itself(moment: PulumiMoment) -> str:
    """A verdict against its detail."""
    diff = moment.diff
    detailed = diff.detailed if diff.has_detailed else ()
    if diff.changes == Changes.NONE and (diff.replaces or detailed):
        return f"nothing changes, it says, and lists {', '.join([*detailed][:SHOWN] or diff.replaces[:SHOWN])}."
    if diff.has_detailed and not diff.detailed and diff.changes == Changes.SOME:
        return "something changes, it says, and its detailed diff is empty."
    if diff.changes == Changes.UNKNOWN and detailed:
        return f"it does not say whether anything changes, and lists {', '.join([*detailed][:SHOWN])}."
    return ""


def replaces_otherwise(moment: PulumiMoment) -> str:
    """Keys that force a replacement, against the detail."""
    diff = moment.diff
    if diff.changes != Changes.SOME or not (diff.has_detailed and diff.detailed):
        return ""
    detailed = {path for path, (kind, _) in diff.detailed.items() if kind % 2}
    if diff.replaces and not detailed:
        return f"{', '.join(diff.replaces[:SHOWN])} forces a replacement, it says, and nothing in its detailed diff does."
    keys = (path for path in sorted(detailed) if not _is_of(path, {*diff.replaces}))
    return listed("in its detailed diff alone, a replacement is forced by", keys)


def leads_nowhere(moment: PulumiMoment) -> str:
    """A path of a detailed diff at which nothing stands."""
    call, diff = moment.call, moment.diff
    if not diff.has_detailed or diff.changes != Changes.SOME:
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


def secret_shown(moment: PulumiMoment) -> str:
    """A secret that is answered in the open."""
    inputs = moment.call.inputs
    if inputs is None or "secrets" not in (moment.instance.accepts or ()) or not moment.history.marks(inputs):
        return ""
    return listed("these came as secrets, and are answered in the open:", _shown(inputs, moment.answer.value))


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


def unlike_schema(moment: PulumiMoment) -> str:
    """A value of another kind than the schema says."""
    declared, reply = declared_of(moment), moment.answer
    bag = reply.inputs if moment.call.op is Op.CHECK else reply.value
    if declared is None or bag is None:
        return ""
    usual, properties = moment.history.usual(declared), declared.properties
    if [*map(type, bag.values())] == [*map(usual.get, bag)]:
        # As it nearly always is.
        return ""
    for name, value in bag.items():
        if type(value) is not usual.get(name) and name in properties and not _is_a(properties[name].kind.name, value):
            return f"of another kind than the schema says is {name}."
    return ""


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


def unknown_result(moment: PulumiMoment) -> str:
    """Unknowns in the result of a function."""
    paths = places(moment.answer.value, Unknown)
    return f"the result leaves {', '.join(paths)} unknown." if paths else ""


VERDICTS = frozenset(map(int, Changes))
NOT_FOUND = 5
"""gRPC's status of what is not there."""
