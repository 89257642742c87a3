"""What one side of a run has seen of Pulumi's protocol, as its rules need it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from weakref import WeakKeyDictionary

from msgspec import Struct, field

from mockprovider.calls import EFFECTS, Call, Op, Reply, Session
from mockprovider.payloads import ListedObject
from mockprovider.pulumi.contract.lives import BY_PULUMI, CLEARED, OBJECT, SESSION
from mockprovider.pulumi.contract.managing import Managed
from mockprovider.pulumi.contract.objects import ObjectSeen, ObjectsSeen, Where
from mockprovider.pulumi.contract.repeated import Repeated
from mockprovider.pulumi.contract.values import is_plain, places
from mockprovider.pulumi.diff import Changes, Diff, as_diff
from mockprovider.pulumi.signatures import accepted
from mockprovider.values import Bag, Unknown

CHECKS = 10
"""So many of the latest answers to Check of one resource count: a replacement asks twice."""

AFTER_CANCEL = frozenset({"cancelled", CLEARED})


class Compared(Struct, frozen=True):
    """An answer to Diff: about which object, for which inputs, and the verdict."""

    id: str
    inputs: Bag
    diff: Diff


class InstanceSeen(Struct):
    """What a provider instance has been through.

    ``accepts`` is ``None`` until it has said what it accepts. ``checked`` are the answers to Check, ``diffs`` the last ones to
    Diff, both by URN. ``unknown`` are the places of its configuration that were unknown. ``is_pulumi`` says that the engine has
    introduced itself as Pulumi's does, and ``lost`` that it may not have got what it is answered. ``refused`` are the URNs of
    which a Check had failures, ``created`` those of creates after which nothing has asked to replace or delete the object.
    """

    state: str = SESSION.begins
    accepts: frozenset[str] | None = None
    handshaken: bool = False
    checked: dict[str, list[Bag]] = field(default_factory=lambda: defaultdict(list))
    diffs: dict[str, Compared] = field(default_factory=dict)
    where: Where = ("", "")
    unknown: list[str] = field(default_factory=list)
    is_pulumi: bool = False
    lost: bool = False
    refused: set[str] = field(default_factory=set)
    created: set[str] = field(default_factory=set)


class PulumiHistory:
    """What came before a call. ``issued`` says whether an id is known from elsewhere: a test has put the object there."""

    def __init__(self, issued: Callable[[str], bool]) -> None:
        self._issued = issued
        self.checks: dict[tuple[str, ...], Bag] = {}
        """The answers to Check, by all that they depend on."""
        self.running: Counter[tuple[int, str, str]] = Counter()
        """How many creates, updates and deletes are under way, by what they are about."""
        self.deletes: dict[int, Call] = {}
        """The deletes that are under way."""
        self.objects = ObjectsSeen()
        """What exists, and what has existed."""
        self.diffed: tuple[Reply | None, Diff | None] = (None, None)
        """The diff that is judged."""
        self._repeated: Repeated | None = None
        self._plain: tuple[Call | None, bool] = (None, False)
        self.managed = Managed()
        """What belongs to which provider resource."""
        self._instances: WeakKeyDictionary[Session, InstanceSeen] = WeakKeyDictionary()
        self._pending: dict[str, Bag] = {}
        """The last answer to Check by URN, until it is known what became of it."""

    def instance(self, call: Call) -> InstanceSeen:
        """The provider instance that is asked."""
        seen = self._instances.get(call.session)
        if seen is None:
            seen = self._instances[call.session] = InstanceSeen()
        return seen

    def known(self, call: Call) -> ObjectSeen | None:
        """The object that a call is about; ``None`` if no answer has told of it at this URN."""
        return self.objects.find(call, self.instance(call).where)

    def sends_plain(self, call: Call) -> bool:
        """Whether all that a call sends is plain, as most is. Several rules ask it of one call, and it takes a walk."""
        if self._plain[0] is not call:
            self._plain = (call, is_plain(call.inputs) and is_plain(call.prior) and is_plain(call.prior_inputs))
        return self._plain[1]

    @property
    def repeated(self) -> Repeated:
        """What was answered before about the same resources. It is kept once somebody asks: the engine's rules never do."""
        if self._repeated is None:
            self._repeated = Repeated()
        return self._repeated

    def has_heard_of(self, id_: str) -> bool:
        """Whether an answer has brought an id, or something else has put the object there."""
        return any(self.objects.of_id(id_)) or self._issued(id_)

    def state(self, call: Call) -> str:
        """The state of the object that a call is about.

        One that is new at its URN is as good as what its id says: an alias, or another stack, has brought it there.
        """
        seen = self.known(call)
        if seen is not None:
            return seen.state
        if self._issued(call.id):
            return "there"
        states = {other.state for other in self.objects.of_id(call.id)}
        return "there" if "there" in states else "gone" if states else OBJECT.begins

    def doubt(self) -> None:
        """What engines remember may be another thing from here on: a state was imported, or the last one was not written."""
        self.objects.doubt()
        self._pending.clear()
        for seen in self._instances.values():
            seen.lost = True

    def begin(self, call: Call) -> None:
        """A call starts."""
        if call.op in EFFECTS and not call.preview:
            self.running[operand(call)] += 1
        if call.op is Op.DELETE:
            self.deletes[id(call)] = call
        seen = self.known(call) if call.id else None
        if seen is not None:
            seen.half_made = False

    def end(self, call: Call, reply: Reply | None) -> None:
        """A call has ended."""
        if call.op in EFFECTS and not call.preview:
            self.running[operand(call)] -= 1
        if call.op is Op.DELETE:
            self.deletes.pop(id(call), None)
        if call.op is Op.HANDSHAKE:
            self.instance(call).is_pulumi = bool(call.extra.get("configure_with_urn"))
        if reply is None:
            return
        self.managed.follow(call, reply)
        if call.op is Op.CHECK and reply.failures:
            self.instance(call).refused.add(call.urn)
        if reply.ok:
            self._follow_instance(call, reply)
        if self._repeated is not None:
            self._repeated.follow(call, reply, self.diffed[1] if self.diffed[0] is reply else None)
        for id_ in () if call.preview else _brought(call, reply):
            self._follow(call, id_, reply)

    def _follow_instance(self, call: Call, reply: Reply) -> None:
        seen = self.instance(call)
        seen.state = SESSION.after.get((seen.state, call.op), seen.state)
        if call.op is Op.CREATE and not call.preview:
            seen.created.add(call.urn)
        elif call.op in (Op.DIFF, Op.DELETE) or (call.op is Op.READ and not reply.id):
            seen.created.discard(call.urn)
        if call.op is Op.CHECK and reply.inputs is not None:
            self._follow_check(call, reply.inputs, seen)
        elif call.op is Op.DIFF:
            self._follow_diff(call, as_diff(reply), seen)
        elif call.op is Op.HANDSHAKE or (call.op is Op.CONFIGURE and not seen.handshaken):
            seen.accepts = accepted(reply.extra)
            seen.handshaken = call.op is Op.HANDSHAKE
        if call.op is Op.CONFIGURE:
            configuration = (call.inputs, call.extra.get("variables"))
            seen.where = (call.urn or call.session.instance, repr(configuration))
            seen.unknown = places(call.inputs, Unknown)
        if call.op is Op.CANCEL and seen.is_pulumi:
            # What pulumi 3.259 asks of an instance that it has cancelled is in the table.
            seen.state = CLEARED

    def _follow_check(self, call: Call, inputs: Bag, seen: InstanceSeen) -> None:
        seen.checked[call.urn].append(inputs)
        del seen.checked[call.urn][:-CHECKS]
        self.checks[question(call)] = inputs
        self._accept_checked(call.urn)
        if not call.session.preview:
            self._pending[call.urn] = inputs

    def _follow_diff(self, call: Call, diff: Diff, seen: InstanceSeen) -> None:
        seen.diffs[call.urn] = Compared(call.id, call.inputs or {}, diff)
        self.objects.compared.add((call.id, call.type))
        if diff.changes != Changes.SOME:
            # The engine leaves the object as it is, and remembers the inputs.
            self._accept_checked(call.urn)

    def _accept_checked(self, urn: str) -> None:
        """An engine may remember the last inputs that it had checked, although it asked for nothing to be done."""
        pending = self._pending.pop(urn, None)
        for seen in self.objects.at(urn) if pending is not None else ():
            if not seen.inputs.open:
                seen.inputs.add(pending)

    def _follow(self, call: Call, id_: str, reply: Reply) -> None:
        instance = self.instance(call)
        # What comes after Cancel, breaks on its way or must be refused may never have reached the engine.
        certain = not (
            instance.lost or instance.state in AFTER_CANCEL or reply.delivery is not None or places(reply.value, Unknown)
        )
        if call.op is Op.DELETE:
            self._follow_delete(call, certain=certain)
            return
        seen = self.objects.appeared(call, instance.where, id_)
        was, seen.state = seen.state, "there"
        seen.alive += call.op is Op.CREATE or not seen.alive
        if call.op is Op.READ:
            _remember_read(seen, call, reply, certain=certain)
        elif call.op in EFFECTS:
            self._remember_effect(seen, call, reply, certain=certain and (call.op is Op.UPDATE or was != "there"))

    def _remember_effect(self, seen: ObjectSeen, call: Call, reply: Reply, *, certain: bool) -> None:
        self._pending.pop(call.urn, None)
        seen.wanted = call.inputs or {}
        seen.half_made = call.op is Op.CREATE and not reply.ok
        if certain and (reply.ok or call.op is Op.CREATE):
            seen.outputs.settle(reply.value)
            seen.inputs.settle(call.inputs)
        else:
            seen.outputs.add(reply.value)
            seen.inputs.add(call.inputs)
        for other in self.objects.at(call.urn) if call.op is Op.CREATE and reply.ok else ():
            # An orphan is told of once.
            other.half_made = False

    def _follow_delete(self, call: Call, *, certain: bool) -> None:
        instance = self.instance(call)
        seen = self.known(call)
        if seen is None:
            seen = self.objects.appeared(call, instance.where, call.id)
        seen.half_made = False
        seen.alive = max(0, seen.alive - certain)
        if seen.alive or not certain:
            seen.state = "there"
        else:
            seen.state, seen.deleted_by = BY_PULUMI if instance.is_pulumi else "gone", call.session.number


