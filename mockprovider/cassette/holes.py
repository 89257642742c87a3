"""What the provider generated, where a recording made several objects from equal requests.

Calls without a URN do not say which resource they are for. Where equal requests made several objects, only what the provider
generated (names, ids, numbers, secrets) tells these apart. It is learnt from the cassette when that is loaded: answers to equal
requests are compared, and where they differ is what was generated. Then requests are compared without these values, which
shows the objects that were made from those objects, and so on.

Only such objects have holes. A generated name that no other object could have had is replayed as it was recorded.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from mockprovider.cassette.choice import RecordedEntry
from mockprovider.cassette.renaming import (
    MARK,
    Atom,
    Mark,
    Pairing,
    Place,
    Renaming,
    changed_at,
    finder,
    is_verbatim,
    name_of,
    wholes_of,
)
from mockprovider.matching import digest, encode
from mockprovider.redaction import PLACEHOLDER

LONG, SHORT = 6, 4
"""From which length on a string is looked for inside of others, and one with a digit in it; shorter ones only as a whole."""
LARGE = 1000
"""A number from here on is looked for under any name; a smaller one only under the name that it was generated under."""


class Birth(Struct, eq=False):
    """One of several objects made by equal requests.

    ``number`` counts births, ``place`` is the interaction's in the cassette, ``group`` numbers those that were equal. ``atoms``
    are what was generated, by slot: the same slot of two births of a group is the same part of the answer. ``places`` are the
    paths of the slots, ``blank`` is the answer without them.
    """

    number: int
    place: int
    group: int
    atoms: tuple[Atom | None, ...]
    places: tuple[Place, ...]
    blank: Any


class Vocabulary:
    """Everything that was generated, and the births that it belongs to."""

    def __init__(self) -> None:
        self.births: list[Birth] = []
        self.common: set[Atom] = set()
        """Values that two objects have by chance, such as a time. They identify neither."""
        self._owners: dict[Atom, list[tuple[int, int]]] = defaultdict(list)
        self._pattern = finder(())

    def add(self, births: Iterable[Birth]) -> None:
        """Add these births."""
        for birth in births:
            self.births.append(birth)
            for slot, atom in enumerate(birth.atoms):
                if atom is not None:
                    self._owners[atom].append((birth.number, slot))
        self._pattern = finder(atom[2] for atom in self._owners if atom[0] == "text")

    def marked(self, tree: Any, among: Collection[Atom] | None = None) -> tuple[Any, list[Mark]]:
        """``tree`` with marks in place of generated values (only those ``among`` these), and the marks in key order."""
        marks: list[Mark] = []
        among = self._owners if among is None else among
        return (self._mark(tree, "", among, marks), marks) if among else (tree, marks)

    def _mark(self, tree: Any, key: str, among: Collection[Atom], marks: list[Mark]) -> Any:
        if isinstance(tree, list):
            return [self._mark(subtree, key, among, marks) for subtree in tree]
        if isinstance(tree, dict) and PLACEHOLDER not in tree:
            return {name: self._mark(tree[name], name, among, marks) for name in sorted(tree)}
        for whole in wholes_of(tree, key):
            if whole in among:
                marks.append((key, whole))
                return MARK
        return self._mark_text(tree, key, among, marks) if isinstance(tree, str) else tree

    def _mark_text(self, text: str, key: str, among: Collection[Atom], marks: list[Mark]) -> str:
        def mark(match: re.Match[str]) -> str:
            atom = "text", "", match[0]
            if atom not in among:
                return match[0]
            marks.append((key, atom))
            return MARK

        return self._pattern.sub(mark, text)

    def pairing(self, recorded: Sequence[Mark], live: Sequence[Mark]) -> Pairing | None:
        """Which birth of the live request stands for which of the recorded one, given the marks of both.

        ``None`` if they do not correspond: one birth would stand for two, or for one of another group.
        """
        partners: dict[int, int] = {}
        if len(recorded) != len(live):
            return None
        for (_, one), (_, other) in zip(recorded, live, strict=True):
            number = self._told_by.get(one)
            if number is None:
                continue
            fits = self._fitting(one, self.births[number].group, other)
            if not fits or (len(fits) == 1 and partners.setdefault(number, *fits) not in fits):
                return None
        return tuple(sorted(partners.items())) if len(set(partners.values())) == len(partners) else None

    def _fitting(self, one: Atom, group: int, other: Atom) -> Collection[int]:
        """The births of the group that have ``other`` in a slot in which one of them has ``one``."""
        slots = [slot for _, slot in self._owners[one]]
        return {owner for owner, slot in self._owners[other] if slot in slots and self.births[owner].group == group}

    def births_of(self, marks: Iterable[Mark]) -> list[int]:
        """The births that these marks belong to, each once. A mark that several births share is left out."""
        numbers = [self._told_by.get(atom) for _, atom in marks]
        return [number for number in dict.fromkeys(numbers) if number is not None]

    def owners(self, marks: Iterable[Mark]) -> set[int]:
        """The births that these marks may belong to."""
        return {owner for _, atom in marks for owner, _ in self._owners[atom]}

    def renaming(self, pairing: Pairing, recorded: Sequence[Mark] = (), live: Sequence[Mark] = ()) -> Renaming:
        """What a pairing changes, given the marks of the two requests that it is of."""
        options: dict[Atom, set[Atom]] = defaultdict(set)
        for one, other in self._changes(pairing):
            options[one].add(other)
        # A value that identifies no object is replaced only where it differs between the requests, by the same object's value.
        # So is a value that one object has twice, and the other in two spellings.
        placed = {mark: atom for mark, (_, atom) in zip(recorded, live, strict=True) if atom in options.get(mark[1], ())}
        telling = {one: others for one, others in options.items() if one in self._told_by}
        changes = {one: min(others) for one, others in telling.items() if len(others) == 1}
        renaming = Renaming(changes, placed, telling.keys() - changes.keys())
        renaming.is_whole = renaming.turns(recorded, live)
        return renaming

    def _changes(self, pairing: Pairing) -> Iterator[tuple[Atom, Atom]]:
        for one, other in pairing:
            for atom, changed in zip(self.births[one].atoms, self.births[other].atoms, strict=True):
                if atom is not None and changed is not None:
                    yield atom, changed

    @cached_property
    def _told_by(self) -> Mapping[Atom, int]:
        """The values that only one object has, with that object's number. Read only once everything is learnt."""
        owners = {atom: {number for number, _ in holders} for atom, holders in self._owners.items() if atom not in self.common}
        return {atom: min(numbers) for atom, numbers in owners.items() if len(numbers) == 1}

    def recast(self, birth: Birth, face: int, before: Callable[..., Any]) -> Callable[[Any], Any]:
        """A function of the birth's answer that puts the values of ``face`` in it, and applies ``before`` to the rest."""
        atoms = dict(zip(birth.places, zip(birth.atoms, self.births[face].atoms, strict=True), strict=True))

        def change(tree: Any, path: Place) -> Any:
            own, other = atoms[path]
            if own is None or other is None:
                return before(tree, name_of(path))
            wholes = (("text", "", tree), *wholes_of(tree, name_of(path)))
            # An earlier object may have the same value, such as a time: here it is the new one's.
            return Renaming({own: other})(tree if own in wholes else before(tree, name_of(path)), name_of(path))

        return lambda answer: changed_at(answer, birth.places, change, before)


