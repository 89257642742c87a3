"""The object is created or changed, and the provider reports a failure all the same.

Pulumi keeps the object with its ``initErrors`` and updates it in the next run (``ErrorResourceInitFailed``); Terraform keeps it
tainted and replaces it, or keeps it as it was answered where it was an update.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from mockprovider.calls import Bag, Call, Failure, Handler, Op, Reply
from mockprovider.faults.ending import half_made
from mockprovider.faults.fault import REASON, WRITES, Fault, FaultWorld, Phase
from mockprovider.values import has_unknown

TAKES = 'a list of reasons, as in reasons=["timed out waiting"]'


class Partial(Fault, frozen=True, tag="partial"):
    """The object exists afterwards, and the provider reports ``reasons`` all the same. A read reports it as broken.

    Args:
        reasons: what went wrong; engines tell a half-made object by these.
        applied: of an update, the properties that took effect; all unless given. The cloud has the others as they were.
        claimed: whether the answer to an update says that all properties took effect, whatever ``applied`` says.
        private: whether Terraform is given the private data of the object.
    """

    reasons: Annotated[Sequence[str], Meta(min_length=1, extra={"expected": TAKES})] = (REASON,)
    applied: Sequence[str] | UnsetType = UNSET
    private: bool = True
    claimed: bool = False

    ops: ClassVar[frozenset[Op]] = WRITES | {Op.READ}
    phases: ClassVar[tuple[Phase, ...]] = (Phase.REPLY, Phase.MID)

    @property
    def named(self) -> Collection[str]:
        """Those that took effect."""
        return self.applied or ()

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:
        """Let the call happen, as far as it goes, then report the reasons beside its result."""
        reply = world.done or proceed(self._in_part(call))
        if not reply.ok or reply.value is None:
            return reply
        kept = reply if self.private else replace(reply, private=b"")
        if self.claimed and call.op is Op.UPDATE:
            kept = replace(kept, value={**reply.value, **_settled(call.planned or call.inputs or {})})
        return half_made(call, kept, *map(Failure, self.reasons))

    def _in_part(self, call: Call) -> Call:
        if self.applied is UNSET or call.op is not Op.UPDATE:
            return call
        return replace(call, inputs=self._part(call.inputs, call.prior), planned=self._part(call.planned, call.prior))

    def _part(self, wanted: Bag | None, before: Bag | None) -> Bag | None:
        if wanted is None or before is None:
            return wanted
        kept = {name: before.get(name) for name in wanted if name not in (self.applied or ())}
        return {**wanted, **{name: value for name, value in kept.items() if value is not None}}


def _settled(wanted: Bag) -> Bag:
    """What is wanted, without what only the provider could have said."""
    return {name: value for name, value in wanted.items() if not has_unknown(value)}