def _remember_read(seen: ObjectSeen, call: Call, reply: Reply, *, certain: bool) -> None:
    seen.half_made = False
    if certain and call.prior is None and seen.outputs.open and not seen.outputs.bags:
        # By its id alone: the engine remembers nothing else of it.
        seen.outputs.settle(reply.value)
        seen.inputs.settle(reply.inputs)
    else:
        # A refresh that is called off leaves what was there.
        seen.outputs.add(reply.value)
        seen.inputs.add(reply.inputs)


def _brought(call: Call, reply: Reply) -> Iterator[str]:
    """The ids that an answer told of. A half-failed create or update tells, too."""
    if call.op is Op.LIST:
        yield from (listed.id for listed in reply.listed if isinstance(listed, ListedObject))
    elif call.op in (Op.CREATE, Op.READ) and reply.id:
        yield reply.id
    elif call.op in (Op.UPDATE, Op.DELETE) and (reply.ok or (call.op is Op.UPDATE and reply.value is not None)):
        yield call.id


def question(call: Call) -> tuple[str, ...]:
    """All that an answer to Check may depend on."""
    bags = (call.inputs, call.prior_inputs, call.prior, call.autonaming)
    return (call.urn, call.session.instance, call.seed.hex(), *map(repr, bags))


def operand(call: Call) -> tuple[int, str, str]:
    """What an operation is about: a session, since those of an engine that was killed go on, a resource, and its object."""
    return (call.session.number, call.urn, call.id)
