"""The story of a run: what happened in each session, with repeated looks, plans and questions folded into a line."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from mockprovider.calls import Op
from mockprovider.cassette.telling.facts import GONE, CallFacts, listed

MOST_PLANS = 6
"""So many verdicts of plans are named in a line."""
LineKind = Literal["change", "failure", "drift", "look", "plan", "rest"]

CHANGING = {Op.CREATE: "creates", Op.UPDATE: "updates", Op.DELETE: "deletes", Op.IMPORT: "imports", Op.CONSTRUCT: "constructs"}
LOOKING = (Op.READ, Op.LIST)
PLANNING = (Op.DIFF, Op.PLAN)
ASIDE = {Op.REGISTER: "resources: {}", Op.LOG: "lines of log: {}", Op.VIEWS: "views: {}"}
"""What a provider told and asked its engine during a change, in words for how often."""


class StoryLine(Struct, frozen=True):
    """Something that happened: in words, with the numbers of the calls that it was."""

    kind: LineKind
    text: str
    calls: list[int]


class Chapter(Struct, frozen=True):
    """What happened in a session, or in several after each other in which nothing but questions were asked."""

    sessions: list[int]
    provider: str
    phase: str
    lines: list[StoryLine]


def story(calls: Sequence[CallFacts]) -> list[Chapter]:
    """The story of these calls, which may be a part of a recording, in its order."""
    by_session: dict[tuple[str, str, int], list[CallFacts]] = defaultdict(list)
    for call in calls:
        by_session[call.provider, call.phase, call.session].append(call)
    chapters: list[Chapter] = []
    quiet: list[CallFacts] = []
    for session in by_session.values():
        if quiet and (_is_eventful(session) or (quiet[0].provider, quiet[0].phase) != (session[0].provider, session[0].phase)):
            chapters.append(_chapter(quiet))
            quiet = []
        if _is_eventful(session):
            chapters.append(_chapter(session))
        else:
            quiet += session
    return [*chapters, *([_chapter(quiet)] if quiet else [])]


def _is_eventful(session: Iterable[CallFacts]) -> bool:
    return any(_kind(call) != "rest" for call in session)


def _kind(call: CallFacts) -> LineKind:
    if call.failed:
        return "failure"
    if call.direction == "engine":
        return "rest"
    if call.preview or call.op in PLANNING:
        return "plan" if call.op in PLANNING or call.op in CHANGING else "rest"
    if call.op in LOOKING:
        return "drift" if call.changes or call.result == GONE else "look"
    return "change" if call.op in CHANGING else "rest"


def _chapter(calls: Sequence[CallFacts]) -> Chapter:
    kinds: dict[LineKind, list[CallFacts]] = defaultdict(list)
    for call in calls:
        kinds[_kind(call)].append(call)
    lines = [
        *_changes(kinds["change"], calls),
        *(_failed(call) for call in kinds["failure"]),
        *(StoryLine("drift", f"finds that {call.resource} {call.result}", [call.n]) for call in kinds["drift"]),
        *_looks(kinds["look"]),
        *_plans(kinds["plan"], {call.urn for call in kinds["change"]} - {""}),
    ]
    lines.sort(key=lambda line: line.calls[0])
    lines += _rest(kinds["rest"], alone=not lines)
    first = calls[0]
    return Chapter(list(dict.fromkeys(call.session for call in calls)), first.provider, first.phase, lines)


def _changes(changes: Sequence[CallFacts], calls: Sequence[CallFacts]) -> Iterator[StoryLine]:
    """Each change, with why an object is made anew, and what the provider told and asked its engine meanwhile."""
    reasons = {(call.urn, call.address): call.replaces for call in calls if call.op in PLANNING and call.name}
    meanwhile: dict[int | None, Counter[str]] = defaultdict(Counter)
    for call in calls:
        meanwhile[call.parent][call.op] += 1
    for call in changes:
        text = _changed(call)
        reason = reasons.get((call.urn, call.address))
        if call.op == Op.CREATE and reason:
            text += f", to replace it because of {listed(reason)}"
        aside = ", ".join(words.format(meanwhile[call.n][op]) for op, words in ASIDE.items() if meanwhile[call.n][op])
        yield StoryLine("change", f"{text} ({aside})" if aside else text, [call.n])


def _changed(call: CallFacts) -> str:
    text = f"{CHANGING[Op(call.op)]} {call.resource}".rstrip()
    if call.op in (Op.CREATE, Op.IMPORT) and call.name and call.id:
        return f"{text} → {call.id}"
    if call.op == Op.DELETE and call.name and call.id:
        return f"{text} ({call.id})"
    return f"{text}: {listed(call.changes)}" if call.changes else text


def _failed(call: CallFacts) -> StoryLine:
    about = f" of {call.resource}" if call.resource else ""
    preview = "preview of the " if call.preview else ""
    return StoryLine("failure", f"{preview}{call.op}{about} {call.result}", [call.n])


def _looks(calls: Sequence[CallFacts]) -> Iterator[StoryLine]:
    """What was read and was as remembered: one line."""
    if calls:
        names = list(dict.fromkeys(call.resource or call.op for call in calls))
        yield StoryLine("look", f"reads {listed(names)}", [call.n for call in calls])


def _plans(calls: Sequence[CallFacts], changed: set[str]) -> Iterator[StoryLine]:
    """What was planned, a line; where the change itself came in the same session, that says enough."""
    # A preview of the change itself knows more than the question whether there is one.
    last = {call.urn or call.address or str(call.n): call for call in calls}
    meant = [call for call in last.values() if not call.idle and call.urn not in changed]
    same = sum(call.idle for call in last.values())
    counts = Counter(f"{call.resource} {call.result}".strip() for call in meant)
    words = [f"{count} x {verdict}" if count > 1 else verdict for verdict, count in counts.items()]
    if len(words) > MOST_PLANS:
        words[MOST_PLANS:] = [f"{len(words) - MOST_PLANS} more"]
    if same:
        words.append(f"{same} unchanged")
    if words:
        yield StoryLine("plan", f"plans: {'; '.join(words)}", [call.n for call in calls])


def _rest(calls: Sequence[CallFacts], *, alone: bool) -> Iterator[StoryLine]:
    """Whatever else was asked, counted: one line."""
    counts = Counter(call.op for call in calls if call.direction == "provider")
    if counts:
        words = ", ".join(f"{count} {op}" if count > 1 else op for op, count in counts.items())
        yield StoryLine("rest", f"{'asks' if alone else 'also'}: {words}", [call.n for call in calls])
