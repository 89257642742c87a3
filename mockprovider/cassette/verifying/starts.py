"""How each session starts: a compact recording keeps equal calls once, and each process has to be configured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from mockprovider.calls import Op
from mockprovider.cassette.instances import without_part
from mockprovider.cassette.model import Interaction

STARTS = (Op.HANDSHAKE.value, Op.PARAMETERIZE.value, Op.CONFIGURE.value)
"""What a provider has to be told before anything else, in this order."""


class Starts:
    """The calls that start sessions, by op."""

    def __init__(self, order: Iterable[Interaction]) -> None:
        self._asked: dict[int, set[tuple[str, str]]] = defaultdict(set)
        self._by_op: dict[tuple[str, str, str], Interaction] = {}
        self._instances: dict[int, str] = {}
        for interaction in order:
            self._instances[interaction.session] = interaction.instance or self._instances.get(interaction.session, "")
            if interaction.op in STARTS:
                self._asked[interaction.session] |= {(interaction.op, ""), (interaction.op, interaction.instance)}
                for instance in {"", interaction.instance}:
                    self._by_op.setdefault((interaction.op, interaction.provider, instance), interaction)

    def missing(self, first: Interaction) -> list[Interaction]:
        """What another session of this one's instance was started with, and this one, with this ``first`` call, was not."""
        instance = self._instances[first.session]
        if not instance:
            return []
        asked, provider = self._asked[first.session], without_part(instance)
        # Only Configure is about an instance; a part of one has been configured beside the provider.
        configured = {Op.CONFIGURE.value: [provider] if instance == provider else [provider, instance]}
        others = (
            self._by_op.get((op, first.provider, name))
            for op in STARTS
            for name in configured.get(op, [""])
            if (op, name if instance != provider else "") not in asked
        )
        return [interaction for interaction in others if interaction is not None]
