"""Masks: places whose values differ from run to run, such as times, and do not count when calls are compared.

What is unknown or null is no value that could be masked: whether a time is known yet tells a plan from an apply. A secret is
one, and what is sent in its place today is given back wherever the recording has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from mockprovider.redaction.declared import Declared, Steps, steps
from mockprovider.redaction.marks import Marks
from mockprovider.redaction.placeholders import LITERAL, PLACEHOLDER, RESERVED, TEXT, UNKNOWN, Tree, encode

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
        """``answer``, with what the ``live`` request has where the ``recorded`` one had the same value under the same mask.

        In all three, secrets are back in.
        """
        if not self._places:
            return answer
        sent: Sent = {}
        for name, value, today in self._pairs(recorded, live, (), ""):
            sent.setdefault((name, encode(value)), today)
        return self._changed(answer, (), "", lambda name, value: sent.get((name, encode(value)), value))

    def _changed(self, tree: Tree, path: Steps, mask: str, change: Change) -> Tree:
        if mask and self._is_value(tree):
            return change(mask, tree)
        if isinstance(tree, list):
            return [self._changed(item, path, mask, change) for item in tree]
        if not isinstance(tree, dict) or RESERVED & tree.keys():
            return tree
        return {key: self._changed(item, *self._inside(path, key, mask), change) for key, item in tree.items()}

    def pairs(self, recorded: Tree, live: Tree) -> Iterator[tuple[Tree, Tree]]:
        """The values that two requests have under one mask at one place."""
        if self._places:
            yield from ((value, today) for _, value, today in self._pairs(recorded, live, (), ""))

    def _pairs(self, recorded: Tree, live: Tree, path: Steps, mask: str) -> Iterator[tuple[str, Tree, Tree]]:
        if mask and self._is_value(recorded) and self._is_value(live):
            yield mask, recorded, live
            # What is sent as a secret may come back openly, and the other way around.
            yield mask, self._unwrapped(recorded), self._unwrapped(live)
        elif isinstance(recorded, list) and isinstance(live, list):
            for one, other in zip(recorded, live, strict=False):
                yield from self._pairs(one, other, path, mask)
        elif isinstance(recorded, dict) and isinstance(live, dict):
            for key, item in recorded.items():
                if key in live:
                    yield from self._pairs(item, live[key], *self._inside(path, key, mask))

    def _inside(self, path: Steps, key: str, mask: str) -> tuple[Steps, str]:
        place = (*path, *steps(key))
        return place, mask or self._places.of(place)

    def _unwrapped(self, tree: Tree) -> Tree:
        signed = bool(self._marks.signature) and isinstance(tree, dict) and self._marks.signature in tree
        return tree.get("value", tree) if signed else tree

    def _is_value(self, tree: Any) -> bool:
        """Whether all of the tree is known."""
        if isinstance(tree, list):
            return all(map(self._is_value, tree))
        if isinstance(tree, dict):
            if PLACEHOLDER in tree or TEXT in tree:
                return True
            return UNKNOWN not in tree and all(map(self._is_value, tree.get(LITERAL, tree).values()))
        return tree is not None and tree not in self._marks.unknowns
