"""How far one replay of a recording has come: ``look`` says what it holds for a call, ``take`` moves on."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from mockprovider.calls import Op
from mockprovider.cassette.bindings import Bindings, Pair
from mockprovider.cassette.choice import EQUAL_ANSWER, Candidate, Choice, Verdict, alone, choose, narrowed, own_first
from mockprovider.cassette.lookup import LiveCall, Lookup
from mockprovider.cassette.modes import LookResult
from mockprovider.cassette.objects import Assignment, Link, Mark, Pairing, Renaming
from mockprovider.cassette.recorded import RecordedCall, Where, request_key
from mockprovider.cassette.sequence import RecordedSequence
from mockprovider.cassette.shelf import Alike, Equal, MarkedCall, Shelf, values_of
from mockprovider.matching import digest, digest_of
from mockprovider.redaction import PLACEHOLDER, Vault, neutral, stand_in

LOOKING = frozenset({Op.READ.value, Op.IMPORT.value})
"""Ops that read an object: their answers are outdated once it is changed."""


class Replay:
    """One replay.

    Args:
        shelf: the recording.
        vault: the live secrets, by number.
        rehearsed: says of a family, by its number, why it cannot be told apart; ``None`` if it can.
    """

    def __init__(self, shelf: Shelf, vault: Vault, rehearsed: Callable[[int], Lookup | None] = lambda _: None) -> None:
        self.shelf = shelf
        self.bindings = Bindings(vault)
        self.assignment = Assignment(shelf.vocabulary.objects)
        self.used: dict[int, int] = defaultdict(int)
        """How often each recorded call has answered, by its place."""
        self.sequence: RecordedSequence | None = None
        """The order in which calls have to come, if that is wanted."""
        self._vault = vault
        self._rehearsed = rehearsed
        self._answered: dict[int, int] = defaultdict(int)
        """How many equal calls of one time have answered, by the first one's place."""
        self._used_by: dict[tuple[int, tuple[int, ...]], int] = defaultdict(int)
        self._asked: dict[tuple[Any, Where, str], int] = defaultdict(int)
        self._now: dict[tuple[str, str], int] = defaultdict(int)
        self._changed: dict[tuple[str, ...], tuple[int, int]] = {}
        values = (value for recorded in shelf.vocabulary.objects for value in recorded.values if value is not None)
        self._stand_ins = {
            (value.name, stand_in(value.value, value.name)): value.value for value in values if value.kind == "secret"
        }

    # Looking -------------------------------------------------------------------------------------------------------------

    def look(self, call: LiveCall) -> Lookup:
        """What the recording holds for this call."""
        if not self.shelf.made:
            return self._as_recorded(call)
        tree, marks = self.shelf.vocabulary.marked(self._recognised(call.tree))
        if not marks:
            return self._as_recorded(call)
        lookup = self._found(self._about_objects(call, digest(neutral(tree)), marks))
        if lookup.outcome is LookResult.FOUND and self._contradicts(lookup):
            possible = [one for one in lookup.candidates if not self._contradicts(_of_one(lookup, one))]
            return self._found(replace(lookup, outcome=LookResult.MISSING, choice=None, candidates=possible))
        return lookup

    def _found(self, lookup: Lookup) -> Lookup:
        """What is to be chosen of the candidates, if anything."""
        call, candidates = lookup.call, [candidate for candidate in lookup.candidates if not candidate.opaque]
        if not candidates:
            opaque = Choice(Verdict.OPAQUE, lookup.candidates) if lookup.candidates else None
            return replace(lookup, choice=opaque)
        # An answer that created an object is used once, even that of a plan, which may generate a name.
        once = call.single or (not call.repeat and any(one.call.place in self.shelf.made for one in candidates))
        choice = self._chosen(candidates, call, once=once)
        lookup = replace(lookup, choice=choice, candidates=candidates, once=once)
        if choice.verdict is Verdict.AMBIGUOUS:
            return replace(lookup, outcome=LookResult.AMBIGUOUS)
        if choice.verdict not in (Verdict.FOUND, Verdict.REPEATED) or self._is_stale(choice, call):
            return lookup
        reason = self._untellable(call, choice.candidates[0])
        if reason is not None:
            return replace(lookup, outcome=LookResult.AMBIGUOUS, reason=reason)
        early = self.sequence.before(choice.candidates[0].call) if self.sequence else None
        return replace(lookup, early=early) if early else replace(lookup, outcome=LookResult.FOUND)

    def _recognised(self, live: Any) -> Any:
        """``live`` with the recording's number for each secret that this replay has given out."""
        if isinstance(live, list):
            return [self._recognised(subtree) for subtree in live]
        if not isinstance(live, dict):
            return live
        if PLACEHOLDER not in live:
            return {key: self._recognised(subtree) for key, subtree in live.items()}
        kind = live.get("kind", "string")
        # Any other number belongs to this replay, and must not be mistaken for one of the recording's.
        return {**live, PLACEHOLDER: self._stand_ins.get((kind, self._vault.value(live[PLACEHOLDER])), 0)}

    def _as_recorded(self, call: LiveCall) -> Lookup:
        key = call.where, digest_of(call.encoded) if call.encoded else request_key(call.tree).digest
        equal = self.shelf.equal(key)
        if equal is not None:
            lookup = self._alone(equal.calls[0], call) if len(equal.calls) == 1 else None
            return lookup or self._found(Lookup(call, candidates=self._next(equal, call)))
        by_digest = self.shelf.asked_with(key)
        # A secret that is not declared this time, or not yet known, still matches its placeholder.
        there = self._plain(by_digest, call.tree) or self._plain(self.shelf.there(call.where).with_secrets, call.tree)
        return self._found(Lookup(call, candidates=there))

    def _alone(self, recorded: RecordedCall, call: LiveCall) -> Lookup | None:
        """What ``_found`` comes to for the one call that was recorded so; ``None`` where more has to be looked at."""
        again, once = bool(self._answered[recorded.place]), call.single
        choice = alone(recorded, again=again, once=once, forgotten=call.forgotten)
        if choice is None or self.sequence is not None or (again and self._is_stale(choice, call)):
            return None
        return Lookup(call, LookResult.FOUND, choice, choice.candidates, once=once)

    def _next(self, equal: Equal, call: LiveCall) -> list[Candidate]:
        """Of equal calls, the next one of each time; if there is none, the last one, or all where none may answer again."""
        nexts = [calls[n] for calls in equal.by_wave.values() if (n := self._answered[calls[0].place]) < len(calls)]
        if nexts:
            return [Candidate(recorded, (), EQUAL_ANSWER) for recorded in nexts]
        again = equal.calls if call.single else equal.calls[-1:]
        return [Candidate(recorded, (), EQUAL_ANSWER, 1) for recorded in again]

    def _plain(self, recorded: Iterable[RecordedCall], live: Any) -> list[Candidate]:
        listed = [*recorded]
        if not any(call.secret for call in listed):
            # Without placeholders, equal digests are enough.
            return [Candidate(call, (), self.shelf.answer(call), self.used[call.place]) for call in listed]
        paired = [(call, self.bindings.pairs(call.request, live) if call.secret else []) for call in listed]
        return self._strongest(
            Candidate(call, tuple(pairs), self._compared(call, pairs, None), self.used[call.place])
            for call, pairs in paired
            if pairs is not None and self.bindings.fit(pairs)
        )

    def _strongest(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Those that agree with most of what is known of the secrets."""
        listed = [(candidate, self.bindings.strength(candidate.pairs)) for candidate in candidates]
        strongest = max((strength for _, strength in listed), default=0)
        return [candidate for candidate, strength in listed if strength == strongest]

    def _compared(self, call: RecordedCall, pairs: Sequence[Pair], renaming: Renaming | None) -> str:
        """Equal for answers that will be equal, but for what is generated by them."""
        if call.interaction.response_blob or not (pairs or renaming):
            return self.shelf.answer(call)
        trees = self.shelf.blank(call)
        renamed = self.shelf.arranged(call, renaming(trees) if renaming else trees)
        return digest([self.bindings.compared(renamed, pairs) if pairs else renamed, call.interaction.withheld])

    # About objects that equal requests made --------------------------------------------------------------------------------

    def _about_objects(self, call: LiveCall, skeleton: str, marks: Sequence[Mark]) -> Lookup:
        group = self.shelf.alike.get((call.where, skeleton))
        if group is None:
            return Lookup(call)
        lives = self.shelf.vocabulary.objects_of(marks)
        own = self._candidates(((marked, _itself(marked)) for marked in group.by_values.get(values_of(marks), ())), call, marks)
        lookup = Lookup(call, candidates=own, about=group, marks=marks, alike=group.covers and group.uniform)
        if own and lookup.alike and self.assignment.is_open(lives):
            return lookup
        allowed = self._candidates(self._pairings(group, marks, lives), call, marks)
        return replace(lookup, candidates=[self._explained(candidate, own) for candidate in allowed], alike=False)

    def _pairings(self, group: Alike, marks: Sequence[Mark], lives: Sequence[int]) -> Iterable[tuple[MarkedCall, Pairing]]:
        """The recorded calls that this may be, each with who stands for whom in it."""
        roles = [self.assignment.role(live) for live in lives]
        settled = tuple(sorted(role for role in roles if role is not None))
        calls = group.by_objects.get(settled, ()) if lives and len(settled) == len(lives) else group.calls
        for marked in calls:
            by_place = self.shelf.vocabulary.pairing(marked.marks, marks)
            for pairing in {by_place, self._by_roles(marked.objects, lives)}:
                if pairing is not None and all(self.assignment.allows(live, recorded) for recorded, live in pairing):
                    yield marked, pairing

    def _by_roles(self, recorded: Sequence[int], lives: Sequence[int]) -> Pairing | None:
        """The pairing by the settled roles, regardless of order: sets are sorted by their present values."""
        settled = {role: live for live in lives if (role := self.assignment.role(live)) is not None}
        open_roles = [number for number in recorded if number not in settled]
        open_lives = [live for live in lives if live not in settled.values()]
        known = [(number, settled[number]) for number in recorded if number in settled]
        if not settled or len(known) != len(settled) or len(open_roles) != len(open_lives):
            return None
        return tuple(sorted([*known, *zip(open_roles, open_lives, strict=True)]))

    def _candidates(
        self, calls: Iterable[tuple[MarkedCall, Pairing]], call: LiveCall, marks: Sequence[Mark]
    ) -> list[Candidate]:
        equal: dict[Any, Candidate | None] = {}
        for marked, pairing in (listed := [*calls]):
            if (marked.content, pairing) not in equal:
                equal[marked.content, pairing] = self._candidate(marked, pairing, call, marks)
        return self._strongest(
            replace(candidate, call=marked.call, used=self._used_by[marked.call.place, tuple(live for _, live in pairing)])
            for marked, pairing in listed
            if (candidate := equal[marked.content, pairing]) is not None
        )

    def _candidate(self, marked: MarkedCall, pairing: Pairing, call: LiveCall, marks: Sequence[Mark]) -> Candidate | None:
        renaming = self.shelf.vocabulary.renaming(pairing, marked.marks, marks)
        if marked.verbatim and not renaming.changes_nothing:
            return None
        if renaming.doubtful and not renaming.is_sure(self.shelf.vocabulary.marked(self.shelf.blank(marked.call))[1]):
            return None
        pairs = self._pairs(marked.call, renaming, call.tree)
        if pairs is None or not self.bindings.fit(pairs):
            return None
        answer = self._compared(marked.call, pairs, renaming)
        return Candidate(marked.call, tuple(pairs), answer, 0, pairing, None if renaming.changes_nothing else renaming)

    def _pairs(self, recorded: RecordedCall, renaming: Renaming, live: Any) -> list[Pair] | None:
        if recorded.secret or not renaming.is_whole:
            return self.bindings.pairs(self.shelf.arranged(recorded, renaming(recorded.request)), live)
        # Without placeholders, equal digests and marks are enough.
        return []

    def _explained(self, candidate: Candidate, own: Sequence[Candidate]) -> Candidate:
        """The candidate with an answer that is about the live objects themselves, if there is one, else with what is opaque."""
        if candidate.renaming is None:
            return candidate
        equal = sorted((other for other in own if other.answer == candidate.answer), key=lambda other: other.used)
        opaque = "" if equal and not equal[0].used else self.shelf.opaque.unexplained(candidate.call, candidate.pairing)
        # An answer of its own that was given already is only better than one that would be untrue.
        if equal and (opaque or not equal[0].used):
            return replace(equal[0], pairing=candidate.pairing, stands_for=candidate.call)
        return replace(candidate, opaque=opaque)

    # Choosing --------------------------------------------------------------------------------------------------------------

    def _chosen(self, candidates: Sequence[Candidate], call: LiveCall, *, once: bool) -> Choice:
        aligned = candidates if len(candidates) == 1 else own_first(self._aligned(candidates, call), self.used)
        urn = call.urn
        choice = choose(aligned, once=once, urn=urn, now=self._now[call.where[:2]], forgotten=call.forgotten)
        crowded = choice.verdict is Verdict.FOUND and once and not urn and self._is_crowded(candidates, call)
        if not crowded:
            return choice
        equal = self.shelf.equal_to(candidates[0].call)
        return Choice(Verdict.CROWDED, [Candidate(one, (), one.answer) for one in equal.calls] if equal else candidates)

    def _is_crowded(self, candidates: Sequence[Candidate], call: LiveCall) -> bool:
        """Whether this session has asked this as often as any recorded one did about one object."""
        equal = self.shelf.equal_to(candidates[0].call)
        if equal is not None:
            return self._asked[_asked(call)] >= equal.most
        times = Counter((candidate.pairing, candidate.call.interaction.session) for candidate in candidates)
        return self._asked[_asked(call)] >= max(times.values())

    def _aligned(self, candidates: Sequence[Candidate], call: LiveCall) -> Sequence[Candidate]:
        """Where answers differ, those of the same address, phase and kind of session, if there are such."""
        alike = len({candidate.answer for candidate in candidates}) == 1
        if alike and not any(candidate.call.place in self.shelf.made for candidate in candidates):
            return candidates
        preview = call.preview
        for fits in (
            lambda recorded: bool(call.address) and recorded.interaction.address == call.address,
            lambda recorded: bool(call.phase) and recorded.interaction.phase == call.phase,
            lambda recorded: None not in (preview, recorded.preview) and recorded.preview == preview,
            call.fits,
        ):
            candidates = narrowed(candidates, lambda candidate, fits=fits: fits(candidate.call))  # type: ignore[misc]
        return candidates

    def _untellable(self, call: LiveCall, chosen: Candidate) -> Lookup | None:
        """Why the object that this would make could be taken for another one later; ``None`` if nothing can go wrong."""
        newborn = self.shelf.made.get(chosen.call.place)
        if newborn is None or chosen.pairing or (call.address and chosen.call.interaction.address == call.address):
            return None
        return self._rehearsed(newborn.family) if len(self.shelf.families[newborn.family]) > 1 else None

    def _is_stale(self, choice: Choice, call: LiveCall) -> bool:
        recorded = choice.candidates[0].call
        if choice.verdict is not Verdict.REPEATED or recorded.interaction.op not in LOOKING:
            return False
        changed = self._changed.get(_object(choice.candidates[0], call))
        return changed is not None and changed > _moment(recorded)

    # Linking ---------------------------------------------------------------------------------------------------------------

    def _contradicts(self, lookup: Lookup) -> bool:
        """Whether no assignment of live objects would explain this call beside all that were answered."""
        with self.assignment.trial():
            return not self._link(lookup)

    def _link(self, lookup: Lookup) -> bool:
        lives = tuple(live for _, live in lookup.chosen.pairing)
        born = self._born(lookup.chosen)
        if not lives and born is None:
            return True
        link = Link(lives if born is None else (*lives, born), lambda: self._options(lookup, lives))
        return self.assignment.link(link, telling=bool(lives) and not lookup.alike, born=born)

    def _options(self, lookup: Lookup, lives: Sequence[int]) -> Iterable[tuple[int, ...]]:
        """For which recorded objects the call was recorded with this answer, and which object it made then."""
        for call, pairing in self._played(lookup):
            roles = {live: recorded for recorded, live in pairing}
            newborn = self.shelf.made.get(call.place)
            if roles.keys() == {*lives} and (newborn is None or call.wave == lookup.chosen.call.wave):
                yield (*(roles[live] for live in lives), *(() if newborn is None else (newborn.number,)))

    def _played(self, lookup: Lookup) -> Iterable[tuple[RecordedCall, Pairing]]:
        """The recorded calls that this one may be."""
        if not lookup.alike or lookup.about is None:
            return [
                (candidate.stands_for or candidate.call, candidate.pairing)
                for candidate in lookup.candidates
                if candidate.answer == lookup.chosen.answer
            ]
        # Only the calls with its own values were looked at, but the answer was recorded of each object of the kin.
        pairings = ((one.call, self.shelf.vocabulary.pairing(one.marks, lookup.marks)) for one in lookup.about.calls)
        return [(call, pairing) for call, pairing in pairings if pairing is not None]

    def _born(self, chosen: Candidate) -> int | None:
        """The live object that this answer makes: it gets the values that the answer has, unless another one has them."""
        newborn = self.shelf.made.get(chosen.call.place)
        if newborn is None:
            return None
        kin = (newborn.number, *self.shelf.kins[newborn.kin])
        return next((number for number in kin if not self.assignment.is_given(number)), newborn.number)

    # Taking ----------------------------------------------------------------------------------------------------------------

    def take(self, lookup: Lookup) -> Candidate:
        """Give this answer: everything that follows from it is noted. Returns it with what is to be renamed in it."""
        chosen = self._about(lookup) if self.shelf.made else lookup.chosen
        call = chosen.call
        if chosen.pairs and len({candidate.pairs for candidate in lookup.candidates}) == 1:
            self.bindings.bind(chosen.pairs)
        if self.sequence:
            self.sequence.take(call)
        self.used[call.place] += 1
        self._answered[self._first_of_its_time(call)] += 1
        if lookup.once:
            self._asked[_asked(lookup.call)] += 1
        self._move_on(lookup, chosen)
        return chosen

    def _about(self, lookup: Lookup) -> Candidate:
        """What was chosen, after the live objects that it is about, and the one that it makes, are noted."""
        chosen, place = lookup.chosen, lookup.chosen.call.place
        self._used_by[place, tuple(live for _, live in chosen.pairing)] += 1
        born = self._born(chosen)
        if chosen.pairing or born is not None:
            self._link(lookup)
        if born is None:
            return chosen
        before = chosen.renaming or self.shelf.vocabulary.renaming(())
        return replace(chosen, renaming=self.shelf.vocabulary.born_with(self.shelf.made[place], born, before), born=born)

    def _first_of_its_time(self, call: RecordedCall) -> int:
        equal = self.shelf.equal_to(call)
        return call.place if equal is None or len(equal.calls) == 1 else equal.by_wave[call.wave][0].place

    def _move_on(self, lookup: Lookup, chosen: Candidate) -> None:
        """Time passes: what was recorded before is past, and what was read before the object's change is out of date."""
        call, instance = chosen.call, lookup.call.where[:2]
        if lookup.call.once:
            key = _object(chosen, lookup.call)
            self._changed[key] = max(self._changed.get(key, (0, 0)), _moment(call))
        if lookup.call.once or lookup.decision.ordered:
            self._now[instance] = max(self._now[instance], call.wave)


def _of_one(lookup: Lookup, candidate: Candidate) -> Lookup:
    """The lookup, if only this candidate fitted."""
    return replace(lookup, choice=Choice(Verdict.FOUND, [candidate]), candidates=[candidate], alike=False)


def _itself(marked: MarkedCall) -> Pairing:
    return tuple((number, number) for number in sorted(marked.objects))


def _asked(call: LiveCall) -> tuple[Any, Where, str]:
    return call.session, call.where, digest(call.tree)


def _object(candidate: Candidate, call: LiveCall) -> tuple[str, ...]:
    """What names the object that a call is about; within one provider instance."""
    interaction = candidate.call.interaction
    if interaction.urn:
        return *call.where[:2], interaction.urn
    lives = [live for _, live in candidate.pairing] + ([] if candidate.born is None else [candidate.born])
    if lives:
        # Ids need not tell objects apart: some providers answer the same one for all.
        return *call.where[:2], interaction.type, *map(str, sorted({*lives}))
    return *call.where[:2], interaction.type, interaction.id or f"#{interaction.n}"


def _moment(call: RecordedCall) -> tuple[int, int]:
    """When a call was recorded, as far as the cassette's order tells: calls without a URN are in no order in a wave."""
    return call.wave, call.place if call.interaction.urn else 0
