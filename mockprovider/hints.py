"""Suggestions for misspelt words."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

ALIKE = 0.6
"""How alike two words must be, from 0 to 1, for one to be a misspelling of the other."""

SHOWN = 20
"""More words than this many are no help in a message."""


def near(word: str, known: Collection[str], alike: float = ALIKE) -> str:
    """The ``known`` word that is most like ``word``; empty if none is ``alike`` enough."""
    return next(iter(get_close_matches(word, known, 1, alike)), "")


def suggest(meant: str) -> str:
    """The question whether ``meant`` was meant; empty if nothing was."""
    return f"Did you mean {meant!r}?" if meant else ""


def did_you_mean(word: str, known: Collection[str], otherwise: str = "", *, alike: float = ALIKE) -> str:
    """The sentence for a wrong word: the one that was meant, or the known ones after ``otherwise`` (``"There are"``).

    Without ``otherwise`` it is empty where nothing is near.
    """
    meant = near(word, known, alike)
    if meant or not otherwise:
        return suggest(meant)
    more = f", and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
    return f"{otherwise}: {', '.join(sorted(known)[:SHOWN]) or 'none'}{more}."


def misspelt(word: str, known: Collection[str]) -> str:
    """The ``known`` word that ``word`` can only be a misspelling of; empty if there is none, or ``word`` is known itself.

    Both are written alike but for capitals and the marks between words (``my_Bucket``, ``my-bucket``), or for two neighbouring
    letters that were swapped (``lgos``). Other words that are near may well be words of their own (``web-1``, ``web-2``).
    """
    if word in known:
        return ""
    return next((other for other in known if _plain(other) == _plain(word) or _swapped(word, other)), "")


def _plain(word: str) -> str:
    return "".join(letter for letter in word.casefold() if letter not in "-_ .")


def _swapped(word: str, other: str) -> bool:
    if len(word) != len(other):
        return False
    apart = [place for place, (one, two) in enumerate(zip(word, other, strict=True)) if one != two]
    if len(apart) != 2 or apart[1] != apart[0] + 1:
        return False
    letters = word[apart[0] : apart[1] + 1]
    return letters.isalpha() and letters[::-1] == other[apart[0] : apart[1] + 1]
