"""The secrets of one recording or replay, and a fast search for their texts."""

from __future__ import annotations

import base64
import re
import threading
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from mockprovider.redaction.placeholders import PLACEHOLDER, SHORTEST, SPELLINGS, TEXT, encode

MANY = 32
WORD = re.compile("[A-Za-z_]+")
CHUNK = 1 << 16
SPLIT = encode(TEXT)
COMPOSED = "composed"
"""The kind of texts that have a secret in them whose value nobody knows. They are not looked for by their characters."""


class SecretText(Struct, frozen=True):
    """A secret text that is looked for: its number, its spellings, and the parts of its base64 that no neighbour touches."""

    number: int
    spellings: tuple[tuple[str, str], ...]
    cores: tuple[str, ...]
    needles: tuple[bytes, ...]
    is_word: bool
    """It consists of letters and underscores, so that keys with it are hardly ever about it: ``filename``."""


def _known(number: int, text: str) -> SecretText:
    # The plainest name of a spelling wins, so the table is read backwards.
    spelled = {spell(text): encoding for encoding, spell in reversed(list(SPELLINGS.items()))}
    raw = text.encode()
    encoders = base64.b64encode, base64.urlsafe_b64encode
    cores = dict.fromkeys(
        encode64(bytes(shift) + raw)[(shift * 8 + 5) // 6 : (shift + len(raw)) * 8 // 6]
        for encode64 in encoders
        for shift in range(3)
    )
    needles = (*(encode(spelling)[1:-1] for spelling in spelled), *cores)
    texts = tuple(core.decode() for core in cores)
    return SecretText(number, tuple(spelled.items()), texts, needles, is_word=WORD.fullmatch(text) is not None)


class Vault:
    """The secrets of one recording or of one replay, numbered from 1 in the order in which they came. In memory only."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, Any], int] = {}
        self._values: list[Any] = []
        self.count = 0
        """How many there are; what was redacted stays as it is until there are more."""
        self._known: list[SecretText] = []
        self._endings: dict[bytes, list[SecretText]] = {}
        self._reserved = 0
        self._composed: dict[int, list[Any]] = {}
        self._lock = threading.Lock()

    def number(self, value: Any, kind: str) -> int:
        """The number of this secret, the same each time."""
        with self._lock:
            number = self._numbers.setdefault((kind, value), self._reserved + len(self._values) + 1)
            if number > self._reserved + len(self._values):
                self._values.append(value)
                self.count = number
                if kind == "string" and len(value) >= SHORTEST:
                    self._look_for(_known(number, value))
            return number

    def reserve(self, count: int) -> None:
        """Leave the first ``count`` numbers to secrets of an earlier recording, whose values nobody knows any more.

        To be called before there are others.
        """
        self._reserved = self.count = count

    def composed(self, parts: Sequence[Any]) -> int:
        """The number of the text that these parts make, some of which are placeholders of secrets that nobody knows."""
        number = self.number(encode(parts).decode(), COMPOSED)
        self._composed.setdefault(number, [*parts])
        return number

    def may_compose(self, encoded: bytes) -> bool:
        """Whether the tree of this JSON may have a composed text: a look at its text, which spares most trees the walk."""
        return bool(self._composed) and SPLIT in encoded

    def with_composed(self, parts: Sequence[Any]) -> list[Any]:
        """The parts of a text, with the number of each composed one that they have."""
        kept = [*parts]
        for number, composed in sorted(self._composed.items(), key=lambda item: -len(item[1])):
            kept = _replaced(kept, composed, {PLACEHOLDER: number})
        return kept

    def _look_for(self, known: SecretText) -> None:
        self._known.append(known)
        for needle in known.needles:
            self._endings.setdefault(needle[-SHORTEST:], []).append(known)

    def seeks(self, text: str) -> bool:
        """Whether this very text is a secret that is looked for everywhere."""
        return len(text) >= SHORTEST and ("string", text) in self._numbers

    def value(self, number: int) -> Any:
        """The secret of this number, which is none of the reserved ones."""
        return self._values[number - self._reserved - 1]

    def found(self, encoded: bytes) -> list[SecretText]:
        """The known texts that the tree of this JSON may hold."""
        if not self._known:
            return []
        with self._lock:
            candidates = list(self._known) if len(self._known) < MANY else self._promising(encoded)
        return [secret for secret in candidates if any(needle in encoded for needle in secret.needles)]

    def _promising(self, encoded: bytes) -> list[SecretText]:
        """The secrets whose needles may be in the text, by the needles' last characters: one pass for any number of needles.

        The last characters, because generated names differ there.
        """
        promising: dict[int, SecretText] = {}
        for start in range(0, len(encoded), CHUNK):
            chunk = encoded[start : start + CHUNK + SHORTEST - 1]
            substrings = {chunk[index : index + SHORTEST] for index in range(len(chunk) - SHORTEST + 1)}
            for ending in substrings & self._endings.keys():
                promising.update((secret.number, secret) for secret in self._endings[ending])
        return list(promising.values())


def _replaced(parts: list[Any], composed: list[Any], by: Any) -> list[Any]:
    """The parts of a text with ``by`` where those of another one stand, which may begin and end within theirs."""
    for start in range(len(parts) - len(composed) + 1):
        window = parts[start : start + len(composed)]
        before, after = _around(window, composed)
        if before is not None and after is not None:
            rest = _replaced([*filter(None, [after]), *parts[start + len(composed) :]], composed, by)
            return [*parts[:start], *filter(None, [before]), by, *rest]
    return parts


def _around(window: list[Any], composed: list[Any]) -> tuple[str | None, str | None]:
    """What stands before and after a composed text in as many parts of another one; ``None`` where it does not stand there."""
    if window[1:-1] != composed[1:-1]:
        return None, None
    (first, last), (one, other) = (window[0], window[-1]), (composed[0], composed[-1])
    before = first.removesuffix(one) if isinstance(first, str) and isinstance(one, str) and first.endswith(one) else None
    after = last.removeprefix(other) if isinstance(last, str) and isinstance(other, str) and last.startswith(other) else None
    before = "" if before is None and first == one else before
    return before, "" if after is None and last == other else after
