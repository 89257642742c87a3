"""How each session starts: a compact recording keeps equal calls once, and each process has to be configured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from mockprovider.calls import Op
from mockprovider.cassette.model import Interaction

STARTS = (Op.HANDSHAKE.value, Op.PARAMETERIZE.value, Op.CONFIGURE.value)
"""What a provider has to be told before anything else, in this order."""


class Starts:
    """The calls that start sessions, by op."""

    def __init__(self, order: Iterable[Interaction]) -> None:
        self._asked: dict[int, set[str]] = defaultdict(set)
        self._by_op: dict[tuple[str, str, str], Interaction] = {}
        self._instances: dict[int, str] = {}
        for interaction in order:
            self._instances[interaction.session] = interaction.instance or self._instances.get(interaction.session, "")
            if interaction.op in STARTS:
                self._asked[interaction.session].add(interaction.op)
                for instance in {"", interaction.instance}:
                    self._by_op.setdefault((interaction.op, interaction.provider, instance), interaction)

    def missing(self, first: Interaction) -> list[Interaction]:
        """What another session of this one's instance was started with, and this one, with this ``first`` call, was not."""
        instance = self._instances[first.session]
        if not instance:
            return []
        # Only Configure is about an instance.
        of = {op: instance if op == Op.CONFIGURE else "" for op in STARTS}
        others = (self._by_op.get((op, first.provider, of[op])) for op in STARTS if op not in self._asked[first.session])
        return [interaction for interaction in others if interaction is not None]
