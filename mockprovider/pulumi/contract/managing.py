"""What a provider resource manages: whether it finds its objects, and what becomes of them when it must be replaced."""

from __future__ import annotations

from collections import defaultdict

from msgspec import Struct, field

from mockprovider.calls import Call, Op, Reply
from mockprovider.pulumi.contract.values import differing
from mockprovider.pulumi.diff import Changes, as_diff
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

    def follow(self, call: Call, reply: Reply) -> None:
        """A call has been answered."""
        if not reply.ok:
            return
        provider = call.session.instance
        if call.op is Op.CONFIGURE and call.inputs is not None:
            self.configured[provider] = call.inputs
        elif call.op is Op.DIFF_CONFIG and self._is_of_its_own(call):
            diff = as_diff(reply)
            replaced = diff.changes != Changes.NONE and diff.wants_replacement
            self.lost[call.urn] = {*self.objects[call.urn]} if replaced else set()
        elif call.op is Op.CREATE and not call.preview:
            self.objects[provider].add((call.type, reply.id))
            self.lost[provider].discard((call.type, reply.id))
        elif call.op is Op.DELETE or (call.op is Op.READ and not reply.id):
            self.objects[provider].discard((call.type, call.id))

    def _is_of_its_own(self, call: Call) -> bool:
        """Whether a provider is asked about its own old configuration.

        ``pulumi`` 3.259 asks the new provider of a resource about the configuration of the one before.
        """
        old, known = call.prior_inputs or call.prior, self.configured.get(call.urn)
        return old is None or known is None or next(differing(old, known), None) is None

    def is_there(self, call: Call) -> bool:
        """Whether the provider resource that is asked has made this object, and was told of no end of it."""
        return (call.type, call.id) in self.objects.get(call.session.instance, ())

    def is_lost(self, call: Call) -> bool:
        """Whether the provider resource that is asked was to be replaced, and this object with it."""
        return (call.type, call.id) in self.lost.get(call.session.instance, ())
