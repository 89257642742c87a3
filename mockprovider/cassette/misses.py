"""Why a cassette has no answer, in words: what was asked, what was nearest, what to do next.

Everything here is given redacted trees, so no secret gets into a message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from mockprovider.calls import Call, Op
from mockprovider.cassette.choice import Candidate, Choice, Verdict
from mockprovider.cassette.lookup import Lookup
from mockprovider.cassette.model import Cassette, Interaction
from mockprovider.cassette.modes import LookResult
from mockprovider.cassette.objects import RecordedObject
from mockprovider.cassette.objects.explaining import is_secret
from mockprovider.cassette.order import ANYWHERE
from mockprovider.cassette.recorded import RecordedCall
from mockprovider.cassette.shelf import Shelf
from mockprovider.errors import MalformedError
from mockprovider.matching import Difference, differences, nearest, show
from mockprovider.redaction import neutral
from mockprovider.urn import Urn

MOST_SHOWN = 8
MOST_NEAR = 3
"""So many of the nearest calls are shown."""
ASKED_WIDTH = 300
AGAIN = "To record it again: {}."
ONE_AT_A_TIME = "it works on one resource at a time, so that the address of each is known"
SERIAL = f"Record and replay with our fixture of the command line: {ONE_AT_A_TIME} (mockprovider docs cassettes)."
EXCHANGED = (
    "It is about one of several objects that equal requests made, and this run may have made them in another order. Where "
    "another provider depends on them, record all providers of the configuration into one cassette."
)
NAMED_OPS = frozenset({Op.CREATE, Op.READ, Op.UPDATE, Op.DELETE})
"""Ops whose absence is worth a line of its own."""
DOORS = "--provider-record=all (pytest), or mockprovider record"


def told(shelf: Shelf, used: Mapping[int, int], lookup: Lookup, call: Call) -> str:
    """Why a call is refused. ``used`` says how often each recorded call has answered, by its place."""
    if lookup.choice is None:
        recorded = [one for one in shelf.calls if one.where[0] == lookup.call.where[0]]
        # Recorded types are spelled as the protocol's messages do.
        return _unknown(shelf, recorded, used, replace(call, type=lookup.call.where[3]), lookup.call.tree)
    if lookup.early is not None:
        return _out_of_order(shelf.cassette, lookup.decision.candidates[0].call, lookup.early, call)
    if lookup.reason is not None:
        return _untellable(shelf, lookup.chosen.call, lookup.reason, call)
    if lookup.outcome is LookResult.AMBIGUOUS:
        return _ambiguous(shelf.cassette, lookup.choice.candidates, call, lookup.call.tree)
    if lookup.choice.verdict is Verdict.OPAQUE:
        return _opaque(shelf, lookup.choice.candidates[0], call)
    return _used(shelf.cassette, lookup.choice, call)


def _unknown(shelf: Shelf, recorded: Sequence[RecordedCall], used: Mapping[int, int], call: Call, live: Any) -> str:
    """A call whose request was never recorded. ``live`` is the request as it would have been recorded."""
    cassette = shelf.cassette
    start = f"{cassette.name} holds no answer to {_asked(call)}."
    if not recorded:
        return f"{start} It is empty: nothing was recorded. {again(cassette)}"
    missing = list(_never(recorded, call))
    near = _nearest(cassette, recorded, call, live)
    if not near and missing:
        return "\n".join([start, *missing, again(cassette)])
    if not near:
        methods = {one.interaction.method for one in recorded}
        if call.method in methods:
            return f"{start} No {call.op.value} was recorded by {call.method}. {again(cassette)}"
        return f"{start} No {call.method} was recorded at all, only {', '.join(sorted(methods))}. {again(cassette)}"
    nearest_one, places = near[0]
    interaction = nearest_one.interaction
    lines = [
        start,
        *absent(shelf, call.type),
        *missing,
        f"Nearest is {_recorded(interaction)}, used {_times(used[nearest_one.place])}.",
    ]
    elsewhere = interaction.instance != call.session.instance and interaction.op not in ANYWHERE
    if elsewhere:
        lines.append(
            f"It was recorded on the provider instance {interaction.instance or '(not configured)'}; "
            f"this call comes from {call.session.instance or '(not configured)'}."
        )
    if places:
        lines += ["Its request differs:", *shown(places), *_elsewhere(interaction, call)]
    elif not elsewhere:
        lines.append("Its request differs in secrets only: where the recording has one secret, this run has different values.")
    if _is_about_equal_objects(shelf, nearest_one):
        lines.append(EXCHANGED)
    lines += _next(used, near[1:])
    return "\n".join([*lines, f"Make the engine send what was recorded. {again(cassette)}"])


def _next(used: Mapping[int, int], near: Sequence[tuple[RecordedCall, list[Difference]]]) -> Iterable[str]:
    """The next calls after the nearest, a line each."""
    if near:
        yield "Next are:"
    for recorded, places in near:
        where = _listed([place.path or "(all of it)" for place in places], 3) or "nothing but secrets or its instance"
        yield f"  {_recorded(recorded.interaction)}, used {_times(used[recorded.place])}, which differs in {where}"


def _never(recorded: Sequence[RecordedCall], call: Call) -> Iterable[str]:
    """What to say where nothing asked for this op of a type, or of a URN, that the recording has something else about.

    Some methods serve several ops, so the nearest call of the method would be about something else.
    """
    of_type = [one for one in recorded if call.type and one.interaction.type == call.type]
    about = [one for one in of_type if one.interaction.urn == call.urn] if call.urn else of_type
    ops = [one.interaction.op for one in about]
    ops = ops if any(one.interaction.method == call.method for one in recorded) else []
    if call.op in NAMED_OPS and ops and call.op not in ops:
        whose = call.urn or call.type
        others = _listed(list(dict.fromkeys(ops)))
        yield f"No {call.op.value} of {whose} is in it, only {others}: that {call.op.value} was never recorded, or was removed."


def absent(shelf: Shelf, type_: str) -> Iterable[str]:
    """What to say of a type that the recording has nothing about; nothing if it has something."""
    types = sorted({call.interaction.type for call in shelf.calls} - {""})
    if type_ and types and type_ not in types:
        yield f"Nothing about {type_} was recorded, only about {_listed(types)}."


def _listed(names: Sequence[str], most: int = MOST_SHOWN) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def _is_about_equal_objects(shelf: Shelf, call: RecordedCall) -> bool:
    objects = (shelf.vocabulary.objects[number] for number in shelf.about.get(call.place, ()))
    return any(len(shelf.families[recorded.family]) > 1 for recorded in objects)


def _untellable(shelf: Shelf, chosen: RecordedCall, reason: Lookup, call: Call) -> str:
    """One of several equal objects, which nothing tells apart while they are made, and something does later."""
    family = shelf.families[shelf.made[chosen.place].family]
    places = ", ".join(str(shelf.cassette.interactions[recorded.place].n) for recorded in family)
    return "\n".join([
        f"{shelf.cassette.name} cannot be replayed in any order: {_asked(call)} was recorded {len(family)} times with equal "
        f"requests (interactions {places}), and nothing says which of these objects this one is.",
        *_addresses(shelf, family, call),
        why_untellable(reason),
        SERIAL,
        f"Or give the resources inputs that differ. {again(shelf.cassette)}",
    ])  # fmt: skip


def _addresses(shelf: Shelf, family: Sequence[RecordedObject], call: Call) -> Iterable[str]:
    """At which addresses they were recorded, where this call has another one."""
    known = sorted({shelf.cassette.interactions[recorded.place].address for recorded in family} - {""})
    if call.address and known:
        yield f"They were recorded at {_listed(known)}; this one is at {call.address}, which was not recorded."


def why_untellable(reason: Lookup) -> str:
    """Why equal objects cannot be told apart, given what is refused if they are exchanged."""
    where = f"{reason.call.where[2]}{f' of {reason.call.where[3]}' if reason.call.where[3] else ''}"
    if reason.choice is None:
        return f"If they were made in another order, {where} would ask for what was never recorded."
    interaction = reason.choice.candidates[0].call.interaction
    if reason.choice.verdict is Verdict.OPAQUE:
        return (
            f"I{_recorded(interaction)[1:]} is about one of them, and {_bound(reason.choice.candidates[0])} "
            "the object that it was recorded for: no other one may get it."
        )
    return f"If they were made in another order, it could not be said which answer {where} gets (interaction {interaction.n})."


def _bound(candidate: Candidate) -> str:
    """What in the answer belongs to the object that it was recorded for, and how."""
    path = candidate.opaque
    return f"{path} is a secret of" if is_secret(candidate.call, path) else f"{path} may have been computed from"


def _out_of_order(cassette: Cassette, recorded: RecordedCall, early: RecordedCall, call: Call) -> str:
    """A call at another time than it was recorded, in strict order."""
    when = "before" if early.interaction.at < recorded.interaction.at else "after"
    first = f"{_recorded(early.interaction)} was recorded {when} it and "
    first += "has not been asked for yet" if when == "before" else "has been answered already"
    return "\n".join([
        f"{cassette.name} holds {_recorded(recorded.interaction)}, which is {_asked(call)}, but it comes too "
        f"{'early' if when == 'before' else 'late'}: {first}.",
        f"The order is strict here (matching). Ask in the recorded order, or leave the order free. {again(cassette)}",
    ])  # fmt: skip


def _opaque(shelf: Shelf, candidate: Candidate, call: Call) -> str:
    """An answer that is about another one of several equal objects, and holds what cannot be renamed."""
    return "\n".join([
        f"{shelf.cassette.name} holds no answer to {_asked(call)}.",
        f"Nearest is {_recorded(candidate.call.interaction)}, but that is about another one of several objects which equal "
        f"requests made: {_bound(candidate)} that object.",
        SERIAL,
        f"Or give the resources inputs that differ. {again(shelf.cassette)}",
    ])  # fmt: skip


def _used(cassette: Cassette, choice: Choice, call: Call) -> str:
    """A call whose recorded answers are all used or past."""
    recorded = [candidate.call for candidate in choice.candidates]
    places = ", ".join(str(one.interaction.n) for one in recorded)
    why = {
        Verdict.EXHAUSTED: f"and {'all were' if len(recorded) > 1 else 'that was'} used already",
        Verdict.CROWDED: "but in no session more often than this session has asked already",
        Verdict.PAST: "before what has been replayed meanwhile; what is left is an answer of the past",
        Verdict.REPEATED: "and used already; the object has been changed since, so the answer would be out of date",
    }[choice.verdict]
    return (
        f"{cassette.name} has no further answer to {_asked(call)}.\n"
        f"It was recorded {_times(len(recorded))} (interaction {places}), {why}.\n"
        f"Ask no more often than was recorded. {again(cassette)}"
    )


def _ambiguous(cassette: Cassette, candidates: Sequence[Candidate], call: Call, live: Any) -> str:
    """A call with several recorded answers that cannot be told apart."""
    first, second = candidates[0].call.interaction, candidates[1].call.interaction
    places = ", ".join(str(candidate.call.interaction.n) for candidate in candidates)
    sessions = sorted({candidate.call.interaction.session for candidate in candidates})
    withheld = [candidate.call.interaction for candidate in candidates if candidate.call.interaction.withheld]
    if withheld:
        return "\n".join([
            f"{cassette.name} cannot answer {_asked(call)}. It was recorded {_times(len(candidates))} with equal requests "
            f"(interactions {places}), and not every answer was kept:",
            f"that of interaction {withheld[0].n} was withheld, because {withheld[0].withheld}.",
            "Nothing says which of them this call is.",
            f"Give the resources inputs that differ, or keep secrets out of bytes and of the keys of maps. {again(cassette)}",
        ])  # fmt: skip
    return "\n".join([
        f"{cassette.name} holds {len(candidates)} answers to {_asked(call)} that cannot be told apart: interactions {places}.",
        f"It asks: {show(neutral(live), ASKED_WIDTH)}",
        f"Their requests are equal, they name no resource, and they were recorded {_when(sessions)}. The answers differ:",
        *shown(differences(_answer(cassette, first), _answer(cassette, second)), f"in {first.n}", f"in {second.n}"),
        _apart(sessions),
    ])  # fmt: skip


def _when(sessions: Sequence[int]) -> str:
    if len(sessions) == 1:
        return "at the same time"
    return f"in the sessions {', '.join(map(str, sessions))} of equally configured provider instances at the same time"


def _apart(sessions: Sequence[int]) -> str:
    if len(sessions) == 1:
        return "Give the resources inputs that differ, and record again."
    return "Give the provider instances configurations that differ in more than secrets, or the resources inputs that differ."


def _nearest(
    cassette: Cassette, recorded: Sequence[RecordedCall], call: Call, live: Any
) -> list[tuple[RecordedCall, list[Difference]]]:
    """The calls of this method and op that are nearest, the nearest first, and where their requests differ.

    Those of the same URN come first, then those of the same type; others only where there is none of these.
    """
    tiers: tuple[Callable[[Interaction], bool], ...] = (
        lambda interaction: bool(call.urn) and interaction.urn == call.urn and interaction.instance == call.session.instance,
        lambda interaction: bool(call.urn) and interaction.urn == call.urn,
        lambda interaction: interaction.type == call.type and interaction.instance == call.session.instance,
        lambda interaction: interaction.type == call.type,
    )
    left = [one for one in recorded if one.interaction.method == call.method and one.interaction.op == call.op]
    near: list[tuple[RecordedCall, list[Difference]]] = []
    for test in tiers:
        tier, left = _parted(left, test)
        near += _ranked(cassette, tier, live, MOST_NEAR - len(near))
    return near or _ranked(cassette, left, live, 1)


def _parted(
    calls: Sequence[RecordedCall], test: Callable[[Interaction], bool]
) -> tuple[list[RecordedCall], list[RecordedCall]]:
    return [one for one in calls if test(one.interaction)], [one for one in calls if not test(one.interaction)]


def _ranked(
    cassette: Cassette, recorded: Sequence[RecordedCall], live: Any, most: int
) -> list[tuple[RecordedCall, list[Difference]]]:
    # One of several equal requests: the others would be told in the same words.
    different = {one.digest: one for one in reversed(recorded)}
    calls = [one for one in recorded if different[one.digest] is one]
    return nearest(calls, lambda one: neutral(_request(cassette, one)), neutral(live), most) if most else []


def _request(cassette: Cassette, recorded: RecordedCall) -> Any:
    """The request as it was compared; of a blob, as it was recorded."""
    is_blob = recorded.request is None and bool(recorded.interaction.request_blob)
    return cassette.request(recorded.interaction) if is_blob else recorded.request


def _answer(cassette: Cassette, interaction: Interaction) -> Any:
    if interaction.status is None:
        return cassette.response(interaction)
    status = interaction.status
    return {"status": {"code": status.code, "message": status.message, "details": status.details}}


def again(cassette: Cassette) -> str:
    """How the cassette is recorded again."""
    return AGAIN.format(cassette.header.created_by or DOORS)


def _asked(call: Call) -> str:
    instance = call.session.instance
    return f"{call}{f' (provider instance {instance})' if instance else ''}"


def _recorded(interaction: Interaction) -> str:
    what = interaction.urn or " ".join(part for part in (interaction.type, interaction.id) if part)
    return f"interaction {interaction.n} ({interaction.method}{' of ' + what if what else ''}, session {interaction.session})"


def _elsewhere(interaction: Interaction, call: Call) -> Iterable[str]:
    """A hint where the recording is of another stack or project, which every URN names."""
    try:
        recorded, live = Urn.parse(interaction.urn), Urn.parse(call.urn)
    except MalformedError:
        return
    if (recorded.stack, recorded.project) != (live.stack, live.project):
        yield (
            f"It was recorded for the stack {recorded.stack!r} of the project {recorded.project!r}, and this is "
            f"{live.stack!r} of {live.project!r}: give them the recorded names."
        )


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def shown(places: Sequence[Difference], one: str = "recorded", other: str = "now") -> Iterable[str]:
    """Where two trees differ, the first places of many, in words; ``one`` and ``other`` name the two sides."""
    yield from (f"  {difference.told(one, other)}" for difference in places[:MOST_SHOWN])
    if len(places) > MOST_SHOWN:
        yield f"  and {len(places) - MOST_SHOWN} more"
