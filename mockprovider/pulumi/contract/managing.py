"""What a provider resource manages: whether it finds its objects, and what becomes of them when it must be replaced."""

from __future__ import annotations

from collections import defaultdict

from msgspec import Struct, field

from mockprovider.calls import Call, Reply
from mockprovider.pulumi.contract.values import alike
from mockprovider.pulumi.diff import Changes, Diff
from mockprovider.values import Bag

ManagedObject = tuple[str, str]
"""An object, by its type and id."""


class Managed(Struct):
    """What provider resources manage, by their URNs. Instances of one URN come and go, with other configurations.

    Args:
        objects: those that they made.
        configured: what instances of them were configured with last.
        lost: those of the objects that were there when DiffConfig, for the last time, said that the provider must be replaced.
    """

    objects: dict[str, set[ManagedObject]] = field(default_factory=lambda: defaultdict(set))
    configured: dict[str, Bag] = field(default_factory=dict)
    lost: dict[str, set[ManagedObject]] = field(default_factory=lambda: defaultdict(set))

    def configure(self, call: Call) -> None:
        """An instance is configured."""
        if call.inputs is not None:
            self.configured[call.session.instance] = call.inputs

    def compare(self, call: Call, diff: Diff) -> None:
        """DiffConfig has been answered."""
        if self._is_of_its_own(call):
            replaced = diff.changes != Changes.NONE and diff.wants_replacement
            self.lost[call.urn] = {*self.objects[call.urn]} if replaced else set()

    def make(self, call: Call, reply: Reply) -> None:
        """An object has been made."""
        self.objects[call.session.instance].add((call.type, reply.id))
        self.lost[call.session.instance].discard((call.type, reply.id))

    def forget(self, call: Call) -> None:
        """An object is gone."""
        self.objects[call.session.instance].discard((call.type, call.id))

    def _is_of_its_own(self, call: Call) -> bool:
        """Whether a provider is asked about its own old configuration.

        ``pulumi`` 3.259 asks the new provider of a resource about the configuration of the one before.
        """
        old, known = call.prior_inputs or call.prior, self.configured.get(call.urn)
        return old is None or known is None or alike(old, known)

    def is_there(self, call: Call) -> bool:
        """Whether the provider resource that is asked has made this object, and was told of no end of it."""
        return (call.type, call.id) in self.objects.get(call.session.instance, ())

    def is_lost(self, call: Call) -> bool:
        """Whether the provider resource that is asked was to be replaced, and this object with it."""
        return (call.type, call.id) in self.lost.get(call.session.instance, ())
