"""Which of several recorded answers is the one, or why none is.

Equal answers under one key need no choice. Where they differ, time decides, and time only moves forward: the answers of
sessions that lie before what was replayed last are past. Calls of one URN keep their order; calls without a URN that were
recorded in sessions of one wave cannot be told apart, and are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum, auto
from typing import Any

from msgspec import Struct

from mockprovider.cassette.bindings import Pair
from mockprovider.cassette.objects import Pairing
from mockprovider.cassette.recorded import RecordedCall


class Candidate(Struct, frozen=True, eq=False):
    """A recorded call whose request fits a live one; ``answer`` is equal for equal answers.

    ``used`` counts how often it has answered this call already. ``pairing`` says which live objects stand in the places of the
    recorded ones, ``renaming`` puts their values in the answer, and ``opaque`` is the path of what no renaming explains there.
    ``stands_for`` is the recorded call whose part this is in, where another one with the live objects' own values answers it.
    ``born`` is the live object that the answer made.
    """

    call: RecordedCall
    pairs: tuple[Pair, ...]
    answer: str
    used: int = 0
    pairing: Pairing = ()
    renaming: Callable[[Any], Any] | None = None
    opaque: str = ""
    stands_for: RecordedCall | None = None
    born: int | None = None


class Verdict(StrEnum):
    """What came of a choice."""

    FOUND = auto()
    REPEATED = auto()
    EXHAUSTED = auto()
    PAST = auto()
    AMBIGUOUS = auto()
    CROWDED = auto()
    OPAQUE = auto()


class Choice(Struct, frozen=True):
    """A verdict and the candidates that it is about: for ``FOUND`` and ``REPEATED`` the chosen one."""

    verdict: Verdict
    candidates: Sequence[Candidate]
    ordered: bool = False
    """Whether time had to decide."""


EQUAL_ANSWER = "equal"
"""What stands for the answers of calls that have equal ones."""


def alone(call: RecordedCall, *, again: bool, once: bool, forgotten: bool) -> Choice | None:
    """What ``choose`` comes to for the call that alone was recorded with its request, without secrets, and made no object.

    Most recorded calls are like this. ``again`` says that it has answered before; ``None``, that it is used up.
    """
    if again and once and not forgotten:
        return None
    return Choice(Verdict.REPEATED if again else Verdict.FOUND, [Candidate(call, (), EQUAL_ANSWER, int(again))])


def choose(candidates: Sequence[Candidate], *, once: bool, urn: str, now: int, forgotten: bool) -> Choice:
    """The choice among ``candidates`` (at least one, in the cassette's order).

    Args:
        candidates: what there is to choose from.
        once: one recorded answer answers once.
        urn: the call's URN, if it names one.
        now: the wave that the replay of this provider instance has reached.
        forgotten: nobody remembers the answer, so the last one is never out of date.
    """
    unused = [candidate for candidate in candidates if not candidate.used]
    if len({candidate.answer for candidate in candidates}) == 1:
        if unused:
            # What a replay has skipped is past. So of equal answers, the first one not yet past is meant.
            return Choice(Verdict.FOUND, ([candidate for candidate in unused if candidate.call.wave >= now] or unused)[:1])
        used_up = once and not forgotten
        return Choice(Verdict.EXHAUSTED, candidates) if used_up else Choice(Verdict.REPEATED, candidates[-1:])
    ahead = [candidate for candidate in unused if candidate.call.wave >= now]
    if not ahead and forgotten:
        return Choice(Verdict.REPEATED, candidates[-1:], ordered=True)
    if not ahead:
        return Choice(Verdict.PAST if unused else Verdict.EXHAUSTED, candidates, ordered=True)
    first = ahead[0]
    rivals = [candidate for candidate in ahead if candidate.call.wave == first.call.wave and candidate.answer != first.answer]
    # Time does not order different objects: an answer about one is never an earlier answer about another.
    rivals = rivals or [candidate for candidate in ahead if candidate.pairing != first.pairing]
    if rivals and not urn:
        return Choice(Verdict.AMBIGUOUS, [first, *rivals], ordered=True)
    return Choice(Verdict.FOUND, [first], ordered=True)


def narrowed(candidates: Sequence[Candidate], fits: Callable[[Candidate], bool]) -> Sequence[Candidate]:
    """Those that fit, or all if none does."""
    return [candidate for candidate in candidates if fits(candidate)] or candidates


def own_first(candidates: Sequence[Candidate], used: Mapping[int, int]) -> Sequence[Candidate]:
    """Where answers differ, those of the live objects' own values, if there are such; else these first, then what is unused."""
    own: list[Candidate] = []
    unused: list[Candidate] = []
    others: list[Candidate] = []
    for candidate in candidates:
        is_own = all(recorded == live for recorded, live in candidate.pairing)
        (own if is_own else others if used[candidate.call.place] else unused).append(candidate)
    if len({candidate.answer for candidate in candidates}) > 1:
        return own or candidates
    return [*own, *unused, *others]
