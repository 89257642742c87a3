"""In which order the calls of a recording are asked.

A cassette is in canonical order, which is not that of time: calls that name no resource stand by type. So a call waits for what
its request needs: the start of its session, the sessions of its provider instance before it, the calls about its URN before it,
and the answers in which its values were made up. Of what need not wait, the first of the cassette comes first, but deletes come
last, and what depends on others is deleted before them.
"""

from __future__ import annotations

import heapq
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Any, TypeAlias

from mockprovider.calls import Op
from mockprovider.cassette.model import Cassette, Interaction
from mockprovider.cassette.objects.values import finder
from mockprovider.cassette.order import ENDING, STARTING
from mockprovider.cassette.verifying.generated import STANDS_ALONE, is_id, leaves, looks_made_up, stands_alone

UNASKED = frozenset({Op.CANCEL.value, Op.ATTACH.value})
"""Calls that are about a process of the recording: each session ends its own."""
OPENED = frozenset({Op.OPEN.value, Op.RENEW.value, Op.CLOSE.value})
Rank: TypeAlias = tuple[Any, ...]


def scheduled(cassette: Cassette, mutates: Callable[[Interaction], bool]) -> list[Interaction]:
    """The calls to providers, in the order in which they are asked. ``mutates`` says which change the cloud."""
    return _Schedule(cassette, mutates).order()


