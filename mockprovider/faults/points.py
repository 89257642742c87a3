"""Fault points: the calls of a good run, and every fault that makes sense at each, under stable names.

A sweep runs a scenario once, lists its points, and runs it again with one of them broken at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from mockprovider.calls import Call
from mockprovider.errors import DefinitionError
from mockprovider.faults.fault import EVERY, Fault, Phase
from mockprovider.faults.kinds import KINDS
from mockprovider.faults.plan import FaultPlan, FaultRule
from mockprovider.faults.when import When, previewed


class FaultPoint(Struct, frozen=True):
    """One call of a run, as its rules select it: ``create cloud:index:Bucket logs #1``, with a fault in one of its phases."""

    when: When
    kind: str
    phase: Phase

    def __str__(self) -> str:
        when = self.when
        where = [when.op.value, when.type, when.name or when.address, "(preview)" if when.preview == "only" else ""]
        kind = self.kind.replace("_", "-")
        return " ".join([*filter(None, where), f"#{when.after + 1}", self.phase.value, kind])

    @property
    def plan(self) -> FaultPlan:
        """The plan that breaks the run here. Its fault has what its kind has unless told otherwise."""
        return FaultPlan((FaultRule(self.when, KINDS[self.kind]()),))


def points(calls: Iterable[Call], *, fake: bool = True) -> Iterator[FaultPoint]:
    """The points of a run, in the order of its calls: every kind that needs no arguments, in every phase that it acts in.

    Args:
        calls: the engine's calls, as a journal has them.
        fake: whether the fake answered them, whose cloud some kinds change.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    for call in calls:
        if call.op not in EVERY:
            continue
        preview: Literal["only", "no"] = "only" if previewed(call) else "no"
        place = (call.op.value, call.type, call.name, call.address, preview)
        when = When(op=call.op, type=call.type, name=call.name, address=call.address, preview=preview, after=seen[place])
        seen[place] += 1
        for word, kind in KINDS.items():
            idle = preview == "only" and call.op in kind.idle_in_previews
            if call.op in kind.ops and not idle and (fake or not kind.of_the_fake) and _bare(kind):
                phases = (phase for phase in kind.phases if phase is not Phase.MID)
                yield from (FaultPoint(replace(when, phase=phase), word, phase) for phase in phases)


def _bare(kind: type[Fault]) -> bool:
    """Whether a kind can be had without saying more."""
    try:
        kind()
    except (TypeError, DefinitionError):
        return False
    return True
