"""What exists, apart from what engines remember: objects, and a log of every effect on them.

Orphans, phantoms, drift and double creates are differences between this and an engine's state, so nothing here knows of
engines. Objects are keyed by type and id, never by URN: the two instances of a replacement share their URN.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from enum import StrEnum
from hashlib import sha256
from typing import Any, Protocol

from msgspec import Struct

from mockprovider.errors import MockProviderError
from mockprovider.values import Bag, Value

EVENTS = "events"
"""The counter of events. Counters of objects are named by URNs or hashes, so none has this name."""


NOTES = "mockprovider.notes:"
"""The prefix of the types of notes. Notes are stored like objects, so that every store has them, but are not listed."""


class Effect(StrEnum):
    """What was done to an object, and by whom: the last three happen behind the engine's back."""

    CREATED = "created"
    UPDATED = "updated"
    DELETED = "deleted"
    DRIFTED = "drifted"
    VANISHED = "vanished"
    SETTLED = "settled"
    """Changed by a behaviour, as the cloud itself would."""


class Event(Struct, frozen=True):
    """One effect: ``before`` is ``None`` for what is new, ``after`` for what is gone."""

    n: int
    effect: Effect
    type: str
    id: str
    before: Bag | None
    after: Bag | None


class CloudObject(Mapping[str, Value]):
    """One existing object: a mapping of its properties, with its ``type`` and ``id``. A snapshot: later changes do not show."""

    __slots__ = ("_properties", "id", "type")

    def __init__(self, type_: str, id_: str, properties: Bag) -> None:
        self.type = type_
        self.id = id_
        self._properties = dict(properties)

    def __getitem__(self, name: str) -> Value:
        return self._properties[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._properties)

    def __len__(self) -> int:
        return len(self._properties)

    def __repr__(self) -> str:
        return f"<{self.type} {self.id} {self._properties}>"


class Store(Protocol):
    """Where objects and events are kept. ``MemoryStore`` here; stores that several processes share are at the edge."""

    def transaction(self) -> AbstractContextManager[Any]:
        """What is done inside is seen by others as a whole: one thread at a time, of one process. May be nested."""

    def get(self, type_: str, id_: str) -> Bag | None:
        """The properties of an object, or ``None``."""

    def put(self, type_: str, id_: str, properties: Bag | None) -> None:
        """Keep an object's properties; ``None`` removes it."""

    def objects(self) -> list[tuple[str, str, Bag]]:
        """All objects as (type, id, properties), oldest first."""

    def log(self, event: Event) -> None:
        """Append an event."""

    def events(self) -> list[Event]:
        """All events, in order."""

    def count(self, point: str) -> int:
        """How often this was asked for ``point`` before; so each answer comes once."""


class Knowing(Protocol):
    """Who knows which types and properties there are: a double that keeps its objects here."""

    def check_type(self, type_: str) -> None:
        """Raise ``MockProviderError`` for a type that can only be misspelt."""

    def check_properties(self, type_: str, names: Iterable[str], present: Collection[str]) -> None:
        """The same, for properties that can only be misspelt, of a type whose object has the ``present`` ones."""


