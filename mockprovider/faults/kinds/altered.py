"""An answer says another thing than it should.

Providers normalise what they are sent, and some answer other than they planned. Terraform refuses what contradicts its plan,
and keeps a tainted object; Pulumi takes what it is told.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from mockprovider.calls import Call, Handler, Op, Reply
from mockprovider.errors import DefinitionError
from mockprovider.faults.fault import ANSWERS, Fault, FaultWorld, Phase
from mockprovider.values import UNKNOWN, Bag


class Altered(Fault, frozen=True, tag="altered"):
    """The answer is another than it should be. It is sent unchecked.

    Args:
        values: properties that have other values, of any type, or that nobody declared.
        without: properties that are missing; in Terraform's protocol, null.
        unknown: properties that are left unknown.
        id: the object's id; empty for an answer without one.
    """

    values: Mapping[str, Any] = {}
    without: Sequence[str] = ()
    unknown: Sequence[str] = ()
    id: str | UnsetType = UNSET

    ops: ClassVar[frozenset[Op]] = ANSWERS
    phases: ClassVar[tuple[Phase, ...]] = (Phase.REPLY,)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.values or self.without or self.unknown) and self.id is UNSET:
            raise DefinitionError(
                'altered() changes nothing: say what, as in altered(values={"acl": "public"}) or altered(id="").'
            )

    @property
    def named(self) -> Collection[str]:
        """Those that are missing; a provider may leave others unknown, or make them up."""
        return self.without

    def __call__(self, call: Call, proceed: Handler, world: FaultWorld) -> Reply:  # noqa: ARG002 - as all faults
        """Answer something else."""
        reply, whole = proceed(call), call.session.protocol.sends_whole_objects
        plan = None if reply.plan is None else replace(reply.plan, planned=self._bag(reply.plan.planned, whole=whole))
        value = None if reply.value is None else self._bag(reply.value, whole=whole)
        if whole and value and self.id is not UNSET and "id" in value:
            value = {**value, "id": self.id or None}
        return replace(
            reply,
            value=value,
            # Check answers inputs alone; beside a value they are what an object was read from, and stay.
            inputs=self._bag(reply.inputs, whole=whole) if reply.value is None and reply.inputs is not None else reply.inputs,
            plan=plan,
            id=reply.id if self.id is UNSET else self.id,
            unchecked=True,
            native=None,
        )

    def _bag(self, bag: Bag, *, whole: bool) -> Bag:
        changed = {**bag, **self.values, **dict.fromkeys(self.unknown, UNKNOWN)}
        left = {name: value for name, value in changed.items() if name not in self.without}
        return left | dict.fromkeys(self.without) if whole else left
