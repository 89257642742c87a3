"""Where texts were first seen: what a provider made and showed openly is hardly a secret where it stands later.

A queue's URL that is put into a parameter which its schema calls sensitive would otherwise be taken out everywhere, and a
replay would give the queue another URL. So a text that a declared place holds stays readable, as long as nobody has decided,
if an answer of the provider's own had it before: whole, in no declared place, and in no request until then. What the engine
sent first is the user's, and what has the form of a credential is one, wherever it comes from.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable

from mockprovider.redaction.credentials import known_form
from mockprovider.redaction.marks import Marks, without_words
from mockprovider.redaction.placeholders import SHORTEST, TEXT, Tree, encode

TEXTS = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"(:?)')
SPLIT = encode(TEXT)
LARGEST = 1 << 16
"""Of larger messages, such as schemas, nothing is noted, so that what they hold stays secret where it is declared."""


class Origins:
    """The whole texts of the messages of one recording, and which of them an answer showed first.

    Messages are only gone through when somebody asks, because most recordings have no secrets.

    Args:
        marks: says what in the messages is a word of the protocol, and so nobody's text.
    """

    def __init__(self, marks: Callable[[], Marks]) -> None:
        self._marks = marks
        self._own: dict[bytes, bool] = {}
        self.noted: list[tuple[Tree, bool]] = []
        """Messages without their secrets, in their order, and whether each is an answer."""
        self._readable: set[bytes] = set()
        self._replayed: Iterable[Tree] = ()
        self._lock = threading.Lock()

    def _first(self, text: bytes) -> bool:
        """Whether an answer was first to have this text."""
        with self._lock:
            noted, self.noted = self.noted, []
            for tree, own in noted:
                encoded = encode(without_words(tree, self._marks()))
                # The parts around a secret are no whole texts.
                if len(encoded) <= LARGEST and not (own and SPLIT in encoded):
                    for seen in _texts(encoded):
                        self._own.setdefault(seen, own)
        return self._own.get(text, False)

    def replay(self, requests: Iterable[Tree]) -> None:
        """Take these recorded requests for readable."""
        self._replayed = requests

    def is_readable(self, text: str) -> bool:
        """Whether the recording that is replayed left this text readable in a request: then it is none of its secrets."""
        with self._lock:
            requests, self._replayed = self._replayed, ()
            for request in requests:
                self._readable.update(_texts(encode(without_words(request, self._marks()))))
        return bool(self._readable) and encode(text)[1:-1] in self._readable

    def is_own(self, text: str) -> bool:
        """Whether an answer showed this text first, and it has no form of a credential."""
        return len(text) >= SHORTEST and self._first(encode(text)[1:-1]) and not known_form(text)


def _texts(encoded: bytes) -> list[bytes]:
    return [text for text, key in TEXTS.findall(encoded) if not key and len(text) >= SHORTEST]
