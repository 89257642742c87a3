"""Whether a value is one that a provider makes up each time: an id, a time, a key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from mockprovider.redaction import PLACEHOLDER

UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
TIME = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"
PEM = r"-----BEGIN [A-Z ]+-----[^-]*-----END [A-Z ]+-----"
PAIRS = r"(?:[0-9a-fA-F]{2}:){5,}[0-9a-fA-F]{2}"
BASE64 = r"(?<![\w+/])[\w+/-]{6,}={1,2}(?![\w=])|(?<![\w+/])(?=[\w+/-]*[0-9+/])[\w+/-]{16,}={0,2}"
WORD = r"(?<![A-Za-z0-9])(?=[A-Za-z]*\d)[A-Za-z0-9]{6,}(?![A-Za-z0-9])"
HEX = r"(?<![A-Za-z0-9])[0-9a-f]{8,}(?![A-Za-z0-9])"
RANDOM = re.compile("|".join((PEM, UUID, TIME, PAIRS, BASE64, WORD, HEX)))
"""What is made up, inside of a text: words of six characters and more with a digit in them, and keys."""
WHOLE_TIME = re.compile(TIME)
LARGE = 10**6
"""An integer from here on is an id or a time; a smaller one may be a port or a size."""
STANDS_ALONE = 6
"""A text of so many characters is looked for inside of others, and under any name."""


def is_time(value: Any) -> bool:
    """Whether this is a time, of which two things may have the same one by chance."""
    return isinstance(value, str) and WHOLE_TIME.fullmatch(value) is not None


def is_id(key: str) -> bool:
    """Whether what stands under this key is an id, whatever it looks like."""
    return key.lower() == "id"


def stands_alone(value: Any) -> bool:
    """Whether this is the same thing wherever it stands; a short text or a small number may be another thing elsewhere."""
    if isinstance(value, str):
        return len(value) >= STANDS_ALONE
    return not isinstance(value, int) or value >= LARGE


def is_made_up(recorded: Any, now: Any, key: str) -> bool:
    """Whether both values may be what a provider made up, so that they say the same."""
    if isinstance(recorded, str) and isinstance(now, str):
        if is_id(key):
            return bool(recorded and now)
        skeleton = RANDOM.sub("\0", recorded)
        return "\0" in skeleton and skeleton == RANDOM.sub("\0", now)
    return type(recorded) is type(now) is int and min(recorded, now) >= (1 if is_id(key) else LARGE)


def looks_made_up(value: Any, key: str) -> bool:
    """Whether a recorded leaf may be one that a provider made up."""
    return isinstance(value, tuple) or is_made_up(value, value, key)


def leaves(tree: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """The texts and numbers of a tree, each with the key under which it stands; what stands in a list has the list's.

    A secret's leaf is a pair with its number.
    """
    if isinstance(tree, dict) and PLACEHOLDER in tree:
        yield key, (PLACEHOLDER, tree[PLACEHOLDER])
    elif isinstance(tree, dict):
        for name, subtree in tree.items():
            yield from leaves(subtree, name)
    elif isinstance(tree, list):
        for subtree in tree:
            yield from leaves(subtree, key)
    elif tree is not None and not isinstance(tree, bool):
        yield key, tree
