"""An object in the making, step by step: whoever wants to act in the middle is asked after each step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mockprovider.calls import Call, Reply
from mockprovider.schema import ResourceType
from mockprovider.steps import unfilled
from mockprovider.values import Bag, Value


class Making:
    """An object on its way from what it was to what it will be.

    Args:
        declared: its type.
        call: the create or update; its ``midway`` is asked after each of the type's steps.
        wanted: the whole object.
        before: what it was; empty for a new one.
    """

    def __init__(self, declared: ResourceType, call: Call, wanted: Bag, before: Bag) -> None:
        self._steps = declared.steps
        self._call = call
        self._wanted = wanted
        self._before = before

    @property
    def begun(self) -> Bag:
        """The object after the first step."""
        return self._after(1)

    def finish(self, put: Callable[[Bag], Any], answer: Callable[[Bag], Reply]) -> Reply:
        """Do the steps after the first, and answer. ``put`` writes the object; ``answer`` makes a reply of it."""
        return self._go_on(1, put, answer)

    def _go_on(self, done: int, put: Callable[[Bag], Any], answer: Callable[[Bag], Reply]) -> Reply:
        def rest(_: Call) -> Reply:
            if done == len(self._steps):
                return answer(self._wanted)
            put(self._after(done + 1))
            return self._go_on(done + 1, put, answer)

        midway = self._call.midway
        half = answer(self._after(done))
        return rest(self._call) if midway is None else midway(self._steps[done - 1].name, half, rest)

    def _after(self, done: int) -> dict[str, Value]:
        """The object after so many steps: what is not filled yet is as it was, or absent."""
        missing = unfilled(self._steps, done)
        kept = {name: self._before[name] for name in missing if name in self._before}
        return {**{name: value for name, value in self._wanted.items() if name not in missing}, **kept}
