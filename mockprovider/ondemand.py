"""Mappings whose values are read when somebody asks for them: a provider has a thousand types, and a program uses ten."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager, nullcontext
from threading import RLock
from typing import Any, TypeVar

V = TypeVar("V")
W = TypeVar("W")


class OnDemand(MutableMapping[str, V]):
    """A mapping that knows its keys, and reads a value at its first use. It can be changed like a dict.

    Args:
        keys: the keys, in order.
        read: what makes a key's value; it may raise, and is asked again the next time.
        lock: held while one is read; mappings that read each other share one.
        spelled: the keys' names in Terraform, which are known without reading.
    """

    def __init__(
        self,
        keys: Iterable[str],
        read: Callable[[str], V],
        lock: Any = None,
        spelled: Callable[[], Mapping[str, str]] | None = None,
    ) -> None:
        self._keys = dict.fromkeys(keys)
        self._read = read
        self._lock = lock or RLock()
        self._spelled = spelled
        self.held: dict[str, V] = {}
        """What was read or set so far."""
        self.changed = False
        """Whether a value was set or removed, so that what is read is not all there is."""
        self.base: OnDemand[V] | None = None
        """What it is a copy of."""

    def __getitem__(self, key: str) -> V:
        if key not in self._keys:
            raise KeyError(key)
        with self._lock:
            if key not in self.held:
                self.held[key] = self._read(key)
            return self.held[key]

    def __setitem__(self, key: str, value: V) -> None:
        self.changed = True
        self._keys[key] = None
        self.held[key] = value

    def __delitem__(self, key: str) -> None:
        self.changed = True
        del self._keys[key]
        self.held.pop(key, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __repr__(self) -> str:
        return f"<OnDemand: {len(self.held)} of {len(self._keys)} read>"

    @contextmanager
    def briefly(self) -> Iterator[None]:
        """Forget at the end of the block what was read in it: who goes through all once does not have to hold all."""
        before = {*self.held}
        try:
            with self.base.briefly() if self.base is not None else nullcontext():
                yield
        finally:
            with self._lock:
                self.held = {key: value for key, value in self.held.items() if key in before or self.changed}

    def copied(self) -> OnDemand[V]:
        """Another one, which can be changed by itself; what either reads, both have."""
        copy = type(self)(self._keys, self.__getitem__, self._lock, self._spelled)
        copy.held, copy.changed, copy.base = dict(self.held), self.changed, self
        return copy

    def through(self, convert: Callable[[str, V], W], lock: Any) -> OnDemand[W]:
        """What ``convert`` makes of each key and value; a value is read when what is made of it is."""
        return type(self)(self, lambda key: convert(key, self[key]), lock)  # type: ignore[arg-type, return-value]

    def spellings(self, of: Callable[[V], str]) -> dict[str, str]:
        """The keys' names in Terraform; ``of`` tells the name of a value that was read or set."""
        known = self._spelled() if self._spelled else {}
        return {key: known[key] if key in known and key not in self.held else of(self[key]) for key in self._keys}


class Unlisted(OnDemand[V]):
    """One whose keys nobody has listed: each is looked for when it is asked for. It lists those that were."""

    def __contains__(self, key: object) -> bool:
        return True

    def __getitem__(self, key: str) -> V:
        self._keys[key] = None
        return super().__getitem__(key)


def copied(values: MutableMapping[str, V]) -> MutableMapping[str, V]:
    """A copy of a mapping, or of one whose values are read at their first use."""
    return values.copied() if isinstance(values, OnDemand) else dict(values)


def held(values: Mapping[str, V]) -> Mapping[str, V]:
    """The values that need no reading: what only a declaration by hand can say, only these can have."""
    return values.held if isinstance(values, OnDemand) else values