class _Schedule:
    """The calls of one cassette, and which of them wait for which."""

    def __init__(self, cassette: Cassette, mutates: Callable[[Interaction], bool]) -> None:
        self._mutates = mutates
        self._calls = [one for one in cassette.interactions if one.direction == "provider" and one.op not in UNASKED]
        self._waves = {session.number: session.wave for session in cassette.header.sessions}
        self._phases = {phase: rank for rank, phase in enumerate(dict.fromkeys(one.phase for one in self._calls))}
        self._by_number = {one.n: one for one in self._calls}
        self._waits: dict[int, set[int]] = defaultdict(set)
        self._needs: dict[int, set[int]] = defaultdict(set)
        self._depths: dict[int, int] = {}
        self._between = 0
        self._wait_for_sessions()
        # What is an id or a secret is surely made up; another word may be one that everybody knows.
        for is_sure in (_is_sure, lambda *_: True):
            self._wait_for_values(self._values_born(is_sure))

    def _values_born(self, is_sure: Callable[[str, Any], bool]) -> Mapping[Any, int]:
        """The number of the first call in whose answer each made-up value was, and not in its request."""
        makers: dict[Any, int] = {}
        for one in sorted((one for one in self._calls if one.op not in STARTING), key=self._stage):
            given = {value for _, value in leaves(one.request)}
            for key, value in leaves(one.response):
                if value not in given and looks_made_up(value, key) and is_sure(key, value):
                    makers.setdefault(value, one.n)
        return makers

    def _wait_for_values(self, makers: Mapping[Any, int]) -> None:
        pattern = finder(value for value in makers if isinstance(value, str) and len(value) >= STANDS_ALONE)
        brought = [(one, {value for value in _values(one.request, pattern) if value in makers}) for one in self._calls]
        # A short one, such as the id "-", may stand there by chance, and must not keep the others from being waited for.
        for alone in (True, False):
            for one, values in brought:
                self._wait_for(one, {makers[value] for value in values if stands_alone(value) is alone})

    def _wait_for(self, one: Interaction, makers: AbstractSet[int]) -> None:
        for number in sorted(makers - {one.n} - self._needs[one.n]):
            if self._stage(self._by_number[number]) <= self._stage(one) and not self._waits_for(number, one.n):
                self._needs[one.n].add(number)
                self._waits[one.n].add(number)

    def _waits_for(self, number: int, other: int) -> bool:
        """Whether a call waits for another one of the same stage, directly or through others."""
        stage, open_, seen = self._stage(self._by_number[other]), [number], {number}
        while open_:
            for before in self._waits[open_.pop()] - seen:
                if before == other:
                    return True
                seen.add(before)
                if before > 0 and self._stage(self._by_number[before]) == stage:
                    open_.append(before)
        return False

    def _stage(self, one: Interaction) -> tuple[int, int]:
        return self._phases[one.phase], self._waves.get(one.session, 1)

    def _wait_for_sessions(self) -> None:
        """A session goes on when it has started, calls of one URN follow each other, and so do an instance's waves."""
        started: dict[int, list[int]] = defaultdict(list)
        about: dict[tuple[int, str], int] = {}
        waves: dict[tuple[str, str], dict[tuple[int, int], list[int]]] = defaultdict(lambda: defaultdict(list))
        for one in self._calls:
            waves[one.provider, one.instance][self._stage(one)].append(one.n)
            starts = one.op in STARTING
            self._waits[one.n] |= {*started[one.session][-1:]} if starts else {*started[one.session]}
            if starts:
                started[one.session].append(one.n)
            elif one.urn:
                self._waits[one.n] |= {about[one.session, one.urn]} if (one.session, one.urn) in about else set()
                about[one.session, one.urn] = one.n
        for stages in waves.values():
            self._wait_for_waves([stages[stage] for stage in sorted(stages)])

    def _wait_for_waves(self, waves: Sequence[Sequence[int]]) -> None:
        for before, after in pairwise(waves):
            # A number of its own for what lies between two waves, instead of an edge from each to each.
            self._between -= 1
            self._waits[self._between] |= {*before}
            for number in after:
                self._waits[number].add(self._between)

    def _depth(self, number: int) -> int:
        """How many calls, one after the other, a call needs."""
        if number not in self._depths:
            self._depths[number] = 0
            self._depths[number] = 1 + max(map(self._depth, self._needs[number]), default=0)
        return self._depths[number]

    def _rank(self, one: Interaction, created: Collection[tuple[int, str, str]]) -> Rank:
        """What comes first of what need not wait."""
        stage = self._stage(one)
        if one.op in STARTING:
            return (*stage, 0, 0, one.n)
        if one.op == Op.DELETE and not self._is_replacing(one, created):
            return (*stage, 2, -self._depth(one.n), -one.n)
        if one.op in ENDING:
            return (*stage, 3, 0, one.n)
        # What is opened is renewed and closed after that: the answers need not tell which one it is.
        changes = 0 if not self._mutates(one) and one.op not in OPENED else 1 if one.op == Op.DELETE else 2
        return (*stage, 1, changes, one.n)

    @staticmethod
    def _is_replacing(one: Interaction, created: Collection[tuple[int, str, str]]) -> bool:
        """Whether another object comes in this one's place: an engine that names no URN deletes before it creates anew."""
        anew = any((session, type_) == (one.session, one.type) for session, type_, _ in created)
        return not one.urn and anew and (one.session, one.type, one.id) not in created

    def order(self) -> list[Interaction]:
        """The calls in the order in which they are asked."""
        created = frozenset((one.session, one.type, one.id) for one in self._calls if one.op == Op.CREATE)
        ranks: dict[int, Rank] = {one.n: self._rank(one, created) for one in self._calls}
        ranks |= dict.fromkeys(range(self._between, 0), ())
        return [self._by_number[number] for number in _sorted(ranks, self._waits) if number > 0]


def _is_sure(key: str, value: Any) -> bool:
    return isinstance(value, tuple) or is_id(key)


def _values(request: Any, pattern: re.Pattern[str]) -> Iterator[Any]:
    """The leaves of a request, and what a pattern finds in them."""
    for _, value in leaves(request):
        yield value
        if isinstance(value, str):
            yield from (match[0] for match in pattern.finditer(value))


def _sorted(ranks: Mapping[int, Rank], waits: Mapping[int, set[int]]) -> Iterator[int]:
    """Topological, by rank. What waits for itself in a circle comes by rank, when nothing else is left."""
    open_ = {number: {other for other in waits.get(number, ()) if other in ranks} for number in ranks}
    followers: dict[int, list[int]] = defaultdict(list)
    for number, others in open_.items():
        for other in others:
            followers[other].append(number)
    ready = [(ranks[number], number) for number, others in open_.items() if not others]
    heapq.heapify(ready)
    while open_:
        number = heapq.heappop(ready)[1] if ready else min(open_, key=lambda other: ranks[other])
        if open_.pop(number, None) is None:
            continue
        yield number
        for follower in followers[number]:
            if follower in open_:
                open_[follower].discard(number)
                if not open_[follower]:
                    heapq.heappush(ready, (ranks[follower], follower))
