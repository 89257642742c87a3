"""Which value of today stands for each recorded one in an object, as far as its places tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set as AbstractSet
from typing import Any

from mockprovider.cassette.verifying.correspondence import Values
from mockprovider.cassette.verifying.generated import STANDS_ALONE


class Pairs:
    """The recorded values and today's that stand at the same places.

    Places are no proof: the list ``["a-pet", "x"]`` may be ``["x", "a-pet"]`` today, while another list of the object kept its
    order. So a text that became several ones counts under the keys that agree about it, and a value about which its own key
    does not agree counts nowhere.
    """

    def __init__(self) -> None:
        self._texts: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._short: dict[tuple[str, Any], set[Any]] = defaultdict(set)

    def add(self, recorded: Any, now: Any, key: str = "") -> None:
        """Take two trees, which stand under ``key``."""
        if isinstance(recorded, dict) and isinstance(now, dict):
            for name, item in recorded.items():
                if name in now:
                    self.add(item, now[name], name)
        elif isinstance(recorded, list) and isinstance(now, list):
            for one, other in zip(recorded, now, strict=False):
                self.add(one, other, key)
        elif isinstance(recorded, str) and isinstance(now, str) and len(recorded) >= STANDS_ALONE:
            self._texts[recorded][key].add(now)
        elif isinstance(recorded, (str, int)) and type(recorded) is type(now):
            self._short[key, recorded].add(now)

    def values(self) -> Values:
        """Today's values of those that are other ones."""
        values = Values()
        for text, by_key in self._texts.items():
            if len(set().union(*by_key.values())) == 1:
                _note(values.texts, text, text, next(iter(by_key.values())))
                continue
            for key, nows in by_key.items():
                if len(nows) == 1:
                    # Also where it is the recorded one: what another object has taught about it does not count here.
                    values.short[key, text] = next(iter(nows))
        for (key, recorded), nows in self._short.items():
            _note(values.short, (key, recorded), recorded, nows)
        return values


def _note(values: dict[Any, Any], place: Any, recorded: Any, nows: AbstractSet[Any]) -> None:
    if len(nows) == 1 and nows != {recorded}:
        values[place] = next(iter(nows))
