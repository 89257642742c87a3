"""Before the objects of a family are given out: can they be told apart, whichever the replay makes first?

The recorded calls about the family, and about all that was made from it, are replayed with the family's objects exchanged, each
for the next one. What is refused then would be refused in a replay, too, if its scheduling happened to be like that. So the
answer is a property of the cassette: such a family is refused always, and at once.
"""

from __future__ import annotations

from typing import Any

from mockprovider.cassette.lookup import LiveCall, Lookup
from mockprovider.cassette.modes import LookResult
from mockprovider.cassette.objects import RecordedObject
from mockprovider.cassette.recorded import RecordedCall
from mockprovider.cassette.replay import Replay
from mockprovider.cassette.shelf import Shelf
from mockprovider.redaction import Vault


def rehearsed(shelf: Shelf, family: int) -> Lookup | None:
    """What is refused if the objects of this family are exchanged; ``None`` if nothing is."""
    return _Rehearsal(shelf, shelf.families[family]).refused()


class _Rehearsal:
    def __init__(self, shelf: Shelf, family: list[RecordedObject]) -> None:
        self._shelf = shelf
        self._family = family
        self._replay = Replay(shelf, Vault())
        self._calls = {call.place: call for call in shelf.calls}
        self._lives: dict[int, int] = {}
        """Which live object stands where a recorded one did."""

    def refused(self) -> Lookup | None:
        descended = self._descended()
        if self._are_used_alike(descended):
            return None
        created = []
        for recorded in self._family:
            lookup = self._look(self._calls[recorded.place])
            if lookup.outcome is not LookResult.FOUND:
                return lookup
            created.append(self._replay.take(lookup).born)
        exchanged = [*self._family[1:], self._family[0]]
        self._lives = {recorded.number: live for recorded, live in zip(exchanged, created, strict=True) if live is not None}
        return self._later(descended)

    def _are_used_alike(self, descended: set[int]) -> bool:
        """Whether whatever was asked about one of these objects was asked about each, and about nothing else with it."""
        places = [place for place, objects in self._shelf.about.items() if not descended.isdisjoint(objects)]
        groups = (self._shelf.group[place] for place in places)
        return all(len(self._shelf.about[place]) == 1 for place in places) and all(one.covers and one.uniform for one in groups)

    def _descended(self) -> set[int]:
        """The family, and every object that was made from one of these."""
        descended = {recorded.number for recorded in self._family}
        size = 0
        while len(descended) > size:
            size = len(descended)
            descended |= {
                self._shelf.made[place].number
                for place, objects in self._shelf.about.items()
                if place in self._shelf.made and not descended.isdisjoint(objects)
            }
        return descended

    def _later(self, descended: set[int]) -> Lookup | None:
        """What is refused of the calls about these objects, in the order of their sessions, each once its objects exist."""
        pending = [call for call in self._shelf.calls if not descended.isdisjoint(self._shelf.about.get(call.place, ()))]
        while call := next((call for call in pending if self._exist(call, descended)), None):
            pending.remove(call)
            lookup = self._look(call)
            if lookup.outcome is not LookResult.FOUND:
                return lookup
            live = self._replay.take(lookup).born
            if live is not None:
                self._lives[self._shelf.made[call.place].number] = live
        return None

    def _exist(self, call: RecordedCall, descended: set[int]) -> bool:
        return all(number in self._lives for number in self._shelf.about[call.place] if number in descended)

    def _look(self, call: RecordedCall) -> Lookup:
        session, phase = call.interaction.session, call.interaction.phase
        tree = self._replay.bindings.sent(self._exchanged(call))
        return self._replay.look(LiveCall(call.where, tree, session, call.once, phase=phase, preview=call.preview))

    def _exchanged(self, call: RecordedCall) -> Any:
        """The request that an engine would send about the objects that now stand where the recorded ones did."""
        pairing = tuple((number, self._lives.get(number, number)) for number in self._shelf.about.get(call.place, ()))
        if not pairing:
            return call.request
        about_these = self._shelf.group[call.place].by_order.get(tuple(live for _, live in pairing))
        if about_these is not None:
            return about_these.call.request
        words = self._shelf.vocabulary
        return self._shelf.arranged(call, words.exchanged(pairing, words.marked(call.request)[1])(call.request))
