"""What one side of a run has seen of Terraform's protocol, as its rules need it.

A call names no object. What an engine remembers of one is recognized by its value: a state that is sent must be one that this
instance has answered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from msgspec import Struct, field

from mockprovider.calls import EFFECTS, Call, Op, Reply, Session
from mockprovider.contract import Moment
from mockprovider.errors import MockProviderError
from mockprovider.terraform.contract.comparing import differing, frozen
from mockprovider.terraform.contract.learned import LearnedSchemas
from mockprovider.terraform.contract.lives import EPHEMERAL, SESSION
from mockprovider.terraform.contract.repeated import Recollection
from mockprovider.terraform.rpcs.methods import SERVICES
from mockprovider.terraform.rpcs.requests import Codec, codec
from mockprovider.terraform.rules.places import unknowns
from mockprovider.terraform.schema.objects import ObjectSchema
from mockprovider.terraform.schema.tree import Place
from mockprovider.values import Bag
from mockprovider.wire.status import StatusError

State: TypeAlias = tuple[str, Hashable]
"""A type, and an object of it in a form that can be compared."""

ANSWERED = {
    Op.UPGRADE: "upgraded_state",
    Op.READ: "new_state",
    Op.MOVE: "target_state",
    **dict.fromkeys(EFFECTS, "new_state"),
}
"""The field of the answer that holds a state."""


class ObjectSeen(Struct, frozen=True):
    """An object in a message: its properties (``None`` is a null), what it is recognized by, and its id if it has one."""

    bag: Bag | None
    state: State
    id: str = ""


class DynamicBytes(NamedTuple):
    """What a DynamicValue holds: one of the two, or nothing, which is a null."""

    msgpack: bytes
    json: bytes


class PlannedChange(Struct):
    """A change that a provider planned: the planned state, and what it was planned from."""

    state: State
    private: bytes
    prior: State
    config: Bag | None
    applied: bool = False


class InstanceSeen(Struct):
    """What a provider instance has been through.

    Args:
        states: all states that it answered, and the private bytes that came with each; ``None`` with one that says nothing of
            them, as an upgraded one does not.
        bags: the latest of these states by type, for people to read.
        plans: what it planned, by the planned state.
        planned: the latest of the planned states by type, for people to read.
        put_off: what it planned and put off.
        read: the states that a Read answered.
        stays: the states that a Read answered as it was asked with them.
        outdated: the states that a Read was asked with, and answered otherwise.
        loaded: the upgraded, read and imported states by type, since the last plan of a new object.
        coders: what reads the objects of types that nobody has declared.
        validated: the types of which a configuration was validated that was wholly known.
        ephemerals: how many ephemeral resources are open, by type and private bytes, which need not differ.
    """

    state: str = SESSION.begins
    states: dict[State, set[bytes | None]] = field(default_factory=lambda: defaultdict(set))
    bags: dict[str, Bag] = field(default_factory=dict)
    plans: dict[State, list[PlannedChange]] = field(default_factory=lambda: defaultdict(list))
    planned: dict[str, Bag] = field(default_factory=dict)
    put_off: set[State] = field(default_factory=set)
    read: set[State] = field(default_factory=set)
    stays: set[State] = field(default_factory=set)
    outdated: set[State] = field(default_factory=set)
    loaded: dict[str, set[State]] = field(default_factory=lambda: defaultdict(set))
    coders: dict[str, Codec] = field(default_factory=dict)
    validated: set[str] = field(default_factory=set)
    ephemerals: dict[tuple[str, bytes], int] = field(default_factory=dict)


class TerraformMoment(Moment):
    """A call, and what came before it."""

    history: Any


class TerraformHistory(Recollection):
    """What came before a call.

    Plan and apply are runs of their own, each with its own instances: what a delete needs, and what is stored, outlives these.
    """

    def __init__(self, issued: Callable[[str], bool]) -> None:
        super().__init__()
        del issued  # A state that is there already comes in an upgrade.
        self._instances: WeakKeyDictionary[Session, InstanceSeen] = WeakKeyDictionary()
        self.learned = LearnedSchemas()
        self.plans_destroys = False
        """Whether the provider has said that it plans deletions, too."""
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
        self._fit: tuple[Call | None, tuple[str, list[PlannedChange]]] = (None, ("", []))

    def at(self, call: Call, reply: Reply | None) -> TerraformMoment:
        """A call as it looks from here."""
        return TerraformMoment(call, reply, self)

    def instance(self, call: Call) -> InstanceSeen:
        """The provider instance that is asked."""
        seen = self._instances.get(call.session)
        if seen is None:
            seen = self._instances[call.session] = InstanceSeen()
        return seen

    def tree(self, call: Call, of: str, name: str) -> Place | None:
        """The schema of a type, as it is declared, or as the provider has told it; ``None`` for one that nothing tells."""
        declared = codec(call.session, of, name)
        return declared.tree if isinstance(declared, ObjectSchema) else self.learned.tree(of, name)

    def recognized(self, call: Call, dynamic: Any, name: str = "") -> ObjectSeen:
        """The object in a message. ``name`` is its type, unless that is in the request.

        One that does not fit its type is none: the engine says so itself.
        """
        type_ = name or request(call).type_name
        # A stored state is bytes of JSON, any other one a DynamicValue.
        packed, text = (b"", dynamic) if isinstance(dynamic, bytes) else (dynamic.msgpack, dynamic.json)
        try:
            return _read(self._coder(call, type_), type_, packed, b"" if packed else text)
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

    def begin(self, now: TerraformMoment) -> None:
        """A call starts: a plan is applied, and no other apply is of that plan."""
        call = now.call
        if request(call) is None:
            return
        if call.op in (Op.CREATE, Op.UPDATE):
            for change in self.plan_of(call)[1][:1]:
                change.applied = True
            self._fit = (None, ("", []))
        elif call.op is Op.DELETE and (planned := self.deletion(call)):
            self.deletable[self.recognized(call, request(call).prior_state).state].remove(planned[0])

    def deletion(self, call: Call) -> list[bytes | None]:
        """The plans that a delete may be of, as ``deletable`` has them."""
        planned = self.deletable.get(self.recognized(call, request(call).prior_state).state, [])
        return [private for private in planned if private in (None, request(call).planned_private)]

    def plan_of(self, call: Call) -> tuple[str, list[PlannedChange]]:
        """The plans that fit a create or an update, and in what the nearest ones differ if none does."""
        if self._fit[0] is not call:
            # Several rules ask of one call.
            self._fit = (call, self._fitting(call))
        return self._fit[1]

    def _fitting(self, call: Call) -> tuple[str, list[PlannedChange]]:
        message = request(call)
        changes = self.instance(call).plans.get(self.recognized(call, message.planned_state).state, [])
        if not changes:
            return "state", []
        prior, config = self.recognized(call, message.prior_state).state, self.recognized(call, message.config).bag
        fitting: Mapping[str, Callable[[PlannedChange], bool]] = {
            "private": lambda change: change.private == message.planned_private,
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

    def end(self, now: TerraformMoment) -> None:
        """A call has ended."""
        call, reply = now.call, now.reply
        if call.op is Op.DELETE and not (reply and reply.ok) and request(call) is not None:
            # A stored plan that has failed may be applied again.
            self.deletable[self.recognized(call, request(call).prior_state).state].append(None)
        if reply is None:
            return
        seen = self.instance(call)
        self._follow_instance(seen, call, reply)
        message = answered(call, reply)
        if message is not None:
            self._follow_message(seen, call, reply, message)

    def _follow_instance(self, seen: InstanceSeen, call: Call, reply: Reply) -> None:
        if reply.ok and not configures_part(call):
            seen.state = SESSION.after.get((seen.state, call.op), seen.state)
            self._follow_ephemeral(seen, call, reply)
        if call.op is Op.FUNCTION and reply.ok:
            self.repeated.results[call.type, frozen(call.inputs)] = frozen(reply.value)
        if call.op is Op.CHECK and call.inputs is not None and next(unknowns(call.inputs), None) is None:
            seen.validated.add(call.type)

    def _follow_message(self, seen: InstanceSeen, call: Call, reply: Reply, message: Any) -> None:
        self.follow_answer(call, request(call), reply, message)
        if call.op in ANSWERED:
            self._follow(seen, call, message, reply)
        elif call.op is Op.IMPORT:
            for resource in message.imported_resources:
                self._remember(seen, call, self.recognized(call, resource.state, resource.type_name), resource.private)
        elif call.op is Op.PLAN and reply.ok:
            self._plan(seen, call, message)
        elif call.op in (Op.GET_SCHEMA, Op.GET_PLUGIN_INFO) and reply.ok:
            self.learned.learn(message)
            if "server_capabilities" in message.DESCRIPTOR.fields_by_name:
                self.plans_destroys |= message.server_capabilities.plan_destroy

    def _follow(self, seen: InstanceSeen, call: Call, message: Any, reply: Reply) -> None:
        """An answer has a state."""
        if call.op in EFFECTS and reply.ok:
            # Where it failed, the engine may go on with what there was before.
            before = self.recognized(call, request(call).prior_state)
            self.stored.get(self._key(call, before), {}).pop(before.state, None)
        now = self.recognized(call, getattr(message, ANSWERED[call.op]), getattr(request(call), "target_type_name", ""))
        if call.op in EFFECTS and reply.ok and now.id:
            # Until then, what is stored comes from elsewhere, and no answer tells of it. A plan reads, and stores nothing.
            self.stored.setdefault(self._key(call, now), {})
        self._remember(seen, call, now, getattr(message, "target_private", getattr(message, "private", None)))
        if call.op is Op.READ and reply.ok and not put_off(message):
            sent = self.recognized(call, request(call).current_state).state
            # Another object may be like one that has changed, and be read as it was.
            (seen.stays if now.state == sent else seen.outdated).add(sent)
            seen.read.add(now.state)

    def _remember(self, seen: InstanceSeen, call: Call, now: ObjectSeen, private: bytes | None) -> None:
        self._store(call, now, private)
        if now.bag is None:
            return
        seen.states[now.state].add(private)
        seen.bags[now.state[0]] = now.bag
        if call.op is not Op.UPGRADE:
            self.born.add(now.state)
        if call.op in EFFECTS:
            # Whatever a read made of it before, now it is what there is.
            seen.outdated.discard(now.state)
        else:
            seen.loaded[now.state[0]].add(now.state)

    def _store(self, call: Call, now: ObjectSeen, private: bytes | None) -> None:
        """What the engine may store from now on."""
        states = self.stored.get(self._key(call, now))
        # What is unknown no engine can store.
        if states is not None and next(unknowns(now.bag), None) is None:
            states.setdefault(now.state, set()).update(() if private is None else (private,))

    def stored_as(self, call: Call, kept: ObjectSeen) -> dict[State, set[bytes]] | None:
        """What an engine may have stored of an object, with private bytes; ``None`` of one that comes from elsewhere."""
        return self.stored.get(self._key(call, kept)) if kept.id else None

    @staticmethod
    def _key(call: Call, about: ObjectSeen) -> tuple[str, str, str]:
        # Elsewhere, another object may have the same id.
        return call.session.instance, about.state[0], about.id

    def _plan(self, seen: InstanceSeen, call: Call, message: Any) -> None:
        asked, planned = request(call), self.recognized(call, message.planned_state)
        prior = self.recognized(call, asked.prior_state)
        if prior.bag is None:
            # It may be the second half of a replacement, which begins with an object that is tainted, and no call says so.
            self.replaceable |= seen.loaded.pop(planned.state[0], set())
        elif planned.bag is None or message.requires_replace:
            self.deletable[prior.state].append(message.planned_private if planned.bag is None else None)
        if put_off(message):
            seen.put_off.add(planned.state)
            return
        config = self.recognized(call, asked.config).bag
        seen.plans[planned.state].append(PlannedChange(planned.state, message.planned_private, prior.state, config))
        if planned.bag is not None:
            seen.planned[planned.state[0]] = planned.bag

    @staticmethod
    def _follow_ephemeral(seen: InstanceSeen, call: Call, reply: Reply) -> None:
        if call.op not in EPHEMERAL.events:
            return
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


def request(call: Call) -> Any:
    """The request's message; ``None`` for a call that was made in Python."""
    return call.native.message if call.native is not None else None


def answered(call: Call, reply: Reply) -> Any:
    """The answer's message as the engine gets it; ``None`` if it gets none that can be read."""
    if call.native is None:
        return None
    if reply.message is not None:
        return reply.message.message
    method = SERVICES[call.session.protocol.version].methods.get(call.method)
    if method is None or reply.status is not None or reply.delivery is not None:
        return None
    try:
        return method.response(reply, call)
    except (MockProviderError, StatusError):
        return None


@lru_cache(maxsize=2048)
def _read(coder: Codec, type_: str, packed: bytes, text: bytes) -> ObjectSeen:
    """The object in these bytes. One state travels in many messages, at both sides."""
    bag, id_ = coder.decode(DynamicBytes(packed, text))
    tree = coder.tree if isinstance(coder, ObjectSchema) else None
    own = (bag or {}).get("id")
    return ObjectSeen(bag, (type_, (frozen(bag, tree), id_)), id_ or (own if isinstance(own, str) else ""))
