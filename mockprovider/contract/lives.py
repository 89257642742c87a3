"""Lives as state tables: what a session, or an object, goes through, and what may not be asked of it at which point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct

from mockprovider.calls import Op


class StateTable(Struct, frozen=True, kw_only=True, dict=True):
    """One kind of life.

    Args:
        name: whose life it is, as documents call it: ``a session``.
        begins: the state at birth.
        words: what a breach says of the state that it happened in; ``{id}`` is the call's.
        events: which event each op is; an op that is not here happens outside of this life.
        moves: the state after an event that succeeded, by the state before it and the event. Without a row the state stays.
        wrong: the id of the rule that an event breaks, by the state before it and the event.
        state_of: the state of what a call is about, by what rules look at.
    """

    name: str
    begins: str
    words: Mapping[str, str]
    events: Mapping[Op, str]
    moves: Mapping[tuple[str, str], str]
    wrong: Mapping[tuple[str, str], str]
    state_of: Callable[[Any], str]

    @property
    def states(self) -> tuple[str, ...]:
        """All states, in the order in which the table names them."""
        named = [self.begins, *(state for (before, _), after in self.moves.items() for state in (before, after))]
        return tuple(dict.fromkeys([*named, *(state for state, _ in self.wrong)]))

    @cached_property
    def after(self) -> Mapping[tuple[str, Op], str]:
        """The state after an op succeeded, by the state before it; without an entry the state stays."""
        moves = ((state, op, self.moves.get((state, event))) for state in self.states for op, event in self.events.items())
        return {(state, op): after for state, op, after in moves if after}

    @cached_property
    def broken(self) -> Mapping[tuple[str, Op], str]:
        """The id of the rule that an op breaks, by the state before it."""
        return {
            (state, op): rule for (state, event), rule in self.wrong.items() for op, its in self.events.items() if its == event
        }

    def ops(self, rule: str) -> frozenset[Op]:
        """The ops that can break a rule of order."""
        return frozenset(op for (_, op), broken in self.broken.items() if broken == rule)
