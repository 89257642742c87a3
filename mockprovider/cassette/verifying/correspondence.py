"""Which value of today stands for which recorded one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from mockprovider.cassette.objects.values import finder
from mockprovider.cassette.verifying.generated import STANDS_ALONE, is_made_up, is_time
from mockprovider.errors import UnknownSecretError
from mockprovider.matching import digest
from mockprovider.redaction import LITERAL, PLACEHOLDER, TEXT, fill

SMALLEST = 2
"""A part of a message with so many members tells what it is part of."""


class Values(Struct):
    """Values of today by recorded ones: ``texts`` inside of others, too, ``short`` ones under the key at which they stand."""

    texts: dict[str, str] = field(default_factory=dict)
    short: dict[tuple[str, Any], Any] = field(default_factory=dict)

    def note(self, key: str, recorded: Any, now: Any) -> None:
        """From now on ``now`` stands for ``recorded``."""
        if isinstance(recorded, str) and isinstance(now, str) and len(recorded) >= STANDS_ALONE:
            self.texts[recorded] = now
        else:
            self.short[key, recorded] = now

    def of(self, key: str, recorded: Any) -> Any:
        """What stands for this value at this key; ``None`` where nothing does."""
        if isinstance(recorded, str) and recorded in self.texts:
            return self.texts[recorded]
        for name in (key, "id") if key.lower().endswith("id") else (key,):
            if (name, recorded) in self.short:
                return self.short[name, recorded]
        return None


class Correspondence:
    """What has been learnt until now from the recorded answers and today's.

    ``secrets`` are today's values by the numbers of the recording's placeholders.
    """

    def __init__(self, secrets: Mapping[int, str] | None = None) -> None:
        self.values = Values()
        self.secrets: dict[tuple[int, str], Any] = {(number, "string"): value for number, value in (secrets or {}).items()}
        self._origins: dict[tuple[str, Any], Any] = {}
        """Which recorded value each of today's stands for, by key."""
        self._parts: dict[str, Any] = {}
        """Today's parts of answers, by the digests of the recorded ones."""

    # Learning --------------------------------------------------------------------------------------------------------------

    def learn(self, key: str, recorded: Any, now: Any) -> bool:
        """Whether ``now`` may stand for ``recorded``, both made up just now: if so, it does from here on."""
        if not is_made_up(recorded, now, key):
            return False
        if is_time(recorded) and is_time(now):
            self.values.note(key, recorded, now)
            return True
        known, origin = self.values.of(key, recorded), self._origins.get((key, now), recorded)
        if (known is not None and known != now) or origin != recorded:
            return False
        self._origins[key, now] = recorded
        self.values.note(key, recorded, now)
        return True

    def secret(self, number: int, kind: str, now: Any) -> bool:
        """Whether ``now`` may be this secret's value of today; the first value that comes for it is."""
        known = self.known_secret(number, kind)
        if known is None:
            self.secrets[number, kind] = now
        return known is None or bool(known == now)

    def known_secret(self, number: int, kind: str) -> Any:
        """Today's value of a secret; ``None`` where nobody knows it."""
        if (number, kind) in self.secrets or (number, "string") not in self.secrets or kind not in ("number", "bool"):
            return self.secrets.get((number, kind), self.secrets.get((number, "string")) if kind == "base64" else None)
        return _typed(self.secrets[number, "string"], kind)

    def keep(self, recorded: Any, now: Any) -> None:
        """Where a later request has what was answered here, as a whole, it is to get what was answered today."""
        if isinstance(recorded, dict) and isinstance(now, dict):
            if len(recorded) >= SMALLEST and PLACEHOLDER not in recorded:
                self._parts[digest(recorded)] = now
            for name, item in recorded.items():
                if name in now:
                    self.keep(item, now[name])
        elif isinstance(recorded, list) and isinstance(now, list):
            for one, other in _beside(recorded, now):
                self.keep(one, other)

    # Using -----------------------------------------------------------------------------------------------------------------

    def part(self, recorded: Any) -> Any:
        """Today's answer where a request has a recorded one as a whole; ``None`` where it has none."""
        return self._parts.get(digest(recorded)) if isinstance(recorded, dict) and len(recorded) >= SMALLEST else None

    def renamed(self, recorded: Any, key: str, own: Values) -> Any:
        """A recorded leaf with today's values; ``own`` count before all others."""
        for values in (own, self.values):
            now = values.of(key, recorded)
            if now is not None:
                return now
        if isinstance(recorded, int) and not isinstance(recorded, bool):
            text = own.texts.get(str(recorded)) or self.values.texts.get(str(recorded)) or self._numbered(recorded)
            return int(text) if text and text.isdecimal() else recorded
        texts = {**self.values.texts, **own.texts}
        if not isinstance(recorded, str) or not any(text in recorded for text in texts):
            return recorded
        return finder(texts).sub(lambda match: texts[match[0]], recorded)

    def _numbered(self, recorded: int) -> str | None:
        now = self.values.short.get(("id", str(recorded)))
        return now if isinstance(now, str) else None

    def filled(self, node: Any, where: str) -> Any:
        """A placeholder, or a text with some, with today's secrets. Raises ``UnknownSecretError`` for one that nobody knows."""

        def value(number: int, kind: str) -> Any:
            known = self.known_secret(number, kind)
            if known is None:
                raise UnknownSecretError(
                    f"{where} is secret number {number} of the recording, and its value of today is not known. Put it into an "
                    f"environment variable, and name that: --secret-env {number}=NAME."
                )
            return known

        return fill(node, value)

    @property
    def count(self) -> int:
        """How many made-up values are other ones today."""
        return len(self.values.texts) + len(self.values.short)


def _beside(recorded: list[Any], now: list[Any]) -> Iterator[tuple[Any, Any]]:
    """What two lists have for each other: first what is equal, wherever it stands, then the rest in its order."""
    if not any(isinstance(item, (dict, list)) for item in recorded):
        return
    open_: dict[str, list[int]] = defaultdict(list)
    for place, item in reversed([*enumerate(now)]):
        open_[digest(item)].append(place)
    equal = [places.pop() if (places := open_.get(digest(item))) else None for item in recorded]
    rest = iter(sorted({*range(len(now))} - {*equal}))
    for item, same in zip(recorded, equal, strict=True):
        place = next(rest, None) if same is None else same
        if place is not None:
            yield item, now[place]


def _typed(text: str, kind: str) -> Any:
    """A secret that was given as a text, as the number or boolean that it stands for."""
    if kind == "bool":
        return text.lower() == "true"
    number = float(text)
    return int(number) if number.is_integer() else number


def is_marked(tree: Any) -> bool:
    """Whether this is a placeholder, a text with some, or an object that only looks like one."""
    return isinstance(tree, dict) and any(mark in tree for mark in (PLACEHOLDER, TEXT, LITERAL))
