"""What the engine's side of a run has seen, as the rules about engines need it.

A call names no object. What an engine remembers of one is recognized by its value: a state that is sent must be one that this
instance has answered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from mockprovider.calls import EFFECTS, Call, Op, Reply, Session
from mockprovider.contract import Condition, ValueMarks
from mockprovider.errors import MockProviderError
from mockprovider.terraform.contract.comparing import differing
from mockprovider.terraform.contract.history import TerraformHistory, TerraformMoment, answered, request
from mockprovider.terraform.contract.lives import EPHEMERAL, SESSION
from mockprovider.terraform.contract.seen import InstanceSeen, ObjectSeen, PlannedChange, State, read_object
from mockprovider.terraform.rpcs.requests import Codec, codec
from mockprovider.terraform.schema.objects import Generic, ObjectSchema

ANSWERED = {
    Op.UPGRADE: "upgraded_state",
    Op.READ: "new_state",
    Op.MOVE: "target_state",
    **dict.fromkeys(EFFECTS, "new_state"),
}
"""The field of the answer that holds a state."""
PRIOR = {
    Op.READ: "current_state",
    **dict.fromkeys((Op.PLAN, *EFFECTS), "prior_state"),
}
"""The field of the request that holds the prior state."""
NONE = ObjectSeen(None, ("", None))


class EngineMoment(TerraformMoment):
    """A call of an engine, the provider instance that is asked, and the objects in the message, read when they are needed."""

    instance: InstanceSeen
    read: dict[str, ObjectSeen]
    fit: tuple[str, list[PlannedChange]] | None = None

    def sent(self, name: str) -> ObjectSeen:
        """The object in a field of the message. Without a message nothing tells what travels."""
        if self.message is None:
            return NONE
        seen = self.read.get(name)
        if seen is None:
            seen = self.read[name] = self.history.recognized(self.call, getattr(self.message, name))
        return seen

    @property
    def prior(self) -> ObjectSeen:
        """The object that there was before."""
        return self.sent(PRIOR[self.call.op])

    @property
    def plan(self) -> tuple[str, list[PlannedChange]]:
        """The plans that fit a create or an update, and in what the nearest ones differ if none does."""
        if self.fit is None:
            self.fit = ("", []) if self.message is None else self.history.fitting(self)
        return self.fit


class EnginesHistory(TerraformHistory):
    """What came before a call.

    Plan and apply are runs of their own, each with its own instances: what a delete needs, and what is stored, outlives these.
    """

    def __init__(self, _: Callable[[str], bool], marks: ValueMarks) -> None:
        # A state that is there already comes in an upgrade.
        super().__init__()
        self._marks = marks
        self._instances: WeakKeyDictionary[Session, InstanceSeen] = WeakKeyDictionary()
        self.born: set[State] = set()
        """The states that came of an apply, a read or an import here, and not from elsewhere."""
        self.replaceable: set[State] = set()
        """The states of objects whose replacement may have been planned, without a plan that names them."""
        self.deletable: dict[State, list[bytes | None]] = defaultdict(list)
        """The planned private bytes of each deletion that was planned, by the state; ``None`` where it may come with any."""
        self.stored: dict[tuple[str, str, str], dict[State, set[bytes]]] = {}
        """What an engine may have stored of an object that was applied here, by configuration, type and id: states that were
        answered, and that no apply has changed, with their private bytes.
        """
        self._begun: EngineMoment | None = None
        """The call that has begun, as long as nothing has happened since."""
        self._coding: tuple[Call | None, str, Codec] = (None, "", Generic(""))
        """What reads the objects of a type in one call: a call has several."""

    def at(self, call: Call, reply: Reply | None) -> EngineMoment:
        """A call as it looks from here. One that ends with nothing between looks as it did when it began."""
        now = self._begun
        if now is not None and now.call is call and reply is not None:
            now.reply = reply
            return now
        return EngineMoment(call, reply, request(call), self, self.instance(call), {})

    def instance(self, call: Call) -> InstanceSeen:
        """The provider instance that is asked."""
        seen = self._instances.get(call.session)
        if seen is None:
            seen = self._instances[call.session] = InstanceSeen()
        return seen

    def recognized(self, call: Call, dynamic: Any, name: str = "") -> ObjectSeen:
        """The object in a message. ``name`` is its type, unless that is in the request.

        One that does not fit its type is none: the engine says so itself.
        """
        type_ = name or request(call).type_name
        # A stored state is bytes of JSON, any other one a DynamicValue.
        packed, text = (b"", dynamic) if isinstance(dynamic, bytes) else (dynamic.msgpack, dynamic.json)
        try:
            if self._coding[0] is not call or self._coding[1] != type_:
                self._coding = (call, type_, self._coder(call, type_))
            return read_object(self._coding[2], type_, packed, b"" if packed else text)
        except MockProviderError:
            return ObjectSeen(None, (type_, None))

    def _coder(self, call: Call, type_: str) -> Codec:
        declared = codec(call.session, "resource", type_)
        if isinstance(declared, ObjectSchema):
            return declared
        coders = self.instance(call).coders
        if type_ not in coders:
            # An instance keeps the one that it began with: states that are read by different ones are not alike.
            tree = self.learned.tree("resource", type_)
            coders[type_] = declared if tree is None else ObjectSchema(type_, type_, tree, published=True)
        return coders[type_]

    def state(self, call: Call) -> str:
        """The state of the instance that is asked; none for what configures a part of it, a state store."""
        return "" if configures_part(call) else self.instance(call).state

    def ephemeral(self, call: Call) -> str:
        """The state of the ephemeral resource that a call is about."""
        still = self.instance(call).ephemerals.get((call.type, call.private))
        return EPHEMERAL.begins if still is None else "open" if still else "closed"

    def begin(self, now: EngineMoment) -> None:
        """A call starts: a plan is applied, and no other apply is of that plan."""
        self._begun = now
        if now.message is None:
            return
        if now.call.op in (Op.CREATE, Op.UPDATE):
            for change in now.plan[1][:1]:
                change.applied = True
        elif now.call.op is Op.DELETE and (planned := self.deletion(now)):
            self.deletable[now.prior.state].remove(planned[0])

    def deletion(self, now: EngineMoment) -> list[bytes | None]:
        """The plans that a delete may be of, as ``deletable`` has them."""
        planned = self.deletable.get(now.prior.state, [])
        return [private for private in planned if private in (None, now.message.planned_private)]

    def fitting(self, now: EngineMoment) -> tuple[str, list[PlannedChange]]:
        """See ``EngineMoment.plan``."""
        changes = now.instance.plans.get(now.sent("planned_state").state, [])
        if not changes:
            return "state", []
        private, prior, config = now.message.planned_private, now.prior.state, now.sent("config").bag
        fitting: Mapping[str, Callable[[PlannedChange], bool]] = {
            "private": lambda change: bool(change.private == private),
            "prior": lambda change: change.prior == prior,
            "applied": lambda change: not change.applied,
            "config": lambda change: not differing(change.config, config),
        }
        for name, fits in fitting.items():
            nearer = [change for change in changes if fits(change)]
            if not nearer:
                return name, changes
            changes = nearer
        return "", changes

    def end(self, now: EngineMoment) -> None:
        """A call has ended."""
        self._begun = None
        call, reply, asked = now.call, now.reply, now.message
        if call.op is Op.DELETE and not (reply and reply.ok) and asked is not None:
            # A stored plan that has failed may be applied again.
            self.deletable[now.prior.state].append(None)
        if reply is None:
            return
        self._follow_instance(now.instance, call, reply)
        answer = answered(call, reply)
        if answer is not None:
            self.learn(call, reply, answer)
            self._follow_answer(now, reply, answer)

    def _follow_instance(self, seen: InstanceSeen, call: Call, reply: Reply) -> None:
        if reply.ok and not configures_part(call):
            seen.state = SESSION.after.get((seen.state, call.op), seen.state)
            if call.op in EPHEMERAL.events:
                self._follow_ephemeral(seen, call, reply)
        if call.op is Op.CHECK and call.inputs is not None and Condition.UNKNOWN not in self._marks(call.inputs):
            seen.validated.add(call.type)

    def _follow_answer(self, now: EngineMoment, reply: Reply, answer: Any) -> None:
        call = now.call
        if call.op in ANSWERED:
            self._follow(now, reply, answer)
        elif call.op is Op.IMPORT:
            for resource in answer.imported_resources:
                self._remember(now, self.recognized(call, resource.state, resource.type_name), resource.private)
        elif call.op is Op.PLAN and reply.ok:
            self._plan(now, answer)

    def _follow(self, now: EngineMoment, reply: Reply, answer: Any) -> None:
        """An answer has a state."""
        call, seen = now.call, now.instance
        if call.op in EFFECTS and reply.ok:
            # Where it failed, the engine may go on with what there was before.
            self.stored.get(self._key(call, now.prior), {}).pop(now.prior.state, None)
        state = self.recognized(call, getattr(answer, ANSWERED[call.op]), getattr(now.message, "target_type_name", ""))
        if call.op in EFFECTS and reply.ok and state.id:
            # Until then, what is stored comes from elsewhere, and no answer tells of it. A plan reads, and stores nothing.
            self.stored.setdefault(self._key(call, state), {})
        self._remember(now, state, getattr(answer, "target_private", getattr(answer, "private", None)))
        if call.op is Op.READ and reply.ok and not put_off(answer):
            sent = now.prior.state
            # Another object may be like one that has changed, and be read as it was.
            (seen.stays if state.state == sent else seen.outdated).add(sent)
            seen.read.add(state.state)

    def _remember(self, now: EngineMoment, kept: ObjectSeen, private: bytes | None) -> None:
        call, seen = now.call, now.instance
        self._store(call, kept, private)
        if kept.bag is None:
            return
        seen.states[kept.state].add(private)
        seen.bags[kept.state[0]] = kept.bag
        if call.op is not Op.UPGRADE:
            self.born.add(kept.state)
        if call.op in EFFECTS:
            # Whatever a read made of it before, now it is what there is.
            seen.outdated.discard(kept.state)
        else:
            seen.loaded[kept.state[0]].add(kept.state)

    def _store(self, call: Call, now: ObjectSeen, private: bytes | None) -> None:
        """What the engine may store from now on."""
        states = self.stored.get(self._key(call, now))
        # What is unknown no engine can store.
        if states is not None and Condition.UNKNOWN not in self._marks(now.bag):
            states.setdefault(now.state, set()).update(() if private is None else (private,))

    def stored_as(self, call: Call, kept: ObjectSeen) -> dict[State, set[bytes]] | None:
        """What an engine may have stored of an object, with private bytes; ``None`` of one that comes from elsewhere."""
        return self.stored.get(self._key(call, kept)) if kept.id else None

    @staticmethod
    def _key(call: Call, about: ObjectSeen) -> tuple[str, str, str]:
        # Elsewhere, another object may have the same id.
        return call.session.instance, about.state[0], about.id

    def _plan(self, now: EngineMoment, answer: Any) -> None:
        call, seen, prior = now.call, now.instance, now.prior
        planned = self.recognized(call, answer.planned_state)
        if prior.bag is None:
            # It may be the second half of a replacement, which begins with an object that is tainted, and no call says so.
            self.replaceable |= seen.loaded.pop(planned.state[0], set())
        elif planned.bag is None or answer.requires_replace:
            self.deletable[prior.state].append(answer.planned_private if planned.bag is None else None)
        if put_off(answer):
            seen.put_off.add(planned.state)
            return
        change = PlannedChange(planned.state, answer.planned_private, prior.state, now.sent("config").bag)
        seen.plans[planned.state].append(change)
        if planned.bag is not None:
            seen.planned[planned.state[0]] = planned.bag

    @staticmethod
    def _follow_ephemeral(seen: InstanceSeen, call: Call, reply: Reply) -> None:
        key = (call.type, reply.private if call.op is Op.OPEN else call.private)
        change = {Op.OPEN: 1, Op.CLOSE: -1}.get(call.op, 0)
        seen.ephemerals[key] = max(seen.ephemerals.get(key, 0) + change, 0)
        if call.op is Op.RENEW and reply.private:
            # The next renewal gets these; Close gets those of Open.
            seen.ephemerals[call.type, reply.private] = seen.ephemerals[key]


def put_off(message: Any) -> bool:
    """Whether an answer puts off what was asked."""
    return "deferred" in message.DESCRIPTOR.fields_by_name and message.HasField("deferred")


def configures_part(call: Call) -> bool:
    """Whether it configures a state store of the provider, which is done after the provider itself."""
    return call.method == "ConfigureStateStore"
