"""The objects that one side of a run has seen, and what an engine may remember of each."""

from __future__ import annotations

from collections import defaultdict

from msgspec import Struct, field

from mockprovider.calls import Call, Op
from mockprovider.pulumi.contract.lives import OBJECT
from mockprovider.pulumi.contract.values import alike
from mockprovider.values import Bag

Where = tuple[str, str]
"""A provider instance as objects know it: its URN, and its configuration. Two regions are two."""

KEPT = 10
"""So many things that an engine may remember of an object count: the oldest one, and the latest others."""

LATEST = 100
"""So many objects of one URN are looked through."""


class Remembered(Struct):
    """What an engine may remember of one thing. ``open`` says that it may be anything: nobody was seen to tell it."""

    open: bool = True
    bags: list[Bag] = field(default_factory=list)

    def settle(self, bag: Bag | None) -> None:
        """It is this, for certain; ``None`` is what an engine makes up itself."""
        self.open, self.bags = bag is None, [] if bag is None else [bag]

    def add(self, bag: Bag | None) -> None:
        """It may be this, too."""
        if bag is not None:
            self.bags.append(bag)
            del self.bags[1 : max(1, len(self.bags) - KEPT + 1)]

    def take(self, bag: Bag | None, *, settles: bool) -> None:
        """``settle`` or ``add``."""
        if settles:
            self.settle(bag)
        else:
            self.add(bag)

    def holds(self, bag: Bag) -> bool:
        """Whether this is one of those that were told."""
        return any(alike(bag, known) for known in reversed(self.bags))


class ObjectSeen(Struct, kw_only=True):
    """An object under one id, at one URN of one provider instance, and what it has been through.

    ``alive`` counts the objects that go by this id: providers whose ids are constants make a second one before they delete the
    first. ``wanted`` are the inputs of the last create or update; ``deleted_by`` is the number of the session that deleted it.
    """

    type: str
    id: str
    urn: str
    where: Where
    state: str = OBJECT.begins
    alive: int = 0
    outputs: Remembered = field(default_factory=Remembered)
    inputs: Remembered = field(default_factory=Remembered)
    wanted: Bag | None = None
    half_made: bool = False
    deleted_by: int = 0


class ObjectsSeen:
    """All of them, by id and by URN."""

    def __init__(self) -> None:
        self._by_id: dict[str, list[ObjectSeen]] = defaultdict(list)
        self._by_urn: dict[str, list[ObjectSeen]] = defaultdict(list)
        self._by_both: dict[tuple[str, str], list[ObjectSeen]] = defaultdict(list)
        self.compared: set[tuple[str, str]] = set()
        """The ids and types of Diffs: an alias gives an object another type, and Diff is the first that is asked of it then."""

    def of_id(self, id_: str) -> list[ObjectSeen]:
        """Those of an id, whosever they are."""
        return self._by_id.get(id_, [])

    def at(self, urn: str) -> list[ObjectSeen]:
        """The latest ones of a URN."""
        return self._by_urn.get(urn, [])

    def find(self, call: Call, where: Where, id_: str = "") -> ObjectSeen | None:
        """The object that a call is about: of this URN, and of this instance if there are several."""
        all_ = self._by_both.get((id_ or call.id, call.urn))
        if all_ is None:
            return None
        mine = [seen for seen in all_ if seen.type == call.type]
        if len(mine) < 2:
            # As it is nearly always.
            return mine[0] if mine else None
        # A provider may get another configuration, and a resource another provider: the object stays what it is.
        return max(reversed(mine), key=lambda seen: (seen.where == where, seen.state == "there"))

    def appeared(self, call: Call, where: Where, id_: str, known: ObjectSeen | None) -> ObjectSeen:
        """The object that an answer told of: the one that is known, or a new one. A create makes one for its own instance."""
        seen = known
        if seen is None or (call.op is Op.CREATE and seen.where != where and seen.state == "there"):
            seen = ObjectSeen(type=call.type, id=id_, urn=call.urn, where=where)
            self._by_id[id_].append(seen)
            self._by_both[id_, call.urn].append(seen)
            at = self._by_urn[call.urn]
            at.append(seen)
            del at[:-LATEST]
        seen.where = where
        return seen

    def moved(self, call: Call) -> ObjectSeen | None:
        """The object of another type that a call means, by its id and its state, though no Diff has announced its new type."""
        known = (call.id, call.type) in self.compared or any(seen.type == call.type for seen in self.of_id(call.id))
        if known or not call.prior:
            return None
        others = (seen for seen in self.of_id(call.id) if seen.wanted is not None)
        return next((seen for seen in others if seen.outputs.holds(call.prior)), None)

    def doubt(self) -> None:
        """Engines may remember anything of those that were ever told of, also that they are there."""
        for seen in (seen for same_id in self._by_id.values() for seen in same_id):
            seen.state, seen.alive, seen.half_made = "there", max(seen.alive, 1), False
            seen.outputs, seen.inputs = Remembered(), Remembered()
