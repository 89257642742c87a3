"""What a provider answered before to the same question, or to one that has become known since.

Messages are compared by their bytes, which engines write in one way: where one value is written in two, nothing is judged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from typing import Any, TypeAlias

from msgspec import Struct, field

from mockprovider.calls import Call, Op, Reply

MOST = 50
"""So many plans of one type and prior state, whose configurations may have become another, are looked through."""

Prior: TypeAlias = tuple[str, bytes]
"""A type, and a prior state of it."""


class FirstPlan(Struct, frozen=True):
    """An answer to PlanResourceChange: the session's number, the configuration and the planned state."""

    session: int
    config: bytes
    plan: bytes


class Repeated(Struct):
    """Answers to the same question.

    Args:
        plans: those to PlanResourceChange that nobody has applied, by type and prior state, and by the configuration.
        open_plans: those of them whose configuration was not wholly known, by type and prior state.
        applied: the configurations that were applied last, by type and the state that this made.
        results: those of functions, by name and arguments.
    """

    plans: dict[tuple[Prior, bytes], list[FirstPlan]] = field(default_factory=lambda: defaultdict(list))
    open_plans: dict[Prior, list[FirstPlan]] = field(default_factory=lambda: defaultdict(list))
    applied: dict[Prior, bytes] = field(default_factory=dict)
    results: dict[tuple[str, Hashable], Hashable] = field(default_factory=dict)

    def follow(self, call: Call, asked: Any, reply: Reply, answered: Any) -> None:
        """A call has been answered."""
        if not reply.ok:
            return
        if call.op is Op.PLAN and asked.config.msgpack not in NULL and answered.planned_state.msgpack:
            prior, config = (call.type, asked.prior_state.msgpack), asked.config.msgpack
            first = FirstPlan(call.session.number, config, answered.planned_state.msgpack)
            self.plans[prior, config].append(first)
            if _has_unknown(config):
                self.open_plans[prior].append(first)
        elif call.op in (Op.CREATE, Op.UPDATE):
            self._apply(call, asked, answered)

    def _apply(self, call: Call, asked: Any, answered: Any) -> None:
        config = asked.config.msgpack
        self.applied[call.type, answered.new_state.msgpack] = config
        key = ((call.type, asked.prior_state.msgpack), config)
        # The final plan is nobody's first one.
        final = FirstPlan(call.session.number, config, asked.planned_state.msgpack)
        plans = self.plans.get(key, [])
        if final in plans:
            plans.remove(final)
        if not plans:
            self.plans.pop(key, None)

    def firsts(self, call: Call) -> list[FirstPlan]:
        """The plans that may have been made of what is applied now, before its configuration was known."""
        if call.native is None:
            return []
        asked: Any = call.native.message
        prior, config = (call.type, asked.prior_state.msgpack), asked.config.msgpack
        same = [first for first in self.plans.get((prior, config), ()) if first.session != call.session.number]
        opened = [] if same else self.open_plans.get(prior, [])
        return same or (opened if len(opened) <= MOST else [])

    def plans_on(self, call: Call, answered: Any) -> bool:
        """Whether a plan changes what its configuration has just made."""
        if call.native is None:
            return False
        asked: Any = call.native.message
        prior: bytes = asked.prior_state.msgpack
        config = self.applied.get((call.type, prior)) if prior else None
        return config is not None and bool(config == asked.config.msgpack and answered.planned_state.msgpack != prior)


NULL = (b"", b"\xc0")
UNKNOWNS = (b"\xd4\x00", b"\x0c", b"\xc7")
"""How an unknown value begins: the engine's own form, and those with refinements."""


def _has_unknown(config: bytes) -> bool:
    """Whether something in the bytes may be unknown: an extension of msgpack. What only looks like one is compared, too."""
    return any(mark in config for mark in UNKNOWNS)
