"""A recorded answer and today's: where they differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET

from mockprovider.cassette.verifying.correspondence import Correspondence
from mockprovider.cassette.verifying.handing import Handed
from mockprovider.matching import Difference, step
from mockprovider.redaction import LITERAL, PLACEHOLDER, TEXT

SECRET = "(secret)"  # noqa: S105 - it stands for one
"""What is shown for a secret."""


def compared(recorded: Any, now: Any, asked: Handed, correspondence: Correspondence) -> list[Difference]:
    """Every place where two answers to one request differ, in the order of sorted keys; made-up values that correspond do not.

    What they teach about each other is noted.
    """
    comparison = _Comparison(asked, correspondence)
    # An id may stand behind the texts that have it in them.
    for _ in comparison.differ(recorded, now, "", ""):
        pass
    return [*comparison.differ(recorded, now, "", "")]


class _Comparison:
    """One walk over two answers."""

    def __init__(self, asked: Handed, correspondence: Correspondence) -> None:
        self._asked = asked
        self._correspondence = correspondence

    def differ(self, recorded: Any, now: Any, key: str, path: str) -> Iterator[Difference]:
        """The differences."""
        if isinstance(recorded, dict) and LITERAL in recorded:
            recorded = recorded[LITERAL]
        elif isinstance(recorded, dict) and (PLACEHOLDER in recorded or TEXT in recorded):
            if not (self._is_secret(recorded, now) if PLACEHOLDER in recorded else self._fits(recorded[TEXT], now)):
                yield Difference(path, SECRET, now if now is UNSET or isinstance(now, (dict, list)) else f"another {SECRET}")
            return
        if isinstance(now, dict) and self._correspondence.part(recorded) == now:
            # Today's object differed when it was first answered, and that has been said.
            return
        if isinstance(recorded, dict) and isinstance(now, dict):
            yield from self._members(recorded, now, path)
        elif isinstance(recorded, list) and isinstance(now, list):
            for index in range(max(len(recorded), len(now))):
                yield from self.differ(_at(recorded, index), _at(now, index), key, f"{path}[{index}]")
        elif not self._is_same(recorded, now, key):
            yield from self._leaf(recorded, now, path)

    def _members(self, recorded: dict[str, Any], now: dict[str, Any], path: str) -> Iterator[Difference]:
        renamed = {self._correspondence.renamed(name, "", self._asked.own): item for name, item in recorded.items()}
        for name in sorted(renamed.keys() | now.keys()):
            yield from self.differ(renamed.get(name, UNSET), now.get(name, UNSET), name, step(path, name))

    def _is_same(self, recorded: Any, now: Any, key: str) -> bool:
        if isinstance(recorded, (dict, list)) or recorded is UNSET:
            return False
        if _equal(recorded, now) or _equal(self._correspondence.renamed(recorded, key, self._asked.own), now):
            return True
        # What the request brought was not made up now.
        if (type(recorded), recorded) in self._asked.given:
            return False
        return self._correspondence.learn(key, recorded, now)

    def _leaf(self, recorded: Any, now: Any, path: str) -> Iterator[Difference]:
        one, other = as_json(recorded), as_json(now)
        if one is None or other is None:
            yield Difference(path, recorded, now)
        else:
            yield from self.differ(one, other, "", path)

    def _is_secret(self, recorded: dict[str, Any], now: Any) -> bool:
        if now is None or now is UNSET or isinstance(now, (dict, list)):
            return False
        return self._correspondence.secret(recorded[PLACEHOLDER], recorded.get("kind", "string"), now)

    def _fits(self, parts: list[Any], now: Any) -> bool:
        """Whether a text of today is a recorded one that has secrets in it; it teaches those that nobody knows yet."""
        if not isinstance(now, str):
            return False
        secrets = [part for part in parts if not isinstance(part, str)]
        match = re.fullmatch("".join(map(self._pattern, parts)), now, re.DOTALL)
        return match is not None and all(
            "as" in part or self._correspondence.secret(part[PLACEHOLDER], "string", value)
            for part, value in zip(secrets, match.groups(), strict=True)
        )

    def _pattern(self, part: Any) -> str:
        if isinstance(part, str):
            return re.escape(str(self._correspondence.renamed(part, "", self._asked.own)))
        known = None if "as" in part else self._correspondence.known_secret(part[PLACEHOLDER], "string")
        return "(.+?)" if known is None else f"({re.escape(str(known))})"


def _equal(recorded: Any, now: Any) -> bool:
    # JSON has one kind of number, and booleans are none.
    return isinstance(recorded, bool) == isinstance(now, bool) and bool(recorded == now)


def _at(items: list[Any], index: int) -> Any:
    return items[index] if index < len(items) else UNSET


def as_json(text: Any) -> Any:
    """The object or list that a text is the JSON of; ``None`` for any other."""
    if not isinstance(text, str) or text[:1] not in ("{", "["):
        return None
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None
