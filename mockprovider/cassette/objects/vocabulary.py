"""The generated values of a recording, and the objects that they belong to."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from mockprovider.cassette.objects.renaming import Pairing, Renaming
from mockprovider.cassette.objects.values import (
    MARK,
    GeneratedValue,
    Mark,
    Place,
    changed_at,
    finder,
    name_of,
    text,
    wholes_of,
)
from mockprovider.redaction import PLACEHOLDER


class RecordedObject(Struct, eq=False, frozen=True):
    """What one recorded answer generated.

    ``number`` counts the objects, ``place`` and ``wave`` are the call's. ``kin`` and ``family`` are the numbers of the first
    object of each. ``values`` are what was generated, by slot; ``places`` are the paths of the slots, ``blank`` is the answer
    without them.
    """

    number: int
    place: int
    wave: int
    kin: int
    family: int
    values: tuple[GeneratedValue | None, ...]
    places: tuple[Place, ...]
    blank: Any


class Vocabulary:
    """Everything that was generated, and the objects that it belongs to."""

    def __init__(self) -> None:
        self.objects: list[RecordedObject] = []
        self.common: set[GeneratedValue] = set()
        """Values that two objects have by chance, such as a time. They identify neither."""
        self._owners: dict[GeneratedValue, list[tuple[int, int]]] = defaultdict(list)
        self._pattern = finder(())

    def add(self, objects: Iterable[RecordedObject]) -> None:
        """Add these objects."""
        for recorded in objects:
            self.objects.append(recorded)
            for slot, value in enumerate(recorded.values):
                if value is not None:
                    self._owners[value].append((recorded.number, slot))
        self._pattern = finder(value.value for value in self._owners if value.kind == "text")

    def marked(self, tree: Any, among: Collection[GeneratedValue] | None = None) -> tuple[Any, list[Mark]]:
        """``tree`` with marks in place of generated values (only those ``among`` these), and the marks in key order."""
        marks: list[Mark] = []
        among = self._owners if among is None else among
        return (self._mark(tree, "", among, marks), marks) if among else (tree, marks)

    def _mark(self, tree: Any, key: str, among: Collection[GeneratedValue], marks: list[Mark]) -> Any:
        if isinstance(tree, list):
            return [self._mark(subtree, key, among, marks) for subtree in tree]
        if isinstance(tree, dict) and PLACEHOLDER not in tree:
            return {name: self._mark(tree[name], name, among, marks) for name in sorted(tree)}
        for whole in wholes_of(tree, key):
            if whole in among:
                marks.append(Mark(key, whole))
                return MARK
        return self._mark_text(tree, key, among, marks) if isinstance(tree, str) else tree

    def _mark_text(self, string: str, key: str, among: Collection[GeneratedValue], marks: list[Mark]) -> str:
        def mark(match: re.Match[str]) -> str:
            value = text(match[0])
            if value not in among:
                return match[0]
            marks.append(Mark(key, value))
            return MARK

        return self._pattern.sub(mark, string)

    # Which object --------------------------------------------------------------------------------------------------------

    def pairing(self, recorded: Sequence[Mark], live: Sequence[Mark]) -> Pairing | None:
        """Which live object stands in the place of which recorded one, given the marks of two requests.

        ``None`` if they do not correspond: one object would stand for two, or for one of another kin.
        """
        partners: dict[int, int] = {}
        if len(recorded) != len(live):
            return None
        for (_, one), (_, other) in zip(recorded, live, strict=True):
            number = self._owner.get(one)
            if number is None:
                continue
            fits = self._fitting(one, self.objects[number].kin, other)
            if not fits or (len(fits) == 1 and partners.setdefault(number, *fits) not in fits):
                return None
        return tuple(sorted(partners.items())) if len(set(partners.values())) == len(partners) else None

    def _fitting(self, one: GeneratedValue, kin: int, other: GeneratedValue) -> Collection[int]:
        """The objects of the kin that have ``other`` in a slot in which one of them has ``one``."""
        slots = [slot for _, slot in self._owners[one]]
        return {owner for owner, slot in self._owners[other] if slot in slots and self.objects[owner].kin == kin}

    def objects_of(self, marks: Iterable[Mark]) -> list[int]:
        """The objects that these marks belong to, each once. A mark that several objects share is left out."""
        numbers = [self._owner.get(value) for _, value in marks]
        return [number for number in dict.fromkeys(numbers) if number is not None]

    def owners(self, marks: Iterable[Mark]) -> set[int]:
        """The objects that these marks may belong to."""
        return {owner for _, value in marks for owner, _ in self._owners[value]}

    @cached_property
    def _owner(self) -> Mapping[GeneratedValue, int]:
        """The values that only one object has, with that object's number. Read only once everything is learnt."""
        owners = {value: {number for number, _ in holders} for value, holders in self._owners.items()}
        return {value: min(numbers) for value, numbers in owners.items() if len(numbers) == 1 and value not in self.common}

    # Its values ----------------------------------------------------------------------------------------------------------

    def renaming(self, pairing: Pairing, recorded: Sequence[Mark] = (), live: Sequence[Mark] = ()) -> Renaming:
        """What a pairing changes, given the marks of the two requests that it is of."""
        options: dict[GeneratedValue, set[GeneratedValue]] = defaultdict(set)
        for one, other in self._changes(pairing):
            options[one].add(other)
        # A value that identifies no object is replaced only where it differs between the requests, by the same object's value.
        # So is a value that one object has twice, and the other in two spellings.
        placed = {mark: now for mark, (_, now) in zip(recorded, live, strict=True) if now in options.get(mark.value, ())}
        telling = {one: others for one, others in options.items() if one in self._owner}
        changes = {one: min(others) for one, others in telling.items() if len(others) == 1}
        renaming = Renaming(changes, placed, telling.keys() - changes.keys())
        renaming.is_whole = renaming.turns(recorded, live)
        return renaming

    def exchanged(self, pairing: Pairing, recorded: Sequence[Mark]) -> Renaming:
        """What an engine would send whose live objects are paired like this, given the marks of the recorded request."""
        options: dict[GeneratedValue, list[GeneratedValue]] = defaultdict(list)
        for one, other in self._changes(pairing):
            options[one].append(other)
        live = [Mark(mark.key, next(iter(options.get(mark.value, ())), mark.value)) for mark in recorded]
        return self.renaming(pairing, recorded, live)

    def _changes(self, pairing: Pairing) -> Iterator[tuple[GeneratedValue, GeneratedValue]]:
        for recorded, live in pairing:
            for value, now in zip(self.objects[recorded].values, self.objects[live].values, strict=True):
                if value is not None and now is not None:
                    yield value, now

    def born_with(self, recorded: RecordedObject, live: int, before: Callable[..., Any]) -> Callable[[Any], Any]:
        """A function of the object's answer that puts the values of ``live`` in it, and applies ``before`` to the rest."""
        values = dict(zip(recorded.places, zip(recorded.values, self.objects[live].values, strict=True), strict=True))

        def change(tree: Any, path: Place) -> Any:
            own, other = values[path]
            if own is None or other is None:
                return before(tree, name_of(path))
            wholes = (text(tree) if isinstance(tree, str) else None, *wholes_of(tree, name_of(path)))
            # An earlier object may have the same value, such as a time: here it is the new one's.
            return Renaming({own: other})(tree if own in wholes else before(tree, name_of(path)), name_of(path))

        return lambda answer: changed_at(answer, recorded.places, change, before)
