"""What one side of a run has seen of Pulumi's protocol, as the rules of both parties need it.

What only engines' rules look at is in ``engines``, what only providers' do in ``providers``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, TypeAlias
from weakref import WeakKeyDictionary

from msgspec import Struct, field

from mockprovider.calls import Call, Op, Reply, Session
from mockprovider.contract import Condition, Moment, ValueMarks
from mockprovider.payloads import ListedObject
from mockprovider.pulumi.contract.lives import BY_PULUMI, CLEARED, SESSION
from mockprovider.pulumi.contract.managing import Managed
from mockprovider.pulumi.contract.objects import ObjectSeen, ObjectsSeen, Where
from mockprovider.pulumi.contract.values import places
from mockprovider.pulumi.diff import Diff, as_diff
from mockprovider.pulumi.signatures import accepted
from mockprovider.values import Bag, Unknown

NO_ANSWER = Reply()
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


class PulumiMoment(Moment):
    """A call, the provider instance that is asked, and the object that it is about.

    The object is ``None`` if no answer has told of it at this URN. ``answer`` is the reply, or an empty one.
    """

    answer: Reply
    instance: InstanceSeen
    known: ObjectSeen | None
    history: Any
    _diff: Diff | None = None

    @property
    def diff(self) -> Diff:
        """The diff that is answered: it is read once, and each of the rules about it looks at it."""
        if self._diff is None:
            self._diff = as_diff(self.answer)
        return self._diff


Follow: TypeAlias = Callable[[Any, PulumiMoment, Reply], None]
"""What an answer tells a history."""


class PulumiHistory:
    """What came before a call. ``issued`` says whether an id is known from elsewhere: a test has put the object there."""

    follows: ClassVar[Mapping[Op, Follow]] = {}
    """What the answer to each op tells; that to any other op tells nothing."""

    def __init__(self, issued: Callable[[str], bool], marks: ValueMarks) -> None:
        self.issued, self.marks = issued, marks
        self.objects = ObjectsSeen()
        """What exists, and what has existed."""
        self.managed = Managed()
        """What belongs to which provider resource."""
        self.instances: WeakKeyDictionary[Session, InstanceSeen] = WeakKeyDictionary()
        self.begun: PulumiMoment | None = None
        """The call that has begun, as long as nothing has happened since."""
        self._latest: tuple[Session | None, InstanceSeen] = (None, InstanceSeen())

    def at(self, call: Call, reply: Reply | None) -> PulumiMoment:
        """A call as it looks from here. One that ends with nothing between looks as it did when it began."""
        now = self.begun
        if now is not None and now.call is call and reply is not None:
            now.reply = now.answer = reply
            return now
        session, instance = self._latest
        if session is not call.session:
            instance = self.instance(call)
            self._latest = (call.session, instance)
        return PulumiMoment(call, reply, reply or NO_ANSWER, instance, self.objects.find(call, instance.where), self)

    def instance(self, call: Call) -> InstanceSeen:
        """The provider instance that is asked."""
        seen = self.instances.get(call.session)
        if seen is None:
            seen = self.instances[call.session] = InstanceSeen()
        return seen

    def has_heard_of(self, id_: str) -> bool:
        """Whether an answer has brought an id, or something else has put the object there."""
        return any(self.objects.of_id(id_)) or self.issued(id_)

    def begin(self, now: PulumiMoment) -> None:
        """A call starts."""

    def end(self, now: PulumiMoment) -> None:
        """A call has ended."""
        self.begun = None
        follow = self.follows.get(now.call.op)
        if follow is not None and now.reply is not None:
            follow(self, now, now.reply)

    def remember(self, seen: ObjectSeen, now: PulumiMoment, *, settles: bool) -> None:
        """An answer has a state of an object, which is the only one that an engine may remember if that ``settles`` it."""
        seen.outputs.take(now.answer.value, settles=settles)
        if now.call.op is not Op.READ:
            seen.wanted = now.call.inputs or {}


# What each answer tells ----------------------------------------------------------------------------------------------------


def handshake(_: PulumiHistory, now: PulumiMoment, reply: Reply) -> None:
    """What the instance accepts."""
    if reply.ok:
        now.instance.accepts, now.instance.handshaken = accepted(reply.extra), True


def configure(past: PulumiHistory, now: PulumiMoment, reply: Reply) -> None:
    """What the instance is configured with."""
    call, seen = now.call, now.instance
    if not reply.ok:
        return
    past.managed.configure(call)
    seen.state = SESSION.after.get((seen.state, call.op), seen.state)
    if not seen.handshaken:
        seen.accepts = accepted(reply.extra)
    seen.where = (call.urn or call.session.instance, repr((call.inputs, call.extra.get("variables"))))
    seen.unknown = places(call.inputs, Unknown)


def diff_config(past: PulumiHistory, now: PulumiMoment, reply: Reply) -> None:
    """Whether the provider must be replaced."""
    if reply.ok:
        past.managed.compare(now.call, now.diff)


def cancel(_: PulumiHistory, now: PulumiMoment, reply: Reply) -> None:
    """The instance is cancelled."""
    seen = now.instance
    if reply.ok:
        # What pulumi 3.259 asks of an instance that it has cancelled is in the table.
        seen.state = CLEARED if seen.is_pulumi else SESSION.after.get((seen.state, Op.CANCEL), seen.state)


def create(past: PulumiHistory, now: PulumiMoment, reply: Reply) -> None:
    """An object is there; one that was half made is there, too."""
    if now.call.preview:
        return
    if reply.ok:
        past.managed.make(now.call, reply)
    if reply.id:
        appear(past, now, reply, [reply.id])


def read(past: PulumiHistory, now: PulumiMoment, reply: Reply) -> None:
    """An object is there, or is gone."""
    if reply.id and not now.call.preview:
        appear(past, now, reply, [reply.id])
    elif reply.ok and not reply.id:
        past.managed.forget(now.call)


def update(past: PulumiHistory, now: PulumiMoment, reply: Reply) -> None:
    """An object has changed, also where the update failed half-way."""
    if not now.call.preview and (reply.ok or reply.value is not None):
        appear(past, now, reply, [now.call.id])


def list_(past: PulumiHistory, now: PulumiMoment, reply: Reply) -> None:
    """Objects are there."""
    if not now.call.preview:
        appear(past, now, reply, [listed.id for listed in reply.listed if isinstance(listed, ListedObject)])


def appear(past: PulumiHistory, now: PulumiMoment, reply: Reply, ids: Iterable[str]) -> None:
    """An answer told of objects."""
    call, certain = now.call, is_certain(now, reply)
    for id_ in ids:
        known = now.known if id_ == call.id else past.objects.find(call, now.instance.where, id_)
        seen = past.objects.appeared(call, now.instance.where, id_, known)
        settles = certain and _settles(call, reply, seen)
        seen.state = "there"
        seen.alive += call.op is Op.CREATE or not seen.alive
        if call.op is not Op.LIST:
            past.remember(seen, now, settles=settles)


def _settles(call: Call, reply: Reply, seen: ObjectSeen) -> bool:
    if call.op is Op.READ:
        # By its id alone: the engine remembers nothing else of it. A refresh that is called off leaves what was there.
        return call.prior is None and seen.outputs.open and not seen.outputs.bags
    return seen.state != "there" if call.op is Op.CREATE else reply.ok


def delete(past: PulumiHistory, now: PulumiMoment, reply: Reply) -> None:
    """An object is gone."""
    call, instance, certain = now.call, now.instance, is_certain(now, reply)
    if not reply.ok:
        return
    past.managed.forget(call)
    if call.preview:
        return
    seen = now.known or past.objects.appeared(call, instance.where, call.id, None)
    seen.half_made = False
    seen.alive = max(0, seen.alive - certain)
    if seen.alive or not certain:
        seen.state = "there"
    else:
        seen.state, seen.deleted_by = BY_PULUMI if instance.is_pulumi else "gone", call.session.number


def is_certain(now: PulumiMoment, reply: Reply) -> bool:
    """Whether an answer has reached the engine: what comes after Cancel, breaks on its way or must be refused may not have."""
    if now.instance.lost or now.instance.state in AFTER_CANCEL or reply.delivery is not None:
        return False
    return reply.value is None or Condition.UNKNOWN not in now.history.marks(reply.value)


FOLLOWS: Mapping[Op, Follow] = {
    Op.HANDSHAKE: handshake,
    Op.CONFIGURE: configure,
    Op.DIFF_CONFIG: diff_config,
    Op.CANCEL: cancel,
    Op.CREATE: create,
    Op.READ: read,
    Op.UPDATE: update,
    Op.LIST: list_,
    Op.DELETE: delete,
}
"""What both sides need."""
