"""Which recorded object each live object stands for, as far as the calls until now tell.

Each answered call leaves a *link*: the live objects that it was about, and for which recorded objects it had been recorded
with that answer. A live object's *domain* is what all its links allow. Where a domain shrinks, the links of that object lose
options, and with them other domains shrink, until nothing changes: arc consistency, the usual method for such constraints.
Nothing is worked out for kins in which nothing has been told apart yet, so equal objects that are used alike cost nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TypeAlias

from mockprovider.cassette.objects.vocabulary import RecordedObject

Options: TypeAlias = frozenset[tuple[int, ...]]
"""Recorded objects, in the order of a link's live objects."""


FEW = 60
"""Of how many recorded objects it is worth working out that one is taken; of more, it is seen when it matters."""
TRIES = 1000
"""How much is tried before it is taken for granted that live objects fit: more than real programs need."""


class Link:
    """A call of the replay: its live objects, and the recorded objects that they may stand for.

    Args:
        lives: the live objects.
        options: works out for which recorded objects the call was recorded.
    """

    def __init__(self, lives: Sequence[int], options: Callable[[], Iterable[tuple[int, ...]]]) -> None:
        self.lives = tuple(lives)
        self._options = options

    @cached_property
    def options(self) -> Options:
        """What is left of the options."""
        return frozenset(self._options())


class _ContradictionError(Exception):
    """A live object could stand for nothing."""


