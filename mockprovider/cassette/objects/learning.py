"""Learning what a provider generated: answers to equal requests are compared, and where they differ is what was generated.

Then requests are compared without these values, which shows the objects that were made from those objects, and so on.
Only objects that equal requests made are learnt. A generated name that no other object could have had is replayed as recorded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from mockprovider.cassette.objects.renaming import is_verbatim
from mockprovider.cassette.objects.values import LARGE, MARK, GeneratedValue, Place, changed_at, text
from mockprovider.cassette.objects.vocabulary import RecordedObject, Vocabulary
from mockprovider.cassette.recorded import RecordedCall, Where
from mockprovider.matching import digest, encode
from mockprovider.redaction import PLACEHOLDER

LONG, SHORT = 6, 4
"""From which length on a string is looked for inside of others, and one with a digit in it; shorter ones only as a whole."""


def learn(makers: Sequence[RecordedCall]) -> Vocabulary:
    """What the provider generated in the answers of ``makers``, where it did so several times for equal requests."""
    vocabulary = Vocabulary()
    rest = [call for call in makers if call.interaction.response is not None and not is_verbatim(call.interaction.response)]
    while rest:
        objects: list[RecordedObject] = []
        for kin in _kins(vocabulary, rest):
            objects += _objects(vocabulary, kin, len(vocabulary.objects) + len(objects))
        if not objects:
            break
        vocabulary.add(objects)
        places = {recorded.place for recorded in objects}
        rest = [call for call in rest if call.place not in places]
    generated = {recorded.place: recorded.values for recorded in vocabulary.objects}
    for call in makers if generated else ():
        request, answer = vocabulary.marked(call.request)[1], vocabulary.marked(call.interaction.response)[1]
        # A known value in an answer is there by chance if the request did not have it and it was not generated there.
        values = {value for _, value in answer} - {value for _, value in request}
        vocabulary.common |= values - {*generated.get(call.place, ())}
    return vocabulary


def _kins(vocabulary: Vocabulary, makers: Sequence[RecordedCall]) -> Iterable[list[RecordedCall]]:
    """Groups of calls with different answers to requests that are equal apart from known generated values."""
    kins: dict[tuple[Where, str], list[RecordedCall]] = defaultdict(list)
    for call in makers:
        kins[call.where, digest(vocabulary.marked(call.request)[0])].append(call)
    for kin in kins.values():
        # Two concurrent sessions with one configuration are two provider instances that cannot be told apart.
        at_once: dict[int, set[int]] = defaultdict(set)
        for call in kin:
            at_once[call.wave].add(call.interaction.session)
        if len({call.answer for call in kin}) > 1 and all(len(sessions) == 1 for sessions in at_once.values()):
            yield kin


def _objects(vocabulary: Vocabulary, kin: Sequence[RecordedCall], first: int) -> list[RecordedObject]:
    # Values of earlier objects come with the request. Any other repeated value is a coincidence, such as a time.
    brought = [{value for _, value in vocabulary.marked(call.request)[1]} for call in kin]
    marked = [vocabulary.marked(call.interaction.response, values) for call, values in zip(kin, brought, strict=True)]
    slots: list[Slot] = []
    if not _laid_over([answer for answer, _ in marked], "", (), slots) or not slots:
        return []
    requests = [encode(call.request).decode() for call in kin]
    generated = [_generated(slot, requests) for slot in slots]
    places = tuple(slot.path for slot in slots)
    families: dict[tuple[int, str], int] = {}
    return [
        RecordedObject(
            number=number,
            place=call.place,
            wave=call.wave,
            kin=first,
            family=families.setdefault((call.wave, call.digest), number),
            values=tuple(of_slot[number - first] for of_slot in generated),
            places=places,
            blank=changed_at(call.interaction.response, places, lambda *_: MARK),
        )
        for number, call in enumerate(kin, first)
    ]


# What differs between answers ------------------------------------------------------------------------------------------


class Slot(Struct, frozen=True):
    """A place where answers differ: the name that it is under, its path, and what each answer has there."""

    key: str
    path: Place
    values: tuple[Any, ...]


def _laid_over(trees: Sequence[Any], key: str, path: Place, slots: list[Slot]) -> bool:
    """Whether the trees have one shape. Adds the places where they differ to ``slots``."""
    first = trees[0]
    if any(type(tree) is not type(first) for tree in trees):
        return False
    if isinstance(first, dict) and PLACEHOLDER not in first:
        same = all(tree.keys() == first.keys() for tree in trees)
        return same and all(_laid_over([tree[name] for tree in trees], name, (*path, name), slots) for name in sorted(first))
    if isinstance(first, list):
        same = all(len(tree) == len(first) for tree in trees)
        return same and all(_laid_over([tree[n] for tree in trees], key, (*path, n), slots) for n in range(len(first)))
    if all(tree == first for tree in trees):
        return True
    slots.append(Slot(key, path, tuple(trees)))
    if isinstance(first, dict):
        return len({tree.get("kind") for tree in trees}) == 1 and all(PLACEHOLDER in tree for tree in trees)
    return not isinstance(first, bool)


def _generated(slot: Slot, requests: Sequence[str]) -> list[GeneratedValue | None]:
    """The generated value at a place of each answer; ``None`` where the values came with the requests."""
    values = _values(slot)
    brought = any(one.kind != "secret" and str(one.value) in request for one, request in zip(values, requests, strict=False))
    return [*values] if values and not brought else [None] * len(requests)


def _values(slot: Slot) -> list[GeneratedValue]:
    values = slot.values
    if isinstance(values[0], dict):
        return [GeneratedValue("secret", value.get("kind", "string"), value[PLACEHOLDER]) for value in values]
    if not isinstance(values[0], str):
        return [GeneratedValue("leaf", "" if abs(value) >= LARGE else slot.key, value) for value in values]
    for texts in (_differing(values), values):
        if all(_is_telling(string) for string in texts):
            return [text(string) for string in texts]
    # With an earlier object's value in it, the text will differ in a replay.
    marked = any(MARK in value for value in values)
    return [] if marked else [GeneratedValue("leaf", "" if len(value) >= SHORT else slot.key, value) for value in values]


def _differing(values: Sequence[str]) -> list[str]:
    """The part of each value that differs, in whole words: ``1f2e`` of ``arn:cloud:logs-1f2e``."""
    start = _shared(values)
    end = _shared([value[start:][::-1] for value in values])
    first = values[0]
    while start and first[start - 1].isalnum():
        start -= 1
    while end and first[-end].isalnum():
        end -= 1
    return [value[start : len(value) - end] for value in values]


def _shared(values: Sequence[str]) -> int:
    """The length of the common prefix."""
    low, high = min(values), max(values)
    return next((n for n, (one, other) in enumerate(zip(low, high, strict=False)) if one != other), len(low))


def _is_telling(string: str) -> bool:
    return MARK not in string and (len(string) >= LONG or (len(string) >= SHORT and any(map(str.isdigit, string))))