def learn(makers: Sequence[RecordedEntry]) -> Vocabulary:
    """What the provider generated in the answers of ``makers``, where it did so several times for equal requests."""
    vocabulary = Vocabulary()
    rest = [entry for entry in makers if entry.interaction.response is not None and not is_verbatim(entry.interaction.response)]
    while rest:
        born: list[Birth] = []
        for group in _alike(vocabulary, rest):
            born += _births(vocabulary, group, len(vocabulary.births) + len(born))
        if not born:
            break
        vocabulary.add(born)
        places = {birth.place for birth in born}
        rest = [entry for entry in rest if entry.place not in places]
    generated = {birth.place: birth.atoms for birth in vocabulary.births}
    for entry in makers if generated else ():
        request, answer = vocabulary.marked(entry.request)[1], vocabulary.marked(entry.interaction.response)[1]
        # A known value in an answer is there by chance if the request did not have it and it was not generated there.
        vocabulary.common |= {atom for _, atom in answer} - {atom for _, atom in request} - {*generated.get(entry.place, ())}
    return vocabulary


def _alike(vocabulary: Vocabulary, makers: Sequence[RecordedEntry]) -> Iterable[list[RecordedEntry]]:
    """Groups of entries with different answers to requests that are equal apart from known generated values."""
    groups: dict[tuple[str, str, str, str], list[RecordedEntry]] = defaultdict(list)
    for entry in makers:
        interaction = entry.interaction
        skeleton = digest(vocabulary.marked(entry.request)[0])
        groups[interaction.instance, interaction.method, interaction.type, skeleton].append(entry)
    for group in groups.values():
        # Two concurrent sessions with one configuration are two provider instances that cannot be told apart.
        at_once: dict[int, set[int]] = defaultdict(set)
        for entry in group:
            at_once[entry.wave].add(entry.interaction.session)
        if len({entry.answer for entry in group}) > 1 and all(len(sessions) == 1 for sessions in at_once.values()):
            yield group


