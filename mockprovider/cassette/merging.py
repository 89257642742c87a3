"""What a cassette held and a run did not ask for stays, in its place among what the run recorded.

A run that finds a recorded answer is recorded with it. So the recording of the run has most of the cassette already, and each
of its calls knows which recorded one it repeats. What is left of a recorded session goes into the session of the run that
repeats it, behind what came before it then; a recorded session that nothing repeats stays one, behind those that came before.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from mockprovider.cassette.model import Cassette, Header, Interaction
from mockprovider.cassette.order import STARTING, rewritten


class Earlier:
    """The cassette that a run adds to.

    Args:
        cassette: as it was read, in canonical order.
        sent: gives a recorded tree the numbers that its secrets have in the run.
    """

    def __init__(self, cassette: Cassette, sent: Callable[[Any], Any]) -> None:
        self.cassette = cassette
        self.types = {interaction.type for interaction in cassette.interactions} - {""}
        self._sent = sent

    def merged(
        self,
        run: Cassette,
        repeats: Mapping[int, int],
        previews: Mapping[int, bool | None],
        hidden: Callable[[Interaction], Interaction],
    ) -> tuple[Cassette, dict[int, bool | None]]:
        """The recording of a run, in the order of its calls, with all that it did not ask for; and which sessions are previews.

        Args:
            run: as it was recorded. What its header says of places that nobody has decided about is added to.
            repeats: the numbers of the recorded calls, by those of the run's calls that repeat them.
            previews: by their numbers, which sessions of the run served a preview.
            hidden: takes the run's secrets out of an interaction.
        """
        places = _Places(self.cassette, run.interactions, repeats)
        left = self._left(repeats)
        at = {interaction.n: places.after(interaction) for interaction in left}
        order = [((float(interaction.n), 0), interaction, False) for interaction in run.interactions]
        order += [((at.get(one.parent or 0, at[one.n]), one.n), hidden(one), True) for one in left]
        order.sort(key=lambda row: row[0])
        numbers = {(is_left, interaction.n): n for n, (_, interaction, is_left) in enumerate(order, 1)}
        run.interactions = [
            replace(
                interaction,
                n=numbers[is_left, interaction.n],
                at=numbers[is_left, interaction.n] if interaction.at else 0,
                session=places.sessions[interaction.session] if is_left else interaction.session,
                parent=numbers.get((is_left, interaction.parent or 0)),
            )
            for _, interaction, is_left in order
        ]
        self._keep_open(run.header)
        added = {session.number: session.preview for session in self.cassette.header.sessions if session.number in places.added}
        return run, {**previews, **{places.sessions[number]: preview for number, preview in added.items()}}

    def _left(self, repeats: Mapping[int, int]) -> list[Interaction]:
        """What was not asked for again, with the run's numbers for its secrets."""
        played = {*repeats.values()}
        return [
            rewritten(interaction, self._sent)
            for interaction in self.cassette.interactions
            if played.isdisjoint({interaction.n, interaction.parent})
        ]

    def _keep_open(self, header: Header) -> None:
        """Nobody has decided about a place because it was left out of this run."""
        for type_, names in self.cassette.header.undecided.items():
            decided = {*header.secrets.get(type_, ()), *header.public.get(type_, ())}
            still = {*header.undecided.get(type_, ()), *names} - decided
            if still:
                header.undecided[type_] = sorted(still)


class _Places:
    """Where what is left goes: which session, by the recorded one's number, and behind which call of the run."""

    def __init__(self, earlier: Cassette, run: Sequence[Interaction], repeats: Mapping[int, int]) -> None:
        recorded = {interaction.n: interaction for interaction in earlier.interactions}
        self._repeated: dict[int, list[tuple[int, int]]] = defaultdict(list)
        """By recorded session, the recorded calls that were repeated, and the run's that repeat them."""
        for one in run:
            if one.n in repeats:
                self._repeated[recorded[repeats[one.n]].session].append((repeats[one.n], one.n))
        self._last = float(max((one.n for one in run), default=0)) + 1
        self.sessions = _sessions(run, {one.n: recorded[repeats[one.n]] for one in run if one.n in repeats})
        free = max((one.session for one in run), default=0) + 1
        self.added = [session.number for session in earlier.header.sessions if session.number not in self.sessions]
        self.sessions |= {number: free + place for place, number in enumerate(self.added)}
        self._kin: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._kin_of = {session.number: (session.provider, session.instance) for session in earlier.header.sessions}
        for number, kin in self._kin_of.items():
            self._kin[kin].append(number)

    def after(self, interaction: Interaction) -> float:
        """The place of a call that is left: half a step behind a call of the run, or before the first."""
        session = interaction.session
        if session not in self.added:
            before = [mine for recorded, mine in self._repeated[session] if recorded < interaction.n]
            later = [mine for _, mine in self._repeated[session]]
            return max(before) + 0.5 if before else min(later) - 0.5
        kin = self._kin[self._kin_of[session]]
        before = [mine for number in kin if number < session for _, mine in self._repeated.get(number, ())]
        later = [mine for number in kin if number > session for _, mine in self._repeated.get(number, ())]
        return max(before) + 0.5 if before else min(later) - 0.5 if later else self._last


def _sessions(run: Iterable[Interaction], repeated: Mapping[int, Interaction]) -> dict[int, int]:
    """The session of the run that repeats a recorded one, by that one's number: the one that repeats most of it.

    Calls that start a session are equal in all of them, so they count only where there is nothing else.
    """
    counts: Counter[tuple[bool, int, int]] = Counter()
    for one in run:
        if one.n in repeated:
            counts[one.op not in STARTING, repeated[one.n].session, one.session] += 1
    sessions: dict[int, int] = {}
    for (_, recorded, mine), _ in sorted(counts.items(), key=lambda item: (not item[0][0], -item[1], item[0])):
        if recorded not in sessions and mine not in sessions.values():
            sessions[recorded] = mine
    return sessions
