"""Smaller cassettes: what was asked again and again, and always answered alike, is kept once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from mockprovider.calls import Op
from mockprovider.cassette.model import Cassette, Interaction
from mockprovider.cassette.order import answer_digest, renumbered
from mockprovider.matching import digest

COUNTED = frozenset({Op.READ.value, Op.IMPORT.value, Op.CANCEL.value, Op.RAW.value})
"""Ops that are kept as often as they were asked: what exists may have been looked at before and after a change."""


def without_repeats(cassette: Cassette, mutates: Callable[[str], bool]) -> Cassette:
    """The cassette without repeated questions that were answered alike each time; a replay answers these as often as it likes.

    ``mutates`` says whether a method changes the cloud: such calls all stay. The sessions' numbers stay as they are.
    """
    answers: Mapping[str, set[str]] = defaultdict(set)
    asked = {interaction.n: _question(interaction) for interaction in cassette.interactions}
    for interaction in (interaction for interaction in cassette.interactions if interaction.parent is None):
        answers[asked[interaction.n]].add(answer_digest(interaction))
    seen: set[str] = set()
    kept: list[Interaction] = []
    dropped: set[int] = set()
    for interaction in cassette.interactions:
        if interaction.parent is not None:
            # A call from the provider to its engine follows the call during which it was made.
            kept += [] if interaction.parent in dropped else [interaction]
            continue
        question = asked[interaction.n]
        repeated = question in seen and len(answers[question]) == 1
        if not repeated or interaction.urn or interaction.op in COUNTED or mutates(interaction.method):
            kept.append(interaction)
        else:
            dropped.add(interaction.n)
        seen.add(question)
    numbers = {interaction.n: n for n, interaction in enumerate(kept, 1)}
    interactions = [
        replace(interaction, n=numbers[interaction.n], parent=numbers.get(interaction.parent or 0)) for interaction in kept
    ]
    return renumbered(replace(cassette, interactions=interactions))


def _question(interaction: Interaction) -> str:
    request = interaction.request_blob or interaction.request
    asked_of = [interaction.provider, interaction.instance, interaction.method, interaction.type]
    return digest([*asked_of, interaction.urn, interaction.phase, interaction.preview, request])
