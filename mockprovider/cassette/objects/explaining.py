"""Whether renaming explains an answer, or something in it may have been computed from the object that it was about.

Text that holds a generated value is renamed. What was computed from one (a certificate, a hash, a fingerprint) does not show
where it came from: it is *opaque*. An opaque word of an answer is explained if the request has it, or if an answer about
something else has it too, since what several objects have alike was computed from none of them. A UUID of version 1, 4, 6 or
7 needs no explanation: it is made of time and chance (RFC 9562, section 5).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from mockprovider.cassette.objects.renaming import Pairing
from mockprovider.cassette.objects.values import LARGE
from mockprovider.cassette.objects.vocabulary import Vocabulary
from mockprovider.cassette.recorded import RecordedCall
from mockprovider.matching import encode, step
from mockprovider.redaction import PLACEHOLDER

UUID = re.compile("(?i)(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[1467][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?![0-9a-f])")
SECRET = f'{{"{PLACEHOLDER}"'
RUN = re.compile("[^\\W_]{6,}")
WORD = re.compile("[A-Z]*[a-z]*|(?:[A-Z]*[a-z]{2,})+")
"""What somebody may have written: one case, or words with capitals in CamelCase. Hashes and keys are not like that."""


class OpaqueWords:
    """Where the opaque words of a recording's answers came from.

    Args:
        calls: the recording.
        vocabulary: what was generated in it.
    """

    def __init__(self, calls: Sequence[RecordedCall], vocabulary: Vocabulary) -> None:
        self._calls = calls
        self._vocabulary = vocabulary
        self._made = {recorded.place: recorded.number for recorded in vocabulary.objects}

    def unexplained(self, call: RecordedCall, pairing: Pairing) -> str:
        """The path of a part of the answer that renaming by ``pairing`` does not explain; empty if it explains all."""
        exchanged = frozenset(recorded for recorded, live in pairing if recorded != live)
        objects = (self._vocabulary.objects[recorded] for recorded, _ in pairing)
        known = {value for recorded in objects for value in recorded.values if value is not None}
        request = encode(call.request).decode()
        blank, _ = self._vocabulary.marked(answer_of(call), known)
        for path, word in _opaque(blank):
            if word not in request and not self._is_of_others(word, exchanged):
                return path
        return ""

    def _is_of_others(self, word: str, exchanged: frozenset[int]) -> bool:
        return any(exchanged.isdisjoint(about) for about in self._about.get(word, ()))

    @cached_property
    def _about(self) -> dict[str, list[frozenset[int]]]:
        """For each opaque word, the objects of each call whose answer has it and whose request does not."""
        about: dict[str, list[frozenset[int]]] = defaultdict(list)
        for call in self._calls:
            request = encode(call.request).decode()
            marks = self._vocabulary.marked(call.request)[1]
            own = {self._made[call.place]} if call.place in self._made else set()
            objects = frozenset(own | self._vocabulary.owners(marks))
            for word in {word for _, word in _opaque(answer_of(call))}:
                if word not in request:
                    about[word].append(objects)
        return about


def answer_of(call: RecordedCall) -> Any:
    """The parts of an answer that may be about an object."""
    status = call.interaction.status
    return call.interaction.response if status is None else {"message": status.message, "details": status.details}


def is_secret(call: RecordedCall, path: str) -> bool:
    """Whether what is opaque at this path of an answer is a secret."""
    return any(place == path and word.startswith(SECRET) for place, word in _opaque(answer_of(call)))


def _opaque(tree: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """The opaque words of a tree, each with its path. A placeholder of a secret is one, too."""
    if isinstance(tree, dict) and PLACEHOLDER in tree:
        yield path, encode(tree).decode()
    elif isinstance(tree, dict):
        for key, item in tree.items():
            yield from _opaque(item, step(path, key))
    elif isinstance(tree, list):
        for index, item in enumerate(tree):
            yield from _opaque(item, f"{path}[{index}]")
    elif isinstance(tree, str):
        yield from ((path, word) for word in _opaque_words(tree))
    elif isinstance(tree, (int, float)) and abs(tree) >= LARGE:
        yield path, encode(tree).decode()


def _opaque_words(text: str) -> Iterable[str]:
    return (word for word in RUN.findall(UUID.sub(" ", text)) if not WORD.fullmatch(word))
