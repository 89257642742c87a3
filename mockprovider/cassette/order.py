"""The order of a finished cassette: the same for two recordings of one run, however their calls were interleaved.

1. Sessions by phase (in the order in which the phases began), then by provider, then by provider instance, then by wave.
   Sessions of one wave ran at the same time; they are ordered by what was asked in them.
2. In a session by phase, then: the calls that start a provider, in the protocol's order; calls that name no resource, by
   type, op, address and content; the calls of each URN, URNs in alphabetical order; what ends a provider.
3. Calls of one URN stay as they came: an engine has one operation at a time on a resource.
4. What a provider asked its engine during a call follows that call (``wayback.ordered``).

Then everything is numbered anew: sessions, interactions, and secrets in the order in which they first appear.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import Op
from mockprovider.cassette.model import Cassette, Interaction, RecordedSession
from mockprovider.cassette.wayback import ordered
from mockprovider.matching import digest, encode
from mockprovider.redaction import is_plain, neutral, renumber

OPS = {op.value: rank for rank, op in enumerate(Op)}
STARTING = frozenset(op.value for op in Op if OPS[op.value] <= OPS[Op.CONFIGURE])
ENDING = frozenset({Op.CANCEL.value, Op.RAW.value})
ANYWHERE = STARTING | {Op.CANCEL.value}
"""Ops that mean the same on every provider instance, or name theirs in the request: asked before there is an instance."""
DESCRIBING = frozenset({Op.GET_SCHEMA, Op.GET_PLUGIN_INFO, Op.GET_MAPPING, Op.GET_MAPPINGS})
"""Ops whose answers say what a provider is, whoever uses it. They hold no secrets, only words that a secret may equal."""


class _Span(Struct):
    """A session of the raw recording: when it was first and last heard of, and a digest of what was asked in it."""

    number: int
    provider: str
    instance: str
    phase: int
    first: int
    last: int
    content: str


def canonical(cassette: Cassette, previews: Mapping[int, bool | None] | None = None) -> Cassette:
    """A raw recording in canonical order; a cassette that has a table of sessions is in order already and comes back as it is.

    ``previews`` says, by raw session number, which sessions served a preview.
    """
    if cassette.header.sessions or not cassette.interactions:
        return cassette
    layout = _Layout(cassette.interactions)
    ranked = _ranked(layout.spans)
    table = [
        RecordedSession(
            number=number,
            wave=wave,
            provider=span.provider,
            instance=span.instance,
            phase=layout.names[span.phase],
            preview=(previews or {}).get(span.number),
        )
        for number, (span, wave) in enumerate(ranked, 1)
    ]
    return _arranged(cassette, layout, table, {span.number: number for number, (span, _) in enumerate(ranked, 1)})[0]


def rearranged(cassette: Cassette, *, rank: bool = True) -> tuple[Cassette, dict[int, int]]:
    """A finished cassette whose content has changed, in canonical order again, and the new number of each interaction.

    Which sessions ran at the same time is no longer in it, so their waves stay. Without ``rank``, so does their order, and that
    of equal calls: what made a recording smaller has changed what these went by.
    """
    layout = _Layout(cassette.interactions)
    spans = {span.number: span for span in layout.spans}
    sessions = [_now(session, spans.get(session.number)) for session in cassette.header.sessions]
    sessions.sort(key=lambda session: session.number)
    if rank:
        sessions.sort(key=lambda session: _rank(session, spans.get(session.number), layout.phases))
    numbers = {session.number: number for number, session in enumerate(sessions, 1)}
    table = [replace(session, number=numbers[session.number]) for session in sessions]
    return _arranged(cassette, layout, table, numbers, by_answer=rank)


def _now(session: RecordedSession, span: _Span | None) -> RecordedSession:
    return replace(session, instance=span.instance) if span else session


def _rank(session: RecordedSession, span: _Span | None, phases: Mapping[str, int]) -> tuple[Any, ...]:
    phase = phases.get(session.phase, len(phases))
    return (phase, session.provider, session.instance, session.wave, span.content if span else "", session.number)


class _Layout:
    """What the order of interactions goes by: the phases by rank, a digest of each request, and the sessions."""

    def __init__(self, interactions: Collection[Interaction]) -> None:
        self.phases = _phases(interactions)
        self.names = {rank: name for name, rank in self.phases.items()}
        self.contents = {interaction.n: request_digest(interaction) for interaction in interactions}
        self.spans = _spans(interactions, self.phases, self.contents)


def _arranged(
    cassette: Cassette,
    layout: _Layout,
    table: list[RecordedSession],
    numbers: Mapping[int, int],
    *,
    by_answer: bool = True,
) -> tuple[Cassette, dict[int, int]]:
    """The interactions in order, all numbered anew; ``numbers`` are those of the sessions."""
    order = sorted(
        (interaction for interaction in cassette.interactions if interaction.parent is None),
        key=lambda interaction: (
            numbers[interaction.session],
            layout.phases[interaction.phase],
            *_place(interaction, layout.contents[interaction.n], by_answer=by_answer),
        ),
    )
    asked: dict[int, list[Interaction]] = defaultdict(list)
    for interaction in cassette.interactions:
        # In an interrupted recording, the parent may be missing.
        asked[interaction.parent or 0].append(interaction)
    order = [interaction for parent in order for interaction in (parent, *ordered(cassette, asked.get(parent.n, [])))]
    kept = {interaction.n for interaction in order}
    order += [interaction for interaction in cassette.interactions if interaction.n not in kept]
    renumbered = {interaction.n: n for n, interaction in enumerate(order, 1)}
    interactions = [
        replace(
            interaction,
            n=renumbered[interaction.n],
            session=numbers[interaction.session],
            parent=renumbered.get(interaction.parent or 0),
        )
        for interaction in order
    ]
    header = replace(cassette.header, sessions=table)
    return replace(cassette, header=header, interactions=_with_secrets_renumbered(interactions)), renumbered


def request_digest(interaction: Interaction) -> str:
    """Equal for requests that differ in secrets at most. A blob's name is the digest of its tree, without placeholders."""
    return interaction.request_blob or digest(neutral(interaction.request))