class Assignment:
    """The live objects of one replay, and what they may stand for.

    A live object that nothing has told apart may stand for any object of its kin that was made at the same time as the one
    whose values it has.
    """

    def __init__(self, objects: Sequence[RecordedObject]) -> None:
        self._objects = objects
        cohorts: dict[tuple[int, int], set[int]] = defaultdict(set)
        for recorded in objects:
            cohorts[recorded.kin, recorded.wave].add(recorded.number)
        self._cohorts = {cohort: frozenset(numbers) for cohort, numbers in cohorts.items()}
        self._domains: dict[int, frozenset[int]] = {}
        self._settled: dict[int, int] = {}
        self._links: dict[int, list[Link]] = defaultdict(list)
        self._given: set[int] = set()
        self._lives: dict[int, list[int]] = defaultdict(list)
        self._told_apart: set[int] = set()
        self._trail: list[Callable[[], object]] = []

    def is_given(self, number: int) -> bool:
        """Whether a live object has the values of this recorded object."""
        return number in self._given

    def is_open(self, lives: Iterable[int]) -> bool:
        """Whether nothing has been told apart among the kins of these live objects."""
        return not any(self._objects[live].kin in self._told_apart for live in lives)

    def cohort(self, number: int) -> frozenset[int]:
        """The recorded objects of this one's kin that were made at the same time."""
        recorded = self._objects[number]
        return self._cohorts[recorded.kin, recorded.wave]

    def domain(self, live: int) -> frozenset[int]:
        """What this live object may stand for."""
        return self._domains.get(live) or self.cohort(live)

    def role(self, live: int) -> int | None:
        """What this live object stands for, if that is settled."""
        domain = self._domains.get(live, ())
        return next(iter(domain)) if len(domain) == 1 else None

    def allows(self, live: int, recorded: int) -> bool:
        """Whether this live object may stand for this recorded one, as far as its own links tell."""
        return recorded in self.domain(live) and self._settled.get(recorded, live) == live

    def link(self, link: Link, *, telling: bool, born: int | None = None) -> bool:
        """Note what a call shows. Returns ``False``, and notes nothing, where it contradicts what is known.

        A ``telling`` link is worked out at once, another one when something of its kins is told apart. ``born`` is the live
        object that the call made, one of the link's.
        """
        start = len(self._trail)
        try:
            self._add(link, born)
            if telling or not self.is_open(link.lives):
                self._work_out([link, *(first for live in link.lives for first in self._first_of(live))])
                self._try_out(link)
        except _ContradictionError:
            self._undo(start)
            return False
        return True

    @contextmanager
    def trial(self) -> Iterator[None]:
        """Whatever is linked meanwhile is forgotten afterwards."""
        start = len(self._trail)
        try:
            yield
        finally:
            self._undo(start)

    def _undo(self, start: int) -> None:
        while len(self._trail) > start:
            self._trail.pop()()

    def _add(self, link: Link, born: int | None) -> None:
        if born is not None:
            lives = self._lives[self._objects[born].kin]
            lives.append(born)
            self._given.add(born)
            self._trail += [lives.pop, lambda: self._given.discard(born)]
        for live in link.lives:
            self._links[live].append(link)
            self._trail.append(self._links[live].pop)

    def _work_out(self, pending: list[Link]) -> None:
        while pending:
            link = pending.pop()
            options = frozenset(option for option in link.options if all(map(self.allows, link.lives, option)))
            self._keep(link, options)
            for position, live in enumerate(link.lives):
                pending += self._narrow(live, frozenset(option[position] for option in options))

    def _try_out(self, link: Link) -> None:
        """Raise where the live objects of this link, and those that they are linked with, cannot all stand for something.

        Domains are worked out link by link, which does not see that two links want one recorded object for two live ones.
        """
        bound = self._bound(link)
        if len(bound) > 1 and not self._fits(sorted(bound), [TRIES]):
            raise _ContradictionError

    def _bound(self, link: Link) -> set[int]:
        """The live objects that this link's are bound to by other links, themselves among them."""
        bound: set[int] = set()
        pending = [*link.lives]
        while pending:
            live = pending.pop()
            if live not in bound and self.role(live) is None:
                bound.add(live)
                pending += [other for shared in self._links[live] for other in shared.lives]
        return bound

    def _fits(self, bound: Sequence[int], tries: list[int]) -> bool:
        """Whether there is something for each of these to stand for. It is taken for granted after so many tries."""
        live = min((live for live in bound if self.role(live) is None), key=lambda live: len(self.domain(live)), default=None)
        if live is None:
            return True
        for recorded in sorted(self.domain(live)):
            tries[0] -= 1
            start = len(self._trail)
            try:
                self._work_out(self._narrow(live, frozenset({recorded})))
                fits = tries[0] < 0 or self._fits(bound, tries)
            except _ContradictionError:
                fits = False
            self._undo(start)
            if fits:
                return True
        return False

    def _keep(self, link: Link, options: Options) -> None:
        before = link.options
        if len(options) < len(before):
            link.options = options
            self._trail.append(lambda: setattr(link, "options", before))

    def _narrow(self, live: int, allowed: frozenset[int]) -> list[Link]:
        """Narrow a domain. Returns the links that must be worked out again."""
        before, domain = self._domains.get(live), self.domain(live)
        now = domain & allowed
        if now == domain:
            return []
        if not now:
            raise _ContradictionError
        self._domains[live] = now
        self._trail.append(lambda: self._restore(live, before))
        # A link of one live object has said all that it can say once it is worked out.
        shared = [link for link in self._links[live] if len(link.lives) > 1]
        return [*shared, *self._first_of(live), *(self._settle(live, *now) if len(now) == 1 else ())]

    def _restore(self, live: int, domain: frozenset[int] | None) -> None:
        if domain is None:
            del self._domains[live]
        else:
            self._domains[live] = domain

    def _first_of(self, live: int) -> list[Link]:
        """The links of this kin, if this is the first of its objects to be told apart: until now they were only noted."""
        kin = self._objects[live].kin
        if kin in self._told_apart:
            return []
        self._told_apart.add(kin)
        self._trail.append(lambda: self._told_apart.discard(kin))
        return [link for kindred in self._lives[kin] for link in self._links[kindred]]

    def _settle(self, live: int, recorded: int) -> list[Link]:
        """One recorded object is one live object: no other may stand for it any more."""
        if self._settled.setdefault(recorded, live) != live:
            raise _ContradictionError
        self._trail.append(lambda: self._settled.pop(recorded, None))
        rivals = [rival for rival in self._lives[self._objects[live].kin] if rival != live]
        few = [rival for rival in rivals if len(domain := self.domain(rival)) <= FEW and recorded in domain]
        return [link for rival in few for link in self._narrow(rival, self.domain(rival) - {recorded})]