class MemoryStore:
    """A store in the memory of one process."""

    def __init__(self) -> None:
        self._objects: dict[tuple[str, str], Bag] = {}
        self._events: list[Event] = []
        self._points: Counter[str] = Counter()
        self._lock = threading.RLock()

    def transaction(self) -> AbstractContextManager[Any]:
        """What is done inside is seen by other threads as a whole. May be nested."""
        return self._lock

    @classmethod
    def restore(cls, snapshot: Mapping[str, Any]) -> MemoryStore:
        """The store that a ``snapshot`` was taken of, without its events; an empty one of an empty mapping."""
        store = cls()
        store._objects = {(type_, id_): properties for type_, id_, properties in snapshot.get("objects", ())}
        store._points = Counter(snapshot.get("points", {}))
        return store

    def snapshot(self) -> dict[str, Any]:
        """What exists, and which ids were given out, as a value; what happened is not in it."""
        return {"objects": [list(cloud_object) for cloud_object in self.objects()], "points": dict(self._points)}

    def get(self, type_: str, id_: str) -> Bag | None:
        """The properties of an object, or ``None``."""
        return self._objects.get((type_, id_))

    def put(self, type_: str, id_: str, properties: Bag | None) -> None:
        """Keep an object's properties; ``None`` removes it."""
        if properties is None:
            self._objects.pop((type_, id_), None)
        else:
            self._objects[type_, id_] = properties

    def objects(self) -> list[tuple[str, str, Bag]]:
        """All objects as (type, id, properties), oldest first."""
        return [(type_, id_, properties) for (type_, id_), properties in self._objects.items()]

    def log(self, event: Event) -> None:
        """Append an event."""
        self._events.append(event)

    def events(self) -> list[Event]:
        """All events, in order."""
        return list(self._events)

    def count(self, point: str) -> int:
        """How often this was asked for ``point`` before."""
        self._points[point] += 1
        return self._points[point] - 1


