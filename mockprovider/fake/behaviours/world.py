"""What a behaviour gets beside the call and ``proceed``, and what behaviours share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeAlias

from msgspec import Meta, Struct
from msgspec.structs import replace

from mockprovider.calls import STATUS_NAMES, Call, Failure, Handler, Op, Reply
from mockprovider.clock import Clock
from mockprovider.cloud import Cloud, CloudObject
from mockprovider.document import Number, Word
from mockprovider.errors import DefinitionError
from mockprovider.fake.views import Publish, unpublished
from mockprovider.schema import ResourceType
from mockprovider.values import UNKNOWN, Value

PLANS = frozenset({Op.DIFF, Op.PLAN})
READS = frozenset({Op.READ, Op.IMPORT})

FAILURES = STATUS_NAMES[1:]
Status: TypeAlias = Annotated[Word, Meta(extra_json_schema={"enum": [*FAILURES]})]
Seconds: TypeAlias = Annotated[Number, Meta(extra_json_schema={"minimum": 0})]


class World(Struct, frozen=True):
    """The cloud, the clock and the declared type; ``type`` is the type under which the cloud has the call's object, and
    ``publish`` sends views to the engine.
    """

    cloud: Cloud
    clock: Clock
    declared: ResourceType
    type: str
    publish: Publish = unpublished

    def found(self, call: Call) -> CloudObject | None:
        """The object of a call."""
        return self.cloud.read(self.type, call.id)

    def timeout(self, call: Call) -> float:
        """The call's timeout in seconds: the engine's, else the type's, else 0."""
        return call.timeout or self.declared.timeouts.get(call.op.value, 0.0)


Behaviour: TypeAlias = Callable[[Call, Handler, World], Reply]
"""How the cloud treats calls for one type: a layer that also gets the world."""


def refused(reason: str, status: str, path: str = "") -> Reply:
    """The answer of a cloud that refuses a call."""
    return Reply(failures=(Failure(reason, path, status),))


def check_status(status: str) -> None:
    """Raise ``DefinitionError`` for what is no gRPC status of a failure."""
    if status not in FAILURES:
        raise DefinitionError(f"{status!r} is no status of a failure. There are: {', '.join(FAILURES)}.")


def given(call: Call, **values: Value) -> Call:
    """``call`` with these properties in its inputs."""
    return replace(call, inputs={**(call.inputs or {}), **values})


def unsettled(call: Call, reply: Reply, names: Iterable[str]) -> Reply:
    """``reply`` with ``names`` unknown where an update will change them: in a plan with changes, and in its preview."""
    opened: dict[str, Any] = dict.fromkeys(names, UNKNOWN)
    if call.op in PLANS and reply.plan is not None and reply.plan.changes and call.prior is not None:
        stable = tuple(name for name in reply.plan.stable if name not in opened)
        return replace(reply, plan=replace(reply.plan, planned={**reply.plan.planned, **opened}, stable=stable))
    if call.op is Op.UPDATE and call.preview and reply.value is not None:
        return replace(reply, value={**reply.value, **opened})
    return reply
