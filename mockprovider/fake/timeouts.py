"""The configuration's own ``timeouts``, in protocols that send them among the inputs: no cloud knows of them.

They are taken off what is asked, so that neither behaviours nor the cloud see them, and put back into the answer, since such
engines keep them in the state. A change of nothing else changes no object.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from mockprovider.calls import Call, Change, ChangeKind, Failure, Handler, Op, Reply
from mockprovider.durations import TIMEOUTS, seconds
from mockprovider.errors import MalformedError
from mockprovider.paths import show
from mockprovider.schema import ResourceType
from mockprovider.values import Bag, Value, is_unknown, reveal, same

BAGS = ("inputs", "planned", "proposed", "prior")


def are_apart(declared: ResourceType, call: Call) -> bool:
    """Whether the bags of ``call`` may have timeouts that are no property of the type, which has some."""
    return call.session.protocol.sends_timeouts and TIMEOUTS not in declared.attributes


def left_out(declared: ResourceType | None, bag: Bag) -> Bag:
    """``bag`` as the cloud has it: without timeouts that are no property of the type."""
    return bag if declared is None or TIMEOUTS in declared.attributes else _without(bag)


def apart(call: Call, proceed: Handler) -> Reply:
    """A layer that keeps the timeouts from what is behind it."""
    bags = {name: bag for name in BAGS if (bag := getattr(call, name)) is not None}
    wanted = next((bag.get(TIMEOUTS) for bag in bags.values()), None)
    asked = replace(call, **{name: _without(bag) for name, bag in bags.items()})
    if call.op is Op.UPDATE and asked.planned is not None and same(asked.planned, asked.prior):
        return Reply(value=call.planned, id=call.id, private=call.private)
    return _answered(call, proceed(asked), wanted)


def _without(bag: Bag) -> Bag:
    return {name: value for name, value in bag.items() if name != TIMEOUTS}


def _answered(call: Call, reply: Reply, wanted: Value) -> Reply:
    """``reply`` with the timeouts that are ``wanted``."""
    if call.op is Op.CHECK:
        return replace(reply, failures=(*reply.failures, *_wrong(wanted)))
    if reply.plan is not None:
        before = (call.prior or {}).get(TIMEOUTS)
        changes = () if same(before, wanted) else (Change(TIMEOUTS, ChangeKind.UPDATE if before else ChangeKind.ADD),)
        planned = _with(reply.plan.planned, wanted)
        return replace(reply, plan=replace(reply.plan, planned=planned, changes=(*reply.plan.changes, *changes)))
    return reply if reply.value is None else replace(reply, value=_with(reply.value, wanted))


def _with(bag: Bag, wanted: Value) -> Bag:
    return bag if wanted is None else {**bag, TIMEOUTS: wanted}


def _wrong(wanted: Value) -> Iterator[Failure]:
    """The failures of durations that are none."""
    plain = reveal(wanted)
    for op, duration in plain.items() if isinstance(plain, dict) else ():
        if isinstance(duration, str) and not is_unknown(duration):
            try:
                seconds(duration)
            except MalformedError as error:
                yield Failure(str(error), show((TIMEOUTS, op)))