def _births(vocabulary: Vocabulary, group: Sequence[RecordedEntry], first: int) -> list[Birth]:
    # Values of earlier objects come with the request. Any other repeated value is a coincidence, such as a time.
    brought = [{atom for _, atom in vocabulary.marked(entry.request)[1]} for entry in group]
    marked = [vocabulary.marked(entry.interaction.response, atoms) for entry, atoms in zip(group, brought, strict=True)]
    answers = [answer for answer, _ in marked]
    slots: list[Slot] = []
    if not _laid_over(answers, "", (), slots) or not slots:
        return []
    requests = [encode(entry.request).decode() for entry in group]
    atoms = [_atoms(slot, requests) for slot in slots]
    places = tuple(slot.path for slot in slots)
    return [
        Birth(
            first + index,
            entry.place,
            first,
            tuple(row[index] for row in atoms),
            places,
            changed_at(entry.interaction.response, places, lambda *_: MARK),
        )
        for index, entry in enumerate(group)
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


def _atoms(slot: Slot, requests: Sequence[str]) -> list[Atom | None]:
    """The generated value at a place of each answer; ``None`` where the values came with the requests."""
    atoms = _found(slot)
    brought = any(atom[0] != "secret" and str(atom[2]) in request for atom, request in zip(atoms, requests, strict=False))
    return [*atoms] if atoms and not brought else [None] * len(requests)


def _found(slot: Slot) -> list[Atom]:
    values = slot.values
    if isinstance(values[0], dict):
        numbers = [value[PLACEHOLDER] for value in values]
        return [] if MARK in numbers else [("secret", value.get("kind", "string"), value[PLACEHOLDER]) for value in values]
    if not isinstance(values[0], str):
        return [("leaf", "" if abs(value) >= LARGE else slot.key, value) for value in values]
    for texts in (_differing(values), values):
        if all(_is_telling(text) for text in texts):
            return [("text", "", text) for text in texts]
    # With an earlier object's value in it, the text will differ in a replay.
    marked = any(MARK in value for value in values)
    return [] if marked else [("leaf", "" if len(value) >= SHORT else slot.key, value) for value in values]


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


def _is_telling(text: str) -> bool:
    return MARK not in text and (len(text) >= LONG or (len(text) >= SHORT and any(map(str.isdigit, text))))