def answer_digest(interaction: Interaction) -> str:
    """Equal for equal answers."""
    return interaction.response_blob or digest([interaction.response, interaction.status, interaction.withheld])


def _phases(interactions: Iterable[Interaction]) -> dict[str, int]:
    phases: dict[str, int] = {}
    for interaction in sorted(interactions, key=lambda interaction: interaction.n):
        phases.setdefault(interaction.phase, len(phases))
    return phases


def _spans(interactions: Iterable[Interaction], phases: Mapping[str, int], contents: Mapping[int, str]) -> list[_Span]:
    by_session: dict[int, list[Interaction]] = defaultdict(list)
    for interaction in sorted(interactions, key=lambda interaction: interaction.n):
        # A provider may log after its last answer, when the next session has begun already.
        if interaction.op != Op.LOG:
            by_session[interaction.session].append(interaction)
    return [
        _Span(
            number=number,
            provider=calls[0].provider,
            instance=next((call.instance for call in reversed(calls) if call.instance), ""),
            phase=phases[calls[0].phase],
            first=calls[0].n,
            last=calls[-1].n,
            content=digest(sorted([call.method, contents[call.n]] for call in calls)),
        )
        for number, calls in by_session.items()
    ]


def _ranked(spans: Iterable[_Span]) -> list[tuple[_Span, int]]:
    """The sessions in canonical order, each with its wave."""
    ranked: list[tuple[int, str, str, int, str, int, _Span]] = []
    waves: dict[tuple[str, str], int] = defaultdict(int)
    ends: dict[tuple[int, str, str], int] = {}
    for span in sorted(spans, key=lambda span: span.first):
        group = span.phase, span.provider, span.instance
        # Sessions that were never configured come and go in any order within a phase (schema loads): one wave.
        together = group in ends and (span.first < ends[group] or not span.instance)
        waves[group[1:]] += not together
        ends[group] = max(ends.get(group, 0), span.last)
        ranked.append((*group, waves[group[1:]], span.content, span.first, span))
    return [(row[-1], row[3]) for row in sorted(ranked, key=lambda row: row[:6])]


def _place(interaction: Interaction, content: str, *, by_answer: bool) -> tuple[Any, ...]:
    resource = interaction.op not in STARTING and (interaction.op not in ENDING or _is_about_state(interaction))
    if resource and interaction.urn:
        return (1, interaction.urn, interaction.n)
    answer = answer_digest(rewritten(interaction, neutral)) if by_answer else ""
    rank = OPS.get(interaction.op, len(OPS))
    if resource:
        # Generated values make contents and answers differ from recording to recording, and addresses do not.
        return (1, "", interaction.type, rank, interaction.address, content, answer, interaction.n)
    return (2 if interaction.op in ENDING else 0, rank, interaction.urn, content, answer, interaction.n)


def renumbered(cassette: Cassette) -> Cassette:
    """The cassette with its secrets numbered in the order in which they first appear."""
    return replace(cassette, interactions=_with_secrets_renumbered(cassette.interactions))


def _is_about_state(interaction: Interaction) -> bool:
    """Whether the call uses what an engine keeps with the provider, in an order of its own."""
    return interaction.op == Op.RAW and bool(interaction.urn)


def _with_secrets_renumbered(interactions: Iterable[Interaction]) -> list[Interaction]:
    numbers: dict[int, int] = {}

    def change(number: int) -> int:
        return numbers.setdefault(number, len(numbers) + 1)

    return [
        interaction if is_plain(encode(interaction)) else rewritten(interaction, lambda tree: renumber(tree, change))
        for interaction in interactions
    ]


def rewritten(interaction: Interaction, change: Callable[[Any], Any]) -> Interaction:
    """The interaction with ``change`` applied to each tree in it: request, response, a status's message and details, HTTP."""
    request = change(interaction.request)
    response = change(interaction.response)
    status = interaction.status and replace(
        interaction.status, message=change(interaction.status.message), details=change(interaction.status.details)
    )
    http = [exchange.rewritten(change) for exchange in interaction.http]
    return replace(interaction, request=request, response=response, status=status, http=http)
