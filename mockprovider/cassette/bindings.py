"""Which live value stands where the recording has a placeholder, learnt from what the engine sends.

A recorded request and a live one that it may answer give *pairs*: a placeholder's number, and the value now in its place.
Pairs fit if the recording's equalities hold: one placeholder is one value, and two placeholders of one request are two values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from mockprovider.redaction import PLACEHOLDER, TEXT, Vault, fill, placeholder, stand_in


class Pair(Struct, frozen=True):
    """The value that a live request has in the place of a placeholder."""

    number: int
    kind: str
    value: Any


class Bindings:
    """The values of one replay's placeholders. ``vault`` holds the live secrets, so that they stay out of messages."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._sent: dict[tuple[int, str], Any] = {}

    def pairs(self, recorded: Any, live: Any) -> list[Pair] | None:
        """The pairs of a recorded and a live request, both redacted; ``None`` if they differ in more than secrets."""
        pairs: list[Pair] = []
        return pairs if self._pair(recorded, live, pairs) else None

    def _pair(self, recorded: Any, live: Any, pairs: list[Pair]) -> bool:
        if isinstance(recorded, dict) and PLACEHOLDER in recorded:
            return self._pair_secret(recorded, live, pairs)
        if isinstance(recorded, dict) and TEXT in recorded and isinstance(live, str):
            return self._pair_text(recorded[TEXT], live, pairs)
        if isinstance(recorded, dict) and isinstance(live, dict):
            return recorded.keys() == live.keys() and all(self._pair(recorded[key], live[key], pairs) for key in recorded)
        if isinstance(recorded, list) and isinstance(live, list):
            return len(recorded) == len(live) and all(map(self._pair, recorded, live, [pairs] * len(live)))
        return type(recorded) is type(live) and bool(recorded == live)

    def _pair_secret(self, recorded: dict[str, Any], live: Any, pairs: list[Pair]) -> bool:
        number, kind = recorded[PLACEHOLDER], recorded.get("kind", "string")
        if isinstance(live, dict):
            if PLACEHOLDER not in live or live.get("kind", "string") != kind:
                return False
            live = self._vault.value(live[PLACEHOLDER])
        elif _kind(live) != {"base64": "string"}.get(kind, kind):
            return False
        pairs.append(Pair(number, kind, live))
        return True

    @staticmethod
    def _pair_text(parts: Sequence[Any], live: str, pairs: list[Pair]) -> bool:
        # Only the plain spelling can be decoded. A secret in another spelling matches any text, and gives no pair.
        pattern = "".join(re.escape(part) if isinstance(part, str) else "(.+?)" for part in parts)
        match = re.fullmatch(pattern, live, re.DOTALL)
        if match is None:
            return False
        secrets = [part for part in parts if not isinstance(part, str)]
        plain = ((part, value) for part, value in zip(secrets, match.groups(), strict=True) if "as" not in part)
        pairs.extend(Pair(part[PLACEHOLDER], "string", value) for part, value in plain)
        return True

    def fit(self, pairs: Iterable[Pair]) -> bool:
        """Whether these pairs agree with each other and with what is bound already."""
        bound: dict[tuple[int, str], Any] = {}
        for pair in pairs:
            place = pair.number, pair.kind
            if self._is_stand_in(pair):
                continue
            if self._sent.get(place, pair.value) != pair.value or bound.setdefault(place, pair.value) != pair.value:
                return False
        others = {**self._sent, **bound}
        return not any(
            value == other and place != elsewhere and place[1] == elsewhere[1]
            for place, value in bound.items()
            for elsewhere, other in (others if place[1] == "bool" else bound).items()
        )

    @staticmethod
    def _is_stand_in(pair: Pair) -> bool:
        # There are only two booleans, so a stand-in could not be told from a value that the engine sent.
        return pair.kind != "bool" and bool(pair.value == stand_in(pair.number, pair.kind))

    def strength(self, pairs: Iterable[Pair]) -> int:
        """How many of these pairs agree with values that are bound already."""
        return sum(self._is_stand_in(pair) or (pair.number, pair.kind) in self._sent for pair in pairs)

    def bind(self, pairs: Iterable[Pair]) -> None:
        """Bind these placeholders to these values from now on."""
        for pair in pairs:
            if not self._is_stand_in(pair):
                self._sent[pair.number, pair.kind] = pair.value

    def note(self, recorded: Any, live: Any) -> None:
        """Bind what is in the same place of two trees, as far as they agree with each other and with what is bound already."""
        pairs = self.pairs(recorded, live)
        if pairs and self.fit(pairs):
            self.bind(pairs)

    def filled(self, tree: Any, pairs: Iterable[Pair] = ()) -> Any:
        """``tree`` with its placeholders filled: by ``pairs``, by what the engine sent before, else by a stand-in."""
        local = {(pair.number, pair.kind): pair.value for pair in pairs}
        return fill(tree, lambda number, kind: local[number, kind] if (number, kind) in local else self._value(number, kind))

    def sent(self, tree: Any) -> Any:
        """A recorded request as it would come again: with the live secrets' numbers, where each is what a replay gives out."""
        if isinstance(tree, list):
            return [self.sent(item) for item in tree]
        if not isinstance(tree, dict):
            return tree
        if PLACEHOLDER in tree:
            kind = tree.get("kind", "string")
            return {**tree, PLACEHOLDER: self._vault.number(self.filled(placeholder(tree[PLACEHOLDER], kind)), kind)}
        return {key: self.sent(item) for key, item in tree.items()}

    def compared(self, tree: Any, pairs: Iterable[Pair]) -> Any:
        """``tree`` filled as far as is known: equal for answers that differ only in the secrets that their requests brought."""
        known = {**self._sent, **{(pair.number, pair.kind): pair.value for pair in pairs}}
        return fill(tree, lambda number, kind: known.get((number, kind), placeholder(number, kind)))

    def known(self, number: int, kind: str, default: Any) -> Any:
        """What the engine sent in the place of a placeholder, ``default`` where it sent nothing yet."""
        return self._sent.get((number, kind), default)

    def _value(self, number: int, kind: str) -> Any:
        if (number, kind) in self._sent:
            return self._sent[number, kind]
        if kind == "bool":
            taken = any(value is False for (_, other), value in self._sent.items() if other == "bool")
            return self._sent.setdefault((number, kind), taken)
        value = stand_in(number, kind)
        self._vault.number(value, kind)
        return value


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    return {int: "number", float: "number", str: "string"}.get(type(value), "")
