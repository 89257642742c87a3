"""Why a cassette has no answer, in words: what was asked, what was nearest, what to do next.

Everything here is given redacted trees, so no secret gets into a message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from mockprovider.calls import Call
from mockprovider.cassette.choice import Candidate, Choice, RecordedEntry, Verdict
from mockprovider.cassette.model import Cassette, Interaction
from mockprovider.cassette.order import ANYWHERE
from mockprovider.errors import MalformedError
from mockprovider.matching import Difference, differences, nearest, show
from mockprovider.redaction import neutral
from mockprovider.urn import Urn

MOST_SHOWN = 8
ASKED_WIDTH = 300
AGAIN = "To record it again: {}."
DOORS = "--provider-record=all (pytest), or mockprovider record"


def unknown(cassette: Cassette, entries: Sequence[RecordedEntry], call: Call, live: Any) -> str:
    """A call whose request was never recorded. ``live`` is the request as it would have been recorded."""
    start = f"{cassette.name} holds no answer to {_asked(call)}."
    if not entries:
        return f"{start} It is empty: nothing was recorded. {_again(cassette)}"
    closest = _nearest(cassette, entries, call, live)
    if closest is None:
        methods = ", ".join(sorted({entry.interaction.method for entry in entries}))
        return f"{start} No {call.method} was recorded at all, only {methods}. {_again(cassette)}"
    entry, places = closest
    interaction = entry.interaction
    lines = [start, f"Nearest is {_recorded(interaction)}, used {_times(entry.used)}."]
    elsewhere = interaction.instance != call.session.instance and interaction.op not in ANYWHERE
    if elsewhere:
        lines.append(
            f"It was recorded on the provider instance {interaction.instance or '(not configured)'}; "
            f"this call comes from {call.session.instance or '(not configured)'}."
        )
    if places:
        lines += ["Its request differs:", *_shown(places), *_elsewhere(interaction, call)]
    elif not elsewhere:
        lines.append("Its request differs in secrets only: where the recording has one secret, this run has different values.")
    return "\n".join([*lines, f"Make the engine send what was recorded. {_again(cassette)}"])


def used(cassette: Cassette, choice: Choice, call: Call) -> str:
    """A call whose recorded answers are all used or past."""
    entries = [candidate.entry for candidate in choice.candidates]
    places = ", ".join(str(entry.interaction.n) for entry in entries)
    why = {
        Verdict.EXHAUSTED: f"and {'all were' if len(entries) > 1 else 'that was'} used already",
        Verdict.PAST: "before what has been replayed meanwhile; what is left is an answer of the past",
        Verdict.REPEATED: "and used already; the object has been changed since, so the answer would be out of date",
    }[choice.verdict]
    return (
        f"{cassette.name} has no further answer to {_asked(call)}.\n"
        f"It was recorded {_times(len(entries))} (interaction {places}), {why}.\n"
        f"Ask no more often than was recorded. {_again(cassette)}"
    )


def ambiguous(cassette: Cassette, candidates: Sequence[Candidate], call: Call, live: Any) -> str:
    """A call with several recorded answers that cannot be told apart."""
    first, second = candidates[0].entry.interaction, candidates[1].entry.interaction
    places = ", ".join(str(candidate.entry.interaction.n) for candidate in candidates)
    sessions = sorted({candidate.entry.interaction.session for candidate in candidates})
    return "\n".join([
        f"{cassette.name} holds {len(candidates)} answers to {_asked(call)} that cannot be told apart: interactions {places}.",
        f"It asks: {show(neutral(live), ASKED_WIDTH)}",
        f"Their requests are equal, they name no resource, and they were recorded {_when(sessions)}. The answers differ:",
        *_shown(differences(_answer(cassette, first), _answer(cassette, second)), f"in {first.n}", f"in {second.n}"),
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
    cassette: Cassette, entries: Sequence[RecordedEntry], call: Call, live: Any
) -> tuple[RecordedEntry, list[Difference]] | None:
    tiers: tuple[Callable[[Interaction], bool], ...] = (
        lambda interaction: bool(call.urn) and interaction.urn == call.urn and interaction.instance == call.session.instance,
        lambda interaction: bool(call.urn) and interaction.urn == call.urn,
        lambda interaction: interaction.type == call.type and interaction.instance == call.session.instance,
        lambda interaction: interaction.type == call.type,
        lambda _: True,
    )
    same_method = [entry for entry in entries if entry.interaction.method == call.method]
    tier = next((matches for test in tiers if (matches := [entry for entry in same_method if test(entry.interaction)])), [])
    return nearest(tier, lambda entry: neutral(cassette.request(entry.interaction)), neutral(live))


def _answer(cassette: Cassette, interaction: Interaction) -> Any:
    if interaction.status is None:
        return cassette.response(interaction)
    status = interaction.status
    return {"status": {"code": status.code, "message": status.message, "details": status.details}}


def _again(cassette: Cassette) -> str:
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
    return {0: "0 times", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _shown(places: Sequence[Difference], one: str = "recorded", other: str = "now") -> Iterable[str]:
    yield from (f"  {difference.told(one, other)}" for difference in places[:MOST_SHOWN])
    if len(places) > MOST_SHOWN:
        yield f"  and {len(places) - MOST_SHOWN} more"
