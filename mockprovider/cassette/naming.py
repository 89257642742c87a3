"""What the names of places, as users give them, are about in a recording: which are nowhere, and what lies at the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from msgspec import Struct, field

from mockprovider.cassette.model import Cassette
from mockprovider.cassette.order import DESCRIBING
from mockprovider.redaction import EVERY, LITERAL, PLACEHOLDER, RESERVED, TEXT, UNKNOWN, Marks, Steps, declared, numbers, steps

Named: TypeAlias = tuple[str, Steps]
"""A type, empty where a message is about none, and a path in a message."""


class PlaceContents(Struct):
    """What lies at a place in all messages: ``secrets`` by number, and whether anything there is known, and readable."""

    secrets: set[int] = field(default_factory=set)
    has_value: bool = False
    is_readable: bool = False

    def add(self, other: PlaceContents) -> None:
        """Count what lies there, too."""
        self.secrets |= other.secrets
        self.has_value = self.has_value or other.has_value
        self.is_readable = self.is_readable or other.is_readable


class RecordedPlaces:
    """All places of a recording. Schemas have none: names are about values.

    Args:
        cassette: the recording.
        marks: how its protocol marks values.
    """

    def __init__(self, cassette: Cassette, marks: Marks) -> None:
        self._marks = marks
        self._places: dict[Named, PlaceContents] = defaultdict(PlaceContents)
        self._by_last: dict[str, list[Named]] = defaultdict(list)
        self._owners: dict[int, set[Named]] = defaultdict(set)
        """Where a secret is the whole value."""
        for interaction in cassette.interactions:
            self._enter(interaction.type, (), cassette.request(interaction))
            if interaction.op not in DESCRIBING:
                self._enter(interaction.type, (), cassette.response(interaction))
        for place in self._places:
            self._by_last[place[1][-1]].append(place)

    def _enter(self, type_: str, path: Steps, tree: Any) -> PlaceContents:
        contents = PlaceContents()
        if isinstance(tree, dict) and (PLACEHOLDER in tree or TEXT in tree):
            contents = PlaceContents(set(numbers(tree)), has_value=True, is_readable=TEXT in tree)
            if PLACEHOLDER in tree:
                self._owners[tree[PLACEHOLDER]].add((type_, path))
        elif isinstance(tree, (dict, list)):
            for part in self._parts(type_, path, tree):
                contents.add(part)
        else:
            contents.has_value = contents.is_readable = tree is not None and tree not in self._marks.unknowns
        if path:
            self._places[type_, path].add(contents)
        return contents

    def _parts(self, type_: str, path: Steps, tree: Any) -> Iterator[PlaceContents]:
        if isinstance(tree, list):
            yield from (self._enter(type_, path, item) for item in tree)
            return
        members = tree[LITERAL] if tree.keys() == {LITERAL} else tree
        signed = bool(self._marks.signature) and self._marks.signature in members
        for key, item in members.items():
            if key != UNKNOWN and key not in RESERVED and not (signed and key == self._marks.signature):
                # A wrapper's value is in the place of the wrapper.
                yield self._enter(type_, path if signed and key == "value" else (*path, *steps(key)), item)

    def at(self, name: str, type_: str = EVERY) -> list[Named]:
        """The places that a name is about, given as users write it; or as headers keep it, for a type."""
        return [
            place
            for place in self._by_last.get(steps(name)[-1], ())
            if type_ in (EVERY, place[0]) and declared(frozenset({_within(name, place[0])}), self._marks.wrappers).of(place[1])
        ]

    def contents(self, places: Iterable[Named]) -> PlaceContents:
        """What lies at any of these places."""
        contents = PlaceContents()
        for place in places:
            contents.add(self._places[place])
        return contents

    def owners(self, secrets: Iterable[int], beside: Iterable[Named]) -> list[str]:
        """The other places where one of these secrets is the whole value, as users would name them."""
        excluded = set(beside)
        owners = {place for number in secrets for place in self._owners[number] if place not in excluded}
        return sorted(f"{type_}.{self._marks.named(path)}" if type_ else self._marks.named(path) for type_, path in owners)

    @property
    def names(self) -> list[str]:
        """All that could be named: properties, paths, and these with their type."""
        tails = {(type_, ".".join(path[start:])) for type_, path in self._places for start in range(len(path))}
        return sorted({tail for _, tail in tails} | {f"{type_}.{tail}" for type_, tail in tails if type_})


def effective(places: RecordedPlaces, names: Mapping[str, Iterable[str]], *, readable: bool = False) -> dict[str, list[str]]:
    """Those names by type that have an effect: where something is, and, of what is to be ``readable``, no secret."""
    kept: dict[str, list[str]] = {}
    for type_, listed in names.items():
        for name in listed:
            contents = places.contents(places.at(name, type_))
            if contents.has_value and not (readable and contents.secrets):
                kept.setdefault(type_, []).append(name)
    return kept


def _within(name: str, type_: str) -> str:
    return name.removeprefix(f"{type_}.") if type_ else name
