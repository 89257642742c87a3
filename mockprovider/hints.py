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


def did_you_mean(word: str, known: Collection[str], otherwise: str = "", *, alike: float = ALIKE) -> str:
    """The sentence for a wrong word: the one that was meant, or the known ones after ``otherwise`` (``"There are"``).

    Without ``otherwise`` it is empty where nothing is near.
    """
    meant = near(word, known, alike)
    if meant or not otherwise:
        return f"Did you mean {meant!r}?" if meant else ""
    more = f", and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
    return f"{otherwise}: {', '.join(sorted(known)[:SHOWN]) or 'none'}{more}."
