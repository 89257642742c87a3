"""Masks: places whose values differ from run to run, such as times, and do not count when calls are compared.

What is unknown, null or a secret is no value that could be masked: whether a time is known yet tells a plan from an apply.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from mockprovider.redaction.declared import Declared, Steps, steps
from mockprovider.redaction.marks import Marks
from mockprovider.redaction.placeholders import RESERVED, UNKNOWN, Tree, encode

MASK = "(masked)"
"""What is compared in place of a value."""
Change: TypeAlias = Callable[[str, Tree], Tree]
"""Given the name of a mask and the value there, what is to stand there."""
Sent: TypeAlias = dict[tuple[str, bytes], Tree]
"""What the engine sends today, by the mask's name and the recorded value."""


class Masks:
    """What masks do to the trees of one type.

    Args:
        places: finds the mask of a place.
        marks: how the protocol marks unknowns.
    """

    def __init__(self, places: Declared, marks: Marks) -> None:
        self._places = places
        self._marks = marks

    def compared(self, tree: Tree, used: Callable[[str], None] = lambda _: None) -> Tree:
        """``tree`` as it counts; ``used`` hears which masks had a value."""

        def change(name: str, _: Tree) -> Tree:
            used(name)
            return MASK

        return self._changed(tree, (), "", change) if self._places else tree

    def answered(self, answer: Tree, recorded: Tree, live: Tree) -> Tree:
        """``answer``, with what the ``live`` request has where the ``recorded`` one had the same value under the same mask."""
        if not self._places:
            return answer
        sent: Sent = {}
        self._pair(recorded, live, (), "", sent)
        return self._changed(answer, (), "", lambda name, value: sent.get((name, encode(value)), value))

    def _changed(self, tree: Tree, path: Steps, mask: str, change: Change) -> Tree:
        if mask and self._is_value(tree):
            return change(mask, tree)
        if isinstance(tree, list):
            return [self._changed(item, path, mask, change) for item in tree]
        if not isinstance(tree, dict) or RESERVED & tree.keys():
            return tree
        return {key: self._changed(item, *self._inside(path, key, mask), change) for key, item in tree.items()}

    def _pair(self, recorded: Tree, live: Tree, path: Steps, mask: str, sent: Sent) -> None:
        if mask and self._is_value(recorded) and self._is_value(live):
            sent.setdefault((mask, encode(recorded)), live)
        elif isinstance(recorded, list) and isinstance(live, list):
            for one, other in zip(recorded, live, strict=False):
                self._pair(one, other, path, mask, sent)
        elif isinstance(recorded, dict) and isinstance(live, dict):
            for key in recorded.keys() & live.keys():
                self._pair(recorded[key], live[key], *self._inside(path, key, mask), sent)

    def _inside(self, path: Steps, key: str, mask: str) -> tuple[Steps, str]:
        place = (*path, *steps(key))
        return place, mask or self._places.of(place)

    def _is_value(self, tree: Any) -> bool:
        """Whether all of the tree is known, and none of it secret."""
        if isinstance(tree, list):
            return all(map(self._is_value, tree))
        if isinstance(tree, dict):
            return not (RESERVED | {UNKNOWN}) & tree.keys() and all(map(self._is_value, tree.values()))
        return tree is not None and tree not in self._marks.unknowns
