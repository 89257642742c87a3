"""Smaller cassettes: what was asked again and again, and always answered alike, is kept once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from mockprovider.calls import Op
from mockprovider.cassette.model import Cassette, Interaction
from mockprovider.cassette.order import answer_digest
from mockprovider.matching import digest

COUNTED = frozenset({Op.READ.value, Op.IMPORT.value, Op.CANCEL.value, Op.RAW.value})
"""Ops that are kept as often as they were asked: what exists may have been looked at before and after a change."""


def without_repeats(cassette: Cassette, mutates: Callable[[str], bool]) -> Cassette:
    """The cassette without repeated questions that were answered alike each time; a replay answers these as often as it likes.

    ``mutates`` says whether a method changes the cloud: such calls all stay. The sessions' numbers stay as they are.
    """
    answers: Mapping[str, set[str]] = defaultdict(set)
    asked = {each.n: _question(each) for each in cassette.interactions}
    for each in (each for each in cassette.interactions if each.parent is None):
        answers[asked[each.n]].add(answer_digest(each))
    seen: set[str] = set()
    kept: list[Interaction] = []
    gone: set[int] = set()
    for each in cassette.interactions:
        if each.parent is not None:
            # What a provider asked its engine stays with the call during which it did, and follows it.
            kept += [] if each.parent in gone else [each]
            continue
        question = asked[each.n]
        repeated = question in seen and len(answers[question]) == 1
        if not repeated or each.urn or each.op in COUNTED or mutates(each.method):
            kept.append(each)
        else:
            gone.add(each.n)
        seen.add(question)
    numbers = {each.n: n for n, each in enumerate(kept, 1)}
    return replace(
        cassette,
        interactions=[replace(each, n=numbers[each.n], parent=numbers.get(each.parent or 0)) for each in kept],
    )


def _question(each: Interaction) -> str:
    request = each.request_blob or each.request
    return digest([each.instance, each.method, each.type, each.urn, each.phase, each.preview, request])
