"""What the engine's side of a run has seen, as the rules about engines need it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import ClassVar

from mockprovider.calls import EFFECTS, Call, Op, Reply
from mockprovider.contract import ValueMarks
from mockprovider.pulumi.contract import history
from mockprovider.pulumi.contract.history import FOLLOWS, Compared, Follow, PulumiHistory, PulumiMoment
from mockprovider.pulumi.contract.lives import OBJECT
from mockprovider.pulumi.contract.objects import ObjectSeen
from mockprovider.pulumi.diff import Changes
from mockprovider.values import Bag

CHECKS = 10
"""So many of the latest answers to Check of one resource count: a replacement asks twice."""


class EnginesHistory(PulumiHistory):
    """What an engine has been told, and has under way."""

    def __init__(self, issued: Callable[[str], bool], marks: ValueMarks) -> None:
        super().__init__(issued, marks)
        self.running: dict[tuple[int, str, str], int] = defaultdict(int)
        """How many creates, updates and deletes are under way, by what they are about."""
        self.deletes: dict[int, Call] = {}
        """The deletes that are under way."""
        self._pending: dict[str, Bag] = {}
        """The last answer to Check by URN, until it is known what became of it."""

    def known(self, call: Call) -> ObjectSeen | None:
        """The object that another call is about."""
        return self.objects.find(call, self.instance(call).where)

    def state(self, now: PulumiMoment) -> str:
        """The state of the object that a call is about.

        One that is new at its URN is as good as what its id says: an alias, or another stack, has brought it there.
        """
        if now.known is not None:
            return now.known.state
        if self.issued(now.call.id):
            return "there"
        states = {other.state for other in self.objects.of_id(now.call.id)}
        return "there" if "there" in states else "gone" if states else OBJECT.begins

    def doubt(self) -> None:
        """What engines remember may be another thing from here on: a state was imported, or the last one was not written."""
        self.objects.doubt()
        self._pending.clear()
        for seen in self.instances.values():
            seen.lost = True

    def begin(self, now: PulumiMoment) -> None:
        """A call starts."""
        self.begun, call = now, now.call
        if call.op in EFFECTS and not call.preview:
            self.running[operand(call)] += 1
        if call.op is Op.DELETE:
            self.deletes[id(call)] = call
        if now.known is not None and call.id:
            now.known.half_made = False

    def end(self, now: PulumiMoment) -> None:
        """A call has ended, maybe without an answer."""
        call = now.call
        if call.op in EFFECTS and not call.preview:
            self.running[operand(call)] -= 1
        if call.op is Op.DELETE:
            self.deletes.pop(id(call), None)
        if call.op is Op.HANDSHAKE:
            now.instance.is_pulumi = bool(call.extra.get("configure_with_urn"))
        super().end(now)

    def check(self, now: PulumiMoment, reply: Reply) -> None:
        """Inputs are checked, or refused."""
        call = now.call
        if reply.failures:
            now.instance.refused.add(call.urn)
        if not reply.ok or reply.inputs is None:
            return
        checked = now.instance.checked[call.urn]
        checked.append(reply.inputs)
        del checked[:-CHECKS]
        self._accept_checked(call.urn)
        if not call.session.preview:
            self._pending[call.urn] = reply.inputs

    def diff(self, now: PulumiMoment, reply: Reply) -> None:
        """An object is compared."""
        call, instance = now.call, now.instance
        if not reply.ok:
            return
        instance.created.discard(call.urn)
        instance.diffs[call.urn] = Compared(call.id, call.inputs or {}, now.diff)
        self.objects.compared.add((call.id, call.type))
        if now.diff.changes != Changes.SOME:
            # The engine leaves the object as it is, and remembers the inputs.
            self._accept_checked(call.urn)

    def _accept_checked(self, urn: str) -> None:
        """An engine may remember the last inputs that it had checked, although it asked for nothing to be done."""
        pending = self._pending.pop(urn, None)
        for seen in self.objects.at(urn) if pending is not None else ():
            if not seen.inputs.open:
                seen.inputs.add(pending)

    def create(self, now: PulumiMoment, reply: Reply) -> None:
        """An object is there, and nothing has asked for another one."""
        if reply.ok and not now.call.preview:
            now.instance.created.add(now.call.urn)
        history.create(self, now, reply)

    def read(self, now: PulumiMoment, reply: Reply) -> None:
        """An object is there, or is gone and may be created again."""
        if reply.ok and not reply.id:
            now.instance.created.discard(now.call.urn)
        history.read(self, now, reply)

    def delete(self, now: PulumiMoment, reply: Reply) -> None:
        """An object is gone, and may be created again."""
        if reply.ok:
            now.instance.created.discard(now.call.urn)
        history.delete(self, now, reply)

    def remember(self, seen: ObjectSeen, now: PulumiMoment, *, settles: bool) -> None:
        """An engine remembers inputs, too, and what a create has left."""
        super().remember(seen, now, settles=settles)
        call, reply = now.call, now.answer
        if call.op is Op.READ:
            seen.half_made = False
            seen.inputs.take(reply.inputs, settles=settles)
            return
        self._pending.pop(call.urn, None)
        seen.inputs.take(call.inputs, settles=settles)
        seen.half_made = call.op is Op.CREATE and not reply.ok
        for other in self.objects.at(call.urn) if call.op is Op.CREATE and reply.ok else ():
            # An orphan is told of once.
            other.half_made = False

    follows: ClassVar[Mapping[Op, Follow]] = {
        **FOLLOWS,
        Op.CHECK: check,
        Op.DIFF: diff,
        Op.CREATE: create,
        Op.READ: read,
        Op.DELETE: delete,
    }


def operand(call: Call) -> tuple[int, str, str]:
    """What an operation is about: a session, since those of an engine that was killed go on, a resource, and its object."""
    return (call.session.number, call.urn, call.id)