class Cloud:
    """The objects that exist. Safe to use from several threads.

    Args:
        store: where they are kept; in memory unless told otherwise (a ``SqliteStore`` is a file that processes share).
        seed: new ids are a hash of it and of the point at which they are asked for, so they repeat from run to run.
    """

    def __init__(self, store: Store | None = None, seed: int = 0) -> None:
        self.seed = seed
        self.knowing: list[Knowing] = []
        """Who knows types: a question that each of them refuses is refused. Without any, all are answered."""
        self._store: Store = store or MemoryStore()

    def new_hash(self, point: str) -> str:
        """Eight hex digits that depend on the seed, on ``point`` and on how often it was asked for."""
        with self._store.transaction():
            return digest(self.seed, point, self._store.count(point))

    def create(self, type_: str, id_: str, properties: Bag) -> CloudObject:
        """Make an object. Raises ``MockProviderError`` if one with this type and id exists."""
        with self._store.transaction():
            if self._store.get(type_, id_) is not None:
                raise MockProviderError(f"{type_} {id_!r} already exists. Give the type an id template with {{hash}} in it.")
            self._change(Effect.CREATED, type_, id_, None, properties)
        return CloudObject(type_, id_, properties)

    def read(self, type_: str, id_: str) -> CloudObject | None:
        """The object, or ``None`` if there is none."""
        with self._store.transaction():
            properties = self._store.get(type_, id_)
        return None if properties is None else CloudObject(type_, id_, properties)

    def update(self, type_: str, id_: str, properties: Bag) -> CloudObject | None:
        """Replace an object's properties; ``None`` if there is no such object."""
        with self._store.transaction():
            before = self._store.get(type_, id_)
            if before is None:
                return None
            self._change(Effect.UPDATED, type_, id_, before, properties)
        return CloudObject(type_, id_, properties)

    def delete(self, type_: str, id_: str) -> bool:
        """Remove an object; whether there was one."""
        with self._store.transaction():
            before = self._store.get(type_, id_)
            if before is None:
                return False
            self._change(Effect.DELETED, type_, id_, before, None)
        return True

    def drift(self, type_: str, id_: str | None = None, /, **changes: Any) -> CloudObject:
        """Change properties behind the engine's back; ``None`` removes one. ``id_`` may be left out for a type's only object.

        Raises ``MockProviderError`` if the object is not there or not the only one, or a property can only be misspelt.
        """
        with self._store.transaction():
            current = self._one(type_, id_)
            self._ask(lambda knowing: knowing.check_properties(type_, changes, current))
            properties = {name: value for name, value in {**current, **changes}.items() if value is not None}
            self._change(Effect.DRIFTED, type_, current.id, self._store.get(type_, current.id), properties)
        return CloudObject(type_, current.id, properties)

    def vanish(self, type_: str, id_: str | None = None, /) -> None:
        """Remove an object behind the engine's back. Raises as ``drift`` does."""
        with self._store.transaction():
            id_ = self._one(type_, id_).id
            self._change(Effect.VANISHED, type_, id_, self._store.get(type_, id_), None)

    def objects(self, type_: str | None = None) -> list[CloudObject]:
        """The objects of one type, or all, oldest first.

        Raises ``MockProviderError`` if ``type_`` is no token, or there is no object of it and it can only be misspelt.
        """
        objects = self.listed(type_)
        if type_ is not None and not objects:
            self._ask(lambda knowing: knowing.check_type(type_))
        return objects

    def listed(self, type_: str | None = None) -> list[CloudObject]:
        """The same for providers, whose engines may ask for types that nobody knows."""
        if type_ is not None and not isinstance(type_, str):
            raise MockProviderError(
                f"Objects go by type tokens, and this is a {type(type_).__name__}: give its token, a string."
            )
        with self._store.transaction():
            rows = self._store.objects()
        return [CloudObject(*row) for row in rows if type_ in (None, row[0]) and not row[0].startswith(NOTES)]

    def _ask(self, question: Callable[[Knowing], None]) -> None:
        """Put a question to those who know; where all of them refuse it, raise what the first said."""
        refusals: list[MockProviderError] = []
        for knowing in self.knowing:
            try:
                question(knowing)
            except MockProviderError as refusal:
                refusals.append(refusal)
        if refusals and len(refusals) == len(self.knowing):
            raise refusals[0]

    def transaction(self) -> AbstractContextManager[Any]:
        """What is done inside is seen by others as a whole: one thread at a time, of one process. May be nested."""
        return self._store.transaction()

    def settle(self, type_: str, id_: str, /, **changes: Any) -> CloudObject | None:
        """Change properties as the cloud does by itself; ``None`` if there is no such object."""
        with self._store.transaction():
            before = self._store.get(type_, id_)
            if before is None:
                return None
            properties = {**before, **changes}
            self._change(Effect.SETTLED, type_, id_, before, properties)
        return CloudObject(type_, id_, properties)

    def note(self, type_: str, id_: str, key: str, value: Value) -> None:
        """Remember something about an object that is none of its properties; it is gone when the object goes."""
        with self._store.transaction():
            self._store.put(NOTES + type_, id_, {**(self._store.get(NOTES + type_, id_) or {}), key: value})

    def noted(self, type_: str, id_: str, key: str) -> Value:
        """What was noted last under ``key``; ``None`` if nothing was."""
        with self._store.transaction():
            return (self._store.get(NOTES + type_, id_) or {}).get(key)

    @property
    def events(self) -> list[Event]:
        """Everything that happened to objects, in order."""
        with self._store.transaction():
            return self._store.events()

    def _one(self, type_: str, id_: str | None) -> CloudObject:
        objects = self.listed(type_)
        matches = [candidate for candidate in objects if id_ in (None, candidate.id)]
        if len(matches) != 1:
            wanted = f"{type_} {id_!r}" if id_ else f"exactly one {type_}"
            raise MockProviderError(f"There is not {wanted} in the cloud. {self._there(objects)}")
        return matches[0]

    def _there(self, objects: list[CloudObject]) -> str:
        if objects:
            return f"There is: {', '.join(candidate.id for candidate in objects)}. Name one of them by its id."
        types = ", ".join(sorted({cloud_object.type for cloud_object in self.objects()}))
        return f"There is none at all of that type, only of {types}." if types else "There is nothing at all: create it first."

    def _change(self, effect: Effect, type_: str, id_: str, before: Bag | None, after: Bag | None) -> None:
        self._store.put(type_, id_, after)
        if after is None:
            self._store.put(NOTES + type_, id_, None)
        # Counted by the store, so that processes that share it share the numbers, and without reading the whole log.
        self._store.log(Event(self._store.count(EVENTS) + 1, effect, type_, id_, before, after))


def digest(*parts: object) -> str:
    """Eight hex digits of a hash over ``parts``."""
    return sha256("\x1f".join(map(str, parts)).encode()).hexdigest()[:8]
